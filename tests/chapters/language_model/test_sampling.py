"""The loss and the next token: what is drawn, how often, and from which numbers."""

import warnings
from math import log
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import scipy.stats
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.support.twin_table import convert, in_numpy, public, twin

PROBABILITIES = "language_model.token_probabilities"
SAMPLE = "language_model.sample_logits"
INF, NAN = np.inf, np.nan
LOGITS = np.array([1.0, -INF, 2.5, 0.0, -1.0, 2.5, -3.0])
DRAWS = 20_000


def generator(library: str, seed: int = 0) -> Any:
    """Return a library's own generator."""
    if library == "in_numpy":
        return np.random.default_rng(seed)
    return torch.Generator().manual_seed(seed)


def drawn(library: str, logits: np.ndarray, **options: Any) -> np.ndarray:
    """Return tokens, drawn with the seed 0 if no generator is given."""
    options = {"rng": generator(library)} | options
    return in_numpy(public(library, SAMPLE)(convert(library, logits), **options))


# --- how often ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"temperature": 0.4},
        {"temperature": 3.0},
        {"top_k": 3},
        {"top_p": 0.85},
        {"temperature": 2.0, "top_k": 5, "top_p": 0.9},
    ],
)
def test_tokens_are_drawn_as_often_as_their_probabilities_say(
    options: dict[str, Any], library: str
) -> None:
    """A chi-square test, at a fixed seed; what has no probability is never drawn."""
    probs = twin(library, PROBABILITIES)(LOGITS, **options)
    tokens = drawn(library, np.tile(LOGITS, (DRAWS, 1)), **options)
    assert tokens.dtype == np.int64
    counts = np.bincount(tokens, minlength=len(LOGITS))
    possible = probs > 0
    assert not counts[~possible].any()
    found = scipy.stats.chisquare(counts[possible], DRAWS * probs[possible])
    assert found.pvalue > 1e-3


def test_rows_are_drawn_independently_of_each_other(library: str) -> None:
    """Of two rows with a coin each, all four results come a quarter of the time."""
    pairs = drawn(library, np.zeros((DRAWS, 2, 2)))
    counts = np.bincount(pairs @ [2, 1], minlength=4)
    assert scipy.stats.chisquare(counts).pvalue > 1e-3


