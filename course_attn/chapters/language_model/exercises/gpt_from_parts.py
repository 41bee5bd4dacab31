"""Exercise `gpt_from_parts`."""

from typing import Any

import numpy as np

from whywrong import (
    Case,
    Context,
    Exercise,
    Kind,
    Property,
    WrongForm,
    fault_list,
    number,
)

__all__ = ["exercise", "mask_of_numbers"]


def gpt_from_parts(tokens, E, P, blocks, norm):
    """Predict every next token: embed, run the blocks under a causal mask, compare with E."""
    n = tokens.shape[-1]
    mask = np.tri(n, dtype=bool)
    X = E[tokens] + P[:n]
    for block in blocks:
        X = block(X, mask)
    normed_X = norm(X)
    logits = normed_X @ E.T
    return logits


class _Blocks(list[Any]):
    """Blocks, as an error message may show them."""

    def __repr__(self) -> str:
        return f"[{', '.join(block.__name__ for block in self)}]"


def mask_of_numbers(dtype: Any) -> str:
    """Refuse a mask that does not consist of truth values."""
    return (
        f"A block gets a mask of dtype {dtype}. A mask of *bool* is asked for, True = may attend. "
        "Numbers can be read in two ways: 0 is hidden beside 1, and seen beside −∞."
    )


def _block(draw: Any, d: int) -> Any:
    """Return a small block: self-attention under a mask and a residual connection."""
    W_QK, W_V = 2 * draw((d, d)) / d, draw((d, d)) / np.sqrt(d)

    def block(X: np.ndarray, mask: Any = None) -> np.ndarray:
        scores = X @ W_QK @ np.swapaxes(X, -1, -2) / np.sqrt(d)
        if mask is not None and (dtype := np.asarray(mask).dtype).kind != "b":
            raise WrongForm(mask_of_numbers(dtype), "mask-of-numbers")
        scores = np.where(mask is None or mask, scores, -1e9)
        exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return X + np.tanh(exps / exps.sum(axis=-1, keepdims=True) @ X @ W_V)

    block.__qualname__ = block.__name__
    return block


def _norm(gain: np.ndarray, bias: np.ndarray) -> Any:
    def norm(X: np.ndarray) -> np.ndarray:
        mean, std = X.mean(axis=-1, keepdims=True), X.std(axis=-1, keepdims=True)
        return gain * (X - mean) / (std + 1e-5) + bias

    norm.__qualname__ = norm.__name__
    return norm


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20261127)
    draw = rng.standard_normal

    def given(sizes: tuple[int, ...], *shape: int) -> tuple[Any, ...]:
        n_vocab, n_context, d, n_blocks = sizes
        tokens = rng.integers(0, n_vocab, shape)
        tokens.flat[0] = tokens.flat[-1] = n_vocab - 1
        blocks = _Blocks(_block(draw, d) for _ in range(n_blocks))
        norm = _norm(1 + 0.3 * draw(d), 0.3 * draw(d))
        return tokens, draw((n_vocab, d)), 0.7 * draw((n_context, d)), blocks, norm

    return (
        Case(given((5, 6, 4, 2), 3), "example"),
        Case(given((11, 9, 6, 3), 7)),
        Case(given((6, 13, 7, 2), 5)),
        Case(given((7, 5, 8, 2), 5), "full"),
        Case(given((8, 10, 8, 2), 6), "square"),
        Case(given((9, 12, 5, 2), 2, 3, 6), "batch"),
        Case(given((7, 5, 3, 1), 4), "one-block"),
        Case(given((7, 5, 6, 2), 1), "one-token"),
        Case(given((9, 12, 5, 2), 1, 6), "batch"),
    )


def _sees_the_future(c: Context) -> str | None:
    """Change the last token and see whether earlier logits change."""
    tokens = c.given["tokens"].copy()
    tokens[..., -1] = (tokens[..., -1] + 1) % len(c.given["E"])
    moved = c.call(*(dict(c.given) | {"tokens": tokens}).values())
    if moved is None or not moved.shape == c.got.shape == c.expected.shape:
        return None
    change = np.abs(moved - c.got)[..., :-1, :].max(initial=0)
    if not change > 1e-4:
        return None
    return (
        "Logits at earlier places depend on the last token, which they are to predict: they change "
        f"by up to {number(change)} when it does. Does every block get a causal mask?"
    )


