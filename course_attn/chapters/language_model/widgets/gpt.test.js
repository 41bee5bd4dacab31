// @ts-check
// That the model gives what course_attn.in_numpy gives: tests/chapters/language_model/test_gpt_in_javascript.py.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cross_entropy, drawn, firstSeen, token_probabilities } from "./gpt.js";

test("of a long text, the model sees what generate sees: it forgets the older half when all is full", () => {
  assert.deepEqual([1, 16, 17, 25, 26, 35].map((n) => firstSeen(n, 16)), [0, 0, 9, 9, 18, 27]);
  for (const n_context of [1, 2, 5, 8]) {
    // As in course_attn.in_torch.generate, before the next token is drawn.
    for (let n = 1, first = 0; n < 40; n++) {
      if (n - first > n_context) first = n - Math.floor((n_context + 1) / 2);
      assert.equal(firstSeen(n, n_context), first);
    }
  }
});

test("the loss is the mean surprise, and nothing without a target that counts", () => {
  const even = [[0, 0], [Math.log(3), 0]];
  assert.ok(Math.abs(cross_entropy(even, [0, 0]) - (Math.log(2) + Math.log(4 / 3)) / 2) < 1e-12);
  assert.ok(Math.abs(cross_entropy(even, [-100, 1]) - Math.log(4)) < 1e-12);
  assert.ok(Number.isNaN(cross_entropy([], [])));
});

test("what is drawn depends on temperature and cuts", () => {
  const logits = [0.2, 0.5, 0.2, 0.1].map(Math.log);
  /** @type {[import("./gpt.js").Sampling, number[]][]} */
  const cases = [
    [{}, [0.2, 0.5, 0.2, 0.1]],
    [{ temperature: 0 }, [0, 1, 0, 0]],
    [{ temperature: 0.5 }, [4 / 34, 25 / 34, 4 / 34, 1 / 34]],
    [{ top_k: 2 }, [2 / 7, 5 / 7, 0, 0]],
    [{ top_p: 0.5 }, [0, 1, 0, 0]],
    [{ top_p: 0.6 }, [2 / 7, 5 / 7, 0, 0]],
  ];
  for (const [sampling, wanted] of cases) {
    token_probabilities(logits, sampling).forEach((p, i) => assert.ok(Math.abs(p - wanted[i]) < 1e-12));
  }
});

test("what can never be drawn is not drawn", () => {
  assert.deepEqual([0, 0.4, 0.5, 1].map((u) => drawn([0, 0.5, 0.5, 0], u)), [1, 1, 2, 2]);
});
