"""Exercise `is_padding_invariant`."""

import inspect
from typing import Any

import numpy as np

from whywrong import Case, Context, Exercise, Kind, Property, fault
from whywrong.patches import patched

__all__ = ["exercise"]


def is_padding_invariant(model, source, n_vocab):
    """Tell whether hidden tokens behind a source leave what a model returns as it is."""
    rng = np.random.default_rng(0)
    n = len(source)
    alone = model(source, np.ones(n, dtype=bool))
    for n_more in range(1, 31):
        padding = rng.integers(n_vocab, size=n_more)
        padded = np.concatenate([source, padding])
        source_mask = np.arange(n + n_more) < n
        if not np.allclose(model(padded, source_mask), alone):
            return False
    return True


# Bodies, not patches: truth values say too little to tell two mistakes apart.
def _body(*changes: tuple[str, str]) -> str:
    """Return the lines of the solution with some texts replaced."""
    return patched(
        inspect.getsource(is_padding_invariant).split('"""\n')[-1], changes
    )


_RNG = np.random.default_rng(20261203)
_E = _RNG.standard_normal((11, 4))
_E_WITH_0 = _E * (np.arange(11) > 0)[:, None]
_P = _RNG.standard_normal((100, 4))
_X = _RNG.standard_normal((3, 4))


def _attention(Q: np.ndarray, Z: np.ndarray, shares: Any) -> np.ndarray:
    exps = shares * np.exp(Q @ Z.T / 2)
    return exps / exps.sum(axis=-1, keepdims=True) @ Z


def _logits(
    s: np.ndarray, encoder: Any, decoder: Any, place: Any = None
) -> np.ndarray:
    """Let three rows read a source whose elements have read each other: what each may see."""
    Z = _E[s] + _P[np.arange(len(s)) if place is None else place]
    Z = np.tanh(Z + _attention(Z, Z, encoder))
    return (_X + _attention(_X, Z, decoder)) @ _E.T


def _bag(s: np.ndarray, shares: np.ndarray, E: np.ndarray = _E) -> np.ndarray:
    return np.outer([1.0, -0.5], np.tanh(shares @ E[s] / 9))


def _i(s: np.ndarray) -> np.ndarray:
    return np.arange(len(s))


def _moved(s: np.ndarray, m: np.ndarray, by: Any) -> np.ndarray:
    """Hide the padding, and move the logits by so much for each hidden token."""
    return _logits(s, m, m) + 0.01 * (~m).sum() * np.asarray(by)


_LAST = np.outer([0, 0, 1], np.arange(11) == 10)

_FORMULAS = {
    "it hides all that the mask marks as padding": lambda s, m: _logits(s, m, m),
    "nothing hides the padding": lambda s, m: _logits(s, 1, 1),
    "the encoder's attention does not hide the padding": lambda s, m: _logits(
        s, 1, m
    ),
    "cross-attention does not hide the padding": lambda s, m: _logits(s, m, 1),
    "it sums the vectors of the tokens that are not hidden": lambda s, m: _bag(
        s, m
    ),
    "it reads the first token, if that is not hidden": lambda s, m: _bag(
        s[:1], m[:1]
    ),
    "its encoder is causal and has no other mask, and cross-attention hides the padding": (
        lambda s, m: _logits(s, np.tri(len(s)), m)
    ),
    "it hides the padding, and counts positions from the end, padding and all": (
        lambda s, m: _logits(s, m, m, _i(s)[::-1])
    ),
    "it sums what is not hidden, and divides by the length, padding and all": (
        lambda s, m: _bag(s, 9 * m / len(s))
    ),
    "it hides no padding, but the vector of token 0 is zero, and it takes a plain sum": (
        lambda s, m: _bag(s, 1 + 0 * m, _E_WITH_0)
    ),
    "it hides the padding, unless that is token 7": lambda s, m: _logits(
        s, m, m | (s == 7)
    ),
    "it hides the first token of the padding and no other": (
        lambda s, m: _logits(s, m, m | (np.cumsum(~m) > 1))
    ),
    "it hides the padding, unless that is token 0": lambda s, m: _logits(
        s, m, m | (s == 0)
    ),
    "it hides the padding, unless that is token 10": lambda s, m: _logits(
        s, m, m | (s == 10)
    ),
    "it hides the padding, unless that is the source's first token": lambda s, m: (
        _logits(s, m, m | (s == s[0]))
    ),
    "all that it returns falls by 0.01 for each token of padding": (
        lambda s, m: _moved(s, m, -1)
    ),
    "all that it returns rises by 0.01 for each token of padding": (
        lambda s, m: _moved(s, m, 1)
    ),
    "the last number that it returns rises by 0.01 for each token of padding": (
        lambda s, m: _moved(s, m, _LAST)
    ),
    "with padding, one number that it returns rises by as much as another falls": (
        lambda s, m: _moved(s, m, _LAST - _LAST[:, ::-1])
    ),
    "with padding, all that it returns grows by a five-thousandth": (
        lambda s, m: _logits(s, m, m) * (1 + 2e-4 * ~m.all())
    ),
    "its numbers are about 0.003, and grow by a hundredth with padding": lambda s, m: (
        1e-3 * (3 + np.tanh(_logits(s, m, m))) * (1 + 1e-2 * ~m.all())
    ),
    "its numbers are about 10,000, but for a 1 that becomes 1.005 with padding": (
        lambda s, m: np.where(_LAST, 1 + 5e-3 * ~m.all(), 1e4 + _logits(s, m, m))
    ),
    "it hides the padding, and adds a sum of all tokens and takes it away again": (
        lambda s, m: _logits(s, m, m) + _E[s].sum() - _E[s].sum()
    ),
    "the same, with outputs of about 1e12": (
        lambda s, m: 1e12 * (_logits(s, m, m) + _E[s].sum() - _E[s].sum())
    ),
}


