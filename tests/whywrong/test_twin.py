"""A PyTorch exercise shares the mistakes, sentences and cases of its NumPy twin."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tests.whywrong.cells import exercise_of  # noqa: E402
from whywrong import BadDeclaration, Case, fault, judge  # noqa: E402


def shares(x):
    """Divide each row by its sum."""
    total = x.sum(axis=-1, keepdims=True)
    return x / total


def shares_torch(x):
    """Divide each row by its sum."""
    total = x.sum(dim=-1, keepdim=True)
    return x / total


X = np.array([[1.0, 2.0, 5.0], [3.0, 4.0, 1.0]])
FAULTS = (
    fault(
        "columns",
        "axis=-1",
        "axis=-2",
        says="Use `axis=-1`: rows sum to {your.sums}.",
    ),
    fault("product", "x / total", "x * total", says=lambda c: f"`np.{c.row()}`"),
    fault("zeros", "return np.zeros_like(x)", says="Zeros."),
)
TEXTS = {
    "place": 20,
    "section": "",
    "task": "",
    "hints": ("one.", "two.", "three."),
    "minutes": 5,
    "level": "easy",
}


def numpy_exercise(*faults):
    return exercise_of(
        shares,
        Case((X,), "example"),
        Case((X.astype("f4"),), "float32"),
        faults=faults or FAULTS,
    )


def test_twin_has_the_same_mistakes_in_its_own_words():
    twin = numpy_exercise().twin(shares_torch, **TEXTS)
    assert (twin.name, twin.library) == ("shares_torch", "torch")
    found = judge(twin, lambda x: x / x.sum(dim=-2, keepdim=True))
    assert found.faults == ("columns",)
    assert found.message.startswith("Use `dim=-1`: rows sum to")
    assert judge(twin, lambda x: x * x.sum(-1, keepdim=True)).message.startswith(
        "`torch.["
    )
    assert judge(twin, lambda x: x * 0).faults == ("zeros",)


def test_twin_is_given_float32_but_where_numpy_is_not():
    cases = numpy_exercise().twin(shares_torch, **TEXTS).made_cases
    assert [(c.kind, c.args[0].dtype) for c in cases] == [
        ("example", "f4"),
        ("float64", "f8"),
    ]
    kept = numpy_exercise().twin(shares_torch, in_float64=("example",), **TEXTS)
    assert kept.made_cases[0].args[0].dtype == "f8"
    fewer = numpy_exercise().twin(shares_torch, without_cases=("float32",), **TEXTS)
    assert [case.kind for case in fewer.made_cases] == ["example"]


def test_twin_may_say_its_own_leave_out_and_add():
    twin = numpy_exercise().twin(
        shares_torch,
        faults=(
            fault("columns", "dim=-1", "dim=0"),
            fault("own", "x / total", "total / x", says="Upside down."),
        ),
        without=("zeros",),
        **TEXTS,
    )
    assert [known.id for known in twin.faults] == ["columns", "product", "own"]
    assert (
        judge(twin, lambda x: x.sum(-1, keepdim=True) / x).message == "Upside down."
    )


@pytest.mark.parametrize(
    ("faults", "settings", "said"),
    [
        ((fault("whole", lambda x: x, says="Said."),), {}, "needs one of its own"),
        (
            (fault("text", "total = ", "total = 2 * ", says="Said."),),
            {"without": ("none",)},
            "not faults of",
        ),
    ],
)  # fmt: skip
def test_twin_that_does_not_fit_is_refused(faults, settings, said):
    with pytest.raises(BadDeclaration, match=said):
        numpy_exercise(*faults).twin(shares_torch, **settings, **TEXTS)


def test_twin_refuses_a_patch_that_its_solution_does_not_have():
    other = fault("other", "x.sum(axis=-1, keepdims=True)", "x.sum()", says="All.")

    def shares_torch(x):
        return x / x.sum(-1, keepdim=True)

    with pytest.raises(BadDeclaration, match="occurs 0 times"):
        numpy_exercise(other).twin(shares_torch, **TEXTS)
