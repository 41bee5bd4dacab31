"""Exercise `SmallGPT`, the counterpart of `gpt_from_parts`."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from course_attn.chapters.language_model.exercises.gpt_from_parts import (
    exercise as numpy_exercise,
)
from course_attn.chapters.language_model.exercises.gpt_from_parts import (
    mask_of_numbers,
)
from whywrong import Case, Context, Kind, Property, WrongForm, fault_list

__all__ = ["exercise"]


class SmallGPT(torch.nn.Module):
    """Predict every next token: blocks under a causal mask between two uses of one matrix."""

    def __init__(self, n_vocab, n_context, d_model, n_layers, make_block):
        super().__init__()
        self.embedding = torch.nn.Embedding(n_vocab, d_model)
        self.positions = torch.nn.Embedding(n_context, d_model)
        blocks = [make_block() for _ in range(n_layers)]
        self.blocks = torch.nn.ModuleList(blocks)
        self.final_norm = torch.nn.LayerNorm(d_model)

    def forward(self, tokens):
        """Return the logits at every place."""
        n = tokens.shape[-1]
        mask = torch.ones(n, n, dtype=torch.bool).tril()
        X = self.embedding(tokens) + self.positions(torch.arange(n))
        for block in self.blocks:
            X = block(X, mask)
        normed_X = self.final_norm(X)
        logits = normed_X @ self.embedding.weight.T
        return logits


class _Block(torch.nn.Module):
    """A small stand-in for a transformer block: attention and a residual connection."""

    def __init__(self, W: torch.Tensor) -> None:
        super().__init__()
        self.W_QK = torch.nn.Parameter(W[0].detach().clone())
        self.W_V = torch.nn.Parameter(W[1].detach().clone())

    def forward(self, X: torch.Tensor, mask: Any = True) -> torch.Tensor:
        scores = X @ self.W_QK @ X.mT
        mask = torch.as_tensor(mask)
        if mask.dtype != torch.bool:
            raise WrongForm(mask_of_numbers(mask.dtype), "mask-of-numbers")
        n = X.shape[-2]
        if mask.ndim and mask.shape[-1] > n:
            raise WrongForm(
                f"A block gets a mask of shape {tuple(mask.shape)}, but the text has {n} tokens: "
                f"(n, n) is asked for, here ({n}, {n}). Is a mask for n_context tokens to be cut?",
                "mask-shape",
            )
        hidden = ~mask
        weights = torch.softmax(scores.masked_fill(hidden, -1e9), dim=-1)
        return X + torch.tanh(weights @ X @ self.W_V)


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20261129)

    def given(sizes: tuple[int, ...], *shape: int, look_at: str = "logits") -> Any:
        tokens = rng.integers(0, sizes[0], shape)
        tokens.flat[0] = tokens.flat[-1] = sizes[0] - 1
        return tokens, *sizes, look_at

    return (
        Case(given((5, 6, 4, 2), 3), "example"),
        Case(given((11, 9, 6, 3), 7)),
        Case(given((6, 13, 7, 2), 5)),
        Case(given((7, 5, 8, 2), 5), "full"),
        Case(given((9, 12, 5, 2), 2, 6), "batch"),
        Case(given((7, 5, 3, 1), 4), "one-block"),
        Case(given((8, 10, 6, 2), 2, 4, look_at="gradients"), "gradients"),
        Case(given((9, 12, 5, 2), 1, 6), "batch"),
    )


def _drawn(*shape: int, seed: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def _run(make: Callable[..., Any], tokens: Any, *rest: Any) -> Any:
    """Make the model, put fixed numbers into its parameters and let it run."""
    n_vocab, n_context, d, n_layers, look_at = rest
    made: list[_Block] = []

    def make_block() -> _Block:
        made.append(_Block(_drawn(2, d, d, seed=100 + len(made)) / d**0.5))
        return made[-1]

    model = make(n_vocab, n_context, d, n_layers, make_block)
    _look_at_parts(model, n_vocab, n_context, d)
    if look_at == "made":
        return torch.tensor(float(len(made)))
    n_found = sum(isinstance(module, _Block) for module in model.modules())
    if len(made) not in (1, n_layers) or n_found > len(made):  # one block: a fault
        times = "once" if len(made) == 1 else f"{len(made)} times"
        raise WrongForm(
            f"You call `make_block()` {times}. With n_layers = {n_layers}, each block is made by a "
            "call of its own (a copy has the same numbers).",
            "blocks",
        )
    parts = {
        "embedding.weight": _drawn(n_vocab, d, seed=1),
        "positions.weight": 0.7 * _drawn(n_context, d, seed=2),
        "final_norm.weight": 1 + 0.3 * _drawn(d, seed=3),
        "final_norm.bias": 0.3 * _drawn(d, seed=4),
    }
    own = [model.get_parameter(name) for name in parts]
    with torch.no_grad():
        for parameter, value in zip(own, parts.values(), strict=True):
            parameter.copy_(value)
    made = (made * n_layers)[:n_layers]
    own += [parameter for block in made for parameter in block.parameters()]
    try:
        _look_at_parameters(model, own, n_vocab, d)
    except WrongForm as wrong:
        if wrong.fault == "plain-list" or _tied(model, own):
            wrong.value = _looked_at(model, own, tokens, look_at)
        raise
    return _looked_at(model, own, tokens, look_at)


def _tied(model: Any, own: list[Any]) -> bool:
    """Put the embedding in the place of a second matrix, and 0 in that of a bias."""
    kept = {*map(id, own)}
    for name, more in list(model.named_parameters()):
        part, _, leaf = name.rpartition(".")
        if more.shape == own[0].shape and id(more) not in kept:
            setattr(model.get_submodule(part), leaf, own[0])
        elif leaf == "bias" and id(more) not in kept:
            more.data.zero_()
        elif id(more) not in kept:
            return False
    return True


def _looked_at(model: Any, own: list[Any], tokens: Any, look_at: str) -> Any:
    logits = model(tokens)
    if look_at == "logits" or not isinstance(logits, torch.Tensor):
        return logits
    if logits.requires_grad:
        model.zero_grad()
        logits.square().sum().backward(retain_graph=True)
    zero = torch.zeros(())
    norms = [zero if p.grad is None else p.grad.norm() for p in own]
    return torch.stack(norms) + 0 * logits.sum()


def _same_block(c: Context) -> str | None:
    sizes = [
        c.given[name] for name in ("n_vocab", "n_context", "d_model", "n_layers")
    ]
    if not c.call(c.given["tokens"], *sizes, "made") == 1 < sizes[-1]:
        return None
    return (
        f"You call `make_block()` once, for n_layers = {sizes[-1]}. Each block is made by a call "
        "of its own (`[make_block()] * n_layers` is one block, several times)."
    )


def _look_at_parts(model: Any, n_vocab: int, n_context: int, d: int) -> None:
    if not isinstance(model, torch.nn.Module):
        raise WrongForm(
            f"`SmallGPT(…)` gives a `{type(model).__name__}`. Write a class: "
            "`class SmallGPT(torch.nn.Module)`.",
            "no-module",
        )
    for name, n in (
        ("embedding", n_vocab),
        ("positions", n_context),
        ("final_norm", None),
    ):
        part = getattr(model, name, None)
        kind = torch.nn.LayerNorm if n is None else torch.nn.Embedding
        shape = (d,) if n is None else (n, d)
        call = (
            "LayerNorm(d_model)"
            if n is None
            else (
                f"Embedding({'n_vocab' if name == 'embedding' else 'n_context'}, d_model)"
            )
        )
        if not isinstance(part, kind) or tuple(part.weight.shape) != shape:
            is_module = isinstance(part, torch.nn.Module)
            what = f"is `{part if is_module else type(part).__name__}`"
            what = "is missing" if part is None else what
            raise WrongForm(
                f"With n_vocab = {n_vocab}, n_context = {n_context} and d_model = {d}, attribute "
                f"`{name}` {what}. Keep `self.{name} = torch.nn.{call}` in `__init__` (the check "
                "puts its own numbers there).",
                "attribute",
            )


def _look_at_parameters(model: Any, own: list[Any], n_vocab: int, d: int) -> None:
    """See whether the model has the parameters of its parts, and no others."""
    found = {id(parameter): name for name, parameter in model.named_parameters()}
    if any(id(parameter) not in found for parameter in own):
        raise WrongForm(
            "`SmallGPT(…).parameters()` does not find the parameters of the blocks: they are "
            "hidden in a plain Python list, and would never be trained. `torch.nn.ModuleList([…])` "
            "registers them.",
            "plain-list",
        )
    more = {*found} - {*map(id, own)}
    for parameter, name in [
        (p, n) for n, p in model.named_parameters() if id(p) in more
    ]:
        if parameter.numel() == n_vocab * d:
            raise WrongForm(
                f"`{name}` is a second matrix of n_vocab × d_model numbers. The model is to be "
                "*tied*: the logits are dot products with the vectors of the embedding itself, "
                "`self.embedding.weight`.",
                "not-tied",
            )
        raise WrongForm(
            f"`{name}`, of shape {tuple(parameter.shape)}, is a parameter too many: there are the "
            "vectors of the tokens and of the positions, the blocks, and the final norm.",
            "more-parameters",
        )


exercise = numpy_exercise.twin(
    SmallGPT,
    place=55,
    minutes=15,
    level="medium",
    section="In PyTorch",
    task="""
