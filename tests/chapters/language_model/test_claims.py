"""What a language model's loss is, how it chooses, and what several processes gain."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from course_attn.costs import data_parallel_speedup
from tests.support.twin_table import twin


def drawn(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def softmaxed(logits: np.ndarray) -> list[float]:
    """Return the softmax of a row, in plain Python numbers."""
    largest = max(logits)
    exps = [math.exp(z - largest) for z in logits]
    return [e / math.fsum(exps) for e in exps]


# --- the loss -------------------------------------------------------------------------------------


@pytest.mark.equation("eq-text-loss")
def test_cross_entropy_is_the_mean_surprise_of_what_came(library: str) -> None:
    logits, targets = 3 * drawn(7, 5), np.array([0, 4, 2, 2, 1, 3, 0])
    surprises = [
        -math.log(softmaxed(row)[t]) for row, t in zip(logits, targets, strict=True)
    ]
    found = twin(library, "language_model.cross_entropy")(logits, targets)
    np.testing.assert_allclose(found, math.fsum(surprises) / 7, rtol=1e-12)


@pytest.mark.equation("eq-text-loss")
def test_cross_entropy_of_the_example_is_five_thirds_of_a_bit(library: str) -> None:
    """Probabilities 1/2, 1/4 and 1/4 of the right answers: 1, 2 and 2 bits."""
    rows = np.array(
        [[1 / 2, 1 / 4, 1 / 8, 1 / 8], [1 / 4] * 4, [1 / 8, 1 / 8, 1 / 4, 1 / 2]]
    )
    found = twin(library, "language_model.cross_entropy")(
        np.log(rows), np.array([0, 3, 2])
    )
    np.testing.assert_allclose(found / math.log(2), 5 / 3, rtol=1e-12)


def text_of(counts: list[int]) -> np.ndarray:
    """Return a text in which token u occurs counts[u] times."""
    return np.repeat(np.arange(len(counts)), counts)


@pytest.mark.equation("eq-gibbs")
@pytest.mark.parametrize("seed", range(20))
def test_no_guess_costs_less_than_the_entropy(seed: int, library: str) -> None:
    """The loss of one guess for all places of a text, against the entropy of its frequencies."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 9, size=6).tolist()
    text = text_of(counts)
    p = np.array(counts) / len(text)
    loss = twin(library, "language_model.cross_entropy")
    logits = np.log(p) + rng.choice([0.01, 0.1, 1.0]) * rng.normal(size=6)
    least = -math.fsum(q * math.log(q) for q in p)
    assert loss(np.tile(logits, (len(text), 1)), text) > least
    truth = loss(np.tile(np.log(p), (len(text), 1)), text)
    np.testing.assert_allclose(truth, least, rtol=1e-12)


@pytest.mark.equation("eq-gibbs")
def test_a_guess_may_leave_something_to_tokens_that_never_come(
    library: str,
) -> None:
    """Over the tokens that come, its numbers sum to less than 1, and it costs more still."""
    text = text_of([2, 3, 5])
    p = np.array([0.2, 0.3, 0.5])
    least = -math.fsum(q * math.log(q) for q in p)
    loss = twin(library, "language_model.cross_entropy")
    for rest in (1e-6, 0.1, 0.9):
        logits = np.log([*(1 - rest) * p, rest])
        assert loss(np.tile(logits, (10, 1)), text) > least


def code_words(q: list[Fraction]) -> list[str]:
    """Build the code of the proof: the first digits of where each interval begins."""
    lengths = [0] * len(q)
    for u, share in enumerate(q):
        while Fraction(1, 2 ** lengths[u]) > share:
            lengths[u] += 1
    words, begin = [""] * len(q), Fraction(0)
    for u in sorted(range(len(q)), key=lengths.__getitem__):
        digits = begin * 2 ** lengths[u]
        assert digits.denominator == 1, (
            "an interval begins at a multiple of its length"
        )
        assert begin + Fraction(1, 2 ** lengths[u]) <= 1
        words[u] = f"{int(digits):0{lengths[u]}b}" if lengths[u] else ""
        begin += Fraction(1, 2 ** lengths[u])
    return words


@pytest.mark.theorem("thm-code-length")
@pytest.mark.parametrize("seed", range(20))
def test_a_guess_gives_a_code_of_its_surprise_rounded_up(
    seed: int, library: str
) -> None:
    """No word begins another; a text is as long as its loss in bits, up to one bit per token."""
    rng = np.random.default_rng(seed)
    parts = rng.integers(1, 50, size=rng.integers(2, 9)).tolist()
    q = [Fraction(part, sum(parts)) for part in parts]
    words = code_words(q)
    for one, other in itertools.permutations(words, 2):
        assert not other.startswith(one)
    for share, word in zip(q, words, strict=True):
        assert len(word) == math.ceil(-math.log2(share) - 1e-12)
    text = rng.integers(len(q), size=200)
    logits = np.log(np.array([float(share) for share in q]))
    loss = twin(library, "language_model.cross_entropy")(
        np.tile(logits, (200, 1)), text
    )
    length = sum(len(words[u]) for u in text) / 200
    assert loss / math.log(2) - 1e-9 <= length < loss / math.log(2) + 1


