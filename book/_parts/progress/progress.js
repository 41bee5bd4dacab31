// @ts-check
// What is done: ticks in the lists of chapters and exercises, and the way back to where the reader
// left off. (The panel, with a picture of it, is in panel.js.)

import { make } from "../../../course_attn/drawing/kit.js";
import { course, fromRoot } from "../shared/course.js";
import { keep, recall, solvedAt, watchStore } from "../shared/store.js";

/**
 * What stands beside the link to a chapter's exercises, and what it says when it is pointed at.
 * @param {string} title @param {number} done @param {number} all
 */
export function tickOf(title, done, all) {
  if (!done) return { text: "", title: "" };
  return {
    text: done === all ? "✓" : `${done}/${all}`,
    title: `${title}: ${done} of ${all} exercises solved`,
  };
}

/** Write "2/9" beside each link to a page of exercises, and in the map of the chapters. */
function tickLists() {
  for (const { slug, title, exercises } of course().chapters) {
    const said = tickOf(title, exercises.filter(solvedAt).length, exercises.length);
    const links = document.querySelectorAll(`nav a[href$="exercises/${slug}.html"]`);
    const isHere = location.pathname.endsWith(`exercises/${slug}.html`);
    const here = document.querySelectorAll(isHere ? "nav li.current > a.current[href='#']" : "_");
    const rows = document.querySelectorAll(`.chapter-map .title a[href$="${slug}.html"]`);
    for (const link of [...links, ...here, ...rows]) {
      let tick = link.parentElement?.querySelector(":scope > .attn-tick");
      if (!tick) {
        tick = make("span", { class: "attn-tick" });
        link.after(tick);
      }
      tick.textContent = said.text;
      tick.setAttribute("title", said.title);
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

/**
 * Read where the reader left off; what is damaged, or leads elsewhere, counts as nothing.
 * @param {string | null} kept
 * @returns {{path: string, title: string} | null}
 */
export function readPlace(kept) {
  let place;
  try {
    place = JSON.parse(kept || "null");
  } catch {
    return null;
  }
  if (typeof place?.page !== "string" || !/^book\/[\w/]+\.html$/.test(place.page)) return null;
  const anchor = /^[\w-]+$/.test(place.section) ? "#" + place.section : "";
  const title = [place.title, place.heading].filter(Boolean).map(String).join(", ");
  return { path: place.page + anchor, title };
}

/** On the first page: the way back, once it is known. */
function offerPlace() {
  const map = document.querySelector(".chapter-map"), place = readPlace(recall(LAST));
  if (!map || !place || document.querySelector(".attn-continue")) return;
  const start = document.querySelector(".bd-article p > strong > a[href*='weighted_sum']");
  const link = make("a", { href: fromRoot(place.path) }, `Continue where you left off: ${place.title}`);
  start?.closest("p")?.before(make("p", { class: "attn-continue" }, make("strong", {}, link)));
}

addEventListener("DOMContentLoaded", () => {
  offerPlace();
  rememberPlace();
  watchStore(tickLists);
  watchStore(offerPlace); // the page that was left may keep its place after this one is shown
  tickLists();
});
