"""From wrong numbers to the mistake.

Nothing here looks at a clock: what is tried, and in which order, depends on the answer and on the
exercise alone.
"""

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np

from whywrong.arrays import agree
from whywrong.context import Finding, first_difference
from whywrong.faults import Fault
from whywrong.mend import changed_to, going_on, in_own_code, is_one_line, mended
from whywrong.observe import (
    advice_for,
    kind_of,
    listed,
    not_finite,
    pattern,
    shape_problem,
    where_it_fails,
)
from whywrong.running import Trial, once, run_trial
from whywrong.slips import Slip
from whywrong.stops import stop_in_short
from whywrong.versions import (
    Version,
    breaks_what_is_right,
    explains_what_is_wrong_in,
    gives_the_same,
    is_wrong_in,
    value_of,
    with_fault_and_slip,
    with_faults,
    with_slip,
)

__all__ = [
    "fault_and_own_change",
    "fault_and_slip",
    "joined",
    "no_error",
    "of_result",
    "one_fault",
]
__all__ += [
    "one_fault_but_for_a_kind",
    "one_fault_in_most",
    "one_slip",
    "other_order",
    "two_at_once",
]
__all__ += [
    "mistake_behind",
    "shape_and_mistake",
    "two_close_faults",
    "two_faults",
    "two_faults_in_most",
    "what_is_seen",
]

# How many pairs of declared faults, how many slips, and how many faults with slips are tried.
_PAIRS = 700
_SLIPS = 1500
_FAULTS_WITH_SLIPS = 1000
# Which of the slips are tried with faults: the likeliest.
_WITH_FAULTS = 500
# Where answers are compared as coarsely as this, slips are not told apart.
_COARSE = 0.01
# Code that fails in these may show a known fault in the others.
_OWN_AXES = ("batch", "vector")


# --- declared faults ------------------------------------------------------------------------------


@once
def one_fault(trial: Trial) -> Finding | None:
    """Name the declared fault that gives the same in every case."""
    return _fault_in(trial, range(len(trial.outcomes)))


@once
def one_fault_in_most(trial: Trial) -> Finding | None:
    """Name the declared fault that gives the same in all cases that do not stand apart."""
    apart = [i for i in range(len(trial.outcomes)) if _stands_apart(trial, i)]
    rest = [i for i in range(len(trial.outcomes)) if i not in apart]
    return _fault_in(trial, rest) if apart else None


@once
def one_fault_but_for_a_kind(trial: Trial) -> Finding | None:
    """Name the declared fault that gives the same in all cases but those of one kind."""
    if not trial.wrong or _tells_little(trial) or _one_change(trial):
        return None
    if trial.got(trial.wrong[0]).size < 2:  # one number is soon the same
        return None
    for kind in trial.exercise.kinds:
        rest = [i for i, case in enumerate(trial.cases) if case.kind != kind]
        found = _fault_in(trial, rest)
        if found:
            return found
    return None


@once
def two_faults(trial: Trial) -> Finding | None:
    """Name two declared faults that together give the same in every case."""
    pair = _pair_in(trial, range(len(trial.outcomes)))
    return _both(trial, pair) if pair else None


@once
def two_faults_in_most(trial: Trial) -> Finding | None:
    """Name two declared faults that together give the same wherever something comes back."""
    if not (trial.wrong and trial.crashed) or _one_change(trial):
        return None
    cases = [i for i in range(len(trial.outcomes)) if i not in trial.crashed]
    pair = _pair_in(trial, cases)
    if not pair:
        return None
    version = with_faults(trial.exercise, *pair)
    return _with_the_rest(trial, version, cases, _both(trial, pair))


@once
def two_close_faults(trial: Trial) -> Finding | None:
    """Name two that change one step of the solution, unless one change says all."""
    if not trial.wrong or _told_by_a_law(trial):
        return None
    pair = _pair_in(trial, range(len(trial.outcomes)), close=True)
    return _both(trial, pair) if pair and not _one_change(trial) else None


@once
def other_order(trial: Trial) -> Finding | None:
    """Say that the results stand in another order, by their numbers or by their shapes."""
    names = trial.exercise.results
    if not names or not trial.wrong or trial.crashed:
        return None
    by_numbers, by_shape = _orders(trial, _is_result), _orders(trial, _may_be)
    if len(by_numbers) == 1:
        seen = "The numbers are right, but you return"
        return _in_order(trial, by_numbers[0], seen)
    if len(by_shape) == 1 and names not in by_shape and not _one_change(trial):
        return _in_order(trial, by_shape[0], "By shape, you return")
    found = (_in_order(trial, o, "You return") for o in by_shape if o != names)
    return next((both for both in found if len(both.faults) > 1), None)


