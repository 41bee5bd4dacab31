// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { inWords } from "./user_meets_movie.js";

test("inWords: three products, and the score as their sum", () => {
  assert.deepEqual(inWords([-0.8, 0.9, 0.5], [-0.7, 0.8, -0.4]), {
    products: ["0.56", "0.72", "−0.20"],
    score: "1.08",
    sentence: "The movie scores 0.56 + 0.72 − 0.20 = 1.08.",
  });
});

test("inWords: a first product below 0 keeps its sign", () => {
  assert.match(inWords([1, 0, 0], [-1, 0, 0]).sentence, /scores −1\.00 \+ 0\.00 \+ 0\.00 = −1\.00\./);
});
