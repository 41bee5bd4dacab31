"""A class's exercise notebooks: ``python -m course_attn.classroom`` writes and restores them."""

import sys
from functools import partial

from whywrong.classroom.__main__ import main as run

__all__ = ["main"]

main = partial(run, name="course_attn.classroom", course="course_attn.exercises")

if __name__ == "__main__":
    sys.exit(main())
