"""The built book, by reading every page: nothing from elsewhere, no dead link, every page there."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.site.built_pages import (
    HTML,
    anchors,
    article,
    built_pages,
    forwards_to,
    page_of,
    soup,
    target,
)
from tests.site.sources import CHAPTERS, NOTEBOOKS, figures, name, repository
from tools.book import BOOK, ROOT, cells, markdown, pages

pytestmark = pytest.mark.usefixtures("html")

# Attributes by which a page loads something. <a href> is missing on purpose: it loads nothing.
LOADS = {"src", "srcset", "poster", "data", "background", "manifest"}
# What a <link> names without loading it.
NAMES_ONLY = {"author", "canonical", "license", "next", "prev", "search", "index"}
LARGEST_ANIMATION = 400_000

every_page = pytest.mark.parametrize("source", pages(), ids=name)
every_notebook = pytest.mark.parametrize("source", NOTEBOOKS, ids=name)
every_chapter = pytest.mark.parametrize("source", CHAPTERS, ids=name)


def all_html() -> list[Path]:
    """List all HTML files that a reader can open."""
    return [
        path for path in sorted(HTML.rglob("*.html")) if "_static" not in path.parts
    ]


PARTED = re.compile(
    r"""(?<!"keep">)<span class="math notranslate nohighlight">[^<]*</span>[.,:;!?)”’"']"""
)


@every_page
def test_a_mark_stays_on_the_line_of_the_formula_before_it(source):
    page = page_of(source).read_text("utf-8")
    assert PARTED.findall(page) == []
    # each once, and where it was
    assert re.findall(r"""</span>[,.;:]+</span>[,.;:][^\n]*""", page) == []


@every_page
def test_a_browser_does_not_break_a_short_option_in_code(source):
    for code in soup(page_of(source)).select("code.literal"):
        assert "<wbr>" not in code.text
        for word in code.select(".pre"):
            if re.fullmatch(r"-\S{1,19}", word.text):
                assert word.find_parent(class_="keep"), code.text


# Nothing from elsewhere


def is_foreign(address: str) -> bool:
    """Tell whether an address leads to another host; ``data:`` and relative ones do not."""
    parts = urlsplit(address.strip())
    return bool(parts.netloc) or parts.scheme not in ("", "data")


def loaded_by_css(css: str) -> list[str]:
    """Return the addresses that a style sheet loads, through url() or @import."""
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.S)
    urls = re.findall(r"""url\(\s*(?:"([^"]*)"|'([^']*)'|([^)"']*))\s*\)""", css)
    imports = re.findall(r"""@import\s+["']([^"']+)["']""", css)
    return ["".join(found).strip() for found in urls] + imports


def loaded_by_page(path: Path) -> list[str]:
    """Return the addresses that a page loads by itself, without its style sheets' own."""
    found = []
    for tag in soup(path).find_all(True):
        for attribute, value in tag.attrs.items():
            if attribute == "srcset":
                found += [candidate.split()[0] for candidate in value.split(",")]
            elif attribute in LOADS:
                found.append(value)
            elif attribute == "style":
                found += loaded_by_css(value)
            elif attribute in ("href", "xlink:href") and tag.name not in (
                "a",
                "link",
                "base",
            ):
                found.append(value)
        if tag.name == "link" and not set(tag.get("rel", [])) <= NAMES_ONLY:
            found.append(tag["href"])
        if tag.name == "style":
            found += loaded_by_css(tag.get_text())
    return found


def style_sheets() -> set[Path]:
    """Return all style sheets that the pages load, directly or through one another."""
    waiting = {
        target(path, tag["href"])
        for path in all_html()
        for tag in soup(path).select("link[rel~=stylesheet]")
    }
    found = set()
    while waiting:
        sheet = waiting.pop()
        found.add(sheet)
        imported = [
            a for a in loaded_by_css(sheet.read_text("utf-8")) if a.endswith(".css")
        ]
        waiting |= {target(sheet, address) for address in imported} - found
    return found


def test_the_pages_load_nothing_from_another_host():
    foreign = {
        (p.name, a) for p in all_html() for a in loaded_by_page(p) if is_foreign(a)
    }
    assert foreign == set()


