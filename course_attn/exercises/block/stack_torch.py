"""Exercise `Stack` of chapter 9, in PyTorch."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import torch

from course_attn.checking import Case, Context, Exercise, Fault, Kind, WrongForm

__all__ = ["exercise"]


class Stack(torch.nn.Module):
    """Run several blocks one after the other, each with parameters of its own."""

    def __init__(self, make_block, n_layers):
        super().__init__()
        self.blocks = torch.nn.ModuleList(make_block() for _ in range(n_layers))

    def forward(self, X):
        """Return X after all blocks."""
        for block in self.blocks:
            X = block(X)
        return X


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260921).standard_normal

    def given(n_layers: int, n: int, d: int, *batch: int) -> tuple[Any, ...]:
        X, W = draw((*batch, n, d)), draw((n_layers, d, d)) / np.sqrt(d)
        return X.astype("f4"), W.astype("f4")

    first, second = given(3, 2, 4), given(5, 3, 7, 2)
    return (
        Case((*first, "output"), "example"),
        Case((*first, "parameters"), "parameters"),
        Case((*second, "output"), "plain"),
        Case((*second, "parameters"), "parameters"),
        Case((*given(1, 5, 3), "output"), "single"),
    )


class _Block(torch.nn.Module):
    """A small stand-in for a transformer block: X + tanh(X W)."""

    def __init__(self, W: torch.Tensor) -> None:
        super().__init__()
        self.W = torch.nn.Parameter(W.detach().clone())

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        """Add to X what the block makes of it."""
        return X + torch.tanh(X @ self.W)


def _run(make: Callable[..., Any], X: Any, W: Any, looked_at: str) -> Any:
    """Stack blocks with these matrices, in this order; return what it gives, or what it learns."""
    made = 0

    def make_block() -> _Block:
        nonlocal made
        made += 1
        return _Block(W[made - 1] if made <= len(W) else -made * W[0])

    layer = make(make_block, len(W))
    if not isinstance(layer, torch.nn.Module):
        raise WrongForm(
            f"`Stack(make_block, n_layers)` gives a `{type(layer).__name__}`. Write a class: "
            "`class Stack(torch.nn.Module)`.",
            "no-module",
        )
    layer(X)  # the second call shows whether blocks are made anew in each
    out = layer(X)
    if looked_at == "output" or out is None:
        return out
    found = [parameter.sum() for parameter in layer.parameters()]
    return torch.stack(found) if found else X.new_zeros(0)


def _chained(blocks: list[Any], X: torch.Tensor) -> torch.Tensor:
    for block in blocks:
        X = block(X)
    return X


class _Variant(torch.nn.Module):
    """The module with its steps to be replaced."""

    def __init__(self, blocks: Any, run: Callable[..., Any]) -> None:
        super().__init__()
        self.blocks, self.run = blocks, run

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        """Run the blocks."""
        return self.run(list(self.blocks), X)


def _each(make_block: Callable[..., Any], n: int) -> list[Any]:
    return [make_block() for _ in range(n)]


def _made(
    make_block: Callable[..., Any],
    n_layers: int,
    *,
    blocks: Callable[..., Any] = _each,
    keep: Callable[..., Any] = torch.nn.ModuleList,
    run: Callable[..., Any] = _chained,
) -> torch.nn.Module:
    return _Variant(keep(blocks(make_block, n_layers)), run)


def _copies(make_block: Callable[..., Any], n: int) -> list[Any]:
    first = make_block()
    return [deepcopy(first) for _ in range(n)]


def _added_again(blocks: list[Any], X: torch.Tensor) -> torch.Tensor:
    for block in blocks:
        X = X + block(X)
    return X


def _side_by_side(blocks: list[Any], X: torch.Tensor) -> torch.Tensor:
    return sum((block(X) for block in blocks), torch.zeros_like(X))


class _MadeAnew(torch.nn.Module):
    """Make new blocks whenever it runs."""

    def __init__(self, make_block: Callable[..., Any], n_layers: int) -> None:
        super().__init__()
        self.make_block, self.n_layers = make_block, n_layers

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        """Make blocks and run them."""
        return _chained(_each(self.make_block, self.n_layers), X)


def _wanted(c: Context) -> str:
    return f"n_layers is {len(c.given['W'])} here"


exercise = Exercise(
    solution=Stack,
    place=60,
    section="Stack, and the whole picture",
    library="torch",
    task="""
