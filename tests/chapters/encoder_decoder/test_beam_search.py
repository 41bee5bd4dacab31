"""What the search promises, with any model."""

from itertools import product
from math import inf, log
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chapters.encoder_decoder.cases import beams_by_lists
from tests.support.comparison import assert_close
from tests.support.twin_table import Lookup, public, twin

END = 0


def model(n_vocab: int, seed: int, *, impossible: float = 0.0) -> Lookup:
    """Draw a model of the next token, some of whose tokens are impossible."""
    rng = np.random.default_rng([seed, n_vocab])
    odds = rng.exponential(size=(7, n_vocab, n_vocab))
    odds[rng.random(odds.shape) < impossible] = 0
    # The end always has some share, so that there is one sequence at least.
    odds[..., END] += 0.01
    with np.errstate(divide="ignore"):
        return Lookup(np.log(odds / odds.sum(axis=-1, keepdims=True)))


def search(library: str, step: Any, **options: Any) -> tuple[list[Any], np.ndarray]:
    """Return the sequences up to their ends, as lists, and the scores."""
    options = {"end": END, "n_beams": 2, "start": np.array([1])} | options
    rows, scores = twin(library, "encoder_decoder.beam_search")(step, **options)
    found = []
    for row in rows.tolist():
        n = row.index(END) + 1 if END in row else len(row)
        assert set(row[n:]) <= {END}
        found.append(row[:n])
    return found, scores


def by_library(library: str, step: Any) -> Any:
    """Return a step that gives the library's arrays, from one that gives NumPy's."""

    def converted(prefixes: Any) -> Any:
        found = step(np.array(prefixes.tolist()))
        return found if library == "in_numpy" else torch.from_numpy(found)

    return converted


def all_sequences(
    step: Lookup, n_vocab: int, n_max: int, power: float = 0.0
) -> list[tuple[float, list[int]]]:
    """Give every sequence of probability above 0, with its score, the best first."""
    found = []
    for n in range(1, n_max + 1):
        for tokens in product(range(n_vocab), repeat=n):
            is_whole = END not in tokens[:-1] and (tokens[-1] == END or n == n_max)
            if is_whole:
                read = [1, *tokens]
                total = sum(
                    step(np.array([read[: i + 1]]))[0, token]
                    for i, token in enumerate(tokens)
                )
                if total > -inf:
                    found.append((float(total) / n**power, list(tokens)))
    return sorted(found, reverse=True)


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.6, 1.0, 3.0]))
def test_beam_search_with_as_many_beams_as_sequences_is_exact(
    library: str, seed: int, power: float
) -> None:
    """By enumeration; only tokens 0 to 3 of 80 are possible, so that there are 61 sequences."""
    step = model(4, seed, impossible=0.1)
    wide = np.full((7, 80, 80), -inf)
    wide[:, :4, :4] = step.table
    wanted = all_sequences(step, 4, 4, power)
    assert len(wanted) <= 1 + 3 + 9 + 4 * 27
    found, scores = search(
        library, Lookup(wide), n_beams=80, n_max=4, length_penalty=power
    )
    best = wanted[:80]
    assert_close(scores, np.array([score for score, _ in best]), 1e-12)
    assert found == [tokens for _, tokens in best]


