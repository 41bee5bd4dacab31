"""The language model in JavaScript, `gpt.js`, gives what course_attn.in_numpy gives."""

import re
import shutil
from math import erf
from typing import Any

import numpy as np
import pytest

from book._parts.writing.writing import model_script
from course_attn import in_numpy
from course_attn.in_numpy.language_model import _NAMES
from course_attn.weights import load
from tests.site.bare import path_of
from tests.site.chromium import needs_chromium
from tests.support.comparison import assert_close
from tests.support.loops import for_each
from tests.support.scripts import bundled
from tests.support.twin_table import Case, named, twin
from tests.twins.cases import BY_HAND, CASES

pytestmark = needs_chromium

NAMES = re.findall(
    r"^export (?:function|const) (\w+)",
    (path_of("gpt.js")).read_text("utf-8"),
    re.M,
)
KEPT = load("gpt")
N_HEADS = KEPT.config["n_heads"]
TEXT = 'The "assert" statement is a conv'

# A run of the model, with the rows of its weights filled up with zeros.
_RUN = """([tokens, params, options, prefix]) => {
  const all = params ? Object.fromEntries(Object.entries(params).map(
    ([name, flat]) => [name, Float64Array.from(flat)])) : calls.unpacked(courseModel);
  const before = prefix ? calls.gpt(prefix, all, options) : undefined;
  const run = calls.gpt(tokens, all, options, before);
  const full = (row) => Array.from({length: tokens.length}, (_, j) => row[j] ?? 0);
  return {logits: run.logits.map((row) => [...row]),
    weights: run.weights.map((heads) => heads.map((rows) => rows.map(full)))};
}"""


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    """A page that has the functions of gpt.js."""
    folder = tmp_path_factory.mktemp("gpt")
    shutil.copy(path_of("gpt.js"), folder)
    entry = folder / "entry.js"
    entry.write_text(
        f'import {{{", ".join(NAMES)}}} from "./gpt.js";\n'
        f"Object.assign(window, {{calls: {{{', '.join(NAMES)}}}}});\n"
    )
    opened = browser.new_page()
    opened.add_script_tag(content=bundled(entry))
    opened.add_script_tag(content=model_script(KEPT))
    yield opened
    opened.close()


