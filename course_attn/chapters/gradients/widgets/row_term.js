// @ts-check
// Scores, weights and their gradients: every gradient of a score opens into its sum, with its row.

import { brief, button, cells, change, make, mount, row, scrolling } from "../../../drawing/kit.js";
import { powered, renew, slider, table, troubles, written } from "../../../drawing/kit.js";
import { softmax, softmax_backward } from "../../../drawing/twin.js";

/** @typedef {import("../../../drawing/kit.js").Say} Say */
/** @typedef {number[][]} Numbers */

/**
 * What is computed: weights, gradients of the scores, and r of each row.
 * @typedef {{A: Numbers, dS: Numbers, r: number[]}} Found
 */

/**
 * Return what all scores are multiplied by, from its power of ten.
 * @param {number} log
 * @returns {number}
 */
export function factor(log) {
  return Number((10 ** log).toPrecision(2));
}

/**
 * Return numbers as their fields show them; what they stand for is kept in full.
 * @param {Numbers} numbers
 * @returns {Numbers}
 */
export function shown(numbers) {
  return numbers.map((line) => line.map((x) => Number(Number(x.toPrecision(3)).toFixed(2))));
}

/**
 * Return the same numbers with another one at one place.
 * @param {Numbers} numbers
 * @param {number} k
 * @param {number} l
 * @param {number} x
 * @returns {Numbers}
 */
export function put(numbers, k, l, x) {
  return numbers.map((line, m) => m === k ? line.map((y, n) => n === l ? x : y) : line);
}

/**
 * Compute weights and gradients.
 * @param {Numbers} S
 * @param {Numbers} dA
 * @returns {Found}
 */
export function found(S, dA) {
  /** @type {Numbers} */
  const A = softmax(S);
  const best = A.map((line) => line.indexOf(Math.max(...line)));
  // A constant in a row of dA changes nothing; without it, little is lost to rounding.
  const beside = dA.map((line, k) => line.map((x) => x - line[best[k]]));
  const r = dA.map((line, k) => line.reduce((total, x, l) => total + A[k][l] * x, 0));
  return { A, dS: softmax_backward(A, beside), r };
}

/** A number within a sum or a product. @type {(text: string) => string} */
const inner = (text) => text.startsWith("−") ? `(${text})` : text;
/** The number that is printed with so many decimals. @type {(x: number, decimals: number) => number} */
const printed = (x, decimals) => Number(x.toFixed(decimals));

/**
 * Return as few decimals as give the result that is shown to those who compute it again.
 * @param {number} result
 * @param {(decimals: number) => number} again
 * @returns {number | undefined}
 */
export function enough(result, again) {
  return [2, 3, 4, 5, 6].find((decimals) => powered(again(decimals)) === powered(result));
}

/**
 * Write a gradient and its r as what they are made of.
 * @param {Found} found
 * @param {Numbers} dA
 * @param {number} i
 * @param {number} j
 * @returns {{product: string, sum: string}}
 */
export function spelled({ A, dS, r: all }, dA, i, j) {
  const [a, da, ds, r] = [A[i][j], dA[i][j], dS[i][j], all[i]];
  const few = enough(ds, (n) => printed(a, n) * (printed(da, n) - printed(r, n)));
  const many =
    enough(r, (n) => A[i].reduce((total, x, l) => total + printed(x, n) * printed(dA[i][l], n), 0)) ?? 6;
  return {
    product: few
      ? `${written(a, few)} · (${written(da, few)} − ${inner(written(r, few))})`
      : `${powered(a, 3)} · ${inner(powered(ds / a, 3))}`,
    sum: A[i].map((x, l) => `${written(x, many)}·${inner(written(dA[i][l], many))}`).join(" + "),
  };
}

/**
 * Say which row holds out longest, as soon as the others read 0.
 * @param {string[]} rows
 * @param {Numbers} scores before all are multiplied
 * @param {Numbers} dS
 * @returns {string}
 */
