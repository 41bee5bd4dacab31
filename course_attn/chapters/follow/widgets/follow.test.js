// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { among, explained, inWords, size } from "./follow.js";

test("size: without a sign, and nothing for what is infinite", () => {
  assert.deepEqual(["0.50", "−1.25", "−∞"].map(size), [0.5, 1.25, 0]);
});

test("among: a range, the row, the column, the token, one of them and so many on, all", () => {
  const picked = { row: 2, column: 1, token: 4 };
  /** @type {(places: string | [number, number]) => number[]} */
  const places = (which) => [0, 1, 2, 3, 4].filter((k) => among(which, k, picked));
  assert.deepEqual(places([1, 3]), [1, 2]);
  assert.deepEqual(["i", "j", "t", "i1", "j-1", "*"].map(places), [
    ...[[2], [1], [4], [3], [0], [0, 1, 2, 3, 4]],
  ]);
});

test("inWords: the place by its names, the sum, and that there are more decimals", () => {
  const target = {
    table: "x",
    reads: [],
    words: "row {row}, column {column}",
    sums: [["1 + 1", "2"]],
    finer: [[0, 1]],
  };
  const table = { title: "", role: "", values: [], perHead: 0, rows: ["a"], columns: ["b", "c"] };
  assert.equal(inWords(target, table, 0, 0), "row a, column b:\n1 + 1");
  assert.equal(inWords(target, table, 0, 1), "row a, column c (with more decimals):\n2");
});

test("explained: a page with its section in the book, a notebook elsewhere", () => {
  /** @type {any} */
  const [step, whole] = [{ chapter: ["qkv", "Queries", "heads"] }, { chapter: ["qkv", "Queries", ""] }];
  assert.deepEqual([explained(step, true), explained(whole, true)], ["qkv.html#heads", "qkv.html"]);
  assert.equal(explained(step, false), "qkv.ipynb");
});
