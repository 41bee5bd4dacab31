// @ts-check
// An average that is dragged inside, and out of, the triangle of its three values.

import { brief, button, change, draggable, draw, field } from "../../../drawing/kit.js";
import { grid, make, mount, plane, written } from "../../../drawing/kit.js";
import { weighted_sum } from "../../../drawing/twin.js";

/** @typedef {[number, number]} Point */

const LOW = ["₁", "₂", "₃"];

/**
 * Return the only weights of sum 1 that average three corners to a point; outside the triangle
 * one of them is negative.
 * @param {Point} point
 * @param {Point[]} corners not on one line
 * @returns {number[]}
 */
function weights_at([x, y], [[x1, y1], [x2, y2], [x3, y3]]) {
  const area = (x2 - x1) * (y3 - y1) - (x3 - x1) * (y2 - y1);
  const second = ((x - x1) * (y3 - y1) - (x3 - x1) * (y - y1)) / area;
  const third = ((x2 - x1) * (y - y1) - (x - x1) * (y2 - y1)) / area;
  return [1 - second - third, second, third];
}

/**
 * Give one weight a new size; the others share what is left in their old proportion.
 * @param {number[]} weights
 * @param {number} j
 * @param {number} size from 0 to 1
 * @returns {number[]}
 */
function with_weight(weights, j, size) {
  const others = weights.map((a, m) => m === j ? 0 : Math.max(a, 0));
  const total = others.reduce((sum, a) => sum + a, 0);
  return weights.map((_, m) =>
    m === j ? size : (1 - size) * (total ? others[m] / total : 1 / (weights.length - 1))
  );
}

