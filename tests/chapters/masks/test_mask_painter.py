"""`mask_painter`: what it holds without its script, and refusals."""

import numpy as np
import pytest

from course_attn.chapters.masks.widgets.mask_painter import mask_painter
from tests.support.output import Reader, data_of

CAUSAL = np.tri(3, dtype=bool)
SENTENCE = "she looked at him again".split()
PLANS = {
    "causal": [np.tri(5, dtype=bool)] * 3,
    "no mask": [None] * 3,
    "layer 2 forgets": [np.tri(5, dtype=bool), None, np.tri(5, dtype=bool)],
}
EXAMPLES = {
    "mask_painter": lambda: mask_painter(
        SENTENCE, PLANS, changed=3, caption="A mask. Try: paint."
    )
}


def painter(**options):
    return mask_painter(
        **{"tokens": ["a", "b", "c"], "caption": "Paint."} | options
    )


def named(name):
    words = {"alt": f"{name} and more", "caption": f"{name} as well"}
    return painter(tokens=["x", name, "y"], **words)


def test_mask_painter_without_its_script_is_a_table_of_what_changes():
    plans = {"causal": [CAUSAL] * 2, "layer 2 forgets": [CAUSAL, None]}
    shown = painter(plans=plans, changed=1)
    ((caption, table),) = Reader(shown).tables.items()
    assert caption == "● changes when “b” is exchanged, · stays"
    assert table == [
        ["", "a", "b", "c"],
        ["causal, layer 1", *"·●●"],
        ["causal, layer 2", *"·●●"],
        ["layer 2 forgets, layer 1", *"·●●"],
        ["layer 2 forgets, layer 2", *"●●●"],
    ]
    data = data_of(shown)
    assert data["changed"] == 1 and data["layer"] == 0
    assert (
        data["plans"]["layer 2 forgets"][1] == np.ones((3, 3), dtype=bool).tolist()
    )


def test_mask_painter_takes_a_model_or_draws_the_same_one_each_time():
    rng = np.random.default_rng(1)
    X, Z, W = (
        rng.normal(size=(3, 2)),
        rng.normal(size=(3, 2)),
        np.ones((1, 4, 2, 2)),
    )
    data = data_of(painter(inputs=X, others=Z, weights=W))
    np.testing.assert_allclose(data["inputs"], X, atol=0.0005)
    np.testing.assert_allclose(data["others"], Z, atol=0.0005)
    assert data["weights"] == W.tolist()
    assert data_of(painter()) == data_of(painter())
    assert data_of(painter(inputs=X))["inputs"] == X.round(3).tolist()
    assert np.shape(data_of(painter(inputs=X))["weights"]) == (1, 4, 2, 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tokens": "abc"}, "tokens must be a sequence of 2 to 10 str, got 'abc'"),
        ({"tokens": list("abcdefghijk")}, "tokens must be a sequence of 2 to 10 str"),
        ({"plans": {}}, "plans must hold at least one plan"),
        ({"plans": {"a": []}}, "plans must hold at least one plan, and each at least one mask"),
        ({"plans": {"a": [np.eye(3)]}}, r"plans\['a'\] must hold bool .* got float64"),
        ({"plans": {"a": [CAUSAL[:2]]}}, r"plans\['a'\] must .* got bool of shape \(2, 3\)"),
        ({"plans": {"a": [None], "b": [None] * 2}}, "plans must have the same number of layers"),
        ({"plans": {"a": [None] * 5}}, "plans must .* 4 at most, got {'a': 5}"),
        ({"changed": 3}, "changed must be from 0 to 2, got 3"),
        ({"layer": -1}, "layer must be from 0 to 0, got -1"),
        ({"inputs": np.zeros((2, 4))}, r"inputs must have shape \(3, 4\), got \(2, 4\)"),
        ({"inputs": 1.0}, r"inputs must have shape \(3, 0\), got \(\)"),
        ({"weights": np.zeros((2, 4, 2, 2))}, r"weights must have shape \(1, 4, 2, 2\)"),
        ({"caption": " "}, "caption must say something"),
    ],
)  # fmt: skip
def test_mask_painter_names_an_argument_that_does_not_fit(options, message):
    with pytest.raises(ValueError, match=message):
        painter(**options)
