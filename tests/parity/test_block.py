"""The block and the stack: equal to PyTorch's layers, and good `nn.Module`s.

The calls of `tests/chapters/block/cases.py` compare the functions with PyTorch's one at a time.
"""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch

from course_attn.in_torch import Transformer, TransformerBlock, block_from_torch
from course_attn.in_torch.block import gelu, relu, transformer_block
from course_attn.in_torch.masks import causal_mask, padding_mask
from tests.support.block_layers import (
    BATCH,
    D_FF,
    HEADS,
    LAYERS,
    D,
    N,
    each_norm,
    elements,
    layer_of_torch,
    shaken,
)
from tests.support.comparison import assert_close
from tests.support.twin_table import in_numpy, public

ACTIVATIONS = {"relu": relu, "gelu": gelu}
LENGTHS = np.array([N, 4])

each_activation = pytest.mark.parametrize("activation", ACTIVATIONS)
each_mode = pytest.mark.parametrize("mode", ["train", "eval", "eval without grad"])


def masks() -> dict[str, torch.Tensor | None]:
    """Return masks of every kind; each row of each allows something."""
    padding = padding_mask(torch.from_numpy(LENGTHS), N)
    causal = causal_mask(N)
    return {
        "none": None,
        "causal": causal,
        "padding": padding,
        "causal and padding": causal & padding,
    }


# PyTorch's `src_mask` and `src_key_padding_mask` say where not to look: True = drop.
IN_TORCH: dict[str, dict[str, Any]] = {
    "none": {},
    "causal": {"src_mask": ~causal_mask(N)},
    "padding": {
        "src_key_padding_mask": torch.arange(N) >= torch.tensor([[N], [4]])
    },
    "causal and padding": {
        "src_mask": ~causal_mask(N),
        "src_key_padding_mask": torch.arange(N) >= torch.tensor([[N], [4]]),
    },
}


def real(out: torch.Tensor) -> torch.Tensor:
    """Return the outputs of the elements that are no padding; PyTorch may leave zeros there."""
    return out[torch.arange(N) < torch.tensor([[N], [4]])]


@each_norm
@each_activation
@each_mode
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_block_from_torch_is_the_encoder_layer(
    norm: str, activation: str, mode: str, subtests: pytest.Subtests
) -> None:
    """Also on the fast path, which PyTorch takes in eval mode where no gradient is asked for."""
    for mask in IN_TORCH:
        with subtests.test(mask=mask):
            layer = layer_of_torch(norm, activation).train(mode == "train")
            X = elements(BATCH)
            with torch.set_grad_enabled(mode != "eval without grad"):
                wanted = layer(X, **IN_TORCH[mask])
                found = block_from_torch(layer)(X, mask=masks()[mask])
            assert_close(real(found), real(wanted), 1e-12)


@each_norm
@each_activation
def test_block_from_torch_has_the_gradients_of_the_encoder_layer(
    norm: str, activation: str
) -> None:
    """Of the input and of all parameters, with a causal mask."""
    layer = layer_of_torch(norm, activation)
    block = block_from_torch(layer)
    X, Y = elements(BATCH).requires_grad_(), elements(BATCH).requires_grad_()
    layer(X, **IN_TORCH["causal"]).square().sum().backward()
    block(Y, mask=causal_mask(N)).square().sum().backward()
    assert_close(Y.grad, X.grad, 1e-12)
    theirs, ours = layer.self_attn, block.attention
    for W, part in zip("QKV", theirs.in_proj_weight.grad.chunk(3), strict=True):
        assert_close(getattr(ours, f"W_{W}").grad, part.T, 1e-11)
    pairs = [
        (ours.W_O, theirs.out_proj.weight),
        (block.feed_forward.W_1, layer.linear1.weight),
        (block.feed_forward.b_1, layer.linear1.bias),
        (block.feed_forward.W_2, layer.linear2.weight),
        (block.feed_forward.b_2, layer.linear2.bias),
        (block.norm_1.gain, layer.norm1.weight),
        (block.norm_1.bias, layer.norm1.bias),
        (block.norm_2.gain, layer.norm2.weight),
        (block.norm_2.bias, layer.norm2.bias),
    ]
    for mine, other in pairs:
        assert_close(
            mine.grad, other.grad.T if other.ndim == 2 else other.grad, 1e-11
        )


