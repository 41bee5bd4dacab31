// @ts-check
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import * as store from "./store.js";

/** @type {Map<string, string>} what the browser keeps */
const kept = new Map();
/** @type {string} the error of a browser that keeps nothing, or nothing */
let refusal = "";
const storage = {
  get length() {
    return kept.size;
  },
  key: (/** @type {number} */ i) => [...kept.keys()][i] ?? null,
  getItem: (/** @type {string} */ key) => kept.get(key) ?? null,
  removeItem: (/** @type {string} */ key) => kept.delete(key),
  setItem(/** @type {string} */ key, /** @type {string} */ text) {
    if (refusal) throw new DOMException("no", refusal);
    kept.set(key, text);
  },
};
Object.defineProperty(globalThis, "localStorage", { value: storage });
const exercises = ["softmax", "a", "b", "y"];
Object.assign(globalThis, { courseFacts: { chapters: [{ slug: "one", title: "One", exercises }] } });

beforeEach(() => {
  refusal = "";
  store.forgetAll();
  kept.clear();
});

test("what is kept has the book's name, and what is of others stays", () => {
  kept.set("other", "1");
  assert.equal(store.keep("card:b", "2"), null);
  store.keep("card:a", "1");
  store.markSolved("softmax");
  const solved = store.solvedAt("softmax");
  assert.match(solved ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
  kept.set("course_attn:passed:softmax", "first");
  store.markSolved("softmax");
  assert.equal(store.solvedAt("softmax"), "first");
  assert.deepEqual(store.keptKeys("card:"), ["card:a", "card:b"]);
  store.forgetAll();
  assert.deepEqual([...kept], [["other", "1"]]);
});

test("who watches hears of each change", () => {
  let times = 0;
  store.watchStore(() => times++);
  store.keep("answer:x", "1");
  store.forget("answer:x");
  assert.equal(times, 2);
});

for (const [kind, words] of [["SecurityError", "keeps nothing here"], ["QuotaExceededError", "is full"]]) {
  test(`after a ${kind} all is remembered until the page is left, and can be saved`, () => {
    refusal = kind;
    assert.match(store.keep("answer:x", "1") ?? "", new RegExp(words));
    assert.equal(store.recall("answer:x"), "1");
    assert.deepEqual(store.keptKeys(""), ["answer:x"]);
    assert.deepEqual(JSON.parse(store.exported()).answers, { x: "1" });
    assert.match(
      store.imported('{"version": 2, "passed": {"y": "2026"}}'),
      new RegExp(`1 solved .* ${words}`),
    );
    assert.equal(kept.size, 0);
    refusal = "";
    assert.equal(store.keep("answer:x", "2"), null);
    assert.equal(kept.get("course_attn:answer:x"), "2");
  });
}

test("a browser that refuses even to look has kept nothing", () => {
  const { getItem } = storage;
  storage.getItem = () => {
    throw new DOMException("no", "SecurityError");
  };
  assert.equal(store.recall("answer:x"), null);
  storage.getItem = getItem;
});

test("what is saved is taken over elsewhere as it was", () => {
  const all = {
    "passed:softmax": "2026-01-02",
    "answer:softmax": "def",
    "predict:a": "{}",
    "card:a/b": "2026-01-02 1",
  };
  for (const [key, text] of Object.entries(all)) store.keep(key, text);
  const file = store.exported();
  store.forgetAll();
  assert.equal(
    store.imported(file),
    "Taken over: 1 solved exercise and 1 answer, and 1 card that were not here yet.",
  );
  assert.deepEqual(Object.fromEntries(store.keptKeys("").map((key) => [key, store.recall(key)])), all);
});

test("what is here already stays; of a card, the later answer counts", () => {
  const here = {
    "answer:a": "mine",
    "card:older": "2026-03-02 4",
    "card:newer": "2026-03-01 1",
    "card:bad": "x",
  };
  for (const [key, text] of Object.entries(here)) store.keep(key, text);
  const file = {
    version: 1,
    passed: { softmax: 3 },
    answers: { a: "theirs", b: "new" },
    cards: {
      older: "2026-02-02 5",
      newer: "2026-03-02 0",
      bad: "2026-01-01 0",
      damaged: "tomorrow",
      number: 7,
    },
  };
  assert.match(store.imported(JSON.stringify(file)), /0 solved exercises and 1 answer, and 2 cards that/);
  assert.deepEqual(Object.fromEntries(store.keptKeys("").map((key) => [key, store.recall(key)])), {
    "answer:a": "mine",
    "answer:b": "new",
    "card:bad": "2026-01-01 0",
    "card:newer": "2026-03-02 0",
    "card:older": "2026-03-02 4",
  });
});

test("a file that is not ours is named and changes nothing", () => {
  store.keep("answer:a", "mine");
  /** @type {[string, RegExp][]} */
  const cases = [
    ["", /damaged/],
    ["{", /damaged/],
    ["[1]", /not a file of this course/],
    ["null", /not a file of this course/],
    ['{"version": 2}', /not a file of this course/],
    ['{"passed": {"b": "1"}, "version": 2, "book": "<b>x</b>"}', /another book, “<b>x<\/b>”/],
    ['{"passed": {"b": "1"}, "version": 9}', /newer edition/],
    ['{"passed": {"b": "1"}}', /does not say which edition of the course saved it\. Nothing/],
    ['{"passed": {"b": "1"}, "version": "2"}', /does not say which edition/],
    ['{"passed": {"b": "1"}, "version": 0}', /does not say which edition/],
    ['{"passed": {"softmax": 3}, "version": 2}', /0 solved exercises/],
    [" ".repeat(5_000_001), /too large/],
  ];
  for (const [text, said] of cases) assert.match(store.imported(text), said);
  assert.deepEqual([...kept], [["course_attn:answer:a", "mine"]]);
});

test("exercises that the course does not have are left out, and an empty time is none", () => {
  kept.set("course_attn:passed:b", "");
  assert.equal(store.solvedAt("b"), null);
  const junk = Object.fromEntries(Array.from({ length: 1200 }, (_, i) => ["junk" + i, "y".repeat(4000)]));
  const file = {
    version: 2,
    passed: { softmax: "", b: "2026", other: "2026" },
    answers: { ...junk, a: "def", __proto__x: "1" },
    questions: "no",
    cards: [1],
  };
  assert.equal(
    store.imported(JSON.stringify(file)),
    "Taken over: 1 solved exercise and 1 answer that were not here yet. " +
      "Left out: 1202 exercises that this course does not have.",
  );
  assert.deepEqual(store.keptKeys(""), ["answer:a", "passed:b"]);
  assert.equal(store.solvedAt("b"), "2026");
});
