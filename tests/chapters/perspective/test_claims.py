"""What convolutions, kernels and memories have to do with attention, beside loops and SciPy."""

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.ndimage import correlate
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode

from course_attn.in_torch import MultiHeadAttention
from tests.support.attention_inputs import normal
from tests.support.twin_table import twin

HEIGHT, WIDTH = 5, 7
DOUBLE = np.dtype(np.float64)
SHIFTS = list(itertools.product(range(-2, 3), repeat=2))
# Rows and columns of a kernel, and the channels of its input and output.
KERNELS = [(3, 3, 1, 1), (3, 5, 2, 11), (1, 3, 3, 2), (7, 1, 2, 3)]


def place(i: int) -> tuple[int, int]:
    """Return row and column of a pixel."""
    return divmod(i, WIDTH)


def convolution(image: np.ndarray, kernel: np.ndarray, mode: str) -> np.ndarray:
    """Return SciPy's correlation, a channel at a time."""
    out = np.zeros((*image.shape[:2], kernel.shape[3]))
    for f, o in np.ndindex(kernel.shape[2:]):
        out[..., o] += correlate(image[..., f], kernel[..., f, o], mode=mode)
    return out


# --- one form for four layers ---------------------------------------------------------------------


@pytest.mark.equation("eq-position-mixing", formula=True)
def test_dense_layers_convolutions_and_recurrences_have_a_table_over_positions() -> (
    None
):
    """Y is the sum of M_h X W_h, with PyTorch's layers as the judges."""
    X = torch.from_numpy(normal(6, 4))
    dense = torch.nn.Linear(6, 6, bias=False).double()
    np.testing.assert_allclose(dense.weight.detach() @ X, dense(X.mT).mT.detach())

    conv = torch.nn.Conv1d(4, 5, 3, padding=1, bias=False).double()
    shifted = (
        torch.eye(6, dtype=X.dtype).roll(b - 1, dims=1).clone() for b in range(3)
    )
    out = torch.zeros(6, 5, dtype=X.dtype)
    for b, M in enumerate(shifted):
        if b == 0:
            M[0] = 0
        if b == 2:
            M[-1] = 0
        out += M @ X @ conv.weight.detach()[:, :, b].mT
    np.testing.assert_allclose(out, conv(X.mT[None])[0].mT.detach(), atol=1e-14)

    h, states = torch.zeros(4, dtype=X.dtype), []
    for x in X:
        h = 0.7 * h + x
        states.append(h)
    table = np.array(
        [[0.7 ** (i - j) * (j <= i) for j in range(6)] for i in range(6)]
    )
    np.testing.assert_allclose(table @ X.numpy(), torch.stack(states), rtol=1e-12)


@pytest.mark.equation("eq-position-mixing")
def test_multi_head_attention_has_a_computed_table_for_each_head(
    library: str,
) -> None:
    X = normal(6, 4)
    W_Q, W_K, W_V = normal(3, 4, 6)
    W_O = normal(6, 5, seed=1)
    out = np.zeros((6, 5))
    for h in range(2):
        part = slice(3 * h, 3 * h + 3)
        M = twin(library, "qkv.attention_weights")(
            X @ W_Q[:, part], X @ W_K[:, part]
        )
        out += M @ X @ (W_V[:, part] @ W_O[part])
    found = twin(library, "multi_head.multi_head_attention")(
        X, W_Q, W_K, W_V, W_O, n_heads=2
    )
    np.testing.assert_allclose(found, out, rtol=1e-12)


# --- convolutions ---------------------------------------------------------------------------------


@pytest.mark.equation("eq-shift-index")
@pytest.mark.parametrize("shift", SHIFTS, ids=str)
def test_shift_weights_look_at_one_pixel_inside_and_else_at_none(
    shift: tuple[int, int], library: str
) -> None:
    found = twin(library, "perspective.shift_weights")(HEIGHT, WIDTH, shift)
    down, right = shift
    for i in range(HEIGHT * WIDTH):
        r, c = place(i)
        inside = 0 <= r + down < HEIGHT and 0 <= c + right < WIDTH
        wanted = np.zeros(HEIGHT * WIDTH)
        if inside:
            wanted[i + WIDTH * down + right] = 1
        np.testing.assert_array_equal(found[i], wanted)


