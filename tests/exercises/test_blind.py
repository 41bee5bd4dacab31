"""Wrong answers by authors who saw the tasks alone: none of them passes.

They lie in ``blind/``, five or more to an exercise, each with a comment that says what is wrong,
or both things where there are two. What each is told is for reading beside its comment; where that
is the sentence of a known mistake, or of two, ``blind/named.json`` says of which: by exercise and
by the number of the answer. Every sixth exercise is always looked at, all in `make exhaustive`.
"""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from course_attn.exercises import check
from tests.support.sampled import every

BLIND = Path(__file__).with_name("blind")
FILES = sorted(BLIND.glob("*.py"))
NAMED = json.loads((BLIND / "named.json").read_text("utf-8"))


@pytest.mark.parametrize("file", every(6, FILES), ids=lambda file: file.stem)
def test_blind_answers_are_refused_with_a_reason(file):
    spec = importlib.util.spec_from_file_location(f"blind_{file.stem}", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    answers = {
        name: answer
        for name, answer in vars(module).items()
        if name.startswith(f"{file.stem}__")
    }
    results = {name: check(answer, file.stem) for name, answer in answers.items()}
    assert len(results) >= 5
    for name, result in results.items():
        assert result.status in ("wrong", "crashed"), name
        assert len(result.message) > 20 and "checker itself" not in result.message
    named = {
        number: list(results[f"{file.stem}__{number}"].faults)
        for number in NAMED.get(file.stem, ())
    }
    assert named == NAMED.get(file.stem, {})