def _without_blocks(c: Context) -> str | None:
    """See whether it is right without blocks and norm, and so on which side the mistake is."""
    tokens, E, P = (c.given[name] for name in ("tokens", "E", "P"))
    found = c.call(tokens, E, P, [], lambda X: X)
    right = (E[tokens] + P[: tokens.shape[-1]]) @ E.T
    if found is None or found.shape != right.shape:
        return None
    if np.allclose(found, right):
        return (
            "Without blocks, and with a norm that changes nothing, your logits are right: look at "
            "the loop over the blocks, and at where the norm stands."
        )
    return (
        "Even without blocks, and with a norm that changes nothing, your logits are not right. "
        "Look at how tokens become elements, rows of E plus rows of P, at the dot products, and at "
        "what you do with them."
    )


exercise = Exercise(
    gpt_from_parts,
    place=50,
    minutes=10,
    level="medium",
    prepares=("SmallGPT",),
    section="In one line: from tokens to logits",
    task="""
Put a GPT together: write `gpt_from_parts(tokens, E, P, blocks, norm)`. `tokens` are integers of
shape (…, n). E, of shape (n_vocab, d_model), has a vector for each token, and P, of shape
(n_context, d_model), one for each position, counted from 0; n is at most n_context. `blocks` is a
list of functions: `block(X, mask)` takes X of shape (…, n, d_model) to the same shape, and has its
norms and residual connections inside; if you leave out the mask, it lets everything be seen. Give
it a causal bool mask (n, n), True = may attend. `norm(X)` is the final layer norm. Return the
logits, of shape (…, n, n_vocab): at each place, how well every token's vector in E fits the element
(dot product). The same E is used at both ends.
""",
    cases=_cases,
    kinds={
        "full": Kind("where the text fills the context, n = n_context"),
        "square": Kind("where there are as many tokens as features"),
        "one-block": Kind("for a single block"),
        "one-token": Kind("for a text of one token"),
    },
    faults=fault_list("""
mask-forgotten: block(X, mask) → block(X)
    The blocks get no mask: every place sees the token that it is to predict. In training it
    would learn to copy that one; when it writes, there is none to copy. `block(X, mask)`.
mask-turned: np.tri(n, dtype=bool) → np.tri(n, dtype=bool).T
    Your mask is transposed: each place sees itself and what comes *after* it. `np.tri`, or
    `np.tril`: row i is True up to column i. {worst_row}
mask-flipped: np.tri(n, dtype=bool) → ~np.tri(n, dtype=bool)
    Your mask is True where one may *not* attend, as in `nn.MultiheadAttention`. Here True
    means "may attend". {worst_row}
not-itself: np.tri(n, dtype=bool) → np.tri(n, k=-1, dtype=bool)
    In your mask no place sees itself. It may: it holds the token that was read last, and the
    next one is to be predicted. {worst_row}
no-positions: E[tokens] + P[:n] → E[tokens]
    The positions are missing: to attention, a text would be a bag of tokens, but for the mask.
    Add P. {worst_row}
texts-counted: tokens.shape[-1] → len(tokens)
    You take the length of the *first* axis of `tokens` for n. In a batch that is the number of
    texts: which axis has the tokens of one text?
scaled-vectors: E[tokens] + → E[tokens] * E.shape[-1] ** 0.5 +
    You multiply the vectors of the tokens by √d_model, as the transformer of 2017 does. Here they
    are added to the positions as they are. {worst_row}
positions-twice: block(X, mask) → block(X + P[:n], mask)
    You add the positions again in the loop. They are added once, before the first block, and the
    residual connections carry them through all of them. {worst_row}
positions-before-each: E[tokens] + P[:n] → E[tokens]
        and in blocks: → in blocks: ⏎         X = X + P[:n]
    You add the positions before *every* block. They are added once, before the first one, and the
    residual connections carry them through all of them. {worst_row}
positions-from-1: P[:n] → P[np.arange(1, n + 1).clip(max=len(P) - 1)]
    Your positions are counted from 1, and position 0 is never used. Which one does the first token
    of a text have? {worst_row}
positions-beyond: P[:n] → P[1 : n + 1]
    Your positions are counted from 1; where a text fills the context, there are too few. Which one
    does the first token have? {worst_row}
last-positions: P[:n] → P[-n:]
    You add the *last* {tokens.last} rows of P. Positions are counted from 0: which row does the
    first token of a text get? {worst_row}
positions-of-tokens: P[:n] → P[tokens % len(P)]
    You look up the positions by the *tokens*, so that a token has the same vector wherever it
    stands. Which row of P belongs to place 0, whatever the token there? {worst_row}
positions-backward: P[:n] → P[:n][::-1]
    Your positions count from the end of the text. They count from its beginning, so that a token
    keeps its position when the text goes on. {worst_row}
norm-missing: norm(X) → X
    The final norm is missing: the logits would depend on how long the elements have grown on
    their way through the blocks. {worst_row}
norm-first: E[tokens] + P[:n] → norm(E[tokens] + P[:n])
        and norm(X) → X
    Your norm stands before the first block. It comes once, after the last one. {worst_row}
norm-of-the-stream: block(X, mask) → block(norm(X), mask)
    You normalize what *each* block reads. The blocks have norms of their own inside; this one comes
    once, after the last block. {worst_row}
norm-in-the-loop: block(X, mask) → norm(block(X, mask))
        and norm(X) → X
    You normalize after *every* block (is the line indented too far?). The final norm comes once,
    after the loop. {worst_row}
added-again: X = block(X, mask) → X = X + block(X, mask)
    You add X to what a block returns. Its residual connections are inside already. {worst_row}
each-from-the-start: X = block(X, mask) → last = block(X, mask)
        and norm(X) → norm(last)
    Every block reads the X from the beginning, and only the last one's result is used. Each works
    on the result of the one before: `X = block(X, mask)`. {worst_row}
probabilities: return logits
            → return np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    You take the softmax. The *logits* are asked for: the loss takes it itself. {worst_row}
log-probabilities: return logits
            → return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    These are log-probabilities. The *logits* are asked for: the loss makes them itself. {worst_row}
cosine: normed_X @ E.T
            → normed_X / (normed_X**2).sum(-1)[..., None] ** 0.5 @ (E.T / (E.T**2).sum(0) ** 0.5)
    Your logits are cosines: both vectors are brought to length 1, and no logit can leave −1 … 1.
    Dot products are asked for, as they are. {worst_row}
last-place-only: return logits → return logits[..., -1, :]
    You return the logits of the *last* place only, shape {your.shape}. Every place predicts the
    token behind it, and training uses all of them: {right.shape} is asked for.
likeliest: return logits → return logits.argmax(axis=-1)
    You return the likeliest tokens. The logits are asked for, a number for each token at each
    place: what is chosen from them is another function's work.
norm-at-both-ends: E[tokens] + P[:n] → norm(E[tokens] + P[:n])
    You normalize before the first block, too. The final norm stands at one place only: at which?
    {worst_row}
blocks-backward: in blocks: → in blocks[::-1]:
    You run the blocks from the last to the first. In which order does the list have them?
    {worst_row}
last-block-skipped: in blocks: → in blocks[:-1]:
    Your last block never runs. Where does your loop over `blocks` end? {worst_row}
scaled-logits: return logits → return logits / E.shape[-1] ** 0.5
    You divide the logits by √d_model, as attention does with its scores. What does the task ask of
    an element and a token's vector? {worst_row}
"""),
    properties=(
        Property("sees-the-future", _sees_the_future),
        Property("without-blocks", _without_blocks),
    ),
    wrong_lines=("mask-forgotten", "positions-twice", "norm-missing"),
    hints=(
        "What does one token become before the first block, and what has become of it behind the "
        "last? With what is that compared?",
        "Look up rows of E, add rows of P, run the blocks one after the other with the same causal "
        "mask, normalize once, and multiply by E transposed.",
        "`X = E[tokens] + P[:n]`, `X = block(X, mask)` in a loop, `norm(X) @ E.T`.",
    ),
)
