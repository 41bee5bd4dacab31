"""Exercises of `encoder_decoder`: the program of `two_mistakes` is run, as it is and repaired."""

import re
from itertools import product

import numpy as np
import pytest

from course_attn.exercises import catalog
from course_attn.in_numpy.block import feed_forward, layer_norm
from course_attn.in_numpy.encoder_decoder import encoder_decoder
from course_attn.in_numpy.multi_head import multi_head_attention
from course_attn.in_torch import EncoderDecoder, EncoderDecoderConfig

beam_scores = catalog.find("beam_scores").solution
extend_beams = catalog.find("extend_beams").solution
TASK = catalog.find("two_mistakes")
LINES = dict(re.findall(r"^- \*\*(\w)\*\* `(.*)`$", TASK.task, re.M))
REPAIRED = {
    "b": "Z = Z + read_1(norm_1(Z), norm_1(Z), mask=seen)",
    "g": "X = X + read_3(norm_5(X), Z, mask=seen)",
}


@pytest.fixture(scope="module")
def params():
    config = EncoderDecoderConfig(
        n_source_vocab=7,
        n_target_vocab=6,
        n_source_context=9,
        n_target_context=8,
        n_layers=1,
        d_model=4,
        n_heads=1,
    )
    rng = np.random.default_rng(0)
    return {
        name: rng.standard_normal(tensor.shape)
        for name, tensor in EncoderDecoder(config).state_dict().items()
    }


def names_of(params):
    """Return what the program's names stand for."""

    def norm(part):
        gain, bias = params[f"{part}.gain"], params[f"{part}.bias"]
        return lambda X: layer_norm(X, gain, bias)

    def read(part):
        W = {f"W_{x}": params[f"{part}.W_{x}"] for x in "QKVO"}
        return lambda X, Z, mask=None: multi_head_attention(
            X, **W, n_heads=1, Z=Z, mask=mask
        )

    def network(part):
        W = {
            x: params[f"{part}.feed_forward.{x}"]
            for x in ("W_1", "b_1", "W_2", "b_2")
        }
        return lambda X: feed_forward(X, **W)

    encoder, decoder = "encoder.blocks.0", "decoder.blocks.0"
    norms = [f"{encoder}.norm_1", f"{encoder}.norm_2", "encoder.final_norm"]
    norms += [f"{decoder}.norm_{i}" for i in (1, 2, 3)] + ["decoder.final_norm"]
    return {
        "np": np,
        **{f"norm_{i}": norm(part) for i, part in enumerate(norms, 1)},
        "read_1": read(f"{encoder}.attention"),
        "read_2": read(f"{decoder}.self_attention"),
        "read_3": read(f"{decoder}.cross_attention"),
        "network_1": network(encoder),
        "network_2": network(decoder),
        "E_s": params["source_embedding"],
        "P_s": params["source_positions.P"],
        "E_t": params["target_embedding"],
        "P_t": params["target_positions.P"],
    }


def logits_of(lines, params, source, source_mask, target):
    """Run the program; return its logits."""
    names = names_of(params) | {
        "source": source,
        "source_mask": source_mask,
        "target": target,
        "n_source": source.shape[1],
        "n_target": target.shape[1] - 1,
        "seen": source_mask[:, None, :],
    }
    exec("\n".join(lines.values()), names)
    assert np.array_equal(names["goals"], target[:, 1:])
    return names["logits"]


@pytest.fixture
def batch():
    rng = np.random.default_rng(1)
    source, target = rng.integers(0, 7, (2, 6)), rng.integers(0, 6, (2, 5))
    return source, np.arange(6) < [[4], [6]], target


def test_two_mistakes_are_all_that_is_wrong(params, batch):
    source, mask, target = batch
    right = encoder_decoder(
        source, target[:, :-1], params, n_heads=1, source_mask=mask
    )
    wrong = {*TASK.solution()}
    assert wrong == {*REPAIRED}
    repaired = logits_of(LINES | REPAIRED, params, *batch)
    np.testing.assert_allclose(repaired, right, rtol=1e-10)
    for letter in wrong:
        other = LINES | {k: v for k, v in REPAIRED.items() if k != letter}
        assert np.abs(logits_of(other, params, *batch) - right).max() > 1e-2


def test_two_mistakes_shows_what_its_task_observes(params, batch):
    source, mask, target = batch
    together = logits_of(LINES, params, *batch)
    alone = logits_of(LINES, params, source[:1, :4], mask[:1, :4], target[:1])
    assert np.abs(together[0] - alone[0]).max() > 1e-2
    for j in range(1, 4):
        changed = target.copy()
        changed[:, j] = (changed[:, j] + 1) % 6
        moved = np.abs(logits_of(LINES, params, source, mask, changed) - together)
        assert moved[:, :j].max() < 1e-12 < moved[:, j].max()


@pytest.mark.parametrize("length_penalty", [0.0, 0.7])
def test_steps_with_beams_for_all_find_every_sequence(length_penalty):
    """Of three tokens with 0 for the end there are 3, then 7, then 15 sequences."""
    log_probs = np.log(np.random.default_rng(2).dirichlet(np.ones(3), 3))
    prefixes, sums = np.array([[1]]), np.zeros(1)
    for n_beams in (3, 7, 15):
        steps = log_probs[prefixes[:, -1]]
        prefixes, sums = extend_beams(prefixes, sums, steps, n_beams, 0)
    scores = beam_scores(prefixes[:, 1:], sums, 0, length_penalty)
    found = dict(zip(map(tuple, prefixes[:, 1:].tolist()), scores, strict=True))
    assert found == pytest.approx(every_score(log_probs, length_penalty))


def every_score(log_probs, length_penalty):
    """Return the score of each sequence of up to three tokens, filled up with 0."""
    scores = {}
    for tokens in product(range(3), repeat=3):
        n = (*tokens, 0).index(0) + 1
        written = tokens[:n]
        steps = zip((1, *written), written, strict=False)
        total = sum(log_probs[last, token] for last, token in steps)
        scores[(*written, 0, 0)[:3]] = total / len(written) ** length_penalty
    return scores
