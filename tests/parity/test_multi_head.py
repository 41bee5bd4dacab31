"""The module `MultiHeadAttention` is PyTorch's layer, fused or not."""

import copy
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from course_attn.costs import n_parameters
from course_attn.in_torch import (
    CrossAttention,
    SelfAttention,
    from_torch,
    head_weights,
    to_torch,
)
from course_attn.in_torch.masks import causal_mask
from course_attn.in_torch.multi_head import multi_head_attention
from tests.support.attention_inputs import normal_tensor as normal
from tests.support.comparison import assert_close
from tests.support.multi_head_layers import (
    BATCH,
    D_HEAD,
    D_MODEL,
    D_Z,
    DTYPES,
    HEADS,
    LIMITS,
    N_K,
    N_Q,
    TOLERANCE,
    WIDTHS,
    call,
    deviation,
    inputs,
    limits,
    ours,
    pytorchs,
)
from tests.support.twin_table import in_numpy, public

# --- parity with nn.MultiheadAttention ------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("widths", WIDTHS)
def test_from_torch_gives_the_same_numbers(
    widths: str, bias: bool, batch_first: bool, dtype: torch.dtype
) -> None:
    """Outputs with and without weights, the weights of every head, and their mean."""
    mha = pytorchs(dtype, bias=bias, batch_first=batch_first, **WIDTHS[widths])
    module = from_torch(mha)
    *given, Z = inputs(mha, widths, dtype)
    assert module.W_Q.dtype == dtype and not module.training
    for limit in limits(given[1].shape[1], dtype).values():
        theirs = {"average_attn_weights": False, **limit["theirs"]}
        wanted, wanted_weights = call(mha, *given, **theirs)
        out, weights = module.forward_with_weights(given[0], Z, **limit["ours"])
        fused = module(given[0], Z, **limit["ours"])
        mean = call(mha, *given, **limit["theirs"])[1]
        assert deviation(out, wanted) < TOLERANCE[dtype]
        assert deviation(fused, wanted) < TOLERANCE[dtype]
        assert deviation(weights, wanted_weights) < TOLERANCE[dtype]
        assert deviation(weights.mean(dim=1), mean) < TOLERANCE[dtype]
        assert weights.shape[1] == HEADS and mean.ndim == 3
        assert deviation(weights[:, 0], mean) > 0.1  # the mean is no head


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("d_z", [None, D_Z])
def test_to_torch_gives_the_same_numbers(
    d_z: int | None, bias: bool, batch_first: bool, dtype: torch.dtype
) -> None:
    module = ours(dtype, d_z=d_z, biases=bias, dropout=0.25)
    mha = to_torch(module, batch_first=batch_first)
    assert mha.batch_first == batch_first and mha.dropout == 0.25
    assert not mha.training and (mha.in_proj_bias is not None) == bias
    *given, Z = inputs(mha, "self" if d_z is None else "kdim = vdim", dtype)
    for limit in limits(given[1].shape[1], dtype).values():
        wanted, wanted_weights = module.forward_with_weights(
            given[0], Z, **limit["ours"]
        )
        out, mean = call(mha, *given, **limit["theirs"])
        without, none = call(mha, *given, **limit["theirs"], need_weights=False)
        assert none is None
        assert deviation(out, wanted) < TOLERANCE[dtype]
        assert deviation(without, wanted) < TOLERANCE[dtype]
        assert deviation(mean, wanted_weights.mean(dim=1)) < TOLERANCE[dtype]


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("widths", ["self", "kdim = vdim"])
def test_from_torch_and_to_torch_change_no_number(widths: str, bias: bool) -> None:
    mha = pytorchs(bias=bias, batch_first=True, dropout=0.5, **WIDTHS[widths])
    module = from_torch(mha)
    back = to_torch(module)
    assert (back.kdim, back.vdim, back.dropout) == (mha.kdim, mha.vdim, 0.5)
    for there, here in ((mha, back), (module, from_torch(back))):
        assert list(there.state_dict()) == list(here.state_dict())
        for name, parameter in there.state_dict().items():
            assert torch.equal(here.state_dict()[name], parameter), name