def test_beam_search_misses_the_best_where_it_is_narrow(library: str) -> None:
    """0.6 then at most 0.3, against 0.4 then 0.9: one beam never looks at the second."""
    table = np.log(
        np.array([[0.1, 0.8, 0.1], [0.0001, 0.4, 0.5999], [0.3, 0.4, 0.3]])
    )
    table = np.stack([table, table])
    table[1, 1] = np.log([0.9, 0.05, 0.05])
    (greedy, *_), (low, *_) = search(library, Lookup(table), n_beams=1, n_max=2)
    (best, *_), (high, *_) = search(library, Lookup(table), n_beams=2, n_max=2)
    assert greedy == [2, 1] and best == [1, 0]
    assert low == pytest.approx(log(0.5999 * 0.4))
    assert high == pytest.approx(log(0.4 * 0.9))


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(2, 6), st.sampled_from([0.0, 0.7, 2.0]))
def test_beam_search_with_one_beam_is_greedy(
    library: str, seed: int, n_vocab: int, power: float
) -> None:
    step = model(n_vocab, seed, impossible=0.2)
    tokens, total = [1], 0.0
    while len(tokens) <= 9 and END not in tokens[1:]:
        row = step(np.array([tokens]))[0]
        tokens.append(int(row.argmax()))
        total += row.max()
    (found,), scores = search(
        library, step, n_beams=1, n_max=9, length_penalty=power
    )
    assert found == tokens[1:]
    assert_close(scores, np.array([total / len(found) ** power]), 1e-12)


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(1, 5), st.sampled_from([0.0, 0.7, 2.0]))
def test_beam_search_gives_scores_of_its_sequences_best_first(
    library: str, seed: int, n_beams: int, power: float
) -> None:
    step = model(5, seed, impossible=0.3)
    found, scores = search(
        library, step, n_beams=n_beams, n_max=6, length_penalty=power
    )
    assert 1 <= len(found) <= n_beams
    assert len({tuple(tokens) for tokens in found}) == len(found)
    assert (np.diff(scores) <= 0).all()
    for tokens, score in zip(found, scores, strict=True):
        read = [1, *tokens]
        steps = [
            step(np.array([read[: i + 1]]))[0, t] for i, t in enumerate(tokens)
        ]
        assert score == pytest.approx(sum(steps) / len(tokens) ** power)
        assert tokens[-1] == END or len(tokens) == 6


def test_beam_search_never_extends_what_is_finished(library: str) -> None:
    """The end is likely at each step, and what follows it would be certain."""
    table = np.full((1, 3, 3), log(0.25))
    table[0, :, END] = log(0.5)
    table[0, END] = [-inf, -inf, 0.0]
    asked = []

    def step(prefixes: np.ndarray) -> np.ndarray:
        asked.extend(row[1:] for row in prefixes.tolist())
        return Lookup(table)(prefixes)

    search(library, by_library(library, step), n_beams=3, n_max=5)
    assert asked and not any(END in tokens for tokens in asked)


def test_beam_search_is_shorter_without_a_penalty(library: str) -> None:
    """The bias: each token costs, so that the end right away beats ten good tokens."""
    table = np.log(np.array([[[0.9, 0.1], [0.1, 0.9]]]))
    ends = table.copy()
    ends[0, 1] = np.log([0.4, 0.6])
    for power, length in ((0.0, 1), (1.0, 10)):
        (best, *_), _ = search(
            library, Lookup(ends), n_beams=2, n_max=10, length_penalty=power
        )
        assert len(best) == length


def test_beam_search_stops_when_nothing_better_can_come(library: str) -> None:
    """The best two are known after two steps; a search to the end would ask 1000 times."""
    table = np.log(np.array([[[0.8, 0.1, 0.1], [0.8, 0.1, 0.1], [0.8, 0.1, 0.1]]]))
    steps = []

    def step(prefixes: np.ndarray) -> np.ndarray:
        steps.append(len(prefixes))
        return Lookup(table)(prefixes)

    found, _ = search(library, by_library(library, step), n_beams=2, n_max=1000)
    assert found == [[0], [1, 0]] and len(steps) == 2


