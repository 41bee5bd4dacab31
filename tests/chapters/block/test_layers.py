"""The parts, the block and the stack as good `nn.Module`s."""

import copy
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from course_attn.in_torch import (
    FeedForward,
    LayerNorm,
    Transformer,
    TransformerBlock,
)
from course_attn.in_torch.block import (
    feed_forward,
    gelu,
    layer_norm,
    post_norm_block,
    pre_norm_block,
    relu,
    transformer_block,
)
from course_attn.in_torch.masks import causal_mask
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
from tests.support.twin_table import public

# --- the parts ------------------------------------------------------------------------------------


def test_layer_norm_and_feed_forward_modules_are_the_functions() -> None:
    X, norm = elements(BATCH), shaken(LayerNorm(D, eps=0.1))
    assert_close(norm(X), layer_norm(X, norm.gain, norm.bias, eps=0.1), 1e-12)
    for activation in (relu, gelu):
        feed = shaken(FeedForward(D, D_FF, activation=activation))
        arrays = (feed.W_1, feed.b_1, feed.W_2, feed.b_2)
        wanted = feed_forward(X, *arrays, activation=activation)
        assert_close(feed(X), wanted, 1e-12)


@each_norm
def test_transformer_block_without_biases_is_the_function(norm: str) -> None:
    """`biases` are those of the attention; the feed-forward network keeps its own."""
    block = shaken(
        TransformerBlock(D, HEADS, D_FF, norm=norm, biases=False, activation=gelu)
    )
    names = {
        "norm_1.gain": "gain_1",
        "norm_1.bias": "bias_1",
        "norm_2.gain": "gain_2",
        "norm_2.bias": "bias_2",
    }
    params = {
        names.get(name) or name.rpartition(".")[2]: parameter
        for name, parameter in block.state_dict().items()
    }
    wiring = {"pre": pre_norm_block, "post": post_norm_block}[norm]
    for causal in (False, True):
        X = elements(BATCH)
        wanted = transformer_block(
            X, params, n_heads=HEADS, causal=causal, block=wiring, activation=gelu
        )
        assert_close(block(X, causal=causal), wanted, 1e-12)


def test_transformer_hands_biases_on_to_its_blocks() -> None:
    for biases in (False, True):
        stack = Transformer(2, D, HEADS, biases=biases)
        vectors = [n for n in stack.state_dict() if "attention.b" in n]
        assert len(vectors) == (8 if biases else 0)
    default = Transformer(1, D, HEADS).blocks[0], TransformerBlock(D, HEADS)
    assert all(block.attention.b_Q is not None for block in default)


@pytest.mark.parametrize("make", [FeedForward, TransformerBlock, Transformer])
def test_dropout_acts_in_training_only(make: Any) -> None:
    sizes = {FeedForward: (D, D_FF), TransformerBlock: (D, HEADS)}
    torch.manual_seed(0)
    module = make(*sizes.get(make, (LAYERS, D, HEADS)), dropout=0.5).double()
    X = elements(BATCH)
    assert not torch.equal(module(X), module(X))
    module.eval()
    assert torch.equal(module(X), module(X))
    without = make(*sizes.get(make, (LAYERS, D, HEADS))).double()
    without.load_state_dict(module.state_dict())
    assert torch.equal(module(X), without(X))


def test_transformer_block_dropout_acts_at_the_places_that_it_says() -> None:
    """Put probes into the places; three kinds: weights, hidden features, what is added."""
    block = TransformerBlock(D, HEADS, D_FF, dropout=0.5).double()
    X, dropped = elements(BATCH), []

    def note(module: Any, given: Any, out: torch.Tensor) -> None:
        dropped.append((tuple(out.shape), float((out == 0).double().mean())))

    block.dropout.register_forward_hook(note)
    block.feed_forward.dropout.register_forward_hook(note)
    torch.manual_seed(0)
    block(X)
    assert [shape for shape, _ in dropped] == [
        (BATCH, N, D),
        (BATCH, N, D_FF),
        (BATCH, N, D),
    ]
    assert all(0.35 < share < 0.95 for _, share in dropped)
    assert block.attention.dropout == 0.5
    torch.manual_seed(0)
    _, weights = block.attention.forward_with_weights(X)
    assert 0.3 < float((weights == 0).double().mean()) < 0.7


def test_transformer_block_dropout_of_everything_leaves_the_residual_path() -> None:
    """A probability of 1 leaves the residual path alone."""
    X = elements(BATCH)
    assert torch.equal(TransformerBlock(D, HEADS, dropout=1.0).double()(X), X)


@each_norm
def test_transformer_state_dict_makes_the_round_trip(
    norm: str, tmp_path: Any
) -> None:
    one, other = (Transformer(2, D, HEADS, norm=norm).double() for _ in range(2))
    names = [
        n.removeprefix("blocks.0.") for n in one.state_dict() if "blocks.0" in n
    ]
    assert names == [
        *(f"attention.{kind}_{x}" for x in "QKVO" for kind in "Wb"),
        *("norm_1.gain", "norm_1.bias"),
        *(f"feed_forward.{name}" for name in ("W_1", "b_1", "W_2", "b_2")),
        *("norm_2.gain", "norm_2.bias"),
    ]
    assert ("final_norm.gain" in one.state_dict()) == (norm == "pre")
    X = elements()
    assert not torch.equal(one(X), other(X))
    torch.save(one.state_dict(), tmp_path / "weights.pt")
    other.load_state_dict(torch.load(tmp_path / "weights.pt", weights_only=True))
    assert torch.equal(one(X), other(X))
    assert torch.equal(copy.deepcopy(one)(X), one(X))


