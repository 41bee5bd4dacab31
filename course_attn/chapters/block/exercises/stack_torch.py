"""Exercise `Stack`."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from whywrong import Case, Exercise, Kind, WrongForm, fault_list

__all__ = ["exercise"]


class Stack(torch.nn.Module):
    """Run several blocks one after the other, each with parameters of its own."""

    def __init__(self, make_block, n_layers):
        super().__init__()
        blocks = [make_block() for _ in range(n_layers)]
        self.blocks = torch.nn.ModuleList(blocks)

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
        return X + torch.tanh(X @ self.W)


def _run(make: Callable[..., Any], X: Any, W: Any, looked_at: str) -> Any:
    """Stack blocks with these matrices, in this order; return what it gives, or what it learns."""
    made = 0

    def make_block() -> _Block:
        nonlocal made
        made += 1
        return _Block(W[made - 1] if made <= len(W) else -made * W[0])

    layer = _made(make, make_block, len(W))
    layer(X)  # the second call shows whether blocks are made anew in each
    out = layer(X)
    if looked_at == "output" or out is None:
        return out
    parameters = list(layer.parameters())
    if not all(parameter.requires_grad for parameter in parameters):
        raise WrongForm(
            "Some of the blocks' parameters are frozen (`requires_grad=False`): no optimizer could "
            "change them. Keep the blocks as `make_block()` returns them.",
            "frozen",
        )
    found = [parameter.sum() for parameter in parameters]
    return torch.stack(found).sort().values if found else X.new_zeros(0)


def _made(
    make: Callable[..., Any], make_block: Callable[[], _Block], n_layers: int
) -> Any:
    """Return the learner's module, or say why there is none that can run."""
    try:
        layer = make(make_block, n_layers)
    except TypeError as error:
        if "is not a Module subclass" not in str(error):
            raise
        raise WrongForm(
            "A function or a list is put where PyTorch expects modules. Call `make_block()` once "
            "for each block: `torch.nn.ModuleList([make_block() for _ in range(n_layers)])`, or "
            "`torch.nn.Sequential(*[…])`, where the star hands over the blocks one by one.",
            "not-modules",
        ) from error
    if not isinstance(layer, torch.nn.Module) or isinstance(
        layer, torch.nn.ModuleList
    ):
        raise WrongForm(
            f"`Stack(make_block, n_layers)` gives a `{type(layer).__name__}`, which cannot run. "
            "Write a `class Stack(torch.nn.Module)` with a `forward(X)` that runs the blocks.",
            "no-module",
        )
    return layer


exercise = Exercise(
    Stack,
    place=60,
    minutes=10,
    level="medium",
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
    use=_run,
    arguments=("X", "W", "looked_at"),
    terms={"n_layers": lambda c: len(c.given["W"])},
    kinds={
        "parameters": Kind(
            "as soon as the parameters are looked at",
            "`Stack(…).parameters()` has to find those of every block, once each.",
        ),
        "single": Kind("for a single layer"),
    },
    faults=fault_list("""
same-block: [make_block() for _ in range(n_layers)] → [make_block()] * n_layers
    One block is repeated: `[make_block()] * n_layers` calls `make_block` once and lists the same
    object {n_layers} times. Call it anew for each: `[make_block() for _ in range(n_layers)]`.
copies: blocks = [make_block() for _ in range(n_layers)]
            → import copy ⏎ b = make_block() ⏎ blocks = [copy.deepcopy(b) for _ in range(n_layers)]
    You copy one block (as PyTorch's `nn.TransformerEncoder` does): all layers start with the same
    numbers. Here each block is made by its own call of `make_block()`.
plain-list: torch.nn.ModuleList(blocks) → blocks
    The blocks are hidden in a plain Python list, where `parameters()` finds none: they would never
    be trained, saved or moved to a GPU. `torch.nn.ModuleList([…])` registers them.
made-anew: blocks = [make_block() for _ in range(n_layers)]
            → self.make_block, self.n_layers = make_block, n_layers
        and self.blocks = torch.nn.ModuleList(blocks) → (nothing)
        and for block in self.blocks: ⏎ X = block(X)
            → for _ in range(self.n_layers): ⏎     X = self.make_block()(X)
    You make the blocks inside `forward`: new ones whenever it runs, so that nothing can be learned.
    Make them once, in `__init__`, and keep them in a `torch.nn.ModuleList`.
last-only: for block in self.blocks: ⏎ X = block(X)
            → for block in self.blocks: ⏎     out = block(X)
        and return X → return out
    Your result is that of one block alone, the last, on the X from the beginning. Does each block
    get the result of the one before?
summed: for block → first, X = X, 0 * X ⏎ for block
        and X = block(X) → X = X + block(first)
    You add up what the blocks make of the X from the beginning. What does each block read, and what
    is handed on?
states-summed: for block → total = 0 * X ⏎ for block
        and X = block(X) → total = total + (X := block(X))
        and return X → return total
    You add up the results of all the blocks. Which of them has been through every block?
first-only: in self.blocks → in self.blocks[:1]
    Your result is that of the first block alone. Does a `return` inside the loop end it too early?
last-skipped: in self.blocks → in self.blocks[:-1]
    The last block is never run: all {n_layers} have to be. `range(n - 1)` and `[:-1]` stop before
    it.
one-fewer: range(n_layers) → range(n_layers - 1)
    You make one block too few: {n_layers} are asked for. Where does your `range` begin and end?
one-more: range(n_layers) → range(n_layers + 1)
    You run one block too many: {n_layers} are asked for. Is one made outside the loop?
backward: in self.blocks → in reversed(self.blocks)
    The blocks run in the opposite order. The one that was made first comes first.
added-again: X = block(X) → X = X + block(X)
    What goes into a block is added to what comes out of it. Nothing is to be added here: the
    block's result is what the next one gets (a residual connection, if it has one, is inside).
nothing: X = block(X) → block(X)
    X comes back unchanged: is the result of each block assigned, `X = block(X)`?
final-norm: return X → return torch.nn.functional.layer_norm(X, X.shape[-1:])
    You normalize the result. Whole models end with a norm, but this stack is only its blocks.
"""),
    wrong_lines=("same-block", "plain-list", "added-again"),
    hints=(
        "How many times is `make_block` called in `[make_block()] * 3`?",
        "Make the blocks with a comprehension, keep them in a `torch.nn.ModuleList`, and overwrite "
        "X by each block's result in turn.",
        "`self.blocks = torch.nn.ModuleList(make_block() for _ in range(n_layers))`, and "
        "`for block in self.blocks: X = block(X)`.",
    ),
)
