"""What depth needs, what a stack cannot know, and how large it all is."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_attn.in_torch import Transformer, TransformerBlock
from course_attn.in_torch.block import feed_forward, layer_norm
from tests.chapters.block.inputs import D, N, block_params
from tests.support.attention_inputs import normal
from tests.support.twin_table import public, twin

# --- the identity path ----------------------------------------------------------------------------


def jacobian(function: Callable[..., torch.Tensor], X: torch.Tensor) -> np.ndarray:
    """Return the derivatives of all entries of the output by all entries of the input."""
    found = torch.autograd.functional.jacobian(function, X)
    return found.reshape(-1, X.numel()).numpy()


def parts_of(n_layers: int = 2) -> tuple[list[Any], Any]:
    """Return the parts of a pre-norm stack, each with its norm, and the stack itself."""
    torch.manual_seed(0)
    stack = Transformer(n_layers, D, n_heads=2).double()
    for parameter in stack.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    parts = []
    for b in stack.blocks:
        parts.append(lambda X, b=b: b.attention(b.norm_1(X)))
        parts.append(lambda X, b=b: b.feed_forward(b.norm_2(X)))
    return parts, stack


def streams_of(parts: list[Any], X: torch.Tensor) -> list[torch.Tensor]:
    """Return the stream before the first part and after each."""
    streams = [X]
    for part in parts:
        streams.append((streams[-1] + part(streams[-1])).detach())
    return streams


@pytest.mark.equation("eq-stream")
@pytest.mark.equation("eq-residual-sum")
@pytest.mark.theorem("thm-identity-path")
def test_transformer_output_is_the_input_plus_what_every_part_adds() -> None:
    parts, stack = parts_of(3)
    X = torch.from_numpy(normal(3, D))
    streams = streams_of(parts, X)
    through = X
    for block in stack.blocks:
        through = block(through)
    np.testing.assert_allclose(streams[-1], through.detach(), rtol=1e-12)
    added = sum(
        part(stream).detach()
        for part, stream in zip(parts, streams[:-1], strict=True)
    )
    np.testing.assert_allclose(through.detach(), X + added, rtol=1e-12)


@pytest.mark.equation("eq-residual-jacobian")
@pytest.mark.theorem("thm-identity-path")
def test_transformer_jacobian_is_the_sum_over_all_paths() -> None:
    """Over the 16 subsets of 4 parts, the empty one, the identity, among them."""
    parts, stack = parts_of(2)
    X = torch.from_numpy(normal(3, D))
    streams = streams_of(parts, X)
    J = [jacobian(f, x) for f, x in zip(parts, streams[:-1], strict=True)]
    whole = jacobian(lambda X: stack.blocks[1](stack.blocks[0](X)), X)
    eye = np.eye(X.numel())
    factors = eye
    for J_l in J:
        factors = (eye + J_l) @ factors
    np.testing.assert_allclose(whole, factors, rtol=1e-9, atol=1e-12)
    paths, lengths = np.zeros_like(eye), []
    for chosen in itertools.product([False, True], repeat=len(J)):
        product = eye
        for J_l, through in zip(J, chosen, strict=True):
            product = J_l @ product if through else product
        paths += product
        lengths.append(sum(chosen))
    np.testing.assert_allclose(whole, paths, rtol=1e-9, atol=1e-12)
    assert len(lengths) == 2**4 and lengths.count(0) == 1
    first_order = eye + sum(J)
    assert not np.allclose(whole, first_order)


def test_residual_identity_can_be_canceled_except_where_a_norm_sees_nothing() -> (
    None
):
    """A network that returns -sigma times what it reads leaves the mean, and a rank of 2."""
    x = torch.from_numpy(normal(7))
    eye, zero = torch.eye(7).double(), torch.zeros(7).double()
    both = torch.cat([eye, -eye])
    arrays = both.T, zero.repeat(2), -x.std(correction=0) * both, zero

    def step(x: torch.Tensor) -> torch.Tensor:
        return x + feed_forward(layer_norm(x, zero + 1, zero, eps=0.0), *arrays)

    np.testing.assert_allclose(step(x), x.mean().expand(7), atol=1e-12)
    left = jacobian(step, x)
    assert np.linalg.matrix_rank(left, tol=1e-9) == 2
    for unseen in (np.ones(7), (x - x.mean()).numpy()):
        np.testing.assert_allclose(left @ unseen, unseen, atol=1e-12)


def test_transformer_pre_norm_stack_lets_a_shift_of_one_element_through() -> None:
    """Exactly, for every element; post-norm does not."""
    X = torch.from_numpy(normal(3, D))
    shift = np.zeros((3, D))
    shift[1] = 1.0
    _, stack = parts_of(3)
    whole = jacobian(torch.nn.Sequential(*stack.blocks), X)
    np.testing.assert_allclose(whole @ shift.ravel(), shift.ravel(), atol=1e-12)
    torch.manual_seed(0)
    post = Transformer(3, D, n_heads=2, norm="post").double()
    changed = jacobian(post, X) @ shift.ravel()
    assert np.abs(changed - shift.ravel()).max() > 0.1


def test_transformer_block_post_norm_has_no_identity_path() -> None:
    """Its norms lie on the path: with silent parts, what is left is two norms, not the identity."""
    torch.manual_seed(0)
    silent = {}
    for norm in ("pre", "post"):
        block = TransformerBlock(D, 2, norm=norm).double()
        for part in (block.attention.W_O, block.feed_forward.W_2):
            torch.nn.init.zeros_(part)
        silent[norm] = jacobian(block, torch.from_numpy(normal(D)[None]))
    np.testing.assert_array_equal(silent["pre"], np.eye(D))
    assert np.linalg.matrix_rank(silent["post"], tol=1e-3) == D - 2


# --- what a norm forgets --------------------------------------------------------------------------


@pytest.mark.equation("eq-norm-invariance")
@pytest.mark.theorem("thm-norm-invariance")
@given(
    a=st.floats(1e-2, 1e3),
    c=st.floats(-10, 10),
    eps=st.sampled_from([0.0, 1e-5, 0.5]),
    seed=st.integers(0, 10**6),
)
def test_layer_norm_sees_neither_shift_nor_scale(
    a: float, c: float, eps: float, seed: int, library: str
) -> None:
    """With eps, the scale is seen as much as eps / a**2 differs from eps."""
    rng = np.random.default_rng(seed)
    x, gain, bias = rng.normal(size=(3, 11))
    norm = twin(library, "block.layer_norm")
    found = norm(a * x + c, gain, bias, eps=eps)
    wanted = norm(x, gain, bias, eps=eps / a**2)
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)
    mirrored = norm(-a * x, np.ones(11), np.zeros(11), eps=eps)
    upright = norm(a * x, np.ones(11), np.zeros(11), eps=eps)
    np.testing.assert_allclose(mirrored, -upright, rtol=1e-12)


@pytest.mark.theorem("thm-norm-invariance")
def test_rms_norm_forgets_the_scale_and_sees_a_shift(library: str) -> None:
    x, gain = normal(D), normal(D, seed=1)
    norm = twin(library, "block.rms_norm")
    wanted = norm(x, gain, eps=0.0)
    np.testing.assert_allclose(norm(50 * x, gain, eps=0.0), wanted, rtol=1e-12)
    assert not np.allclose(norm(x + 1, gain, eps=0.0), wanted)


@pytest.mark.equation("eq-norm-jacobian")
@pytest.mark.theorem("thm-norm-jacobian")
@pytest.mark.parametrize("eps", [0.0, 1e-5, 0.7])
def test_layer_norm_derivative(eps: float, library: str) -> None:
    """By differences of the function itself."""
    d = 7
    x, one, zero = normal(d) * 2 + 1, np.ones(d), np.zeros(d)
    norm = twin(library, "block.layer_norm")
    step = 1e-6
    differences = [
        (
            norm(x + step * e, one, zero, eps=eps)
            - norm(x - step * e, one, zero, eps=eps)
        )
        / (2 * step)
        for e in np.eye(d)
    ]
    hat, root = norm(x, one, zero, eps=eps), math.sqrt(x.var() + eps)
    formula = (np.eye(d) - 1 / d - np.outer(hat, hat) / d) / root
    np.testing.assert_allclose(np.array(differences).T, formula, atol=1e-8)
    if eps == 0:
        np.testing.assert_allclose(formula @ hat, 0, atol=1e-12)
        np.testing.assert_allclose(formula @ one, 0, atol=1e-12)
        u = normal(d, seed=3)
        left = u - (u @ one) / d * one - (u @ hat) / d * hat
        np.testing.assert_allclose(formula @ u, left / x.std(), rtol=1e-12)


# --- order, and the future ------------------------------------------------------------------------


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_transformer_block_stack_is_blind_to_order(norm: str, library: str) -> None:
    """Whatever the order of the rows; with a causal mask it is not."""
    block = twin(library, "block.transformer_block")
    wiring = public(library, f"block.{norm}_norm_block")
    X, order = normal(N, D), np.array([3, 0, 4, 1, 2])

    def stack(X: np.ndarray, **options: Any) -> np.ndarray:
        for seed in range(3):
            X = block(
                X, block_params(seed=seed), n_heads=2, block=wiring, **options
            )
        return X

    np.testing.assert_allclose(
        stack(X[order]), stack(X)[order], rtol=1e-9, atol=1e-11
    )
    causal = np.tri(N, dtype=bool)
    assert not np.allclose(
        stack(X[order], mask=causal), stack(X, mask=causal)[order]
    )


def test_transformer_block_without_a_mask_lets_the_first_output_see_the_last_input(
    library: str,
) -> None:
    block, X = twin(library, "block.transformer_block"), normal(N, D)
    changed = X.copy()
    changed[-1] = normal(D, seed=5)
    options: dict[str, Any] = {"n_heads": 2}
    before, after = (block(x, block_params(), **options) for x in (X, changed))
    assert not np.allclose(before[0], after[0])
    options["mask"] = np.tri(N, dtype=bool)
    before, after = (block(x, block_params(), **options) for x in (X, changed))
    np.testing.assert_array_equal(before[:-1], after[:-1])


def test_attention_alone_makes_all_elements_equal(library: str) -> None:
    """The beginning of the chapter: after four layers the differences are below 1e-12."""
    rng = np.random.default_rng(0)
    attention = twin(library, "multi_head.multi_head_attention")
    H = rng.normal(size=(8, 32))
    for _ in range(4):
        H = attention(H, *rng.normal(size=(4, 32, 32)) / math.sqrt(32), n_heads=4)
    assert np.linalg.norm(H - H.mean(axis=0)) < 1e-12 * np.linalg.norm(H)


@pytest.mark.equation("eq-cubed")
@pytest.mark.theorem("thm-cubed")
@given(seed=st.integers(0, 10**6), closeness=st.floats(1e-3, 1.0))
def test_attention_outputs_are_within_the_cube_of_a_vector(
    seed: int, closeness: float, library: str
) -> None:
    """Of the vector of the proof, for the largest differences that it allows, and smaller."""
    rng = np.random.default_rng(seed)
    W_Q, W_K, W_V = rng.normal(size=(3, D, 3))
    m, apart = rng.normal(size=D), rng.normal(size=(N, D))
    M = W_Q @ W_K.T / math.sqrt(3)
    c, w = np.linalg.norm(M, 2), np.linalg.norm(W_V, 2)
    epsilon = closeness * math.sqrt(0.5 / c)
    apart *= epsilon / np.linalg.norm(apart, axis=-1).max()
    X = m + apart
    Y = twin(library, "qkv.attention")(X @ W_Q, X @ W_K, X @ W_V)
    p = np.exp(apart @ (m @ M))
    y = p / p.sum() @ X @ W_V
    off = np.linalg.norm(Y - y, axis=-1).max()
    assert off <= 4 * c * w * epsilon**3 + 1e-12


@pytest.mark.theorem("thm-cubed")
def test_multi_head_attention_of_elements_ten_times_closer_gives_outputs_a_thousand_times_closer(
    library: str,
) -> None:
    """No power but the third does: what the chapter measures."""
    rng = np.random.default_rng(0)
    W = rng.normal(size=(4, 32, 32)) / math.sqrt(32)
    m, apart = rng.normal(size=32), rng.normal(size=(8, 32))
    attention = twin(library, "multi_head.multi_head_attention")
    spread = []
    for epsilon in (1e-2, 1e-3, 1e-4):
        Y = attention(m + epsilon * apart, *W, n_heads=4)
        spread.append(np.linalg.norm(Y - Y.mean(axis=0)))
    np.testing.assert_allclose(np.divide(spread[:-1], spread[1:]), 1000, rtol=0.01)


# --- counting -------------------------------------------------------------------------------------


def n_parameters(module: torch.nn.Module) -> int:
    """Count what a module can learn."""
    return sum(parameter.numel() for parameter in module.parameters())


# It makes the layers of whole models.
@pytest.mark.slow
@pytest.mark.equation("eq-block-parameters")
@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize(("d", "n_heads"), [(6, 2), (6, 3), (768, 12)])
def test_transformer_block_parameters(d: int, n_heads: int, norm: str) -> None:
    """Ours and PyTorch's."""
    with torch.device("meta"):
        block = TransformerBlock(d, n_heads, norm=norm)
        theirs = torch.nn.TransformerEncoderLayer(d, n_heads, 4 * d)
    assert n_parameters(block) == n_parameters(theirs) == 12 * d**2 + 13 * d
    assert n_parameters(block.attention) == 4 * d**2 + 4 * d
    assert n_parameters(block.feed_forward) == 8 * d**2 + 5 * d
    assert n_parameters(block.norm_1) + n_parameters(block.norm_2) == 4 * d


