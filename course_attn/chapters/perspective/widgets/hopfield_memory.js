// @ts-check
// A memory: a picture to be damaged, a step of attention that repairs it, a classical network.

import { brief, button, change, draw, make, mount, paintable, slider, written } from "../../../drawing/kit.js";
import { attention_weights, hopfield_update } from "../../../drawing/twin.js";

mount("hopfield_memory", (stage, { patterns, names, start, beta }, say, said) => {
  const side = 8, half = side * side / 2;
  let chosen = start, updates = 0;
  /** @type {number[]} the picture, and what the classical network is given: the one drawn last */
  let state = [], drawn = [];

  /** Let a classical network set one sign after the other, until none changes. */
  function settled(/** @type {number[][]} */ X, given) {
    const signs = [...given];
    for (let changed = true; changed;) {
      changed = false;
      const overlaps = X.map((x) => x.reduce((total, a, g) => total + a * signs[g], 0));
      signs.forEach((own, f) => {
        // The diagonal of zeros takes from each sign what it says of itself.
        const field = X.reduce((total, x, n) => total + overlaps[n] * x[f], -X.length * own);
        if ((signs[f] = field >= 0 ? 1 : -1) === own) return;
        changed = true;
        X.forEach((x, n) => overlaps[n] += (signs[f] - own) * x[f]);
      });
    }
    return signs;
  }

  const count = slider({
    name: "stored patterns",
    min: 2,
    max: names.length,
    step: 1,
    value: names.length,
    changed: (n) => {
      if (chosen >= n) lose(n - 1);
      else show();
    },
  });
  const sharp = (log) => Number((10 ** log).toPrecision(2));
  const betas = slider({
    name: "β",
    min: -2,
    max: 0.5,
    step: 0.01,
    value: Math.log10(beta),
    text: (log) => brief(sharp(log)),
    changed: () => show(),
  });

  const lines = Array.from({ length: side }, (_, k) => String(k));
  const paper = paintable({
    name: "the state: draw here",
    rows: lines,
    columns: lines,
    mask: lines.map(() => lines.map(() => false)),
    changed: (_, i, j) => {
      const f = side * i + j;
      state = state.map((x, g) => g === f ? (x > 0 ? -1 : 1) : x);
      keep();
    },
  });
  const squares = [...paper.table.querySelectorAll("button")];

  /** A small picture as one path of black squares. */
  const shape = (x) => x.map((a, f) => a > 0 ? `M${f % side} ${Math.floor(f / side)}h1v1h-1z` : "").join("");
  const small = (path, kind, name = "") =>
    draw("svg", {
      viewBox: `0 0 ${side} ${side}`,
      class: kind,
      role: name ? "img" : null,
      "aria-label": name || null,
      "aria-hidden": name ? null : "true",
    }, path);
  const answer = draw("path");
  const bars = patterns.map(() => make("span", { class: "bar" }));
  const sizes = patterns.map(() => make("span", { class: "size" }));
  const rows = names.map((_, n) => button("", () => lose(n), { class: "stored" }));
  rows.forEach((row, n) =>
    row.append(
      small(draw("path", { d: shape(patterns[n]) }), "thumb"),
      make("span", { class: "track" }, bars[n]),
      sizes[n],
    )
  );

  /** Begin with the upper half of a pattern. */
  function lose(n) {
    chosen = n;
    state = patterns[n].map((x, f) => f < half ? x : 0);
    keep();
  }

  /** What is drawn now is what both memories are given. */
  function keep() {
    [drawn, updates] = [state, 0];
    show();
  }

  const stored = () => patterns.slice(0, count.value());
  /** How many signs are another than those of the pattern; 0 is none, and not known. */
  const wrong = (x) => patterns[chosen].filter((a, f) => x[f] * a < 0).length;

  function show() {
    const X = stored(), b = sharp(betas.value());
    const weights = attention_weights([state], X, { scale: b })[0], signs = settled(X, drawn);
    paper.set(lines.map((_, i) => lines.map((_, j) => state[side * i + j] > 0)));
    squares.forEach((one, f) => {
      one.style.setProperty("--g", `${50 + 50 * state[f]}%`);
      change(one, { "aria-label": `row ${Math.floor(f / side)}, column ${f % side}: ${brief(state[f], 2)}` });
    });
    rows.forEach((row, n) => {
      change(row, {
        hidden: n >= X.length,
        "aria-pressed": String(n === chosen),
        "aria-label": `begin with “${names[n]}”, weight ${written(weights[n] ?? 0)}`,
      });
      bars[n].style.width = `${100 * (weights[n] ?? 0)}%`;
      sizes[n].textContent = written(weights[n] ?? 0);
    });
    change(answer, { d: shape(signs) });
    const best = weights.indexOf(Math.max(...weights));
    const now = updates
      ? `After ${updates === 1 ? "one update" : `${updates} updates`}`
      : "Before the update";
    const unknown = state.filter((x) => x === 0).length, off = wrong(state);
    const known = unknown ? `${unknown} of 64 signs are unknown; of the others ${off}` : `${off} of 64 signs`;
    say(
      `${now} ${known} ${off === 1 ? "differs" : "differ"} from “${names[chosen]}”. The next ` +
        `update gives “${names[best]}” the weight ${written(weights[best])}. The classical network ` +
        `sets one sign after the other, and comes to rest with ${wrong(signs)} of 64 wrong.`,
    );
  }

  const panel = (title, /** @type {any[]} */ ...inside) =>
    make("div", { class: "panel" }, title && make("p", { "aria-hidden": "true" }, title), ...inside);
  stage.append(
    make("div", { class: "attn-row" }, count.element, betas.element),
    make(
      "div",
      { class: "attn-row" },
      button("One update", () => {
        state = hopfield_update(stored(), [state], { beta: sharp(betas.value()) })[0];
        updates += 1;
        show();
      }, { class: "update" }),
      button("Flip ten squares", () => {
        const places = squares.map((_, f) => ({ f, key: Math.random() }))
          .sort((a, b) => a.key - b.key).slice(0, 10).map(({ f }) => f);
        state = state.map((x, f) => places.includes(f) ? (x > 0 ? -1 : 1) : x);
        keep();
      }),
    ),
    said,
    make(
      "div",
      { class: "attn-row panels" },
      panel("", paper.table),
      panel("classical network", small(answer, "answer", "what the classical network ends with")),
      panel("weights of the patterns", ...rows),
    ),
    button("Back to the text’s numbers", () => {
      count.set(names.length);
      betas.set(Math.log10(beta));
      lose(start);
    }),
  );
  lose(start);
});
