// @ts-check
// How the search ranks: which words are the same, and what counts more than what.

import MiniSearch from "./vendor/minisearch.js";
import { stemmer } from "./vendor/stemmer.js";

/**
 * @typedef {{page: string, weight: number, title: string, heading: string, anchor: string, terms: string, code: string, text: string}} Section
 * @typedef {{page: string, score: number, sections: Section[], words: string[]}} Found
 */

// Words of a question that say nothing of what it asks for.
const EMPTY = new Set(
  ("a an and are as at be by can do does for from how i in is it its me of on or s stand than that the this through to " +
    "use was what when where which who why with work you your vs").split(" "),
);

/** Words as they are compared: √d is root and d, n² is n2, QKᵀ is q, k and t, `MultiheadAttention` two. */
export const wordsOf = (/** @type {string} */ text) =>
  text.replace(/PyTorch/g, "pytorch").replace(/√/g, " root ").replace(/QK/g, " q k ").replace(/[⊤ᵀ]/g, " t ")
    .replace(
      /([\p{Ll}\d])(\p{Lu}\p{Ll})/gu,
      "$1 $2",
    )
    .normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
    .split(/[^\p{L}\p{N}]+/u).filter(Boolean);

/** The stem of a word, British spelling as American; nothing for a word that says nothing. */
export const stemOf = (/** @type {string} */ word) => {
  if (EMPTY.has(word)) return null;
  return stemmer(word.replace(/is(e|ed|es|er|ing|ation|ations)$/, "iz$1").replace(/our$/, "or"));
};

// Two words written as one or with a hyphen are found either way: multi-head, multihead.
const joined = (/** @type {string} */ text) =>
  [...text.matchAll(/\p{L}+-\p{L}+/gu)].map(([pair]) => pair.replace("-", "")).join(" ");

/** An index of sections, whose numbers are their places in the list. */
export const sectionIndex = (/** @type {Section[]} */ sections) => {
  const index = new MiniSearch({
    fields: ["heading", "title", "terms", "code", "text"],
    tokenize: wordsOf,
    processTerm: stemOf,
  });
  index.addAll(sections.map(({ page, title, heading, terms, code, text }, id) => ({
    id,
    title: `${title} ${page.replace(/.*\//, "")}`,
    heading: `${heading} ${joined(heading)}`,
    terms: `${terms} ${joined(terms)}`,
    code,
    text,
  })));
  return index;
};

/** The pages that answer a query, best first, each with its sections, best first. */
export const rankPages = (
  /** @type {MiniSearch} */ index,
  /** @type {Section[]} */ sections,
  /** @type {string} */ query,
) => {
  const hits = index.search(query, {
    boost: { heading: 6, title: 4, terms: 4 },
    prefix: (/** @type {string} */ term) => term.length > 3,
    fuzzy: (/** @type {string} */ term) => (term.length > 5 ? 0.2 : false),
    boostDocument: (/** @type {number} */ id) => sections[id].weight,
  });
  /** @type {Map<string, Found>} */
  const pages = new Map();
  for (const { id, score, terms } of hits) {
    const section = sections[id];
    const page = pages.get(section.page) ?? { page: section.page, score: 0, sections: [], words: [] };
    // A page that answers in several sections is about it; each of them counts half the one before.
    page.score += score / 2 ** page.sections.length;
    page.sections.push(section);
    page.words.push(...terms);
    pages.set(section.page, page);
  }
  return [...pages.values()].sort((one, other) => other.score - one.score);
};

const BEFORE = 60, SHOWN = 220;

/** A stretch of text around the first of some stems, in pieces that say whether they are one of them. */
export const wordsAround = (/** @type {string} */ text, /** @type {string[]} */ stems) => {
  const wanted = new Set(stems);
  const isFound = (/** @type {string} */ word) =>
    wordsOf(word).some((part) => wanted.has(stemOf(part) ?? ""));
  const words = [...text.matchAll(/[^\s]+/g)];
  const first = words.find(([word]) => isFound(word))?.index ?? 0;
  const start = words.find(({ index }) => index >= first - BEFORE)?.index ?? 0;
  const end = text.length <= start + SHOWN ? text.length : text.lastIndexOf(" ", start + SHOWN);
  const pieces = text.slice(start, end).split(/(\s+)/).map((piece) => ({
    text: piece,
    found: isFound(piece),
  }));
  const cut = (/** @type {boolean} */ is, /** @type {string} */ sign) =>
    is ? [{ text: sign, found: false }] : [];
  return [...cut(start > 0, "… "), ...pieces, ...cut(end < text.length, " …")];
};
