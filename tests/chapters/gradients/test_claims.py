"""What gradients of attention are: the formulas, entry by entry, beside nudges and NumPy's own."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.support.attention_inputs import D_K, D_V, N_K, N_Q, inputs, normal
from tests.support.twin_table import twin


def nudged(
    library: str, f: Callable[[np.ndarray], Any], x: np.ndarray, eps: float = 1e-6
) -> np.ndarray:
    """Measure a gradient; `f` is given NumPy arrays, whatever the library."""
    measure = twin(library, "gradients.numerical_gradient")
    return measure(lambda array: float(f(np.asarray(array))), x, eps=eps)


def attention_by_loops(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    """Return the weights of each query, one number at a time."""
    weights = np.empty((len(Q), len(K)))
    for i, q in enumerate(Q):
        exps = [math.exp(math.fsum(q * k) / math.sqrt(len(q))) for k in K]
        weights[i] = [e / math.fsum(exps) for e in exps]
    return weights


def row_backward(a: np.ndarray, da: np.ndarray) -> list[float]:
    """Multiply one row by the Jacobian of softmax, one number at a time."""
    n = range(len(a))
    return [math.fsum(da[j] * a[j] * ((j == m) - a[m]) for j in n) for m in n]


def close(found: np.ndarray, wanted: Any, tolerance: float = 1e-12) -> None:
    """Compare relative to the largest entry, as sums leave rounding where they cancel."""
    wanted = np.asarray(wanted)
    atol = tolerance * float(np.abs(wanted).max())
    np.testing.assert_allclose(found, wanted, rtol=0, atol=atol)


# --- softmax --------------------------------------------------------------------------------------


@pytest.mark.equation("eq-softmax-backward")
@pytest.mark.theorem("thm-attention-backward")
def test_softmax_backward_is_the_jacobian_of_each_row(library: str) -> None:
    """Written out, and measured by nudging the scores."""
    S, dA = normal(N_Q, N_K), normal(N_Q, N_K, seed=1)
    A = twin(library, "softmax.softmax")(S)
    found = twin(library, "gradients.softmax_backward")(A, dA)
    close(found, [row_backward(a, da) for a, da in zip(A, dA, strict=True)])

    def loss(s: np.ndarray) -> float:
        exps = np.exp(s)
        return float((exps / exps.sum(axis=-1, keepdims=True) * dA).sum())

    close(found, nudged(library, loss, S), 1e-8)


@pytest.mark.theorem("thm-attention-backward")
@given(seed=st.integers(0, 10**6), sharpness=st.floats(0, 30))
def test_softmax_backward_sums_to_0_and_forgets_a_shift(
    seed: int, sharpness: float, library: str
) -> None:
    rng = np.random.default_rng(seed)
    A = twin(library, "softmax.softmax")(sharpness * rng.normal(size=(3, 7)))
    dA, shift = rng.normal(size=(3, 7)), rng.normal(size=(3, 1))
    backward = twin(library, "gradients.softmax_backward")
    dS = backward(A, dA)
    np.testing.assert_allclose(dS.sum(axis=-1), 0, atol=1e-14)
    np.testing.assert_allclose(backward(A, dA + shift), dS, atol=1e-14)


def test_softmax_backward_of_the_chapters_three_scores(library: str) -> None:
    """The weights 1/4, 1/2, 1/4 and the values 8, 4, 0, whose output should be 5 and is 4."""
    a, v = np.array([0.25, 0.5, 0.25]), np.array([8.0, 4.0, 0.0])
    found = twin(library, "gradients.softmax_backward")(a, (a @ v - 5) * v)
    np.testing.assert_array_equal(found, [-1, 0, 1])


@pytest.mark.equation("eq-certain-row")
@given(seed=st.integers(0, 10**6), sharpness=st.floats(0, 30))
def test_softmax_backward_of_a_certain_row_is_small(
    seed: int, sharpness: float, library: str
) -> None:
    rng = np.random.default_rng(seed)
    a = twin(library, "softmax.softmax")(sharpness * rng.normal(size=5))
    da = 10 * rng.normal(size=5)
    ds = twin(library, "gradients.softmax_backward")(a, da)
    # 1 - max(a), without losing its digits where max(a) is nearly 1
    rest = math.fsum(np.sort(a)[:-1])
    assert np.abs(ds).max() <= rest * (da.max() - da.min()) + 1e-14


@pytest.mark.equation("eq-certain-row")
def test_softmax_backward_reaches_the_bound_of_a_certain_row(library: str) -> None:
    """With two keys, in the limit: the bound cannot be lowered by a factor."""
    a = np.array([1 - 1e-9, 1e-9])
    ds = twin(library, "gradients.softmax_backward")(a, np.array([0.0, 1.0]))
    np.testing.assert_allclose(ds[1], 1e-9, rtol=1e-8)


# --- attention ------------------------------------------------------------------------------------


@pytest.mark.equation("eq-product-backward")
def test_weighted_sum_goes_back_as_two_products(library: str) -> None:
    """dA = dY V^T and dV = A^T dY are what nudges of `weighted_sum` measure."""
    A, V = np.abs(normal(N_Q, N_K)), normal(N_K, D_V)
    dY = normal(N_Q, D_V, seed=2)
    forward = twin(library, "weighted_sum.weighted_sum")
    found = nudged(library, lambda x: (forward(x, V) * dY).sum(), A)
    wanted = [[math.fsum(dY[i] * V[j]) for j in range(N_K)] for i in range(N_Q)]
    close(found, wanted, 1e-8)
    found = nudged(library, lambda x: (forward(A, x) * dY).sum(), V)
    wanted = [
        [math.fsum(A[:, j] * dY[:, c]) for c in range(D_V)] for j in range(N_K)
    ]
    close(found, wanted, 1e-8)


@pytest.mark.equation("eq-product-backward")
@pytest.mark.equation("eq-softmax-backward")
@pytest.mark.equation("eq-attention-backward")
@pytest.mark.theorem("thm-attention-backward")
def test_attention_backward_written_out(library: str) -> None:
    """Each entry as a sum over the numbers that it reaches."""
    (Q, K, V), dY = inputs(), normal(N_Q, D_V, seed=3)
    A = attention_by_loops(Q, K)
    dA = [[math.fsum(dY[i] * V[j]) for j in range(N_K)] for i in range(N_Q)]
    dS = np.array(
        [row_backward(a, np.array(da)) for a, da in zip(A, dA, strict=True)]
    )
    root = math.sqrt(D_K)
    wanted = (
        [[math.fsum(dS[i] * K[:, f]) / root for f in range(D_K)] for i in range(N_Q)],
        [[math.fsum(dS[:, j] * Q[:, f]) / root for f in range(D_K)] for j in range(N_K)],
        [[math.fsum(A[:, j] * dY[:, c]) for c in range(D_V)] for j in range(N_K)],
    )  # fmt: skip
    found = twin(library, "gradients.attention_backward")(Q, K, V, dY)
    for got, right in zip(found, wanted, strict=True):
        close(got, right)


@pytest.mark.theorem("thm-attention-backward")
def test_attention_backward_is_what_nudges_measure(library: str) -> None:
    given_, dY = list(inputs()), normal(N_Q, D_V, seed=3)
    forward = twin(library, "qkv.attention")
    found = twin(library, "gradients.attention_backward")(*given_, dY)
    for at, gradient in enumerate(found):

        def loss(x: np.ndarray, at: int = at) -> float:
            moved = [*given_[:at], x, *given_[at + 1 :]]
            return float((forward(*moved) * dY).sum())

        close(gradient, nudged(library, loss, given_[at]), 1e-7)


@pytest.mark.equation("eq-score-gradient")
def test_attention_backward_weighs_how_far_a_value_lies_from_the_output(
    library: str,
) -> None:
    """With the unit vectors as keys and scale 1, the gradient of Q is that of the scores."""
    Q, V, dY = normal(N_Q, N_K), normal(N_K, D_V), normal(N_Q, D_V, seed=3)
    found, _, _ = twin(library, "gradients.attention_backward")(
        Q, np.eye(N_K), V, dY, scale=1.0
    )
    A = attention_by_loops(Q * math.sqrt(N_K), np.eye(N_K))
    for i, j in itertools.product(range(N_Q), range(N_K)):
        y = [math.fsum(A[i] * V[:, c]) for c in range(D_V)]
        wanted = A[i, j] * math.fsum(dY[i] * (V[j] - y))
        assert found[i, j] == pytest.approx(wanted, rel=1e-10, abs=1e-13)


def test_attention_backward_moves_all_keys_together_nowhere(library: str) -> None:
    """The rows of dK sum to 0, since adding one vector to all keys changes no weight."""
    (Q, K, V), dY = inputs(), normal(N_Q, D_V, seed=3)
    backward = twin(library, "gradients.attention_backward")
    _, dK, _ = backward(Q, K, V, dY)
    assert np.abs(dK).max() > 0.01
    np.testing.assert_allclose(dK.sum(axis=0), 0, atol=1e-14)
    forward = twin(library, "qkv.attention")
    close(forward(Q, K + normal(D_K, seed=9), V), forward(Q, K, V))


def test_attention_backward_passes_nothing_through_a_masked_weight(
    library: str,
) -> None:
    """Keys and values that no query may see, and queries that may see none, get exact zeros."""
    (Q, K, V), dY = inputs(), normal(N_Q, D_V, seed=3)
    mask = np.ones((N_Q, N_K), dtype=bool)
    mask[:, 2] = False
    mask[4] = False
    backward = twin(library, "gradients.attention_backward")
    dQ, dK, dV = backward(Q, K, V, dY, mask=mask)
    assert not dK[2].any() and not dV[2].any() and not dQ[4].any()
    assert dK.any(axis=-1).sum() == dV.any(axis=-1).sum() == N_K - 1
    # One query alone that sees three keys: nothing else hears from it.
    only = np.zeros_like(dY)
    only[1] = dY[1]
    few = np.zeros_like(mask)
    few[:, [0, 3, 5]] = True
    dQ, dK, dV = backward(Q, K, V, only, mask=few)
    assert np.flatnonzero(dK.any(axis=-1)).tolist() == [0, 3, 5]
    assert np.flatnonzero(dV.any(axis=-1)).tolist() == [0, 3, 5]
    assert np.flatnonzero(dQ.any(axis=-1)).tolist() == [1]


@pytest.mark.equation("eq-query-covariance")
@pytest.mark.theorem("thm-query-covariance")
def test_attention_backward_is_a_covariance_under_the_weights(library: str) -> None:
    """As NumPy's own `cov` computes it, and as nudges of the query measure it."""
    q, K, V = normal(1, D_K), normal(N_K, D_K, seed=1), normal(N_K, D_V, seed=2)
    (a,) = twin(library, "qkv.attention_weights")(q, K)
    both = np.cov(K, V, rowvar=False, aweights=a, ddof=0)
    covariance = both[:D_K, D_K:] / math.sqrt(D_K)
    backward = twin(library, "gradients.attention_backward")
    forward = twin(library, "qkv.attention")
    for c in range(D_V):
        unit = np.eye(D_V)[[c]]
        (dq,), _, _ = backward(q, K, V, unit)
        close(dq, covariance[:, c])
        measured = nudged(library, lambda x, c=c: forward(x, K, V)[0, c], q)
        close(measured[0], covariance[:, c], 1e-7)