def _orders(
    trial: Trial, fits: Callable[[Trial, int, int], bool]
) -> list[tuple[str, ...]]:
    """Return the orders of the results that fit in every case."""
    names, cases = trial.exercise.results, range(len(trial.outcomes))
    n = len(names)
    return [
        tuple(names[k] for k in order)
        for order in permutations(range(n))
        if all(fits(trial, i, i - i % n + order[i % n]) for i in cases)
    ]


def _is_result(trial: Trial, i: int, place: int) -> bool:
    right = trial.expected[place]
    if isinstance(right, Exception):
        return False
    return agree(trial.got(i), right, trial.tolerance(i))


def _may_be(trial: Trial, i: int, place: int) -> bool:
    return trial.got(i).shape == getattr(trial.expected[place], "shape", None)


def _in_order(trial: Trial, order: tuple[str, ...], seen: str) -> Finding:
    """Say in which order the results came, and what is still wrong once they are put right."""
    yours, asked = ", ".join(order), ", ".join(trial.exercise.results)
    said = f"{seen} `{yours}`, and `{asked}` are asked for, in this order."
    found = Finding(("other-order",), said)
    rest = one_fault(_put_right(trial, order))
    if not rest:
        return found
    return two_at_once(found.faults + rest.faults, found.message, rest.message)


def _put_right(trial: Trial, order: tuple[str, ...]) -> Trial:
    """Return the trial with the results, which came in this order, in that which is asked for."""
    names = trial.exercise.results
    n = len(names)
    places = [order.index(name) for name in names]
    came = trial.outcomes
    outcomes = tuple(came[i - i % n + places[i % n]] for i in range(len(came)))
    return replace(trial, outcomes=outcomes, kept={})


def _pair_in(
    trial: Trial, cases: Sequence[int], *, close: bool = False
) -> tuple[Fault, Fault] | None:
    """Return two declared faults that together give the same in these cases."""
    order = _wrong_first(trial, cases)
    found = trial.exercise.pairs(close=close) if order else ()
    pairs = sorted(found, key=lambda pair: _spoiling(trial, *pair))
    for pair in pairs[:_PAIRS]:
        if gives_the_same(trial, with_faults(trial.exercise, *pair), order):
            return pair
    return None


def _both(trial: Trial, pair: tuple[Fault, Fault]) -> Finding:
    """Say two declared faults, each with numbers of its own, or both with those that came back."""
    ids = pair[0].id, pair[1].id
    first, second, both = _shared(*(_alone(trial, one) for one in pair))
    if both:
        return two_at_once(ids, first, second, both)
    return two_at_once(ids, *(_alone_as_such(trial, one) for one in pair))


def _fault_in(trial: Trial, cases: Sequence[int]) -> Finding | None:
    order = _wrong_first(trial, cases)
    for fault in trial.exercise.faults if order else ():
        version = with_faults(trial.exercise, fault)
        if gives_the_same(trial, version, order):
            said = fault.sentence(trial.context(order[0]))
            found = Finding((fault.id,), said)
            return _with_the_rest(trial, version, cases, found)
    return None


def _stands_apart(trial: Trial, i: int) -> bool:
    """Whether a case has axes of its own, or asks for an error that many forget."""
    kind = trial.exercise.kinds.get(trial.cases[i].kind)
    apart = kind.apart if kind else trial.cases[i].kind in _OWN_AXES
    return _asks_for_error(trial, i) or apart


def _asks_for_error(trial: Trial, i: int) -> bool:
    return isinstance(trial.expected[i], Exception)


def _wrong_first(trial: Trial, cases: Sequence[int]) -> list[int]:
    """Return the cases in the order in which they tell most; none if none of them is wrong."""
    wrong = [i for i in trial.wrong if i in cases]
    return wrong + [i for i in cases if i not in wrong] if wrong else []