@pytest.mark.theorem("thm-code-length")
def test_the_truth_is_the_only_best_guess(library: str) -> None:
    """On a grid of guesses for three tokens, the loss is least at the frequencies only."""
    text, steps = text_of([2, 3, 5]), 20
    loss = twin(library, "language_model.cross_entropy")
    found = {}
    for a, b in itertools.product(range(1, steps), repeat=2):
        if a + b < steps:
            q = np.array([a, b, steps - a - b]) / steps
            found[a, b] = float(loss(np.tile(np.log(q), (10, 1)), text))
    best = min(found, key=found.__getitem__)
    assert best == (4, 6)
    others = [value for at, value in found.items() if at != best]
    assert min(others) > found[best] + 1e-3


# --- the table of pairs ---------------------------------------------------------------------------


def pairs_of(text: np.ndarray, n_vocab: int) -> np.ndarray:
    counted = np.zeros((n_vocab, n_vocab))
    for pair, times in Counter(itertools.pairwise(text.tolist())).items():
        counted[pair] = times
    return counted


@pytest.mark.equation("eq-bigram")
def test_the_loss_of_the_table_of_pairs_is_that_of_its_formula(
    library: str,
) -> None:
    text = np.random.default_rng(3).integers(5, size=300)
    counted = pairs_of(text, 5)
    assert counted.min() > 0
    table = counted / counted.sum(axis=1, keepdims=True)
    found = twin(library, "language_model.cross_entropy")(
        np.log(table)[text[:-1]], text[1:]
    )
    terms = [
        counted[t, u] * math.log(counted[t, u] / counted[t].sum())
        for t, u in itertools.product(range(5), repeat=2)
    ]
    np.testing.assert_allclose(found, -math.fsum(terms) / 299, rtol=1e-12)


@pytest.mark.theorem("thm-bigram")
def test_no_other_table_of_pairs_has_a_smaller_loss(library: str) -> None:
    rng = np.random.default_rng(4)
    text = rng.integers(5, size=300)
    counted = pairs_of(text, 5)
    logits = np.log(counted / counted.sum(axis=1, keepdims=True))
    loss = twin(library, "language_model.cross_entropy")
    least = loss(logits[text[:-1]], text[1:])
    for size in (0.01, 0.1, 1.0):
        for _ in range(20):
            other = logits + size * rng.normal(size=(5, 5))
            assert loss(other[text[:-1]], text[1:]) > least


@pytest.mark.theorem("thm-bigram")
def test_a_table_of_triples_can_have_a_smaller_loss(library: str) -> None:
    """The theorem is about models that see one token: 0 0 1 1 0 0 1 1 … needs two."""
    text = np.array([0, 0, 1, 1] * 50)
    loss = twin(library, "language_model.cross_entropy")
    counted = pairs_of(text, 2)
    logits = np.log(counted / counted.sum(axis=1, keepdims=True))
    of_pairs = loss(logits[text[1:-1]], text[2:])
    sure = np.where(
        np.eye(2, dtype=bool), 0.0, -30.0
    )  # the other one than two before
    of_triples = loss(sure[1 - text[:-2]], text[2:])
    assert of_pairs > 0.69 and of_triples < 1e-9


# --- the whole model ------------------------------------------------------------------------------


def small_params(n_layers: int = 2, d: int = 4, n_vocab: int = 6) -> dict:
    """Draw the arrays of a small model."""
    rng = np.random.default_rng(5)
    params = {
        "embedding": rng.normal(size=(n_vocab, d)),
        "positions.P": rng.normal(size=(5, d)),
        "transformer.final_norm.gain": rng.normal(size=d),
        "transformer.final_norm.bias": rng.normal(size=d),
    }
    for layer in range(n_layers):
        shapes = {f"attention.W_{name}": (d, d) for name in "QKVO"}
        shapes |= {
            f"norm_{k}.{what}": (d,) for k in (1, 2) for what in ("gain", "bias")
        }
        shapes |= {"feed_forward.W_1": (d, 3 * d), "feed_forward.b_1": (3 * d,)}
        shapes |= {"feed_forward.W_2": (3 * d, d), "feed_forward.b_2": (d,)}
        for name, shape in shapes.items():
            params[f"transformer.blocks.{layer}.{name}"] = rng.normal(size=shape)
    return params


