"""What the chapter proves about a decoder that reads a source."""

from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_attn.in_numpy.block import feed_forward, layer_norm
from course_attn.in_numpy.encoder_decoder import decoder_block, encoder_decoder
from course_attn.in_numpy.multi_head import multi_head_attention
from course_attn.in_torch import AdditiveEncoderDecoder, translate
from tests.chapters.encoder_decoder.inputs import (
    CONFIG,
    N_SOURCE,
    N_TARGET,
    made,
    real,
    source,
    target,
)
from tests.chapters.encoder_decoder.refused import (
    D_MODEL,
    HEADS,
    block_params,
    params,
)
from tests.support.arrays import distribution, normal
from tests.support.comparison import assert_close
from tests.support.twin_table import twin

PARAMS = params()
MATRICES = {
    name.removeprefix("cross_"): array
    for name, array in block_params().items()
    if name.startswith("cross_")
}
seeds = st.integers(0, 10**6)


def read(
    X: np.ndarray, Z: np.ndarray, mask: np.ndarray | None = None
) -> np.ndarray:
    """Let the elements of X read those of Z, and nothing else."""
    return multi_head_attention(X, **MATRICES, n_heads=HEADS, Z=Z, mask=mask)


@pytest.mark.theorem("thm-padding")
@given(seeds, st.integers(1, 9), st.integers(0, 8))
def test_padding_changes_no_logit(seed: int, n_real: int, n_padding: int) -> None:
    """Whatever stands there, and however much of it."""
    rng = np.random.default_rng(seed)
    real_tokens = rng.integers(0, 23, size=n_real)
    padding = rng.integers(0, 23, size=n_padding)
    written = rng.integers(0, 29, size=N_TARGET)
    wanted = encoder_decoder(real_tokens, written, PARAMS, n_heads=HEADS)
    found = encoder_decoder(
        np.append(real_tokens, padding),
        written,
        PARAMS,
        n_heads=HEADS,
        source_mask=np.arange(n_real + n_padding) < n_real,
    )
    assert_close(found, wanted, 1e-12)


def test_padding_without_its_mask_changes_the_logits() -> None:
    """The encoder's mask alone is not enough, nor the decoder's."""
    model, S, T = made(), source(2), target(2)
    mask, other = real(3, 5), source(2, seed=9)
    changed = torch.where(mask, S, other)

    def logits(tokens: torch.Tensor, in_encoder: bool, in_decoder: bool):
        Z = model.encode(tokens, source_mask=mask if in_encoder else None)
        return model.decode(T, Z, source_mask=mask if in_decoder else None)

    for masked in ((False, False), (True, False), (False, True)):
        moved = (logits(S, *masked) - logits(changed, *masked)).abs()
        assert float(moved.detach().amax()) > 1e-3, masked
    assert_close(logits(S, True, True), logits(changed, True, True), 1e-13)


def test_padding_behind_the_target_needs_no_mask() -> None:
    model, S = made(), source(2)
    T = target(2, n=CONFIG.n_target_context)
    wanted = model(S, T[:, :N_TARGET])
    assert_close(model(S, T)[:, :N_TARGET], wanted, 1e-13)


@pytest.mark.theorem("thm-cross-order")
@given(seeds, st.integers(1, 7), st.integers(1, 11))
def test_cross_attention_is_equivariant_in_the_queries(
    seed: int, n_q: int, n_k: int
) -> None:
    """Reorder those who read: each finds what it found before."""
    order = np.random.default_rng(seed).permutation(n_q)
    X, Z = normal(n_q, D_MODEL), normal(n_k, D_MODEL)
    assert_close(read(X[order], Z), read(X, Z)[order], 1e-12)
    rows = [read(row[None], Z)[0] for row in X]
    assert_close(read(X, Z), np.stack(rows), 1e-12)


