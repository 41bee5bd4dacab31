// @ts-check
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Arrangement, judgeOrder } from "./parsons_order.js";

/** @type {(id: number, text: string, indent: number, parent: number | null) => import("./parsons_order.js").ParsonsLine} */
const line = (id, text, indent, parent) => ({ id, text, indent, parent, fixed: text.startsWith("def ") });
const need = (/** @type {number} */ first, /** @type {number} */ then, lacks = "") => (
  { first, then, says: `${first} before ${then}.`, lacks }
);

/** @type {import("./parsons_order.js").ParsonsData} */
const LOOP = {
  lines: [
    line(0, "def sums(rows):", 0, null),
    line(1, "found = []", 4, 0),
    line(2, "for row in rows:", 4, 0),
    line(3, "total = sum(\n    row)", 8, 2),
    line(4, "found.append(total)", 8, 2),
    line(5, "return found", 4, 0),
  ],
  wrong: [{ ...line(6, "total = max(row)", 8, 2), instead: 3, fault: "max", says: "That is the largest." }],
  before: [need(1, 2, "`found` is missing."), need(3, 4, "`total` is missing."), need(2, 5)],
  pool: [5, 6, 4, 1, 3, 2],
};
/** @type {import("./parsons_order.js").ParsonsData} */
const CLASS = {
  lines: [
    { ...line(0, "class Scale:", 0, null), fixed: true },
    line(1, "def __init__(self, by):", 4, 0),
    line(2, "self.by = by", 8, 1),
    line(3, "def scaled(self, x):", 4, 0),
    line(4, "return self.by * x", 8, 3),
  ],
  wrong: [],
  before: [],
  pool: [4, 2],
};

test("an order is judged in words, about the first line that is wrong", () => {
  for (
    const [order, says, about] of /** @type {[number[], string, number?][]} */ ([
      [[0], "Nothing is chosen yet. Press a line to put it in."],
      [[0, 6], "Line 2 does not belong here. That is the largest.", 6],
      [[0, 2, 1, 6], "Line 4 does not belong here. That is the largest.", 6],
      [[0, 2, 1], "Line 2 stands too early. 1 before 2.", 2],
      [[0, 1, 2, 4, 3], "Line 4 stands too early. 3 before 4.", 4],
      [[0, 5, 1, 2, 3, 4], "Line 2 stands too early. 2 before 5.", 5],
      [
        [0, 1, 3],
        "Line 3 is out of place: the head of its block is missing, a line that ends with a colon.",
        3,
      ],
      [
        [0, 1, 3, 2],
        "Line 3 is out of place: it belongs right below `for row in rows:`, in that block.",
        3,
      ],
      [[0, 2], "Right so far, but a line is missing. `found` is missing.", 2],
      [[0, 1, 2, 4], "Right so far, but a line is missing. `total` is missing.", 4],
      [[0, 1, 2], "Right so far. 3 lines are still missing."],
      [[0, 1, 2, 3, 4], "Right so far. One line is still missing."],
    ])
  ) {
    const judged = judgeOrder(LOOP, order);
    assert.deepEqual([judged.says, judged.line, judged.right], [says, about, false]);
  }
  assert.ok(judgeOrder(LOOP, [0, 1, 2, 3, 4, 5]).right);
});

test("a line in the block of another method is out of place", () => {
  assert.match(judgeOrder(CLASS, [0, 1, 3, 2, 4]).says, /^Line 4 .* below `def __init__\(self, by\):`/);
  assert.ok(judgeOrder(CLASS, [0, 1, 2, 3, 4]).right);
});

let order = new Arrangement(LOOP);
beforeEach(() => order = new Arrangement(LOOP));

test("a line goes below the marked one, and the next to choose from is known", () => {
  assert.equal(order.putIn(2), 3);
  assert.equal(order.putIn(1), 3);
  order.current = 0;
  assert.equal(order.putIn(5), 6);
  assert.deepEqual([order.inside, order.outside, order.current], [[0, 5, 2, 1], [6, 4, 3], 5]);
});

test("a line is moved neither above the head nor below the end, and a given one not at all", () => {
  order.putIn(1);
  assert.deepEqual([order.move(-1), order.move(1)], [false, false]);
  order.putIn(2);
  assert.ok(order.move(-1));
  assert.deepEqual(order.inside, [0, 2, 1]);
  order.current = 0;
  assert.equal(order.move(1), false);
});

test("the line above is marked when one is taken out, and a given line stays", () => {
  order.putIn(1);
  order.putIn(2);
  assert.equal(order.takeOut()?.id, 2);
  assert.deepEqual([order.inside, order.outside.at(-1), order.current], [[0, 1], 2, 1]);
  assert.equal(order.takeOut()?.id, 1);
  assert.equal(order.takeOut(), undefined);
});

test("a lifted line is laid down below the given ones, in either list, or put back", () => {
  order.putIn(1);
  const before = [[...order.outside], [...order.inside]];
  order.lift(3);
  order.lay(3, true, 0);
  assert.deepEqual([order.inside, order.current], [[0, 3, 1], 3]);
  order.lift(3);
  order.lay(3, false, 0);
  assert.deepEqual([order.outside[0], order.inside, order.current], [3, [0, 1], 1]);
  order.lift(1);
  order.lay(1, false, 0);
  assert.equal(order.current, 0);
  order.lift(2);
  order.lay(2, true, 1);
  order.restore(before);
  assert.deepEqual([order.outside, order.inside, order.current], [...before, 0]);
  order.begin();
  assert.deepEqual([order.outside, order.inside, order.current], [LOOP.pool, [0], 0]);
});

test("the answer is typed with its indentation, broken lines and a gap between methods", () => {
  for (const id of [1, 2, 3, 4, 5]) order.putIn(id);
  const loop = ["def sums(rows):", "    found = []", "    for row in rows:", "        total = sum("];
  loop.push("            row)", "        found.append(total)", "    return found", "");
  assert.equal(order.text(), loop.join("\n"));
  const methods = new Arrangement(CLASS);
  assert.equal(methods.current, 3);
  methods.current = 1;
  methods.putIn(2);
  methods.current = 3;
  methods.putIn(4);
  assert.match(methods.text(), /self\.by = by\n\n {4}def scaled\(self, x\):\n {8}return/);
});