def test_the_flat_index_of_the_common_claim_is_not_a_convolution(
    library: str,
) -> None:
    """Keys at i + 4 and i - 4 alone, or nine in a row, miss most of the neighbors."""
    heads = [
        twin(library, "perspective.shift_weights")(HEIGHT, WIDTH, shift)
        for shift in itertools.product(range(-1, 2), repeat=2)
    ]
    i = 2 * WIDTH + 3  # in the middle
    looked_at = {int(A[i].argmax()) - i for A in heads}
    assert looked_at == {-8, -7, -6, -1, 0, 1, 6, 7, 8}
    assert not looked_at & {-4, 4}


@pytest.mark.equation("eq-convolution")
@pytest.mark.parametrize("sizes", KERNELS, ids=str)
def test_conv2d_as_attention_adds_up_shifted_pixels(
    sizes: tuple[int, ...], library: str
) -> None:
    """Pixel by pixel, by loops."""
    image, kernel = normal(HEIGHT, WIDTH, sizes[2]), normal(*sizes, seed=1)
    wanted = np.zeros((HEIGHT, WIDTH, sizes[3]))
    for r, c, a, b in np.ndindex(HEIGHT, WIDTH, *sizes[:2]):
        row, column = r + a - sizes[0] // 2, c + b - sizes[1] // 2
        if 0 <= row < HEIGHT and 0 <= column < WIDTH:
            wanted[r, c] += image[row, column] @ kernel[a, b]
    found = twin(library, "perspective.conv2d_as_attention")(image, kernel)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-13)


