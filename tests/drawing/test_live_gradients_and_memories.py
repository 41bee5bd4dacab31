"""Gradients to open, heads to sharpen, a memory to damage: without scripts, and bad arguments."""

import re

import numpy as np
import pytest
from scipy.ndimage import correlate

from course_attn import in_numpy
from course_attn.chapters.gradients.widgets.row_term import row_term
from course_attn.chapters.perspective.widgets.hopfield_memory import hopfield_memory
from course_attn.chapters.perspective.widgets.soft_convolution import (
    soft_convolution,
)
from tests.drawing.test_lab import Reader, data_of, numbers

S = [[0.0, 2.0, -1.0], [1.0, 0.5, 3.0]]
D = [[4.0, -2.5, 1.0], [-1.0, 0.0, 2.0]]
IMAGE = np.random.default_rng(0).uniform(size=(4, 5)).round(3)
EDGE = [[-1, -1, -1], [-1, 8, -1], [-1, -1, -1]]
UP = [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
PATTERNS = np.where(np.random.default_rng(1).normal(size=(6, 64)) > 0, 1.0, -1.0)
MAKE = {
    "row_term": lambda: row_term(S, D, ["the", "cat"], ["a", "b", "c"]),
    "soft_convolution": lambda: soft_convolution(IMAGE, {"edge": EDGE, "up": UP}),
    "hopfield_memory": lambda: hopfield_memory(PATTERNS, list("abcdef"), start=2),
}
each = pytest.mark.parametrize("name", MAKE)


@each
def test_a_widget_says_what_to_try_and_asks_nothing_from_any_other_place(name):
    made = MAKE[name]()
    page = made._repr_html_()
    assert repr(made).startswith(f"<{name}: ") and "Try: " in repr(made)
    assert f'data-widget="{name}"' in page and page == MAKE[name]()._repr_html_()
    outside = page.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(
        r"https?:|url\(|@import|\bfetch\b|innerHTML|@param", outside
    )


@pytest.mark.parametrize("token", ["<b>", "</script>", '"', "&amp;", "<!--"])
def test_names_are_shown_as_text_and_never_as_markup(token):
    for make in (
        lambda t: row_term(S, D, ["the", t], ["a", "b", t]),
        lambda t: soft_convolution(IMAGE, {t: EDGE}),
        lambda t: hopfield_memory(PATTERNS[:2], ["a", t]),
    ):
        html, plain = make(token)._repr_html_(), make("x")._repr_html_()
        assert Reader(html).tags == Reader(plain).tags


def test_row_term_without_its_script_is_four_tables():
    made = MAKE["row_term"]()
    tables = Reader(made._repr_html_()).tables
    assert list(tables) == ["S", "A = softmax(S)", "dA", "dS"]
    assert tables["dA"][0] == ["", "a", "b", "c"] and tables["dS"][2][0] == "cat"
    A = in_numpy.softmax(np.array(S))
    wanted = {"S": S, "A = softmax(S)": A, "dA": D}
    wanted["dS"] = in_numpy.softmax_backward(A, np.array(D))
    for name, array in wanted.items():
        np.testing.assert_allclose(numbers(tables[name]), array, atol=0.00501)
    data = data_of(made)
    assert (
        data["scores"] == S and data["gradients"] == D and data["picked"] == [0, 0]
    )


def test_soft_convolution_without_its_script_is_a_table_of_errors():
    made = MAKE["soft_convolution"]()
    ((_, table),) = Reader(made._repr_html_()).tables.items()
    kinds = ["continued", "zeros"]
    assert table[0] == ["", *(f"{k}, {b}" for k in ("edge", "up") for b in kinds)]
    assert [row[0] for row in table[1:]] == [
        f"α = {a}" for a in (0.5, 1, 2, 4, 8, 16)
    ]
    for row, alpha in zip(numbers(table), (0.5, 1, 2, 4, 8, 16), strict=True):
        wanted = []
        for kernel in (np.array(EDGE, float), np.array(UP, float)):
            total = sum(
                kernel[a, b]
                * in_numpy.softmax(
                    in_numpy.relative_position_scores(
                        4, 5, (a - 1, b - 1), sharpness=alpha
                    )
                )
                @ IMAGE.ravel()
                for a, b in np.ndindex(3, 3)
            )
            for mode in ("nearest", "constant"):
                exact = correlate(IMAGE, kernel, mode=mode)
                wanted.append(np.abs(total.reshape(4, 5) - exact).max())
        np.testing.assert_allclose(row, wanted, rtol=0.06, atol=0.00501)
    # Against a continued border errors fall to nothing, against zeros they stay.
    last = numbers(table)[-1]
    assert last[0] < 1e-5 < 0.1 < last[1] and last[2] < 1e-5 < 0.1 < last[3]


def test_hopfield_memory_without_its_script_is_a_table_of_weights():
    made = MAKE["hopfield_memory"]()
    ((caption, table),) = Reader(made._repr_html_()).tables.items()
    assert "upper half of “c”" in caption and table[0] == ["", *"abcdef", "wrong"]
    half = PATTERNS[[2]].copy()
    half[:, 32:] = 0
    for row in table[1:-1]:
        beta = float(row[0].removeprefix("β = "))
        weights = in_numpy.attention_weights(half, PATTERNS, scale=beta)[0]
        np.testing.assert_allclose(
            [float(x) for x in row[1:-1]], weights, atol=0.00501
        )
        state = in_numpy.hopfield_update(PATTERNS, half, beta=beta)[0]
        assert int(row[-1]) == (np.sign(state) != PATTERNS[2]).sum()
    assert [row[0] for row in table[1:]] == [
        "β = 0.01",
        "β = 0.125",
        "β = 1",
        "classical",
    ]
    assert table[3][-1] == "0" and table[4][1:7] == [""] * 6
    # Ten patterns are too many for a classical network, whose diagonal is 0.
    many = np.where(np.random.default_rng(1).normal(size=(10, 64)) > 0, 1.0, -1.0)
    W, state = many.T @ many, np.repeat([1.0, 0.0], 32) * many[3]
    np.fill_diagonal(W, 0)
    for _ in range(99):
        for f in range(64):
            state[f] = 1.0 if W[f] @ state >= 0 else -1.0
    assert (np.where(W @ state >= 0, 1.0, -1.0) == state).all()  # at rest
    shown = hopfield_memory(many, list("abcdefghij"), start=3)
    ((_, table),) = Reader(shown._repr_html_()).tables.items()
    assert int(table[-1][-1]) == (state != many[3]).sum() > 0
    assert data_of(made)["patterns"] == PATTERNS.astype(int).tolist()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: row_term([S], D, ["a"], ["b"]), r"scores must have shape \(n_q, n_k\)"),
        (lambda: row_term(np.zeros((7, 2)), D, ["a"], ["b"]), "scores must have at most 6 rows"),
        (lambda: row_term(S, D[:1], "ab", "abc"), r"d_weights must have shape \(2, 3\)"),
        (lambda: row_term(S, [[np.nan] * 3] * 2, "ab", "abc"), "d_weights must have finite"),
        (lambda: row_term([[11.0]], [[1.0]], ["a"], ["b"]), "scores must be a number from -10"),
        (lambda: row_term([[1.0]], [[101.0]], ["a"], ["b"]), "d_weights must be a number from"),
        (lambda: row_term(S, D, ["a"], ["a", "b", "c"]), "queries must have length 2"),
        (lambda: row_term(S, D, ["a", "b"], "abc"), "keys must be a sequence of str"),
        (lambda: row_term(S, D, ["a", "b"], list("abc"), picked=(0, 3)), "picked must be a row"),
        (lambda: soft_convolution([1.0], {"e": EDGE}), r"image must have shape \(height, width\)"),
        (lambda: soft_convolution(np.zeros((11, 2)), {"e": EDGE}), "image must have at most 10"),
        (lambda: soft_convolution(IMAGE, {}), "kernels must hold at least one"),
        (lambda: soft_convolution(IMAGE, {"e": [[1.0]]}), r"kernels\['e'\] must have shape \(3"),
        (lambda: soft_convolution(IMAGE, {"e": EDGE}, sharpness=-1), "sharpness must be a number"),
        (lambda: soft_convolution(IMAGE, {"e": EDGE}, pixel=(4, 0)), "pixel must be a row"),
        (lambda: hopfield_memory(PATTERNS[:, :63], "abc"), r"patterns must have shape \(n_pat"),
        (lambda: hopfield_memory(PATTERNS[:1], ["a"]), "patterns must have length 2 to 10, got 1"),
        (lambda: hopfield_memory(PATTERNS * 2, list("abcdef")), "patterns must have entries 1 and"),
        (lambda: hopfield_memory(PATTERNS, list("abc")), "names must have length 6"),
        (lambda: hopfield_memory(PATTERNS, list("abcdef"), start=6), "start must be from 0 to 5"),
        (lambda: hopfield_memory(PATTERNS, list("abcdef"), beta=0), "beta must be a number from"),
    ],
)  # fmt: skip
def test_a_widget_names_an_argument_that_does_not_fit(call, message):
    with pytest.raises(ValueError, match=message):
        call()