def gpt_parameters(n_layers: int, d: int, n_vocab: int, n_ctx: int) -> int:
    """Count by the formula of the chapter."""
    return n_layers * (12 * d**2 + 13 * d) + 2 * d + (n_vocab + n_ctx) * d


@pytest.mark.equation("eq-gpt-parameters")
@pytest.mark.parametrize(
    ("n_layers", "d", "n_heads", "published"),
    [
        (12, 768, 12, 124_439_808),
        (24, 1024, 16, 354_823_168),
        (36, 1280, 20, 774_030_080),
        (48, 1600, 25, 1_557_611_200),
    ],
)
def test_transformer_parameters_of_gpt_2(
    n_layers: int, d: int, n_heads: int, published: int
) -> None:
    """The four published sizes, from the formula and from modules on the meta device."""
    assert gpt_parameters(n_layers, d, 50257, 1024) == published
    with torch.device("meta"):
        tables = torch.nn.Embedding(50257, d), torch.nn.Embedding(1024, d)
        stack = Transformer(n_layers, d, n_heads)
    assert n_parameters(torch.nn.ModuleList([*tables, stack])) == published


@pytest.mark.equation("eq-block-parameters")
def test_transformer_parameters_of_bert_base() -> None:
    """Post-norm, so no final norm; three tables with a norm after them; the pooler."""
    d = 768
    with torch.device("meta"):
        model = torch.nn.ModuleList(
            [
                *(torch.nn.Embedding(n, d) for n in (30522, 512, 2)),
                torch.nn.LayerNorm(d),
                Transformer(12, d, 12, norm="post"),
                torch.nn.Linear(d, d),
            ]
        )
    assert n_parameters(model) == 109_482_240


