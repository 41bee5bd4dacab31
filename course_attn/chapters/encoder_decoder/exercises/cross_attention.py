"""Exercise `cross_attention`."""

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

__all__ = ["exercise"]


def cross_attention(X, Z, W_Q, W_K, W_V, source_mask):
    """Let the elements of a target ask those of a source, whose padding is hidden."""
    Q = X @ W_Q
    K = Z @ W_K
    V = Z @ W_V
    scores = Q @ np.swapaxes(K, -1, -2) / Q.shape[-1] ** 0.5
    key_mask = source_mask[..., None, :]
    masked_scores = np.where(key_mask, scores, -np.inf)
    exps = np.exp(masked_scores - masked_scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ V


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20261201).standard_normal

    def given(
        n_q: int, sources: tuple[int, Any], d: int, d_k: int, d_v: int
    ) -> tuple[Any, ...]:
        """Draw a target and a source: its elements, and how many of them are no padding."""
        n_k, lengths = sources
        source_mask = np.arange(n_k) < np.array(lengths)[..., None]
        batch = source_mask.shape[:-1]
        X, Z = draw((*batch, n_q, d)), draw((*batch, n_k, d))
        matrices = [2 * draw((d, width)) / d**0.5 for width in (d_k, d_k, d_v)]
        return X, Z, *matrices, source_mask

    in_float32 = given(4, (7, 5), 11, 3, 2)
    return (
        Case(given(2, (4, 3), 3, 5, 2), "example"),
        Case(given(5, (7, 4), 11, 3, 2)),
        Case(given(9, (5, 3), 2, 7, 12)),
        Case(given(5, (5, 3), 7, 11, 4), "as-long"),
        Case(given(6, (6, 4), 6, 6, 6), "as-long"),
        Case(given(7, (7, 5), 7, 3, 7), "as-long"),
        Case(given(4, (6, 6), 7, 3, 5), "no-padding"),
        Case(given(1, (5, 2), 6, 4, 3), "one"),
        Case(given(3, (6, 1), 5, 2, 7), "one"),
        Case(given(5, (7, [[7, 4, 2], [1, 6, 5]]), 11, 13, 3), "batch"),
        Case(given(3, (6, [4, 6, 2]), 7, 5, 4), "batch"),
        Case((*given(4, (7, 7), 5, 3, 2)[:5], np.arange(7) % 3 != 1), "between"),
        Case(
            tuple(a.astype("f4") for a in in_float32[:5]) + in_float32[5:],
            "float32",
        ),
    )


def _with_a_full_mask(answer: Any, *given: Any) -> Any:
    """Call the answer; say which axis the mask lacks that the course's `attention` refuses."""
    try:
        return answer(*given)
    except ValueError as error:
        if not str(error).startswith(
            "mask must have shape (*batch, n_q, n_k), got 1"
        ):
            raise
        raise WrongForm(
            f"You pass a mask of shape {given[-1].shape} to `attention`. A mask is applied to the "
            "scores, of shape (…, n_q, n_k); yours lacks the axis for the queries. Where does an "
            "axis of length 1 belong?",
            "mask-without-axis",
        ) from error


def _moved(c: Context, changed: str, rows: Any, where: Any = ...) -> float:
    """Say how far the output moves, or these rows of it, if rows of an argument change."""
    given = {name: value.copy() for name, value in c.given.items()}
    given[changed][rows] += 1.5
    moved = c.call(*given.values())
    fits = moved is not None and moved.shape == c.got.shape == c.expected.shape
    return float(np.abs(moved - c.got)[where].max(initial=0)) if fits else 0.0


def _ignores_the_source(c: Context) -> str | None:
    """See whether anything of the source comes in."""
    given = {name: value.copy() for name, value in c.given.items()}
    given["Z"] += 1.5 * np.arange(1, given["Z"].shape[-2] + 1)[:, None]
    moved = c.call(*given.values())
    if moved is None or moved.shape != c.got.shape or not np.allclose(moved, c.got):
        return None
    return (
        "Your output stays as it is whatever stands in Z: the target asks itself. Which of "
        "queries, keys and values have to come from the source?"
    )


