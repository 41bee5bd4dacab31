// @ts-check
// Rotary positions: each pair of features is a dial, and positions turn all dials like gears.

import { brief, button, change, draggable, draw, grid } from "../../../drawing/kit.js";
import { make, mount, plane, slider, written } from "../../../drawing/kit.js";
import { dot_scores, rotary } from "../../../drawing/twin.js";

/** @typedef {"query" | "key"} Turned */

mount("rotary_dials", (stage, { query, key, positions: start, base, far }, say) => {
  const pairs = query.length / 2, most = 100;
  const given = { query, key };
  const speeds = query.slice(0, pairs).map((/** @type {number} */ _, /** @type {number} */ f) =>
    base ** (-2 * f / query.length)
  );
  // The two features of a pair are half a width apart.
  const pair = (/** @type {number[]} */ row, /** @type {number} */ f) => [row[f], row[f + pairs]];
  const longest = Math.max(
    ...[query, key].flatMap((row) =>
      speeds.map((/** @type {number} */ _, /** @type {number} */ f) => Math.hypot(...pair(row, f)))
    ),
  );
  const place = { query: start[0], key: start[1] };
  let before = { distance: NaN, shift: 0 };

  const turned = (/** @type {Turned} */ role) =>
    rotary([given[role]], [place[role] + shift.value()], { base })[0];
  const score = (/** @type {number} */ distance) =>
    dot_scores(rotary([query], [distance], { base }), [key])[0][0];

  const [queryAt, keyAt] = /** @type {Turned[]} */ (["query", "key"]).map((role) =>
    slider({
      name: `${role} at`,
      min: 0,
      max: far,
      step: 1,
      value: place[role],
      text: (at) => String(at),
      changed: (at) => move(role, at),
    })
  );
  const shift = slider({ name: "move both by", min: 0, max: most, step: 1, value: 0, changed: () => show() });

  const dials = plane({
    x: [-1.25, 2.5 * pairs - 1.25],
    y: [-1.2, 1.6],
    width: 132 * pairs,
    name: "A dial for each pair of features",
  });
  const hands = speeds.flatMap((/** @type {number} */ _, /** @type {number} */ f) => {
    const center = 2.5 * f, x0 = dials.px(center), y0 = dials.py(0);
    const arc = draw("path", { class: "arc" });
    dials.svg.append(
      draw("text", { x: x0, y: dials.py(1.2) }, `pair ${f}`),
      draw("circle", { class: "dial", cx: x0, cy: y0, r: dials.px(1) - dials.px(0) }),
      arc,
    );
    const two = /** @type {Turned[]} */ (["key", "query"]).map((role) => hand(role, f, center));
    return [{
      show: () => {
        const [k, q] = two.map((one) => one.angle());
        const r = dials.px(0.33) - dials.px(0), turn = Math.atan2(Math.sin(q - k), Math.cos(q - k));
        const [from, to] = [k, q].map((t) => `${x0 + r * Math.cos(t)} ${y0 - r * Math.sin(t)}`);
        change(arc, { d: `M${from}A${r} ${r} 0 0 ${turn > 0 ? 0 : 1} ${to}` });
      },
    }, ...two];
  });

  function hand(/** @type {Turned} */ role, /** @type {number} */ f, /** @type {number} */ center) {
    const shaft = draw("line", { x1: dials.px(center), y1: dials.py(0) });
    const tip = draw("polygon"), halo = draw("circle", { r: 15, class: "halo" });
    const handle = draw("g", { class: "attn-" + role }, shaft, tip, halo);
    dials.svg.append(handle);
    /** @returns {[number, number]} */
    const where = () => {
      const [a, b] = pair(turned(role), f);
      return [center + a / longest, b / longest];
    };
    const angle = () => Math.atan2(where()[1], where()[0] - center);
    const tell = draggable(handle, dials, {
      name: `${role} in pair ${f}`,
      where,
      text: () => `position ${place[role] + shift.value()}`,
      moved: (x, y) => {
        const turn = Math.atan2(y, x - center) - angle();
        const nearest = Math.atan2(Math.sin(turn), Math.cos(turn));
        move(role, place[role] + Math.round(nearest / speeds[f]), true);
      },
      nudged: (right, up) => move(role, place[role] + right + up, true),
    });
    const draw_it = () => {
      const [x, y] = where(), [left, top] = [dials.px(x), dials.py(y)], t = angle();
      const [c, s] = [Math.cos(t), -Math.sin(t)];
      // The query lies over the key, which is thicker and so is seen on both sides of it.
      const [long, half] = role === "key" ? [16, 9] : [11, 4.5];
      change(shaft, { x2: left - 8 * c, y2: top - 8 * s });
      change(tip, {
        points: [[left, top], [left - long * c - half * s, top - long * s + half * c], [
          left - long * c + half * s,
          top - long * s - half * c,
        ]].join(" "),
      });
      change(halo, { cx: left, cy: top });
      tell();
    };
    return { show: draw_it, angle };
  }

  // The score against the distance.
  const all = Array.from({ length: 2 * far * 4 + 1 }, (_, k) => k / 4 - far);
  const size = Math.max(...all.map((distance) => Math.abs(score(distance))));
  const curve = plane({
    x: [-1.07 * far, 1.07 * far],
    y: [-0.3 * far, 0.3 * far],
    width: 396,
    name: "The score at every distance",
  });
  const high = (/** @type {number} */ value) => curve.py(value / size * 0.25 * far);
  const dot = draw("circle", { r: 7, class: "weight" });
  curve.svg.append(
    draw("path", { class: "axes", d: `M0 ${high(0)}h396M${curve.px(0)} 0v999` }),
    ...[-far, -far / 2, far / 2, far].map((at) =>
      draw("text", { x: curve.px(at), y: high(0) + 15 }, brief(at))
    ),
    draw("path", {
      class: "curve",
      d: "M" + all.map((distance) => `${curve.px(distance)} ${high(score(distance))}`).join("L"),
    }),
    dot,
  );

  const cells = Array.from({ length: pairs + 1 }, () => [0, 1, 2].map(() => make("td")));
  const found = grid({
    name: "pair by pair",
    columns: ["turn for a step", "angle between", "adds to the score"],
    rows: [...speeds.keys()].map((f) => `pair ${f}`).concat("score"),
    cell: (i, j) => cells[i][j],
  });

  function move(/** @type {Turned} */ role, /** @type {number} */ at, dragged = false) {
    place[role] = Math.min(Math.max(at, 0), far);
    if (dragged) (role === "query" ? queryAt : keyAt).set(place[role]);
    show();
  }

  function show() {
    const q = turned("query"), k = turned("key"), distance = place.query - place.key;
    const total = dot_scores([q], [k])[0][0], by = shift.value();
    speeds.forEach((/** @type {number} */ speed, /** @type {number} */ f) => {
      const [a, b] = [pair(q, f), pair(k, f)];
      const angle = Math.atan2(a[1], a[0]) - Math.atan2(b[1], b[0]);
      const between = Math.abs(Math.atan2(Math.sin(angle), Math.cos(angle))) * 180 / Math.PI;
      [`${written(speed * 180 / Math.PI, 1)}°`, `${written(between, 0)}°`, written(a[0] * b[0] + a[1] * b[1])]
        .forEach((text, j) => cells[f][j].textContent = text);
    });
    cells[pairs][2].textContent = written(total);
    hands.forEach((/** @type {{show: () => void}} */ one) => one.show());
    change(dot, { cx: curve.px(distance), cy: high(total) });
    const moved = by !== before.shift && distance === before.distance;
    say(
      `Query at ${place.query + by}, key at ${place.key + by}: the distance is ` +
        `${moved ? "still " : ""}${brief(distance)}, and the score ${moved ? "stays" : "is"} ` +
        `${written(total)}.`,
    );
    before = { distance, shift: by };
  }

  stage.append(
    dials.svg,
    make(
      "div",
      { class: "attn-row" },
      make("div", { class: "attn-query" }, queryAt.element),
      make("div", { class: "attn-key" }, keyAt.element),
      shift.element,
    ),
    make(
      "div",
      { class: "attn-row" },
      found,
      make(
        "div",
        { class: "panel" },
        make("p", { "aria-hidden": "true" }, "score at every distance"),
        curve.svg,
      ),
    ),
    button("Back to the text’s numbers", () => {
      [place.query, place.key] = start;
      queryAt.set(start[0]);
      keyAt.set(start[1]);
      shift.set(0);
      show();
    }),
  );
  show();
});
