"""What a page of the book says of an exercise, made when the book is built."""

from typing import Any

from book._parts.parsons.lines import solution_steps
from book._parts.parsons.parsons import parsons_of
from whywrong.catalog import Catalog
from whywrong.declare import Exercise, Question
from whywrong.patches import BadDeclaration
from whywrong.question import Letters

__all__ = ["facts_of", "prepared_by"]


def facts_of(task: Exercise | Question, catalog: Catalog) -> dict[str, Any]:
    """Return what a page says of an exercise, ready for JSON.

    Wrong versions of the solution are run, to fill the sentences about them with numbers.

    Parameters
    ----------
    task : Exercise or Question
        The exercise.
    catalog : Catalog
        Where it and the exercises that it prepares are found.

    Returns
    -------
    dict
        ``name``, ``chapter``, ``section``, ``kind`` ("exercise" or "question"), ``library``,
        ``points``, ``minutes``, ``level``, ``prepares`` and ``prepared_by`` (names, in the course's
        order), ``task``, ``hints``, ``solution`` (its steps, one after the other), ``parsons``:
        None for questions and where the solution has too few lines, else as `Parsons.as_data`
        gives it; ``letters``, those that may be chosen, and ``chosen``, those that are right; and
        ``fields``, as a `Question` declares them.

    Raises
    ------
    BadDeclaration
        If it prepares what does not exist or comes earlier.
    """
    places = {name: place for place, name in enumerate(catalog.modules)}
    for name in task.prepares:
        if places.get(name, -1) <= places[task.name]:
            trouble = "comes earlier" if name in places else "does not exist"
            raise BadDeclaration(
                f"{task.solution.__module__}: {task.name!r} prepares {name!r}, which {trouble}"
            )
    problem = parsons_of(task) if isinstance(task, Exercise) else None
    read = task.read if isinstance(task, Question) else None
    letters = isinstance(read, Letters)
    return {
        "name": task.name,
        "chapter": task.chapter,
        "section": task.section,
        "kind": "exercise" if isinstance(task, Exercise) else "question",
        "library": task.library,
        "points": task.points,
        "minutes": task.minutes,
        "level": task.level,
        "prepares": sorted(task.prepares, key=places.__getitem__),
        "prepared_by": prepared_by(task.name, catalog),
        "task": task.task.strip(),
        "hints": list(task.hints),
        "solution": solution_steps(task.source),
        "parsons": problem.as_data(task.name) if problem else None,
        "letters": read.offered if letters else "",
        "chosen": "".join(sorted(read(task.solution()))) if letters else "",
        "fields": list(task.fields) if read else [],
    }


def prepared_by(name: str, catalog: Catalog) -> list[str]:
    """Return the names of the exercises that prepare one, in the course's order."""
    return [
        other for other in catalog.modules if name in catalog.find(other).prepares
    ]
