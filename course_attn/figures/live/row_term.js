// @ts-check
// Scores, weights and their gradients: every gradient of a score opens into its sum, with its row.

import {brief, button, cells, change, make, mount} from "./kit.js";
import {powered, slider, table, troubles, written} from "./kit.js";
import {softmax, softmax_backward} from "./twin.js";

mount("row_term", (stage, {rows, columns, scores, gradients, picked}, say, said) => {
  /** @type {number[][]} the scores before all are multiplied */
  let base = scores;
  /** @type {number[][]} */
  let dA = gradients;
  let [i, j] = picked;

  const factor = (log) => Number((10 ** log).toPrecision(2));
  const times = slider({name: "all scores ×", min: -1, max: 2, step: 0.02, value: 0,
    text: (log) => brief(factor(log), 2), changed: () => {
      S.set(shown(multiplied()));
      show();
    }});
  const multiplied = () => base.map((row) => row.map((s) => s * factor(times.value())));
  /** Numbers as their fields show them; what they stand for is kept in full. */
  const shown = (numbers) =>
    numbers.map((row) => row.map((x) => Number(Number(x.toPrecision(3)).toFixed(2))));
  /** The same numbers with another one in row k and column l. */
  const put = (numbers, k,
    l, x) =>
    numbers.map((row, m) => m === k ? row.map((y, n) => n === l ? x : y) : row);
  const both = {rows, columns, bad: say};
  const S = table({...both, name: "S, scores", values: shown(base), limit: 1000, step: 0.1,
    changed: (now, k, l) => {
      base = put(base, k, l, now[k][l] / factor(times.value()));
      show();
    }});
  const d = table({...both, name: "dA, and r = rowsum(dA ∘ A)", values: shown(dA), limit: 100,
    changed: (now, k, l) => {
      dA = put(dA, k, l, now[k][l]);
      show();
    }});
  const act = (r, c) => pick(r, c);
  const A = cells({rows, columns, act, name: "A = softmax(S)", role: "weight"});
  const dS = cells({rows, columns, act, name: "dS = A ∘ (dA − r)"});
  /** @type {HTMLElement[]} */
  const means = rows.map(() => make("td", {class: "mean"}));
  d.element.tHead?.rows[0].append(make("th", {scope: "col"}, "r"));
  [...d.element.tBodies[0].rows].forEach((line, k) => line.append(means[k]));
  const all = [S.element, A.element, d.element, dS.element];

  function pick(row, column) {
    [i, j] = [row, Math.min(column, columns.length - 1)];
    show();
  }
  for (const one of all) {
    const take = (/** @type {Event} */ event) => {
      const cell = /** @type {HTMLElement} */ (event.target).closest("tbody td");
      const line = cell?.parentElement;
      if (cell instanceof HTMLTableCellElement && line instanceof HTMLTableRowElement) {
        pick(line.sectionRowIndex, cell.cellIndex - 1);
      }
    };
    change(one, {pointerover: take, focusin: take});
  }

  /** A number within a sum or a product. */
  const inner = (x) => {
    const text = written(x);
    return text.startsWith("−") ? `(${text})` : text;
  };

  function show() {
    const weights = softmax(multiplied()), found = softmax_backward(weights, dA);
    const sums = weights.map((row, k) =>
      row.reduce((total, a, l) => total + a * dA[k][l], 0));
    const size = (x) => Math.min(100 * Math.abs(x), 100);
    for (const [made, numbers, name] of [[A, weights, "A"], [dS, found, "dS"]]) {
      numbers.forEach((row, k) =>
        row.forEach((x, l) => {
          const cell = made.at(k, l), text = written(x);
          cell.textContent = text;
          cell.style.setProperty("--w", `${size(x)}%`);
          change(cell, {"aria-label": `${name}, ${rows[k]}, ${columns[l]}: ${text}`,
            "aria-pressed": String(k === i && l === j), tabindex: k === i && l === j ? "0" : "-1"});
        }));
    }
    means.forEach((cell, k) => cell.textContent = written(sums[k]));
    for (const one of all) {
      [...one.tBodies[0].rows].forEach((line, k) => {
        line.classList.toggle("lit", k === i);
        [...line.cells].forEach((cell, l) =>
          cell.classList.toggle("at", k === i && l === j + 1));
      });
    }
    const wrong = troubles(stage);
    if (wrong.length) return say(wrong.join(" "));
    const [a, da, ds] = [weights[i][j], dA[i][j], found[i][j]];
    const moves = Math.abs(ds) < 0.005 ? "hardly moves" : ds > 0 ? "lowers" : "raises";
    const largest = Math.max(...found.flat().map(Math.abs));
    say(`${rows[i]} → ${columns[j]}: ds = a (da − r) ≈ ${written(a)} · (${written(da)} − `
      + `${inner(sums[i])}) ≈ ${powered(ds)}. A step ${moves} this score.\n`
      + `r = ${weights[i].map((x, l) =>
        `${written(x)}·${inner(dA[i][l])}`).join(" + ")} ≈ ${written(sums[i])}.\n`
      + `The largest entry of dS, by its size: ${powered(largest)}.`);
  }

  const row = (/** @type {HTMLElement[]} */ ...tables) => make("div", {class: "attn-row"},
    ...tables.map((one) => make("div", {class: "attn-scroll"}, one)));
  stage.append(times.element, said, row(S.element, A.element), row(d.element, dS.element),
    button("Back to the text’s numbers", () => {
      [base, dA, [i, j]] = [scores, gradients, picked];
      times.set(0);
      S.set(shown(base));
      d.set(shown(dA));
      show();
    }));
  show();
});