Write the PyTorch module `SmallGPT(n_vocab, n_context, d_model, n_layers, make_block)`. Its
`__init__` makes `self.embedding` and `self.positions` (`torch.nn.Embedding`), vectors for the
n_vocab tokens and the n_context positions; n_layers blocks, one by each call of `make_block()`; and
`self.final_norm` (`torch.nn.LayerNorm`). Keep these names: the check puts its own numbers there.
`forward(tokens)` takes integers of shape (…, n), n at most n_context, and returns the logits, of
shape (…, n, n_vocab). A block is called as `block(X, mask)`, with a causal bool mask (n, n), True =
may attend, and has its norms and residual connections inside. The logits use the vectors of the
embedding once more (tied), so that there are no other parameters. Call it as `check(SmallGPT)`.
""",
    cases=_cases,
    use=_run,
    arguments=("tokens", "n_vocab", "n_context", "d_model", "n_layers", "_look_at"),
    properties=(Property("same-block", _same_block),),
    differentiable=False,
    kinds={
        "full": Kind("where the text fills the context, n = n_context"),
        "one-block": Kind("for a single block"),
        "gradients": Kind(
            "where the gradients of the parameters are looked at",
            "`torch.no_grad()`, `.detach()` and `.data` cut them off: it could not learn.",
        ),
    },
    without=("likeliest",),
    faults=fault_list("""
