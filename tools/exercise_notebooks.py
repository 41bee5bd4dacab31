"""Write the exercise notebooks from the declarations in course_attn/chapters.

Run it after changing an exercise's task or signature: ``python -m tools.exercise_notebooks``. With
``--check`` it writes nothing and exits with 1 if a notebook is not the one it would write.
"""

import re
import sys
from typing import Any

from course_attn.exercises import catalog
from tools.book import BOOK, ROOT, as_text, read, title
from tools.reading_times import STAR, passages
from tools.setup_cells import setup_source
from whywrong.classroom.notebooks import Settings, exercise_notebook


def title_of(slug: str) -> str:
    """Return the title of a chapter."""
    return title(BOOK / f"{slug}.ipynb")


def link_to_section(slug: str, heading: str) -> str:
    """Return a sentence that links an exercise to the section it practices.

    There is a star if this section, or one around it, is starred.
    """
    title, star = heading, ""
    for passage in passages(read(BOOK / f"{slug}.ipynb")):
        first = passage.source.split("\n")[0].lstrip("# ")
        if passage.kind == "markdown" and first.removesuffix(STAR) == heading:
            title, star = first, STAR if passage.starred else ""
    anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
    said = f"Practices the section [{heading}{star}](../{slug}.ipynb#{anchor})"
    return said if heading.endswith("?") and not star else f"{said}."


def notebook(slug: str) -> dict[str, Any]:
    """Return the exercise notebook of a chapter."""
    slugs = list(catalog.chapters)
    later = slugs[slugs.index(slug) + 1 :]
    return exercise_notebook(
        [catalog.find(name) for name in catalog.chapters[slug]],
        Settings(
            title=title_of(slug),
            chapter=f"[the chapter of this title](../{slug}.ipynb)",
            practices=lambda task: link_to_section(slug, task.section),
            check=lambda task: f"check({task.name})",
            setup=setup_source(),
            package="course_attn.exercises",
            onward=(
                f"**Next:** [{title_of(later[0])}](../{later[0]}.ipynb)."
                if later
                else ""
            ),
        ),
    )


def main(arguments: list[str]) -> int:
    """Write the notebooks that differ, or with --check only name them."""
    outdated = []
    for slug in catalog.chapters:
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