@settings(max_examples=60)
@given(
    st.integers(0, 10**6),
    st.integers(2, 4),
    st.sampled_from([0.0, 0.7, 1.0, 3.0]),
    st.sampled_from([0.3, 1.0, 3.0]),
)
def test_beam_search_loses_nothing_by_stopping(
    library: str, seed: int, n_beams: int, power: float, likely: float
) -> None:
    """Against a search to the last step, with ends of several likelihoods."""
    # Sharp, so that good prefixes and bad ones live side by side.
    table = 4 * model(4, seed).table
    table[..., END] += log(likely)
    table -= np.log(np.exp(table).sum(axis=-1, keepdims=True))
    options = {"n_beams": n_beams, "n_max": 9, "length_penalty": power}
    rows, scores = beams_by_lists(Lookup(table), np.array([1]), end=END, **options)
    given_back = twin(library, "encoder_decoder.beam_search")(
        by_library(library, Lookup(table)), np.array([1]), end=END, **options
    )
    assert_close(given_back, (rows, scores), 1e-12)


def test_beam_search_says_where_it_was_cut(library: str) -> None:
    """The end never comes: after n_max tokens the last one is another."""
    table = np.full((1, 3, 3), log(0.5))
    table[..., END] = -inf
    found, scores = search(library, Lookup(table), n_beams=3, n_max=4)
    assert [len(tokens) for tokens in found] == [4, 4, 4]
    assert all(tokens[-1] != END for tokens in found)
    assert_close(scores, np.full(3, 4 * log(0.5)), 1e-12)


def test_beam_search_takes_the_first_of_equals(library: str) -> None:
    """All are alike: the beams are the smallest tokens behind the smallest prefixes."""
    table = np.full((1, 4, 4), log(1 / 3))
    table[..., END] = -inf
    found, _ = search(library, Lookup(table), n_beams=4, n_max=3)
    assert found == [[1, 1, 1], [1, 1, 2], [1, 1, 3], [1, 2, 1]]


def test_beam_search_leaves_a_dead_end(library: str) -> None:
    """Behind the likelier token nothing is possible."""
    table = np.log(
        np.array([[[0.5, 0.25, 0.25], [1e-9, 0.4, 0.6], [1.0, 1.0, 1.0]]])
    )
    table[0, 2] = -inf
    table[0, 1, 0] = log(0.1)
    found, scores = search(library, Lookup(table), n_beams=2, n_max=2)
    assert found == [[1, 2], [1, 1]]
    assert_close(scores, np.log([0.24, 0.16]), 1e-12)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_beam_search_scores_have_the_dtype_of_the_log_probabilities(
    library: str, dtype: str
) -> None:
    """They are added up in 32 bits, at least: 3,000 steps of 0.01 are 30."""
    table = np.full((1, 2, 2), -0.01).astype(dtype)
    table[..., END] = -inf
    step = Lookup(torch.from_numpy(table) if library == "in_torch" else table)
    start = torch.tensor([1]) if library == "in_torch" else np.array([1])
    tokens, scores = public(library, "encoder_decoder.beam_search")(
        step, start, n_beams=1, end=END, n_max=3000
    )
    assert str(scores.dtype).removeprefix("torch.") == dtype
    assert float(scores[0]) == pytest.approx(-30, rel=2e-3)
    assert tokens.dtype == start.dtype


def test_beam_search_keeps_the_dtype_of_the_start(library: str) -> None:
    step = model(3, 0)
    for name in ("int8", "int32"):
        start = np.array([1], name)
        given: Any = start if library == "in_numpy" else torch.from_numpy(start)

        tokens, _ = public(library, "encoder_decoder.beam_search")(
            by_library(library, step), given, n_beams=2, end=END, n_max=5
        )
        assert str(tokens.dtype).removeprefix("torch.") == name


@pytest.mark.without_hook
def test_beam_search_refuses_a_step_that_gives_no_array_of_the_library(
    library: str,
) -> None:
    call = public(library, "encoder_decoder.beam_search")
    options = {"n_beams": 1, "end": END, "n_max": 2}
    start: Any = np.array([1])
    if library == "in_torch":
        start = torch.from_numpy(start)
    with pytest.raises(TypeError, match="log_probs_of_step must be a"):
        call(lambda prefixes: [[0.0]], start, **options)
    with pytest.raises(TypeError, match="log_probs_of_step must be floating-point"):
        call(lambda prefixes: prefixes, start, **options)