@pytest.mark.equation("eq-projections-backward")
@pytest.mark.parametrize("n_heads", [1, 2])
def test_multi_head_attention_backward_adds_up_what_comes_back(
    n_heads: int, library: str
) -> None:
    """Of X, from three projections; of the matrices, from all rows of all sequences."""
    X, d_out = normal(2, 3, 5), normal(2, 3, 11, seed=1)
    W_Q, W_K = normal(5, 6, seed=2), normal(5, 6, seed=3)
    W_V, W_O = normal(5, 14, seed=4), normal(14, 11, seed=5)
    W = [W_Q, W_K, W_V, W_O]
    found = twin(library, "gradients.multi_head_attention_backward")(
        X, *W, d_out, n_heads=n_heads
    )
    wanted = [np.zeros_like(array) for array in (X, *W[:3])]
    width_k, width_v = 6 // n_heads, 14 // n_heads
    attention_backward = twin(library, "gradients.attention_backward")
    for b, h in itertools.product(range(2), range(n_heads)):
        qk = slice(h * width_k, (h + 1) * width_k)
        vo = slice(h * width_v, (h + 1) * width_v)
        parts = (W_Q[:, qk], W_K[:, qk], W_V[:, vo])
        back = attention_backward(*(X[b] @ P for P in parts), d_out[b] @ W_O[vo].T)
        for dW, at, d, P in zip(wanted[1:], (qk, qk, vo), back, parts, strict=True):
            dW[:, at] += X[b].T @ d
            wanted[0][b] += d @ P.T
    for got, right in zip(found, wanted, strict=False):
        close(got, right)
    forward = twin(library, "multi_head.multi_head_attention")
    for at in range(5):

        def loss(x: np.ndarray, at: int = at) -> float:
            arrays = [X, *W]
            arrays[at] = x
            return float((forward(*arrays, n_heads=n_heads) * d_out).sum())

        close(found[at], nudged(library, loss, [X, *W][at]), 1e-7)