@each_norm
def test_transformer_is_made_on_the_meta_device_and_given_its_weights_later(
    norm: str,
) -> None:
    with torch.device("meta"):
        hollow = Transformer(2, D, HEADS, norm=norm)
        assert hollow(torch.ones(N, D)).shape == (N, D)
    assert all(p.is_meta for p in hollow.parameters())
    full = Transformer(2, D, HEADS, norm=norm)
    filled = hollow.to_empty(device="cpu")
    filled.load_state_dict(full.state_dict())
    X = elements().float()
    assert torch.equal(filled(X), full(X))


@pytest.mark.slow
@pytest.mark.without_hook
@each_norm
def test_transformer_can_be_exported(norm: str) -> None:
    """With a mask, and with a batch of any size."""
    stack = public("in_torch", "block.Transformer")(2, D, HEADS, norm=norm).eval()
    mask, X = causal_mask(N), elements(BATCH).float()
    sizes = {"X": {0: torch.export.Dim("batch", min=2)}, "mask": None}
    program = torch.export.export(stack, (X,), {"mask": mask}, dynamic_shapes=sizes)
    more = elements(5, seed=1).float()
    found = program.module()(more, mask=mask)
    assert_close(found, stack(more, mask=mask), 1e-6)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_transformer_works_in_its_dtype(dtype: torch.dtype) -> None:
    stack = Transformer(2, D, HEADS).to(dtype)
    X = elements(BATCH).to(dtype)
    out = stack(X, mask=causal_mask(N))
    assert out.dtype == dtype
    exact = copy.deepcopy(stack).double()(X.double(), mask=causal_mask(N))
    tolerance = {torch.float32: 1e-5, torch.bfloat16: 0.05}[dtype]
    assert_close(out, exact, tolerance)


def test_repr_of_modules_says_what_they_are() -> None:
    assert repr(LayerNorm(7)) == "LayerNorm(d_model=7, eps=1e-05)"
    feed = repr(FeedForward(7, 5, activation=gelu))
    assert feed.startswith("FeedForward(\n  d_model=7, d_ff=5, activation=gelu")
    assert "norm='post'" in repr(TransformerBlock(6, 2, norm="post"))
    assert TransformerBlock(6, 2).feed_forward.d_ff == 24


@pytest.mark.without_hook
@pytest.mark.parametrize(
    ("name", "sizes", "options", "error", "words"),
    [
        ("LayerNorm", (0,), {}, ValueError, "d_model must be at least 1"),
        ("LayerNorm", (3,), {"eps": -1.0}, ValueError, "eps must be at least 0"),
        ("FeedForward", (3, 0), {}, ValueError, "d_ff must be at least 1"),
        ("FeedForward", (3, 5), {"activation": "relu"}, TypeError, "activation"),
        ("FeedForward", (3, 5), {"dropout": 1.5}, ValueError, "dropout"),
        ("TransformerBlock", (6, 4), {}, ValueError, "n_heads"),
        ("TransformerBlock", (6, 2, 0), {}, ValueError, "d_ff"),
        (
            "TransformerBlock",
            (6, 2),
            {"norm": "mid"},
            ValueError,
            "'pre' or 'post'",
        ),
        ("TransformerBlock", (6, 2), {"dropout": -0.1}, ValueError, "dropout"),
        ("TransformerBlock", (6, 2), {"eps": -1.0}, ValueError, "eps"),
        ("Transformer", (0, 6, 2), {}, ValueError, "n_layers must be at least 1"),
        ("TransformerBlock", (6, 2), {"biases": 0}, TypeError, "biases"),
        ("Transformer", (2, 6, 2), {"norm": None}, TypeError, "norm"),
        ("Transformer", (2, 6, 2), {"biases": None}, TypeError, "biases"),
    ],
)
def test_modules_of_the_block_refuse_what_makes_no_sense(
    name: str, sizes: Any, options: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        public("in_torch", f"block.{name}")(*sizes, **options)


@pytest.mark.without_hook
def test_transformer_block_and_feed_forward_refuse_elements_of_another_width() -> (
    None
):
    for module in (FeedForward, TransformerBlock):
        made = public("in_torch", f"block.{module.__name__}")(6, 2)
        with pytest.raises((ValueError, RuntimeError), match="6"):
            made(torch.ones(N, 5))


def test_feed_forward_start_keeps_unit_variance() -> None:
    """Variances 1/d_model and 1/d_ff: 5 times their standard error is allowed."""
    feed = FeedForward(512, 1024)
    feed.reset_parameters(torch.Generator().manual_seed(5))
    for W in (feed.W_1, feed.W_2):
        n = W.numel()
        assert abs(float(W.detach().var()) * W.shape[0] - 1) < 5 * (2 / n) ** 0.5
    assert not feed.b_1.any() and not feed.b_2.any()
    again = FeedForward(512, 1024)
    again.reset_parameters(torch.Generator().manual_seed(5))
    assert all(map(torch.equal, feed.parameters(), again.parameters()))


@pytest.mark.gpu
@each_norm
def test_transformer_runs_on_the_gpu(norm: str) -> None:
    stack, X = (
        shaken(Transformer(LAYERS, D, HEADS, D_FF, norm=norm)),
        elements(BATCH),
    )
    wanted = stack(X, mask=causal_mask(N))
    found = stack.to("cuda")(X.to("cuda"), mask=causal_mask(N).to("cuda"))
    assert found.device.type == "cuda"
    assert_close(found, wanted, 1e-11)


def test_linear_layers_of_torch_keep_the_transposes() -> None:
    """What `block_from_torch` relies on, said by `F.linear` itself."""
    layer, X = layer_of_torch(), elements()
    hidden = X @ layer.linear1.weight.T + layer.linear1.bias
    assert_close(
        hidden, F.linear(X, layer.linear1.weight, layer.linear1.bias), 1e-12
    )
