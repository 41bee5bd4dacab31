// @ts-check
// Scores, weights and their gradients: every gradient of a score opens into its sum, with its row.

import { brief, button, cells, change, make, mount } from "../../../drawing/kit.js";
import { powered, slider, table, troubles, written } from "../../../drawing/kit.js";
import { softmax, softmax_backward } from "../../../drawing/twin.js";

mount("row_term", (stage, { rows, columns, scores, gradients, picked }, say, said) => {
  /** @type {number[][]} the scores before all are multiplied */
  let base = scores;
  /** @type {number[][]} */
  let dA = gradients;
  let [i, j] = picked;

  const factor = (log) => Number((10 ** log).toPrecision(2));
  const times = slider({
    name: "all scores ×",
    min: -1,
    max: 2,
    step: 0.02,
    value: 0,
    text: (log) => brief(factor(log), 2),
    changed: () => {
      S.set(shown(multiplied()));
      show();
    },
  });
  const multiplied = () => base.map((row) => row.map((s) => s * factor(times.value())));
  /** Numbers as their fields show them; what they stand for is kept in full. */
  const shown = (numbers) =>
    numbers.map((row) => row.map((x) => Number(Number(x.toPrecision(3)).toFixed(2))));
  /** The same numbers with another one in row k and column l. */
  const put = (numbers, k, l, x) =>
    numbers.map((row, m) => m === k ? row.map((y, n) => n === l ? x : y) : row);
  const both = { rows, columns, bad: say };
  const S = table({
    ...both,
    name: "S, scores",
    values: shown(base),
    limit: 1000,
    step: 0.1,
    changed: (now, k, l) => {
      base = put(base, k, l, now[k][l] / factor(times.value()));
      show();
    },
  });
  const d = table({
    ...both,
    name: "dA, and r = rowsum(dA ∘ A)",
    values: shown(dA),
    limit: 100,
    changed: (now, k, l) => {
      dA = put(dA, k, l, now[k][l]);
      show();
    },
  });
  const act = (r, c) => pick(r, c);
  const A = cells({ rows, columns, act, name: "A = softmax(S)", role: "weight" });
  const dS = cells({ rows, columns, act, name: "dS = A ∘ (dA − r)" });
  /** @type {HTMLElement[]} */
  const means = rows.map(() => make("td", { class: "mean" }));
  d.element.tHead?.rows[0].append(make("th", { scope: "col" }, "r"), make("td"));
  [...d.element.tBodies[0].rows].forEach((line, k) =>
    line.append(
      means[k],
      make(
        "td",
        { class: "more" },
        button("+1", () => add(k), { "aria-label": `add 1 to row ${rows[k]} of dA` }),
      ),
    )
  );
  const all = [S.element, A.element, d.element, dS.element];

  function pick(row, column) {
    [i, j] = [row, column];
    show();
  }

  /** Add 1 to a whole row of dA. */
  function add(k) {
    const most = Math.max(...dA[k]);
    if (most > 99) return say(`dA, ${rows[k]}: 100 is the largest number that fits.`);
    dA = dA.map((row, m) => m === k ? row.map((x) => x + 1) : row);
    d.set(shown(dA));
    i = k;
    show(`1 is added to row “${rows[k]}” of dA: its r has 1 more, too, and its dS stays.\n`);
  }

  for (const one of all) {
    const take = (/** @type {Event} */ event) => {
      const cell = /** @type {HTMLElement} */ (event.target).closest("tbody td");
      const line = cell?.parentElement;
      if (
        cell instanceof HTMLTableCellElement && line instanceof HTMLTableRowElement &&
        cell.cellIndex <= columns.length
      ) pick(line.sectionRowIndex, cell.cellIndex - 1);
    };
    change(one, { pointerover: take, focusin: take });
  }

  /** A number within a sum or a product. */
  const inner = (text) => text.startsWith("−") ? `(${text})` : text;
  /** The number that is printed with so many decimals. */
  const printed = (x, decimals) => Number(x.toFixed(decimals));
  /** As few decimals as give the result that is shown to whoever recomputes it; else undefined. */
  const enough = (result, again) =>
    [2, 3, 4, 5, 6].find((decimals) => powered(again(decimals)) === powered(result));

  function show(first = "") {
    // A constant in a row of dA changes nothing; without it, little is lost to rounding.
    const weights = softmax(multiplied());
    const best = weights.map((row) => row.indexOf(Math.max(...row)));
    const beside = dA.map((row, k) => row.map((x) => x - row[best[k]]));
    const found = softmax_backward(weights, beside);
    const mean = (row, k) => row.reduce((total, x, l) => total + weights[k][l] * x, 0);
    const sums = dA.map(mean);
    const size = (x) => Math.min(100 * Math.abs(x), 100);
    for (const [made, numbers, name] of [[A, weights, "A"], [dS, found, "dS"]]) {
      numbers.forEach((row, k) =>
        row.forEach((x, l) => {
          const cell = made.at(k, l), text = written(x);
          cell.textContent = text;
          cell.style.setProperty("--w", `${size(x)}%`);
          cell.classList.toggle("below", text.startsWith("−"));
          change(cell, {
            "aria-label": `${name}, ${rows[k]}, ${columns[l]}: ${text}`,
            "aria-pressed": String(k === i && l === j),
            tabindex: k === i && l === j ? "0" : "-1",
          });
        })
      );
    }
    d.element.querySelectorAll("input").forEach((one, f) =>
      one.classList.toggle("below", written(dA.flat()[f]).startsWith("−"))
    );
    means.forEach((cell, k) => cell.textContent = written(sums[k]));
    for (const one of all) {
      [...one.tBodies[0].rows].forEach((line, k) => {
        line.classList.toggle("lit", k === i);
        [...line.cells].forEach((cell, l) => cell.classList.toggle("at", k === i && l === j + 1));
      });
    }
    const wrong = troubles(stage);
    if (wrong.length) return say(wrong.join(" "));
    const [a, da, ds, r] = [weights[i][j], dA[i][j], found[i][j], sums[i]];
    const moves = Math.abs(ds) < 0.005 ? "hardly moves" : ds > 0 ? "lowers" : "raises";
    const few = enough(ds, (n) => printed(a, n) * (printed(da, n) - printed(r, n)));
    const many = enough(r, (n) =>
      weights[i].reduce((total, x, l) => total + printed(x, n) * printed(dA[i][l], n), 0)) ?? 6;
    const product = few
      ? `${written(a, few)} · (${written(da, few)} − ${inner(written(r, few))})`
      : `${powered(a, 3)} · ${inner(powered(ds / a, 3))}`;
    tell(
      first + `${rows[i]} → ${columns[j]}: ds = a (da − r) ≈ ${product} ≈ ${powered(ds)}. ` +
        `A step ${moves} this score.\n` +
        `r = ${
          weights[i].map((x, l) =>
            `${written(x, many)}·${inner(written(dA[i][l], many))}`
          ).join(" + ")
        } ≈ ${written(r)}.\n` +
        `The largest entry of dS, by its size: ${powered(Math.max(...found.flat().map(Math.abs)))}` +
        `.${last(found)}`,
    );
  }

  /** Say it in a place that grows and never shrinks, or else tables would move under the mouse. */
  function tell(sentences) {
    say(sentences);
    said.style.minHeight = `${said.offsetHeight}px`;
  }

  /** Which row holds out longest, as soon as the others read 0. */
  function last(found) {
    const largest = found.map((row) => Math.max(...row.map(Math.abs)));
    const left = largest.filter((x) => x >= 0.005).length, k = largest.indexOf(Math.max(...largest));
    const gaps = base.map((row) => [...row].sort((x, y) => y - x)).map(([x, y]) => x - y);
    if (left > 1 || rows.length < 2 || !largest[k] || gaps.indexOf(Math.min(...gaps)) !== k) return "";
    return ` Row “${rows[k]}” ${left ? "holds" : "has held"} out longest: its two best scores are ` +
      `closest (${written(gaps[k])} apart at × 1).`;
  }

  const row = (/** @type {HTMLElement[]} */ ...tables) =>
    make("div", { class: "attn-row" }, ...tables.map((one) => make("div", { class: "attn-scroll" }, one)));
  stage.append(
    times.element,
    said,
    row(S.element, A.element),
    row(d.element, dS.element),
    button("Back to the text’s numbers", () => {
      [base, dA, [i, j]] = [scores, gradients, picked];
      times.set(0);
      S.set(shown(base));
      d.set(shown(dA));
      show();
    }),
  );
  show();
});
