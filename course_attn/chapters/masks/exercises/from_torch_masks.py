"""Exercise `from_torch_masks`."""

import numpy as np

from whywrong import Case, Context, Exercise, Kind, Property, fault_list

__all__ = ["exercise"]


def from_torch_masks(attn_mask, key_padding_mask, is_causal):
    """Say in our convention, True = may attend, what three arguments of PyTorch's say."""
    n_q, n_k = attn_mask.shape
    kept_keys = ~attn_mask
    real_keys = ~key_padding_mask[:, None, :]
    own_keys = np.arange(n_q)[:, None]
    past_keys = np.arange(n_k) <= own_keys
    mask = kept_keys & real_keys
    return mask & past_keys if is_causal else mask


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260604).uniform

    def case(kind: str, batch: int, n_q: int, n_k: int, is_causal: bool) -> Case:
        dropped, padding = (
            draw(size=(n_q, n_k)) < 0.3,
            draw(size=(batch, n_k)) < 0.3,
        )
        return Case((dropped, padding, is_causal), kind)

    corner = np.array([[True, False, False, False], [False, False, False, True]])
    padding = np.array([[False, False, False, True], [False, False, True, True]])
    return (
        Case((corner, padding, False), "example"),
        case("plain", 3, 5, 7, False),
        case("causal", 3, 4, 7, True),
        case("causal", 2, 7, 4, True),
        case("plain", 2, 7, 4, False),
        case("causal", 3, 5, 5, True),
        case("one", 1, 3, 6, False),
        Case((np.zeros((3, 5), bool), np.ones((2, 5), bool), False), "plain"),
    )


def _wrong_entry(c: Context) -> str | None:
    if c.got.dtype.kind != "b" or not (c.got != c.expected).any():
        return None
    b, i, j = map(int, np.argwhere(c.got != c.expected)[0])
    dropped, padding = c.given["attn_mask"][i, j], c.given["key_padding_mask"][b, j]
    later = f"key {j} is {'not ' * (j <= i)}later"
    if not c.given["is_causal"]:
        later = "`is_causal` is False here"
    return (
        f"In sequence {b}, for query {i} and key {j}, `attn_mask` says {dropped} and "
        f"`key_padding_mask` {padding} ({later}): your mask says {c.got[b, i, j]}, and "
        f"{c.expected[b, i, j]} is right."
    )