same-block: [make_block() for _ in range(n_layers)] → [make_block()] * n_layers
    You call `make_block()` once, and use this one block in all layers. Each block is made by a
    call of its own.
one-block: [make_block() for _ in range(n_layers)] → [make_block()]
    One block runs, once, whatever n_layers, here {n_layers}. {worst_row}
mask-turned: .tril() → .triu()
    Your mask is transposed: each place sees itself and what comes *after* it. `.tril()` keeps row i
    True up to column i. {worst_row}
mask-flipped: .tril() → .triu(1)
not-itself: .tril() → .tril(-1)
no-positions: self.embedding(tokens) + self.positions(torch.arange(n)) → self.embedding(tokens)
    The positions are missing: to attention, a text would be a bag of tokens, but for the mask. Add
    `self.positions(torch.arange(n))`. {worst_row}
scaled-vectors: self.embedding(tokens) +
            → self.embedding(tokens) * self.embedding.embedding_dim**0.5 +
positions-twice: block(X, mask) → block(X + self.positions(torch.arange(n)), mask)
positions-before-each: self.embedding(tokens) + self.positions(torch.arange(n))
            → self.embedding(tokens)
        and in self.blocks: → in self.blocks: ⏎     X = X + self.positions(torch.arange(n))
positions-from-1: torch.arange(n)
            → torch.arange(1, n + 1).clamp(max=self.positions.num_embeddings - 1)
positions-beyond: torch.arange(n) → torch.arange(1, n + 1)
positions-of-tokens: torch.arange(n) → tokens % self.positions.num_embeddings
    You look up the positions by the *tokens*, so that a token has the same vector wherever it
    stands. Which position has place 0, whatever the token there? {worst_row}
positions-backward: torch.arange(n) → torch.arange(n).flip(0)
last-positions: self.positions(torch.arange(n)) → self.positions.weight[-n:]
    You take the *last* n vectors of the positions. A text begins at position 0: take the first n.
    {worst_row}
norm-first: self.embedding(tokens) + self.positions(torch.arange(n))
            → self.final_norm(self.embedding(tokens) + self.positions(torch.arange(n)))
        and self.final_norm(X) → X
norm-missing: self.final_norm(X) → X
norm-of-the-stream: block(X, mask) → block(self.final_norm(X), mask)
norm-in-the-loop: block(X, mask) → self.final_norm(block(X, mask))
        and self.final_norm(X) → X
each-from-the-start: X = block(X, mask) → last = block(X, mask)
        and self.final_norm(X) → self.final_norm(last)
probabilities: return logits → return torch.softmax(logits, dim=-1)
cosine: normed_X @ self.embedding.weight.T
            → torch.cosine_similarity(normed_X[..., None, :], self.embedding.weight, dim=-1)
norm-at-both-ends: self.embedding(tokens) + self.positions(torch.arange(n))
            → self.final_norm(self.embedding(tokens) + self.positions(torch.arange(n)))
positions-multiplied: self.embedding(tokens) + → self.embedding(tokens) *
    You multiply the vectors of the tokens by those of the positions; they are to be added.
    {worst_row}
blocks-backward: in self.blocks: → in self.blocks[::-1]:
last-block-skipped: in self.blocks: → in self.blocks[:-1]:
scaled-logits: return logits → return logits / self.embedding.embedding_dim**0.5
"""),
    wrong_lines=("mask-forgotten", "positions-twice", "norm-missing"),
    hints=(
        "Which parts have parameters, and which of them are used twice?",
        "`self.embedding(tokens)` looks up rows, `self.positions(torch.arange(n))` those of the "
        "positions. At the end, `self.embedding.weight` is the matrix E.",
        "Keep the blocks in a `torch.nn.ModuleList`; "
        "`self.final_norm(X) @ self.embedding.weight.T` are the logits.",
    ),
)