def run(
    page: Any,
    tokens: np.ndarray,
    params: dict[str, np.ndarray] | None = None,
    *,
    prefix: np.ndarray | None = None,
    **options: Any,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the logits and all weights that the page finds, by default in the kept model."""
    flat = params and {name: a.ravel().tolist() for name, a in params.items()}
    start = None if prefix is None else prefix.tolist()
    found = page.evaluate(_RUN, [tokens.tolist(), flat, options, start])
    return np.array(found["logits"]), np.array(found["weights"])


def cases(name: str) -> list[Case]:
    path = f"language_model.{name}"
    return [case for case in CASES + BY_HAND if case.function == path]


def each_row(array: np.ndarray) -> list[Any]:
    """Return the rows along the last axis as lists."""
    return array.reshape(-1, array.shape[-1]).tolist() if array.size else []


def call(page: Any, name: str, *arguments: Any) -> Any:
    return page.evaluate(f"(given) => calls.{name}(...given)", list(arguments))


# --- the tables of the other twins ----------------------------------------------------------------


def test_the_model_runs_through_the_tables_of_the_twins(page):
    for case in cases("gpt"):
        with named(case):
            if not case.arrays["tokens"].size:
                continue  # the page asks for a character at least
            params, n_heads = case.options["params"], case.options["n_heads"]
            wanted = twin("in_numpy", case.function)(**case.arrays, **case.options)
            texts = each_row(case.arrays["tokens"])
            rows = wanted.reshape(-1, *wanted.shape[-2:])
            for tokens, logits in zip(texts, rows, strict=True):
                found, _ = run(page, np.array(tokens), params, n_heads=n_heads)
                assert_close(found, logits, 1e-10)


def test_the_probabilities_run_through_the_tables_of_the_twins(page):
    for case in cases("token_probabilities"):
        with named(case):
            wanted = twin("in_numpy", case.function)(**case.arrays, **case.options)
            found = [
                call(page, "token_probabilities", row, case.options)
                for row in each_row(case.arrays["logits"])
            ]
            assert_close(np.array(found).reshape(wanted.shape), wanted, 1e-12)


def test_the_loss_runs_through_the_tables_of_the_twins(page):
    for case in cases("cross_entropy"):
        with named(case):
            wanted = twin("in_numpy", case.function)(**case.arrays, **case.options)
            rows, targets = (case.arrays[name] for name in ("logits", "targets"))
            found = call(
                page,
                "cross_entropy",
                each_row(rows),
                targets.ravel().tolist(),
                case.options,
            )
            found = np.nan if found is None else found
            assert_close(np.array(float(found)), wanted, 1e-12)


@for_each("u", [0.0, 0.2, 0.4999, 0.5, 0.75, 0.9, 0.999999])
def test_a_number_draws_the_same_token(page, u):
    class Given(np.random.Generator):
        def random(self, size):
            return np.full(size, u)

    logits = np.log([0.25, 0.25, 0.4, 0.1])
    options = {"temperature": 0.8, "top_p": 0.8}
    probs = in_numpy.token_probabilities(logits, **options)
    wanted = in_numpy.sample_logits(logits, **options, rng=Given(np.random.PCG64()))
    assert call(page, "drawn", probs.tolist(), u) == wanted


def test_what_can_never_be_drawn_is_not_drawn(page):
    assert call(page, "drawn", [0, 0.5, 0.5, 0], 1) == 2
    assert call(page, "drawn", [0, 0.5, 0.5, 0], 0) == 1


# --- its parts ------------------------------------------------------------------------------------


def test_the_error_function_is_exact(page):
    xs = [*np.linspace(-7, 7, 281).tolist(), 1e-9, -1e-300, 5.99, 6.01, 40.0]
    found = page.evaluate("(xs) => xs.map(calls.erf)", xs)
    np.testing.assert_allclose(found, [erf(x) for x in xs], rtol=1e-13, atol=1e-15)


def test_gelu_runs_through_the_tables_of_the_twins(page):
    for case in CASES + BY_HAND:
        if case.function != "block.gelu":
            continue
        X = case.arrays["X"].ravel()
        given = str(X.tolist()).replace("inf", "Infinity").replace("nan", "NaN")
        found = page.evaluate(f"{given}.map(calls.gelu).map(String)")
        numbers = [float(text.replace("Infinity", "inf")) for text in found]
        assert_close(np.array(numbers), twin("in_numpy", case.function)(X=X), 1e-12)


def test_halves_are_read_as_numpy_reads_them(page):
    every = np.arange(2**16, dtype=np.uint16)
    found = page.evaluate(
        "(bits) => [...calls.fromHalves(Uint16Array.from(bits))].map(String)",
        every.tolist(),
    )
    numbers = [float(text.replace("Infinity", "inf")) for text in found]
    np.testing.assert_array_equal(numbers, every.view(np.float16).astype(float))


@for_each(("n", "first"), [(1, 0), (16, 0), (17, 9), (25, 9), (26, 18), (35, 27)])
def test_what_is_seen_of_a_long_text_is_what_generate_sees(page, n, first):
    assert call(page, "firstSeen", n, 16) == first
    assert 1 <= n - first <= 16


@for_each("n_context", [1, 2, 5, 8])
def test_the_context_is_cut_where_generate_cuts_it(page, n_context):
    first = 0
    for n in range(1, 40):
        # As in course_attn.in_torch.generate, before the next token is drawn.
        if n - first > n_context:
            first = n - (n_context + 1) // 2
        assert call(page, "firstSeen", n, n_context) == first


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
        p = {name: params[start + entry] for entry, name in _NAMES.items()}
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


@for_each("switches", SWITCHES)
def test_a_small_model_is_that_of_numpy_whatever_is_switched_off(page, switches):
    tokens, params = SMALL.arrays["tokens"], SMALL.options["params"]
    options = {"n_heads": SMALL.options["n_heads"], **switches}
    found = run(page, tokens, params, **options)
    wanted = in_numpy_with(tokens, params, **options)
    for one, other in zip(found, wanted, strict=True):
        assert_close(one, other, 1e-10)
    if switches:
        whole = in_numpy_with(tokens, params, n_heads=options["n_heads"])
        assert not np.allclose(found[0], whole[0])


@for_each("switches", SWITCHES)
def test_the_kept_model_is_that_of_numpy_whatever_is_switched_off(page, switches):
    options = {"n_heads": N_HEADS, **switches}
    found = run(page, encoded(TEXT), **options)
    wide = {name: array.astype(float) for name, array in KEPT.params.items()}
    wanted = in_numpy_with(encoded(TEXT), wide, **options)
    assert_close(found[0], wanted[0], 1e-4)
    if not switches:
        np.testing.assert_allclose(found[0], wanted[0], rtol=0, atol=1e-4)
    np.testing.assert_allclose(found[1], wanted[1], atol=1e-4)
    above = np.triu(np.ones(found[1].shape[-2:], dtype=bool), 1)
    assert found[1][..., above].any() == (switches.get("mask") is False)


@for_each("switches", SWITCHES)
def test_an_earlier_text_changes_nothing(page, switches):
    tokens, params = SMALL.arrays["tokens"], SMALL.options["params"]
    options = {"n_heads": SMALL.options["n_heads"], **switches}
    anew = run(page, tokens, params, **options)
    other = np.concatenate([tokens[:3], tokens[:1], tokens[:3]])
    for prefix in (tokens[:-1], tokens[:1], tokens, other):
        again = run(page, tokens, params, prefix=prefix, **options)
        for one, two in zip(anew, again, strict=True):
            np.testing.assert_allclose(one, two, atol=1e-12)
