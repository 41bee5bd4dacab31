"""Exercise `to_torch_mha_mask` of chapter 6."""

import numpy as np

from course_attn.checking import Case, Exercise, Fault, Property
from course_attn.exercises.masks._steps import allows_too_little, allows_too_much
from course_attn.exercises.masks.causal_mask import causal_mask

__all__ = ["exercise"]


def to_torch_mha_mask(mask):
    """Say in the convention of `nn.MultiheadAttention`, True = drop, what our mask says."""
    return ~mask


def _mha_cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260603)
    return (
        Case((np.array([[True, False, False], [True, True, False]]),), "example"),
        Case((rng.uniform(size=(5, 7)) < 0.6,)),
        Case((rng.uniform(size=(11, 3)) < 0.3,)),
        Case((np.tri(5, dtype=bool),), "square"),
        Case((rng.uniform(size=(6, 5, 7)) < 0.5,), "batch"),
    )


exercise = Exercise(
    solution=to_torch_mha_mask,
    place=50,
    section="Two polarities and two alignments",
    task="""
PyTorch's `nn.MultiheadAttention` takes an `attn_mask` in which True means *drop this key*, the
opposite of ours and of `scaled_dot_product_attention`. Write `to_torch_mha_mask(mask)`: from our
mask, a NumPy array of bool and any shape with True for "may attend", make the one to hand over, a
NumPy array of bool and the same shape. Leave the argument itself as it is.
""",
    cases=_mha_cases,
    faults=(
        Fault(
            "unchanged",
            lambda mask: mask.copy(),
            lambda c: (
                "You hand the mask over as it is, "
                f"{c.row()}: `nn.MultiheadAttention` would drop exactly the keys that we allow. "
                "It raises no error, and a causal model then sees only its future."
            ),
        ),
        Fault(
            "bias",
            lambda mask: np.where(mask, 0.0, -np.inf),
            "A float mask of 0 and −∞ works in `nn.MultiheadAttention` too, but asked for is the "
            "bool one: True = drop.",
        ),
        Fault(
            "numbers",
            lambda mask: 1.0 - mask,
            lambda c: (
                f"You return numbers (dtype `{c.got.dtype}`), not truth values. "
                + (
                    "A float mask is *added* to the scores there: your 1 for a key to be dropped "
                    "would make it weigh e times more."
                    if c.got.dtype.kind == "f"
                    else "`nn.MultiheadAttention` refuses integers: it takes bool, or floats to be "
                    "added to the scores."
                )
                + " Stay with truth values: `~mask`, which is short for `np.logical_not(mask)`."
            ),
        ),
        Fault(
            "inverted-integers",
            lambda mask: ~mask.astype(int),
            lambda c: (
                "`~` turns round truth values, but of an *integer* it flips all bits: `~0` is −1 "
                f"and `~1` is −2. Your first row is {c.row()}. Leave the mask as bool: `~mask`."
            ),
        ),
        Fault(
            "transposed",
            lambda mask: np.swapaxes(~mask, -1, -2),
            "Flipped rightly, but transposed too: queries stay rows, keys stay columns. Only the "
            "polarity differs.",
        ),
        Fault(
            "turned-not-flipped",
            lambda mask: mask[..., ::-1],
            "You reverse the order of the keys. What has to be turned round is the meaning of each "
            "entry: True becomes False.",
        ),
        Fault(
            "always-causal",
            lambda mask: np.broadcast_to(
                ~causal_mask(*mask.shape[-2:]), mask.shape
            ).copy(),
            "You return the causal mask in PyTorch's polarity whatever the argument is. Convert "
            "the mask that you are given.",
        ),
    ),
    properties=(
        Property("drops-too-much", allows_too_much),
        Property("drops-too-little", allows_too_little),
    ),
    hints=(
        "What should the entry be for a key that our mask allows?",
        "Every truth value becomes its opposite; the shape stays.",
        'For NumPy arrays `~` is "not"; so is `np.logical_not`. Python\'s own `not` takes '
        "one value only.",
    ),
)
