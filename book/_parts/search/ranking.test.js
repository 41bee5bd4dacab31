// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { rankPages, sectionIndex, stemOf, wordsAround, wordsOf } from "./ranking.js";

const section = (/** @type {string} */ page, /** @type {string} */ heading, text = "", terms = "") => ({
  page,
  weight: 1,
  title: page,
  heading,
  anchor: heading,
  terms,
  code: "",
  text,
});

const ranked = (/** @type {import("./ranking.js").Section[]} */ sections, /** @type {string} */ query) =>
  rankPages(sectionIndex(sections), sections, query);

test("signs are words, and names of code have several", () => {
  assert.deepEqual(wordsOf("Why divide by √d_k?"), ["why", "divide", "by", "root", "d", "k"]);
  assert.deepEqual(wordsOf("O(n²), QKᵀ"), ["o", "n2", "q", "k", "t"]);
  assert.deepEqual(wordsOf("nn.MultiheadAttention"), ["nn", "multihead", "attention"]);
  assert.deepEqual(wordsOf("Schrödinger"), ["schrodinger"]);
});

test("forms and spellings of a word are one, and a question's empty words are none", () => {
  for (
    const [one, other] of [["masks", "masking"], ["normalisation", "normalization"], ["colour", "color"]]
  ) {
    assert.equal(stemOf(one), stemOf(other), one);
  }
  assert.equal(stemOf("what"), null);
});

test("a heading counts more than a term, a term more than text, and more sections more than one", () => {
  const sections = [
    section("text", "Other", "a mask and more that is said of it"),
    section("term", "Other", "nothing", "mask"),
    section("heading", "Mask", "nothing"),
  ];
  assert.deepEqual(ranked(sections, "mask").map(({ page }) => page), ["heading", "term", "text"]);
  const twice = [section("once", "Mask one"), section("twice", "Mask one"), section("twice", "Mask two")];
  assert.equal(ranked(twice, "mask")[0].page, "twice");
});

test("a page that weighs more comes first where two answer alike", () => {
  const light = section("light", "Mask"), heavy = { ...section("heavy", "Mask"), weight: 2 };
  assert.deepEqual(ranked([light, heavy], "mask").map(({ page }) => page), ["heavy", "light"]);
});

test("a slip of the keys and a missing hyphen still find, and what is nowhere finds nothing", () => {
  const sections = [section("heads", "Multi-head attention"), section("other", "Softmax")];
  for (const query of ["multihead", "multihed attention", "multi head"]) {
    assert.deepEqual(ranked(sections, query).map(({ page }) => page), ["heads"], query);
  }
  assert.deepEqual(ranked(sections, "zebra"), []);
  assert.deepEqual(ranked(sections, "what is the"), []);
});

test("an excerpt begins a little before the first word found, marks it, and shows where it was cut", () => {
  const text = `${"before ".repeat(40)}the masks here${" after".repeat(40)}`;
  const pieces = wordsAround(text, ["mask"]);
  assert.deepEqual(pieces.filter(({ found }) => found).map(({ text }) => text), ["masks"]);
  const said = pieces.map(({ text }) => text).join("");
  assert.ok(said.startsWith("… before") && said.endsWith("after …"));
  assert.ok(said.length < 240 && text.includes(said.slice(2, -2)));
  assert.equal(wordsAround("short", []).map(({ text }) => text).join(""), "short");
});
