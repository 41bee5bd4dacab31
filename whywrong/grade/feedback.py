"""A page for each submission: its points, and the cards that a notebook would show."""

from html import escape

from whywrong.grade.results import GradedSubmission, plain_text

__all__ = ["page"]

# Nothing on the page may run or be loaded, whatever an answer has written there.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
:root { color-scheme: light dark }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 48rem; margin: 1.5rem auto;
  padding: 0 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem }
table { border-collapse: collapse } td, th { text-align: left; padding: .2rem .8rem .2rem 0 }
pre { overflow-x: auto }
.note { border: 1px solid; padding: .4rem .8rem }
"""


def page(graded: GradedSubmission) -> str:
    """Return the page of a submission as HTML."""
    title = " · ".join(
        filter(None, (graded.student, graded.assignment, graded.notebook))
    )
    notes = [graded.trouble] if graded.trouble else list(graded.notes)
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<p><strong>{graded.points:g} of {graded.of:g} points</strong></p>",
        *(f'<p class="note">{escape(note)}</p>' for note in notes),
        *(
            f"<h2>{escape(mark.exercise)}: {mark.points:g} of {mark.of:g}</h2>"
            f"{mark.result._repr_html_()}"
            for mark in graded.marks
        ),
    ]
    html = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n<body><main>"
        + "\n".join(parts)
        + "</main></body></html>\n"
    )
    return plain_text(html, lines=True)
