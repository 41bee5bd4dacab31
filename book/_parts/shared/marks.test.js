// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { partsOf } from "./marks.js";

test("code, formulas and emphasis are found, and nothing else is a mark", () => {
  assert.deepEqual(partsOf("Is `<b>` $x_1$ or *this one*?"), [
    ["", "Is "],
    ["code", "<b>"],
    ["", " "],
    ["math", "x_1"],
    ["", " or "],
    ["em", "this one"],
    ["", "?"],
  ]);
  for (const plain of ["", "a * b * c", "2 * 3", "one ` alone", "``", "$5"]) {
    assert.deepEqual(partsOf(plain), plain ? [["", plain]] : []);
  }
  assert.deepEqual(partsOf("`a * b` and `*c*`").map(([kind]) => kind), ["code", "", "code"]);
});
