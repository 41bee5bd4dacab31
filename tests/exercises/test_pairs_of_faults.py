"""Two known mistakes at once: refused, and the learner is told of both.

Where one mistake alone, or two others, give the same outputs, nobody can tell which were made:
then one is to be named rather than two, and any two that explain the outputs will do. Where
nothing comes back at all, the exception is shown instead.

The ordinary run takes ten pairs of each exercise, always the same; ``make exhaustive`` takes all.
"""

import random
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from course_attn.exercises import check
from tests.exercises.solutions import EXERCISES, as_own_function
from whywrong import Fault, Result
from whywrong.arrays import agree, relative_tolerance, side_of
from whywrong.calls import call_guarded

PAIRS = {name: list(exercise.pairs()) for name, exercise in EXERCISES.items()}
WITH_PAIRS = [name for name, pairs in PAIRS.items() if pairs]
SAMPLE_SIZE = 10


@cache
def outcome_with(
    name: str, ids: tuple[str, ...], i: int
) -> tuple[np.ndarray, float] | None:
    """Return what the solution with these faults gives in a case, and with which tolerance.

    None where it raises.
    """
    exercise = EXERCISES[name]
    faults = [fault for fault in exercise.faults if fault.id in ids]
    function = exercise.used(exercise.wrong_version(*faults))
    side = side_of(exercise.library)
    given = tuple(side.native(side.copy(v)) for v in exercise.made_cases[i].args)
    outcome = call_guarded(function, given, seconds=exercise.seconds, seed=i)
    if outcome.error:
        return None
    rtol = exercise.tolerance
    if rtol is None:
        rtol = relative_tolerance(map(side.precision, [*given, outcome.value]))
    return side.as_numpy(outcome.value), rtol


def explains(name: str, ids: tuple[str, ...], pair: tuple[str, str]) -> bool:
    """Whether these faults give in all cases what the pair gives, and raise where it does."""

    def agrees(i: int) -> bool:
        both, value = outcome_with(name, pair, i), outcome_with(name, ids, i)
        if both is None or value is None:
            return both is value
        return agree(both[0], value[0], both[1])

    return all(agrees(i) for i in range(len(EXERCISES[name].made_cases)))


def is_well_told(result: Result, name: str, pair: tuple[str, str]) -> bool:
    """Whether what is named are the fewest mistakes that give what the pair gives."""
    cases = range(len(EXERCISES[name].made_cases))
    if all(outcome_with(name, pair, i) is None for i in cases):
        return (result.status, result.faults) == ("crashed", ())
    known = [fault.id for fault in EXERCISES[name].faults]
    alone = [(id,) for id in known if explains(name, (id,), pair)]
    is_besides = result.faults[-1:] == (
        "in-place",
    )  # told of any answer, after all else
    if is_besides and sorted(result.faults) == sorted(pair):
        named = True
    elif alone:
        named = result.faults in alone
    else:
        # Two others may be named, too, in the order of the table, if they explain it.
        named = result.faults in combinations(known, 2) and explains(
            name, result.faults, pair
        )
    return result.status == "wrong" and named


def mistold(name: str, pairs: list[tuple[Fault, Fault]]) -> str:
    """Return the pairs that are told something else than they should be, one per line."""
    lines = []
    for pair in pairs:
        answer = as_own_function(EXERCISES[name].wrong_version(*pair))
        result = check(answer, name)
        ids = pair[0].id, pair[1].id
        if not is_well_told(result, name, ids):
            lines.append(f"{ids}: {result.status}, {result.faults}")
    return "\n".join(lines)


@pytest.mark.parametrize("name", WITH_PAIRS)
def test_pairs_of_faults_are_refused_and_named(name):
    chosen = random.Random(name).sample(
        PAIRS[name], min(SAMPLE_SIZE, len(PAIRS[name]))
    )
    wrong = mistold(name, chosen)
    assert not wrong, wrong


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", WITH_PAIRS)
def test_all_pairs_of_faults_are_refused_and_named(name):
    wrong = mistold(name, PAIRS[name])
    assert not wrong, wrong
