"""Print what each wrong answer is told: ``python -m tests.exercises masks qkv``."""

import sys

from course_attn.exercises import catalog, check

from .test_exercises import WRONG

for chapter in sys.argv[1:]:
    for name in catalog.chapters[chapter]:
        for function in WRONG[name]:
            print(f"[{function.__name__}]\n{check(function, name)}\n")
