"""The questions of `qkv`: their answers are true of arrays, and each wrong choice is named."""

from functools import partial

import numpy as np
import pytest

from course_attn.exercises import catalog, check
from course_attn.in_numpy.qkv import attention

KEEPS, LOOKS, SCORES = "keeps_the_output", "possible_looks", "possible_scores"


@pytest.mark.parametrize(
    ("name", "letters"),
    [(KEEPS, "abcdefgh"), (LOOKS, "abcdefgh"), (SCORES, "abcdefg")],
)
def test_every_wrong_choice_has_a_sentence_of_its_own(name, letters):
    right = set(catalog.find(name).solution())
    said = set()
    for letter in letters:
        result = check(partial(set, right ^ {letter}), name)
        assert result.faults == (
            letter if letter not in right else f"{letter}-missing",
        )
        said.add(str(result))
    assert len(said) == len(letters)


# --- keeps_the_output -----------------------------------------------------------------------------


def changed(letter, X, Z, W_Q, W_K, W_V, u):
    """Return the output after one of the changes."""
    if letter == "a":
        X = X[::-1]
    if letter in "bfg":
        Z = {"b": Z[::-1], "f": Z.repeat(2, axis=0), "g": np.vstack([Z[:1], Z])}[
            letter
        ]
    if letter == "e":
        W_Q, W_K = 2 * W_Q, W_K / 2
    Q, K, V = X @ W_Q, Z @ W_K, Z @ W_V
    if letter in "cdh":
        Q, K, V = (
            A + u * (letter == at) for A, at in zip((Q, K, V), "dch", strict=True)
        )
    return attention(Q, K, V, scale=1.0)


@pytest.mark.parametrize("letter", "abcdefgh")
def test_changes_keep_the_output_as_claimed(letter):
    draw = np.random.default_rng(0).standard_normal
    for _ in range(20):
        X, Z, u = draw((4, 3)), draw((7, 3)), draw(2)
        given = X, Z, draw((3, 2)), draw((3, 2)), draw((3, 2)), u
        difference = np.abs(changed(letter, *given) - changed("-", *given)).max()
        keeps = letter in catalog.find(KEEPS).solution()
        assert difference < 1e-12 if keeps else difference > 1e-4


# --- possible_looks -------------------------------------------------------------------------------

PATTERNS = {
    "a": (1, 0),
    "b": (1, 1),
    "c": (1, 2, 2),
    "d": (1, 2, 0),
    "e": (1, 0),
    "f": (1, 2, 0),
    "g": (1, 2, 0),
    "h": (1, 0),
}
EXAMPLES = {  # queries and keys, as the sentences have them
    "b": ([[1], [2]], [[1], [2]]),
    "c": ([[1, 0], [2, 2], [0, 5]], [[1, 0], [2, 2], [0, 5]]),
    "e": ([[1, 0], [0, 1]], [[0, 1], [1, 0]]),
    "h": ([[1], [-1]], [[-1], [1]]),
}


def drawn(letter, n, rng):
    """Draw 20,000 matrices of scores under a pattern's condition."""
    if letter in "abcd":
        Q = rng.standard_normal((20_000, n, 2))
        return Q @ Q.mT
    if letter in "ef":
        X, M = (
            rng.standard_normal((20_000, n, 3)),
            rng.standard_normal((20_000, 3, 3)),
        )
        return X @ (M + M.mT) @ X.mT
    Q, K = rng.standard_normal((2, 20_000, n, 1))
    return Q @ K.mT


@pytest.mark.parametrize("letter", PATTERNS)
def test_looks_are_possible_as_claimed(letter):
    looks = PATTERNS[letter]
    S = drawn(letter, len(looks), np.random.default_rng(0))
    occurs = (S.argmax(axis=-1) == looks).all(axis=-1)
    possible = letter in catalog.find(LOOKS).solution()
    assert occurs.any() == possible == (letter in EXAMPLES)
    if possible:
        Q, K = map(np.array, EXAMPLES[letter])
        S = Q @ K.T
        others = np.where(np.eye(len(S), dtype=bool)[list(looks)], -np.inf, S)
        assert (S[range(len(S)), looks] > others.max(axis=1)).all()
        assert (S == S.T).all() or letter == "h"


# --- possible_scores ------------------------------------------------------------------------------


def test_c_of_possible_scores_is_built_as_in_the_converse_of_the_theorem():
    S = np.array([[1.0, 2.0], [2.0, 5.0]])
    eigenvalues, columns = np.linalg.eigh(S)
    assert (eigenvalues > 0).all()
    Q = columns * eigenvalues**0.5
    assert np.allclose(Q @ Q.T, S)
    Q = np.array([[1.0, 0.0], [2.0, 1.0]])
    assert (Q @ Q.T == S).all()
    x = np.random.default_rng(0).standard_normal((50, 2))
    squares = (x[:, 0] + 2 * x[:, 1]) ** 2 + x[:, 1] ** 2
    assert np.allclose(np.einsum("ni,ij,nj->n", x, S, x), squares)


def test_g_of_possible_scores_has_the_queries_and_keys_that_are_named():
    Q, K = np.array([[1, 0], [0, 1]]), np.array([[0, 1], [-1, 0]])
    assert (Q @ K.T == [[0, -1], [1, 0]]).all()
