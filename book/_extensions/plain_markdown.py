"""Plain Markdown that reads well in Colab and JupyterLab, and means more in the book.

- ``<!-- index: average; weighted -->`` is an entry of the index.
- A cell ``**Figure.** …`` below one that draws a figure is the figure's caption.
- ``:::{admonition} Pitfall: …`` is a box with the color of a warning, any other one a note.
- ``[(eq-softmax)](#eq-softmax)`` refers to an equation; in the book it shows the number.
- ``[one-hot](glossary.md#one-hot)`` leads to a term of the glossary, whose definition is the
  link's tooltip.
- ``[2017](bibliography.md#vaswani2017)`` leads to a reference, likewise.
- A mark after a formula stays on its line, and a short name or option in code on one.
"""

import re

from docutils import nodes
from pybtex.plugin import find_plugin
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.util.logging import getLogger

from tools import book

__all__ = [
    "Captions",
    "Kept",
    "in_myst",
    "notebook_in_myst",
    "setup",
    "slug",
    "without_formulas",
]

_LOGGER = getLogger(__name__)

_INDEX = re.compile(r"^<!-- index: (.+) -->[ \t]*$", re.M)
_BOX = re.compile(r"^:::\{admonition\} (?P<pitfall>Pitfall: )?.+$", re.M)
_EQUATION = re.compile(r"\[\((?P<label>eq-[\w-]+)\)\]\(#(?P=label)\)")
_MARKS = re.compile(r"""[.,:;!?)'"”’]+""")
# Characters of code for which a phone's line has room, in a list in a list, too.
_SHORT = 20
_SENTENCES = re.compile(r".*[.?!]\)?(?=\s)", re.S)


# Before a page is parsed


def in_myst(text: str) -> str:
    """Write entries of the index, boxes and references to equations in MyST's own syntax."""
    text = _INDEX.sub(r":::{index} single: \1\n:::", text)
    text = _BOX.sub(_with_class, text)
    return _EQUATION.sub(r"{eq}`\g<label>`", text)


def _with_class(box: re.Match[str]) -> str:
    return f"{box[0]}\n:class: {'warning' if box['pitfall'] else 'note'}"


def notebook_in_myst(text: str, origin: object) -> str:
    """Rewrite the markdown cells of a notebook, given as JSON; its cached results stay valid."""
    notebook = book.parse(text, origin)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = in_myst(cell["source"])
    return book.as_text(notebook)


def _rewrite(app: Sphinx, docname: str, source: list[str]) -> None:
    """Rewrite a page."""
    path = str(app.env.doc2path(docname))
    is_notebook = path.endswith(".ipynb")
    source[0] = (
        notebook_in_myst(source[0], path) if is_notebook else in_myst(source[0])
    )


# After a page is parsed


class Captions(SphinxTransform):
    """Makes a paragraph "**Figure.** …" the caption of the figure that the cell above it draws.

    It happens here and not before, since the results of a notebook are cached with the metadata of
    its cells, where MyST-NB looks for captions.
    """

    default_priority = 300

    def apply(self) -> None:
        """Move every caption of the page into its figure."""
        for paragraph in list(self.document.findall(nodes.paragraph)):
            # MyST begins a paragraph that begins with bold text with a text of no length.
            said = [part for part in paragraph.children if part.astext()]
            marked = said and isinstance(said[0], nodes.strong)
            if not marked or said[0].astext() != "Figure.":
                continue
            siblings = paragraph.parent.children
            above = siblings[siblings.index(paragraph) - 1]
            figure = next(above.findall(nodes.figure), None)
            if figure is None:
                _LOGGER.warning("no figure above a caption", location=paragraph)
                continue
            paragraph.parent.remove(paragraph)
            said[1] = nodes.Text(said[1].astext().lstrip())
            figure += nodes.caption(paragraph.rawsource, "", *said[1:])


class Kept(SphinxTransform):
    """Keeps on one line what a browser may break: a formula and the mark after it, short code."""

    default_priority = 300

    def apply(self) -> None:
        """Put every formula that a mark follows into one part with it, and mark short code."""
        for code in list(self.document.findall(nodes.literal)):
            if len(code.astext()) <= _SHORT:
                code["classes"].append("keep")
            else:
                _keep_options(code)
        for formula in list(self.document.findall(nodes.math)):
            after = formula.next_node(descend=False, siblings=True)
            found = isinstance(after, nodes.Text) and _MARKS.match(after)
            if not found:
                continue
            kept = nodes.inline(classes=["keep"])
            formula.replace_self(kept)
            kept += [formula, nodes.Text(found[0])]
            # by its place: docutils takes equal texts for the same
            place = kept.parent.index(kept) + 1
            kept.parent[place] = nodes.Text(after[found.end() :])


