"""Exercise `to_torch_mha_mask`."""

import numpy as np

from whywrong import Case, Context, Exercise, Kind, Property, fault_list

__all__ = ["exercise"]


def to_torch_mha_mask(mask):
    """Say in the convention of `nn.MultiheadAttention`, True = drop, what our mask says."""
    dropped = ~mask
    return dropped


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260603).uniform
    return (
        Case((np.array([[True, False, True], [True, True, False]]),), "example"),
        Case((draw(size=(5, 7)) < 0.6,)),
        Case((draw(size=(11, 3)) < 0.3,)),
        Case((np.tri(5, dtype=bool),), "square"),
        Case((draw(size=(6, 5, 7)) < 0.5,), "batch"),
        Case((np.array([True, True, False, True]),), "vector"),
    )


def _not_flipped(c: Context) -> str | None:
    if c.got.dtype.kind != "b" or not (c.got != c.expected).any():
        return None
    place = tuple(map(int, np.argwhere(c.got != c.expected)[0]))
    return (
        f"The argument is {c.given['mask'][place]} at {place}, and so is your mask. Every entry "
        "becomes its opposite, and stays in its place."
    )


exercise = Exercise(
    to_torch_mha_mask,
    place=50,
    minutes=3,
    level="easy",
    prepares=("from_torch_masks", "TransformerBlock"),
    section="Two polarities",
    task="""
PyTorch's `nn.MultiheadAttention` takes an `attn_mask` in which True means *drop this key*, the
opposite of ours and of `scaled_dot_product_attention`. Write `to_torch_mha_mask(mask)`: from our
mask, a NumPy array of bool and any shape with True for "may attend", make the one to hand over, a
NumPy array of bool and the same shape. Leave the argument itself as it is.
""",
    cases=_cases,
    kinds={"vector": Kind("for the mask of a single query, shape (n,)")},
    faults=fault_list("""
unchanged: ~mask → mask.copy()
    It drops exactly the keys that our mask allows. `nn.MultiheadAttention` raises no error, and a
    causal model then sees only its future.
rows-kept: ~mask → ~mask & mask.any(axis=-1, keepdims=True)
    Where our mask allows a query no key at all, yours drops none. Every entry becomes its opposite,
    in such a row, too. (If this is against NaN: it is for those who make a mask to leave each query
    a key.)
bias: return dropped → return np.where(dropped, -np.inf, 0.0)
    You return a float mask of 0 and −∞. A bool mask is asked for, with True where a key is
    dropped.
large-bias: return dropped → return np.where(dropped, -1e9, 0.0)
    You return a float mask of 0 and a large negative number. A bool mask is asked for, with
    True where a key is dropped.
numbers: return dropped → return dropped.astype(float)
    You return numbers. `nn.MultiheadAttention` refuses integers, and floats are *added* to the
    scores: a 1 drops nothing. Stay with truth values: `~mask`.
inverted-integers: ~mask → ~mask.astype(int)
    `~` flips truth values, but of an *integer* it flips all bits: `~0` is −1 and `~1` is −2. Your
    first row is {your.row}. Leave the mask as bool: `~mask`.
all-dropped: return np.ones(mask.shape, dtype=bool)
    Every entry of yours is True: all keys are dropped, whatever the argument says. (Of an *integer*
    `~` flips all bits: `~0` is −1 and `~1` is −2, and made bool again both are True.)
always-triu: return np.triu(np.ones(mask.shape, dtype=bool), k=1)
    You drop the future whatever the argument is: of your mask only the shape plays a part. Convert
    the truth values that you are given.
transposed: ~mask → ~mask.T
    Your mask is transposed: shape {your.shape}, where {right.shape} is right. Which entry has to
    become its opposite, and in which place does it stay?
axis-in-front: return dropped → return dropped[None]
    You put a new axis in front: shape {your.shape}. The task asks for the shape of the argument,
    {right.shape}; does a mask need an axis for a batch or for heads here?
"""),
    properties=(Property("not-flipped", _not_flipped),),
    hints=(
        "What should the entry be for a key that our mask allows?",
        "Every truth value becomes its opposite; the shape stays.",
        'For NumPy arrays `~` is "not". Python\'s own `not` takes one value only.',
    ),
)