def _rows_of_the_source(c: Context) -> str | None:
    """See whether there is a row for each element of the source, and not of the target."""
    n_q, n_k = (c.given[name].shape[-2] for name in "XZ")
    shape = (*c.expected.shape[:-2], n_k, c.expected.shape[-1])
    if n_q == n_k or c.got.shape != shape:
        return None
    return (
        f"You return {n_k} rows, one for each element of the source. The decoder needs {n_q}, one "
        "for each of its own. Who asks here?"
    )


def _reads_padding(c: Context) -> str | None:
    """Change the padding of the source, which nothing may depend on."""
    by = _moved(c, "Z", ~c.given["source_mask"])
    if not by > 1e-6:
        return None
    return (
        f"Your output moves by {number(by)} if 1.5 is added to the rows of Z that are padding. "
        "Nothing may depend on them. Which score gives a key no weight at all?"
    )


def _rows_mix(c: Context) -> str | None:
    """Change the last element of the target, on which no other row may depend."""
    last = (..., slice(-1, None), slice(None))
    by = _moved(c, "X", last, (..., slice(None, -1), slice(None)))
    if not by > 1e-6:
        return None
    return (
        f"Your first rows move by {number(by)} if 1.5 is added to the *last* row of X. In "
        "cross-attention row i depends on row i of X and on Z, and on no other row of X."
    )


