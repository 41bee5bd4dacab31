"""`attention_lab`: what it holds without its script, and refusals."""

import numpy as np
import pytest

from course_attn.chapters.qkv.widgets.attention_lab import attention_lab
from course_attn.in_numpy import attention, attention_weights
from tests.support.output import Reader, data_of, entries

Q = [[2.0, 0, 0], [0, 2, 2], [2, 0, 2]]
K = [[1.0, 0, 1], [0, 1, 0], [1, 0, 0]]
V = [[1.0, 2], [0, 0], [0, -1]]
S = [[2.0, 1, 0, 3], [1, 0, 2, 1], [0, 2, 1, 3], [1, 0, 2, 1]]
WORDS = ["prince", "she", "him"]
CAUSAL = np.tri(3, dtype=bool)
CAPTION = "Numbers. Try: change one."


def lab(**options):
    given = {"Q": Q, "K": K, "V": V, "tokens": WORDS, "caption": CAPTION}
    return attention_lab(**given | options)


def lab_of_scores():
    words = "the cat sat down".split()
    options = {
        "mask": np.tri(4, dtype=bool),
        "opened": ("S", 1, 2),
        "caption": CAPTION,
    }
    return attention_lab(scores=S, tokens=words, **options)


EXAMPLES = {
    "attention_lab": lambda: lab(scaled=False, opened=("S", 2, 0)),
    "attention_lab with all controls": lambda: lab(
        mask=CAUSAL,
        outputs=["name", "royal"],
        changes=("d", "scale", "T"),
        opened=("A", 2, 0),
    ),
    "attention_lab of scores": lab_of_scores,
}


def named(name):
    words = {"alt": f"{name} and more", "caption": f"{name} as well"}
    return lab(tokens=["x", name, "y"], **words)


@pytest.mark.parametrize("scaled", [True, False])
def test_attention_lab_without_its_script_is_its_tables(scaled):
    tables = Reader(lab(scaled=scaled, mask=CAUSAL)).tables
    S = "S = Q Kᵀ ÷ √d" if scaled else "S = Q Kᵀ"
    assert list(tables) == ["Q", "K", "V", S, "A = softmax(S)", "Y = A V"]
    assert tables["Q"][0] == ["", "1", "2", "3"] and tables[S][0] == ["", *WORDS]
    options = {"mask": CAUSAL, "scale": None if scaled else 1.0}
    arrays = [np.array(array) for array in (Q, K, V)]
    A = attention_weights(*arrays[:2], **options)
    np.testing.assert_allclose(entries(tables["A = softmax(S)"]), A, atol=0.00501)
    Y = attention(*arrays, **options)
    np.testing.assert_allclose(entries(tables["Y = A V"]), Y, atol=0.00501)
    scores = arrays[0] @ arrays[1].T / (3**0.5 if scaled else 1)
    scores[~CAUSAL] = -np.inf
    np.testing.assert_allclose(entries(tables[S]), scores, atol=0.00501)
    assert tables["A = softmax(S)"][1][2:] == ["0", "0"]


def test_attention_lab_of_scores_has_no_queries():
    S = [[0.0, 1.0], [-0.001, 2.0]]
    shown = attention_lab(scores=S, tokens=["a", "b"], caption="Scores.")
    tables = Reader(shown).tables
    assert list(tables) == ["scores", "S, masked", "A = softmax(S)"]
    assert tables["S, masked"][2] == ["b", "0.00", "2.00"]
    assert {"Q", "K", "V", "mask"}.isdisjoint(data_of(shown))


def test_attention_lab_gives_its_script_all_numbers():
    names = {"features": ["m", "f", "n"], "outputs": ["n", "r"]}
    data = data_of(
        lab(
            **names,
            mask=CAUSAL,
            opened=("Y", 2, 1),
            changes={"T", "d"},
            scaled=False,
        )
    )
    assert data["Q"] == Q and data["K"] == K and data["V"] == V
    assert data["mask"] == CAUSAL.tolist() and data["tokens"] == WORDS
    assert data["features"] == ["m", "f", "n"] and data["outputs"] == ["n", "r"]
    assert data["opened"] == ["Y", 2, 1] and data["changes"] == ["d", "T"]
    assert data["scaled"] is False and data["temperature"] == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tokens": "abc"}, "tokens must be a sequence of 2 to 6 str, got 'abc'"),
        ({"tokens": ["a"]}, "tokens must be a sequence of 2 to 6 str"),
        ({"tokens": [1, 2, 3]}, "tokens must be a sequence of str"),
        ({"tokens": ["a", "b"]}, r"Q must have shape \(2, any\), got \(3, 3\)"),
        ({"K": [[1.0, 0]] * 3}, r"K must have shape \(3, 3\), got \(3, 2\)"),
        ({"V": [[1.0], [2.0]]}, r"V must have shape \(3, any\), got \(2, 1\)"),
        ({"V": np.zeros((3, 0))}, r"V must have shape \(3, any\), got \(3, 0\)"),
        ({"V": np.zeros((3, 7))}, "V must have entries .* at most 6 columns, got .* in 7"),
        ({"Q": [["x"] * 3] * 3}, "Q must be numbers of shape"),
        ({"Q": [[np.nan] * 3] * 3}, "Q must have finite entries only, got nan"),
        ({"Q": [[1e3] * 3] * 3}, "Q must have entries from -100 to 100 .* got 1000"),
        ({"K": None}, "give either Q and K, or scores"),
        ({"scores": np.eye(3)}, "give either Q and K, or scores"),
        ({"Q": None, "K": None}, "give either Q and K, or scores"),
        ({"Q": None, "K": None, "scores": np.eye(2)}, r"scores must have shape \(3, 3\)"),
        ({"Q": None, "K": None, "scores": np.eye(3), "changes": ["d"]}, "changes must be 'T' only"),
        ({"mask": np.eye(3)}, r"mask must be bool of shape \(3, 3\), got float64"),
        ({"mask": CAUSAL[:2]}, r"mask must be bool of shape \(3, 3\), got bool of shape \(2, 3\)"),
        ({"temperature": 0}, "temperature must be a number from 0.1 to 10, got 0"),
        ({"temperature": "hot"}, "temperature must be a number from 0.1 to 10, got 'hot'"),
        ({"changes": ["x"]}, "changes must be among d, scale, T, got 'x'"),
        ({"features": ["a"]}, "features must have length 3, for 3 columns of Q, got 1"),
        ({"outputs": "ab"}, "outputs must be a sequence of str, got 'ab'"),
        ({"opened": ("Z", 0, 0)}, r"opened must be one of S, A, Y, a row and a column"),
        ({"opened": ("Y", 0, 2)}, r"opened must be one of .* got \('Y', 0, 2\)"),
        ({"opened": None}, "opened must be one of .* got None"),
        ({"alt": " "}, "alt must say something"),
        ({"caption": ""}, "caption must say something"),
    ],
)  # fmt: skip
def test_attention_lab_names_an_argument_that_does_not_fit(options, message):
    with pytest.raises(ValueError, match=message):
        lab(**options)