@pytest.mark.equation("eq-llama-parameters", formula=True)
@pytest.mark.parametrize(
    ("n_layers", "d", "d_ff", "n_vocab", "published"),
    [
        (32, 4096, 11008, 32000, 6_738_415_616),
        (40, 5120, 13824, 32000, 13_015_864_320),
    ],
)
def test_parameters_of_llama(
    n_layers: int, d: int, d_ff: int, n_vocab: int, published: int
) -> None:
    """Two published sizes, from the formula and from PyTorch's own modules."""
    block = 4 * d**2 + 3 * d * d_ff + 2 * d
    assert n_layers * block + d + 2 * n_vocab * d == published
    with torch.device("meta"):
        modules = [torch.nn.Linear(d, d, bias=False) for _ in range(4)]
        modules += [torch.nn.Linear(d, d_ff, bias=False) for _ in range(2)]
        modules += [torch.nn.Linear(d_ff, d, bias=False)]
        one = torch.nn.ModuleList(
            [*modules, torch.nn.RMSNorm(d), torch.nn.RMSNorm(d)]
        )
        ends = [torch.nn.Embedding(n_vocab, d), torch.nn.RMSNorm(d)]
        ends += [torch.nn.Linear(d, n_vocab, bias=False)]
    outside = n_parameters(torch.nn.ModuleList(ends))
    assert n_layers * n_parameters(one) + outside == published


@pytest.mark.equation("eq-block-operations")
@pytest.mark.parametrize(("n", "d"), [(10, 6), (100, 64), (7, 12)])
def test_transformer_block_operations(n: int, d: int) -> None:
    """As PyTorch counts them, with the weights asked for, so that no product is hidden."""
    from torch.utils.flop_counter import FlopCounterMode

    block = TransformerBlock(d, 2)
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        block.forward_with_weights(torch.ones(n, d))
    assert counter.get_total_flops() == 24 * n * d**2 + 4 * n**2 * d
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        block.feed_forward(torch.ones(n, d))
    assert counter.get_total_flops() == 16 * n * d**2