export function last(rows, scores, dS) {
  const largest = dS.map((line) => Math.max(...line.map(Math.abs)));
  const left = largest.filter((x) => x >= 0.005).length, k = largest.indexOf(Math.max(...largest));
  const gaps = scores.map((line) => [...line].sort((x, y) => y - x)).map(([x, y]) => x - y);
  if (left > 1 || rows.length < 2 || !largest[k] || gaps.indexOf(Math.min(...gaps)) !== k) return "";
  return ` Row “${rows[k]}” ${left ? "holds" : "has held"} out longest: its two best scores are ` +
    `closest (${written(gaps[k])} apart at × 1).`;
}

class RowTerm {
  /**
   * @param {HTMLElement} stage
   * @param {{rows: string[], columns: string[], scores: Numbers, gradients: Numbers,
   *   picked: [number, number]}} data
   * @param {Say} say
   * @param {HTMLElement} said
   */
  constructor(stage, data, say, said) {
    const { rows, columns, scores, gradients, picked } = data;
    this.stage = stage;
    this.data = data;
    this.say = say;
    this.said = said;
    this.base = scores;
    this.dA = gradients;
    /** @type {[number, number]} */
    this.picked = picked;
    this.times = slider({
      ...{ name: "all scores ×", min: -1, max: 2, step: 0.02, value: 0 },
      text: (log) => brief(factor(log), 2),
      changed: () => {
        this.S.set(shown(this.multiplied()));
        this.show();
      },
    });
    this.S = this.numbers("S, scores", 1000, 0.1, (k, l, x) => {
      this.base = put(this.base, k, l, x / factor(this.times.value()));
    });
    this.d = this.numbers("dA, and r = rowsum(dA ∘ A)", 100, 0.5, (k, l, x) => {
      this.dA = put(this.dA, k, l, x);
    });
    /** @type {(i: number, j: number) => void} */
    const act = (i, j) => this.pick(i, j);
    this.A = cells({ rows, columns, act, name: "A = softmax(S)", role: "weight" });
    this.dS = cells({ rows, columns, act, name: "dS = A ∘ (dA − r)" });
    /** @type {HTMLElement[]} */
    this.means = rows.map(() => make("td", { class: "mean" }));
    this.tables = [this.S, this.A, this.d, this.dS].map((one) => one.element);
    this.layOut();
    this.reset();
  }

  /**
   * Make a table of numbers to change.
   * @param {string} name
   * @param {number} limit
   * @param {number} step
   * @param {(k: number, l: number, x: number) => void} take
   */
  numbers(name, limit, step, take) {
    const { rows, columns } = this.data;
    return table({
      ...{ name, rows, columns, limit, step, bad: this.say },
      values: rows.map(() => columns.map(() => 0)),
      changed: (now, k, l) => {
        take(k, l, now[k][l]);
        this.show();
      },
    });
  }

  layOut() {
    const { rows, columns } = this.data, [S, A, d, dS] = this.tables;
    d.tHead?.rows[0].append(make("th", { scope: "col" }, "r"), make("td"));
    [...d.tBodies[0].rows].forEach((line, k) => {
      const more = button("+1", () => this.add(k), { "aria-label": `add 1 to row ${rows[k]} of dA` });
      line.append(this.means[k], make("td", { class: "more" }, more));
    });
    const take = (/** @type {Event} */ event) => {
      const cell = /** @type {HTMLElement} */ (event.target).closest("tbody td");
      const line = cell?.parentElement;
      if (
        cell instanceof HTMLTableCellElement && line instanceof HTMLTableRowElement &&
        cell.cellIndex <= columns.length
      ) this.pick(line.sectionRowIndex, cell.cellIndex - 1);
    };
    this.tables.forEach((one) => change(one, { pointerover: take, focusin: take }));
    this.stage.append(
      this.times.element,
      this.said,
      row(scrolling(S), scrolling(A)),
      row(scrolling(d), scrolling(dS)),
      button("Back to the text’s numbers", () => this.reset()),
    );
  }

