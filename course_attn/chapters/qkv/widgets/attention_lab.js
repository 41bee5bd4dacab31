// @ts-check
// Attention of a few tokens: numbers to change, a mask to paint, and each result as its sum.

import { brief, button, cells, change, make, mount, paintable, slider, table } from "../../../drawing/kit.js";
import { troubles, written } from "../../../drawing/kit.js";
import { masked_softmax, scaled_scores, weighted_sum } from "../../../drawing/twin.js";

/** Say that two numbers are equal, or nearly so where the second is rounded. */
function labEquals(value, decimals = 2) {
  const near = Math.abs(value - Number(value.toFixed(decimals))) > 1e-9;
  return (near ? " ≈ " : " = ") + brief(value, decimals);
}

/** Write a factor; a negative one that follows another sign gets parentheses. */
const labFactor = (x) => x < 0 ? `(${brief(x)})` : brief(x);
const labPower = (s) => s < 0 ? `e^(${brief(s, 2)})` : `e^${brief(s, 2)}`;

/**
 * Write a sum of products: 1·0.5 + 2·(−1).
 * @param {number[]} x
 * @param {number[]} y
 * @param {number} decimals
 * @returns {string}
 */
function labProducts(x, y, decimals) {
  return x.map((a, f) =>
    (f ? labFactor : brief)(Number(a.toFixed(decimals))) + "·" +
    labFactor(Number(y[f].toFixed(decimals)))
  ).join(" + ");
}

/**
 * Spell out a row of softmax at one place. Very large scores are lowered first, as the code does.
 * @param {number[]} row
 * @param {number} j
 * @param {number} weight
 * @returns {string}
 */
function labShare(row, j, weight) {
  const largest = Math.max(...row);
  const lowered = Math.abs(largest) > 9;
  const shown = lowered ? row.map((s) => s - largest) : row;
  const exps = shown.map(Math.exp), total = exps.reduce((sum, e) => sum + e, 0);
  const first = lowered ? `${brief(largest, 2)}, the largest, is subtracted from all first: ` : "";
  return `${first}${labPower(shown[j])} ÷ (${shown.map(labPower).join(" + ")})` +
    ` ≈ ${brief(exps[j])} ÷ ${brief(total)}${labEquals(weight)}`;
}

