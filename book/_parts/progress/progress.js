// @ts-check
// What is done: ticks in the lists of chapters and exercises, and the way back to where the reader
// left off. (The panel, with a picture of it, is in panel.js.)

import { course, element, fromRoot } from "../shared/course.js";
import { keep, recall, solvedAt, watchStore } from "../shared/store.js";

/** @param {string[]} exercises */
function solvedOf(exercises) {
  return exercises.filter((name) => solvedAt(name)).length;
}

/** Write "2/9" beside each link to a page of exercises, and in the map of the chapters. */
function tickLists() {
  for (const { slug, title, exercises } of course().chapters) {
    const done = solvedOf(exercises);
    const links = document.querySelectorAll(`nav a[href$="exercises/${slug}.html"]`);
    const isHere = location.pathname.endsWith(`exercises/${slug}.html`);
    const here = document.querySelectorAll(isHere ? "nav li.current > a.current[href='#']" : "_");
    const rows = document.querySelectorAll(`.chapter-map .title a[href$="${slug}.html"]`);
    for (const link of [...links, ...here, ...rows]) {
      let tick = link.parentElement?.querySelector(":scope > .attn-tick");
      if (!tick) {
        tick = element("span", { class: "attn-tick" });
        link.after(tick);
      }
      const isDone = done === exercises.length;
      tick.textContent = done ? (isDone ? "✓" : `${done}/${exercises.length}`) : "";
      tick.setAttribute("title", done ? `${title}: ${done} of ${exercises.length} exercises solved` : "");
    }
  }
}

const LAST = "last";

/** Remember which chapter, and which section of it, was read last. */
function rememberPlace() {
  const [page, slug] = location.pathname.match(/book\/(?:exercises\/)?(\w+)\.html$/) ?? [];
  if (!page || !course().chapters.some((chapter) => chapter.slug === slug)) return;
  addEventListener("pagehide", () => {
    const headings = [...document.querySelectorAll(".bd-article section:not(#done-so-far) > h2")];
    const middle = innerHeight / 2;
    const at = headings.filter((heading) => heading.getBoundingClientRect().top < middle).pop();
    keep(
      LAST,
      JSON.stringify({
        page,
        section: at?.closest("section")?.id ?? "",
        title: wordsOf(document.querySelector("h1")),
        heading: wordsOf(at ?? null),
      }),
    );
  });
}

/**
 * The words of a heading, without its number and its link.
 *
 * @param {Element | null} heading
 */
function wordsOf(heading) {
  const words = [...heading?.childNodes ?? []].filter((node) =>
    !(node instanceof Element && node.matches(".headerlink, .section-number"))
  );
  return words.map((node) => node.textContent).join("").trim();
}

/** On the first page: the way back, once it is known. */
function offerPlace() {
  const map = document.querySelector(".chapter-map");
  const kept = recall(LAST);
  if (!map || !kept || document.querySelector(".attn-continue")) return;
  let place;
  try {
    place = JSON.parse(kept);
  } catch {
    return;
  }
  const start = document.querySelector(".bd-article p > strong > a[href*='weighted_sum']");
  const paragraph = start?.closest("p");
  if (!paragraph || typeof place?.page !== "string" || !/^book\/[\w/]+\.html$/.test(place.page)) return;
  const anchor = /^[\w-]+$/.test(place.section) ? "#" + place.section : "";
  paragraph.before(
    element(
      "p",
      { class: "attn-continue" },
      element(
        "strong",
        {},
        element(
          "a",
          { href: fromRoot(place.page + anchor) },
          "Continue where you left off: " +
            [place.title, place.heading].filter(Boolean).map(String).join(", "),
        ),
      ),
    ),
  );
}

addEventListener("DOMContentLoaded", () => {
  offerPlace();
  rememberPlace();
  watchStore(tickLists);
  watchStore(offerPlace); // the page that was left may keep its place after this one is shown
  tickLists();
});