  reset() {
    const { scores, gradients, picked } = this.data;
    Object.assign(this, { base: scores, dA: gradients, picked });
    this.times.set(0);
    this.S.set(shown(scores));
    this.d.set(shown(gradients));
    this.show();
  }

  multiplied() {
    return this.base.map((line) => line.map((s) => s * factor(this.times.value())));
  }

  /**
   * @param {number} i
   * @param {number} j
   */
  pick(i, j) {
    this.picked = [i, j];
    this.show();
  }

  /**
   * Add 1 to a whole row of dA.
   * @param {number} k
   */
  add(k) {
    const name = this.data.rows[k];
    if (Math.max(...this.dA[k]) > 99) return this.say(`dA, ${name}: 100 is the largest number that fits.`);
    this.dA = this.dA.map((line, m) => m === k ? line.map((x) => x + 1) : line);
    this.d.set(shown(this.dA));
    this.picked = [k, this.picked[1]];
    this.show(`1 is added to row “${name}” of dA: its r has 1 more, too, and its dS stays.\n`);
  }

  show(first = "") {
    const { rows, columns } = this.data, [i, j] = this.picked;
    const now = found(this.multiplied(), this.dA), { dS, r } = now;
    this.fill(this.A, now.A, "A");
    this.fill(this.dS, dS, "dS");
    this.mark(r);
    const wrong = troubles(this.stage);
    if (wrong.length) return this.say(wrong.join(" "));
    const moves = Math.abs(dS[i][j]) < 0.005 ? "hardly moves" : dS[i][j] > 0 ? "lowers" : "raises";
    const { product, sum } = spelled(now, this.dA, i, j);
    const largest = Math.max(...dS.flat().map(Math.abs));
    this.say(
      first + `${rows[i]} → ${columns[j]}: ds = a (da − r) ≈ ${product} ≈ ${powered(dS[i][j])}. ` +
        `A step ${moves} this score.\n` +
        `r = ${sum} ≈ ${written(r[i])}.\n` +
        `The largest entry of dS, by its size: ${powered(largest)}.${last(rows, this.base, dS)}`,
    );
    // The place grows and never shrinks, or else tables would move under the mouse.
    this.said.style.minHeight = `${this.said.offsetHeight}px`;
  }

  /**
   * @param {ReturnType<typeof cells>} made
   * @param {Numbers} numbers
   * @param {string} name
   */
  fill(made, numbers, name) {
    const { rows, columns } = this.data;
    numbers.forEach((line, k) =>
      line.forEach((x, l) => {
        const cell = made.at(k, l), text = written(x), here = String([k, l]) === String(this.picked);
        renew(cell, text);
        cell.style.setProperty("--w", `${Math.min(100 * Math.abs(x), 100)}%`);
        cell.classList.toggle("below", text.startsWith("−"));
        change(cell, {
          "aria-label": `${name}, ${rows[k]}, ${columns[l]}: ${text}`,
          "aria-pressed": String(here),
          tabindex: here ? "0" : "-1",
        });
      })
    );
  }

  /**
   * Mark the row and the place that are picked, and negative gradients.
   * @param {number[]} r
   */
  mark(r) {
    const [i, j] = this.picked, flat = this.dA.flat();
    this.d.element.querySelectorAll("input").forEach((one, f) =>
      one.classList.toggle("below", written(flat[f]).startsWith("−"))
    );
    this.means.forEach((cell, k) => renew(cell, written(r[k])));
    for (const one of this.tables) {
      [...one.tBodies[0].rows].forEach((line, k) => {
        line.classList.toggle("lit", k === i);
        [...line.cells].forEach((cell, l) => cell.classList.toggle("at", k === i && l === j + 1));
      });
    }
  }
}

mount("row_term", (stage, data, say, said) => new RowTerm(stage, data, say, said));
