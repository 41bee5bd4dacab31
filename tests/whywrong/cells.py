"""Functions as the cell of a notebook would define them."""

import linecache
import os
import random
import sys
import time

import numpy as np

from whywrong import Exercise

NAMESPACE = {"np": np, "os": os, "sys": sys, "random": random, "time": time}


def written(source, **names):
    """A function as a notebook cell would define it, with its source in Python's line cache."""
    lines = [line + "\n" for line in source.strip("\n").split("\n")]
    filename = f"<cell {abs(hash(source))}>"
    linecache.cache[filename] = (len(source), None, lines, filename)
    namespace = NAMESPACE | names
    exec(compile("".join(lines), filename, "exec"), namespace)
    return next(
        v for k, v in reversed(namespace.items()) if callable(v) and k not in names
    )


def scaled(body, **names):
    """The function of the exercise `toy`, with these lines below its head."""
    return written("def scaled(x, factor):\n    " + body, **names)


def exercise_of(solution, *cases, **settings):
    """An exercise with this solution and these cases."""
    settings = {"cases": lambda: cases, "minutes": 5, "level": "easy"} | settings
    task, hints = f"Write `{solution.__name__}`.", ("one.", "two.", "three.")
    return Exercise(solution, 10, "", task, hints, **settings)