mount("value_triangle", (stage, { values, weights: start, x, y }, say) => {
  const one = (/** @type {Point} */ point) => `(${written(point[0])}, ${written(point[1])})`;
  const plain = (/** @type {number} */ v) => brief(v);
  const list = () => weights.map((a) => written(a)).join(", ");
  /** @type {number[]} */
  let weights = start;
  /** @type {Point} */
  let output = weighted_sum(weights, values);

  const area = plane({ x, y, name: "The triangle of the values" });
  /** @type {Point} */
  const middle = weighted_sum([1 / 3, 1 / 3, 1 / 3], values);
  const at = (/** @type {Point} */ point) => ({ cx: area.px(point[0]), cy: area.py(point[1]) });
  const lines = values.map(() => draw("line"));
  const corners = values.map((/** @type {Point} */ value) =>
    draw("circle", { class: "corner", ...at(value) })
  );
  const names = values.map((/** @type {Point} */ value, /** @type {number} */ j) => {
    const { cx, cy } = at(value), left = cx - at(middle).cx, down = cy - at(middle).cy;
    const away = 24 / Math.hypot(left, down);
    return draw("text", { class: "name", x: cx + away * left, y: cy + away * down }, "x" + LOW[j]);
  });
  const square = draw("rect", { width: 14, height: 14 });
  const halo = draw("circle", { r: 18, class: "halo" });
  const name = draw("text", {}, "y");
  const handle = draw("g", {}, halo, square, name);
  const upright = Array.from({ length: x[1] - x[0] }, (_, k) => area.px(Math.ceil(x[0]) + k));
  const level = Array.from({ length: y[1] - y[0] }, (_, k) => area.py(Math.ceil(y[0]) + k));
  area.svg.append(draw("path", {
    d: upright.map((a) => `M${a} 0v999`).join("") +
      level.map((b) => `M0 ${b}h999`).join(""),
  }));
  area.svg.append(
    draw("polygon", {
      points: values.map((/** @type {Point} */ value) => Object.values(at(value)).join()).join(" "),
    }),
    ...lines,
    ...corners,
    ...names,
    handle,
  );

  const bars = values.map(() => make("span", { class: "bar" }));
  /** @type {ReturnType<typeof field>[]} */
  const fields = values.map((/** @type {Point} */ _, /** @type {number} */ j) =>
    field({
      name: "a" + LOW[j],
      value: 0,
      limit: 1,
      least: 0,
      step: 0.1,
      bad: say,
      changed: (size) => mix(with_weight(weights, j, size), j),
    })
  );
  const places = [x, y].map((range, f) =>
    field({
      name: `y, feature ${f + 1}`,
      value: 0,
      limit: range[1],
      least: range[0],
      step: 0.1,
      bad: say,
      changed: (now) => move(f ? [output[0], now] : [now, output[1]], f),
    })
  );
  const spelled = make("p", { class: "sum" });

  /** Take weights of sum 1; a field that is being written in stays as it is. */
  function mix(/** @type {number[]} */ now, typed = -1) {
    weights = now;
    output = weighted_sum(weights, values);
    show(typed);
  }

  /** Take an output, inside or not. */
  function move(/** @type {Point} */ point, typed = -1) {
    weights = weights_at(point, values).map((a) => Math.abs(a) < 1e-9 ? 0 : a);
    output = point;
    show(-1, typed);
  }

  function show(weight = -1, place = -1) {
    const { cx, cy } = at(output);
    fields.forEach((one, j) => j === weight || one.set(weights[j]));
    places.forEach((one, f) => f === place || one.set(output[f]));
    weights.forEach((a, j) => {
      change(corners[j], { r: 5 + 9 * Math.max(a, 0) });
      change(lines[j], {
        x1: cx,
        y1: cy,
        x2: at(values[j]).cx,
        y2: at(values[j]).cy,
        "stroke-width": 1 + 6 * Math.min(Math.abs(a), 1),
        class: a < 0 && "minus",
      });
      bars[j].style.width = `${Math.min(Math.abs(a), 1.5) * 5}em`;
      change(bars[j], { class: "bar" + (a < 0 ? " minus" : "") });
    });
    change(halo, { cx, cy });
    change(square, { x: cx - 7, y: cy - 7 });
    change(name, { x: cx + 12, y: cy - 10 });
    spelled.textContent = "y = " + weights.map((a, j) =>
      `${a < 0 ? `(${written(a)})` : written(a)}·(${values[j].map(plain).join(", ")})`
    )
      .join(" + ") +
      ` = ${one(output)}`;
    say(sentence());
    tell();
  }

  function sentence() {
    const minus = weights.map((a, j) => a < 0 ? "a" + LOW[j] : "").filter(Boolean);
    const used = weights.map((a, j) => a > 0 ? "x" + LOW[j] : "").filter(Boolean);
    if (minus.length) {
      return `${one(output)} lies outside the triangle. The only weights of sum 1 that give it are ` +
        `${list()}, and ${minus.join(" and ")} ${minus.length > 1 ? "are" : "is"} negative: ` +
        "no average gets there.";
    }
    const where = [
      "",
      `on the corner ${used[0]}`,
      `on the edge from ${used[0]} to ${used[1]}`,
      "inside the triangle",
    ][used.length];
    return `The average ${one(output)} lies ${where}. Its weights are ${list()}; their sum is 1.`;
  }

  const tell = draggable(handle, area, {
    name: "y, the output",
    where: () => output,
    text: () => `${one(output)}, weights ${list()}`,
    moved: (right, up) => {
      /** @type {Point} */
      const point = [Math.round(right * 100) / 100, Math.round(up * 100) / 100];
      const near = weights_at(point, values);
      // Edges and corners hold what comes near: a hand cannot hit them.
      if (
        near.every((a) => a > -0.02) && near.some((a) => Math.abs(a) < 0.02)
      ) {
        const kept = near.map((a) => a < 0.02 ? 0 : a), total = kept.reduce((sum, a) => sum + a);
        mix(kept.map((a) => a / total));
      } else {
        move(point);
      }
    },
  });

  stage.append(
    make(
      "div",
      { class: "attn-row" },
      area.svg,
      make(
        "div",
        { class: "attn-stage" },
        grid({
          name: "weights",
          rows: LOW.map((low) => "a" + low),
          columns: ["number", "bar"],
          role: "weight",
          cell: (j, f) => make("td", {}, f ? bars[j] : fields[j].element),
        }),
        grid({
          name: "output",
          rows: ["y"],
          columns: ["feature 1", "feature 2"],
          role: "output",
          cell: (_, f) => make("td", {}, places[f].element),
        }),
        button("Back to the text’s numbers", () => mix(start)),
      ),
    ),
    spelled,
  );
  mix(start);
});
