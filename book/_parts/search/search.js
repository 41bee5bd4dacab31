// @ts-check
// What the search page does: it ranks the sections of the book for a query, gathers them by page, and
// shows each page with the sections that answer best and a few words of theirs. MiniSearch keeps the
// index and ranks by BM25; what counts as the same word is decided here.

import { rankPages, sectionIndex, wordsAround } from "./ranking.js";

/** @typedef {import("./ranking.js").Section} Section */

const PAGES_SHOWN = 12, SHOWN_OF_A_PAGE = 3;

const link = (/** @type {Section} */ { page, anchor }, /** @type {string} */ text) => {
  const made = document.createElement("a");
  made.href = `${document.documentElement.dataset.content_root ?? ""}${page}.html${anchor && `#${anchor}`}`;
  made.textContent = text;
  return made;
};

const excerpt = (/** @type {Section} */ section, /** @type {string[]} */ words) => {
  const line = document.createElement("p");
  line.className = "context";
  for (const { text, found } of wordsAround(section.text, words)) {
    const part = document.createElement(found ? "mark" : "span");
    part.textContent = text;
    line.append(part);
  }
  return line;
};

const pageItem = (/** @type {import("./ranking.js").Found} */ { sections, words }) => {
  const item = document.createElement("li");
  item.append(link({ ...sections[0], anchor: "" }, sections[0].title));
  const inside = document.createElement("ul");
  for (const section of sections.slice(0, SHOWN_OF_A_PAGE)) {
    const line = document.createElement("li");
    if (section.anchor) line.append(link(section, section.heading));
    line.append(excerpt(section, words));
    inside.append(line);
  }
  item.append(inside);
  return item;
};

const show = (/** @type {HTMLElement} */ place, /** @type {Section[]} */ sections) => {
  const query = new URLSearchParams(location.search).get("q")?.trim() ?? "";
  for (const field of document.querySelectorAll("input[name=q]")) {
    if (field instanceof HTMLInputElement) field.value = query;
  }
  if (!query) return;
  const pages = rankPages(sectionIndex(sections), sections, query);
  const told = document.createElement("p");
  told.className = "search-summary";
  told.setAttribute("role", "status");
  const shown = pages.slice(0, PAGES_SHOWN);
  const count = pages.length === 1 ? "One page" : `${pages.length} pages`;
  const which = shown.length < pages.length ? `the ${shown.length} best` : "the best first";
  told.textContent = pages.length
    ? `${count} for “${query}”, ${which}.`
    : `Nothing for “${query}”. Try fewer words, or one that the index or the glossary has.`;
  const list = document.createElement("ol");
  list.className = "attn-found";
  list.append(...shown.map(pageItem));
  place.replaceChildren(told, list);
};

const place = document.getElementById("search-results");
if (place) show(place, /** @type {any} */ (self).courseSections ?? []);