# --- the norm -------------------------------------------------------------------------------------


@pytest.mark.equation("eq-layer-norm-backward")
@pytest.mark.equation("eq-layer-norm-jacobian")
@pytest.mark.parametrize("eps", [1e-5, 0.0, 2.0])
def test_layer_norm_backward_written_out(eps: float, library: str) -> None:
    """The formula, the Jacobian summed entry by entry, and what nudges measure."""
    X, gain, dY = normal(2, 3, 7) + 1, normal(7, seed=1), normal(2, 3, 7, seed=2)
    dX, d_gain, d_bias = twin(library, "gradients.layer_norm_backward")(
        X, gain, dY, eps=eps
    )
    z = np.empty_like(X)
    for at in itertools.product(range(2), range(3)):
        x = X[at]
        mean = math.fsum(x) / 7
        s = math.sqrt(math.fsum((x - mean) ** 2) / 7 + eps)
        z[at], dz = (x - mean) / s, gain * dY[at]
        stretch = math.fsum(dz * z[at]) / 7
        close(dX[at], (dz - math.fsum(dz) / 7 - z[at] * stretch) / s, 1e-11)
        jacobian = [
            [((f == m) - 1 / 7 - z[at][f] * z[at][m] / 7) / s for m in range(7)]
            for f in range(7)
        ]
        close(dX[at], dz @ np.array(jacobian), 1e-11)
    close(d_gain, (dY * z).sum(axis=(0, 1)))
    close(d_bias, dY.sum(axis=(0, 1)))
    forward = twin(library, "block.layer_norm")

    def loss(x: np.ndarray) -> float:
        return float((forward(x, gain, np.zeros(7), eps=eps) * dY).sum())

    close(dX, nudged(library, loss, X), 1e-7)