def test_from_torch_and_to_torch_copy() -> None:
    """Training one does not change the other, and the copies can be trained."""
    mha = pytorchs(batch_first=True).train()
    module = from_torch(mha)
    back = to_torch(module)
    assert module.training and back.training
    kept = [copy.deepcopy(x.state_dict()) for x in (mha, back)]
    with torch.no_grad():
        for parameter in module.parameters():
            assert parameter.requires_grad
            parameter.zero_()
    for layer, state in zip((mha, back), kept, strict=True):
        assert all(torch.equal(layer.state_dict()[k], state[k]) for k in state)


def test_multi_head_attention_of_an_empty_row_is_the_bias_where_pytorch_gives_nan() -> (
    None
):
    """Zeros go into W_O. Without weights, PyTorch agrees."""
    mha = pytorchs(batch_first=True)
    module, X = from_torch(mha), normal(BATCH, N_Q, D_MODEL)
    mask = causal_mask(N_Q)
    mask[3] = False
    out, weights = module.forward_with_weights(X, mask=mask)
    assert torch.equal(out[:, 3], module.b_O.expand(BATCH, D_MODEL))
    assert (weights[:, :, 3] == 0).all()
    assert torch.equal(module(X, mask=mask)[:, 3], out[:, 3])
    assert mha(X, X, X, attn_mask=~mask)[0][:, 3].isnan().all()
    theirs = mha(X, X, X, attn_mask=~mask, need_weights=False)[0]
    assert deviation(theirs, out) < 1e-13


@pytest.mark.parametrize("widths", WIDTHS)
def test_head_weights_of_the_packed_weight_are_the_layer(widths: str) -> None:
    """Head by head with PyTorch's own attention, then the sum over the heads."""
    mha = pytorchs(bias=False, batch_first=True, **WIDTHS[widths])
    W_Q, W_K, W_V, W_O = head_weights(mha)
    query, key, value, _ = inputs(mha, widths, torch.float64)
    assert W_Q.shape == (HEADS, D_MODEL, D_HEAD)
    assert W_K.shape == (HEADS, mha.kdim, D_HEAD)
    assert W_V.shape == (HEADS, mha.vdim, D_HEAD)
    assert W_O.shape == (HEADS, D_HEAD, D_MODEL)
    out = sum(
        F.scaled_dot_product_attention(query @ q, key @ k, value @ v) @ o
        for q, k, v, o in zip(W_Q, W_K, W_V, W_O, strict=True)
    )
    assert deviation(out, mha(query, key, value)[0]) < 1e-13
    scores = [query @ q @ (key @ k).mT for q, k in zip(W_Q, W_K, strict=True)]
    weights = mha(query, key, value, average_attn_weights=False)[1]
    for h, s in enumerate(scores):
        assert deviation((s / D_HEAD**0.5).softmax(-1), weights[:, h]) < 1e-13
    assert not any(W.requires_grad for W in (W_Q, W_K, W_V, W_O))


def test_in_proj_weight_of_pytorch_is_three_transposed_matrices() -> None:
    """(3 D, D) and (D, D): 4 D^2 numbers, and 4 D for the biases."""
    mha = pytorchs()
    assert mha.in_proj_weight.shape == (3 * D_MODEL, D_MODEL)
    assert mha.out_proj.weight.shape == (D_MODEL, D_MODEL)
    total = sum(p.numel() for p in mha.parameters())
    assert total == 4 * D_MODEL**2 + 4 * D_MODEL
    assert torch.equal(
        from_torch(mha).W_K, mha.in_proj_weight[D_MODEL : 2 * D_MODEL].T
    )


@pytest.mark.parametrize("option", ["add_bias_kv", "add_zero_attn"])
def test_from_torch_refuses_layers_that_append_a_key(option: str) -> None:
    with pytest.raises(ValueError, match=f"mha must be made without {option}"):
        from_torch(pytorchs(**{option: True}))


@pytest.mark.parametrize("widths", [{"d_k": 7}, {"d_v": 7}, {"d_k": 7, "d_v": 7}])
def test_to_torch_refuses_what_pytorch_cannot_be(widths: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="module must have d_k = d_v = d_model"):
        to_torch(ours(**widths))


@pytest.mark.without_hook
@pytest.mark.parametrize("name", ["from_torch", "head_weights"])
def test_from_torch_and_head_weights_refuse_what_is_no_layer_of_pytorchs(
    name: str,
) -> None:
    convert = public("in_torch", f"multi_head.{name}")
    wanted = "mha must be a MultiheadAttention, got torch.nn.modules.linear.Linear"
    with pytest.raises(TypeError, match=wanted):
        convert(torch.nn.Linear(3, 3))


