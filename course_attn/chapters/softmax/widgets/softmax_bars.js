// @ts-check
// A row of scores as bars to be dragged, and what softmax makes of it at any temperature and shift.

import { brief, button, change, draggable, draw, grid, make } from "../../../drawing/kit.js";
import { mount, plane, slider, table, written } from "../../../drawing/kit.js";
import { entropy, softmax } from "../../../drawing/twin.js";

/** @typedef {[number, number]} Range */

mount("softmax_bars", (stage, { names, scores: start, temperature }, say) => {
  const n = names.length, all = Math.log(n), reach = 5;
  /** @type {number[]} */
  let scores = [...start];

  // Bars: a unit wide, in drawings that are as wide as they are high.
  const wide = 2 * reach / n;
  /** @type {Range} */
  const x = [-reach, reach];
  /** @type {Range} */
  const y = [-1.15 * reach, 1.25 * reach];
  const middle = (/** @type {number} */ j) => -reach + (j + 0.5) * wide;

  function bars(/** @type {string} */ title, /** @type {string} */ kind) {
    const area = plane({ x, y, width: 190, name: title });
    const thick = area.px(0.7 * wide) - area.px(0);
    const boxes = names.map(() => draw("rect", { class: kind, width: thick }));
    const numbers = names.map(() => draw("text"));
    const words = names.map((/** @type {string} */ name, /** @type {number} */ j) =>
      draw("text", { x: area.px(middle(j)) }, name)
    );
    const line = draw("path", { class: "axes" });
    const broken = names.map(() => draw("path", { class: "broken" }));
    area.svg.append(line);
    /** Show numbers as bars that stand on a height, one unit of theirs so long. */
    const show = (/** @type {number[]} */ row, base = 0, unit = 1) =>
      row.forEach((value, j) => {
        const tip = base + Math.min(Math.max(value * unit, -reach - base), reach - base);
        const from = area.py(Math.max(base, tip)), to = area.py(Math.min(base, tip));
        const below = value < 0;
        change(line, { d: `M0 ${area.py(base)}h190` });
        change(boxes[j], { x: area.px(middle(j) - 0.35 * wide), y: from, height: to - from });
        change(numbers[j], { x: area.px(middle(j)), y: below ? to + 14 : from - 4 });
        change(words[j], { y: below && base > -reach ? from - 5 : area.py(base) + 14 });
        const cut = value * unit > reach - base || value * unit < -reach - base;
        numbers[j].textContent = cut ? brief(value, 1) : written(value);
        // A bar that goes on beyond the picture is broken off near its end.
        const end = below ? to - 12 : from + 12, start = area.px(middle(j)) - 0.5 * thick - 3;
        change(broken[j], { d: cut ? `M${start} ${end + 4}l${thick + 6} -8` : "" });
      });
    return { area, boxes, numbers, words, broken, show };
  }

  // The temperature goes by its logarithm.
  const [cold, hot] = [-1, 1.3];
  const warmth = (/** @type {number} */ log) => Number((10 ** log).toPrecision(3));
  const T = slider({
    name: "temperature T",
    min: cold,
    max: hot,
    step: 0.01,
    value: Math.log10(temperature),
    text: (log) => written(warmth(log)),
    changed: () => show(),
  });
  const shift = slider({
    name: "add to all scores",
    min: -5,
    max: 5,
    step: 0.5,
    value: 0,
    changed: () => show(),
  });

  const left = bars("Scores", "score"), right = bars("Weights", "weight");
  const tells = names.map((/** @type {string} */ name, /** @type {number} */ j) => {
    const handle = draw(
      "g",
      {},
      left.boxes[j],
      left.broken[j],
      left.numbers[j],
      left.words[j],
      draw("rect", {
        class: "halo",
        x: left.area.px(middle(j) - 0.5 * wide),
        y: 0,
        width: left.area.px(wide) - left.area.px(0),
        height: left.area.py(y[0]),
      }),
    );
    left.area.svg.append(handle);
    return draggable(handle, left.area, {
      name: `score of ${name}`,
      step: 0.5,
      where: () => [scores[j] + shift.value(), scores[j] + shift.value()],
      text: () => written(scores[j] + shift.value()),
      moved: (_, up) => take(j, Math.round(Math.max(Math.min(up, reach), -reach) * 10) / 10),
      nudged: (across, up) => {
        const wanted = scores[j] + shift.value() + (across + up) / 2;
        take(j, Math.max(Math.min(wanted, reach), -reach));
      },
    });
  });
  right.area.svg.append(...right.boxes, ...right.numbers, ...right.words);

  const third = plane({ x, y, width: 190, name: "Entropy at every temperature" });
  const along = (/** @type {number} */ log) => third.px(-reach + 2 * reach * (log - cold) / (hot - cold));
  const up = (/** @type {number} */ nats) => third.py(-reach + 1.8 * reach * nats / all);
  const curve = draw("path", { class: "curve" }), dot = draw("circle", { r: 7, class: "weight" });
  third.svg.append(
    draw("path", { class: "axes", d: `M0 ${up(0)}h190M0 ${up(all)}h190` }),
    draw("text", { x: 4, y: up(all) - 5, class: "start" }, `log ${n} = ${written(all)}`),
    ...[0.1, 1, 10].map((t) => draw("text", { x: along(Math.log10(t)) + 5, y: up(0) + 14 }, String(t))),
    curve,
    dot,
  );

  const field = table({
    name: "scores",
    rows: ["s"],
    columns: names,
    values: [scores],
    limit: 1000,
    bad: say,
    changed: ([now], _, j) => {
      scores[j] = now[j];
      show();
    },
  });
  /** @type {HTMLElement[][]} */
  const steps = names.map(() => [0, 1, 2, 3].map(() => make("td")));
  const worked = grid({
    name: "step by step",
    rows: names,
    columns: ["score ÷ T", "minus the largest", "e to that", "÷ their sum"],
    cell: (i, j) => steps[i][j],
  });

  /** Give a key the score that its bar shows, shift included. */
  function take(/** @type {number} */ j, /** @type {number} */ shown) {
    scores[j] = shown - shift.value();
    field.set([scores]);
    show();
  }

  function show() {
    const t = warmth(T.value()), c = shift.value();
    const shifted = scores.map((s) => s + c), weights = softmax(shifted, { temperature: t });
    const nats = entropy(weights), best = Math.max(...weights), largest = Math.max(...shifted);
    left.show(shifted);
    right.show(weights, -reach, 1.8 * reach);
    steps.forEach((cells, j) =>
      [shifted[j] / t, (shifted[j] - largest) / t, Math.exp((shifted[j] - largest) / t), weights[j]]
        .forEach((value, k) => cells[k].textContent = written(value))
    );
    const points = Array.from({ length: 47 }, (_, k) => cold + k * (hot - cold) / 46);
    change(curve, {
      d: "M" +
        points.map((log) => `${along(log)} ${up(entropy(softmax(shifted, { temperature: 10 ** log })))}`)
          .join("L"),
    });
    change(dot, { cx: along(Math.log10(t)), cy: up(nats) });
    tells.forEach((/** @type {() => void} */ tell) => tell());
    const first = names.filter((/** @type {string} */ _, /** @type {number} */ j) =>
      weights[j] > best - 1e-9
    );
    const added = c ? ` and with ${brief(c)} added to all` : "";
    say(
      `At T = ${written(t)}${added} the largest weight is ` +
        `${written(best)} (${first.join(", ")}). Entropy ${written(nats)} of at most ` +
        `${written(all)} nats: ${written(Math.exp(nats), 1)} keys in play.`,
    );
  }

  const back = () => {
    scores = [...start];
    field.set([scores]);
    T.set(Math.log10(temperature));
    shift.set(0);
    show();
  };
  const panel = (/** @type {string} */ title, /** @type {any} */ svg) =>
    make("div", { class: "panel" }, make("p", { "aria-hidden": "true" }, title), svg);
  stage.append(
    make(
      "div",
      { class: "attn-row" },
      panel("scores ↕", left.area.svg),
      panel("weights", right.area.svg),
      panel("entropy over T", third.svg),
    ),
    make("div", { class: "attn-row" }, T.element, shift.element),
    make("div", { class: "attn-row" }, field.element, worked),
    button("Back to the text’s numbers", back),
  );
  back();
});