def _with_the_rest(
    trial: Trial, version: Version, cases: Sequence[int], found: Finding
) -> Finding:
    """Add to a mistake, seen in some cases, that others fail for another reason."""
    other_error = [i for i in trial.crashed if _asks_for_error(trial, i)]
    left = other_error or [
        i
        for i in trial.crashed + trial.wrong
        if i not in cases and not explains_what_is_wrong_in(trial, version, i)
    ]
    if not left:
        return found
    change = mended(trial)
    if all(_asks_for_error(trial, i) for i in left):
        rest = _not_raised(trial, left)
    elif change and len({*change.faults}) == 1:
        return found
    elif change and "mend-axis" in change.faults:
        rest = change.message
    elif (both := fault_and_slip(trial)) and both.faults[0] == found.faults[0]:
        return both
    else:
        rest = _also_wrong(trial, left, version)
    return Finding(found.faults, f"{found.message}\n\n{rest}")


def _not_raised(trial: Trial, left: Sequence[int]) -> str:
    """Say which exception is to be raised in these cases, besides."""
    asked, outcome = type(trial.expected[left[0]]).__name__, trial.outcomes[left[0]]
    other = f" (yours is `{type(outcome.error).__name__}`)" if outcome.error else ""
    if isinstance(outcome.value, Exception):
        other = " (yours is *returned*: write `raise`, not `return`)"
    return f"Besides, a `{asked}` is to be raised {_phrases(trial, left)}{other}."


def _also_wrong(trial: Trial, left: Sequence[int], version: Version) -> str:
    """Say that these cases fail, too, and where to look for that."""
    first = left[0]
    kind, outcome = trial.cases[first].kind, trial.outcomes[first]
    stop = stop_in_short(outcome.error, trial.function)
    # What the exercise itself advises goes along with the line that stops.
    is_own = kind in trial.exercise.kinds
    advice = advice_for(trial, kind) if is_own or not stop else ""
    asked = _in_own_code_besides(trial, version) or f"{stop} {advice}".strip()
    asked = asked or "Does it still, once that is right?"
    fails = "also fails" if first in trial.crashed else "is also wrong"
    return f"It {fails} {_phrases(trial, left)}. {asked}"


def _phrases(trial: Trial, cases: Sequence[int]) -> str:
    kinds = {trial.cases[i].kind for i in cases}
    return listed(sorted({kind_of(trial.exercise, k).phrase for k in kinds}))


def _in_own_code_besides(trial: Trial, version: Version) -> str:
    """Return which line would give all that a version gives, were it changed; else nothing."""
    cases = range(len(trial.outcomes))
    values = [value_of(trial, version, i) for i in cases]
    if any(value is None for value in values):
        return ""
    as_if_right = replace(trial, kept={})
    vars(as_if_right)["expected"] = values  # in place of what it would compute
    return in_own_code(as_if_right)


def _spoiling(trial: Trial, *faults: Fault) -> int:
    """Return how many of the faults would break what the learner has right."""
    return sum(_breaks(trial, fault) for fault in faults)


def _breaks(trial: Trial, fault: Fault) -> bool:
    kept = trial.kept.setdefault("breaks", {})
    if fault.id not in kept:
        version = with_faults(trial.exercise, fault)
        kept[fault.id] = breaks_what_is_right(trial, version)
    return kept[fault.id]


# --- slips ----------------------------------------------------------------------------------------

_LOOKS = "It looks as if"


@once
def one_slip(trial: Trial) -> Finding | None:
    """Name the slips in the solution, two at most, each of which gives the same in every case."""
    order = _wrong_first(trial, range(len(trial.outcomes)))
    if not order or _tells_little(trial):
        return None
    exercise = trial.exercise
    found = {}
    for n, slip in enumerate(exercise.slips(exercise.source)[:_SLIPS]):
        version = with_slip(exercise, n)
        is_same = gives_the_same(trial, version, order)
        if is_same and is_wrong_in(trial, version, order[0]):
            found[slip] = version
    if not found:
        return None
    first = next(iter(found))
    slips = Finding(
        (f"slip-{first.kind}",), _said_of(trial, [*found], found[first])
    )
    is_axis = first.kind == "axis"
    where = where_it_fails(trial, advise=False) if is_axis else None
    seen = None if in_own_code(trial) else _seen(trial, order[0])
    return joined(where, slips, seen if seen and seen.faults else None)