mount("attention_lab", (stage, data, say, said) => {
  const { tokens, features, outputs, changes } = data;
  let { scaled, opened } = data;
  let d = features.length, temperature = data.temperature;
  /** What follows from the numbers: scores before the mask, scores, weights and outputs. */
  let dots = [], S = [], A = [], Y = [];

  const wrong = make("p", { class: "attn-trouble", role: "status" });
  const numbers = (name, role, columns) =>
    data[name] &&
    table({
      name,
      rows: tokens,
      columns,
      role,
      values: data[name],
      changed: refresh,
      bad: refresh,
      limit: 100,
    });
  const Q = numbers("Q", "query", features), K = numbers("K", "key", features);
  const V = numbers("V", "value", outputs), given = numbers("scores", "weight", tokens);
  const mask = data.mask &&
    paintable({ name: "mask", rows: tokens, columns: tokens, mask: data.mask, changed: refresh });
  const opening = (letter) => (i, j) => {
    opened = [letter, i, j];
    show();
  };
  const result = (letter, name, columns, role) =>
    cells({ name, rows: tokens, columns, role, act: opening(letter) });
  const results = {
    S: result("S", "S", tokens, "weight"),
    A: result("A", "A = softmax(S)", tokens, "weight"),
    ...(V && { Y: result("Y", "Y = A V", outputs, "output") }),
  };

  const width = slider({
    name: "width d",
    min: 1,
    max: features.length || 1,
    step: 1,
    value: d,
    changed: (now) => {
      d = now;
      refresh();
    },
  });
  const heat = slider({
    name: "temperature T",
    min: 0.1,
    max: 10,
    step: 0.1,
    value: temperature,
    changed: (now) => {
      temperature = now;
      refresh();
    },
  });
  const divides = make("input", {
    type: "checkbox",
    autocomplete: "off",
    change: () => {
      scaled = divides.checked;
      refresh();
    },
  });
  const controls = { d: width.element, T: heat.element, scale: make("label", {}, divides, " divide by √d") };

  function refresh() {
    const [q, k] = [Q, K].map((one) => one && one.values().map((row) => row.slice(0, d)));
    dots = given ? given.values() : scaled_scores(q, k, { scale: 1 });
    const size = (scaled && !given ? Math.sqrt(d) : 1) * temperature;
    const allowed = mask ? mask.mask() : dots.map((row) => row.map(() => true));
    S = dots.map((row, i) => row.map((s, j) => allowed[i][j] ? s / size : -Infinity));
    A = masked_softmax(S);
    Y = V ? weighted_sum(A, V.values()) : [];
    show();
  }

  const quoted = (i) => `“${tokens[i]}”`;

  /** The sum behind a score. */
  function scoreInWords(i, j) {
    const start = `${quoted(i)} asks, ${quoted(j)} answers: `;
    const asked = (one, row) => one.values()[row].slice(0, d);
    let value = dots[i][j];
    let steps = given ? brief(value) : labProducts(asked(Q, i), asked(K, j), 3) + labEquals(value);
    for (
      const [name, by] of [[`√${d}`, scaled && !given && Math.sqrt(d)], [
        brief(temperature, 2),
        temperature !== 1 && temperature,
      ]]
    ) {
      if (!by) continue;
      value /= by;
      steps += `, ÷ ${name}${labEquals(value)}`;
    }
    if (S[i][j] !== -Infinity) return `${start}${steps}.`;
    return `${start}${steps}, but the mask forbids it: −∞.`;
  }

  function weightInWords(i, j) {
    const who = `${quoted(i)} gives ${quoted(j)} the weight `;
    if (S[i].every((s) => s === -Infinity)) {
      return `${who}0: nothing is allowed, and 0 ÷ 0 is not computed.`;
    }
    const zero = S[i][j] === -Infinity ? " A forbidden key gets exactly 0." : "";
    return `${who}${labShare(S[i], j, A[i][j])}.${zero}`;
  }

  function outputInWords(i, f) {
    const column = V.values().map((row) => row[f]);
    const products = labProducts(A[i], column, 2);
    return `${quoted(i)} gets, in column ${outputs[f]}, ${products} ≈ ${brief(Y[i][f], 2)}.`;
  }

  /** What the opened number is made of, as cells of the page. */
  function sources() {
    const [letter, i, j] = opened;
    const inputs = (one, k) => [...one.element.tBodies[0].rows[k].cells].slice(1);
    if (letter === "S") return given ? [inputs(given, i)[j]] : [...inputs(Q, i), ...inputs(K, j)];
    if (letter === "A") return inputs(results.S, i);
    return [...inputs(results.A, i), ...tokens.map((_, k) => inputs(V, k)[j])];
  }

  function show() {
    for (const [letter, values] of Object.entries({ S, A, Y })) {
      values.forEach((row, i) =>
        row.forEach((value, j) => {
          const cell = results[letter].at(i, j);
          // A weight of 0 without decimals is exactly 0.
          const text = letter === "A" && !value ? "0" : written(value);
          const column = letter === "Y" ? outputs[j] : tokens[j];
          cell.textContent = text;
          change(cell, {
            style: letter === "A" && `--w: ${100 * value}%`,
            "aria-label": `${letter}, ${tokens[i]}, ${column}: ${text}`,
            "aria-pressed": String([letter, i, j].join() === opened.join()),
          });
        })
      );
    }
    const root = scaled && !given ? " ÷ √d" : "";
    const heated = changes.includes("T") ? " ÷ T" : "";
    results.S.element.caption.textContent = given ? "S, masked" : `S = Q Kᵀ${root}${heated}`;
    for (const one of [Q, K]) {
      for (const row of one ? one.element.rows : []) {
        [...row.cells].forEach((cell, f) => cell.hidden = f > d);
      }
    }
    stage.querySelectorAll(".attn-from").forEach((cell) => cell.classList.remove("attn-from"));
    sources().forEach((cell) => cell.classList.add("attn-from"));
    const [letter, i, j] = opened;
    say({ S: scoreInWords, A: weightInWords, Y: outputInWords }[letter](i, j));
    const blind = tokens.filter((_, row) => S[row].every((s) => s === -Infinity));
    const nothing = blind.map((token) =>
      `The mask leaves “${token}” no key: its weights are 0${V ? ", and its output, too" : ""}.`
    );
    wrong.textContent = [...troubles(stage), ...nothing].join(" ");
  }

  function reset() {
    ({ scaled, opened, temperature } = data);
    d = features.length;
    const parts = { Q, K, V, scores: given, mask };
    for (const [name, one] of Object.entries(parts)) one?.set(data[name]);
    width.set(d);
    heat.set(temperature);
    divides.checked = scaled;
    refresh();
  }

  const row = (...parts) =>
    make(
      "div",
      { class: "attn-row" },
      ...parts.filter(Boolean).map((one) =>
        one.tagName === "TABLE" ? make("div", { class: "attn-scroll" }, one) : one
      ),
    );
  const asked = make("div", { class: "attn-controls" }, ...changes.map((name) => controls[name]));
  const [above, below] = given ? [mask?.element, null] : [null, mask?.element];
  stage.append(
    row(Q?.element, K?.element, V?.element, given?.element, above),
    row(below, changes.length && asked),
    row(...Object.values(results).map((one) => one.element)),
    said,
    wrong,
    button("Back to the text’s numbers", reset),
  );
  reset();
});
