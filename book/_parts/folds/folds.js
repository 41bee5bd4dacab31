// @ts-check
// One switch on each page for the code that sets up, checks and draws: it is there, and out of the way.
// And common claims wait with what holds until the reader has made a guess.

import { make } from "../../../course_attn/drawing/kit.js";
import { keep, recall } from "../shared/store.js";

const ALL = "folds", SHOWN = "all";

/**
 * What the switch says of so many folded cells.
 * @param {number} count @param {boolean} shown
 */
export function saidOf(count, shown) {
  const cells = count === 1
    ? "One folded cell that sets up, checks or draws"
    : `${count} folded cells that set up, check or draw`;
  return shown
    ? { text: `${cells}: shown. `, button: "Hide them" }
    : { text: `${cells}: hidden. `, button: "Show them" };
}

/** Put the switch before the first section, or at the head of a page that begins with code. */
function addSwitch() {
  const count = document.querySelectorAll(".bd-article details.quiet").length;
  const head = document.querySelector(".bd-article h1");
  if (!count || !head) return;
  const text = make("span", {}), button = make("button", { type: "button", click: turn });
  const line = make("p", { class: "attn-folds" }, text, button);
  const first = head.parentElement?.querySelector(":scope > section");
  if (first) first.before(line);
  else head.after(line);

  function draw() {
    const shown = recall(ALL) === SHOWN, said = saidOf(count, shown);
    document.documentElement.classList.toggle("attn-all-folds", shown);
    [text.textContent, button.textContent] = [said.text, said.button];
    button.setAttribute("aria-pressed", String(shown));
  }
  function turn() {
    keep(ALL, recall(ALL) === SHOWN ? "" : SHOWN);
    draw();
  }
  draw();
}

/** Fold what stands below each claim, but for one that a link leads to. */
function foldClaims() {
  const claims = document.querySelectorAll("#common-claims-put-right section:has(> h3)");
  const folds = [...claims].map((claim) => {
    const heading = /** @type {Element} */ (claim.querySelector(":scope > h3"));
    const rest = [...claim.childNodes].filter((node) => node !== heading);
    const fold = make("details", { class: "attn-claim" }, make("summary", {}, "What holds"), ...rest);
    heading.after(fold);
    return { claim, fold };
  });
  const openLinked = () => {
    for (const { claim, fold } of folds) if (`#${claim.id}` === location.hash) fold.open = true;
  };
  addEventListener("hashchange", openLinked);
  addEventListener("beforeprint", () => folds.forEach(({ fold }) => fold.open = true));
  openLinked();
}

globalThis.addEventListener?.("DOMContentLoaded", () => {
  addSwitch();
  foldClaims();
});
