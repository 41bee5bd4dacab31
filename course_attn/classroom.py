"""A class's exercise notebooks: ``python -m course_attn.classroom`` writes and restores them."""

import sys

from whywrong.classroom.__main__ import main

if __name__ == "__main__":
    sys.exit(main(name="course_attn.classroom", course="course_attn.exercises"))