def _said_of(trial: Trial, found: Sequence[Slip], version: Version) -> str:
    """Say what slips of the solution are, or which line of the learner's own has to change."""
    first, there, change = found[0], in_own_code(trial), mended(trial)
    is_same = change and change.faults[0] == f"mend-{first.kind}"
    if there and is_same and _is_at_home(trial, first.mistake, there):
        return f"{_LOOKS} {first.mistake}. {there}"
    if there and change:
        return change.message
    said = f"{_LOOKS} {_words_of(trial, first, version)}."
    others = (s for s in found if s.kind == first.kind and not s.touches(first))
    other = next((s.mistake for s in others if s.mistake not in said), None)
    return f"{said} Or as if {other}: here that gives the same." if other else said


def _is_at_home(trial: Trial, words: str, there: str) -> bool:
    """Whether a slip of the solution is told of what the learner's own line has, too."""
    stands = re.match(r"`(.+?)` stands where", words)
    asked = re.findall(r"`([^`]+)`", there.rpartition("`: ")[2])
    is_asked = not stands or not asked or stands[1] in asked
    has_all = _running(words) <= trial.uses
    return is_asked and has_all and not _is_foreign(trial, words)


# What runs along an axis: functions of the solution, which the learner may not have.
_RUNS = re.compile(r"^(.+?) runs? ")


def _running(words: str) -> set[str]:
    runs = _RUNS.match(words)
    return {*re.findall(r"`(\w+)`", runs[1])} if runs else set()


def _is_foreign(trial: Trial, words: str) -> bool:
    """Whether a slip is told in names of the solution, which say nothing to who has other ones."""
    tree = ast.parse(trial.exercise.source)
    own = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} | {*trial.names}
    named = re.findall(r"`([^`]+)`", words)
    return any(name in own and name not in trial.uses for name in named)


def _words_of(trial: Trial, slip: Slip, version: Version) -> str:
    """Return what a slip is and in which step, or in which of several results, it shows."""
    if not _running(slip.mistake) <= trial.uses:
        return _RUNS.sub("one of your steps runs ", slip.mistake)
    # Names of the solution say nothing to those who have other ones.
    is_known = {*re.findall(r"`(\w+)`", slip.step)} <= trial.uses
    if slip.step and is_known:
        return f"{slip.mistake}, in the step that gives {slip.step}"
    names = trial.exercise.results
    cases = [i for i in trial.wrong if names and is_wrong_in(trial, version, i)]
    results = {trial.cases[i].args[-1] for i in cases}
    only = f", in `{results.pop()}`" if len(results) == 1 else ""
    return f"{slip.mistake}{only}"


def _tells_little(trial: Trial) -> bool:
    """Whether too little is asked for to recognize a slip by: a truth value, a rough number."""
    truths = all(
        isinstance(value, np.ndarray) and value.dtype.kind == "b" and not value.ndim
        for value in trial.expected
    )
    given = trial.cases[0].args
    is_random = any(isinstance(value, np.random.Generator) for value in given)
    return truths or is_random or (trial.exercise.tolerance or 0) > _COARSE


# --- two mistakes at once -------------------------------------------------------------------------

_ONE_MORE = "There is one mistake more: mend this one first, then check again."


@once
def fault_and_slip(trial: Trial) -> Finding | None:
    """Name a declared fault and a slip that together give the same in every case."""
    order = _wrong_first(trial, range(len(trial.outcomes)))
    if not order or _tells_little(trial) or _one_change(trial):
        return None
    for fault, slip, n in _likely_both(trial):
        for both in with_fault_and_slip(trial.exercise, fault, slip):
            is_same = gives_the_same(trial, both, order)
            if is_same and is_wrong_in(trial, both, order[0]):
                alone = with_slip(trial.exercise, n)
                if not any(is_wrong_in(trial, alone, i) for i in order):
                    return Finding((fault.id,), _alone(trial, fault))
                ids = fault.id, f"slip-{slip.kind}"
                first, words = _alone(trial, fault), _words_of(trial, slip, alone)
                given = partial(value_of, trial, with_faults(trial.exercise, fault))
                change = changed_to(trial, given) if slip.kind != "axis" else None
                if change:
                    return two_at_once(ids, first, change.message)
                if _is_foreign(trial, slip.mistake):
                    return Finding(ids, f"{first}\n\n{_ONE_MORE}")
                return two_at_once(ids, first, f"{_LOOKS} {words}.")
    return None


