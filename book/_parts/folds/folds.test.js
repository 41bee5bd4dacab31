// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { saidOf } from "./folds.js";

test("the switch says how many cells it is about, and what it does next", () => {
  assert.deepEqual(saidOf(57, false), {
    text: "57 folded cells that set up, check or draw: hidden. ",
    button: "Show them",
  });
  assert.deepEqual(saidOf(1, true), {
    text: "One folded cell that sets up, checks or draws: shown. ",
    button: "Hide them",
  });
});