def test_no_page_moves_its_addresses_elsewhere():
    assert [path.name for path in all_html() if soup(path).find("base")] == []


def test_the_style_sheets_load_nothing_from_another_host():
    sheets = style_sheets()
    assert HTML / "_static" / "book.css" in sheets
    loaded = [
        (sheet, a)
        for sheet in sheets
        for a in loaded_by_css(sheet.read_text("utf-8"))
    ]
    assert [
        (sheet.name, address) for sheet, address in loaded if is_foreign(address)
    ] == []
    local = [(s, a) for s, a in loaded if a and not a.startswith(("data:", "#"))]
    assert [(s.name, a) for s, a in local if not target(s, a).exists()] == []


def test_everything_that_the_pages_load_is_there():
    loaded = [
        (p, a)
        for p in all_html()
        for a in loaded_by_page(p)
        if not a.startswith("data:")
    ]
    assert {page for page, _ in loaded} >= set(built_pages())
    assert [(p.name, a) for p, a in loaded if not target(p, a).is_file()] == []


# No dead link


def is_dead(origin: Path, address: str) -> bool:
    """Tell whether a link within the book leads nowhere."""
    if is_foreign(address) or address in ("", "#"):
        return False
    file, fragment = target(origin, address), unquote(urlsplit(address).fragment)
    return not file.is_file() or bool(fragment and fragment not in anchors(file))


def test_every_link_within_the_book_leads_somewhere():
    links = [
        (path, tag["href"])
        for path in all_html()
        for tag in soup(path).select("a[href]")
    ]
    assert {page for page, _ in links} >= set(built_pages())
    assert [
        (path.name, address) for path, address in links if is_dead(path, address)
    ] == []


def test_a_page_that_forwards_leads_to_a_page():
    forwarding = {
        path: forwards_to(path) for path in all_html() if forwards_to(path)
    }
    assert (
        HTML / "index.html" in forwarding
        or page_of(pages()[0]) == HTML / "index.html"
    )
    assert all(
        target(path, address).is_file() for path, address in forwarding.items()
    )


# Every page there


@every_page
def test_the_page_has_a_title_and_content(source):
    assert soup(page_of(source)).title.get_text().strip()
    assert len(article(page_of(source)).get_text().split()) > 20


def test_every_page_names_its_language():
    assert {soup(path).html["lang"] for path in built_pages()} == {"en"}


@pytest.mark.parametrize(
    "source", [path for path in pages() if path.stem != "genindex"], ids=name
)
def test_the_page_links_to_its_source_for_corrections(source):
    url, _, branch = repository()
    links = [
        tag["href"]
        for tag in soup(page_of(source)).select("a.btn-source-edit-button")
    ]
    assert links == [f"{url}/edit/{branch}/{name(source)}"]


@every_notebook
def test_the_notebook_opens_in_colab(source):
    _, address, branch = repository()
    colab = "https://colab.research.google.com/github"
    buttons = soup(page_of(source)).select(".article-header-buttons a[href*=colab]")
    links = [button["href"] for button in buttons]
    assert links == [f"{colab}/{address}/blob/{branch}/{name(source)}"]


@every_notebook
def test_the_page_can_be_downloaded_as_the_notebook_that_it_is(source):
    page = page_of(source)
    (link,) = soup(page).select("a.btn-download-source-button")
    assert target(page, link["href"]).read_bytes() == source.read_bytes()


@every_chapter
def test_the_index_leads_to_every_entry_of_the_chapter(source):
    entries = re.findall(r"^<!-- index: (.+) -->$", markdown(source), re.M)
    links = soup(page_of(ROOT / "genindex.md")).select(
        f"table a[href^='book/{source.stem}.html#']"
    )
    assert len(links) == len(entries) > 0
    terms = {text for entry in entries for text in re.split(r"\s*;\s*", entry)}
    words = article(page_of(ROOT / "genindex.md")).get_text()
    assert [term for term in terms if term not in words] == []


@every_page
def test_no_two_parts_of_a_page_have_one_id(source):
    ids = [part["id"] for part in soup(page_of(source)).select("[id]")]
    assert sorted(ids) == sorted(set(ids))


# Pictures


