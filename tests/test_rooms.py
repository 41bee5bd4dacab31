"""Each chapter has one room, each widget its tests, each feature both halves: no one forgets."""

import shutil
from pathlib import Path

import pytest

from tests.support.rooms import complaints

WIDGET_TESTS = (
    "course_attn/chapters/sums/widgets/bars.test.js",
    "tests/chapters/sums/test_bars.py",
    "tests/chapters/sums/test_bars_on_page.py",
)
WIDGET = (
    "course_attn/chapters/sums/widgets/bars.py",
    "course_attn/chapters/sums/widgets/bars.js",
    *WIDGET_TESTS,
    # What a widget imports has no page of its own.
    "course_attn/chapters/sums/widgets/lines.js",
)


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """Make a book with a page, its rooms, a widget, and a feature."""
    (tmp_path / "_toc.yml").write_text(
        "root: book/index\nchapters:\n  - file: book/sums\n"
    )
    for name in (
        *("book/index.md", "book/sums.md", "book/_parts/shared/any.js"),
        *("book/_parts/cards/cards.py", "book/_parts/cards/cards.js"),
        *("course_attn/chapters/sums/figures.py", "tests/chapters/sums/cases.py"),
        *WIDGET,
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def test_complaints__are_none_where_each_folder_is_as_it_should_be(house):
    assert list(complaints(house)) == []


def test_complaints__are_none_where_the_package_is_installed_elsewhere(house):
    shutil.rmtree(house / "course_attn")
    assert list(complaints(house)) == []


@pytest.mark.parametrize("place", ["course_attn/chapters", "tests/chapters"])
def test_complaints__name_a_room_of_no_page(house, place):
    (house / place / "products").mkdir()
    (said,) = complaints(house)
    assert said == f"{house / place}/products: _toc.yml has no book/products"


@pytest.mark.parametrize("half", ["cards.py", "cards.js"])
def test_complaints__name_a_feature_with_one_half(house, half):
    (house / "book/_parts/cards" / half).unlink()
    (said,) = complaints(house)
    assert said.startswith(f"{house}/book/_parts/cards: ") and half in said


@pytest.mark.parametrize("test", WIDGET_TESTS)
def test_complaints__name_a_widget_without_one_of_its_tests(house, test):
    (house / test).unlink()
    (said,) = complaints(house)
    script = f"{house}/course_attn/chapters/sums/widgets/bars.js"
    assert said == f"{script}: a widget needs tests, and {house}/{test} is missing"