@pytest.mark.equation("eq-layer-norm-backward")
def test_layer_norm_backward_takes_out_shift_and_stretch(library: str) -> None:
    X, dY, one = normal(3, 7) + 1, normal(3, 7, seed=2), np.ones(7)
    dX, _, _ = twin(library, "gradients.layer_norm_backward")(X, one, dY, eps=0.0)
    np.testing.assert_allclose(dX.sum(axis=-1), 0, atol=1e-13)
    np.testing.assert_allclose((dX * X).sum(axis=-1), 0, atol=1e-13)
    assert np.abs(dX).max() > 0.1


# --- nudges and steps -----------------------------------------------------------------------------


@pytest.mark.equation("eq-central-difference")
@pytest.mark.parametrize("eps", [1e-1, 1e-3])
def test_numerical_gradient_is_the_slope_between_two_nudges(
    eps: float, library: str
) -> None:
    x = normal(2, 3)

    def f(x: np.ndarray) -> float:
        return math.fsum(math.exp(number) for number in x.flat)

    found = nudged(library, f, x, eps)
    for at in itertools.product(range(2), range(3)):
        above, below = x.copy(), x.copy()
        above[at] += eps
        below[at] -= eps
        wanted = (f(above) - f(below)) / (2 * eps)
        assert found[at] == pytest.approx(wanted, rel=1e-12)
        # Both ways, the error of exp falls with the square: e^x eps^2 / 6, and a little more.
        off = found[at] - math.exp(x[at])
        assert off == pytest.approx(math.exp(x[at]) * eps**2 / 6, rel=1e-3)


@pytest.mark.equation("eq-central-difference")
def test_numerical_gradient_of_a_square_is_exact_but_for_rounding(
    library: str,
) -> None:
    x = normal(2, 3)
    found = nudged(library, lambda x: (x**2).sum(), x, 0.5)
    np.testing.assert_allclose(found, 2 * x, rtol=1e-13)


@pytest.mark.equation("eq-difference-error", formula=True)
@pytest.mark.parametrize(
    ("dtype", "u"), [(np.float64, 2.0**-53), (np.float32, 2.0**-24)]
)
def test_the_error_of_a_quotient_is_smallest_at_the_cube_root(
    dtype: type, u: float
) -> None:
    """For exp at 0, where f and its third derivative are 1: a bound, lowest where it is said."""

    def bound(eps: float) -> float:
        return eps**2 / 6 + u / eps

    best = (3 * u) ** (1 / 3)
    grid = best * np.geomspace(1e-3, 1e3, 601)
    assert grid[np.argmin([bound(eps) for eps in grid])] == pytest.approx(best)
    worst = 0.0
    for eps in best * np.geomspace(1e-2, 1e2, 101):
        up, down = np.exp(np.array([eps, -eps], dtype=dtype)).astype(float)
        # The nudge that was made, not the one that was meant.
        made = float(dtype(eps))
        worst = max(worst, abs((up - down) / (2 * made) - 1) / bound(made))
    assert 0.5 < worst < 1.6


@pytest.mark.equation("eq-adam", formula=True)
def test_adam_takes_the_steps_of_pytorch() -> None:
    x, rate = normal(5), 0.01
    theirs = torch.nn.Parameter(torch.from_numpy(x.copy()))
    optimizer = torch.optim.Adam([theirs], lr=rate)
    m, r = np.zeros(5), np.zeros(5)
    for t in range(1, 21):
        g = normal(5, seed=t) * 10.0 ** np.arange(-4, 1)
        theirs.grad = torch.from_numpy(g)
        optimizer.step()
        m, r = 0.9 * m + 0.1 * g, 0.999 * r + 0.001 * g**2
        x = x - rate * (m / (1 - 0.9**t)) / (np.sqrt(r / (1 - 0.999**t)) + 1e-8)
        np.testing.assert_allclose(theirs.detach().numpy(), x, rtol=1e-12)
