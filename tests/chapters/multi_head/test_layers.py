"""The module `MultiHeadAttention` is what a PyTorch module should be."""

import copy
from typing import Any
from unittest.mock import patch

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from course_attn import costs
from course_attn.in_torch import KVCache, MultiHeadAttention, multi_head_layers
from course_attn.in_torch.masks import causal_mask
from tests.support.attention_inputs import normal_tensor as normal
from tests.support.multi_head_layers import (
    BATCH,
    D_HEAD,
    D_MODEL,
    D_Z,
    HEADS,
    N_K,
    N_Q,
    deviation,
    ours,
)
from tests.support.twin_table import public

each_method = pytest.mark.parametrize("method", ["forward", "forward_with_weights"])


@pytest.mark.parametrize("n", [N_Q, 257])
@each_method
def test_multi_head_attention_in_bfloat16_is_as_good_as_its_three_digits(
    method: str, n: int
) -> None:
    """Against float64 with the same weights: 5 roundings of 2**-8 at most, relative to the largest.

    The largest deviation found is 0.004.
    """
    module = ours().to(torch.bfloat16)
    X = normal(BATCH, n, D_MODEL, dtype=torch.bfloat16)
    mask = causal_mask(n)
    found = getattr(module, method)(X, mask=mask)
    if method == "forward_with_weights":
        found, weights = found
        assert weights.dtype == torch.bfloat16
    wanted = copy.deepcopy(module).double()(X.double(), mask=mask)
    assert found.dtype == torch.bfloat16
    assert deviation(found, wanted) < 5 * 2**-8


@each_method
def test_multi_head_attention_runs_under_autocast(method: str) -> None:
    module, X = (
        ours(torch.float32),
        normal(BATCH, N_Q, D_MODEL, dtype=torch.float32),
    )
    options = {"mask": causal_mask(N_Q), "bias": normal(HEADS, N_Q, N_Q).float()}
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = getattr(module, method)(X, **options)
    found = found[0] if method == "forward_with_weights" else found
    assert found.dtype == torch.bfloat16
    assert deviation(found, module(X, **options)) < 5 * 2**-8


# --- what a module should be ----------------------------------------------------------------------


def test_multi_head_attention_state_dict_makes_the_round_trip(
    tmp_path: Any,
) -> None:
    module, other = ours(d_k=2, d_v=17, d_z=D_Z), ours(d_k=2, d_v=17, d_z=D_Z)
    shapes = {name: tuple(p.shape) for name, p in module.state_dict().items()}
    assert shapes == {
        "W_Q": (15, 6), "b_Q": (6,), "W_K": (13, 6), "b_K": (6,),
        "W_V": (13, 51), "b_V": (51,), "W_O": (51, 15), "b_O": (15,),
    }  # fmt: skip
    other.reset_parameters()
    X, Z = normal(BATCH, N_Q, D_MODEL), normal(BATCH, N_K, D_Z)
    assert not torch.equal(module(X, Z), other(X, Z))
    torch.save(module.state_dict(), tmp_path / "weights.pt")
    other.load_state_dict(torch.load(tmp_path / "weights.pt", weights_only=True))
    assert torch.equal(module(X, Z), other(X, Z))
    assert list(ours(biases=False).state_dict()) == ["W_Q", "W_K", "W_V", "W_O"]


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(
    "widths", [{}, {"d_k": 2}, {"d_v": 7}, {"d_k": 2, "d_v": 17}]
)
@pytest.mark.parametrize("n_heads", [1, 3, 5, 15])
def test_n_parameters_counts_what_the_module_holds(
    n_heads: int, widths: dict[str, int], bias: bool
) -> None:
    module = MultiHeadAttention(D_MODEL, n_heads, biases=bias, **widths)
    found = costs.n_parameters(D_MODEL, n_heads, biases=bias, **widths)
    assert found == sum(p.numel() for p in module.parameters())
    if not widths:
        mha = torch.nn.MultiheadAttention(D_MODEL, n_heads, bias=bias)
        assert found == sum(p.numel() for p in mha.parameters())