@pytest.mark.without_hook
def test_to_torch_refuses_what_is_no_layer_of_ours() -> None:
    wanted = (
        r"module must be a MultiHeadAttention, got torch\..*\.MultiheadAttention"
    )
    with pytest.raises(TypeError, match=wanted):
        public("in_torch", "multi_head.to_torch")(pytorchs())


# --- fused and explicit ---------------------------------------------------------------------------


@pytest.mark.parametrize("n_k", [N_Q, N_K])
@pytest.mark.parametrize("given", ["nothing", "a mask", "a bias", "both"])
@pytest.mark.parametrize("method", ["forward", "forward_with_weights"])
def test_multi_head_attention_causal_is_a_causal_mask(
    n_k: int, given: str, method: str
) -> None:
    """With and without the kernel's own way to skip what comes later."""
    module, X = ours(), normal(BATCH, N_Q, D_MODEL)
    Z = normal(BATCH, n_k, module.d_z, seed=1)
    run, options = getattr(module, method), {}
    if given in ("a mask", "both"):
        options["mask"] = torch.arange(n_k) > 0
        options["mask"] = options["mask"].expand(BATCH, N_Q, n_k)
    if given in ("a bias", "both"):
        options["bias"] = normal(module.n_heads, N_Q, n_k, seed=2)
    found = run(X, Z, causal=True, **options)
    mask = causal_mask(N_Q, n_k) & options.pop("mask", torch.tensor(True))
    wanted = run(X, Z, mask=mask, **options)
    assert_close(in_numpy(found), in_numpy(wanted), 1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("widths", [{}, {"d_k": 2, "d_v": 17, "d_z": D_Z}])
@pytest.mark.parametrize("batch", [(), (BATCH,), (BATCH, 3)])
def test_multi_head_attention_is_the_same_with_and_without_weights(
    batch: tuple[int, ...], widths: dict[str, int], dtype: torch.dtype
) -> None:
    module = ours(dtype, **widths)
    X = normal(*batch, N_Q, D_MODEL, dtype=dtype)
    Z = normal(*batch, N_K, module.d_z, seed=1, dtype=dtype)
    mask = causal_mask(N_Q, N_K)
    mask[4] = False
    bias = normal(HEADS, N_Q, N_K, dtype=dtype)
    for limit in ({}, {"mask": mask}, {"bias": bias}, {"mask": mask, "bias": bias}):
        out, weights = module.forward_with_weights(X, Z, **limit)
        assert weights.shape == (*batch, HEADS, N_Q, N_K)
        assert deviation(module(X, Z, **limit), out) < TOLERANCE[dtype]


def test_multi_head_attention_computes_weights_only_where_they_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module, X, calls = ours(), normal(BATCH, N_Q, D_MODEL), []
    fused = F.scaled_dot_product_attention

    def counted(*args: Any, **options: Any) -> torch.Tensor:
        calls.append(args)
        return fused(*args, **options)

    monkeypatch.setattr(F, "scaled_dot_product_attention", counted)
    module.forward_with_weights(X)
    assert len(calls) == 0
    module(X)
    assert len(calls) == 1


@pytest.mark.parametrize("widths", [{}, {"d_k": 2, "d_v": 17, "d_z": D_Z}])
@pytest.mark.parametrize("bias", [True, False])
def test_multi_head_attention_module_is_the_function(
    bias: bool, widths: dict[str, int], library: str
) -> None:
    """With its biases folded into the matrices, by a feature that is always 1."""
    module = ours(biases=bias, **widths)
    X, Z = normal(BATCH, N_Q, D_MODEL), normal(BATCH, N_K, module.d_z, seed=1)
    wanted = module(X, Z, mask=causal_mask(N_Q, N_K))
    W = {n: p.detach() for n, p in module.named_parameters() if n[0] == "W"}
    if bias:
        X, Z = (torch.cat([x, torch.ones(*x.shape[:-1], 1)], -1) for x in (X, Z))
        for part in "QKV":
            b = getattr(module, f"b_{part}").detach()
            W[f"W_{part}"] = torch.cat([W[f"W_{part}"], b[None]])
    arrays = {"X": X, "Z": Z, "mask": causal_mask(N_Q, N_K), **W}
    if library == "in_numpy":
        arrays = {name: x.numpy() for name, x in arrays.items()}
    function = public(library, "multi_head.multi_head_attention")
    found = in_numpy(function(**arrays, n_heads=HEADS))
    out = found + (in_numpy(module.b_O) if bias else 0)
    assert_close(out, wanted, 1e-13)


def test_attention_heads_side_by_side_make_multi_head_attention() -> None:
    """`SelfAttention`s side by side, or `CrossAttention`s, times W_O."""
    torch.manual_seed(0)
    heads = [SelfAttention(D_MODEL, 2, 17).double() for _ in range(HEADS)]
    module = ours(d_k=2, d_v=17, biases=False)
    state = {
        f"W_{p}": torch.cat([getattr(head, f"W_{p}") for head in heads], dim=1)
        for p in "QKV"
    }
    module.load_state_dict({**state, "W_O": module.W_O})
    X, mask = normal(BATCH, N_Q, D_MODEL), causal_mask(N_Q)
    found = torch.cat([head(X, mask=mask) for head in heads], dim=-1) @ module.W_O
    assert deviation(found, module(X, mask=mask)) < 1e-13
    Z = normal(BATCH, N_K, D_MODEL)
    across = [CrossAttention(D_MODEL, 2, 17).double() for _ in heads]
    for other, head in zip(across, heads, strict=True):
        other.load_state_dict(head.state_dict())
    found = torch.cat([head(X, Z) for head in across], dim=-1) @ module.W_O
    assert deviation(found, module(X, Z)) < 1e-13


# --- on a GPU -------------------------------------------------------------------------------------


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("limit", LIMITS)
def test_multi_head_attention_on_the_gpu_is_that_on_the_cpu(
    limit: str, dtype: torch.dtype
) -> None:
    module, X = ours(dtype), normal(BATCH, N_Q, D_MODEL, dtype=dtype)
    options = limits(N_Q, dtype)[limit]["ours"]
    wanted, wanted_weights = module.forward_with_weights(X, **options)
    module = module.to("cuda")
    options = {name: x.to("cuda") for name, x in options.items()}
    out, weights = module.forward_with_weights(X.to("cuda"), **options)
    fused = module(X.to("cuda"), **options)
    assert {x.device.type for x in (out, weights, fused)} == {"cuda"}
    tolerance = 10 * TOLERANCE[dtype]
    assert deviation(out.cpu(), wanted) < tolerance
    assert deviation(fused.cpu(), wanted) < tolerance
    assert deviation(weights.cpu(), wanted_weights) < tolerance


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_multi_head_attention_in_16_bits_on_the_gpu_is_as_good_as_the_digits(
    dtype: torch.dtype,
) -> None:
    module = ours(d_k=16, d_v=16).to("cuda", dtype)
    X = normal(BATCH, 257, D_MODEL).to("cuda", dtype)
    mask = causal_mask(257).to("cuda")
    wanted = copy.deepcopy(module).double()(X.double(), mask=mask)
    eps = torch.finfo(dtype).eps
    for found in (
        module(X, mask=mask),
        module.forward_with_weights(X, mask=mask)[0],
    ):
        assert found.dtype == dtype
        assert deviation(found, wanted) < 5 * eps


@pytest.mark.gpu
def test_from_torch_and_to_torch_stay_on_the_gpu() -> None:
    mha = pytorchs(batch_first=True).to("cuda")
    X = normal(BATCH, N_Q, D_MODEL).to("cuda")
    module = from_torch(mha)
    assert deviation(module(X), mha(X, X, X)[0]) < 1e-12
    assert deviation(to_torch(module)(X, X, X)[0], module(X)) < 1e-12
    W_Q, W_K, W_V, W_O = head_weights(mha)
    stacked = [W.transpose(0, 1).flatten(1) for W in (W_Q, W_K, W_V)]
    found = multi_head_attention(X, *stacked, W_O.flatten(0, 1), n_heads=HEADS)
    plain = copy.deepcopy(module)
    with torch.no_grad():
        for name, parameter in plain.named_parameters():
            if name.startswith("b_"):
                parameter.zero_()
    assert deviation(found, plain(X)) < 1e-12
    assert n_parameters(D_MODEL, HEADS) == sum(W.numel() for W in head_weights(mha))
