"""Faults planted in a page of the book are found by what every page is asked."""

import pytest

from tests.site.soundness import accessibility_violations, page_errors
from tests.site.visits import DISK, VIEWS, Visit, visit

pytestmark = pytest.mark.usefixtures("html")

# Each stands at the end of the article; the word is in what is said about it.
VIOLATIONS = {
    "color-contrast": '<p style="color: #aaa; background: white">pale</p>',
    "button-name": '<button type="button"></button>',
    "image-alt": '<img src="data:,">',
}
ERRORS = {
    "bad formula": "<mjx-merror>x</mjx-merror>",
    "formula not typeset": '<span class="math">\\(x\\)</span>',
    "no alt text": '<img src="data:," alt=" ">',
    "broken": '<img src="data:," alt="A picture that is not there.">',
    "same id": '<p id="twice">a</p><p id="twice">b</p>',
    "formula cut off": '<mjx-container display="true" style="display: block; width: 5em">'
    '<p style="width: 50em">x</p></mjx-container>',
    "formula in the text cut off": '<span class="math" style="display: inline-block; width: 2em; '
    'overflow: hidden"><mjx-container><mjx-math style="display: inline-block; width: 9em">x'
    "</mjx-math></mjx-container></span>",
    "scrolls without a sign": '<p style="width: 5em; overflow: auto; white-space: nowrap">'
    "much more than there is room for</p>",
    "scrolls, or takes the focus": '<div class="cell_output"><figure tabindex="0"></figure></div>',
    "pixels wide": '<p style="width: 2000px">wide</p>',
}


@pytest.fixture(scope="module")
def opened(browser):
    with visit(
        browser, DISK, "book/exercises/softmax.html", **VIEWS["desktop"]
    ) as page:
        yield page


def plant(opened: Visit, *faults: str) -> None:
    opened.page.evaluate(
        """(faults) => {
          document.querySelector("#planted")?.remove();
          const planted = document.createElement("div");
          planted.id = "planted";
          planted.innerHTML = faults.join("");
          document.querySelector(".bd-article").append(planted);
          return Promise.all([...planted.querySelectorAll("img")].map((e) => e.decode()))
            .then(() => null, () => null);
        }""",
        faults,
    )


def test_axe_finds_each_planted_violation(opened):
    plant(opened, *VIOLATIONS.values())
    found = {said.split(":")[0] for said in accessibility_violations(opened.page)}
    assert found == set(VIOLATIONS)


def test_each_planted_error_is_found(opened):
    for word, fault in ERRORS.items():
        plant(opened)
        assert page_errors(opened.page) == []
        plant(opened, fault)
        assert any(word in said for said in page_errors(opened.page)), word