Write the PyTorch module `Stack(make_block, n_layers)`. `make_block()` returns a new block, a module
that takes X to the same shape, with parameters of its own. Make n_layers of them in `__init__`, one
by each call of `make_block()`; `forward(X)` runs them one after the other, in the order in which
they were made, each on the result of the one before. All their parameters must be found by
`Stack(…).parameters()`, or else no optimizer would ever change them. Call it as `check(Stack)`.
""",
    cases=_cases,
    variant=_made,
    use=_run,
    arguments=("X", "W", "looked_at"),
    kinds={
        "parameters": Kind(
            "as soon as the parameters are looked at",
            "`Stack(…).parameters()` has to find those of every block, once each.",
        ),
        "single": Kind("for a single layer"),
    },
    faults=(
        Fault(
            "same-block",
            {"blocks": lambda make_block, n: [make_block()] * n},
            lambda c: (
                "One block is repeated: `[make_block()] * n_layers` calls `make_block` once and "
                f"lists the same object {len(c.given['W'])} times. However deep the stack, it has "
                "the parameters of one layer. Call it anew for each: "
                "`[make_block() for _ in range(n_layers)]`."
            ),
        ),
        Fault(
            "copies",
            {"blocks": _copies},
            "You copy one block (as PyTorch's `nn.TransformerEncoder` does): all layers start "
            "with the same numbers. Here each block is made, and drawn, by its own call of "
            "`make_block()`.",
        ),
        Fault(
            "plain-list",
            {"keep": list},
            lambda c: (
                "The blocks are hidden in a plain Python list: of the matrices of "
                f"{len(c.given['W'])} blocks, `parameters()` finds none, so that they would never "
                "be trained, saved or moved to a GPU. `torch.nn.ModuleList([…])` registers them."
            ),
        ),
        Fault(
            "made-anew",
            _MadeAnew,
            "You make the blocks inside of `forward`: new ones, with new numbers, whenever it "
            "runs, so that nothing can be learned. Make them once, in `__init__`, and keep them "
            "in a `torch.nn.ModuleList`.",
        ),
        Fault(
            "one-too-many",
            {"blocks": lambda make_block, n: _each(make_block, n + 1)},
            lambda c: f"You make one block too many: {_wanted(c)}.",
        ),
        Fault(
            "one-too-few",
            {"blocks": lambda make_block, n: _each(make_block, n - 1)},
            lambda c: (
                f"You make one block too few: {_wanted(c)}. `range(1, n)` has n − 1 numbers."
            ),
        ),
        Fault(
            "backward",
            {"run": lambda blocks, X: _chained(blocks[::-1], X)},
            "The blocks run in the opposite order: the one that was made first comes first.",
        ),
        Fault(
            "last-only",
            {"run": lambda blocks, X: blocks[-1](X) if blocks else X},
            "Your result is that of the last block on X alone: each block gets the X from the "
            "beginning. In the loop, overwrite it: `X = block(X)`.",
        ),
        Fault(
            "first-only",
            {"run": lambda blocks, X: blocks[0](X) if blocks else X},
            "Your result is that of the first block alone. Does a `return` inside the loop end it "
            "too early?",
        ),
        Fault(
            "side-by-side",
            {"run": _side_by_side},
            "You run all blocks on the same X and add up the results: they stand side by side. In "
            "a stack each works on the result of the one before, `X = block(X)`.",
        ),
        Fault(
            "first-repeated",
            {"run": lambda blocks, X: _chained(blocks[:1] * len(blocks), X)},
            "You run the *first* block n_layers times; the others are made and never used.",
        ),
        Fault(
            "added-again",
            {"run": _added_again},
            "You add X to each block's result. The residual connections are inside the blocks "
            "already: `X = block(X)`.",
        ),
        Fault(
            "nothing",
            {"run": lambda blocks, X: X * 1},
            "X comes back unchanged: is the result of each block assigned, `X = block(X)`?",
        ),
    ),
    hints=(
        "How many times is `make_block` called in `[make_block()] * 3`?",
        "Make the blocks with a comprehension, keep them in a `torch.nn.ModuleList`, and overwrite "
        "X by each block's result in turn.",
        "`self.blocks = torch.nn.ModuleList(make_block() for _ in range(n_layers))`, and "
        "`for block in self.blocks: X = block(X)`.",
    ),
)