def _checking(formula: Any) -> Any:
    """Return a model that says what it cannot read."""

    def model(source: Any, source_mask: Any) -> np.ndarray:
        s, m = np.asarray(source), np.asarray(source_mask)
        if len(s) > 100:
            raise ValueError(f"the model reads 100 tokens at most, got {len(s)}")
        if s.shape != m.shape:
            raise ValueError(
                "the mask has to be as long as the source, got shapes "
                f"{m.shape} and {s.shape}"
            )
        if s.min() < 0 or s.max() > 10:
            raise ValueError(f"tokens go from 0 to 10, got {s.min()} to {s.max()}")
        return formula(s, m.astype(bool))

    return model


_MODELS = {about: _checking(formula) for about, formula in _FORMULAS.items()}


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20261204)
    models = list(_MODELS.values())

    def made(which: int, kind: str, n: int) -> Case:
        return Case((models[which], rng.integers(1, 7, n), 11), kind)

    return (
        made(0, "example", 5),
        made(1, "leak", 5),
        made(2, "leak", 7),
        made(3, "leak", 6),
        made(0, "hidden", 1),
        made(4, "hidden", 8),
        made(5, "hidden", 4),
        made(6, "hidden", 6),
        made(7, "length", 5),
        made(8, "length", 9),
        made(9, "tokens", 7),
        made(10, "tokens", 6),
        made(10, "tokens", 3),
        made(11, "more", 5),
        made(12, "tokens", 5),
        made(13, "tokens", 7),
        made(14, "tokens", 4),
        made(15, "parts", 6),
        made(16, "parts", 4),
        made(17, "parts", 5),
        made(18, "parts", 7),
        made(19, "faint", 6),
        made(20, "tiny", 6),
        made(21, "small-one", 5),
        made(22, "rounding", 7),
        made(23, "large", 8),
    )


def _says(c: Context) -> str:
    about = next(k for k, model in _MODELS.items() if model is c.given["model"])
    return (
        f"Take this model: {about}. {bool(c.expected)} is right for it, and you say "
        f"{bool(c.got)}."
    )


_SOURCE = np.array([3, 1, 4, 1, 5])


def _tried(c: Context) -> list[tuple[list[Any], list[Any]]]:
    """Return the longer sources, and their masks, that the learner's function gives to a model."""
    seen: list[tuple[list[Any], list[Any]]] = []

    def model(source: Any, source_mask: Any) -> np.ndarray:
        seen.append((np.asarray(source).tolist(), np.asarray(source_mask).tolist()))
        return _E

    c.call(model, _SOURCE.copy(), 11)
    return [(source, mask) for source, mask in seen if len(source) > len(_SOURCE)]


def _answers(c: Context) -> tuple[Any, ...]:
    """Return what is said of models: always the same, but for rounding, never, nearly."""
    rng = np.random.default_rng(0)

    def with_noise(size: float) -> Any:
        def model(source: Any, source_mask: Any) -> np.ndarray:
            return _E[:3, :3] + size * rng.normal(size=(3, 3))

        return c.call(model, _SOURCE.copy(), 11)

    def moves(source: Any, source_mask: Any) -> np.ndarray:
        return np.full((2, 2), 1 + 5e-4 * (len(source) > len(_SOURCE)))

    def grows(source: Any, source_mask: Any) -> np.ndarray:
        return np.full((2, 2), 0.003 + 3e-5 * (len(source) > len(_SOURCE)))

    def swaps(source: Any, source_mask: Any) -> np.ndarray:
        return np.array([1.0, 2.0])[:: 1 if len(source) == len(_SOURCE) else -1]

    others = (c.call(model, _SOURCE.copy(), 11) for model in (moves, grows, swaps))
    return with_noise(0), with_noise(1e-14), with_noise(1), *others