def _keep_options(code: nodes.literal) -> None:
    """Keep short words that begin with a hyphen whole: a browser would break behind it."""
    parts = code.children
    code.children = []
    for part in parts:
        if not isinstance(part, nodes.Text):  # where a long name may break
            code += part
            continue
        for n, word in enumerate(re.split(r"(?<!\S)(-\S{1,19})(?!\S)", part)):
            code += (
                nodes.inline("", word, classes=["keep"])
                if n % 2
                else nodes.Text(word)
            )


# What a link can lead to


def slug(term: str) -> str:
    """Return what a link to a term of the glossary ends with: ``kv-cache`` for "KV cache"."""
    return nodes.make_id(term)


def _add_targets(app: Sphinx, doctree: nodes.document) -> None:
    """Let links end in the slug of a term or the key of a reference, as in that of a heading."""
    metadata = app.env.metadata[app.env.docname]
    targets, tooltips = {}, {}
    for item in _definitions(doctree):
        for term in item.findall(nodes.term):
            (target,) = term["ids"]
            targets[slug(term.astext())] = (term.line, target, term.astext())
            tooltips[target] = without_formulas(item.next_node(nodes.definition))
    for bibliography in _bibliographies(app.env, app.env.docname):
        for key, citation in bibliography.citation_nodes.items():
            targets[key] = (bibliography.line, citation["ids"][0], key)
    if targets:
        metadata["myst_slugs"] = metadata.get("myst_slugs", {}) | targets
        metadata["tooltips"] = tooltips


def _definitions(doctree: nodes.document) -> list[nodes.definition_list_item]:
    """Return the entries of a page's glossaries."""
    return [
        item
        for glossary in doctree.findall(addnodes.glossary)
        for item in glossary.findall(nodes.definition_list_item)
    ]


def _bibliographies(env: BuildEnvironment, docname: str) -> list:
    """Return what is known of the lists of references on a page."""
    found = env.get_domain("cite").bibliographies
    return [known for key, known in found.items() if key.docname == docname]


def without_formulas(definition: nodes.Node) -> str:
    """Return the text of a definition, up to the sentence that has a formula."""
    said = ""
    for part in definition.findall():
        if isinstance(part, nodes.math):
            sentences = _SENTENCES.match(said)
            return sentences[0] if sentences else ""
        if isinstance(part, nodes.Text):
            said += part.astext()
    return said


# What a link says when it is pointed at


def _add_tooltips(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Give links to terms the definition as a title, and links to references the reference."""
    titles = {
        f"{app.builder.get_relative_uri(docname, page)}#{target}": title
        for (page, target), title in (
            _terms(app.env) | _references(app.env)
        ).items()
        if title
    }
    for link in doctree.findall(nodes.reference):
        address = link.get("refuri") or f"#{link.get('refid')}"
        if address in titles:
            link["reftitle"] = titles[address]


def _terms(env: BuildEnvironment) -> dict[tuple[str, str], str]:
    """Return the definitions of all terms by their page and target."""
    return {
        (docname, target): definition
        for docname, metadata in env.metadata.items()
        for target, definition in metadata.get("tooltips", {}).items()
    }


def _references(env: BuildEnvironment) -> dict[tuple[str, str], str]:
    """Return all references as plain text by their page and target."""
    plain = find_plugin("pybtex.backends", "plaintext")()
    return {
        (citation.bibliography_key.docname, citation.citation_id): (
            citation.formatted_entry.text.render(plain).replace("\\url ", "")
        )
        for citation in env.get_domain("cite").citations
    }


def setup(app: Sphinx) -> dict[str, bool]:
    """Rewrite pages before they are parsed, set captions and targets after, tooltips at the end."""
    app.connect("source-read", _rewrite)
    app.add_transform(Captions)
    app.add_transform(Kept)
    app.connect("doctree-read", _add_targets)
    app.connect("doctree-resolved", _add_tooltips)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
