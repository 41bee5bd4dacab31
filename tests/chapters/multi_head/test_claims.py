"""Several attentions side by side: the equations and theorems."""

import numpy as np
import pytest
import torch
from hypothesis import given
from torch.utils.flop_counter import FlopCounterMode

from course_attn import costs
from tests.chapters.multi_head.inputs import (
    D_K,
    D_MODEL,
    D_V,
    HEADS,
    N_K,
    N_Q,
    close,
    elements,
    matrices,
    normal,
    one_head,
    seeds,
)
from tests.support.twin_table import public, twin


def by_definition(X: np.ndarray, Z: np.ndarray, seed: int) -> list[np.ndarray]:
    """Return what each head finds, with matrices of its own."""
    W_Q, W_K, W_V, _ = matrices(seed)
    return [
        one_head(X @ q, Z @ k, Z @ v) for q, k, v in zip(W_Q, W_K, W_V, strict=True)
    ]


def wide(seed: int) -> dict[str, np.ndarray]:
    """Return the matrices of all heads side by side, and W_O's below each other."""
    *sides, below = matrices(seed)
    names = ("W_Q", "W_K", "W_V")
    packed = {name: np.hstack(W) for name, W in zip(names, sides, strict=True)}
    return packed | {"W_O": np.vstack(below)}


def of_functions(library: str, X: np.ndarray, Z: np.ndarray, seed: int) -> list:
    """Return what the two functions of the chapter give."""
    names = ("multi_head_attention", "multi_head_attention_loop")
    return [
        twin(library, f"multi_head.{name}")(X, **wide(seed), n_heads=HEADS, Z=Z)
        for name in names
    ]


# One row points one way


@pytest.mark.equation("eq-one-row")
@given(seed=seeds)
def test_softmax_row_cannot_look_fully_at_two(seed: int, library: str) -> None:
    """The weights of any two keys sum to at most 1, and two heads have 2 to give."""
    Q, K = 5 * normal(seed, N_Q, D_K), normal(seed, N_K, D_K)
    A = twin(library, "qkv.attention_weights")(Q, K)
    pairs = A[:, :, None] + A[:, None, :]
    assert pairs[:, ~np.eye(N_K, dtype=bool)].max() <= 1 + 1e-12
    two_heads = np.array([[[9.0, 0]], [[0, 9.0]]]), np.array([np.eye(2)] * 2)
    both = twin(library, "qkv.attention_weights")(*two_heads)
    assert both[0, 0, 0] + both[1, 0, 1] > 1.9


# Three forms


@pytest.mark.equation("eq-head")
@pytest.mark.equation("eq-multi-head")
@given(seed=seeds)
def test_multi_head_attention_is_heads_side_by_side_times_the_output_matrix(
    seed: int, library: str
) -> None:
    X, Z = elements(seed)
    heads = by_definition(X, Z, seed)
    wanted = np.hstack(heads) @ np.vstack(matrices(seed)[3])
    for found in of_functions(library, X, Z, seed):
        close(found, wanted)


@pytest.mark.equation("eq-side-by-side")
def test_queries_of_all_heads_are_one_product(library: str) -> None:
    """And one more the keys, and one more the values."""
    X, _ = elements()
    W_Q, _, _, _ = matrices()
    heads = W_Q, W_Q[::-1], [-W for W in W_Q]
    projected = twin(library, "qkv.project_qkv")(X, *map(np.hstack, heads))
    for found, of_heads in zip(projected, heads, strict=True):
        close(found, np.hstack([X @ W for W in of_heads]))


@pytest.mark.equation("eq-split")
def test_split_heads_puts_every_number_in_its_head_and_its_own_row(
    library: str,
) -> None:
    """Entry c of word i in head h is feature (h - 1) d_k + c; all are counted from 1."""
    Q = normal(0, N_Q, HEADS * D_K)
    split = twin(library, "multi_head.split_heads")(Q, HEADS)
    assert split.shape == (HEADS, N_Q, D_K)
    for h in range(1, HEADS + 1):
        for i in range(1, N_Q + 1):
            for c in range(1, D_K + 1):
                f = (h - 1) * D_K + c
                assert split[h - 1, i - 1, c - 1] == Q[i - 1, f - 1]


@given(seed=seeds)
def test_merge_heads_undoes_split_heads_and_the_other_way_round(
    seed: int, library: str
) -> None:
    split = twin(library, "multi_head.split_heads")
    merge = twin(library, "multi_head.merge_heads")
    Q, heads = normal(seed, 2, N_Q, HEADS * D_K), normal(seed, 2, HEADS, N_Q, D_K)
    np.testing.assert_array_equal(merge(split(Q, HEADS)), Q)
    np.testing.assert_array_equal(split(merge(heads), HEADS), heads)


