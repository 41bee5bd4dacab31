// @ts-check
// Masks to paint for a few layers, and a lamp: does an output change when a later word changes?

import { button, change, grid, make, mount, paintable } from "../../../drawing/kit.js";
import { attention, weighted_sum } from "../../../drawing/twin.js";

mount("mask_painter", (stage, data, say, said) => {
  const { tokens, plans, inputs, others, weights } = data;
  const names = Object.keys(plans);
  const layers = weights.map((_, k) => k);
  const plan = names[0];
  let layer = data.layer, exchanged = data.changed;
  let masks = plans[plan];

  /** What a layer makes of its input: attention and a step on every row, each added. */
  function through(X, k) {
    const [Q, K, V] = weights[k].slice(0, 3).map((W) => weighted_sum(X, W));
    const mixed = attention(Q, K, V, { mask: masks[k] });
    const middle = X.map((row, i) => row.map((x, f) => x + mixed[i][f]));
    const step = weighted_sum(middle, weights[k][3]);
    return middle.map((row, i) => row.map((x, f) => x + Math.tanh(step[i][f])));
  }

  /** The input, and what each layer makes of it. */
  function stack(X) {
    const found = [X];
    for (const k of layers) found.push(through(found[k], k));
    return found;
  }

  /** For the input and each layer, which positions differ when one word is exchanged. */
  function moves(before, j) {
    const after = stack(inputs.map((row, i) => i === j ? others[i] : row));
    return before.map((X, k) => X.map((row, i) => row.some((x, f) => x !== after[k][i][f])));
  }

  const again = (token) => tokens.indexOf(token) !== tokens.lastIndexOf(token);
  const quoted = (i) => `“${tokens[i]}”${again(tokens[i]) ? ` (${i + 1})` : ""}`;
  const listed = (all) =>
    all.length > 1 ? `${all.slice(0, -1).join(", ")} and ${all.at(-1)}` : String(all[0]);

  function leakInWords(leaks) {
    if (!leaks.length) return "No leak: no output changes when a later word changes.";
    const [i, j] = leaks.find(([, late]) => late === exchanged) || leaks[0];
    const more = leaks.length > 1 ? ` ${leaks.length} such pairs.` : "";
    return `Leak: the output at ${quoted(i)} changes when the later ${quoted(j)} changes.${more}`;
  }

  function refresh() {
    const before = stack(inputs), all = tokens.map((_, j) => moves(before, j));
    const last = layers.length;
    const leaks = tokens.flatMap((_, i) => tokens.map((_, j) => [i, j]))
      .filter(([i, j]) => j > i && all[j][last][i]);
    const moved = all[exchanged];
    moved.forEach((row, k) =>
      row.forEach((moves, i) => {
        const cell = places[last - k][i];
        const early = moves && i < exchanged;
        change(cell, { class: moves ? early ? "attn-early" : "attn-moved" : "" });
        cell.firstChild.textContent = moves ? early ? "leaks" : "moves" : "stays";
      })
    );
    chosen.forEach((one, i) => change(one, { "aria-pressed": String(i === exchanged) }));
    layerButtons.forEach((one, k) => change(one, { "aria-pressed": String(k === layer) }));
    const same = (name) => JSON.stringify(plans[name]) === JSON.stringify(masks);
    planButtons.forEach((one, p) => change(one, { "aria-pressed": String(same(names[p])) }));
    change(lamp, { "data-leak": String(leaks.length > 0) });
    lamp.lastChild.textContent = leaks.length ? "leak" : "no leak";
    const where = tokens.map((_, i) => i).filter((i) => moved[last][i]).map(quoted);
    const blind = layers.flatMap((k) => tokens.map((_, i) => [k, i]))
      .filter(([k, i]) => !masks[k][i].includes(true)).map(([k, i]) =>
        `The mask of layer ${k + 1} leaves ${quoted(i)} no key: its weights are 0.`
      );
    const which = where.length > 1 ? "the outputs at" : "only the output at";
    say([
      leakInWords(leaks),
      `When ${quoted(exchanged)} is exchanged, ${which} ${listed(where)} ` +
      `change${where.length > 1 ? "" : "s"}.`,
      ...blind,
    ].join(" "));
  }

  const squares = paintable({
    name: "",
    rows: tokens,
    columns: tokens,
    mask: masks[layer],
    changed: (now) => {
      masks = masks.map((mask, k) => k === layer ? now.map((row) => [...row]) : mask);
      refresh();
    },
  });
  function show() {
    squares.set(masks[layer]);
    /** @type {HTMLElement} */ (squares.table.caption).textContent = `mask of layer ${layer + 1}`;
    refresh();
  }

  const group = (name, ...parts) =>
    make(
      "div",
      { class: "attn-choice", role: "group", "aria-label": name },
      make("span", { "aria-hidden": "true" }, name),
      ...parts,
    );
  const planButtons = names.map((name) =>
    button(name, () => {
      masks = plans[name];
      // Show a layer in which it is not the first plan, so that what has changed is seen.
      const other = layers.filter((k) => String(masks[k]) !== String(plans[plan][k]));
      if (other.length && !other.includes(layer)) layer = other[0];
      show();
    })
  );
  const layerButtons = layers.map((k) =>
    button(String(k + 1), () => {
      layer = k;
      show();
    }, { "aria-label": `layer ${k + 1}` })
  );
  const chosen = tokens.map((token, i) =>
    button(token, () => {
      exchanged = i;
      refresh();
    })
  );
  const places = [...layers, -1].map(() =>
    tokens.map(() => make("td", {}, make("span", { class: "attn-hidden" })))
  );
  const rows = ["input", ...layers.map((k) => `layer ${k + 1}`)].reverse();
  const picture = grid({ name: "which vectors change", rows, columns: tokens, cell: (k, i) => places[k][i] });
  const lamp = make(
    "p",
    { class: "attn-lamp", "aria-hidden": "true" },
    make("span", {}, "●"),
    make("span", {}),
  );

  const scroll = (element) => make("div", { class: "attn-scroll" }, element);
  stage.style.setProperty("--n", tokens.length);
  stage.append(group("masks", ...planButtons));
  if (layers.length > 1) stage.append(group("mask of layer", ...layerButtons));
  stage.append(
    group("exchange", ...chosen),
    lamp,
    make("div", { class: "attn-row" }, squares.element, scroll(picture)),
    said,
    button("Back to the text’s numbers", () => {
      ({ layer, changed: exchanged } = data);
      masks = plans[plan];
      show();
    }),
  );
  show();
});