def _shown(c: Context) -> str:
    """Say that the padding is not hidden, or the source is, if that made every good model fail."""
    longer, n = _tried(c), len(_SOURCE)
    if longer and all(all(mask) for _, mask in longer):
        in_front = any(_is_in_front(tokens) for tokens, _ in longer)
        return (
            f"{_says(c)} Your mask calls everything True, so that the padding counts as part of "
            "the source, which a good model notices. What does the mask say of padding?"
            + " And it stands in front of the source; where should it?"
            * in_front
        )
    if any(all(mask[n:]) and not any(mask[:n]) for _, mask in longer):
        return (
            f"{_says(c)} Your mask is True for the padding, and hides the source. What does True "
            "mean here?"
        )
    return _wrongly(c)


def _is_in_front(tokens: list[Any]) -> bool:
    own, n = _SOURCE.tolist(), len(_SOURCE)
    return tokens[-n:] == own != tokens[:n]


def _wrongly(c: Context) -> str:
    if c.got.shape:
        return "One truth value is asked for: `np.allclose` gives one."
    said, advice = _says(c), _advice(c, _tried(c))
    is_first = advice.startswith("You say")  # whatever the model
    return f"{advice} {said}" if is_first else f"{said} {advice}"


def _advice(c: Context, longer: list[tuple[list[Any], list[Any]]]) -> str:
    own, n = _SOURCE.tolist(), len(_SOURCE)
    same, rounded, other, faint, tiny, swapped = _answers(c)
    if not longer:
        return (
            "The model never gets a longer source: put some tokens behind this one."
        )
    in_front = any(_is_in_front(tokens) for tokens, _ in longer)
    few = []
    if len({len(tokens) for tokens, _ in longer}) < 2:
        few += [
            f"Your padding always has the length {len(longer[0][0]) - n}. Try several."
        ]
    padding = {
        token
        for tokens, _ in longer
        for token in (tokens[:-n] if in_front else tokens[n:])
    }
    if len(padding) < 11:
        few += [
            f"You pad with the tokens {sorted(padding)} only. A model may treat some tokens in "
            "another way: try all of the vocabulary."
        ]
    besides = " Besides: " + " ".join(few) if few else ""
    if len(longer) == 1:
        besides = (
            " Besides, a single padding decides in yours: try dozens, and say True when all of "
            "them have changed nothing. (Does `return` stand in a loop?)"
        )
    elif faint and not other:
        besides += (
            " Besides, you say True where numbers near 1 grow by 0.0005: a relative change of "
            "0.0001 counts."
        )
    if in_front:
        return (
            "You put the padding in front of the source; it has to stand behind it."
            + besides
        )
    if any(tokens[:n] != own for tokens, _ in longer):
        return (
            "The tokens of the source have to stay, and the padding stands behind them."
            + besides
        )
    if any(mask != [True] * n + [False] * (len(mask) - n) for _, mask in longer):
        return (
            f"A source of {n} tokens with padding gets from you, for example, the mask "
            f"{longer[-1][1]}. It has to be True for the tokens of the source and False for "
            f"the padding.{besides}"
        )
    if same is not None and not same:
        return (
            "You say False even of a model that always returns the same. What is True to say?"
            + f" Besides: {_EXACT}" * bool(rounded)
            + " Besides: numbers near 1 that grow by 0.0005 are the same to you; a relative change "
            "of 0.0001 counts." * bool(other and faint is not None and not faint)
        )
    if c.expected and rounded is not None and not rounded:
        return _EXACT
    if other is not None and other:
        return "You say True even of a model that never returns the same: what do you compare?"
    if len(longer) == 1:
        return (
            f"You say True after a single padding that changes nothing, {longer[0][0][n:]} behind "
            "the source. That proves little: try dozens, and say True when all of them have "
            "changed nothing. (Does `return True` stand in a loop?)"
        )
    said = few
    if swapped is not None and swapped:
        said += [
            "Where two numbers of the output change places, you say True: do you compare sums or "
            "means?"
        ]
    if tiny is not None and tiny and c.kind not in _ADVICE:
        said += [_TINY]
    is_exact = rounded is not None and not rounded
    return (
        " ".join(said) or _ADVICE.get(c.kind, _ADVICE["else"])
    ) + f" Besides: {_EXACT}" * is_exact