@pytest.mark.theorem("thm-cross-order")
@pytest.mark.equation("eq-cross-order")
@given(seeds, st.integers(1, 7), st.integers(1, 11))
def test_cross_attention_is_invariant_in_the_order_of_the_context(
    seed: int, n_q: int, n_k: int
) -> None:
    """With its mask reordered alike."""
    rng = np.random.default_rng(seed)
    order, mask = rng.permutation(n_k), rng.random((n_q, n_k)) < 0.7
    X, Z = normal(n_q, D_MODEL), normal(n_k, D_MODEL)
    assert_close(read(X, Z[order], mask[:, order]), read(X, Z, mask), 1e-12)


@given(seeds)
def test_decoder_block_is_invariant_in_the_order_of_the_context(seed: int) -> None:
    """And equivariant in its elements, if these do not see each other in an order."""
    rng, block = np.random.default_rng(seed), block_params()
    X, Z = normal(N_TARGET, D_MODEL), normal(N_SOURCE, D_MODEL)
    wanted = decoder_block(X, Z, block, n_heads=HEADS)
    shuffled = Z[rng.permutation(N_SOURCE)]
    assert_close(decoder_block(X, shuffled, block, n_heads=HEADS), wanted, 1e-12)
    order = rng.permutation(N_TARGET)
    found, wanted = (
        decoder_block(rows, Z, block, n_heads=HEADS, causal=False)
        for rows in (X[order], X)
    )
    assert_close(found, wanted[order], 1e-12)


def test_the_order_of_the_source_counts_all_the_same() -> None:
    """The encoder's elements know their places: its positions are added before."""
    model, T = made(), target(2)
    S = source(2)
    moved = (model(S.flip(1), T) - model(S, T)).abs()
    assert float(moved.detach().amax()) > 1e-3
    without = made()
    with torch.no_grad():
        without.source_positions.P.zero_()
    assert_close(without(S.flip(1), T), without(S, T), 1e-12)


@pytest.mark.parametrize("n_known", range(1, N_TARGET))
def test_cross_attention_needs_no_causal_mask(n_known: int) -> None:
    """The whole source is there from the start: what is written next changes no earlier row."""
    model, S, T = made(), source(2), target(2)
    first = model(S, T[:, :n_known])
    assert_close(model(S, T)[:, :n_known], first, 1e-13)


@pytest.mark.theorem("thm-cross-order")
@pytest.mark.equation("eq-cross-order")
def test_cross_attention_reorders_what_asks_and_forgets_the_order_of_what_is_asked() -> (
    None
):
    rng, X, Z = np.random.default_rng(3), normal(5, D_MODEL), normal(11, D_MODEL)
    Pi, Sigma = np.eye(5)[rng.permutation(5)], np.eye(11)[rng.permutation(11)]
    assert_close(read(Pi @ X, Sigma @ Z), Pi @ read(X, Z), 1e-12)
    assert np.abs(read(X, Z) - Pi @ read(X, Z)).max() > 1e-3


@pytest.mark.equation("eq-cross-attention")
def test_attention_takes_queries_from_one_sequence_and_the_rest_from_another(
    library: str,
) -> None:
    """Cross-attention in loops, with a row for each query."""
    X, Z, W_Q, W_K, W_V = normal(3, 7), normal(5, 7), *normal(3, 7, 2)
    wanted = np.zeros((3, 2))
    for i, x in enumerate(X):
        exps = [np.exp((x @ W_Q) @ (z @ W_K) / np.sqrt(2)) for z in Z]
        wanted[i] = sum(
            e / sum(exps) * (z @ W_V) for e, z in zip(exps, Z, strict=True)
        )
    found = twin(library, "qkv.attention")(X @ W_Q, Z @ W_K, Z @ W_V)
    assert_close(found, wanted, 1e-12)


@pytest.mark.equation("eq-decoder-block")
def test_decoder_block_adds_three_parts_each_to_what_it_normalized(
    library: str,
) -> None:
    X, Z = normal(N_TARGET, D_MODEL), normal(N_SOURCE, D_MODEL)
    cross = {f"cross_{name}": matrix for name, matrix in MATRICES.items()}
    block = block_params() | cross
    norm_1, norm_2, norm_3 = (
        partial(layer_norm, gain=block[f"gain_{i}"], bias=block[f"bias_{i}"])
        for i in (1, 2, 3)
    )
    own = {name: block[name] for name in ("W_Q", "W_K", "W_V", "W_O")}
    network = {name: block[name] for name in ("W_1", "b_1", "W_2", "b_2")}
    G = X + multi_head_attention(norm_1(X), **own, n_heads=HEADS, causal=True)
    H = G + read(norm_2(G), Z)
    Y = H + feed_forward(norm_3(H), **network)
    found = twin(library, "encoder_decoder.decoder_block")(
        X, Z, block, n_heads=HEADS
    )
    assert_close(found, Y, 1e-12)


