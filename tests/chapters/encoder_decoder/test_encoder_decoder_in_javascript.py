"""The encoder and decoder in JavaScript give what course_attn.in_numpy and PyTorch give."""

import json
from typing import Any

import numpy as np
import pytest

from book._parts.writing.writing import model_script
from course_attn import in_numpy
from course_attn.chapters.encoder_decoder import dates
from course_attn.weights import load
from tests.chapters.encoder_decoder.cases import BY_HAND, CASES
from tests.chapters.encoder_decoder.refused import MODEL
from tests.support.comparison import assert_close
from tests.support.scripts import needs_deno, path_of
from tests.support.twin_table import twin
from tools.deno import deno

pytestmark = needs_deno

KEPT = load("dates")
N_HEADS = KEPT.config["n_heads"]
WIDE = {name: array.astype(float) for name, array in KEPT.params.items()}
UNSEEN = dates.split_dates()[1]

# The kept model stands first.
_CALLS = """
import { decode, encode, nested } from "{encoder_decoder}";
import { LiveTranslator } from "{translator_state}";
console.log(JSON.stringify({given}.map({function})));
"""

_LOGITS = """([source, target, params, options]) => {
  const all = params ?? nested(datesModel);
  return decode(target, encode(source, all, options), all, options).logits;
}"""
_ANSWERS = """([text, parts, off]) => {
  const model = new LiveTranslator(datesModel, text);
  Object.assign(model.parts, parts);
  off.forEach((n) => model.off.add(n));
  model.begin();
  model.writeAll();
  return {
    answer: model.answer.map(({ character }) => character).join(""),
    weights: model.answer.map(({ weights }) => weights),
  };
}"""


def each_of(given: list[Any], function: str) -> list[Any]:
    """Return what a function in JavaScript gives for each of some arguments."""
    text = model_script(KEPT, "datesModel") + _CALLS
    for name in ("encoder_decoder", "translator_state"):
        text = text.replace(f"{{{name}}}", path_of(f"{name}.js").as_uri())
    text = text.replace("{given}", json.dumps(given)).replace(
        "{function}", function
    )
    done = deno("run", "--quiet", "--no-remote", "--no-config", "-", text=text)
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


def test_the_model_runs_through_the_tables_of_the_twins(subtests):
    given, wanted = [], []
    for case in (case for case in CASES + BY_HAND if case.function == MODEL):
        logits = twin("in_numpy", case.function)(**case.arrays, **case.options)
        mask = case.arrays.get("source_mask")
        params = {k: v.tolist() for k, v in case.options["params"].items()}
        for at in np.ndindex(logits.shape[:-2]):
            options = {"n_heads": case.options["n_heads"]}
            if mask is not None:
                options["source_mask"] = mask[at].tolist()
            tokens = [
                case.arrays[side][at].tolist() for side in ("source", "target")
            ]
            given.append([*tokens, params, options])
            wanted.append((case, logits[at]))
    for found, (case, rows) in zip(each_of(given, _LOGITS), wanted, strict=True):
        with subtests.test(str(case)):
            assert_close(np.array(found), rows, 1e-10)


def without(
    params: dict[str, np.ndarray], off: list[int], cross: bool
) -> dict[str, np.ndarray]:
    """Return parameters whose cross-attention finds nothing, or some heads of it do not."""
    params = {name: array.copy() for name, array in params.items()}
    d_v = params["decoder.blocks.0.cross_attention.W_V"].shape[1] // N_HEADS
    for n in range(2 * N_HEADS):
        layer, head = divmod(n, N_HEADS)
        if n in off or not cross:
            W_V = params[f"decoder.blocks.{layer}.cross_attention.W_V"]
            W_V[:, head * d_v : (head + 1) * d_v] = 0
    return params


SWITCHES: list[tuple[dict[str, bool], list[int]]] = [
    ({}, []),
    ({"mask": False}, []),
    ({"cross": False}, []),
    ({}, [1]),
    ({"mask": False}, [0, 3]),
]


