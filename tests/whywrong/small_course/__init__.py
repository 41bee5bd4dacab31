"""A small course with nothing in it of attention: test data of the engine."""

from pathlib import Path

from whywrong import Catalog, Course

course = Course(Catalog(__name__, Path(__file__).parent, ["motion", "data"]))
check, hint, progress = course.check, course.hint, course.progress
require, solution = course.require, course.solution