def params_of(block: TransformerBlock) -> dict[str, torch.Tensor]:
    """Return the entries that `transformer_block` takes; it has no biases in the attention."""
    attention, feed = block.attention, block.feed_forward
    return {
        **{name: getattr(attention, name) for name in ("W_Q", "W_K", "W_V", "W_O")},
        **{name: getattr(feed, name) for name in ("W_1", "b_1", "W_2", "b_2")},
        **{"gain_1": block.norm_1.gain, "bias_1": block.norm_1.bias},
        **{"gain_2": block.norm_2.gain, "bias_2": block.norm_2.bias},
    }


@each_norm
@each_activation
def test_transformer_block_is_torchs_encoder_layer_without_biases_of_attention(
    norm: str, activation: str, subtests: pytest.Subtests
) -> None:
    """Both twins, with the same arrays."""
    for mask in IN_TORCH:
        with subtests.test(mask=mask):
            layer = layer_of_torch(norm, activation)
            with torch.no_grad():
                layer.self_attn.in_proj_bias.zero_()
                layer.self_attn.out_proj.bias.zero_()
            X, allowed = elements(BATCH), masks()[mask]
            wanted = layer(X, **IN_TORCH[mask])
            params = params_of(block_from_torch(layer))
            found = transformer_block(
                X,
                params,
                n_heads=HEADS,
                mask=allowed,
                block=public("in_torch", f"block.{norm}_norm_block"),
                activation=ACTIVATIONS[activation],
            )
            assert_close(found, wanted, 1e-12)
            by_numpy = public("in_numpy", "block.transformer_block")(
                X.numpy(),
                {name: in_numpy(array) for name, array in params.items()},
                n_heads=HEADS,
                mask=None if allowed is None else allowed.numpy(),
                block=public("in_numpy", f"block.{norm}_norm_block"),
                activation=public("in_numpy", f"block.{activation}"),
            )
            assert_close(by_numpy, wanted, 1e-12)


@each_norm
def test_transformer_block_gradients_of_all_entries_equal_finite_differences(
    norm: str,
) -> None:
    block = shaken(TransformerBlock(6, 2, 5, norm=norm))
    params = {k: a.detach().requires_grad_() for k, a in params_of(block).items()}
    X = elements()[:3, :6]

    options = {"n_heads": 2, "mask": causal_mask(3), "activation": gelu}
    options["block"] = public("in_torch", f"block.{norm}_norm_block")

    def call(*arrays: torch.Tensor) -> torch.Tensor:
        named = dict(zip(params, arrays, strict=True))
        return transformer_block(X, named, **options)

    assert torch.autograd.gradcheck(call, tuple(params.values()), fast_mode=True)


@each_norm
def test_transformer_block_leaves_its_params_as_they_were(
    norm: str, library: str
) -> None:
    params = params_of(shaken(TransformerBlock(D, HEADS, D_FF)))
    before = {name: in_numpy(array).copy() for name, array in params.items()}
    X = elements()
    if library == "in_numpy":
        params, X = {k: in_numpy(a) for k, a in params.items()}, X.numpy()
    wiring = public(library, f"block.{norm}_norm_block")
    call = public(library, "block.transformer_block")
    call(X, params, n_heads=HEADS, block=wiring)
    assert list(params) == list(before)
    for name, array in params.items():
        np.testing.assert_array_equal(in_numpy(array), before[name])


@pytest.mark.parametrize(
    "options",
    [
        {"bias": False},
        {"layer_norm_eps": 0.1},
        {"batch_first": False},
        {"dropout": 0.25},
        {"activation": torch.tanh},
    ],
    ids=lambda options: "".join(
        options
    ),  # a function's text differs from run to run
)
@each_norm
def test_block_from_torch_copies_every_kind_of_encoder_layer(
    norm: str, options: Any
) -> None:
    layer = layer_of_torch(norm, **options).eval()
    block, X = block_from_torch(layer), elements(BATCH)
    if options == {"batch_first": False}:
        wanted = layer(X.transpose(0, 1)).transpose(0, 1)
    else:
        wanted = layer(X)
    assert_close(block(X), wanted, 1e-12)
    assert not block.training
    assert block.dropout.p == block.feed_forward.dropout.p == layer.dropout.p
    assert block.attention.dropout == layer.self_attn.dropout


def test_block_from_torch_shares_no_memory_with_the_layer() -> None:
    layer, X = layer_of_torch(), elements()
    block = block_from_torch(layer)
    before = block(X)
    for parameter in layer.parameters():
        torch.nn.init.zeros_(parameter)
    assert torch.equal(block(X), before)
    assert all(p.requires_grad for p in block.parameters())


