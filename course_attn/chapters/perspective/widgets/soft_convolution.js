// @ts-check
// A convolution by nine softmax heads beside the exact one.

import { brief, button, cells, change, draw, make } from "../../../drawing/kit.js";
import { mount, powered, shades, slider, written } from "../../../drawing/kit.js";
import { conv2d_as_attention, relative_position_scores, softmax, weighted_sum } from "../../../drawing/twin.js";

mount("soft_convolution", (stage, { image, kernels, sharpness, pixel }, say, said) => {
  const height = image.length, width = image[0].length, most = 20;
  /** @type {number[]} all pixels, row by row */
  const all = image.flat();
  const lowest = Math.min(...all), highest = Math.max(...all);
  const names = Object.keys(kernels);
  let name = names[0], zeros = false, head = 0, [r, c] = pixel;

  /** @type {(i: number) => [number, number]} */
  const spot = (i) => [Math.floor(i / width), i % width];
  /** @type {(h: number) => [number, number]} */
  const shift = (h) => [Math.floor(h / 3) - 1, h % 3 - 1];
  const clip = (x, low, high) => Math.min(Math.max(x, low), high);
  const entries = () => kernels[name].flat();

  // What each head brings to each pixel, by sharpness, and the convolutions.
  const brought = new Map(), goals = new Map();
  const once = (known, key, found) => known.get(key) ?? known.set(key, found()).get(key);
  const weights = (h, alpha) =>
    softmax(
      relative_position_scores(height, width, shift(h), { sharpness: alpha }),
    );

  /** What nine softmax heads give. @returns {number[]} */
  function soft(alpha) {
    const values = once(
      brought,
      alpha,
      () => entries().map((_, h) => weighted_sum(weights(h, alpha), all.map((x) => [x]))),
    );
    return all.map((_, i) => entries().reduce((total, w, h) => total + w * values[h][i][0], 0));
  }

  /** The convolution itself, of a picture with a ring around it. @returns {number[]} */
  const exact = (zeros) =>
    once(goals, name + zeros, () => {
      const ringed = Array.from({ length: height + 2 }, (_, a) =>
        Array.from({ length: width + 2 }, (_, b) => {
          const [s, t] = [clip(a - 1, 0, height - 1), clip(b - 1, 0, width - 1)];
          return [zeros && (s !== a - 1 || t !== b - 1) ? 0 : image[s][t]];
        }));
      return conv2d_as_attention(ringed, kernels[name].map((row) => row.map((w) => [[w]])))
        .slice(1, -1).flatMap((row) => row.slice(1, -1).flat());
    });

  const off = (found, goal) => found.map((y, i) => Math.abs(y - goal[i]));
  const shade = (square, x, low, high) =>
    square.style.setProperty("--g", `${clip(100 * (x - low) / (high - low || 1), 0, 100)}%`);

  /** A picture of the pixels, with frames around some. */
  function picture(title, edge = 0) {
    const box = [-edge, -edge, width + 2 * edge, height + 2 * edge].join(" ");
    const svg = draw("svg", { viewBox: box, role: "img", "aria-label": title });
    const square = ([y, x], kind) => draw("rect", { x, y, width: 1, height: 1, class: kind });
    const squares = all.map((_, i) => square(spot(i), null)), framed = draw("g");
    svg.append(...squares, framed);
    const show = (values, low, high, places) => {
      values.forEach((y, i) => shade(squares[i], y, low, high));
      framed.replaceChildren(...Object.entries(places).map(([kind, at]) => square(at, kind)));
    };
    return { svg, show };
  }

  const scales = Array.from({ length: 4 }, shades);

  const asked = cells({
    name: "picture",
    rows: image.map((_, k) => `row ${k}`),
    columns: image[0].map((_, k) => `column ${k}`),
    act: (a, b) => {
      [r, c] = [a, b];
      show();
    },
  });
  const kernel = cells({
    name: "kernel",
    rows: ["up", "level", "down"],
    columns: ["left", "middle", "right"],
    act: (a, b) => {
      head = 3 * a + b;
      show();
    },
  });
  for (const one of [asked, kernel]) {
    change(one.element, { focusin: (event) => event.target.click() });
  }
  const place = (i) => `row ${spot(i)[0]}, column ${spot(i)[1]}`;
  const pick = (made, a, b, text, picked) =>
    change(made.at(a, b), {
      "aria-label": text,
      "aria-pressed": String(picked),
      tabindex: picked ? "0" : "-1",
    });
  all.forEach((x, i) => shade(asked.at(spot(i)[0], spot(i)[1]), x, lowest, highest));
  const looks = picture("where the head looks", 1), mixed = picture("nine softmax heads");
  const wanted = picture("the convolution");

  // The error over the sharpness, by powers of ten.
  const floor = -8, top = 2, wide = 190, high = 150;
  const px = (alpha) => alpha / most * wide;
  const py = (error) => clip((top - Math.log10(error || 1e-99)) / (top - floor), 0, 1) * high;
  const curve = draw("path", { class: "curve" }), bound = draw("path", { class: "bound" });
  const dot = draw("circle", { r: 6, class: "dot" });
  const label = (x, y, text) => draw("text", { x, y, "text-anchor": "middle" }, text);
  const plot = draw(
    "svg",
    {
      viewBox: `-40 -8 ${wide + 48} ${high + 30}`,
      role: "img",
      "aria-label": "the largest error at every sharpness",
    },
    draw("path", { class: "axes", d: `M0 0V${high}H${wide}` }),
    label(-20, py(1) + 5, "1"),
    label(-20, py(1e-3) + 5, "10⁻³"),
    label(-20, py(1e-6) + 5, "10⁻⁶"),
    label(0, high + 17, "α = 0"),
    label(px(10), high + 17, "10"),
    label(px(20), high + 17, "20"),
    bound,
    curve,
    dot,
  );
  const line = (f, from) =>
    "M" + Array.from({ length: most + 1 - from }, (_, k) => `${px(k + from)} ${py(f(k + from))}`).join("L");

  const alpha = slider({
    name: "sharpness α",
    min: 0,
    max: most,
    step: 0.25,
    value: sharpness,
    changed: () => show(),
  });
  const group = (title, texts, act) => {
    const buttons = texts.map((text) =>
      button(text, () => {
        act(text);
        show();
      })
    );
    const press = (text) =>
      buttons.forEach((one) => change(one, { "aria-pressed": String(one.textContent === text) }));
    return {
      press,
      element: make(
        "div",
        { class: "choice", role: "group", "aria-label": title },
        make("span", {}, title),
        ...buttons,
      ),
    };
  };
  const kinds = group("kernel", names, (text) => {
    name = text;
    head = entries().findIndex((w) => w !== 0);
  });
  const beyond = group("border", ["continued", "zeros"], (text) => zeros = text === "zeros");

  function show() {
    const a = alpha.value(), found = soft(a), goal = exact(zeros), errors = off(found, goal);
    const low = Math.min(...goal), high = Math.max(...goal);
    scales.forEach((one, k) => one.show([[lowest, highest], [0, 1]][k] ?? [low, high]));
    const error = Math.max(...errors), worst = errors.indexOf(error);
    const row = weights(head, a)[r * width + c], mostly = row.indexOf(Math.max(...row));
    const [down, right] = shift(head), meant = [r + down, c + right];
    looks.show(row, 0, 1, { asks: [r, c], meant });
    for (const [one, values] of /** @type {any} */ ([[mixed, found], [wanted, goal]])) {
      one.show(values, low, high, { worst: spot(worst) });
    }
    all.forEach((x, i) =>
      pick(asked, spot(i)[0], spot(i)[1], `${place(i)}: ${brief(x)}`, i === r * width + c)
    );
    entries().forEach((w, h) => {
      pick(kernel, shift(h)[0] + 1, shift(h)[1] + 1, `${towards(h)}: ${brief(w, 2)}`, h === head);
      kernel.at(shift(h)[0] + 1, shift(h)[1] + 1).textContent = brief(w, 2);
    });
    kinds.press(name);
    beyond.press(zeros ? "zeros" : "continued");
    const size = entries().reduce((total, w) => total + Math.abs(w), 0) * (highest - lowest);
    change(curve, { d: line((x) => Math.max(...off(soft(x), goal)), 0) });
    change(bound, { d: zeros ? "" : line((x) => 6 * Math.exp(-x) * size, 1) });
    change(dot, { cx: px(a), cy: py(error) });
    const hits = image[meant[0]]?.[meant[1]] === undefined
      ? "; what is meant lies outside"
      : mostly === meant[0] * width + meant[1]
      ? ", the pixel meant"
      : "; another is meant";
    const gives = a
      ? `gives ${written(row[mostly])} of the weight of ${place(r * width + c)} to ` +
        place(mostly) + hits
      : `gives every pixel the same weight, 1/${all.length}`;
    dashed.hidden = zeros;
    const rest = Math.max(...off(exact(true), exact(false)));
    say(
      `α = ${brief(a)}: the largest error is ${powered(error)}, at ${place(worst)}. The head that ` +
        `looks ${towards(head)} ${gives}.` + (zeros && rest
          ? ` However sharp the heads, an error of ` +
            `${powered(rest)} stays: softmax never looks at nothing. A ring of keys with the value 0 ` +
            `cures it.`
          : ""),
    );
  }

  /** Where a head looks, in words. */
  function towards(h) {
    const [down, right] = shift(h);
    const words = [["up", "", "down"][down + 1], ["left", "", "right"][right + 1]];
    return words.filter(Boolean).join(" and ") || "at the pixel itself";
  }

  const panel = (title, /** @type {any[]} */ ...inside) =>
    make("div", { class: "panel" }, title && make("p", { "aria-hidden": "true" }, title), ...inside);
  const dashed = make("div", {}, "dashed: what it cannot exceed");
  const keys = scales.map((one) => one.element);
  stage.append(
    make("div", { class: "attn-row" }, kinds.element, beyond.element),
    alpha.element,
    said,
    make(
      "div",
      { class: "attn-row panels" },
      panel("", asked.element, keys[0]),
      panel("", kernel.element),
      panel("where the head looks", looks.svg, keys[1]),
      panel("nine softmax heads", mixed.svg, keys[2]),
      panel("the convolution", wanted.svg, keys[3]),
      panel("largest error", plot, dashed),
    ),
    button("Back to the text’s numbers", () => {
      [name, zeros, head, [r, c]] = [names[0], false, 0, pixel];
      alpha.set(sharpness);
      show();
    }),
  );
  show();
});
