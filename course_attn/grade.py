"""Grade answers that nobody trusts: ``python -m course_attn.grade submitted/ -o graded``."""

import sys

from whywrong.grade.__main__ import main

if __name__ == "__main__":
    sys.exit(main(name="course_attn.grade", course="course_attn.exercises"))
