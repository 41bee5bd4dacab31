"""Grade answers that nobody trusts: ``python -m course_attn.grade submitted/ -o graded``."""

import sys
from functools import partial

from whywrong.grade.__main__ import main as grade

__all__ = ["main"]

main = partial(grade, name="course_attn.grade", course="course_attn.exercises")

if __name__ == "__main__":
    sys.exit(main())
