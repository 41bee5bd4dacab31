// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { brought, exact, inWords, shift, towards, weights } from "./soft_convolution.js";

const IMAGE = [[0, 1, 2], [3, 4, 5]];
const EDGE = [[0, 0, 0], [-1, 0, 1], [0, 0, 0]];

test("shift and towards: nine heads, row by row", () => {
  assert.deepEqual([0, 4, 5, 7].map(shift), [[-1, -1], [0, 0], [0, 1], [1, 0]]);
  assert.deepEqual([0, 4, 5, 7].map(towards), ["up and left", "at the pixel itself", "right", "down"]);
});

test("exact: by hand, with a border that is continued or 0", () => {
  assert.deepEqual(exact(IMAGE, EDGE, false), [1, 2, 1, 1, 2, 1]);
  assert.deepEqual(exact(IMAGE, EDGE, true), [1, 2, -1, 4, 2, -4]);
});

test("weights and brought: even without sharpness, and with it the pixel that is meant", () => {
  assert.deepEqual(weights(IMAGE, 0, 0)[0].map((a) => Number(a.toFixed(6))), Array(6).fill(0.166667));
  assert.equal(weights(IMAGE, 5, 50)[0].indexOf(1), 1);
  assert.deepEqual(brought(IMAGE, 50)[5].map(Math.round), [1, 2, 2, 4, 5, 5]);
  assert.equal(brought(IMAGE, 50).length, 9);
});

const NOW = {
  ...{ image: IMAGE, head: 5, sharpness: 2.5, errors: [0.1, 0, 0.25, 0, 0, 0], rest: 0 },
  looks: [0, 0.75, 0.25, 0, 0, 0],
};

test("inWords: where the error is largest, and whether the head looks where it should", () => {
  assert.equal(
    inWords({ ...NOW, pixel: [0, 0] }),
    "α = 2.5: the largest error is 0.25, at row 0, column 2. The head that looks right gives 0.75 of " +
      "the weight of row 0, column 0 to row 0, column 1, the pixel meant.",
  );
  assert.match(inWords({ ...NOW, pixel: [0, 1] }), /to row 0, column 1; another is meant\.$/);
  assert.match(inWords({ ...NOW, pixel: [0, 2] }), /to row 0, column 1; what is meant lies outside\.$/);
});

test("inWords: without sharpness, and what stays however sharp the heads are", () => {
  assert.match(
    inWords({ ...NOW, pixel: [0, 0], sharpness: 0 }),
    /gives every pixel the same weight, 1\/6\.$/,
  );
  assert.match(
    inWords({ ...NOW, pixel: [0, 0], rest: 0.001 }),
    /However sharp the heads, an error of 1·10⁻³/,
  );
});
