// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { indentAfter, spacesFrom } from "./editor.js";

test("Tab leads to the next stop of four", () => {
  assert.deepEqual([0, 1, 3, 4, 6].map((column) => spacesFrom(column).length), [4, 3, 1, 4, 2]);
});

test("a new line is as deep as the one before, and deeper below the head of a block", () => {
  assert.equal(indentAfter("  x = 1"), "  ");
  assert.equal(indentAfter("def f(x: int):"), "    ");
  assert.equal(indentAfter("    if x:  # why"), "        ");
  assert.equal(indentAfter("x: int = 3"), "");
});