def normed(x: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
    return gain * (x - x.mean()) / math.sqrt(x.var() + 1e-5) + bias


def row_by_row(tokens: list[int], params: dict, n_heads: int) -> np.ndarray:
    """Compute the logits of eq-gpt one row at a time, with code that the package does not have."""
    X = [
        params["embedding"][t] + params["positions.P"][i]
        for i, t in enumerate(tokens)
    ]
    for layer in itertools.count():
        start = f"transformer.blocks.{layer}."
        if start + "norm_1.gain" not in params:
            break
        p = {
            k.removeprefix(start): v
            for k, v in params.items()
            if k.startswith(start)
        }
        A = [normed(x, p["norm_1.gain"], p["norm_1.bias"]) for x in X]
        Q, K, V = ([x @ p[f"attention.W_{name}"] for x in A] for name in "QKV")
        width = len(Q[0]) // n_heads
        for i in range(len(X)):
            found = []
            for h in range(n_heads):
                of_head = slice(h * width, (h + 1) * width)
                scores = [
                    Q[i][of_head] @ K[j][of_head] / math.sqrt(width)
                    for j in range(i + 1)
                ]
                weights = softmaxed(np.array(scores))
                found.append(sum(w * V[j][of_head] for j, w in enumerate(weights)))
            X[i] = X[i] + np.concatenate(found) @ p["attention.W_O"]
        for i, x in enumerate(X):
            a = normed(x, p["norm_2.gain"], p["norm_2.bias"])
            hidden = a @ p["feed_forward.W_1"] + p["feed_forward.b_1"]
            bent = np.array(
                [z / 2 * (1 + math.erf(z / math.sqrt(2))) for z in hidden]
            )
            X[i] = x + bent @ p["feed_forward.W_2"] + p["feed_forward.b_2"]
    gain, bias = (
        params[f"transformer.final_norm.{what}"] for what in ("gain", "bias")
    )
    return np.array([normed(x, gain, bias) @ params["embedding"].T for x in X])


@pytest.mark.equation("eq-gpt")
def test_gpt_is_embedding_positions_blocks_norm_and_embedding_again(
    library: str,
) -> None:
    params, tokens = small_params(), [3, 0, 5, 5, 1]
    found = twin(library, "language_model.gpt")(np.array(tokens), params, n_heads=2)
    np.testing.assert_allclose(
        found, row_by_row(tokens, params, 2), rtol=1e-9, atol=1e-9
    )


# --- choosing the next token ----------------------------------------------------------------------


@pytest.mark.equation("eq-sampling-temperature")
@pytest.mark.parametrize("temperature", [0.1, 0.5, 1.0, 2.0, 30.0])
def test_a_temperature_divides_the_logits(temperature: float, library: str) -> None:
    logits = 2 * drawn(8)
    exps = [math.exp(z / temperature) for z in logits]
    wanted = [e / math.fsum(exps) for e in exps]
    found = twin(library, "language_model.token_probabilities")(
        logits, temperature=temperature
    )
    np.testing.assert_allclose(found, wanted, rtol=1e-11)


def smallest_set(
    p: np.ndarray, *, top_k: int | None, top_p: float | None
) -> set[int]:
    """Return which tokens are kept, by trying one more until it is enough."""
    kept: list[int] = []
    for u in sorted(range(len(p)), key=lambda u: -p[u]):
        if len(kept) == top_k:
            break
        if top_p is not None and math.fsum(p[w] for w in kept) >= top_p:
            break
        kept.append(u)
    return set(kept)


@pytest.mark.equation("eq-truncated")
@pytest.mark.parametrize(
    "rule",
    [{"top_k": 1}, {"top_k": 3}, {"top_p": 0.3}, {"top_p": 0.8}, {"top_p": 0.99}],
)
def test_what_a_rule_keeps_is_divided_by_its_sum(rule: dict, library: str) -> None:
    logits = 2 * drawn(8, seed=1)
    p = np.array(softmaxed(logits))
    kept = smallest_set(p, **({"top_k": None, "top_p": None} | rule))
    total = math.fsum(p[u] for u in kept)
    wanted = [p[u] / total if u in kept else 0.0 for u in range(8)]
    found = twin(library, "language_model.token_probabilities")(logits, **rule)
    np.testing.assert_allclose(found, wanted, rtol=1e-11)


# --- several processes ----------------------------------------------------------------------------


@pytest.mark.equation("eq-data-parallel")
@pytest.mark.parametrize("n", [1, 2, 8, 1024])
def test_data_parallel_speedup_counts_rounds_and_bytes(n: int) -> None:
    """In a ring, each of 2 (n - 1) rounds moves an n-th of the bytes."""
    compute, n_bytes, bandwidth, latency = 0.02, 4_000_000, 1e9, 1e-5
    told = 0.0
    for _ in range(2 * (n - 1)):
        told += latency + n_bytes / n / bandwidth
    found = data_parallel_speedup(
        n,
        compute_seconds=compute,
        n_bytes=n_bytes,
        bandwidth=bandwidth,
        latency=latency,
    )
    assert found == pytest.approx(n * compute / (compute + told))
