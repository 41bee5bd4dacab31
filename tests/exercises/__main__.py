"""Print what each wrong answer is told: ``python -m tests.exercises masks qkv``."""

import sys

from course_attn.exercises import catalog, check
from tests.exercises.answers import answers_that_are

WRONG = answers_that_are("wrong")

for chapter in sys.argv[1:]:
    for name in catalog.chapters[chapter]:
        for answer in WRONG[name].values():
            mistake = f" {answer.mistake}" if answer.mistake else ""
            result = check(answer.function, name)
            print(f"[{answer.name}]{mistake}\n{result.faults} {result}\n")
