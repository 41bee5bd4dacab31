"""The modules `SelfAttention` and `CrossAttention`: what PyTorch modules should be."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F

from course_attn.in_torch import CrossAttention, SelfAttention
from course_attn.in_torch.qkv import project_qkv
from tests.support.attention_inputs import BATCH, N_K, N_Q, normal, random_mask
from tests.support.comparison import assert_close
from tests.support.oracles import tensors
from tests.support.twin_table import in_numpy, public

MODULES = {"SelfAttention": SelfAttention, "CrossAttention": CrossAttention}
each_module = pytest.mark.parametrize("name", MODULES)


def layers(**widths: int) -> dict[str, Any]:
    """Return both modules in float64, with the same matrices for the same seed."""
    torch.manual_seed(0)
    return {name: module(17, **widths).double() for name, module in MODULES.items()}


def elements() -> tuple[torch.Tensor, torch.Tensor]:
    """Return two batches of sequences."""
    X, Z = tensors(normal(BATCH, N_Q, 17), normal(BATCH, N_K, 17, seed=1))
    return X, Z


def given_to(name: str) -> tuple[torch.Tensor, ...]:
    """Return what a module is called with: self-attention has the elements only."""
    return elements()[:1] if name == "SelfAttention" else elements()


@each_module
@pytest.mark.parametrize("masked", [False, True])
def test_self_and_cross_attention_are_attention_of_their_projections(
    name: str, masked: bool
) -> None:
    """By `F.linear`, whose weights are transposed, and PyTorch's attention."""
    layer = layers(d_k=5, d_v=13)[name]
    given = given_to(name)
    X, context = given[0], given[-1]
    mask = torch.from_numpy(random_mask(N_Q, context.shape[1])) if masked else None
    out, weights = layer.forward_with_weights(*given, mask=mask)
    Q, K, V = (
        F.linear(x, W.T)
        for x, W in ((X, layer.W_Q), (context, layer.W_K), (context, layer.W_V))
    )
    assert_close(
        out, F.scaled_dot_product_attention(Q, K, V, attn_mask=mask), 1e-12
    )
    assert_close(weights @ V, out, 1e-12)
    assert weights.shape == (BATCH, N_Q, context.shape[1])
    alone = layer(*given, mask=mask)
    assert isinstance(alone, torch.Tensor)
    assert_close(alone, out, 1e-12)


@each_module
def test_self_and_cross_attention_are_the_functions_in_numpy(name: str) -> None:
    layer = layers(d_k=5, d_v=13)[name]
    X, Z = elements()
    matrices = [in_numpy(W) for W in (layer.W_Q, layer.W_K, layer.W_V)]
    context = {} if name == "SelfAttention" else {"Z": Z.numpy()}
    Q, K, V = public("in_numpy", "qkv.project_qkv")(X.numpy(), *matrices, **context)
    wanted = public("in_numpy", "qkv.attention")(Q, K, V)
    assert_close(layer(*given_to(name)), wanted, 1e-12)


def test_cross_attention_to_itself_is_self_attention() -> None:
    own, cross = layers(d_k=5, d_v=13).values()
    cross.load_state_dict(own.state_dict())
    X, Z = elements()
    assert torch.equal(cross(X, X), own(X))
    assert not torch.equal(cross(X, Z)[0, 0], own(X)[0, 0])


@each_module
def test_self_and_cross_attention_state_dict_makes_the_round_trip(
    name: str, tmp_path: Any
) -> None:
    layer, other = layers(d_k=5, d_v=13)[name], layers(d_k=5, d_v=13)[name]
    assert list(layer.state_dict()) == ["W_Q", "W_K", "W_V"]
    shapes = [tuple(W.shape) for W in layer.state_dict().values()]
    assert shapes == [(17, 5), (17, 5), (17, 13)]
    other.reset_parameters()
    given = given_to(name)
    assert not torch.equal(layer(*given), other(*given))
    torch.save(layer.state_dict(), tmp_path / "weights.pt")
    other.load_state_dict(torch.load(tmp_path / "weights.pt", weights_only=True))
    assert torch.equal(layer(*given), other(*given))


