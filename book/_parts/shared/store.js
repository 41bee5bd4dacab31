// @ts-check
// What the browser keeps for its reader: answers, what is solved, ticks. It leaves the browser only
// in the file that the reader asks for.

import { course } from "./course.js";

// Pages opened from a folder share one storage with all other files on some browsers: each key
// begins with the name of this book.
const BOOK = "course_attn";
const PREFIX = BOOK + ":";
const VERSION = 2;

/**
 * What could not be written to the browser's storage, so that the page works on without it.
 * @type {Map<string, string>}
 */
const unwritten = new Map();

/** @type {Set<() => void>} */
const watchers = new Set();

/**
 * Call something whenever what is kept has changed, in this tab or in another.
 *
 * @param {() => void} changed
 */
export function watchStore(changed) {
  watchers.add(changed);
}

function tellWatchers() {
  for (const changed of watchers) changed();
}

addEventListener("storage", (event) => {
  if (event.key === null || event.key.startsWith(PREFIX)) tellWatchers();
});

/**
 * Return what was kept under a key, or null.
 *
 * @param {string} key
 * @returns {string | null}
 */
export function recall(key) {
  if (unwritten.has(key)) return unwritten.get(key) ?? null;
  try {
    return localStorage.getItem(PREFIX + key);
  } catch {
    return null; // a browser that keeps nothing refuses even to look
  }
}

/**
 * Keep a text under a key; return null, or a sentence for the reader where it is not kept.
 *
 * @param {string} key
 * @param {string} text
 * @returns {string | null}
 */
export function keep(key, text) {
  let trouble = null;
  try {
    localStorage.setItem(PREFIX + key, text);
    unwritten.delete(key);
  } catch (error) {
    unwritten.set(key, text);
    trouble = whyNotKept(error);
  }
  tellWatchers();
  return trouble;
}

/** @param {unknown} error */
function whyNotKept(error) {
  const isFull = error instanceof DOMException && error.name === "QuotaExceededError";
  return (isFull
    ? "The browser's storage for this book is full"
    : "This browser keeps nothing here (is it a private window?)") +
    ", so this is remembered only until you leave the page. “Save to a file” keeps it.";
}

/**
 * Forget what was kept under a key.
 *
 * @param {string} key
 */
export function forget(key) {
  unwritten.delete(key);
  try {
    localStorage.removeItem(PREFIX + key);
  } catch {
    // Nothing was kept.
  }
  tellWatchers();
}

/** Forget everything that was kept for this book. */
export function forgetAll() {
  for (const key of keptKeys("")) forget(key);
}

/**
 * Return the keys that begin so.
 *
 * @param {string} start
 * @returns {string[]}
 */
export function keptKeys(start) {
  const keys = new Set(unwritten.keys());
  try {
    for (let i = 0; i < localStorage.length; i++) {
      const key = localStorage.key(i) ?? "";
      if (key.startsWith(PREFIX)) keys.add(key.slice(PREFIX.length));
    }
  } catch {
    // Nothing is kept.
  }
  return [...keys].filter((key) => key.startsWith(start)).sort();
}

/**
 * Return when an exercise was first solved, or null: an empty text says no time.
 *
 * @param {string} exercise
 */
export function solvedAt(exercise) {
  return recall("passed:" + exercise) || null;
}

/**
 * Remember that an exercise is solved; return a sentence where that is not kept.
 *
 * @param {string} exercise
 */
export function markSolved(exercise) {
  if (solvedAt(exercise)) return null;
  return keep("passed:" + exercise, new Date().toISOString().slice(0, 19) + "+00:00");
}

/** Return all that is kept, as the text of a file that notebooks read, too. */
export function exported() {
  const part = (/** @type {string} */ kind) =>
    Object.fromEntries(
      keptKeys(kind + ":").map((key) => [key.slice(kind.length + 1), recall(key) ?? ""]),
    );
  const all = {
    book: BOOK,
    version: VERSION,
    passed: part("passed"),
    answers: part("answer"),
    questions: part("predict"),
    cards: part("card"),
  };
  return JSON.stringify(all, null, 1) + "\n";
}

const MOST_TEXT = 5_000_000;
// When a card was answered, and its box (cards.js): of two such, the later in the alphabet is newer.
const CARD = /^\d{4}-\d\d-\d\d [0-5]$/;

/**
 * Take over what a file holds that `exported` wrote, here or elsewhere. What is there already is
 * kept: an answer in the file replaces one on the page only where the reader has none. Of a card,
 * the later answer counts.
 *
 * @param {string} text
 * @returns {string} what to tell the reader
 */
export function imported(text) {
  if (text.length > MOST_TEXT) return "This file is too large to be one of this course.";
  let read;
  try {
    read = JSON.parse(text);
  } catch {
    return "This file cannot be read: it is damaged, or not a file of this course. Nothing was changed.";
  }
  if (!isObject(read) || !isObject(read.passed)) {
    return "This is not a file of this course. Nothing was changed.";
  }
  if (read.book !== undefined && read.book !== BOOK) {
    return `This file belongs to another book, “${String(read.book).slice(0, 80)}”. Nothing was changed.`;
  }
  if (!(Number.isInteger(read.version) && read.version > 0)) {
    return "This file does not say which edition of the course saved it. Nothing was changed.";
  }
  if (read.version > VERSION) {
    return "This file was saved by a newer edition of the course, which this page cannot read. " +
      "Nothing was changed.";
  }
  return takenOver({
    passed: read.passed,
    answer: read.answers,
    predict: read.questions,
    card: read.cards,
  });
}

/** @param {unknown} value */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Keep what is new, and say how much that was.
 *
 * @param {Record<"passed" | "answer" | "predict" | "card", unknown>} parts
 */
function takenOver(parts) {
  const ours = new Set(course().chapters.flatMap(({ exercises }) => exercises));
  const taken = { passed: 0, answer: 0, predict: 0, card: 0 }, foreign = new Set();
  let trouble = null;
  for (const kind of /** @type {(keyof typeof taken)[]} */ (Object.keys(taken))) {
    const entries = /** @type {object} */ (isObject(parts[kind]) ? parts[kind] : {});
    for (const [name, value] of Object.entries(entries)) {
      if (["passed", "answer"].includes(kind) && !ours.has(name)) foreign.add(name);
      else if (typeof value === "string" && isNew(kind, name, value)) {
        trouble = keep(kind + ":" + name, value) ?? trouble;
        taken[kind]++;
      }
    }
  }
  const cards = taken.card ? `, and ${counted(taken.card, "card")}` : "";
  const said = [
    `Taken over: ${counted(taken.passed, "solved exercise")} and ` +
    `${counted(taken.answer, "answer")}${cards} that were not here yet.`,
    foreign.size ? `Left out: ${counted(foreign.size, "exercise")} that this course does not have.` : "",
    trouble,
  ];
  return said.filter(Boolean).join(" ");
}

/**
 * Whether a file has something that is not here yet; of a card, a later answer.
 *
 * @param {string} kind
 * @param {string} name
 * @param {string} value
 */
function isNew(kind, name, value) {
  if (kind === "passed") return value !== "" && solvedAt(name) === null;
  const here = recall(kind + ":" + name);
  if (kind !== "card") return here === null;
  return CARD.test(value) && !(here && CARD.test(here) && here >= value);
}

/**
 * @param {number} n
 * @param {string} noun
 */
function counted(n, noun) {
  return n + " " + noun + (n === 1 ? "" : "s");
}

// For the scripts that a page loads besides (shared.js).
Object.assign(self, {
  courseStore: { recall, keep, keptKeys, watchStore, exported, imported, forgetAll, solvedAt },
});
