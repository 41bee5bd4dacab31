"""The book as one PDF: what is printed, numbered and linked."""

import re
import unicodedata

import pytest

from tests.site.built_pages import HTML, article
from tests.site.chromium import needs_chromium
from tools import chromium, pdf
from tools.book import BookError
from tools.built import built_pages

pypdf = pytest.importorskip("pypdf", reason="needs pypdf")

FRAME = """<!doctype html><html><head><meta charset="utf-8"></head><body>
<div id="jb-print-docs-body">Contents of one page</div>
<main class="bd-main"><div class="bd-content"><article class="bd-article">{body}</article></div>
</main></body></html>"""
LONG = "<p>Some words.</p>" * 60
PAGES = {
    "softmax": f"""<section id="first"><h1>3. Softmax<a class="headerlink">#</a></h1>
<p><a href="scaling.html#eq-two">To an equation</a></p><p><a href="scaling.html">To a page</a></p>
<p><a href="#late">Further down</a></p><p><a href="https://example.org/a">Outside</a></p>
<p><a href="../_static/file.svg">A file</a></p><p><a href="scaling.html#nowhere">Lost</a></p>{LONG}
<section id="late" class="starred" style="border-left: 3px solid"><h2>3.1. Late ★</h2><p>End.</p>
</section></section>""",
    "scaling": f"""<section id="scale"><h1>5. Scaling</h1><p>A new page.</p>{LONG}
<div id="eq-two">x = 1</div>
<p><a href="softmax.html#late">Back</a></p></section>""",
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory):
    """Return two small pages as one PDF."""
    folder = tmp_path_factory.mktemp("book")
    paths = [folder / "book" / f"{slug}.html" for slug in PAGES]
    paths[0].parent.mkdir()
    for path, body in zip(paths, PAGES.values(), strict=True):
        path.write_text(FRAME.format(body=body), "utf-8")
    text, bookmarks = pdf.whole(paths)
    pdf.print_page(text, folder / "printed.pdf", chromium.needed())
    file = folder / "whole.pdf"
    pdf.bookmarked(folder / "printed.pdf", bookmarks, "Some authors").write(file)
    return pypdf.PdfReader(file)


def links(reader, number):
    """Return what the links of a sheet lead to, from the top: addresses, or sheet and height."""
    found = []
    for annotation in reader.pages[number].get("/Annots", ()):
        link = annotation.get_object()
        height = -float(link["/Rect"][3])
        if "/Dest" in link:
            found_at = reader.named_destinations[str(link["/Dest"])]
            to = (reader.get_destination_page_number(found_at), float(found_at.top))
        else:
            to = str(link["/A"]["/URI"])
        found.append((height, to))
    return [to for _, to in sorted(found, key=lambda pair: pair[0])]


def sheet_with(reader, text):
    (found,) = (k for k, s in enumerate(reader.pages) if text in s.extract_text())
    return found


@needs_chromium
def test_links_lead_within_the_file_and_to_other_sites(whole):
    start = sheet_with(whole, "To an equation")
    equation, page, late, outside, lost = links(whole, start)
    top = float(whole.pages[0].mediabox.top)
    assert equation[0] == sheet_with(whole, "x = 1") and 0 < equation[1] <= top
    second = sheet_with(whole, "A new page.")
    assert page[0] == lost[0] == second
    assert late[0] == sheet_with(whole, "3.1. Late ★\nEnd.") and 0 < late[1] <= top
    assert outside == "https://example.org/a"
    assert links(whole, equation[0]) == [late]


@needs_chromium
def test_the_contents_lead_to_the_headings_and_sheets_are_numbered(whole):
    found = [sheet for sheet, _ in links(whole, 1)]
    words = "To an equation", "End.", "A new page."
    assert found == [sheet_with(whole, text) for text in words]
    for number, sheet in enumerate(whole.pages[1:], start=2):
        assert sheet.extract_text().startswith(str(number))
    assert not whole.pages[0].extract_text().startswith("1")


@needs_chromium
def test_the_outline_has_parts_pages_and_sections(whole):
    def named(items):
        return [named(one) if isinstance(one, list) else one.title for one in items]

    assert named(whole.outline) == [
        "3. Softmax",
        ["3.1. Late ★"],
        "The transformer's mechanism",
        ["5. Scaling"],
    ]
    assert whole.metadata.title == "Attention, one weighted sum at a time"
    assert whole.metadata.author == "Some authors"
    assert "Contents of one page" not in "".join(
        sheet.extract_text() for sheet in whole.pages
    )


def test_a_missing_book_and_a_missing_browser_are_told(
    tmp_path, monkeypatch, capsys
):
    assert pdf.main(["--build", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert said.startswith("tools.pdf: ") and "run `make book` first" in said
    monkeypatch.setattr(chromium, "CHROMIUM", None)
    with pytest.raises(BookError, match="this needs Chromium: `apt-get install"):
        chromium.needed()
    monkeypatch.setattr(chromium, "CHROMIUM", "/no/such/browser")
    assert pdf.main(["--build", str(tmp_path)]) == 1
    assert "there is no program /no/such/browser" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@needs_chromium
@pytest.mark.exhaustive
def test_the_whole_book(html, tmp_path):
    file = tmp_path / "book.pdf"
    assert pdf.main(["--build", str(HTML.parent), "--output", str(file)]) == 0
    reader = pypdf.PdfReader(file)
    assert list(tmp_path.iterdir()) == [file]
    n_links = 0
    for number in range(len(reader.pages)):
        for to in links(reader, number):
            assert isinstance(to, tuple) or to.startswith(("http:", "https:")), to
            n_links += isinstance(to, tuple)
    assert n_links > 1_000
    text = "".join(sheet.extract_text() for sheet in reader.pages[1:8])
    text = unicodedata.normalize("NFKC", text)  # "fi" may be one sign
    for path in built_pages(HTML.parent):
        title = article(path).h1.get_text().removesuffix("#")
        # In the sheet's text an apostrophe may be a letter of that form.
        assert re.sub(r"\W", "", title) in re.sub(r"[\Wʼ]", "", text)
    for number, sheet in enumerate(reader.pages[1:], start=2):
        assert sheet.extract_text().startswith(str(number))
