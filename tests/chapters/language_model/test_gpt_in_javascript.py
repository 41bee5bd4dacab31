"""The language model in JavaScript, `gpt.js`, gives what course_attn.in_numpy gives."""

import json
from math import erf
from typing import Any

import numpy as np

from book._parts.writing.writing import model_script
from course_attn import in_numpy
from course_attn.in_numpy.language_model import BLOCK_NAMES
from course_attn.weights import load
from tests.support.comparison import assert_close
from tests.support.scripts import needs_deno, path_of
from tests.support.twin_table import Case, twin
from tests.twins.cases import BY_HAND, CASES
from tools.deno import deno

pytestmark = needs_deno

GPT, PACKED = path_of("gpt.js"), path_of("packed.js")
KEPT = load("gpt")
N_HEADS = KEPT.config["n_heads"]
TEXT = 'The "assert" statement is a conv'

# Python writes infinities as JavaScript does; JSON has no name for what is not finite, and gets a
# text. The kept model stands first.
_CALLS = """
import * as calls from "{gpt}";
import { unpacked } from "{packed}";
const finite = (_, x) => typeof x === "number" && !Number.isFinite(x) ? String(x) : x;
console.log(JSON.stringify({given}.map({function}), finite));
"""

# A run of the model, with the rows of its weights filled up with zeros.
_RUN = """([tokens, params, options]) => {
  const all = params ? Object.fromEntries(Object.entries(params).map(
    ([name, flat]) => [name, Float64Array.from(flat)])) : unpacked(courseModel);
  const run = calls.gpt(tokens, all, options);
  const full = (row) => Array.from({length: tokens.length}, (_, j) => row[j] ?? 0);
  return {logits: run.logits.map((row) => [...row]),
    weights: run.weights.map((heads) => heads.map((rows) => rows.map(full)))};
}"""


def each_of(given: list[Any], function: str) -> list[Any]:
    """Return what a function in JavaScript gives for each of some arguments."""
    text = model_script(KEPT) + _CALLS
    for name, value in {
        "gpt": GPT.as_uri(),
        "packed": PACKED.as_uri(),
        "given": json.dumps(given),
        "function": function,
    }.items():
        text = text.replace(f"{{{name}}}", value)
    done = deno("run", "--quiet", "--no-remote", "--no-config", "-", text=text)
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