def pictures(page: Path) -> list:
    """Return the pictures in a chapter's outputs that are no animations."""
    found = article(page).select(".cell_output img")
    return [
        tag
        for tag in found
        if not tag.find_parent("figure", class_="attn-animation")
    ]


def test_every_picture_says_what_is_seen():
    for path in built_pages():
        for tag in soup(path).find_all("img"):
            alt = tag.get("alt", "").strip()
            assert alt, (path.name, tag.get("src", "")[:80])
            assert not re.search(r"\.(?:png|svg|jpe?g|gif)$|^_images|/", alt), (
                path.name,
                alt,
            )


@every_chapter
def test_every_picture_of_the_chapter_is_a_figure_with_name_and_caption(source):
    shown = {}
    for tag in pictures(page_of(source)):
        figure = tag.find_parent("figure")
        assert figure is not None and figure.figcaption, tag["src"][:80]
        shown[figure["id"]] = tag["alt"]
    assert shown == {
        f["figure"]["name"]: f["image"]["alt"] for f in figures(source)
    }


@every_chapter
def test_every_other_output_is_free_of_bare_pictures(source):
    """A figure drawn in inline SVG or on a canvas must say what a picture's text would."""
    outputs = article(page_of(source)).select(".cell_output")
    assert not [
        tag
        for output in outputs
        for tag in output.find_all(["svg", "canvas", "video"])
        if tag.get("role") != "img" or not tag.get("aria-label")
    ]
    assert (
        len(article(page_of(source)).select("div.cell"))
        == len(cells(source, "code")) - 1
    )


def animations() -> list:
    """Return all animations of the book."""
    return [
        tag
        for path in built_pages()
        for tag in soup(path).select("figure.attn-animation")
    ]


@every_chapter
def test_the_chapter_has_something_to_play(source):
    assert article(page_of(source)).select(".attn-animation, .attn-live")


def test_every_animation_is_small():
    sizes = [len(str(tag).encode()) for tag in animations()]
    assert max(sizes) < LARGEST_ANIMATION


def test_every_animation_has_words_for_those_who_do_not_see_it():
    for tag in animations():
        assert len(tag.img["alt"].split()) >= 8
        assert len(tag.figcaption.get_text().split()) >= 5
        assert tag.input["aria-label"]
        assert (
            tag.select_one("[aria-live=polite]").get_text().startswith("Step 1 of ")
        )


def test_weights_to_explore_have_words_and_a_table_for_those_who_do_not_see_them():
    found = {
        path.stem: soup(path).select("figure.attn-explorer")
        for path in built_pages()
    }
    assert {page: len(tags) for page, tags in found.items() if tags} == {
        "index": 1,
        "multi_head": 1,
        "qkv": 1,
    }
    for tag in (tag for tags in found.values() for tag in tags):
        assert len(tag["aria-label"].split()) >= 8
        assert len(tag.figcaption.get_text().split()) >= 5
        assert tag.select_one("[role=status]").get_text()
        numbers = [float(cell.get_text()) for cell in tag.select("tbody td")]
        assert sum(numbers) == pytest.approx(len(tag.select("tbody tr")), abs=1)


def test_numbers_to_change_have_words_and_a_table_for_those_who_do_not_see_them():
    found = {
        path.stem: soup(path).select("figure.attn-live") for path in built_pages()
    }
    labs = {
        page: sorted(tag["data-widget"] for tag in tags)
        for page, tags in found.items()
    }
    assert "attention_lab" in labs["qkv"] and "attention_lab" in labs["scaling"]
    assert {"attention_lab", "mask_painter"} <= set(labs["masks"])
    for tag in (tag for tags in found.values() for tag in tags):
        assert len(tag["aria-label"].split()) >= 8
        assert len(tag.figcaption.get_text().split()) >= 5
        assert tag.select(".attn-plain table, .attn-plain svg")
        assert not tag.select("button, input, select")


def test_the_style_sheet_of_the_book_is_loaded_by_every_page():
    sheet = HTML / "_static" / BOOK.joinpath("_static", "book.css").name
    for path in built_pages():
        links = soup(path).select("link[rel~=stylesheet]")
        assert sheet in {target(path, tag["href"]) for tag in links}, path.name
