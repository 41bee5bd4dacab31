"""Exercise `TransformerBlock`, the twin of `masked_block`."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import torch

from course_attn.chapters.block.exercises.masked_block import (
    exercise as numpy_exercise,
)
from course_attn.chapters.built_ins import twins
from whywrong import Case, Context, Kind, Property, WrongForm, fault_list

__all__ = ["exercise"]


class TransformerBlock(torch.nn.Module):
    """Let the elements attend to each other, then process each on its own (pre-norm)."""

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.norm_1 = torch.nn.LayerNorm(d_model)
        self.attention = torch.nn.MultiheadAttention(
            d_model, n_heads, batch_first=True
        )
        self.norm_2 = torch.nn.LayerNorm(d_model)
        self.linear_1 = torch.nn.Linear(d_model, d_ff)
        self.linear_2 = torch.nn.Linear(d_ff, d_model)

    def forward(self, X, mask):
        """Return the elements after the block; the mask is True where one may attend."""
        queries = keys = values = self.norm_1(X)
        attention_output, _ = self.attention(queries, keys, values, attn_mask=~mask)
        H = X + attention_output
        normed_H = self.norm_2(H)
        hidden_features = torch.relu(self.linear_1(normed_H))
        network_output = self.linear_2(hidden_features)
        Y = H + network_output
        return Y


def _mixes_the_batch(c: Context) -> str | None:
    """Change the last sequence and see whether the others change."""
    X = c.given["X"].copy()
    X[-1] += np.arange(1, X.shape[-1] + 1)
    moved = c.call(*{**c.given, "X": X}.values())
    if moved is None or not moved.shape == c.got.shape == X.shape:
        return None
    if np.allclose(moved[:-1], c.got[:-1], rtol=1e-3, atol=1e-4):
        return None
    return (
        "When the last sequence of the batch changes, so do your results for the others. In which "
        "order does `nn.MultiheadAttention` take its axes, unless you say `batch_first=True`?"
    )


_PARTS = {
    "norm_1": "LayerNorm(d_model)",
    "attention": "MultiheadAttention(d_model, n_heads, batch_first=True)",
    "norm_2": "LayerNorm(d_model)",
    "linear_1": "Linear(d_model, d_ff)",
    "linear_2": "Linear(d_ff, d_model)",
}


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260911)

    def given(*sizes: int, dtype: str = "f4", look_at: str = "output") -> Any:
        batch, n, d, n_heads, d_ff = sizes
        mask, i = rng.uniform(size=(n, n)) < 0.6, np.arange(n)
        # No row allows everything: flipped, it would hide everything, which gives NaN or 0.
        mask[i, i], mask[i, (i + 1) % n] = True, False
        X = 2 * rng.standard_normal((batch, n, d)) + 0.5
        return X.astype(dtype), mask, n_heads, d_ff, look_at

    return (
        Case(given(2, 3, 4, 2, 7), "example"),
        Case(given(3, 5, 6, 3, 11)),
        Case(given(5, 5, 4, 2, 7), "square"),
        Case(given(3, 6, 6, 2, 10), "as-wide"),
        Case(given(1, 4, 8, 4, 5), "one-sequence"),
        Case(given(2, 5, 6, 1, 13, dtype="f8"), "float64"),
        Case(given(2, 4, 6, 2, 9, dtype="f8", look_at="gradients"), "gradients"),
    )


@lru_cache(maxsize=32)
def _drawn(d: int, n_heads: int, d_ff: int) -> dict[str, torch.Tensor]:
    """Return the parameters that every answer gets, always the same."""
    generator = torch.Generator().manual_seed(20260912)
    drawn = {}
    for name, own in TransformerBlock(d, n_heads, d_ff).named_parameters():
        value = torch.randn(own.shape, generator=generator, dtype=torch.float64)
        is_gain = name in ("norm_1.weight", "norm_2.weight")
        drawn[name] = is_gain + value * (
            0.4 if is_gain else 1.5 / own.shape[-1] ** 0.5
        )
    return drawn


def _run(make: Callable[..., Any], X: Any, mask: Any, *rest: Any) -> Any:
    """Make the module, put fixed parameters in the place of its own and let it run."""
    d, (n_heads, d_ff, look_at) = X.shape[-1], rest
    layer = make(d, n_heads, d_ff)
    _look_at_parts(layer, n_heads)
    own = dict(layer.named_parameters())
    fixed = {}
    for name, value in _drawn(d, n_heads, d_ff).items():
        if name not in own or own[name].shape != value.shape:
            has = f"shape {tuple(own[name].shape)}" if name in own else "none"
            raise WrongForm(
                f"With d_model = {d} and d_ff = {d_ff} there should be a parameter "
                f"`{name}` of shape {tuple(value.shape)}; yours has {has}. Make each part by "
                "a call of its own, and leave the options of PyTorch's layers as they are.",
                "parameters",
            )
        fixed[name] = value.to(X.dtype, copy=True).requires_grad_(
            own[name].requires_grad
        )
    others = {
        name: value.to(X.dtype) if value.is_floating_point() else value
        for name, value in layer.state_dict().items()
        if name not in fixed
    }
    out = _forward(layer.train(), others | fixed, X, mask)
    if look_at != "gradients" or not isinstance(out, torch.Tensor):
        return out
    again = _forward(layer.eval(), others | fixed, X, mask)
    if again.shape == out.shape and not torch.allclose(out, again, 1e-3, 1e-3):
        raise WrongForm(
            "In training your module gives other numbers than in evaluation, `.eval()`: there is "
            "dropout in it. No dropout is asked for here.",
            "dropout",
        )
    if out.requires_grad:
        out.square().sum().backward(retain_graph=True)
    grads = (value.grad for value in fixed.values())
    norms = [X.new_zeros(()) if grad is None else grad.norm() for grad in grads]
    return torch.stack(norms) + 0 * out.sum()


def _forward(layer: Any, parameters: dict[str, Any], *given: Any) -> Any:
    """Let the module run; put into words what PyTorch says of frequent slips."""
    try:
        return torch.func.functional_call(layer, parameters, given)
    except (TypeError, AssertionError, RuntimeError) as error:
        for words, message in _STOPS.items():
            if words in str(error):
                raise WrongForm(message, words) from error
        raise


_STOPS = {
    "tuple": "`nn.MultiheadAttention` returns two things, what it found and the weights, and you "
    "go on with the tuple: `mixed, _ = self.attention(…)`.",
    "key_padd": "The fourth argument of `nn.MultiheadAttention`, `key_padding_mask`, is "
    "for another mask, of shape (batch, n). Hand over yours by name: `attn_mask=…`.",
}


def _look_at_parts(layer: Any, n_heads: int) -> None:
    if not isinstance(layer, torch.nn.Module):
        raise WrongForm(
            f"`TransformerBlock(d_model, n_heads, d_ff)` gives a `{type(layer).__name__}`. Write a "
            "class: `class TransformerBlock(torch.nn.Module)`.",
            "no-module",
        )
    if isinstance(layer, torch.nn.TransformerEncoderLayer):
        raise WrongForm(
            "`torch.nn.TransformerEncoderLayer` is the whole block: build it from its parts.",
            "built-in",
        )
    for name, call in _PARTS.items():
        own = getattr(layer, name, None)
        if not isinstance(own, getattr(torch.nn, call.partition("(")[0])):
            what = "is missing" if own is None else f"is a `{type(own).__name__}`"
            raise WrongForm(
                f"Attribute `{name}` {what}. Keep `self.{name} = torch.nn.{call}` in `__init__` "
                "(the check puts its own parameters there).",
                "attribute",
            )
    attention: Any = layer.attention
    if attention.num_heads != n_heads:
        raise WrongForm(
            f"Asked for {n_heads} heads, your module makes an attention layer with num_heads = "
            f"{attention.num_heads}: pass `n_heads` on.",
            "heads",
        )


exercise = numpy_exercise.twin(
    TransformerBlock,
    place=50,
    minutes=20,
    level="hard",
    prepares=("Stack",),
    section="In PyTorch",
    task="""