def test_equal_generators_draw_the_same_and_each_call_draws_anew(
    library: str,
) -> None:
    logits = np.zeros((50, 7))
    first, second = (drawn(library, logits) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert (drawn(library, logits, rng=generator(library, 1)) != first).any()
    rng = generator(library)
    np.testing.assert_array_equal(drawn(library, logits, rng=rng), first)
    assert (drawn(library, logits, rng=rng) != first).any()


def test_without_a_generator_each_call_draws_anew(library: str) -> None:
    logits = np.zeros((50, 7))
    first, second = (drawn(library, logits, rng=None) for _ in range(2))
    assert (first != second).any()


def test_without_a_generator_pytorchs_own_seed_counts() -> None:
    found = []
    for _ in range(2):
        torch.manual_seed(5)
        found.append(drawn("in_torch", np.zeros((50, 7)), rng=None))
    np.testing.assert_array_equal(*found)


class _Fixed(np.random.Generator):
    """A generator that draws one number only."""

    number = 0.0

    def random(self, size: Any = None, **_: Any) -> np.ndarray:
        return np.full(size, self.number)


@pytest.mark.parametrize(
    ("number", "token"),
    [
        (0.0, 1),
        (0.2499, 1),
        (0.25, 2),
        (0.4999, 2),
        (0.5, 4),
        (1 - 2.0**-53, 4),
    ],
)
def test_the_token_is_the_first_whose_sum_is_more_than_the_number(
    number: float, token: int, library: str
) -> None:
    """Shares 0, 1/4, 1/4, 0, 1/2, 0: the number 0 does not draw the first, nor 1 - eps the last."""
    logits = np.array([-INF, 0, 0, -INF, log(2), -INF])
    rng = _Fixed(np.random.PCG64(0))
    rng.number = number
    if library == "in_numpy":
        assert drawn(library, logits, rng=rng) == token
        return
    same = torch.tensor([number], dtype=torch.float64)
    with patch("torch.rand", lambda *_, **__: same):
        assert drawn(library, logits) == token


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_largest_number_draws_a_token_of_the_vocabulary(
    dtype: str, library: str
) -> None:
    """Whatever the rounded sum of all probabilities is."""
    logits = np.random.default_rng(0).normal(size=(500, 97))
    logits[:, -1] = -INF
    # NumPy draws in float64, whatever the logits are.
    narrow = library == "in_torch" and dtype != "float64"
    largest = 1 - 2.0 ** (-24 if narrow else -53)
    given = convert(library, logits, dtype)
    rng = _Fixed(np.random.PCG64(0))
    rng.number = largest

    def largest_of(shape: Any, **options: Any) -> torch.Tensor:
        return torch.full(shape, largest, dtype=options["dtype"])

    if library == "in_numpy":
        tokens = public(library, SAMPLE)(given, rng=rng)
    else:
        with patch("torch.rand", largest_of):
            tokens = in_numpy(public(library, SAMPLE)(given))
    # The last but one is the last that can come.
    assert (tokens == 95).mean() > 0.9 and tokens.max() == 95


# --- with which probabilities ---------------------------------------------------------------------

rows = arrays(
    float, st.integers(1, 12), elements=st.integers(-6, 6).map(lambda i: i / 2)
)


@given(
    logits=rows,
    temperature=st.sampled_from([0.0, 1e-300, 0.3, 1.0, 4.0]),
    top_p=st.floats(0.01, 1.0),
    data=st.data(),
)
def test_the_fewest_tokens_are_kept_that_reach_p(
    logits: np.ndarray, temperature: float, top_p: float, data: Any, library: str
) -> None:
    """They are the most probable, keep their proportions, and are no more than top_k."""
    top_k = data.draw(st.integers(1, len(logits)))
    function = twin(library, PROBABILITIES)
    options: dict[str, Any] = {"temperature": temperature, "top_k": top_k}
    before, after = (
        function(logits, **options),
        function(logits, top_p=top_p, **options),
    )
    assert (before > 0).sum() <= top_k
    assert before.sum() == pytest.approx(1) == after.sum()
    kept = after > 0
    assert before[kept].sum() >= top_p - 1e-12
    assert before[kept].sum() - before[kept].min() < top_p + 1e-12
    assert before[~kept].max(initial=0) <= before[kept].min()
    np.testing.assert_allclose(after[kept], before[kept] / before[kept].sum())
    assert logits[kept].min() >= logits[~kept & (before > 0)].max(initial=-INF)


def test_a_share_of_one_cuts_nothing(library: str) -> None:
    """1 + 4e-18 is 1 when rounded, and yet the second token may come."""
    function = twin(library, PROBABILITIES)
    probs = function(np.array([0.0, -40.0, -INF]), top_p=1.0)
    assert probs[1] == pytest.approx(np.exp(-40)) and probs[2] == 0
    many = np.random.default_rng(0).normal(size=(3, 1009)) * 9
    np.testing.assert_array_equal(function(many, top_p=1), function(many))


def test_large_vocabularies_are_cut_where_they_should_be(library: str) -> None:
    """Of 50,000 tokens alike, the first 30 %."""
    probs = twin(library, PROBABILITIES)(np.zeros(50_000), top_p=0.3)
    n_kept = int((probs > 0).sum())
    assert abs(n_kept - 15_000) <= 1
    assert probs[:n_kept].all()


# --- edges, without a warning ---------------------------------------------------------------------

QUIET = {
    "no place counts": (
        "language_model.cross_entropy",
        {"logits": [[1.0, 2.0]], "targets": [-100]},
        NAN,
    ),
    "no place": (
        "language_model.cross_entropy",
        {"logits": np.zeros((2, 0, 3)), "targets": np.zeros((2, 0), int)},
        NAN,
    ),
    "an impossible token": (
        "language_model.cross_entropy",
        {"logits": [[-INF, 2.0]], "targets": [0]},
        INF,
    ),
    "no logit is finite": (PROBABILITIES, {"logits": [-INF, -INF]}, [NAN] * 2),
    "infinite": (PROBABILITIES, {"logits": [INF, 0.0]}, [NAN] * 2),
    "a tiny temperature": (
        PROBABILITIES,
        {"logits": [-1e9, 0.0, -INF], "temperature": 1e-300},
        [0, 1, 0],
    ),
    "greedy": (
        PROBABILITIES,
        {"logits": [-1e9, -INF, 0.0], "temperature": 0},
        [0, 0, 1],
    ),
    "drawn from nothing": (SAMPLE, {"logits": [-INF, -INF]}, 0),
}


@pytest.mark.parametrize("edge", QUIET)
def test_edges_give_what_the_docstrings_say_and_no_warning(
    edge: str, library: str
) -> None:
    function, arguments, wanted = QUIET[edge]
    given = {
        name: value
        if isinstance(value, int | float)
        else convert(library, np.array(value))
        for name, value in arguments.items()
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = public(library, function)(**given)
    np.testing.assert_array_equal(in_numpy(found), wanted)


@pytest.mark.parametrize("n_vocab", [1, 2, 96])
def test_even_predictions_cost_the_logarithm_of_the_vocabulary(
    n_vocab: int, library: str
) -> None:
    targets = np.arange(n_vocab)
    loss = twin(library, "language_model.cross_entropy")
    assert loss(np.full((n_vocab, n_vocab), 3.0), targets) == pytest.approx(
        log(n_vocab)
    )
