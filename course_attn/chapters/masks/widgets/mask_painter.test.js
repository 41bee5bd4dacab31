// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { inWords, layerToShow, leaksOf, moves, quoted } from "./mask_painter.js";

const TOKENS = ["a", "b", "c"];
const square = [[0.5, 0.1], [-0.2, 0.3]];
const MODEL = {
  tokens: TOKENS,
  inputs: [[1, 0], [0, 1], [0.5, -0.5]],
  others: [[0, 2], [1, 1], [-1, 0.25]],
  weights: [[square, square, square, square], [square, square, square, square]],
};
const causal = TOKENS.map((_, i) => TOKENS.map((_, j) => j <= i));
const all = TOKENS.map(() => TOKENS.map(() => true));
const own = TOKENS.map((_, i) => TOKENS.map((_, j) => i === j));

test("moves: what a mask lets through, layer by layer", () => {
  assert.deepEqual(moves(MODEL, [causal, causal])[1], [
    ...[[false, true, false], [false, true, true], [false, true, true]],
  ]);
  const before = TOKENS.map((_, i) => TOKENS.map((_, j) => j === i || j === i - 1));
  assert.deepEqual(moves(MODEL, [before, before])[0], [
    ...[[true, false, false], [true, true, false], [true, true, true]],
  ]);
});

test("leaksOf: positions that a later one changes", () => {
  assert.deepEqual(leaksOf(moves(MODEL, [causal, causal])), []);
  assert.deepEqual(leaksOf(moves(MODEL, [causal, all])), [[0, 1], [0, 2], [1, 2]]);
});

test("quoted: by its place where there is another like it", () => {
  assert.deepEqual([quoted(["a", "b", "a"], 2), quoted(["a", "b", "a"], 1)], ["“a” (3)", "“b”"]);
});

/** @type {(masks: boolean[][][], exchanged: number) => string} */
const told = (masks, exchanged) => inWords(TOKENS, masks, moves(MODEL, masks), exchanged);

test("inWords: no leak, and what moves", () => {
  assert.equal(
    told([causal, causal], 1),
    "No leak: no output changes when a later word changes. " +
      "When “b” is exchanged, the outputs at “b” and “c” change.",
  );
  assert.match(told([own, own], 2), /When “c” is exchanged, only the output at “c” changes\.$/);
});

test("inWords: a leak, of the word that is exchanged if there is one", () => {
  assert.match(
    told([causal, all], 0),
    /^Leak: the output at “a” changes when the later “b” changes\. 3 such/,
  );
  assert.match(
    told([causal, all], 2),
    /^Leak: the output at “a” changes when the later “c” changes\. 3 such/,
  );
});

test("inWords: a row of a mask without a key", () => {
  const empty = causal.map((line, i) => i ? line : line.map(() => false));
  assert.match(told([causal, empty], 0), /The mask of layer 2 leaves “a” no key: its weights are 0\.$/);
});

test("layerToShow: the one that is shown, unless only another one differs", () => {
  assert.equal(layerToShow([causal, all], [causal, causal], 0), 1);
  assert.equal(layerToShow([all, all], [causal, causal], 1), 1);
  assert.equal(layerToShow([causal, causal], [causal, causal], 1), 1);
});
