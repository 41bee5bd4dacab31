// @ts-check
// A query and a key as arrows to be dragged: what the dot product, the cosine and the distance say.

import { brief, button, change, draggable, draw, grid } from "../../../drawing/kit.js";
import { make, mount, plane, table, written } from "../../../drawing/kit.js";
import { cosine_scores, dot_scores } from "../../../drawing/twin.js";

mount("two_arrows", (stage, { query, key, x, y }, say) => {
  const arrows = { query: [...query], key: [...key] };
  const area = plane({ x, y, width: 300, name: "The two arrows" });
  const zero = { x: area.px(0), y: area.py(0) };
  const round = (/** @type {number} */ a) => Math.round(a * 20) / 20;
  const sign = (/** @type {number} */ a) => a < 0 ? `(${brief(a)})` : brief(a);
  const degrees = (/** @type {number} */ a) => a * 180 / Math.PI;

  const between = draw("line", { class: "between" }), arc = draw("path", { class: "arc" });
  const ends = { query: arrow("query", "q"), key: arrow("key", "k") };
  const upright = [-2, -1, 1, 2].map((a) => `M${area.px(a)} 0v999`);
  const level = [-1, 1, 2, 3, 4].map((b) => `M0 ${area.py(b)}h999`);
  area.svg.append(
    draw("path", { class: "axes grid", d: [...upright, ...level].join("") }),
    draw("path", { class: "axes", d: `M0 ${zero.y}h999M${zero.x} 0v999` }),
    between,
    arc,
    ends.key.handle,
    ends.query.handle,
  );

  function arrow(/** @type {"query" | "key"} */ role, /** @type {string} */ letter) {
    const shaft = draw("line", { x1: zero.x, y1: zero.y }), head = draw("polygon");
    const halo = draw("circle", { r: 18, class: "halo" }), name = draw("text", {}, letter);
    const handle = draw("g", { class: "attn-" + role }, shaft, head, halo, name);
    const tell = draggable(handle, area, {
      name: `the ${role}`,
      where: () => /** @type {[number, number]} */ (arrows[role]),
      text: () => `(${arrows[role].map((a) => brief(a)).join(", ")})`,
      moved: (right, up) => take(role, [round(right), round(up)]),
    });
    const numbers = table({
      name: role,
      rows: [letter],
      columns: ["feature 1", "feature 2"],
      values: [arrows[role]],
      role,
      limit: 10,
      step: 0.1,
      bad: say,
      changed: ([now]) => take(role, now, true),
    });
    const place = () => {
      const [a, b] = arrows[role], left = area.px(a), top = area.py(b);
      const size = Math.hypot(left - zero.x, top - zero.y) || 1;
      const [c, s] = [(left - zero.x) / size, (top - zero.y) / size], long = Math.min(size, 12);
      change(shaft, { x2: left - c * long * 0.8, y2: top - s * long * 0.8 });
      change(head, {
        points: [[left, top], [left - long * c - 5 * s, top - long * s + 5 * c], [
          left - long * c + 5 * s,
          top - long * s - 5 * c,
        ]].join(" "),
      });
      change(halo, { cx: left, cy: top });
      // The letter stands beside the head, on the side away from the other arrow.
      const other = arrows[role === "query" ? "key" : "query"];
      const turn = a * other[1] - b * other[0] || (role === "query" ? 1 : -1);
      const side = turn > 0 ? 17 : -17;
      const inside = (/** @type {number} */ at, /** @type {number} */ end) =>
        Math.min(Math.max(at, 8), end - 8);
      change(name, { x: inside(left - side * s, area.px(x[1])), y: inside(top + side * c, area.py(y[0])) });
      tell();
    };
    return { handle, numbers, place };
  }

  /** Take an arrow; a field that is being written in stays as it is. */
  function take(/** @type {"query" | "key"} */ role, /** @type {number[]} */ now, typed = false) {
    arrows[role] = now;
    if (!typed) ends[role].numbers.set([now]);
    show();
  }

  const sums = [0, 1, 2].map(() => [make("td", { class: "sum" }), make("td")]);
  const found = grid({
    name: "what they say",
    rows: ["dot product", "cosine", "distance"],
    columns: ["sum", "value"],
    cell: (i, j) => sums[i][j],
  });

  function show() {
    const { query: q, key: k } = arrows;
    const dot = dot_scores([q], [k])[0][0], cosine = cosine_scores([q], [k])[0][0];
    const far = Math.hypot(q[0] - k[0], q[1] - k[1]);
    const lengths = [q, k].map((a) => Math.hypot(...a)), none = !lengths[0] || !lengths[1];
    [[`${sign(q[0])}·${sign(k[0])} + ${sign(q[1])}·${sign(k[1])}`, written(dot)], [
      none
        ? "a zero vector has no direction"
        : `${written(dot)} ÷ (${lengths.map((a) => written(a)).join(" · ")})`,
      written(cosine),
    ], [`√((${sign(q[0])} − ${sign(k[0])})² + (${sign(q[1])} − ${sign(k[1])})²)`, written(far)]].forEach((
      texts,
      i,
    ) => texts.forEach((text, j) => sums[i][j].textContent = text));
    const angles = [k, q].map(([a, b]) => Math.atan2(-b, a)), r = 26;
    const turn = Math.atan2(Math.sin(angles[1] - angles[0]), Math.cos(angles[1] - angles[0]));
    const [from, to] = angles.map((t) => `${zero.x + r * Math.cos(t)} ${zero.y + r * Math.sin(t)}`);
    change(arc, { d: none ? "" : `M${from}A${r} ${r} 0 0 ${turn > 0 ? 1 : 0} ${to}` });
    change(between, { x1: area.px(q[0]), y1: area.py(q[1]), x2: area.px(k[0]), y2: area.py(k[1]) });
    ends.query.place();
    ends.key.place();
    const angle = none
      ? "no angle, as a zero vector has no direction"
      : `${written(degrees(Math.abs(turn)), 0)}° between them`;
    say(
      `Lengths ${lengths.map((a) => written(a)).join(" and ")}, ${angle}: dot product ` +
        `${written(dot)}, cosine ${written(cosine)}, distance ${written(far)}.`,
    );
  }

  const back = () => {
    take("query", [...query]);
    take("key", [...key]);
  };
  stage.append(
    make(
      "div",
      { class: "attn-row" },
      area.svg,
      make(
        "div",
        { class: "attn-stage" },
        make("div", { class: "attn-row" }, ends.query.numbers.element, ends.key.numbers.element),
        found,
        button("Back to the text’s numbers", back),
      ),
    ),
  );
  back();
});