@pytest.mark.equation("eq-encoder-decoder")
def test_a_model_reads_what_its_encoder_returns_in_all_blocks() -> None:
    model, S, T = made(), source(2), target(2)
    Z = model.source_embedding[S] + model.source_positions.P[:N_SOURCE]
    for block in model.encoder.blocks:
        Z = block(Z)
    Z = model.encoder.final_norm(Z)
    X = model.target_embedding[T] + model.target_positions.P[:N_TARGET]
    for block in model.decoder.blocks:
        X = block(X, Z)
    logits = model.decoder.final_norm(X) @ model.target_embedding.T
    assert_close(model(S, T), logits, 1e-12)


@pytest.mark.equation("eq-recurrent-attention")
def test_additive_decoder_weighs_the_source_from_its_state() -> None:
    """Its first row: the state before the first token asks."""
    torch.manual_seed(0)
    model = AdditiveEncoderDecoder(n_source_vocab=23, n_target_vocab=13, d_model=5)
    model = model.double()
    S, T = source(2), target(2)
    with torch.no_grad():
        _, weights = model.forward_with_weights(S, T)
        Z = model.encode(S)
        s = torch.tanh(model.start(Z[:, 0, 5:]))
        for b in range(2):
            scores = [
                torch.tanh(s[b] @ model.W_Q + z @ model.W_K) @ model.v for z in Z[b]
            ]
            assert_close(weights[b, 0], torch.stack(scores).softmax(dim=0), 1e-12)


@pytest.mark.theorem("thm-told-free")
@pytest.mark.parametrize("seed", range(20))
def test_a_whole_answer_is_right_if_told_exactly_where_it_is_right_if_written(
    seed: int,
) -> None:
    """The answer written is right told; any other one is told wrong, at its first difference."""
    model, S = made(), source(1, seed=seed)
    written = translate(model, S, start=0, end=1, n_max=N_TARGET)
    for place in (None, *range(written.shape[1])):
        answer = written.clone()
        if place is not None:
            answer[0, place] = (answer[0, place] + 1) % CONFIG.n_target_vocab
        inputs = torch.cat([torch.zeros(1, 1, dtype=torch.long), answer[:, :-1]], 1)
        is_right = model(S, inputs).argmax(dim=-1) == answer
        assert is_right.all() == (place is None)
        if place is not None:
            assert is_right[0, :place].all() and not is_right[0, place]


@pytest.mark.equation("eq-beam-score")
@pytest.mark.parametrize("power", [0.0, 0.7, 1.0])
def test_beam_search_scores_by_the_sum_of_logarithms_over_a_power_of_the_length(
    power: float, library: str
) -> None:
    """The probabilities of the next token depend on the last one only."""
    log_probs = np.log(distribution(5, 5))
    step = partial(_after_the_last, log_probs)
    if library == "in_torch":
        step = partial(_after_the_last, torch.from_numpy(log_probs))
    found, scores = twin(library, "encoder_decoder.beam_search")(
        step, np.array([3]), n_beams=5, end=0, n_max=4, length_penalty=power
    )
    for sequence, score in zip(np.asarray(found), np.asarray(scores), strict=True):
        n = list(sequence).index(0) + 1 if 0 in sequence else 4
        pairs = zip([3, *sequence[: n - 1]], sequence[:n], strict=True)
        total = sum(log_probs[before, after] for before, after in pairs)
        assert_close(score, total / n**power, 1e-12)


def _after_the_last(log_probs: Any, prefixes: Any) -> Any:
    """Look up what follows the last token of each prefix."""
    return log_probs[prefixes[:, -1]]
