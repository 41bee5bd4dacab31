// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { wordOf } from "./scratch.js";

test("numbers have three digits and a true minus, masks have signs, and text stays", () => {
  const words = [-0.12345, 1e9, 0, 2].map((entry) => wordOf(entry));
  assert.deepEqual(words, ["−0.123", "1000000000", "0", "2"]);
  assert.deepEqual([1, 0].map((entry) => wordOf(entry, true)), ["✓", "·"]);
  assert.equal(wordOf("nan", true), "nan");
});