Complete the PyTorch module `TransformerBlock(d_model, n_heads, d_ff)`, a **pre-norm** block. Its
`__init__` makes `self.norm_1` and `self.norm_2` (`torch.nn.LayerNorm`), `self.attention`
(`torch.nn.MultiheadAttention`), and `self.linear_1` and `self.linear_2` (`torch.nn.Linear`), the
two layers of the feed-forward network with ReLU between them. Keep these names: the check puts
parameters of its own there. `forward(X, mask)` takes X of shape (batch, n, d_model) and a bool
mask (n, n) in the convention of this course, True = may attend, and returns the shape and dtype of
X. No dropout. Mind how `nn.MultiheadAttention` reads a mask, in which order it takes the axes, and
what it returns. Call it as `check(TransformerBlock)`.
""",
    cases=_cases,
    use=_run,
    arguments=("X", "mask", "n_heads", "d_ff", "_look_at"),
    kinds={
        "square": Kind("where there are as many sequences as elements"),
        "as-wide": Kind("where there are as many elements as features"),
        "one-sequence": Kind(
            "for a single sequence", "Does a `squeeze` remove the batch axis?"
        ),
        "gradients": Kind(
            "where the gradients of the parameters are looked at",
            "`torch.no_grad()`, `.detach()`, `.data` and `requires_grad=False` cut them off: such "
            "a block could never learn.",
        ),
    },
    properties=(
        Property("mixes-the-batch", _mixes_the_batch),
        *numpy_exercise.properties,
    ),
    faults=fault_list("""