def test_multi_head_attention_learns_in_all_its_parameters() -> None:
    """Its gradients are those of finite differences, and none is zero but that of b_K.

    b_K adds the same number to all scores of a row, which softmax does not see.
    """
    module = ours(d_k=2, d_v=3, d_z=D_Z)
    X, Z = normal(1, 3, D_MODEL), normal(1, 2, D_Z)
    parameters = dict(module.named_parameters())

    def call(*values: torch.Tensor) -> torch.Tensor:
        named = dict(zip(parameters, values, strict=True))
        return torch.func.functional_call(module, named, (X, Z))

    values = tuple(p.detach().clone().requires_grad_() for p in parameters.values())
    assert torch.autograd.gradcheck(call, values, fast_mode=True)
    module(X, Z).square().sum().backward()
    largest = {name: float(p.grad.abs().max()) for name, p in parameters.items()}
    assert largest.pop("b_K") < 1e-12
    assert min(largest.values()) > 1e-3


@each_method
def test_multi_head_attention_dropout_drops_weights_in_training_only(
    method: str,
) -> None:
    """With values all 1, an output is the sum of its weights: kept ones count twice."""
    torch.manual_seed(0)
    module = MultiHeadAttention(4, 1, biases=False, dropout=0.5)
    with torch.no_grad():
        module.W_Q.zero_()  # equal weights
        module.W_V.copy_(torch.eye(4))
        module.W_O.copy_(torch.eye(4))
    X = torch.ones(100, 64, 4)

    def outputs() -> torch.Tensor:
        out = getattr(module, method)(X)
        out = out[0] if method == "forward_with_weights" else out
        return out[..., 0].detach()

    sums = outputs()
    assert sums.mean().item() == pytest.approx(1, abs=0.01)
    kept = sums / 2 * 64  # the number of weights kept, of 64
    assert torch.allclose(kept, kept.round(), atol=1e-4)
    assert kept.var().item() == pytest.approx(64 / 4, rel=0.1)  # binomial
    assert not torch.equal(outputs(), outputs())
    assert torch.allclose(module.eval()(X), X)
    assert torch.equal(outputs(), outputs())


def test_multi_head_attention_returns_the_weights_that_were_used_in_training() -> (
    None
):
    torch.manual_seed(0)
    module, X = ours(dropout=0.5, biases=False).train(), normal(BATCH, N_Q, D_MODEL)
    out, weights = module.forward_with_weights(X)
    V = (X @ module.W_V).unflatten(-1, (HEADS, D_HEAD)).transpose(1, 2)
    wanted = (weights @ V).transpose(1, 2).flatten(-2) @ module.W_O
    assert deviation(out, wanted) < 1e-13
    assert 0.3 < (weights == 0).double().mean() < 0.7


