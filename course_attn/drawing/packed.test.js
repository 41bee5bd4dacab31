// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromHalves, unpacked } from "./packed.js";

test("every number of 16 bits is read", () => {
  const every = Uint16Array.from({ length: 2 ** 16 }, (_, bits) => bits);
  const found = fromHalves(every), wanted = new Float16Array(every.buffer);
  assert.ok(every.every((bits) => Object.is(found[bits], wanted[bits])));
});

test("a packed model has its arrays in their order, and numbers for them", () => {
  const packed = {
    arrays: /** @type {[string, number[]][]} */ ([["a", [2]], ["b", [1, 2]]]),
    data: "ADwAQABCAMQ=",
  };
  const { a, b } = unpacked(packed);
  assert.deepEqual([[...a], [...b]], [[1, 2], [3, -4]]);
  assert.throws(() => unpacked({ ...packed, arrays: [["a", [3]]] }), /4 numbers, but arrays for 3/);
});