def padded(text: str) -> tuple[np.ndarray, np.ndarray]:
    """Return a text filled up to the longest that the model takes, and what of it is real."""
    source = np.full(dates.N_SOURCE, dates.PADDING)
    source[: len(text)] = dates.SOURCE.encode(text)
    return source, np.arange(dates.N_SOURCE) < len(text)


def answer_of(
    text: str, params: dict[str, np.ndarray], *, mask: bool = True
) -> tuple[str, np.ndarray]:
    """Return what the model writes in NumPy, and the logits of each character."""
    source, real = padded(text)
    target = [dates.START]
    while len(target) <= dates.N_TARGET and target[-1] != dates.END:
        logits = in_numpy.encoder_decoder(
            source, np.array(target), params, n_heads=N_HEADS,
            source_mask=real if mask else None,
        )  # fmt: skip
        target.append(int(logits[-1].argmax()))
    return dates.TARGET.decode(target[1:]), logits


@pytest.mark.parametrize(("parts", "off"), SWITCHES)
def test_the_kept_model_is_that_of_numpy_whatever_is_switched_off(parts, off):
    text = "3.5.1998"
    source, real = padded(text)
    mask = parts.get("mask", True)
    params = without(WIDE, off, parts.get("cross", True))
    wanted, rows = answer_of(text, params, mask=mask)
    (found,) = each_of([[text, parts, off]], _ANSWERS)
    assert found["answer"] == wanted
    options = {
        "n_heads": N_HEADS,
        "cross": parts.get("cross", True),
        "off": [divmod(n, N_HEADS) for n in off],
    } | ({"source_mask": real.tolist()} if mask else {})
    target = [dates.START, *dates.TARGET.encode(wanted)[:-1].tolist()]
    (logits,) = each_of([[source.tolist(), target, None, options]], _LOGITS)
    assert_close(np.array(logits), rows, 1e-10)


@pytest.mark.exhaustive
def test_all_three_write_the_same_for_unseen_dates():
    torch = pytest.importorskip("torch")
    from course_attn.in_torch import EncoderDecoder, EncoderDecoderConfig, translate

    model = EncoderDecoder(EncoderDecoderConfig(**KEPT.config))
    model.load_state_dict({k: torch.from_numpy(v) for k, v in KEPT.params.items()})
    pairs = dates.draw_pairs(UNSEEN, 40, np.random.default_rng(1))
    source, mask, _ = map(torch.from_numpy, dates.as_batch(pairs))
    ends = {"start": dates.START, "end": dates.END, "n_max": dates.N_TARGET}
    tokens = translate(model, source, source_mask=mask, **ends)
    in_torch = [dates.TARGET.decode(row) for row in tokens]
    given = [[pair.source, {}, []] for pair in pairs]
    in_javascript = [one["answer"] for one in each_of(given, _ANSWERS)]
    assert in_javascript == in_torch
    assert in_javascript == [answer_of(pair.source, WIDE)[0] for pair in pairs]
    right = [a == f"{p.target}>" for a, p in zip(in_javascript, pairs, strict=True)]
    assert np.mean(right) >= 0.95


def test_the_weights_are_those_of_pytorch():
    torch = pytest.importorskip("torch")
    from course_attn.in_torch import EncoderDecoder, EncoderDecoderConfig

    model = EncoderDecoder(EncoderDecoderConfig(**KEPT.config)).double()
    model.load_state_dict({k: torch.from_numpy(v) for k, v in WIDE.items()})
    text = "the twenty-sixth of September 2187"
    (found,) = each_of([[text, {}, []]], _ANSWERS)
    target = torch.tensor([0, *dates.TARGET.encode(found["answer"])[:-1]])
    source = torch.from_numpy(dates.SOURCE.encode(text))
    with torch.no_grad():
        _, weights = model.forward_with_weights(source, target)
    wanted = torch.stack(weights.cross).mean(dim=(0, 1)).numpy()
    weights = np.array(found["weights"])
    np.testing.assert_allclose(weights[:, : len(text)], wanted, atol=1e-10)
    assert not weights[:, len(text) :].any()