@pytest.mark.parametrize("biases", [True, False])
def test_multi_head_attention_makes_queries_keys_and_values_of_x_at_once(
    biases: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One product with the matrices side by side, or three: the same outputs and gradients."""
    monkeypatch.setattr(multi_head_layers, "_gains_by_packing", lambda device: True)
    module, X = ours(d_k=2, d_v=17, biases=biases), normal(BATCH, N_Q, D_MODEL)
    found = []
    for options, n_products in (
        ({}, 2),
        ({"Z": X}, 2),
        ({"Z": X.clone()}, 4),
        ({"cache": KVCache()}, 4),
    ):
        module.zero_grad()
        times = multi_head_layers._times
        with patch.object(multi_head_layers, "_times", wraps=times) as product:
            out = module(X, causal=True, **options)
        assert product.call_count == n_products
        out.square().sum().backward()
        found.append([out, *(p.grad for p in module.parameters())])
    found.pop()  # no gradient flows through a cache
    for parts in zip(*found, strict=True):
        assert all(torch.allclose(part, parts[0], atol=1e-12) for part in parts)


def test_multi_head_attention_can_be_made_without_memory() -> None:
    with torch.device("meta"):
        module = MultiHeadAttention(1024, 16)
        out, weights = module.forward_with_weights(torch.empty(2, 5, 1024))
        assert module(torch.empty(2, 5, 1024)).shape == (2, 5, 1024)
    assert {p.device.type for p in module.parameters()} == {"meta"}
    assert (out.device.type, tuple(weights.shape)) == ("meta", (2, 16, 5, 5))
    made = module.to_empty(device="cpu")
    made.reset_parameters()
    assert made(torch.ones(1, 3, 1024)).isfinite().all()


def test_multi_head_attention_says_its_sizes() -> None:
    assert repr(MultiHeadAttention(6, 2, d_v=5, biases=False, dropout=0.1)) == (
        "MultiHeadAttention(d_model=6, n_heads=2, d_k=3, d_v=5, d_z=6, biases=False, dropout=0.1)"
    )


def test_multi_head_attention_start_keeps_unit_variance() -> None:
    """The variance of 512**2 draws errs by 0.3 %; 5 times is allowed."""
    torch.manual_seed(0)
    module = MultiHeadAttention(512, 8, d_v=32, d_z=256)
    for name, W in module.named_parameters():
        if name.startswith("b_"):
            assert (W == 0).all()
        else:
            error = float(W.detach().var()) * W.shape[0] - 1
            assert abs(error) < 5 * (2 / W.numel()) ** 0.5


def test_multi_head_attention_start_is_reproducible_by_a_generator() -> None:
    module, other = ours(), ours(dropout=0.5)
    module.reset_parameters(torch.Generator().manual_seed(5))
    other.reset_parameters(torch.Generator().manual_seed(5))
    assert all(map(torch.equal, module.parameters(), other.parameters()))
    assert not torch.equal(module.W_Q, module.W_K)


@pytest.mark.without_hook
@pytest.mark.parametrize(
    ("sizes", "error", "words"),
    [
        ((10, 3), ValueError, "d_model must be a multiple of n_heads = 3, got 10"),
        ((0, 1), ValueError, "d_model must be at least 1"),
        ((6, 0), ValueError, "n_heads must be at least 1"),
        ((6.0, 2), TypeError, "d_model must be a whole number"),
        ((6, True), TypeError, "n_heads must be a whole number"),
        ((6, 2, {"d_k": 0}), ValueError, "d_k must be at least 1"),
        ((6, 2, {"d_v": 1.5}), TypeError, "d_v must be a whole number"),
        ((6, 2, {"d_z": 0}), ValueError, "d_z must be at least 1"),
        ((6, 2, {"biases": 1}), TypeError, "biases must be True or False"),
        ((6, 2, {"dropout": 1.5}), ValueError, "dropout must lie between 0 and 1"),
        ((6, 2, {"dropout": "0"}), TypeError, "dropout must be a real number"),
    ],
)
def test_multi_head_attention_refuses_sizes_that_do_not_fit(
    sizes: Any, error: type[Exception], words: str
) -> None:
    options = sizes[2] if len(sizes) == 3 else {}
    with pytest.raises(error, match=words):
        public("in_torch", "multi_head.MultiHeadAttention")(*sizes[:2], **options)


@pytest.mark.without_hook
@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"X": (7, 13)},
            r"X must .* d_model = 15 from the MultiHeadAttention, got \(7, 13\)",
        ),
        ({"X": (15,)}, "X must .* got 1 axes"),
        (
            {"X": (7, 15)},
            r"Z must .* d_z = 13 from the MultiHeadAttention, got \(7, 15\)",
        ),
        (
            {"X": (7, 15), "Z": (11, 15)},
            r"Z must .* d_z = 13 from the MultiHeadAttention",
        ),
        ({"X": (2, 7, 15), "Z": (11, 13)}, r"Z must .* batch = \(2,\) from X"),
        (
            {"X": (7, 15), "Z": (11, 13), "mask": (7, 7)},
            "mask must .* n_k = 11 from Z",
        ),
        ({"X": (7, 15), "Z": (11, 13), "bias": (7, 11)}, "bias must .* got 2 axes"),
        (
            {"X": (7, 15), "Z": (11, 13), "bias": (2, 7, 11)},
            "bias must .* n_heads = 3 from the MultiHeadAttention",
        ),
    ],
)
def test_multi_head_attention_names_inputs_that_do_not_fit(
    given: Any, words: str
) -> None:
    module = public("in_torch", "multi_head.MultiHeadAttention")(15, 3, d_z=13)
    arrays = {
        name: torch.ones(shape, dtype=torch.bool if name == "mask" else None)
        for name, shape in given.items()
    }
    with pytest.raises(ValueError, match=words):
        module(**arrays)


# --- torch.compile, torch.export, the flop counter ------------------------------------------------


def in_eval_mode() -> tuple[torch.nn.Module, torch.Tensor, torch.Tensor]:
    """Return a module, an input and a mask."""
    torch.manual_seed(0)
    module = public("in_torch", "multi_head.MultiHeadAttention")(D_MODEL, HEADS)
    return module.eval(), normal(BATCH, N_Q, D_MODEL).float(), causal_mask(N_Q)


@pytest.mark.slow
@pytest.mark.without_hook
@each_method
def test_multi_head_attention_can_be_exported(method: str) -> None:
    module, X, mask = in_eval_mode()
    run = getattr(module, method)
    # What is exported is a module's `forward`.
    module.forward = run
    exported = torch.export.export(module, (X,), {"mask": mask}).module()
    found, wanted = exported(X, mask=mask), run(X, mask=mask)
    if method == "forward_with_weights":
        assert deviation(found[1], wanted[1]) < 2e-6
        found, wanted = found[0], wanted[0]
    assert deviation(found, wanted) < 2e-6


@pytest.mark.slow
@pytest.mark.without_hook
def test_multi_head_attention_compiles_as_one_graph() -> None:
    """Forward with and without weights, and backward; eager kernels, so no compiler is needed."""
    _compiled_equals_eager("aot_eager")


@pytest.mark.exhaustive
@pytest.mark.without_hook
def test_multi_head_attention_compiles_to_machine_code() -> None:
    """The same with PyTorch's own compiler, which needs one for C++."""
    from torch._inductor.cpp_builder import get_cpp_compiler
    from torch._inductor.exc import InvalidCxxCompiler

    try:
        get_cpp_compiler()
    except (InvalidCxxCompiler, RuntimeError) as error:
        pytest.skip(f"torch.compile needs a C++ compiler: {error}")
    _compiled_equals_eager("inductor")


def _compiled_equals_eager(backend: str) -> None:
    module, X, mask = in_eval_mode()
    torch._dynamo.reset()
    for run, options in (
        (module, {}),
        (module, {"mask": mask}),
        (module.forward_with_weights, {"mask": mask}),
    ):
        compiled = torch.compile(run, backend=backend, fullgraph=True)
        found, wanted = compiled(X, **options), run(X, **options)
        if run is not module:
            assert deviation(found[1], wanted[1]) < 2e-6
            found, wanted = found[0], wanted[0]
        assert deviation(found, wanted) < 2e-6
        grads = []
        for out in (found, wanted):
            module.zero_grad()
            out.square().sum().backward()
            grads.append(module.W_Q.grad.clone())
        assert deviation(*grads) < 1e-5


def test_multi_head_attention_flops_do_not_depend_on_the_number_of_heads() -> None:
    """4 * 2 n d^2 for the projections, 2 * 2 n^2 d for scores and mixtures."""
    counts = set()
    for n_heads in (1, 3, 5, 15):
        module = MultiHeadAttention(D_MODEL, n_heads, biases=False)
        with FlopCounterMode(display=False) as counter:
            module.forward_with_weights(torch.ones(1, N_Q, D_MODEL))
        counts.add(counter.get_total_flops())
    assert counts == {8 * N_Q * D_MODEL**2 + 4 * N_Q**2 * D_MODEL}