@once
def shape_and_mistake(trial: Trial) -> Finding | None:
    """Name a mistake that the numbers show in the shape that is asked for, besides the shape."""
    said = _told_of_shape(trial, trial.wrong[0]) if trial.wrong else None
    rest = _in_shape(trial) if said else None
    found = (
        (one_fault(rest) or two_faults(rest) or one_slip(rest)) if rest else None
    )
    if not (said and found):
        return None
    return two_at_once(found.faults + said.faults, found.message, said.message)


def _in_shape(trial: Trial) -> Trial | None:
    """Return the trial with its numbers in the shapes that are asked for, if they fill them."""
    outcomes = list(trial.outcomes)
    for i in trial.wrong:
        got, right = trial.got(i), trial.expected[i]
        if isinstance(right, Exception) or right.size != got.size:
            return None
        value = trial.side.native(got.reshape(right.shape))
        outcomes[i] = replace(outcomes[i], value=value)
    return replace(trial, outcomes=tuple(outcomes), kept={mended: None})


def _told_of_shape(trial: Trial, i: int) -> Finding | None:
    right = trial.expected[i]
    if isinstance(right, Exception):
        return None
    said = shape_problem(trial.got(i), right)
    return of_result(trial, i, said) if said else None


@once
def fault_and_own_change(trial: Trial) -> Finding | None:
    """Name a declared fault that is left where one change of the learner's own code is made."""
    if not trial.wrong or _tells_little(trial) or mended(trial):
        return None
    if trial.got(trial.wrong[0]).size < 2 or _told_by_a_law(trial):
        return None
    for fault in trial.exercise.faults:
        version = with_faults(trial.exercise, fault)
        change = changed_to(trial, partial(value_of, trial, version))
        if change and _are_apart(trial, fault, change.faults[0]):
            ids = (fault.id, *change.faults)
            return two_at_once(ids, _alone_as_such(trial, fault), change.message)
    return None


_OF_AXES = ("mend-axis", "mend-kept-axis", "mend-transposition")


def _are_apart(trial: Trial, fault: Fault, change: str) -> bool:
    """Whether a change does not turn a wrong step into none, or into another wrong one."""
    adds = sum(len(new) - len(old) for old, new in fault.patches) > 0
    return change in _OF_AXES or adds and not _told(trial, trial.wrong[0])


def mistake_behind(trial: Trial) -> tuple[Finding, Finding] | None:
    """Return a change with which code that stops goes on, and the declared fault it then shows."""
    for change, function in going_on(trial):
        rest = run_trial(trial.exercise, function)
        is_apart = not rest.crashed and not {*rest.wrong} & {*trial.right}
        found = one_fault(rest) if is_apart else None
        known = [f for f in trial.exercise.faults if found and f.id in found.faults]
        if found and _are_apart(rest, known[0], change.faults[0]):
            said = _ONE_CHANGE.sub("", change.message)
            alone = Finding(found.faults, f"{_ALONE}{found.message}")
            return Finding(change.faults, said), alone
    return None


def _likely_both(trial: Trial) -> Iterator[tuple[Fault, Slip, int]]:
    """Yield faults with slips and their numbers, of which neither breaks what is right."""
    exercise, left = trial.exercise, _FAULTS_WITH_SLIPS
    likely = [f for f in exercise.faults if f.patches and not _breaks(trial, f)]
    axes_only = _told_by_a_law(trial)
    for n, slip in enumerate(exercise.slips(exercise.source)[:_WITH_FAULTS]):
        if axes_only and slip.kind != "axis":
            continue
        if breaks_what_is_right(trial, with_slip(exercise, n)):
            continue
        for fault in likely:
            left -= 1
            if left < 0:
                return
            yield fault, slip, n


def _one_change(trial: Trial) -> bool:
    """Whether one change of the learner's code makes all of it right."""
    change = mended(trial)
    return bool(change and len(change.faults) == 1)


def _told_by_a_law(trial: Trial) -> bool:
    """Whether a property says all there is to say."""
    laws = {law.id for law in trial.exercise.properties if law.tells_all}
    return bool(laws & {*_seen(trial, trial.wrong[0]).faults})


# What a sentence says of the rest of an answer, which is not true where there are two mistakes.
_PRAISE = re.compile(
    r"^(?:Nearly\. |(?:This is )?[Rr]ight for [^.,;:]*(?:\. (?:But )?|, but |: )"
    r"|The idea is right, but comes too early: "
    r"|(?:The|Your) [a-z ]+ (?:is|are) right, (?:but|and) )"
)