@pytest.mark.without_hook
def test_block_from_torch_copies_only_an_encoder_layer() -> None:
    with pytest.raises(TypeError, match=r"got torch\.nn\.modules\.linear\.Linear"):
        public("in_torch", "block.block_from_torch")(torch.nn.Linear(2, 2))


# --- the stack ------------------------------------------------------------------------------------


@each_norm
@pytest.mark.parametrize("masked", [False, True])
def test_transformer_is_torchs_encoder(norm: str, masked: bool) -> None:
    """PyTorch's has a final norm only if it is given one: pre-norm needs it."""
    final = torch.nn.LayerNorm(D) if norm == "pre" else None
    theirs = shaken(
        torch.nn.TransformerEncoder(
            layer_of_torch(norm), LAYERS, final, enable_nested_tensor=False
        )
    )
    stack = Transformer(LAYERS, D, HEADS, D_FF, norm=norm).double()
    for k, layer in enumerate(theirs.layers):
        stack.blocks[k] = block_from_torch(layer)
    if norm == "pre":
        stack.final_norm.load_state_dict(
            {"gain": theirs.norm.weight, "bias": theirs.norm.bias}
        )
    X = elements(BATCH)
    mask = causal_mask(N) if masked else None
    wanted = theirs(X, mask=None if mask is None else ~mask)
    assert_close(stack(X, mask=mask), wanted, 1e-12)


@each_norm
def test_transformer_is_its_blocks_one_after_the_other(norm: str) -> None:
    stack = shaken(Transformer(LAYERS, D, HEADS, D_FF, norm=norm))
    X = H = elements(BATCH)
    bias = torch.randn(HEADS, N, N, dtype=X.dtype)
    for block in stack.blocks:
        H = block(H, mask=causal_mask(N), bias=bias)
    out = stack(X, mask=causal_mask(N), bias=bias)
    assert torch.equal(out, stack.final_norm(H))
    assert torch.equal(out, H) == (norm == "post")
    assert not torch.equal(stack(X, mask=causal_mask(N)), out)


def test_transformer_blocks_have_their_own_parameters() -> None:
    stack = Transformer(LAYERS, D, HEADS)
    assert len({id(p) for p in stack.parameters()}) == LAYERS * 16 + 2
    for one, other in pairwise(stack.blocks):
        assert not torch.equal(one.attention.W_Q, other.attention.W_Q)
        assert not torch.equal(one.feed_forward.W_1, other.feed_forward.W_1)
        assert one.norm_1.gain is not other.norm_1.gain
    block = stack.blocks[0]
    assert block.norm_1.gain is not block.norm_2.gain


@each_norm
def test_transformer_returns_weights_on_demand(norm: str) -> None:
    """They are the weights of what the attention of each block is given."""
    stack = shaken(Transformer(LAYERS, D, HEADS, D_FF, norm=norm))
    X = elements(BATCH)
    out, weights = stack.forward_with_weights(X, mask=causal_mask(N))
    assert_close(out, stack(X, mask=causal_mask(N)), 1e-12)
    assert [tuple(A.shape) for A in weights] == [(BATCH, HEADS, N, N)] * LAYERS
    for A in weights:
        assert_close(A.sum(dim=-1), torch.ones(A.shape[:-1]), 1e-12)
        assert (A.triu(1) == 0).all()
    block = stack.blocks[0]
    given = block.norm_1(X) if norm == "pre" else X
    _, first = block.attention.forward_with_weights(given, mask=causal_mask(N))
    assert torch.equal(weights[0], first)


@each_norm
def test_transformer_with_padding_changes_nothing_for_real_elements(
    norm: str,
) -> None:
    stack = shaken(Transformer(LAYERS, D, HEADS, D_FF, norm=norm))
    X = elements(BATCH)
    together = stack(X, mask=masks()["padding"])
    assert_close(together[1, :4], stack(X[1, :4]), 1e-12)


@each_norm
def test_transformer_with_a_causal_mask_has_the_prefix_property(norm: str) -> None:
    stack = shaken(Transformer(LAYERS, D, HEADS, D_FF, norm=norm))
    X = elements()
    out = stack(X, mask=causal_mask(N))
    for t in range(1, N + 1):
        assert_close(out[:t], stack(X[:t], mask=causal_mask(t)), 1e-12)
    changed = torch.cat([X[:-1], elements(seed=1)[-1:]])
    assert not torch.allclose(stack(changed)[0], stack(X)[0])