exercise = Exercise(
    from_torch_masks,
    place=55,
    minutes=10,
    level="medium",
    section="Two polarities",
    task="""
A layer by somebody else takes three arguments as PyTorch does. `attn_mask`, (n_q, n_k), and
`key_padding_mask`, (batch, n_k), have the polarity of `nn.MultiheadAttention`: True means *drop
this key* and *this key is padding*. If `is_causal` is True, query i sees no key after key i, in
addition: the two are counted from the first query and the first key, also where n_q and n_k differ
(the *top left* corner, as in `scaled_dot_product_attention`). Write `from_torch_masks(attn_mask,
key_padding_mask, is_causal)`: the one mask of ours that says the same, a NumPy array of bool of
shape (batch, n_q, n_k), True for "may attend". The two masks are NumPy arrays of bool.
""",
    cases=_cases,
    terms={"entry": lambda c: _wrong_entry(c) or ""},
    kinds={
        "causal": Kind(
            "where `is_causal` is True",
            "The triangle, on the axes of queries and keys, is dropped *in addition*.",
        ),
        "one": Kind("for a batch of one sequence"),
        "plain": Kind("where n_q and n_k differ"),
    },
    faults=fault_list("""
unchanged: ~attn_mask → attn_mask
        and ~key_padding_mask[:, None, :] → key_padding_mask[:, None, :]
    You flip neither mask: True still means *drop* in both. {entry}
dropped: mask & past_keys if is_causal else mask
            → ~(mask & past_keys if is_causal else mask)
    Your result is True for the keys that are *dropped*. It should be True for those that may be
    attended to: flip it.
padding-unchanged: ~key_padding_mask[:, None, :] → key_padding_mask[:, None, :]
    You flip `attn_mask` and not `key_padding_mask`, in which True means *padding*. {entry}
padding-of-queries: key_padding_mask[:, None, :] → key_padding_mask[:, :, None]
    You put the padding on the axis of the *queries*, and hide every key from a query that is
    padding. `key_padding_mask` is about *keys*: insert an axis in the middle. {entry}
padding-of-queries-cut: ~key_padding_mask[:, None, :]
            → ~np.pad(key_padding_mask, ((0, 0), (0, n_q)))[:, :n_q, None]
    What `key_padding_mask` says of *key* i you apply to *query* i: rows of your mask are hidden by
    it, where columns should be. {entry}
attention-unchanged: ~attn_mask → attn_mask
    You flip `key_padding_mask` and not `attn_mask`, in which True means *drop*. {entry}
or: kept_keys & real_keys → kept_keys | real_keys
    You allow a key that *one* of the two masks keeps. Flipped, "dropped by this *or* by that"
    becomes "kept by this *and* by that". {entry}
no-padding: kept_keys & real_keys → kept_keys & np.ones_like(real_keys)
    `key_padding_mask` plays no part: your mask is the same for every sequence. {entry}
bottom-right: np.arange(n_q)[:, None] → np.arange(n_q)[:, None] + n_k - n_q
    You align the causal mask to the *bottom right*, as our `causal_mask` does. `is_causal` counts
    from the first query and the first key: query 0 sees key 0 only.
opened: return mask & past_keys if is_causal else mask
        → mask = mask & past_keys if is_causal else mask ⏎ return mask | ~mask.any(-1)[..., None]
    You open the rows in which nothing is allowed, for all keys. The three arguments say that such a
    query sees nothing, and so should your mask: empty rows are the softmax's affair. {entry}
not-itself: <= own_keys → < own_keys
    With `is_causal` you hide key i from query i, too. Only the keys *after* it are to be hidden:
    does your triangle leave out the diagonal?
future: <= own_keys → >= own_keys
    With `is_causal` your queries see themselves and the *future*: the triangle is the other one.
never-causal: mask & past_keys if is_causal else mask → mask
    `is_causal` plays no part: where it is True, later keys have to be hidden, too. {entry}
flag-inverted: if is_causal → if not is_causal
    You hide later keys where `is_causal` is *False*, and where it is True you do not. {entry}
always-causal: mask = kept_keys & real_keys → mask = kept_keys & real_keys & past_keys
    You hide later keys whatever `is_causal` says. Where it is False, the two masks decide alone.
causal-instead-of-attention: mask & past_keys → real_keys & past_keys
    Where `is_causal` is True, the triangle takes the place of `attn_mask`, which then plays no
    part. It comes *in addition*: all three have to allow a key. {entry}
future-alone: <= own_keys → > own_keys
    With `is_causal` your queries see *only* later keys: the triangle of what is to be hidden (as
    `triu` gives it) stands where that of the allowed keys belongs. {entry}
no-attention: kept_keys & real_keys → np.ones_like(kept_keys) & real_keys
    `attn_mask` plays no part: what it drops, your mask allows. {entry}
or-causal: mask & past_keys → mask | past_keys
    With `is_causal` you allow a key that is early enough *or* that the masks keep. A key has to
    pass both. {entry}
"""),
    properties=(Property("wrong-entry", _wrong_entry),),
    hints=(
        "A query may attend to a key if nothing forbids it. Which of `&` and `|` says this?",
        "Flip both masks with `~`. Then give (batch, n_k) an axis for the queries.",
        "`key_padding_mask[:, None, :]` is (batch, 1, n_k); `np.tri(n_q, n_k, dtype=bool)` is "
        "True where j ≤ i.",
    ),
)