@pytest.mark.theorem("thm-convolution-attention")
@pytest.mark.parametrize("sizes", KERNELS, ids=str)
def test_conv2d_as_attention_is_the_convolution_of_scipy_and_pytorch(
    sizes: tuple[int, ...], library: str
) -> None:
    image, kernel = normal(11, 13, sizes[2]), normal(*sizes, seed=1)
    found = twin(library, "perspective.conv2d_as_attention")(image, kernel)
    wanted = convolution(image, kernel, "constant")
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)
    theirs = F.conv2d(
        torch.from_numpy(image).permute(2, 0, 1),
        torch.from_numpy(kernel).permute(3, 2, 0, 1),
        padding=(sizes[0] // 2, sizes[1] // 2),
    )
    np.testing.assert_allclose(
        found, theirs.permute(1, 2, 0).numpy(), rtol=0, atol=1e-12
    )


@pytest.mark.equation("eq-convolution-heads")
@pytest.mark.theorem("thm-convolution-attention")
def test_conv2d_as_attention_is_heads_side_by_side_times_the_kernel_as_output_matrix(
    library: str,
) -> None:
    """Both forms: the sum over heads, and PyTorch's way to lay out all patches."""
    image, kernel = normal(HEIGHT, WIDTH, 3), normal(3, 3, 3, 2, seed=1)
    X = image.reshape(-1, 3)
    shift_weights = twin(library, "perspective.shift_weights")
    heads = [
        shift_weights(HEIGHT, WIDTH, (a - 1, b - 1)) @ X
        for a, b in np.ndindex(3, 3)
    ]
    total = sum(heads[3 * a + b] @ kernel[a, b] for a, b in np.ndindex(3, 3))
    found = twin(library, "perspective.conv2d_as_attention")(image, kernel)
    np.testing.assert_allclose(found.reshape(-1, 2), total, atol=1e-13)
    # F.unfold has the channels first; ours have them last.
    unfolded = F.unfold(
        torch.from_numpy(image).permute(2, 0, 1)[None], 3, padding=1
    )
    patches = unfolded[0].reshape(3, 9, -1).permute(2, 1, 0).reshape(-1, 27).numpy()
    np.testing.assert_array_equal(np.concatenate(heads, axis=1), patches)


# --- softmax heads --------------------------------------------------------------------------------


@pytest.mark.equation("eq-relative-scores")
@pytest.mark.parametrize("shift", [(0, 0), (1, -2), (-3, 1)], ids=str)
def test_relative_position_scores_fall_with_the_squared_distance(
    shift: tuple[int, int], library: str
) -> None:
    scores = twin(library, "perspective.relative_position_scores")(
        HEIGHT, WIDTH, shift, sharpness=1.7, dtype=DOUBLE
    )
    for i, j in itertools.product(range(HEIGHT * WIDTH), repeat=2):
        (r, c), (row, column) = place(i), place(j)
        squared = (row - r - shift[0]) ** 2 + (column - c - shift[1]) ** 2
        assert scores[i, j] == pytest.approx(-1.7 * squared, rel=1e-12)
    # As Gaussian scores of places, with the bandwidth of that sharpness.
    places = np.array([place(i) for i in range(HEIGHT * WIDTH)], dtype=float)
    gaussian = twin(library, "scores.gaussian_scores")(
        places + np.array(shift), places, bandwidth=1 / math.sqrt(2 * 1.7)
    )
    np.testing.assert_allclose(scores, gaussian, rtol=1e-12)


@pytest.mark.equation("eq-lead")
@given(seed=st.integers(0, 10**6), sharpness=st.floats(0, 30))
def test_softmax_leaves_to_others_what_the_leads_allow(
    seed: int, sharpness: float, library: str
) -> None:
    scores = sharpness * np.random.default_rng(seed).normal(size=7)
    weights = twin(library, "softmax.softmax")(scores)
    for m in range(7):
        others = np.delete(np.arange(7), m)
        allowed = math.fsum(np.exp(np.minimum(scores[others] - scores[m], 700)))
        assert math.fsum(weights[others]) <= allowed * (1 + 1e-12)


def test_softmax_leaves_to_others_nearly_as_much_as_the_leads_allow(
    library: str,
) -> None:
    """Where one leads clearly, so that the bound cannot be lowered by a factor."""
    weights = twin(library, "softmax.softmax")(np.array([20.0, 0.0, 1.0]))
    allowed = math.exp(-20) + math.exp(-19)
    assert weights[1:].sum() == pytest.approx(allowed, rel=1e-7)


@pytest.mark.theorem("thm-softmax-convolution")
@pytest.mark.parametrize("sharpness", [1.0, 1.5, 3.0, 8.0, 20.0])
def test_softmax_heads_leave_less_than_six_parts_elsewhere(
    sharpness: float, library: str
) -> None:
    """For shifts that stay inside and for others, whose nearest pixel is at the border."""
    nearly = 0.0
    for shift in [*SHIFTS, (4, -9)]:
        scores = twin(library, "perspective.relative_position_scores")(
            HEIGHT, WIDTH, shift, sharpness=sharpness, dtype=DOUBLE
        )
        weights = twin(library, "softmax.softmax")(scores)
        for i in range(HEIGHT * WIDTH):
            r, c = place(i)
            row = min(max(r + shift[0], 0), HEIGHT - 1)
            column = min(max(c + shift[1], 0), WIDTH - 1)
            elsewhere = math.fsum(np.delete(weights[i], row * WIDTH + column))
            assert elsewhere <= 6 * math.exp(-sharpness)
            nearly = max(nearly, elsewhere * math.exp(sharpness))
    # Four neighbors trail by the sharpness alone: no bound below 4 would hold in the limit.
    assert sharpness < 8 or nearly > 3.9


@pytest.mark.equation("eq-softmax-error")
@pytest.mark.theorem("thm-softmax-convolution")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("sharpness", [1.0, 4.0, 12.0])
def test_softmax_heads_come_near_the_convolution_with_a_continued_border(
    sharpness: float, seed: int, library: str
) -> None:
    image = normal(HEIGHT, WIDTH, 2, seed=seed)
    kernel = normal(3, 3, 2, 3, seed=seed + 10)
    out = np.zeros((HEIGHT * WIDTH, 3))
    for a, b in np.ndindex(3, 3):
        scores = twin(library, "perspective.relative_position_scores")(
            HEIGHT, WIDTH, (a - 1, b - 1), sharpness=sharpness, dtype=DOUBLE
        )
        A = twin(library, "softmax.softmax")(scores)
        out += A @ image.reshape(-1, 2) @ kernel[a, b]
    wanted = convolution(image, kernel, "nearest").reshape(-1, 3)
    ranges = np.ptp(image.reshape(-1, 2), axis=0)
    bound = (
        6 * math.exp(-sharpness) * np.einsum("abfo,f->o", np.abs(kernel), ranges)
    )
    error = np.abs(out - wanted).max(axis=0)
    assert (error <= bound).all()
    assert (error > bound / 100).all()


@pytest.mark.equation("eq-place-features")
@pytest.mark.parametrize("shift", [(0, 0), (1, -2), (-3, 1)], ids=str)
def test_attention_weights_of_three_numbers_for_a_place_are_a_softmax_head(
    shift: tuple[int, int], library: str
) -> None:
    places = np.array([place(i) for i in range(HEIGHT * WIDTH)], dtype=float)
    target = places + np.array(shift)
    Q = 0.8 * np.hstack([2 * target, -np.ones((HEIGHT * WIDTH, 1))])
    K = np.hstack([places, (places**2).sum(axis=1, keepdims=True)])
    found = twin(library, "qkv.attention_weights")(Q, K, scale=1.0)
    scores = twin(library, "perspective.relative_position_scores")(
        HEIGHT, WIDTH, shift, sharpness=0.8, dtype=DOUBLE
    )
    wanted = twin(library, "softmax.softmax")(scores)
    np.testing.assert_allclose(found, wanted, rtol=1e-10)


# --- kernels and graphs ---------------------------------------------------------------------------


@pytest.mark.equation("eq-non-local-means")
def test_gaussian_scores_of_fetched_patches_are_non_local_means(
    library: str,
) -> None:
    """Patches cut out by slices, and weights one at a time."""
    image = normal(HEIGHT, WIDTH)
    padded = np.pad(image, 1)
    patches = [
        padded[r : r + 3, c : c + 3] for r, c in map(place, range(image.size))
    ]
    wanted = []
    for one in patches:
        kernel = [
            math.exp(-math.fsum(((one - p) ** 2).flat) / (2 * 1.3**2))
            for p in patches
        ]
        wanted.append(math.fsum(kernel * image.ravel()) / math.fsum(kernel))  # fmt: skip
    x = image.reshape(-1, 1)
    shift_weights = twin(library, "perspective.shift_weights")
    u = np.hstack(
        [
            shift_weights(HEIGHT, WIDTH, (a - 1, b - 1)) @ x
            for a, b in np.ndindex(3, 3)
        ]
    )
    scores = twin(library, "scores.gaussian_scores")(u, u, bandwidth=1.3)
    found = twin(library, "softmax.softmax")(scores) @ x
    np.testing.assert_allclose(found[:, 0], wanted, rtol=1e-12)


@pytest.mark.equation("eq-messages")
def test_attention_with_a_mask_adds_up_messages_along_the_edges(
    library: str,
) -> None:
    Q, K, V = normal(3, 7, 5)
    edges = np.random.default_rng(3).random((7, 7)) < 0.4
    edges |= edges.T | np.eye(7, dtype=bool)
    attention = twin(library, "qkv.attention")
    for joined in (edges, np.ones_like(edges)):
        wanted = np.zeros_like(V)
        for i in range(7):
            neighbors = np.flatnonzero(joined[i])
            exps = [
                math.exp(math.fsum(Q[i] * K[j]) / math.sqrt(5)) for j in neighbors
            ]
            for e, j in zip(exps, neighbors, strict=True):
                wanted[i] += e / math.fsum(exps) * V[j]
        found = attention(Q, K, V, mask=joined)
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
    np.testing.assert_allclose(attention(Q, K, V), wanted, rtol=1e-12)


# --- memories -------------------------------------------------------------------------------------


def energy(patterns: np.ndarray, state: np.ndarray, beta: float) -> float:
    """Return the energy of one state, a number at a time."""
    exponents = [beta * math.fsum(state * x) for x in patterns]
    top = max(exponents)
    log_sum = top + math.log(math.fsum(math.exp(e - top) for e in exponents))
    return math.fsum(state**2) / 2 - log_sum / beta


@pytest.mark.equation("eq-hopfield-update")
@pytest.mark.theorem("thm-hopfield")
@pytest.mark.parametrize("beta", [0.3, 1.0, 6.0])
def test_hopfield_update_is_one_attention_step(beta: float, library: str) -> None:
    patterns, states = normal(11, 5), normal(3, 5, seed=1)
    found = twin(library, "perspective.hopfield_update")(
        patterns, states, beta=beta
    )
    attended = twin(library, "qkv.attention")(
        states, patterns, patterns, scale=beta
    )
    np.testing.assert_allclose(found, attended, rtol=1e-14)
    q, k = torch.from_numpy(states)[None], torch.from_numpy(patterns)[None]
    theirs = F.scaled_dot_product_attention(q, k, k, scale=beta)
    np.testing.assert_allclose(found, theirs[0].numpy(), rtol=1e-12)
    for state, moved in zip(states, found, strict=True):
        exps = [math.exp(beta * math.fsum(state * x)) for x in patterns]
        wanted = sum(
            e / math.fsum(exps) * x for e, x in zip(exps, patterns, strict=True)
        )
        np.testing.assert_allclose(moved, wanted, rtol=1e-11)  # fmt: skip


@pytest.mark.equation("eq-hopfield-energy")
@pytest.mark.theorem("thm-hopfield")
@pytest.mark.parametrize("beta", [0.3, 1.0, 6.0])
def test_hopfield_update_is_a_step_down_the_gradient_of_the_energy(
    beta: float, library: str
) -> None:
    """The gradient is measured by nudges of the state."""
    patterns, state = normal(11, 5), normal(1, 5, seed=1)
    update = twin(library, "perspective.hopfield_update")
    (moved,) = update(patterns, state, beta=beta)
    eps = 1e-5
    slopes = [
        (energy(patterns, state[0] + eps * one, beta)
         - energy(patterns, state[0] - eps * one, beta)) / (2 * eps)
        for one in np.eye(5)
    ]  # fmt: skip
    np.testing.assert_allclose(state[0] - np.array(slopes), moved, atol=1e-8)


@pytest.mark.equation("eq-energy-falls")
@pytest.mark.theorem("thm-hopfield")
@given(seed=st.integers(0, 10**6), beta=st.floats(0.01, 30))
def test_hopfield_update_lowers_the_energy_by_half_the_squared_step(
    seed: int, beta: float, library: str
) -> None:
    rng = np.random.default_rng(seed)
    patterns, state = rng.normal(size=(7, 5)), 3 * rng.normal(size=(1, 5))
    update = twin(library, "perspective.hopfield_update")
    for _ in range(4):
        moved = update(patterns, state, beta=beta)
        fall = energy(patterns, state[0], beta) - energy(patterns, moved[0], beta)
        assert fall >= ((moved - state) ** 2).sum() / 2 - 1e-12
        state = moved


def flipped(seed: int, n: int, d: int, flips: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw patterns of signs, and some of them with so many wrong."""
    rng = np.random.default_rng(seed)
    patterns = rng.integers(0, 2, size=(n, d)) * 2.0 - 1
    damaged = patterns[:20].copy()
    for row in damaged:
        row[rng.permutation(d)[:flips]] *= -1
    return patterns, damaged


@pytest.mark.equation("eq-classical-hopfield", formula=True)
@pytest.mark.parametrize("seed", range(3))
def test_a_classical_network_restores_few_patterns(seed: int) -> None:
    """All of five, none of sixty, of 64 signs with six wrong."""
    for n, wanted in ((5, 1.0), (60, 0.0)):
        patterns, state = flipped(seed, n, 64, 6)
        W = np.zeros((64, 64))
        for x in patterns:
            W += np.outer(x, x)
        np.fill_diagonal(W, 0)
        for _ in range(20):
            for f in range(64):
                state[:, f] = np.where(state @ W[f] >= 0, 1.0, -1.0)
        restored = (state == patterns[: len(state)]).all(axis=1).mean()
        assert restored == wanted


@pytest.mark.parametrize("seed", range(3))
def test_hopfield_update_restores_thousands(seed: int, library: str) -> None:
    patterns, damaged = flipped(seed, 3000, 64, 6)
    found = twin(library, "perspective.hopfield_update")(
        patterns, damaged, beta=1.0
    )
    np.testing.assert_allclose(found, patterns[:20], atol=0.01)


# --- costs ----------------------------------------------------------------------------------------


@pytest.mark.equation("eq-layer-operations")
@pytest.mark.parametrize(("n", "d", "k"), [(20, 12, 3), (7, 30, 5)])
def test_operations_of_layers_are_what_pytorch_counts(
    n: int, d: int, k: int
) -> None:
    X = torch.ones(1, n, d)
    attend = MultiHeadAttention(d, 3, biases=False)
    convolve = torch.nn.Conv1d(d, d, k, bias=False)
    cell = torch.nn.RNNCell(d, d, bias=False)
    ways = {
        8 * n * d**2 + 4 * n**2 * d: lambda: attend.forward_with_weights(X),
        4 * n * d**2: lambda: [cell(x, x) for x in X[0].split(1)],
        2 * k * n * d**2: lambda: convolve(F.pad(X.mT, (k // 2, k // 2))),
    }
    for wanted, run in ways.items():
        with torch.no_grad(), FlopCounterMode(display=False) as counter:
            run()
        assert counter.get_total_flops() == wanted


@pytest.mark.equation("eq-layer-operations")
def test_operations_of_a_window_are_those_of_its_keys(library: str) -> None:
    """Of 4 n^2 d, the part of the pairs that the mask leaves; fewer at the beginning."""
    n, r = 40, 5
    mask = twin(library, "masks.sliding_window_mask")(n, n, window=r)
    pairs = int(np.asarray(mask).sum())
    assert pairs == r * n - r * (r - 1) // 2


@pytest.mark.equation("eq-path-lengths")
@pytest.mark.parametrize(("n", "k"), [(16, 3), (17, 3), (50, 4), (2, 2), (81, 3)])
def test_windows_and_convolutions_reach_back_in_so_many_layers(
    n: int, k: int, library: str
) -> None:
    """Counted with matrices of zeros and ones: what each layer sees, one after the other."""
    window = np.asarray(twin(library, "masks.sliding_window_mask")(n, n, window=k))

    def layers(sees: list[np.ndarray]) -> int:
        reached = np.eye(n, dtype=bool)
        for count, mask in enumerate(sees, start=1):
            reached = (mask.astype(int) @ reached.astype(int)) > 0
            if reached[-1, 0]:
                return count
        raise AssertionError("never reached")

    assert layers([window] * n) == math.ceil((n - 1) / (k - 1))
    back = np.arange(n)[:, None] - np.arange(n)
    gaps = [np.isin(back, k**layer * np.arange(k)) for layer in range(8)]
    wanted = next(L for L in range(1, 20) if k**L >= n)  # the logarithm, rounded up
    assert layers(gaps) == wanted