def _alone(trial: Trial, fault: Fault, *, own: bool = False) -> str:
    """Return what a fault says, in a case where it would show, as one of two mistakes.

    With ``own``, the numbers are what it alone gives.
    """
    i = _telling_case(trial, fault)
    context = trial.context(i)
    value = value_of(trial, with_faults(trial.exercise, fault), i)
    if own and value is not None:
        alone = trial.exercise.used(trial.exercise.wrong_version(fault))
        context = replace(replace(trial, function=alone).context(i), got=value)
    return _unpraised(fault.sentence(context))


def _alone_as_such(trial: Trial, fault: Fault) -> str:
    """Return what a fault says of one of two mistakes with the numbers that it alone gives."""
    alone = _alone(trial, fault, own=True)
    return alone if alone == _alone(trial, fault) else f"{_ALONE}{alone}"


_ALONE = " (the numbers are what this mistake alone would give): "


def _unpraised(sentence: str) -> str:
    praise = _PRAISE.match(sentence)
    rest = sentence[praise.end() :] if praise else sentence
    return rest[0].upper() + rest[1:] if praise and rest else sentence


_ONE_CHANGE = re.compile(
    r"^(?:One|Two) small changes? would make every case right\.\s+"
)


def _after_colon(said: str) -> str:
    is_alone = said.startswith(_ALONE)
    return said if is_alone else f": {_unpraised(_ONE_CHANGE.sub('', said))}"


_TWO_AT_ONCE = "There are two mistakes at once."


def two_at_once(
    ids: tuple[str, ...],
    first: str,
    second: str,
    both: str = "",
) -> Finding:
    """Say two mistakes, and what both together do.

    Where the first are two by themselves, there are three.
    """
    if first.startswith(_TWO_AT_ONCE):
        first = first.replace("two", "three", 1)
        return Finding(ids, f"{first}\n\nThird: {second}")
    said = [
        _TWO_AT_ONCE,
        f"First{_after_colon(first)}",
        f"Second{_after_colon(second)}",
    ]
    if both:  # what they do to the learner's result, or else a fact of the case
        does = re.search(r"\byou\b|\byours?\b", both, re.I)
        said.append(f"Both together: {both[0].lower()}{both[1:]}" if does else both)
    return Finding(ids, "\n\n".join(said))


def _shared(first: str, second: str) -> tuple[str, str, str]:
    """Return two texts, and the sentences apart with which both end."""
    end = re.compile(r"(?<=[.?!]) (?=[A-Z])")
    one, other = end.split(first), end.split(second)
    n = 0
    while n < min(len(one), len(other)) - 1 and one[-1 - n] == other[-1 - n]:
        n += 1
    if not n:
        return first, second, ""
    return " ".join(one[:-n]), " ".join(other[:-n]), " ".join(one[-n:])


def _telling_case(trial: Trial, fault: Fault) -> int:
    """Return the first case in which this fault alone would show."""
    version = with_faults(trial.exercise, fault)
    for i in trial.wrong:
        value, expected = value_of(trial, version, i), trial.expected[i]
        if value is None:  # it shows by raising
            continue
        if isinstance(expected, Exception):
            return i
        if not agree(value, expected, trial.tolerance(i)):
            return i
    return trial.wrong[0]


# --- what can be seen without knowing the mistake -------------------------------------------------


@once
def no_error(trial: Trial) -> Finding | None:
    """Say that an exception is asked for where something is returned."""
    if not trial.wrong or not isinstance(trial.expected[trial.wrong[0]], Exception):
        return None
    i = trial.wrong[0]
    name, value = type(trial.expected[i]).__name__, trial.outcomes[i].value
    did = "your function returns something."
    if isinstance(value, Exception):
        did = f"your function *returns* one: write `raise {name}(…)`, not `return`."
    elif value is None:
        did = (
            f"your function goes on and returns `None`: `raise {name}(…)` stops it (and the "
            "program that called it, which `print` does not)."
        )
    elif hasattr(value, "shape"):
        did = f"your function returns an array of shape {tuple(value.shape)}."
    return Finding(
        ("no-error",),
        f"For {trial.called_with(i)} there is no right answer: the task asks for a `{name}` here, "
        f"but {did}",
    )


