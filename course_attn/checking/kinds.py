"""In which kinds of cases a function fails, said in words."""

import numpy as np

from course_attn.checking.context import Finding
from course_attn.checking.declare import Exercise, Kind
from course_attn.checking.trial import Trial

__all__ = ["kind_of", "where_it_fails"]

_KINDS = {
    "example": Kind("for the first, small inputs"),
    "plain": Kind("for arrays of other sizes"),
    "square": Kind("where the sizes happen to be equal"),
    "batch": Kind(
        "with leading batch axes",
        "Count axes from the end: `axis=-1`, `np.swapaxes(x, -1, -2)`. In a batch, `.T` turns all "
        "axes around, and `axis=0` or `axis=1` means another axis.",
    ),
    "vector": Kind(
        "for a one-dimensional argument",
        "There is no second axis then: use `axis=-1`.",
    ),
    "float32": Kind(
        "for float32 input",
        "Numbers above 3.4e38 do not exist there, nor the 8th digit.",
    ),
    "float64": Kind("for float64 input", "Keep the input's dtype all the way."),
}
_TORCH_BATCH = Kind(
    "with leading batch axes",
    "Count dimensions from the end: `dim=-1`, `x.transpose(-1, -2)`. `.T`, `.t()` and `torch.mm` "
    "are for matrices, and `dim=0` or `dim=1` means another dimension in a batch.",
)
_ONLY_EXAMPLE = Finding(
    ("only-example",),
    "It is right for the first, small inputs and wrong for arrays of other sizes: look for a "
    "number in your code that should come from `.shape`.",
)
_ONLY_THESE_NUMBERS = Finding(
    ("only-example",),
    "It is right for the numbers of the first, small inputs, and wrong for others: which signs, "
    "sizes or ties does your code rely on?",
)
_ONLY_SQUARE = Finding(
    ("only-square",),
    "It is right only where sizes happen to be equal: look for an axis or a size that was mistaken "
    "for another.",
)


def kind_of(exercise: Exercise, name: str) -> Kind:
    """Return how to speak of a kind of cases."""
    known = dict(_KINDS)
    if exercise.library == "torch":
        known["batch"] = _TORCH_BATCH
    known.update(exercise.kinds)
    return known.get(name) or Kind(f"in the case {name!r}")


def where_it_fails(trial: Trial) -> Finding | None:
    """Say which cases fail, where the first is right; None where nothing is to be learned."""
    exercise, cases = trial.exercise, trial.cases
    right = {cases[i].kind for i in trial.right}
    failing = list(
        dict.fromkeys(cases[i].kind for i in sorted(trial.wrong + trial.crashed))
    )
    if not right or not failing or "example" in failing:
        return None
    if "plain" in failing and right <= {"example", "square"}:
        return _narrow(trial, failing)
    phrases = _listed([kind_of(exercise, kind).phrase for kind in failing])
    advice = kind_of(exercise, failing[0]).advice
    sentence = f"It is right in other cases, but fails {phrases}."
    ids = (f"fails-{failing[0]}",) if len(failing) == 1 else ()
    return Finding(ids, f"{sentence} {advice}".strip())


def _listed(phrases: list[str]) -> str:
    most, last = phrases[:-1], phrases[-1]
    if len(phrases) > 3:
        most, last = phrases[:3], "elsewhere"
    return f"{', '.join(most)} and {last}" if most else last


def _narrow(trial: Trial, failing: list[str]) -> Finding:
    """Tell hard-coded sizes and mistaken axes from numbers that happen to come out right."""
    i = next(i for i, case in enumerate(trial.cases) if case.kind == "plain")
    wanted = np.asarray(trial.expected[i]).shape
    if trial.outcomes[i].error is None and trial.got(i).shape == wanted:
        return _ONLY_THESE_NUMBERS
    return _ONLY_EXAMPLE if "square" in failing else _ONLY_SQUARE
