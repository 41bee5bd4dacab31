"""Exercise `TransformerBlock` of chapter 9, in PyTorch."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
import torch

from course_attn.checking import Case, Exercise, Fault, Kind, WrongForm
from course_attn.exercises.block._steps import wrong_row
from course_attn.exercises.block._wiring import wired, wiring_faults

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
        normed = self.norm_1(X)
        mixed, _ = self.attention(normed, normed, normed, attn_mask=~mask)
        H = X + mixed
        return H + self.linear_2(torch.relu(self.linear_1(self.norm_2(H))))


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260911)

    def given(
        batch: int, n: int, d: int, n_heads: int, d_ff: int, mask: Any = None
    ) -> tuple[Any, ...]:
        X = (2 * rng.standard_normal((batch, n, d)) + 0.5).astype(np.float32)
        return X, _scattered(n) if mask is None else mask, n_heads, d_ff

    def _scattered(n: int) -> np.ndarray:
        """Allow itself and some others, never the next one in the circle."""
        mask = rng.uniform(size=(n, n)) < 0.6
        i = np.arange(n)
        mask[i, i], mask[i, (i + 1) % n] = True, False
        return mask

    # Not one row of a mask allows everything: flipped, none hides everything, which is NaN or 0.
    band = np.tri(5, dtype=bool) & ~np.tri(5, k=-3, dtype=bool)
    wide = given(2, 5, 6, 1, 13, band)
    return (
        Case(given(2, 3, 4, 2, 7), "example"),
        Case(given(3, 5, 6, 3, 11)),
        Case(given(5, 5, 4, 2, 7), "square"),
        Case((wide[0].astype(float), *wide[1:]), "float64"),
    )


# --- putting a learner's module to use ------------------------------------------------------------

_KINDS = {
    "norm_1": (torch.nn.LayerNorm, "torch.nn.LayerNorm(d_model)"),
    "attention": (
        torch.nn.MultiheadAttention,
        "torch.nn.MultiheadAttention(d_model, n_heads, batch_first=True)",
    ),
    "norm_2": (torch.nn.LayerNorm, "torch.nn.LayerNorm(d_model)"),
    "linear_1": (torch.nn.Linear, "torch.nn.Linear(d_model, d_ff)"),
    "linear_2": (torch.nn.Linear, "torch.nn.Linear(d_ff, d_model)"),
}


def _shapes(d: int, d_ff: int) -> dict[str, tuple[int, ...]]:
    return {
        "norm_1.weight": (d,),
        "norm_1.bias": (d,),
        "attention.in_proj_weight": (3 * d, d),
        "attention.in_proj_bias": (3 * d,),
        "attention.out_proj.weight": (d, d),
        "attention.out_proj.bias": (d,),
        "norm_2.weight": (d,),
        "norm_2.bias": (d,),
        "linear_1.weight": (d_ff, d),
        "linear_1.bias": (d_ff,),
        "linear_2.weight": (d, d_ff),
        "linear_2.bias": (d,),
    }


@lru_cache(maxsize=32)
def _drawn(d: int, d_ff: int, dtype: torch.dtype) -> dict[str, Any]:
    """Return the parameters that every answer gets, always the same."""
    generator = torch.Generator().manual_seed(20260912)
    drawn = {}
    for name, shape in _shapes(d, d_ff).items():
        value = torch.randn(shape, generator=generator, dtype=torch.float64)
        if len(shape) == 2:
            value = value * 1.5 / shape[-1] ** 0.5
        elif name.startswith("norm") and name.endswith("weight"):
            value = 1 + 0.4 * value
        drawn[name] = value.to(dtype)
    return drawn


def _with_parameters(
    make: Callable[..., Any], X: Any, mask: Any, n_heads: int, d_ff: int
) -> Any:
    """Make the module, put fixed parameters in the place of its own and let it run."""
    d = X.shape[-1]
    layer = make(d, n_heads, d_ff)
    if not isinstance(layer, torch.nn.Module):
        raise WrongForm(
            f"`TransformerBlock(d_model, n_heads, d_ff)` gives a `{type(layer).__name__}`. Write a "
            "class: `class TransformerBlock(torch.nn.Module)`.",
            "no-module",
        )
    _look_at_parts(layer, n_heads)
    _look_at_shapes(layer, _shapes(d, d_ff), f"d_model = {d} and d_ff = {d_ff}")
    fixed = _drawn(d, d_ff, X.dtype)
    rest = {
        name: value.to(X.dtype) if value.is_floating_point() else value
        for name, value in layer.state_dict().items()
        if name not in fixed
    }
    return torch.func.functional_call(layer.eval(), rest | fixed, (X, mask))


def _look_at_parts(layer: Any, n_heads: int) -> None:
    for name, (kind, call) in _KINDS.items():
        own = getattr(layer, name, None)
        if not isinstance(own, kind):
            what = "is missing" if own is None else f"is a `{type(own).__name__}`"
            raise WrongForm(
                f"The attribute `{name}` {what}. Keep `self.{name} = {call}` in `__init__`: the "
                "check puts parameters of its own there.",
                "attribute",
            )
    if layer.norm_1 is layer.norm_2:
        raise WrongForm(
            "`norm_1` and `norm_2` are the same object, so that they share gain and bias. Make "
            "two: call `torch.nn.LayerNorm(d_model)` twice.",
            "one-norm-object",
        )
    if layer.attention.num_heads != n_heads:
        raise WrongForm(
            f"Asked for {n_heads} heads, your module makes an attention layer with num_heads = "
            f"{layer.attention.num_heads}: pass `n_heads` on.",
            "heads",
        )


def _look_at_shapes(
    layer: torch.nn.Module, shapes: dict[str, tuple[int, ...]], sizes: str
) -> None:
    own = dict(layer.named_parameters())
    for name, shape in shapes.items():
        if name not in own:
            part, _, last = name.rpartition(".")
            raise WrongForm(
                f"`{part}` has no `{last}`. Biases, gains and all matrices are wanted here: leave "
                "the options of PyTorch's layers as they are.",
                "no-bias",
            )
        if tuple(own[name].shape) != shape:
            raise WrongForm(
                f"With {sizes}, `{name}` should have shape {shape}, and has "
                f"{tuple(own[name].shape)}.",
                "weight-shape",
            )


# --- wrong versions -------------------------------------------------------------------------------


class _Variant(torch.nn.Module):
    """The module with its steps to be replaced."""

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        d_ff: int,
        run: Callable[..., Any],
        **inner: Any,
    ) -> None:
        super().__init__()
        batch_first = inner.pop("batch_first", True)
        self.norm_1 = torch.nn.LayerNorm(d_model)
        self.attention = torch.nn.MultiheadAttention(
            d_model, n_heads, batch_first=batch_first
        )
        self.norm_2 = torch.nn.LayerNorm(d_model)
        self.linear_1 = torch.nn.Linear(d_model, d_ff)
        self.linear_2 = torch.nn.Linear(d_ff, d_model)
        self.run = run
        self.bend = inner.pop("bend", torch.relu)
        self.finish = inner.pop("finish", lambda out: out)
        self.hide = inner.pop("hide", torch.logical_not)
        self.others = inner.pop("others", lambda normed, X: normed)

    def forward(self, X: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Run the wiring over the module's parts."""

        def attend(normed: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            context = self.others(normed, X)
            hidden = self.hide(mask)
            return self.attention(normed, context, context, attn_mask=hidden)[0]

        def process(normed: torch.Tensor) -> torch.Tensor:
            hidden = self.bend(self.linear_1(normed))
            return self.finish(self.linear_2(hidden))

        return self.run(X, attend, process, self.norm_1, self.norm_2, mask)


_INNER = ("batch_first", "bend", "finish", "hide", "others")


def _made(d_model: int, n_heads: int, d_ff: int, **steps: Any) -> torch.nn.Module:
    """Make the module; steps of the wiring and of the parts may be replaced."""
    inner = {name: steps.pop(name) for name in _INNER if name in steps}
    return _Variant(d_model, n_heads, d_ff, partial(wired, **steps), **inner)


def _of_wiring(does: Any) -> Callable[..., torch.nn.Module]:
    """Return the module that is wired so."""
    return lambda d_model, n_heads, d_ff: _Variant(d_model, n_heads, d_ff, does)


# Every pair of faults costs time; these mistakes are often made together with another.
_COMPOSABLE = (
    "post-norm",
    "norm-1-missing",
    "norm-2-missing",
    "shared-norm",
    "residual-1-normed",
    "residual-2-normed",
)


def _composable(fault: Fault) -> Fault:
    """Return a fault of the wiring, as a whole unless it is one that often comes with others."""
    if callable(fault.does) or fault.id in _COMPOSABLE:
        return fault
    return replace(fault, does=_of_wiring(partial(wired, **fault.does)))


exercise = Exercise(
    solution=TransformerBlock,
    place=50,
    section="In PyTorch",
    library="torch",
    task="""
Complete the PyTorch module `TransformerBlock(d_model, n_heads, d_ff)`, a **pre-norm** block. Its
`__init__` makes `self.norm_1` and `self.norm_2` (`torch.nn.LayerNorm`), `self.attention`
(`torch.nn.MultiheadAttention`), and `self.linear_1` and `self.linear_2` (`torch.nn.Linear`), the
two layers of the feed-forward network with ReLU between them. Keep these names: the check puts
parameters of its own there. `forward(X, mask)` takes X of shape (batch, n, d_model) and a bool
mask (n, n) in the convention of this course, True = may attend, and returns the shape of X. No
dropout. Mind how `nn.MultiheadAttention` reads a mask, in which order it takes the axes, and what
it returns. Call it as `check(TransformerBlock)`.
""",
    cases=_cases,
    variant=_made,
    use=_with_parameters,
    arguments=("X", "mask", "n_heads", "d_ff"),
    kinds={
        "square": Kind("where there are as many sequences as elements"),
        "float64": Kind(
            "for float64 tensors", "A new tensor made without `dtype=`?"
        ),
    },
    faults=(
        *map(_composable, wiring_faults(_of_wiring)),
        Fault(
            "polarity",
            {"hide": lambda mask: mask},
            lambda c: (
                "The mask is handed over as it is. `nn.MultiheadAttention` reads True as *drop*, "
                "the opposite of ours, so each element sees just what it must not see. "
                f"`attn_mask=~mask`. {wrong_row(c)}"
            ),
        ),
        Fault(
            "mask-lost",
            {"hide": lambda mask: None},
            "The mask is not passed on: every element sees all others. `attn_mask=~mask`.",
        ),
        Fault(
            "axes-swapped",
            lambda d_model, n_heads, d_ff: _made(
                d_model, n_heads, d_ff, batch_first=False
            ),
            "Attention runs over the *batch*: the sequences attend to each other, position by "
            "position. `nn.MultiheadAttention` takes (n, batch, d_model) unless you say "
            "`batch_first=True`. Where there are as many sequences as elements, no error tells "
            "you.",
        ),
        Fault(
            "context-not-normed",
            {"others": lambda normed, X: X},
            lambda c: (
                "Only the queries are normed; keys and values come from X as it is. All three are "
                f"made from norm_1(X). {wrong_row(c)}"
            ),
        ),
        Fault(
            "no-relu",
            {"bend": lambda hidden: hidden},
            lambda c: (
                "Between the two linear layers the ReLU is missing: without it they are one "
                f"linear layer. {wrong_row(c)}"
            ),
        ),
        Fault(
            "gelu",
            {"bend": torch.nn.functional.gelu},
            lambda c: (
                "You use GELU between the linear layers, as GPT-2 does. Asked for is ReLU. "
                f"{wrong_row(c)}"
            ),
        ),
        Fault(
            "relu-at-the-end-too",
            {"finish": torch.relu},
            lambda c: (
                "You apply a ReLU to the feed-forward network's result, too: then it can only "
                f"ever raise H. {wrong_row(c)}"
            ),
        ),
    ),
    hints=(
        "In which two places is something added to what came in? Write H = X + … first.",
        "Pre-norm: normalize, run the part, add to what was there *before* the norm. "
        "`nn.MultiheadAttention` is called with queries, keys and values, and returns two things.",
        "`mixed, _ = self.attention(normed, normed, normed, attn_mask=~mask)` with "
        "`normed = self.norm_1(X)`; then `self.linear_2(torch.relu(self.linear_1(…)))`.",
    ),
    built_ins=(
        "course_attn.in_torch.block_layers.TransformerBlock",
        "torch.nn.TransformerEncoderLayer",
    ),
)
