"""Write the exercise notebooks from the declarations in course_attn/exercises.

Run it after changing an exercise's task or signature: ``python -m tools.exercise_notebooks``. With
``--check`` it writes nothing and exits with 1 if a notebook is not the one it would write.
"""

import ast
import inspect
import re
import sys
from typing import Any

from course_attn.checking.declare import Exercise, Question
from course_attn.exercises import catalog
from tools.book import BOOK, ROOT, as_text, chapters, markdown, title
from tools.reading_times import STAR
from tools.setup_cells import setup_source

# Paragraphs that begin so are left out of the pages of the book.
NOTEBOOK_ONLY = "In this notebook"

TEXTS = {
    "introduction": """\
# Exercises: {title}

These exercises go with [the chapter of this title](../{slug}.ipynb). Write your own code in place \
of `raise NotImplementedError`. The check says whether the answer is right, and if not, what is \
wrong with it. You can try as often as you like, and there are three hints for each exercise.
""",
    "how-to": """\
{notebook_only}, run the cell with your code, then the cell below it, which checks it. Stuck? Run \
`hint("{first}")`, with the name of the exercise, in a new cell: every call shows one more. \
`solution("{first}")` shows a solution, and `progress()` what you have done so far.
""",
    "ending": """\
## Done so far

{notebook_only}, `progress()` in a new cell shows which exercises of the course you have solved.

{onward}
""",
}

IMPORTS = """\
import numpy as np
{torch}
from course_attn.exercises import check, hint, progress, solution
"""

TO_DO = """\
{indent}# BEGIN SOLUTION
{indent}raise NotImplementedError
{indent}# END SOLUTION
"""


def title_of(slug: str) -> str:
    """Return the title of a chapter."""
    return title(BOOK / f"{slug}.ipynb")


def with_exercises() -> list[str]:
    """Return the slugs of the chapters that have exercises, in their order."""
    return [slug for slug in chapters() if slug in catalog.chapters]


def cell(kind: str, name: str, source: str, **metadata: Any) -> dict[str, Any]:
    """Return a notebook cell; its id is its name, so that it stays the same."""
    code = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {
        "cell_type": kind,
        "id": name,
        "metadata": metadata,
        "source": source.strip(),
        **code,
    }


def stub(reference: Any) -> str:
    """Return a function, or a class with its methods, whose bodies are left to the learner."""
    source = inspect.getsource(reference)
    if not inspect.isclass(reference):
        signature = inspect.signature(reference)
        return f"def {reference.__name__}{signature}:\n" + TO_DO.format(
            indent=" " * 4
        )
    methods = []
    for method in ast.parse(source).body[0].body:
        if isinstance(method, ast.FunctionDef):
            head = f"    def {method.name}({ast.unparse(method.args)}):\n"
            begin = (
                " " * 8 + "super().__init__()\n"
                if method.name == "__init__"
                else ""
            )
            methods.append(head + begin + TO_DO.format(indent=" " * 8))
    return source.splitlines()[0] + "\n" + "\n".join(methods)


def grading(name: str, **settings: Any) -> dict[str, Any]:
    """Return nbgrader's metadata for a cell."""
    fixed = {"schema_version": 3, "grade_id": name, "task": False}
    return fixed | settings


def link_to_section(slug: str, heading: str) -> str:
    """Return a sentence that links an exercise to the section it practices; it may be starred."""
    starred = f"{heading}{STAR}"
    if re.search(
        f"^#+ {re.escape(starred)}$", markdown(BOOK / f"{slug}.ipynb"), re.M
    ):
        heading = starred
    anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
    return f"Practices the section [{heading}](../{slug}.ipynb#{anchor})."


def cells_of(slug: str, task: Exercise | Question) -> list[dict[str, Any]]:
    """Return the cells of one exercise of a chapter: the task, the answer, the check."""
    answer = grading(
        f"{task.name}-answer", solution=True, grade=False, locked=False
    )
    check = grading(
        f"{task.name}-check",
        solution=False,
        grade=True,
        locked=True,
        points=task.points,
    )
    return [
        cell(
            "markdown",
            f"{task.name}-task",
            f"## {task.name}\n\n{task.task.strip()}\n\n{link_to_section(slug, task.section)}",
        ),
        cell(
            "code",
            f"{task.name}-answer",
            stub(task.solution),
            tags=["exercise"],
            nbgrader=answer,
        ),
        cell(
            "code",
            f"{task.name}-check",
            f"check({task.name})",
            tags=["check"],
            nbgrader=check,
        ),  # fmt: skip
    ]


def notebook(slug: str) -> dict[str, Any]:
    """Return the exercise notebook of a chapter."""
    tasks = [catalog.find(name) for name in catalog.chapters[slug]]
    torch = (
        "import torch\n" if any(task.library == "torch" for task in tasks) else ""
    )
    later = with_exercises()[with_exercises().index(slug) + 1 :]
    onward = (
        f"**Next:** [{title_of(later[0])}](../{later[0]}.ipynb)." if later else ""
    )
    texts = {
        name: text.format(
            title=title_of(slug),
            slug=slug,
            first=tasks[0].name,
            notebook_only=NOTEBOOK_ONLY,
            onward=onward,
        )
        for name, text in TEXTS.items()
    }
    cells = [
        cell("code", "setup", setup_source(), tags=["remove-cell"]),
        cell("markdown", "introduction", texts["introduction"]),
        cell("markdown", "how-to", texts["how-to"]),
        cell("code", "imports", IMPORTS.format(torch=torch), tags=["imports"]),
        *(part for task in tasks for part in cells_of(slug, task)),
        cell("markdown", "ending", texts["ending"]),
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {
        "cells": cells,
        "metadata": metadata,
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def main(arguments: list[str]) -> int:
    """Write the notebooks that differ, or with --check only name them."""
    outdated = []
    for slug in with_exercises():
        path = BOOK / "exercises" / f"{slug}.ipynb"
        text = as_text(notebook(slug))
        if not path.exists() or path.read_text("utf-8") != text:
            outdated.append(path)
            print(f"{path.relative_to(ROOT)} differs from the declarations")
            if "--check" not in arguments:
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, "utf-8")
    return int("--check" in arguments and bool(outdated))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
