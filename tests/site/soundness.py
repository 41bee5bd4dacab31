"""What is asked of every page in a browser: what is plainly broken, and what axe finds."""

import functools
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

_ERRORS = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const short = (element) => element.outerHTML.slice(0, 120);
  const root = document.documentElement;
  return [
    ...all("mjx-merror, [data-mjx-error]").map((e) => "bad formula: " + e.textContent),
    ...all(".bd-article .math").filter((e) => !e.querySelector("mjx-container"))
      .map((e) => "formula not typeset: " + short(e)),
    ...all("img").filter((e) => !e.alt.trim()).map((e) => "no alt text: " + short(e)),
    ...all("img").filter((e) => e.complete && !e.naturalWidth).map((e) => "broken: " + short(e)),
    // A phone may scroll a long formula sideways; on a desktop every formula fits its column.
    ...all("mjx-container[display=true]")
      .filter((e) => root.clientWidth > 1000 && e.scrollWidth > e.clientWidth + 1)
      .map((e) => "formula cut off: " + e.textContent.slice(0, 80)),
    // In a line of text no formula scrolls. In a table of claims a long one does, and says so.
    ...all(".bd-article span.math").filter((e) => e.checkVisibility()).filter((e) =>
      (e.querySelector("mjx-math")?.getBoundingClientRect().right ?? 0)
        > e.getBoundingClientRect().right + 1)
      .filter((e) => !e.querySelector("table.claims mjx-container[data-more]"))
      .map((e) => "formula in the text cut off: " + short(e)),
    // What scrolls sideways says so, but for editors, which have a scroll bar.
    ...all("script[src*='book.js']").slice(0, 1).flatMap(() => all(".bd-article *"))
      .filter((e) => e.scrollWidth > e.clientWidth + 1 && !e.dataset.more && e.checkVisibility())
      .filter((e) => /auto|scroll/.test(getComputedStyle(e).overflowX) && !e.closest(".cm-editor"))
      .map((e) => "scrolls without a sign: " + short(e)),
    // But for the extension for theorems, which gives all of them the same two.
    ...all("[id]").filter((e) => document.getElementById(e.id) !== e && !/^proof/.test(e.id))
      .map((e) => "same id as another: " + short(e)),
    // What scrolls sideways is reached by the keyboard, and nothing else stops it on its way.
    ...all(".bd-article :is(.cell_output figure, .attn-picture)")
      .filter((e) => (e.scrollWidth > e.clientWidth) !== (e.tabIndex === 0))
      .map((e) => "scrolls, or takes the focus, but not both: " + short(e)),
    ...(root.scrollWidth > root.clientWidth ? [`${root.scrollWidth} pixels wide`] : []),
  ];
}"""

# What axe finds in markup that is not ours: a rule, and the elements that may break it.
_NOT_OURS = [
    # docutils gives a list of references the role "list", and its entries another than "listitem".
    {"rule": "aria-required-children", "selector": ".citation-list[role=list]"},
    # The theme's arrows that unfold a chapter's subpages in the sidebar have no name.
    {
        "rule": "summary-name",
        "selector": ".bd-sidebar-primary .has-children > details > summary",
    },
]

# Its preload would fetch style sheets anew, by wrong addresses. Most of its time would go into
# thousands of elements that are all alike: of each kind of span that colors code, in each kind of
# surroundings, one is kept. While axe looks, formulas are empty of what MathJax makes: all but the
# first, and those that scroll or hold words.
_AXE = """async (notOurs) => {
  const seen = new Set();
  for (const block of document.querySelectorAll(".highlight pre")) {
    let around = "";
    for (let e = block; e; e = e.parentElement) around += e.className + "<";
    for (const token of block.querySelectorAll("span[class]")) {
      const kind = token.className + "<" + around;
      if (seen.has(kind)) token.replaceWith(...token.childNodes);
      seen.add(kind);
    }
    block.normalize();
  }
  const emptied = [...document.querySelectorAll("mjx-container")].slice(1)
    .filter((e) => e.scrollWidth <= e.clientWidth + 1 && !e.querySelector("a, mjx-utext"))
    .map((formula) => ({formula, inside: [...formula.childNodes], style: formula.style.cssText,
      box: formula.getBoundingClientRect()}));
  for (const {formula, box} of emptied) {
    Object.assign(formula.style, {width: `${box.width}px`, height: `${box.height}px`});
    formula.replaceChildren();
  }
  const options = {resultTypes: ["violations"], preload: false, iframes: false};
  const excused = (rule, node) => notOurs.some((entry) =>
    entry.rule === rule && document.querySelector(node.target[0])?.matches(entry.selector));
  const {violations} = await axe.run(document, options);
  for (const {formula, inside, style} of emptied) {
    formula.style.cssText = style;
    formula.replaceChildren(...inside);
  }
  return violations
    .filter((violation) => ["critical", "serious"].includes(violation.impact))
    .flatMap((violation) => violation.nodes
      .filter((node) => !excused(violation.id, node))
      .map((node) => `${violation.id}: ${node.target}: ${node.failureSummary}`));
}"""


@functools.cache
def _axe_script() -> str:
    return files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


def page_errors(page: "Page") -> list[str]:
    """Say what is broken as the page is shown now: formulas, pictures, its width."""
    return page.evaluate(_ERRORS)


def accessibility_violations(page: "Page") -> list[str]:
    """Say what axe finds serious as the page is shown now, but for what is not ours."""
    page.evaluate(_axe_script())
    return page.evaluate(_AXE, _NOT_OURS)
