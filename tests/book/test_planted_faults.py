"""Faults planted in a page of the book are found by what every page is asked."""

import pytest
from chromium import needs_chromium
from soundness import barriers, flaws
from visits import DISK, VIEWS, Visit, visit

pytestmark = [pytest.mark.usefixtures("html"), needs_chromium]

# Each stands at the end of the article; the word is in what is said about it.
BARRIERS = {
    "color-contrast": '<p style="color: #aaa; background: white">pale</p>',
    "button-name": '<button type="button"></button>',
    "image-alt": '<img src="data:,">',
}
FLAWS = {
    "bad formula": "<mjx-merror>x</mjx-merror>",
    "formula not typeset": '<span class="math">\\(x\\)</span>',
    "no alt text": '<img src="data:," alt=" ">',
    "broken": '<img src="data:," alt="A picture that is not there.">',
    "same id": '<p id="twice">a</p><p id="twice">b</p>',
    "formula cut off": '<mjx-container display="true" style="display: block; width: 5em">'
    '<p style="width: 50em">x</p></mjx-container>',
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


def test_axe_finds_each_planted_barrier(opened):
    plant(opened, *BARRIERS.values())
    found = [barrier.split(":")[0] for barrier in barriers(opened.page)]
    assert sorted(set(found)) == sorted(BARRIERS)


def test_each_planted_flaw_is_found(opened):
    for word, fault in FLAWS.items():
        plant(opened)
        assert flaws(opened.page) == []
        plant(opened, fault)
        assert any(word in flaw for flaw in flaws(opened.page)), word