@each_module
def test_self_and_cross_attention_learn_in_all_their_matrices(name: str) -> None:
    """Its gradients are those of finite differences, and none is zero."""
    layer = layers(d_k=5, d_v=2)[name]
    given = tuple(x[:1, :3] for x in given_to(name))
    parameters = dict(layer.named_parameters())

    def call(*matrices: torch.Tensor) -> torch.Tensor:
        named = dict(zip(parameters, matrices, strict=True))
        return torch.func.functional_call(layer, named, given)

    matrices = tuple(
        W.detach().clone().requires_grad_() for W in parameters.values()
    )
    assert torch.autograd.gradcheck(call, matrices, fast_mode=True)
    layer(*given).square().sum().backward()
    assert all(W.grad.abs().max() > 1e-3 for W in layer.parameters())


@each_module
def test_self_and_cross_attention_say_their_widths_and_default_to_d_model(
    name: str,
) -> None:
    layer = MODULES[name](7)
    assert repr(layer) == f"{name}(d_model=7, d_k=7, d_v=7)"
    assert [tuple(W.shape) for W in layer.parameters()] == [(7, 7)] * 3
    assert layer.W_Q.dtype == torch.get_default_dtype()


@each_module
def test_self_and_cross_attention_start_keeps_unit_variance(name: str) -> None:
    """The variance of 512**2 draws errs by 0.3 %, their mean by 1/512**1.5; 5 times is allowed."""
    torch.manual_seed(0)
    layer = MODULES[name](512)
    for W in layer.parameters():
        assert abs(float(W.detach().var()) * 512 - 1) < 5 * (2 / 512**2) ** 0.5
        assert abs(float(W.detach().mean())) < 5 / 512**1.5
    X = torch.randn(256, 512)
    Q, K, V = project_qkv(X, layer.W_Q, layer.W_K, layer.W_V)
    for projected in (Q, K, V):
        assert float(projected.detach().var()) == pytest.approx(1, abs=0.05)


@each_module
def test_self_and_cross_attention_start_is_reproducible_by_a_generator(
    name: str,
) -> None:
    layer, other = layers()[name], layers(d_k=None)[name]
    layer.reset_parameters(torch.Generator().manual_seed(5))
    other.reset_parameters(torch.Generator().manual_seed(5))
    assert all(map(torch.equal, layer.parameters(), other.parameters()))
    assert not torch.equal(layer.W_Q, layer.W_K)


@pytest.mark.without_hook
@each_module
@pytest.mark.parametrize(
    ("widths", "error", "word"),
    [
        ((0,), ValueError, "d_model"),
        ((2.0,), TypeError, "d_model"),
        ((2, 0), ValueError, "d_k"),
        ((2, "3"), TypeError, "d_k"),
        ((2, 3, -1), ValueError, "d_v"),
        ((2, 3, True), TypeError, "d_v"),
    ],
)
def test_self_and_cross_attention_refuse_widths_that_are_none(
    name: str, widths: tuple[Any, ...], error: type[Exception], word: str
) -> None:
    with pytest.raises(error, match=word):
        public("in_torch", f"qkv.{name}")(*widths)


@pytest.mark.without_hook
@each_module
def test_self_and_cross_attention_name_the_elements_that_do_not_fit(
    name: str,
) -> None:
    layer = public("in_torch", f"qkv.{name}")(17)
    given = [torch.ones(7, 13)] * len(given_to(name))
    wanted = f"X must have shape .* d_model = 17 from the {name}, got"
    with pytest.raises(ValueError, match=wanted):
        layer(*given)


@pytest.mark.gpu
@each_module
def test_self_and_cross_attention_run_on_the_gpu(name: str) -> None:
    layer = layers(d_k=5, d_v=13)[name]
    given = given_to(name)
    wanted = layer(*given)
    found = layer.to("cuda")(*(x.to("cuda") for x in given))
    assert found.device.type == "cuda"
    assert_close(found, wanted, 1e-12)