@once
def what_is_seen(trial: Trial) -> Finding | None:
    """Say where it fails, what is wrong with the numbers, and which change would mend them."""
    if not trial.wrong:
        return None
    i = trial.wrong[0]
    told = _told(trial, i)
    change = None if _tells_little(trial) else mended(trial)
    laws = {law.id for law in trial.exercise.properties if law.tells_all}
    if told and laws & {*told.faults} and change and not is_one_line(change):
        change = None
    where = where_it_fails(trial, advise=not change)
    if told:
        return joined(where, told, change)
    return joined(where, change, (_first_wrong if change else _related)(trial, i))


def joined(*parts: Finding | None) -> Finding:
    """Return several findings as one."""
    return Finding(
        tuple(id for part in parts if part for id in part.faults),
        "\n\n".join(part.message for part in parts if part),
    )


def of_result(trial: Trial, i: int, found: Finding) -> Finding:
    """Return a finding that says of which result it speaks, where there are several."""
    if not trial.exercise.results:
        return found
    about = f"About the result `{trial.cases[i].args[-1]}`"
    return Finding(found.faults, f"{about}: {found.message}")


def _seen(trial: Trial, i: int) -> Finding:
    """Say what is wrong in a case, or how its numbers relate to the right ones."""
    return _told(trial, i) or _related(trial, i)


def _told(trial: Trial, i: int) -> Finding | None:
    """Say what is wrong in a case: a broken property, the shape, or NaN; else None."""
    context = trial.context(i)
    got, expected = context.got, context.expected
    found = (
        _broken_law(trial, context, any_shape=True)
        or shape_problem(got, expected)
        or not_finite(got, expected)
        or _broken_law(trial, context, any_shape=False)
    )
    return of_result(trial, i, found) if found else None


def _related(trial: Trial, i: int) -> Finding:
    """Say how the numbers relate to the right ones, and what the first wrong one is."""
    context = trial.context(i)
    found = pattern(context.got, context.expected, context.rtol)
    if not found or not _recurs(trial, i, found):
        return _first_wrong(trial, i)
    told = of_result(trial, i, found).message
    return Finding(found.faults, f"{told} {_difference(trial, i)}")


def _first_wrong(trial: Trial, i: int) -> Finding:
    return of_result(trial, i, Finding((), _difference(trial, i)))


def _difference(trial: Trial, i: int) -> str:
    """Say what the first wrong number is."""
    context = trial.context(i)
    said = first_difference(context.got, context.expected, context.rtol)
    return said if context.got.ndim else f"Called with {_quoted(trial, i)}: {said}"


def _recurs(trial: Trial, i: int, found: Finding) -> bool:
    """Whether a relation that would tell a cause holds in a second case, too, if there is one."""
    if found.faults[0] not in ("factor", "order", "transposed"):
        return True
    others = []
    for j in trial.wrong:
        got, right = trial.got(j), trial.expected[j]
        if (
            j != i
            and isinstance(right, np.ndarray)
            and right.shape == got.shape != ()
        ):
            others.append(pattern(got, right, trial.tolerance(j)))
    return not others or any(o and o.faults == found.faults for o in others)


def _quoted(trial: Trial, i: int) -> str:
    """Return the arguments with their numbers where they are few, else their shapes."""
    values = [np.asarray(value) for value in trial.cases[i].args][
        : len(trial.names)
    ]
    if sum(value.size for value in values) > 12:
        return trial.called_with(i)
    shown = (v.round(4).tolist() if v.dtype.kind == "f" else v for v in values)
    named = zip(trial.names, shown, strict=False)
    return ", ".join(f"{name} = {value}" for name, value in named)


def _broken_law(trial: Trial, context: Any, *, any_shape: bool) -> Finding | None:
    if not any_shape and context.got.size > 1 and _is_negated(trial):
        return None
    for law in trial.exercise.properties:
        message = law.message(context) if law.any_shape == any_shape else None
        if message:
            return Finding((law.id,), message)
    return None


def _is_negated(trial: Trial) -> bool:
    """Whether everything that comes back is right but for its sign."""
    return all(
        isinstance(right, np.ndarray)
        and trial.outcomes[i].error is None
        and trial.got(i).dtype.kind == "f"
        and agree(-trial.got(i), right, trial.tolerance(i))
        for i, right in enumerate(trial.expected)
    )
