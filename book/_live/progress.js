// @ts-check
// What is done: ticks in the lists of chapters and exercises, a table of it that can be saved to a
// file and taken over from one, and the way back to where the reader left off.

import {course, element, fromRoot} from "./course.js";
import {exported, forgetAll, imported, keep, recall, solvedAt, watchStore} from "./store.js";

/** @param {string[]} exercises */
function solvedOf(exercises) {
  return exercises.filter((name) => solvedAt(name)).length;
}

/** Write "2/9" beside each link to a page of exercises, and in the map of the chapters. */
function tickLists() {
  for (const {slug, title, exercises} of course().chapters) {
    const done = solvedOf(exercises);
    const links = document.querySelectorAll(`nav a[href$="exercises/${slug}.html"]`);
    const isHere = location.pathname.endsWith(`exercises/${slug}.html`);
    const here = document.querySelectorAll(isHere ? "nav li.current > a.current[href='#']" : "_");
    const rows = document.querySelectorAll(`.chapter-map .title a[href$="${slug}.html"]`);
    for (const link of [...links, ...here, ...rows]) {
      let tick = link.parentElement?.querySelector(":scope > .attn-tick");
      if (!tick) {
        tick = element("span", {class: "attn-tick"});
        link.after(tick);
      }
      const isDone = done === exercises.length;
      tick.textContent = done ? (isDone ? "✓" : `${done}/${exercises.length}`) : "";
      tick.setAttribute("title", done ? `${title}: ${done} of ${exercises.length} exercises solved` : "");
    }
  }
}

/** @param {HTMLElement} place */
function progressPanel(place) {
  const {chapters} = course();
  const total = chapters.reduce((sum, {exercises}) => sum + exercises.length, 0);
  const sum = element("p", {});
  const list = element("ul", {class: "attn-chapters"});
  const said = element("p", {role: "status"});
  const chosen = element("input", {type: "file", accept: ".json,application/json", hidden: true});
  chosen.addEventListener("change", async () => {
    const [file] = chosen.files ?? [];
    if (file) said.textContent = imported(await file.text());
    chosen.value = "";
  });
  let sure = 0;
  const clearing = element("button", {type: "button", click() {
    if (!sure) {
      clearing.textContent = "Press again to forget all of it";
      said.textContent = "Answers, ticks and guesses in this browser would be gone; save them first.";
      sure = setTimeout(() => {
        sure = 0;
        clearing.textContent = "Forget all";
        said.textContent = "";
      }, 8000);
      return;
    }
    clearTimeout(sure);
    sure = 0;
    clearing.textContent = "Forget all";
    forgetAll();
    location.reload();
  }}, "Forget all");
  const buttons = element("div", {class: "attn-tools"},
    element("button", {type: "button", click: () => saveToFile(said)}, "Save to a file"),
    element("button", {type: "button", click: () => chosen.click()}, "Load from a file"),
    clearing, chosen);
  place.append(sum, list, buttons, said);

  function draw() {
    const done = chapters.map(({exercises}) => solvedOf(exercises));
    sum.textContent = `${done.reduce((a, b) => a + b, 0)} of ${total} exercises solved. This is kept `
      + "in this browser and nowhere else.";
    list.replaceChildren(...chapters.map(({slug, title, exercises}, i) => element("li", {},
      element("a", {href: fromRoot(`book/exercises/${slug}.html`)}, title),
      element("progress", {
        value: String(done[i]), max: String(exercises.length),
        "aria-label": `${title}: ${done[i]} of ${exercises.length}`,
      }), element("span", {}, `${done[i]}/${exercises.length}`))));
  }
  draw();
  watchStore(draw);
}

/** @param {HTMLElement} said */
function saveToFile(said) {
  const address = URL.createObjectURL(new Blob([exported()], {type: "application/json"}));
  const link = element("a", {href: address, download: "course_attn-progress.json"});
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  said.textContent = "Saved as course_attn-progress.json. Another browser loads it here, and a "
    + "notebook reads it with progress(\"course_attn-progress.json\").";
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
    keep(LAST, JSON.stringify({
      page, section: at?.closest("section")?.id ?? "",
      title: wordsOf(document.querySelector("h1")), heading: wordsOf(at ?? null),
    }));
  });
}

/**
 * The words of a heading, without its number and its link.
 *
 * @param {Element | null} heading
 */
function wordsOf(heading) {
  const words = [...heading?.childNodes ?? []].filter((node) =>
    !(node instanceof Element && node.matches(".headerlink, .section-number")));
  return words.map((node) => node.textContent).join("").trim();
}

/** On the first page: what is done, below the map of the chapters. */
function progressBelowMap() {
  const map = document.querySelector(".chapter-map");
  if (!map) return;
  const panel = element("div", {class: "attn-progress"});
  map.after(element("details", {class: "attn-mine"}, element("summary", {}, "Your progress"), panel));
}

/** On the first page: the way back. */
function offerPlace() {
  const map = document.querySelector(".chapter-map");
  const kept = recall(LAST);
  if (!map || !kept) return;
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
  paragraph.before(element("p", {class: "attn-continue"}, element("strong", {},
    element("a", {href: fromRoot(place.page + anchor)}, "Continue where you left off: "
      + [place.title, place.heading].filter(Boolean).map(String).join(", ")))));
}

addEventListener("DOMContentLoaded", () => {
  progressBelowMap();
  for (const place of document.querySelectorAll(".attn-progress")) {
    progressPanel(/** @type {HTMLElement} */ (place));
  }
  offerPlace();
  rememberPlace();
  watchStore(tickLists);
  tickLists();
});
