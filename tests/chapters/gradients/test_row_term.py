"""`row_term`: what it holds without its script, and refusals."""

import numpy as np
import pytest

from course_attn import in_numpy
from course_attn.chapters.gradients.widgets.row_term import row_term
from tests.support.output import Reader, data_of, entries

S = [[0.0, 2.0, -1.0], [1.0, 0.5, 3.0]]
D = [[4.0, -2.5, 1.0], [-1.0, 0.0, 2.0]]
SQUARE = [[-0.33, 3.8, -1.35], [-0.77, -0.16, 0.27], [0.03, -2.39, 0.83]]
D_SQUARE = [[4.33, 4.14, -0.45], [-2.19, -2.59, -0.35], [0.47, -0.64, -1.28]]
WORDS = ["the", "cat", "sat"]
EXAMPLES = {
    "row_term": lambda: row_term(SQUARE, D_SQUARE, WORDS, WORDS, picked=(0, 1))
}


def named(name):
    return row_term(S, D, ["the", name], ["a", "b", name])


def test_row_term_without_its_script_is_four_tables():
    made = row_term(S, D, ["the", "cat"], ["a", "b", "c"])
    tables = Reader(made).tables
    assert list(tables) == ["S", "A = softmax(S)", "dA", "dS"]
    assert tables["dA"][0] == ["", "a", "b", "c"] and tables["dS"][2][0] == "cat"
    A = in_numpy.softmax(np.array(S))
    wanted = {"S": S, "A = softmax(S)": A, "dA": D}
    wanted["dS"] = in_numpy.softmax_backward(A, np.array(D))
    for name, array in wanted.items():
        np.testing.assert_allclose(entries(tables[name]), array, atol=0.00501)
    data = data_of(made)
    assert (
        data["scores"] == S and data["gradients"] == D and data["picked"] == [0, 0]
    )


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
    ],
)  # fmt: skip
def test_row_term_names_an_argument_that_does_not_fit(call, message):
    with pytest.raises(ValueError, match=message):
        call()
