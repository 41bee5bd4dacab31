// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { arrowed, arrowhead, brief, clip, listed, nudge, powered, quoted } from "./kit.js";
import { reached, read, spelled, turned, written } from "./kit.js";

const plain = { shiftKey: false, ctrlKey: false, altKey: false, metaKey: false };
const pressed = (/** @type {string} */ key) => ({ key, ...plain });

test("written: so many decimals, a true minus, no sign for what rounds to 0", () => {
  assert.deepEqual([0.5, -1.005, -0.001, -0, 2].map((x) => written(x)), [
    ...["0.50", "−1.00", "0.00", "0.00", "2.00"],
  ]);
  assert.equal(written(-0.04, 1), "0.0");
  assert.deepEqual([Infinity, -Infinity, NaN].map((x) => written(x)), ["∞", "−∞", "undefined"]);
});

test("brief: as short as it goes, and zeros before the point stay", () => {
  assert.deepEqual([2, -0.5, Math.SQRT2, 100, -1e-9].map((x) => brief(x)), [
    ...["2", "−0.5", "1.414", "100", "0"],
  ]);
  assert.equal(brief(10, 0), "10");
});

test("powered: a number near 0 by its power of ten", () => {
  assert.deepEqual([0, 1, -0.005, 0.0049, -3.14e-12].map((x) => powered(x)), [
    ...["0.00", "1.00", "−0.01", "5·10⁻³", "−3·10⁻¹²"],
  ]);
  assert.equal(powered(3.14159e-7, 3), "3.14·10⁻⁷");
});

test("read: also a decimal comma, a true minus, a fraction", () => {
  assert.deepEqual(["2", " −0,5 ", "1/4", "-1/-4", ".5", "1e-3", "3."].map((text) => read(text)), [
    ...[2, -0.5, 0.25, 0.25, 0.5, 0.001, 3],
  ]);
});

test("read: what is wrong with a text", () => {
  assert.equal(read(" "), "is empty");
  for (const text of ["two", "1/2/3", "1/", "0/0", "1 2", "0x10", "--1"]) {
    assert.equal(read(text), `holds “${text}”, which is not a number`);
  }
  assert.equal(read("abcdefghijklmnop"), "holds “abcdefghijkl…”, which is not a number");
  assert.equal(read("1001"), "holds “1001”, which is not from −1000 to 1000");
  assert.equal(read("1/0", 5), "holds “1/0”, which is not from −5 to 5");
  assert.equal(read("-0.1", 1, 0), "holds “-0.1”, which is not from 0 to 1");
});

test("clip: the nearest number within a range", () => {
  assert.deepEqual([-2, 0.5, 2].map((x) => clip(x, -1, 1)), [-1, 0.5, 1]);
});

test("turned: the shorter way around", () => {
  const degrees = (/** @type {number} */ a, /** @type {number} */ b) =>
    Math.round(turned(a * Math.PI / 180, b * Math.PI / 180) * 180 / Math.PI);
  assert.deepEqual([degrees(0, 90), degrees(10, 350), degrees(-170, 170)], [90, -20, -20]);
});

test("arrowhead: a tip and two corners behind it", () => {
  assert.equal(arrowhead(10, 5, [1, 0], 4, 2), "10,5 6,7 6,3");
  assert.equal(arrowhead(0, 0, [0, -1], 4, 2), "0,0 2,4 -2,4");
});

test("arrowed: right and up, and nothing with a modifier or for another key", () => {
  const keys = ["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown", "a"];
  assert.deepEqual(keys.map((key) => arrowed(pressed(key))), [[1, 0], [-1, 0], [0, 1], [0, -1], undefined]);
  for (const modifier of ["ctrlKey", "altKey", "metaKey"]) {
    assert.equal(arrowed({ ...pressed("ArrowUp"), [modifier]: true }), undefined);
  }
});

test("reached: one square on, the ends of the row, and nothing with a modifier", () => {
  const keys = ["ArrowRight", "ArrowDown", "Home", "End", "Tab"];
  assert.deepEqual(keys.map((key) => reached(pressed(key), 1, 2, 4)), [
    ...[[1, 3], [2, 2], [1, 0], [1, 3], undefined],
  ]);
  assert.equal(reached({ ...pressed("Home"), ctrlKey: true }, 1, 2, 4), undefined);
});

test("nudge: Shift goes ten times as far, Page up and down as well, Home and End to the ends", () => {
  const keys = ["ArrowUp", "PageUp", "PageDown", "Home", "End", "x"];
  assert.deepEqual(keys.map((key) => nudge(pressed(key), 60)), [
    ...[[0, 1], [0, 10], [0, -10], [-60, 0], [60, 0], undefined],
  ]);
  assert.deepEqual(nudge({ ...pressed("ArrowLeft"), shiftKey: true }, 60), [-10, 0]);
  assert.deepEqual(nudge({ ...pressed("PageUp"), shiftKey: true }, 60), [0, 10]);
});

test("quoted, spelled: a character has a name where it has no shape", () => {
  assert.deepEqual([" ", "\n", "a"].map(quoted), ["a space", "a new line", "“a”"]);
  assert.deepEqual(["é", "\t", "\u200b", "🙂"].map(spelled), ["“é”", "the tab", "U+200B", "“🙂”"]);
});

test("listed: with an and", () => {
  const lists = [[], ["a"], ["a", "b"], ["a", "b", "c"]];
  assert.deepEqual(lists.map(listed), ["", "a", "a and b", "a, b and c"]);
});
