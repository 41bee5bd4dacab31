// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { inWords, settled, shape, sharp, wrong } from "./hopfield_memory.js";

const ONES = Array(64).fill(1), STRIPES = ONES.map((_, f) => f % 2 ? -1 : 1);

test("settled: a stored pattern stays, its half is filled up, and what says nothing becomes 1", () => {
  assert.deepEqual(settled([ONES, STRIPES], STRIPES), STRIPES);
  assert.deepEqual(settled([ONES, STRIPES], STRIPES.map((x, f) => f < 32 ? x : 0)), STRIPES);
  assert.deepEqual(settled([STRIPES], STRIPES.map((x) => -x)), STRIPES.map((x) => -x));
  assert.deepEqual(settled([], [0, -1]), [1, 1]);
});

test("settled: a sign does not vote for itself", () => {
  // With its own vote the last sign would stay.
  assert.deepEqual(settled([[1, 1], [1, -1]], [1, -1]), [1, 1]);
});

test("wrong: signs that differ; 0 is not known", () => {
  assert.equal(wrong([1, -1, 1, -1], [0.2, 0.1, 0, -1]), 1);
});

test("sharp: two digits", () => {
  assert.deepEqual([sharp(-2), sharp(0), sharp(0.5)], [0.01, 1, 3.2]);
});

test("shape: a square for each that is black", () => {
  assert.equal(shape([...Array(9).fill(-1), 1, 0]), "M1 1h1v1h-1z");
});

test("inWords: what is unknown, one or several updates, and what the network ends with", () => {
  const now = { name: "T", pattern: ONES, best: "X", weight: 0.756, signs: ONES };
  const half = ONES.map((x, f) => f < 32 ? x : 0), off = ONES.map((x, f) => f ? x : -x);
  assert.equal(
    inWords({ ...now, state: half, updates: 0, signs: STRIPES }),
    "Before the update 32 of 64 signs are unknown; of the others 0 differ from “T”. The next update " +
      "gives “X” the weight 0.76. The classical network sets one sign after the other, and comes to " +
      "rest with 32 of 64 wrong.",
  );
  assert.match(inWords({ ...now, state: off, updates: 1 }), /^After one update 1 of 64 signs differs from/);
  assert.match(inWords({ ...now, state: ONES, updates: 2 }), /^After 2 updates 0 of 64 signs differ from/);
});
