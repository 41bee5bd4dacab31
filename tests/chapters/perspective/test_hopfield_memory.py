"""`hopfield_memory`: what it holds without its script, and refusals."""

import numpy as np
import pytest

from course_attn import in_numpy
from course_attn.chapters.perspective.widgets.hopfield_memory import hopfield_memory
from tests.support.output import Reader, data_of, numbers

MANY = np.where(np.random.default_rng(1).normal(size=(10, 64)) > 0, 1.0, -1.0)
PATTERNS = MANY[:6]
NAMES = list("abcdefghij")
EXAMPLES = {"hopfield_memory": lambda: hopfield_memory(MANY, NAMES, start=3)}


def named(name):
    return hopfield_memory(PATTERNS[:2], ["a", name])


def half(n):
    """Return the upper half of a pattern."""
    state = MANY[n].copy()
    state[32:] = 0
    return state


def settled(X, state):
    """Return where a classical network comes to rest, whose diagonal is 0."""
    W = X.T @ X
    np.fill_diagonal(W, 0)
    state = state.copy()
    for _ in range(99):
        for f in range(64):
            state[f] = 1.0 if W[f] @ state >= 0 else -1.0
    # At rest: no sign would change.
    assert (np.where(W @ state >= 0, 1.0, -1.0) == state).all()
    return state


def test_hopfield_memory_without_its_script_is_a_table_of_weights():
    made = hopfield_memory(PATTERNS, list("abcdef"), start=2)
    ((caption, table),) = Reader(made).tables.items()
    assert "upper half of “c”" in caption and table[0] == ["", *"abcdef", "wrong"]
    for row in table[1:-1]:
        beta = float(row[0].removeprefix("β = "))
        weights = in_numpy.attention_weights(half(2)[None], PATTERNS, scale=beta)[0]
        np.testing.assert_allclose(numbers(row[1:-1]), weights, atol=0.00501)
        state = in_numpy.hopfield_update(PATTERNS, half(2)[None], beta=beta)[0]
        assert int(row[-1]) == (np.sign(state) != PATTERNS[2]).sum()
    rows = ["β = 0.01", "β = 0.125", "β = 1", "classical"]
    assert [row[0] for row in table[1:]] == rows
    assert table[3][-1] == "0" and table[4][1:7] == [""] * 6
    # Ten patterns are too many for a classical network.
    table = Reader(EXAMPLES["hopfield_memory"]()).table
    assert int(table[-1][-1]) == (settled(MANY, half(3)) != MANY[3]).sum() > 0
    assert data_of(made)["patterns"] == PATTERNS.astype(int).tolist()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: hopfield_memory(PATTERNS[:, :63], "abc"), r"patterns must have shape \(n_pat"),
        (lambda: hopfield_memory(PATTERNS[:1], ["a"]), "patterns must have length 2 to 10, got 1"),
        (lambda: hopfield_memory(PATTERNS * 2, list("abcdef")), "patterns must have entries 1 and"),
        (lambda: hopfield_memory(PATTERNS, list("abc")), "names must have length 6"),
        (lambda: hopfield_memory(PATTERNS, list("abcdef"), start=6), "start must be from 0 to 5"),
        (lambda: hopfield_memory(PATTERNS, list("abcdef"), beta=0), "beta must be a number from"),
    ],
)  # fmt: skip
def test_hopfield_memory_names_an_argument_that_does_not_fit(call, message):
    with pytest.raises(ValueError, match=message):
        call()