_EXACT = (
    "You ask for exactly equal numbers. Sums over more tokens may round differently, in the 16th "
    "digit. Which comparison allows for that?"
)
_TINY = (
    "Outputs of about 0.003 may grow by a hundredth, and you say True: is your tolerance in "
    "proportion to their size?"
)
_ADVICE = {
    "parts": "Do you compare every number by itself, if it rises and if it falls?",
    "small-one": "Is every number compared by itself, in proportion to its own size, or does the "
    "size of the large ones hide what a small one does?",
    "large": "Your tolerance is too small for it: rounding changes outputs of 1e12 by about 1e-3. "
    "`np.allclose(one, other)` compares in proportion to their size.",
    "tiny": _TINY,
    "faint": "Your tolerance is too generous for it: a relative change of 1e-4 counts.",
    "length": "Do you compare every number with what the model returns for the source *alone*, "
    "without padding?",
    "else": "You try enough, so look at the comparison: does it compare *every* number of the "
    "output with the same one for the source alone? And is it False as soon as one trial "
    "differs, or does a later one overwrite that?",
}


exercise = Exercise(
    is_padding_invariant,
    place=30,
    minutes=15,
    level="medium",
    prepares=("two_mistakes",),
    section="Why it works",
    task="""
A test for models that you cannot look into. `model(source, source_mask)` takes the tokens of one
source, integers of shape (n,) from 0 to n_vocab − 1, and an array of bool of the same shape, True
for its tokens and False for padding; it returns an array whose shape does not depend on n. Write
`is_padding_invariant(model, source, n_vocab)`: return `True` if the model returns the same for
`source` alone as for `source` with padding behind it, and `False` if not. Any tokens may be
padding, also those that occur in sources, and any number of them. Call the model as often as you
like, each time on 100 tokens at most, and try enough to be practically sure: a model may be fooled
by one token only, or only by the second token of a padding. Rounding (a relative change below
$10^{-9}$) does not count; a relative change of $10^{-4}$ does, of any number that is returned. None
of these numbers is below $10^{-4}$ in size.
""",
    cases=_cases,
    kinds={
        "example": Kind("for a model that hides the padding everywhere"),
        "leak": Kind("for models in which an attention sees the padding"),
        "hidden": Kind("for other models that padding does not change"),
        "length": Kind("for models that notice only how much padding there is"),
        "tokens": Kind("for models that only some tokens fool"),
        "parts": Kind(
            "for models whose output only rises, only falls, or changes in few numbers"
        ),
        "small-one": Kind(
            "for a model that changes a small number among large ones"
        ),
        "tiny": Kind("for a model with outputs of about 0.003"),
        "more": Kind("for a model that only a second padding token fools"),
        "faint": Kind("for a model in which the padding has a faint effect"),
        "rounding": Kind("for a model that hides the padding but rounds"),
        "large": Kind("for a model with outputs of about 1e12"),
    },
    terms={"answer": _says},
    faults=(
        fault(
            "shown",
            _body(("np.arange(n + n_more) < n", "np.ones(n + n_more, dtype=bool)")),
            says=_shown,
        ),
        fault(
            "inverted",
            _body(("np.arange(n + n_more) < n", "np.arange(n + n_more) >= n")),
            says=_shown,
        ),
        fault(
            "in-front",
            _body(
                ("[source, padding]", "[padding, source]"),
                ("np.arange(n + n_more) < n", "np.arange(n + n_more) >= n_more"),
            ),
            says="{answer} You put the padding in *front*. Then the tokens of the source stand at "
            "other positions, which a model may well notice. Where does padding stand?",
        ),
        fault(
            "same-length",
            _body(
                (
                    ", alone)",
                    ", model(np.append(source, 0 * padding), source_mask))",
                )
            ),
            says="{answer} You compare one padding with another, equally long: a model that "
            "notices only how *much* there is gets through. With what is it to be compared?",
        ),
        fault(
            "one-token",
            _body(("range(1, 31)", "30 * [1]")),
            says="{answer} You try a single token of padding each time. What if a model hides the "
            "first one and forgets a second?",
        ),
        fault(
            "only-0",
            _body(
                (
                    "rng.integers(n_vocab, size=n_more)",
                    "np.zeros(n_more, dtype=int)",
                )
            ),
            says="{answer} You pad with token 0 only. A model whose token 0 has a vector of zeros "
            "gets through. Which tokens may be padding here?",
        ),
        fault(
            "exact",
            _body(("np.allclose", "np.array_equal")),
            says="{answer} " + _EXACT,
        ),
    ),
    properties=(Property("wrongly", _wrongly, any_shape=True),),
    hints=(
        "What does the theorem say that the model returns for a source with padding, and what "
        "would show that a model is no such model?",
        "Ask once with the source alone and a mask of True. Then put random tokens behind it, one, "
        "two, three and more, each time with a mask that is False for them, and compare.",
        "`padded = np.concatenate([source, padding])`, `mask = np.arange(len(padded)) < "
        "len(source)`, `np.allclose`; `return False` at the first difference.",
    ),
)
