// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { caught, inWords, spelled, weights_at, with_weight } from "./value_triangle.js";

/** @type {[number, number][]} */
const CORNERS = [[0, 0], [4, 0], [0, 2]];

test("weights_at: at a corner, inside, outside", () => {
  assert.deepEqual(weights_at([4, 0], CORNERS), [0, 1, 0]);
  assert.deepEqual(weights_at([1, 1], CORNERS), [0.25, 0.25, 0.5]);
  assert.deepEqual(weights_at([4, 2], CORNERS), [-1, 1, 1]);
});

test("with_weight: the others keep their proportion, and share equally if they were 0", () => {
  assert.deepEqual(with_weight([0.5, 0.25, 0.25], 0, 0), [0, 0.5, 0.5]);
  assert.deepEqual(with_weight([0.25, 0.75, 0], 2, 0.5), [0.125, 0.375, 0.5]);
  assert.deepEqual(with_weight([1, 0, 0], 0, 0.5), [0.5, 0.25, 0.25]);
  assert.deepEqual(with_weight([-1, 1, 1], 1, 0.5), [0, 0.5, 0.5]);
});

test("caught: near an edge, near a corner, not inside and not far outside", () => {
  assert.deepEqual(caught([0.01, 0.5, 0.49])?.map((a) => Number(a.toFixed(3))), [0, 0.505, 0.495]);
  assert.deepEqual(caught([-0.01, 1.005, 0.005]), [0, 1, 0]);
  assert.equal(caught([0.2, 0.3, 0.5]), undefined);
  assert.equal(caught([-0.1, 0.6, 0.5]), undefined);
});

test("spelled: products of weights and values", () => {
  assert.equal(
    spelled([-1, 1, 1], CORNERS, [4, 2]),
    "y = (−1.00)·(0, 0) + 1.00·(4, 0) + 1.00·(0, 2) = (4.00, 2.00)",
  );
});

test("inWords: inside, on an edge, on a corner, outside", () => {
  assert.equal(
    inWords([0.25, 0.25, 0.5], [1, 1]),
    "The average (1.00, 1.00) lies inside the triangle. Its weights are 0.25, 0.25, 0.50; their sum is 1.",
  );
  assert.match(inWords([0.5, 0, 0.5], [0, 1]), /lies on the edge from x₁ to x₃\./);
  assert.match(inWords([0, 1, 0], [4, 0]), /lies on the corner x₂\./);
  assert.equal(
    inWords([-1, 1, 1], [4, 2]),
    "(4.00, 2.00) lies outside the triangle. The only weights of sum 1 that give it are −1.00, 1.00, " +
      "1.00, and a₁ is negative: no average gets there.",
  );
  assert.match(inWords([-1, 3, -1], [9, -1]), /and a₁ and a₃ are negative/);
});