@pytest.mark.equation("eq-heads-batch")
@pytest.mark.theorem("thm-three-forms")
@given(seed=seeds)
def test_multi_head_attention_has_three_equal_forms(
    seed: int, library: str
) -> None:
    X, Z = elements(seed)
    W = wide(seed)
    split = twin(library, "multi_head.split_heads")
    merge = twin(library, "multi_head.merge_heads")
    attention = twin(library, "qkv.attention")
    Q, K, V = X @ W["W_Q"], Z @ W["W_K"], Z @ W["W_V"]
    loop = np.hstack(by_definition(X, Z, seed)) @ W["W_O"]
    columns = [
        attention(*(np.split(x, HEADS, axis=1)[h] for x in (Q, K, V)))
        for h in range(HEADS)
    ]
    batch = merge(attention(*(split(x, HEADS) for x in (Q, K, V))))
    close(np.hstack(columns) @ W["W_O"], loop)
    close(batch @ W["W_O"], loop)


# The output matrix


@pytest.mark.equation("eq-sum-of-heads")
@pytest.mark.theorem("thm-sum-of-heads")
@given(seed=seeds)
def test_heads_add_up_and_have_no_order(seed: int, library: str) -> None:
    X, Z = elements(seed)
    terms = [
        head @ block
        for head, block in zip(
            by_definition(X, Z, seed), matrices(seed)[3], strict=True
        )
    ]
    order = np.random.default_rng(seed).permutation(HEADS)
    *sides, below = [[W[h] for h in order] for W in matrices(seed)]
    W = [*(np.hstack(side) for side in sides), np.vstack(below)]
    exchanged = twin(library, "multi_head.multi_head_attention")(
        X, *W, n_heads=HEADS, Z=Z
    )
    for found in (*of_functions(library, X, Z, seed), exchanged):
        close(found, sum(terms))


@pytest.mark.equation("eq-read-write")
def test_head_weighs_words_and_carries_them_by_one_matrix(library: str) -> None:
    X, Z = elements()
    W_Q, W_K, W_V, W_O = matrices()
    total = np.zeros((N_Q, D_MODEL))
    for q, k, v, o in zip(W_Q, W_K, W_V, W_O, strict=True):
        A = twin(library, "qkv.attention_weights")(X @ q, Z @ k)
        total += A @ Z @ (v @ o)
        assert (
            np.linalg.matrix_rank(v[:, :2] @ o[:2]) == 2
        )  # at most d_v, here cut to 2
    close(total, of_functions(library, X, Z, 0)[0])


def test_heads_do_not_mix_without_an_output_matrix(library: str) -> None:
    """Block h of the concatenation depends on the matrices of head h alone."""
    X, Z = elements()
    W = wide(0) | {"W_O": np.eye(HEADS * D_V)}
    function = twin(library, "multi_head.multi_head_attention")
    before = function(X, **W, n_heads=HEADS, Z=Z)
    changed = {name: W[name].copy() for name in W}
    changed["W_V"][:, D_V : 2 * D_V] += 1
    changed["W_Q"][:, D_K : 2 * D_K] += 1
    moved = np.abs(function(X, **changed, n_heads=HEADS, Z=Z) - before).max(axis=0)
    by_head = moved.reshape(HEADS, D_V)
    assert (by_head[[0, 2]] == 0).all() and (by_head[1] > 1e-3).all()


# What it costs


@pytest.mark.equation("eq-parameters")
@pytest.mark.theorem("thm-parameters")
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("d_v", [1, 13])
@pytest.mark.parametrize("d_k", [2, 5])
@pytest.mark.parametrize("n_heads", [1, 3, 7])
def test_n_parameters_counts_the_arrays(
    n_heads: int, d_k: int, d_v: int, bias: bool
) -> None:
    """By the arrays themselves; with the usual widths, whatever the number of heads."""
    count = costs.n_parameters
    d = D_MODEL
    shapes = [(d, n_heads * w) for w in (d_k, d_k, d_v)] + [(n_heads * d_v, d)]
    numbers = sum(np.empty(shape).size for shape in shapes)
    biases = sum(np.empty(shape[1]).size for shape in shapes) if bias else 0
    assert numbers == n_heads * (2 * d * d_k + 2 * d * d_v)
    assert biases == (n_heads * (2 * d_k + d_v) + d if bias else 0)
    assert count(d, n_heads, d_k, d_v, biases=bias) == numbers + biases
    usual = 21 * 4 * 21 + (4 * 21 if bias else 0)
    assert count(21, n_heads, biases=bias) == usual


@pytest.mark.equation("eq-flops")
@pytest.mark.parametrize("n_heads", [1, 3, 7])
def test_multi_head_flops_are_counted_by_pytorch(n_heads: int) -> None:
    Module = public("in_torch", "multi_head.MultiHeadAttention")
    module = Module(D_MODEL, n_heads, d_k=D_K, d_v=D_V, biases=False)
    X, Z = torch.ones(1, N_Q, D_MODEL), torch.ones(1, N_K, D_MODEL)
    with FlopCounterMode(display=False) as counter:
        module.forward_with_weights(X, Z)
    both = n_heads * (D_K + D_V)
    wanted = 2 * (N_Q * D_MODEL + N_K * D_MODEL + N_Q * N_K) * both
    assert counter.get_total_flops() == wanted
