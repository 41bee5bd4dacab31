"""Exercises of `language_model`: they mean what the package means, and say what is true."""

import numpy as np
import pytest

from course_attn.exercises import catalog, check
from course_attn.in_numpy import language_model as package
from course_attn.in_numpy.block import layer_norm, transformer_block
from course_attn.in_numpy.softmax import log_softmax
from tests.exercises.same import assert_solution_is, inputs

SAME = {
    "cross_entropy": package.cross_entropy,
    "token_probabilities": lambda logits, temperature, top_k, top_p: (
        package.token_probabilities(
            logits, temperature=temperature, top_k=top_k, top_p=top_p
        )
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_solution_is_the_packages_function(name):
    assert_solution_is(SAME[name], name)


def test_draw_tokens_draws_what_sample_logits_draws():
    rng = np.random.default_rng(0)
    logits = 2 * rng.standard_normal(9)
    u = np.random.default_rng(7).random(500)
    probs = package.token_probabilities(logits)
    theirs = package.sample_logits(
        np.tile(logits, (500, 1)), rng=np.random.default_rng(7)
    )
    ours = catalog.find("draw_tokens").solution(probs, u)
    np.testing.assert_array_equal(ours, theirs)
    assert len({*ours.tolist()}) > 4


@pytest.mark.parametrize("name", ["draw_tokens", "token_probabilities"])
def test_sampling_has_no_input_where_rounding_decides(name):
    """A right answer may add up in another order: no sum is near what it is compared with."""
    for args in inputs(name):
        if name == "draw_tokens":
            probabilities, u = args
            thresholds = u[u > 0]
            assert (u < 1).all()
        else:
            logits, temperature, top_k, top_p = args
            assert np.diff(np.sort(logits)).min() > 1e-3 * np.ptp(logits)
            probabilities = np.sort(
                package.token_probabilities(
                    logits, temperature=temperature, top_k=top_k
                )
            )[::-1]
            thresholds = np.array([top_p] if top_p < 1 else [])
            assert probabilities[:top_k].min() > 1e-3
        sums = np.cumsum(probabilities.astype(float))
        assert (np.abs(sums[:, None] - thresholds) > 4e-3).all()


def test_gpt_from_parts_is_the_packages_gpt():
    rng = np.random.default_rng(0)
    n_vocab, n_context, d, n_layers, d_ff = 7, 6, 8, 3, 10
    shapes = {
        "norm_1.gain": (d,), "norm_1.bias": (d,), "norm_2.gain": (d,), "norm_2.bias": (d,),
        **{f"attention.W_{name}": (d, d) for name in "QKVO"},
        "feed_forward.W_1": (d, d_ff), "feed_forward.b_1": (d_ff,),
        "feed_forward.W_2": (d_ff, d), "feed_forward.b_2": (d,),
    }  # fmt: skip
    params, blocks = {}, []
    for layer in range(n_layers):
        own = {name: rng.standard_normal(shape) for name, shape in shapes.items()}
        params |= {f"transformer.blocks.{layer}.{n}": a for n, a in own.items()}
        named = {package.BLOCK_NAMES[name]: array for name, array in own.items()}
        blocks.append(
            lambda X, mask, named=named: transformer_block(
                X, named, n_heads=2, mask=mask, activation=package.gelu
            )
        )
    E, P = rng.standard_normal((n_vocab, d)), rng.standard_normal((n_context, d))
    gain, bias = rng.standard_normal((2, d))
    params |= {"embedding": E, "positions.P": P}
    params |= {"transformer.final_norm.gain": gain}
    params |= {"transformer.final_norm.bias": bias}
    tokens = rng.integers(0, n_vocab, (2, 5))
    ours = catalog.find("gpt_from_parts").solution(
        tokens, E, P, blocks, lambda X: layer_norm(X, gain, bias)
    )
    np.testing.assert_allclose(ours, package.gpt(tokens, params, n_heads=2))


def test_shift_targets_gives_what_cross_entropy_leaves_out():
    """The loss of a padded batch is that of its texts, one after the other."""
    rng = np.random.default_rng(0)
    texts = [rng.integers(1, 6, n) for n in (7, 4, 2)]
    tokens = np.zeros((3, 7), dtype=int)
    for row, text in zip(tokens, texts, strict=True):
        row[: len(text)] = text
    table = rng.standard_normal((6, 6))
    inputs, targets = catalog.find("shift_targets").solution(tokens, 0)
    ours = catalog.find("cross_entropy").solution(table[inputs], targets)
    alone = [-log_softmax(table)[text[:-1], text[1:]] for text in texts]
    np.testing.assert_allclose(ours, np.concatenate(alone).mean())


def test_bigram_perplexity_is_that_of_the_package():
    for table, tokens in inputs("bigram_perplexity"):
        with np.errstate(divide="ignore"):
            loss = package.cross_entropy(np.log(table)[tokens[:-1]], tokens[1:])
        ours = catalog.find("bigram_perplexity").solution(table, tokens)
        np.testing.assert_allclose(ours, np.exp(loss), rtol=1e-4)


def test_two_losses_are_those_of_the_models():
    ahead = np.full((2, 64), 0.5 / 63)
    ahead[0, 0] = 0.5
    ahead[1, 1:], ahead[1, 0] = 0.875 / 63, 0.125
    found = []
    for probs in (np.full((2, 64), 1 / 64), ahead):
        loss = package.cross_entropy(np.log(probs), np.zeros(2, dtype=int))
        found += [loss, loss / np.log(2), np.exp(loss)]
    np.testing.assert_allclose(catalog.find("two_losses").solution(), found)


def test_two_losses_says_something_else_for_each_slip():
    """What is given instead of each number gets its own sentence; a rounded right one passes."""
    right = catalog.find("two_losses").solution()
    wrong = {
        0: [np.log10(64), 6, 3.3],
        1: [np.log(64), 3.3],
        2: [np.log(64), np.exp(6), 64 ** np.log(2), 1 / 64, 33],
        3: [-np.log(0.3125), 2 / np.log(2), np.log(16), 3.3],
        4: [3.3],
        5: [3.2, 5, 33],
    }
    said = set()
    for i, numbers in wrong.items():
        for number in numbers:
            answer = [*right]
            answer[i] = number
            result = check(lambda answer=answer: answer, "two_losses")
            assert result.status == "wrong"
            said.add(result.faults)
    assert len(said) == sum(map(len, wrong.values()))
    assert check(lambda: np.round(right, 3), "two_losses").passed


def test_cross_entropy_is_right_that_a_second_softmax_keeps_the_loss_up():
    """Even a certain and right model has a loss near that of an even guess."""
    version = catalog.find("cross_entropy")
    twice = version.wrong_version(
        next(fault for fault in version.faults if fault.id == "softmax-twice")
    )
    logits = np.where(np.eye(96, dtype=bool), 1000.0, 0.0)
    loss = twice(logits, np.arange(96))
    assert version.solution(logits, np.arange(96)) < 1e-9
    assert np.log(96) - 1 < loss < np.log(96)


@pytest.mark.parametrize("small", [1e-12, 1e-7, 1e-30])
def test_cross_entropy_names_the_number_added_in_the_logarithm(small):
    def with_small_number(logits, targets):
        exps = np.exp(logits - logits.max(axis=-1, keepdims=True))
        probs = exps / exps.sum(axis=-1, keepdims=True)
        keep = targets != -100
        places = np.where(keep, targets, 0)[..., None]
        found = np.take_along_axis(probs, places, axis=-1)[..., 0]
        return -np.log(found[keep] + small).mean()

    result = check(with_small_number, "cross_entropy")
    assert "in-the-logarithm" in result.faults
    assert f"such as {small:.0e}" in result.message


def test_token_probabilities_names_a_logit_of_0_in_place_of_minus_infinity():
    def zero(logits, temperature, top_k, top_p):
        scaled = logits / temperature
        scaled[np.argsort(-scaled)[top_k:]] = 0.0
        exps = np.exp(scaled - scaled.max())
        order, probs = np.argsort(-scaled), exps / exps.sum()
        before = np.cumsum(probs[order]) - probs[order]
        probs[order[before >= top_p]] = 0
        return probs / probs.sum()

    result = check(zero, "token_probabilities")
    assert "zero-logits" in result.faults
    assert "0 is a logit like any other" in result.message


def test_token_probabilities_names_the_token_that_crosses_however_it_is_dropped():
    """Comparing sums with top_p = 1 is a matter of rounding: every way gets the sentence."""

    def dropped(logits, temperature, top_k, top_p, compare):
        scaled = logits / temperature
        exps = np.exp(scaled - scaled.max())
        order = np.argsort(-scaled)
        exps[order[top_k:]] = 0
        probs = exps / exps.sum()
        kept = compare(np.cumsum(probs[order]), top_p)
        probs[order[~kept]] = 0
        return probs / probs.sum()

    for compare in (np.less, np.less_equal):
        result = check(
            lambda *args, compare=compare: dropped(*args, compare),
            "token_probabilities",
        )
        assert "the token with which the sum reaches top_p" in result.message


def test_draw_tokens_never_draws_what_has_no_probability():
    result = check(lambda p, u: np.searchsorted(np.cumsum(p), u), "draw_tokens")
    assert result.faults == ("zero-drawn",)
    assert "u = 0 draws token 0 in yours; 2 is right" in result.message