exercise = Exercise(
    cross_attention,
    place=10,
    minutes=8,
    level="easy",
    prepares=("cross_attention_torch", "is_padding_invariant", "two_mistakes"),
    section="In one line: cross-attention, and the block around it",
    task="""
Write `cross_attention(X, Z, W_Q, W_K, W_V, source_mask)`: the elements of a target, X of shape (…,
n_q, d_model), ask those of a source, Z of shape (…, n_k, d_model), and get $\\mathrm{softmax}(Q
K^\\top / \\sqrt{d_k})\\, V$ with $Q = X W_Q$, $K = Z W_K$ and $V = Z W_V$. The matrices have shapes
(d_model, d_k), (d_model, d_k) and (d_model, d_v), the result (…, n_q, d_v). `source_mask` is an
array of bool of shape (…, n_k), one row for each source: True where there is an element, False
where there is padding, which no query may see. Every source has at least one element, its first;
padding may stand between elements. You may use the course's function:
`from course_attn.in_numpy import attention`, and `attention(Q, K, V, mask=…)`.
""",
    cases=_cases,
    use=_with_a_full_mask,
    kinds={
        "batch": Kind(
            "with leading batch axes",
            "`Z[source_mask]` would string the elements of all sources into one long list, and "
            "`.T` turns all axes around. Count axes from the end, also where the mask gets a new "
            "one: `[..., None, :]`.",
            apart=True,
        ),
        "as-long": Kind(
            "where target and source are equally long",
            "No shape tells then which of the two something was made from.",
        ),
        "between": Kind("where padding stands between elements"),
        "no-padding": Kind("where the source has no padding"),
        "one": Kind(
            "for a single query, or a single element that is no padding",
            "Axes of length 1 have to stay: `squeeze` and `[0]` drop them.",
        ),
    },
    faults=fault_list("""
all-from-x: K = Z → K = X
        and V = Z → V = X
    You make keys and values from X: the target asks itself, and nothing of the source comes in.
    What does the decoder want to read, and in which argument is that?
all-from-x-unmasked: K = Z → K = X
        and V = Z → V = X
        and np.where(key_mask, scores, -np.inf) → scores
    You make keys and values from X: the target asks itself, each row sees all later ones, and
    nothing of the source comes in. In which argument is what the decoder wants to read?
exchanged: Q = X → Q = Z
        and K = Z → K = X
        and V = Z → V = X
    Queries are exchanged with keys and values: in yours the source asks the target. How many rows
    does the decoder need back, one for each of its own elements or one for each of the source's?
exchanged-unmasked: Q = X → Q = Z
        and K = Z → K = X
        and V = Z → V = X
        and np.where(key_mask, scores, -np.inf) → scores
    Queries are exchanged with keys and values: the source asks, and you return {your.rows} rows;
    {right.rows} are asked for, one for each row of X. Who asks here, and who answers?
matrices-exchanged: Q = X @ W_Q → Q = X @ W_K
        and K = Z @ W_K → K = Z @ W_Q
    W_Q and W_K are exchanged; their shapes are the same, so that no error shows it. X asks, so X
    meets W_Q; Z is looked at, so Z meets W_K. {worst_row}
keys-from-x: K = Z → K = X
    You make the keys from X, and the values from Z. Key j says what value j is about: from which of
    the two sequences do both have to come?
values-from-x: V = Z → V = X
    You make the values from X, and the keys from Z. Value j is what is found at key j: from which
    of the two sequences do both have to come?
causal: np.where(key_mask → np.where(key_mask & np.tril(scores < np.inf)
    You lay a causal mask on it: your query 0 sees key 0 only. All of the source is there before the
    first token is written. What has to be hidden here, and what not?
causal-bottom-right: np.where(key_mask
            → np.where(key_mask & np.tril(scores < np.inf, Z.shape[-2] - X.shape[-2])
        and return weights → return np.nan_to_num(weights)
    You lay a causal mask on it, aligned to the bottom right. All of the source is there before the
    first token is written. What has to be hidden here, and does it depend on the query?
causal-instead: np.where(key_mask
            → np.where(np.tril(scores < np.inf, Z.shape[-2] - X.shape[-2])
        and return weights → return np.nan_to_num(weights)
    You use a causal mask in place of the source's: early queries do not see all of the source, and
    late ones see its padding. What has to be hidden here, and does it depend on the query?
padding-seen: np.where(key_mask, scores, -np.inf) → scores
    The mask plays no part: of {Z.rows} rows of Z, some are padding, and they get weight as all
    others do. At which step do hidden keys have to drop out? {worst_row}
mask-inverted: np.where(key_mask, scores, -np.inf) → np.where(key_mask, -np.inf, scores)
    The mask is turned around: you hide the elements and read the padding. Here True means that
    there *is* an element. (`masked_fill` and PyTorch's `key_padding_mask` mean the opposite.)
mask-inverted-finite: np.where(key_mask, scores, -np.inf) → np.where(key_mask, -1e9, scores)
    The mask is turned around: where there *is* an element, you fill in a large negative number (or
    add it), and you read the padding. (`masked_fill` and PyTorch's `key_padding_mask` hide where it
    is True.)
mask-inverted-added: np.where(key_mask, scores, -np.inf) → scores - 1e9 * key_mask
    The mask is turned around: you add a large negative number where there *is* an element, and read
    the padding.
mask-inverted-zeros: np.where(key_mask, scores, -np.inf) → np.where(key_mask, -np.inf, scores)
        and return weights → return np.nan_to_num(weights)
    The mask is turned around: you hide the elements and read the padding. Here True means that
    there *is* an element, as in the course's own functions.
counted: source_mask[..., None, :]
            → (np.arange(Z.shape[-2]) < source_mask.sum(-1)[..., None])[..., None, :]
    You count how many True the mask has, and keep that many keys from the front. Does the mask say
    that padding comes last? {worst_row}
queries-masked: source_mask[..., None, :] → source_mask[..., :, None]
    Your mask hides *queries*: it stands along the rows of the scores. A row of scores belongs to a
    query, a column to a key. Which of the two is padding here?
mask-without-axis: source_mask[..., None, :] → source_mask
    For one source your mask fits. In a batch its first axis counts sources, and yours is laid along
    the queries. The scores have shape (…, n_q, n_k): which axis does the mask lack, and where?
after-softmax: np.where(key_mask, scores, -np.inf) → scores
        and weights @ V → (weights * key_mask) @ V
    The padding is masked *after* the softmax (or only the values are set to 0): by then the
    padding has taken its share, and what is left sums to less than 1. Before which step do keys
    have to be hidden? {worst_row}
padding-zeroed: K = Z → K = (Z * source_mask[..., None])
        and V = Z → V = (Z * source_mask[..., None])
        and np.where(key_mask, scores, -np.inf) → scores
    The padding is set to 0, and then scores and values are 0 there. But what is e to the power 0?
    It still takes a share of the weights. {worst_row}
strung-together: K = Z → K = Z[source_mask]
        and V = Z → V = Z[source_mask]
        and np.where(key_mask, scores, -np.inf) → scores
    For one source that would do. In a batch every target reads the elements of *all* sources: was
    the padding cut out by `Z[source_mask]`, which strings them to one long list? How can it be
    hidden and stay where it is?
fill-zero: np.where(key_mask, scores, -np.inf) → np.where(key_mask, scores, 0.0)
    You set the scores of the padding to 0, or to a number close to it, and e to the power 0 is
    not 0: the padding keeps weight. Which score gives the weight 0? {worst_row}
mask-added: np.where(key_mask, scores, -np.inf) → scores + key_mask
    The mask is added to the scores as numbers, 1 for an element and 0 for padding, and hides
    nothing: e to any number is more than 0. (PyTorch's functions add a mask of *numbers*; it is one
    of `bool` that hides.) What has to be added to a score, so that its weight is 0? {worst_row}
unscaled: scores = Q @ np.swapaxes(K, -1, -2) / Q.shape[-1] ** 0.5
            → scores = Q @ np.swapaxes(K, -1, -2)
    The scores are not divided by √d_k = {W_Q.root}. {worst_row}
multiplied: / Q.shape → * Q.shape
    You *multiply* the scores by √d_k = {W_Q.root}; divide them. {worst_row}
divided-by-d: Q.shape[-1] ** 0.5 → Q.shape[-1]
    Your scores are divided by d_k = {W_Q.last} in all; √d_k = {W_Q.root} is asked for. Is the root
    missing, or do you divide by it twice (a function that does it for you counts)? {worst_row}
root-of-keys: Q.shape[-1] ** 0.5 → K.shape[-2] ** 0.5
    You divide by the root of the number of keys. The scores are sums of as many products as a query
    has features: how many are these? {worst_row}
root-of-d-v: Q.shape[-1] ** 0.5 → V.shape[-1] ** 0.5
    You divide by the root of d_v, the width of the values. Which two vectors make a score?
    {worst_row}
root-of-d-model: Q.shape[-1] ** 0.5 → X.shape[-1] ** 0.5
    You divide by √d_model = {X.root}. Each score is a sum of d_k products, where d_k is the width
    of a query *after* W_Q. {worst_row}
keys-by-W_Q: K = Z @ W_K → K = Z @ W_Q
    You make the keys with W_Q, the matrix of the queries. Which one is left for them? {worst_row}
values-unprojected: V = Z @ W_V → V = Z
    You mix the rows of Z as they are. Which matrix makes values of them?
values-by-W_K: V = Z @ W_V → V = Z @ W_K
    You make the values with W_K, the matrix of the keys. How wide should an output be?
"""),
    properties=(
        Property("rows-of-the-source", _rows_of_the_source, any_shape=True),
        Property("ignores-the-source", _ignores_the_source),
        Property("reads-the-padding", _reads_padding),
        Property("rows-mix", _rows_mix),
    ),
    wrong_lines=("keys-from-x", "causal", "queries-masked"),
    hints=(
        "Who asks, and who answers? Two of the three come from the same sequence.",
        "The scores have shape (…, n_q, n_k). The mask is about keys, the last axis, and is the "
        "same for all queries of a source.",
        "`source_mask[..., None, :]` is a mask that fits the scores: set them to −∞ where it is "
        "False, or hand it to `attention` with `X @ W_Q`, `Z @ W_K` and `Z @ W_V`.",
    ),
)