def runs(
    *given: tuple[np.ndarray, dict[str, np.ndarray] | None, dict[str, Any]],
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the logits and all weights for tokens, parameters or the kept ones, and options."""
    flat = [
        [
            tokens.tolist(),
            params and {name: a.ravel().tolist() for name, a in params.items()},
            options,
        ]
        for tokens, params, options in given
    ]
    return [
        (np.array(one["logits"]), np.array(one["weights"]))
        for one in each_of(flat, _RUN)
    ]


def cases(name: str) -> list[Case]:
    path = f"language_model.{name}"
    return [case for case in CASES + BY_HAND if case.function == path]


def each_row(array: np.ndarray) -> list[Any]:
    """Return the rows along the last axis as lists."""
    return array.reshape(-1, array.shape[-1]).tolist() if array.size else []


# --- the tables of the other twins ----------------------------------------------------------------


def test_the_model_runs_through_the_tables_of_the_twins(subtests):
    given, wanted = [], []
    for case in cases("gpt"):
        if not case.arrays["tokens"].size:
            continue  # the page asks for a character at least
        options = {"n_heads": case.options["n_heads"]}
        logits = twin("in_numpy", case.function)(**case.arrays, **case.options)
        for tokens, rows in zip(
            each_row(case.arrays["tokens"]),
            logits.reshape(-1, *logits.shape[-2:]),
            strict=True,
        ):
            given.append((np.array(tokens), case.options["params"], options))
            wanted.append((case, rows))
    for (found, _), (case, rows) in zip(runs(*given), wanted, strict=True):
        with subtests.test(str(case)):
            assert_close(found, rows, 1e-10)


def test_the_probabilities_run_through_the_tables_of_the_twins(subtests):
    function = "([rows, options]) => rows.map((row) => calls.token_probabilities(row, options))"
    table = cases("token_probabilities")
    given = [[each_row(case.arrays["logits"]), case.options] for case in table]
    for case, found in zip(table, each_of(given, function), strict=True):
        with subtests.test(str(case)):
            wanted = twin("in_numpy", case.function)(**case.arrays, **case.options)
            assert_close(np.array(found).reshape(wanted.shape), wanted, 1e-12)


def test_the_loss_runs_through_the_tables_of_the_twins(subtests):
    table = cases("cross_entropy")
    given = [
        [
            each_row(case.arrays["logits"]),
            case.arrays["targets"].ravel().tolist(),
            case.options,
        ]
        for case in table
    ]
    losses = each_of(given, "(all) => calls.cross_entropy(...all)")
    for case, found in zip(table, losses, strict=True):
        with subtests.test(str(case)):
            wanted = twin("in_numpy", case.function)(**case.arrays, **case.options)
            assert_close(np.array(float(found)), wanted, 1e-12)


def test_a_number_draws_the_same_token():
    class Given(np.random.Generator):
        def random(self, size):
            return np.full(size, u)

    logits = np.log([0.25, 0.25, 0.4, 0.1])
    options = {"temperature": 0.8, "top_p": 0.8}
    probs = in_numpy.token_probabilities(logits, **options).tolist()
    numbers = [0.0, 0.2, 0.4999, 0.5, 0.75, 0.9, 0.999999]
    drawn = each_of([[probs, u] for u in numbers], "(all) => calls.drawn(...all)")
    for u, found in zip(numbers, drawn, strict=True):
        rng = Given(np.random.PCG64())
        assert found == in_numpy.sample_logits(logits, **options, rng=rng), u


# --- its parts ------------------------------------------------------------------------------------


def test_the_error_function_is_exact():
    xs = [*np.linspace(-7, 7, 281).tolist(), 1e-9, -1e-300, 5.99, 6.01, 40.0]
    found = each_of(xs, "calls.erf")
    np.testing.assert_allclose(found, [erf(x) for x in xs], rtol=1e-13, atol=1e-15)


def test_gelu_runs_through_the_tables_of_the_twins(subtests):
    table = [case for case in CASES + BY_HAND if case.function == "block.gelu"]
    Xs = [case.arrays["X"].ravel() for case in table]
    all_found = each_of([X.tolist() for X in Xs], "(X) => X.map(calls.gelu)")
    for case, X, found in zip(table, Xs, all_found, strict=True):
        with subtests.test(str(case)):
            wanted = twin("in_numpy", case.function)(X=X)
            assert_close(np.array(found, dtype=float), wanted, 1e-12)


# --- the kept model, and parts switched off -------------------------------------------------------


def encoded(text: str) -> np.ndarray:
    return np.array([KEPT.characters.index(character) for character in text])


def in_numpy_with(
    tokens: np.ndarray,
    params: dict[str, np.ndarray],
    *,
    n_heads: int,
    mask: bool = True,
    scale: bool = True,
    positions: bool = True,
    residual: bool = True,
    norm: bool = True,
    off: Any = (),
) -> tuple[np.ndarray, np.ndarray]:
    """Run the model with some of its parts, and return logits and weights."""
    X = params["embedding"][tokens]
    X = X + params["positions.P"][: len(tokens)] if positions else X
    maps: list[np.ndarray] = []

    def normed(rows: np.ndarray, name: str) -> np.ndarray:
        gain, bias = params[f"{name}.gain"], params[f"{name}.bias"]
        return in_numpy.layer_norm(rows, gain, bias) if norm else rows

    while (start := f"transformer.blocks.{len(maps)}.") + "norm_1.gain" in params:
        p = {name: params[start + entry] for entry, name in BLOCK_NAMES.items()}
        x = normed(X, start + "norm_1")
        Q, K, V = (
            in_numpy.split_heads(x @ p[name], n_heads)
            for name in ("W_Q", "W_K", "W_V")
        )
        maps.append(
            in_numpy.attention_weights(
                Q, K, causal=mask, scale=None if scale else 1.0
            )
        )
        found = maps[-1] @ V
        for layer, head in off:
            if layer == len(maps) - 1:
                found[head] = 0
        found = in_numpy.merge_heads(found) @ p["W_O"]
        X = X + found if residual else found
        network = [p[name] for name in ("W_1", "b_1", "W_2", "b_2")]
        x = normed(X, start + "norm_2")
        found = in_numpy.feed_forward(x, *network, activation=in_numpy.gelu)
        X = X + found if residual else found
    X = normed(X, "transformer.final_norm")
    return X @ params["embedding"].T, np.stack(maps)


def test_the_reference_of_this_test_is_the_model():
    logits, _ = in_numpy_with(encoded(TEXT), KEPT.params, n_heads=N_HEADS)
    wanted = in_numpy.gpt(encoded(TEXT), KEPT.params, n_heads=N_HEADS)
    assert_close(logits, wanted, 1e-6)


SWITCHES = [
    {},
    {"mask": False},
    {"scale": False},
    {"positions": False},
    {"residual": False},
    {"norm": False},
    {"off": [[0, 1]]},
    {"off": [[1, 0], [1, 2]], "positions": False, "scale": False},
    {"mask": False, "norm": False, "residual": False},
]
SMALL = next(case for case in cases("gpt") if case.about == "no batch axis")


def test_a_small_model_is_that_of_numpy_whatever_is_switched_off(subtests):
    tokens, params = SMALL.arrays["tokens"], SMALL.options["params"]
    options = [{"n_heads": SMALL.options["n_heads"], **one} for one in SWITCHES]
    whole = in_numpy_with(tokens, params, n_heads=SMALL.options["n_heads"])
    found = runs(*((tokens, params, switches) for switches in options))
    for switches, one in zip(options, found, strict=True):
        with subtests.test(str(switches)):
            wanted = in_numpy_with(tokens, params, **switches)
            assert_close(one[0], wanted[0], 1e-10)
            assert_close(one[1], wanted[1], 1e-10)
            assert (len(switches) == 1) == np.allclose(one[0], whole[0])


def test_the_kept_model_is_that_of_numpy_whatever_is_switched_off(subtests):
    wide = {name: array.astype(float) for name, array in KEPT.params.items()}
    options = [{"n_heads": N_HEADS, **one} for one in SWITCHES]
    found = runs(*((encoded(TEXT), None, switches) for switches in options))
    for switches, (logits, weights) in zip(options, found, strict=True):
        with subtests.test(str(switches)):
            wanted = in_numpy_with(encoded(TEXT), wide, **switches)
            assert_close(logits, wanted[0], 1e-4)
            if len(switches) == 1:
                np.testing.assert_allclose(logits, wanted[0], rtol=0, atol=1e-4)
            np.testing.assert_allclose(weights, wanted[1], atol=1e-4)
            above = np.triu(np.ones(weights.shape[-2:], dtype=bool), 1)
            assert weights[..., above].any() == (switches.get("mask") is False)