post-norm: self.norm_1(X) → X
        and X + attention_output → self.norm_1(X + attention_output)
        and self.norm_2(H) → H
        and H + network_output → self.norm_2(H + network_output)
post-norm-1: self.norm_1(X) → X
        and X + attention_output → self.norm_1(X + attention_output)
post-norm-2: self.norm_2(H) → H
        and H + network_output → self.norm_2(H + network_output)
norm-1-missing: self.norm_1(X) → X
norm-2-missing: self.norm_2(H) → H
reads-attention-alone: self.norm_2(H) → self.norm_2(attention_output)
feed-forward-first: X + attention_output
            → X + self.linear_2(torch.relu(self.linear_1(self.norm_2(X))))
        and self.linear_2(hidden_features)
            → self.attention(*3 * [self.norm_1(H)], attn_mask=~mask)[0]
parallel: self.norm_2(H) → self.norm_2(X)
overwritten-1: X + attention_output → values + attention_output
overwritten-both: X + attention_output → values + attention_output
        and H + network_output → normed_H + network_output
norm-after-attention: self.norm_1(X) → X
        and X + attention_output → X + self.norm_1(attention_output)
norm-after-feed-forward: self.norm_2(H) → H
        and H + network_output → H + self.norm_2(network_output)
norm-at-the-end: return Y → return self.norm_2(Y)
mask-lost: , attn_mask=~mask → (nothing)
    The mask is not passed on: every element sees all others. `attn_mask=~mask`.
polarity: ~mask → mask
    The mask is handed over as it is. `nn.MultiheadAttention` reads True as *drop*, the opposite of
    ours, so each element sees just what it must not see. `attn_mask=~mask`. {worst_row}
added-mask: ~mask → mask.to(X.dtype)
    A mask of *numbers* is added to the scores: 1 where one may attend, 0 elsewhere, which hides
    nothing. Hand over truth values, True = drop: `attn_mask=~mask`.
axes-swapped: batch_first=True → batch_first=False
    Attention runs over the *batch*: `nn.MultiheadAttention` takes (n, batch, d_model) unless you
    say `batch_first=True`. Where there are as many sequences as elements, no error tells you.
weights: attention_output, _ = → _, attention_output =
    You add the attention *weights*, the second of the two things that `nn.MultiheadAttention`
    returns; only where n = d_model do they fit. The first is what it found.
context-not-normed: (queries, keys, values → (queries, X, X
    Only the queries are normed; keys and values come from X as it is. All three are made from
    norm_1(X). {worst_row}
values-not-normed: (queries, keys, values → (queries, keys, X
    Queries and keys are normed, but the values are X as it is, so that large rows are mixed in
    loudly. All three are made from norm_1(X). {worst_row}
relu-missing: torch.relu(self.linear_1(normed_H)) → self.linear_1(normed_H)
    There is no ReLU: two linear layers in a row are just one linear map. {worst_row}
relu-last: torch.relu(self.linear_1(normed_H)) → self.linear_1(normed_H)
        and self.linear_2(hidden_features) → torch.relu(self.linear_2(hidden_features))
    Your ReLU comes after the second linear layer: the two layers act as one, and nothing that the
    network adds is below 0. Where does it belong? {worst_row}
relu-twice: self.linear_2(hidden_features) → torch.relu(self.linear_2(hidden_features))
    There is a ReLU after the second linear layer, too: what the network adds is never negative.
    ReLU belongs between the two layers alone. {worst_row}
gelu: torch.relu( → torch.nn.functional.gelu(
    You use GELU between the linear layers, as GPT-2 does. ReLU is asked for. {worst_row}
"""),
    hints=(
        "In which two places is something added to what came in? Write H = X + … first.",
        "Pre-norm: normalize, run the part, add to what was there *before* the norm. "
        "`nn.MultiheadAttention` is called with queries, keys and values, and returns two things.",
        "`mixed, _ = self.attention(normed, normed, normed, attn_mask=~mask)` with "
        "`normed = self.norm_1(X)`; then `self.linear_2(torch.relu(self.linear_1(…)))`.",
    ),
    built_ins=(
        *twins("block.pre_norm_block"),
        "course_attn.in_torch.block_layers.TransformerBlock",
        "torch.nn.TransformerEncoderLayer",
    ),
)
