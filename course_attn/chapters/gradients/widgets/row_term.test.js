// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { powered } from "../../../drawing/kit.js";
import { enough, factor, found, last, put, shown, spelled } from "./row_term.js";

const SCORES = [[2, 1, 0], [1, 0.9, -1]], GRADIENTS = [[1, -0.5, 0.25], [0, 1, -1]];

test("factor: two digits; shown: as the fields show numbers; put: one number only", () => {
  assert.deepEqual([-1, 0, 0.3, 2].map(factor), [0.1, 1, 2, 100]);
  assert.deepEqual(shown([[1.2345, 123.456, -0.001]]), [[1.23, 123, -0]]);
  assert.deepEqual(put([[1, 2], [3, 4]], 1, 0, 9), [[1, 2], [9, 4]]);
});

test("found: each gradient is a (da - r), and a constant in a row of dA changes none", () => {
  const { A, dS, r } = found(SCORES, GRADIENTS);
  const more = found(SCORES, GRADIENTS.map((line) => line.map((x) => x + 5)));
  A.forEach((line, i) =>
    line.forEach((a, j) => {
      assert.ok(Math.abs(dS[i][j] - a * (GRADIENTS[i][j] - r[i])) < 1e-12);
      assert.ok(Math.abs(dS[i][j] - more.dS[i][j]) < 1e-12);
    })
  );
});

test("enough: as few decimals as give the number that is shown", () => {
  assert.equal(enough(0.5, () => 0.5), 2);
  assert.equal(enough(2 / 3, (n) => 2 * Number((1 / 3).toFixed(n))), 3);
  assert.equal(enough(1, () => 2), undefined);
});

test("spelled: those who compute the product and the sum again find what is shown", () => {
  for (const scale of [1, 7, 30]) {
    const now = found(SCORES.map((line) => line.map((s) => s * scale)), GRADIENTS);
    for (const [i, j] of [[0, 0], [0, 2], [1, 1]]) {
      const { product, sum } = spelled(now, GRADIENTS, i, j);
      /** @type {(text: string) => number} */
      const again = (text) =>
        Function(
          "return " + text.replaceAll("−", "-").replaceAll("·10", "e").replaceAll("·", "*")
            .replace(/e([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)/g, (_, power) =>
              "e" + [...power].map((d) => d === "⁻" ? "-" : "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(d)).join("")),
        )();
      assert.equal(powered(again(product)), powered(now.dS[i][j]), product);
      assert.equal(again(sum).toFixed(2), now.r[i].toFixed(2));
    }
  }
});

test("last: only when one row at most is left, and it is the one whose best scores are closest", () => {
  assert.equal(last(["a", "b"], SCORES, [[0.1], [0.2]]), "");
  assert.equal(
    last(["a", "b"], SCORES, [[0.001], [-0.2]]),
    " Row “b” holds out longest: its two best scores are closest (0.10 apart at × 1).",
  );
  assert.match(last(["a", "b"], SCORES, [[0.001], [0.002]]), /^ Row “b” has held out longest/);
  assert.equal(last(["a", "b"], SCORES, [[0.2], [0.001]]), "");
  assert.equal(last(["a"], [[1, 0]], [[0.2]]), "");
  assert.equal(last(["a", "b"], SCORES, [[0], [0]]), "");
});
