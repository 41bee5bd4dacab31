// @ts-check
// The small parts that the widgets share. What a widget is, and how one is added: page.py.

/** @typedef {(sentence: string) => void} Say Says what changed, to eyes and to screen readers. */
/**
 * @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => any)>}
 *   Attributes
 */

/**
 * Start a widget wherever the page has one that has not started yet. If starting fails, what
 * stands there without JavaScript stays.
 * @param {string} name as in page.py
 * @param {(stage: HTMLElement, data: any, say: Say, said: HTMLElement) => void} build fills the
 *   stage; it may put `said` (where the sentences appear) into it, or else it comes last
 */
export function mount(name, build) {
  const wanted = `.attn-live[data-widget="${name}"]:not(.attn-on)`;
  // A test imports a widget's script where there is no page.
  for (const root of globalThis.document?.querySelectorAll(wanted) ?? []) {
    // Or else JupyterLab would take the keys.
    const stage = make("div", { class: "attn-stage", "data-lm-suppress-shortcuts": "true" });
    const said = make("p", { class: "attn-said", role: "status" });
    const say = (/** @type {string} */ sentence) => {
      if (said.textContent !== sentence) said.textContent = sentence;
    };
    try {
      const data = JSON.parse(part(root, "script[type='application/json']").textContent || "");
      build(stage, data, say, said);
    } catch (error) {
      console.error(error);
      continue;
    }
    if (!said.parentElement) stage.append(said);
    const hint = root.querySelector(".attn-todo");
    if (hint) stage.prepend(hint);
    part(root, ".attn-plain").after(stage);
    root.classList.add("attn-on");
  }
}

/**
 * Return the one element within another that must be there.
 * @param {Element} root
 * @param {string} selector
 * @returns {HTMLElement}
 */
export function part(root, selector) {
  const found = /** @type {HTMLElement | null} */ (root.querySelector(selector));
  if (!found) throw new Error(`there is no ${selector}`);
  return found;
}

/**
 * Make an HTML element. Text becomes text, never markup.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes] a function is a listener: {click: () => …}
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/**
 * Make an SVG element, as `make` does.
 * @param {string} tag
 * @param {Attributes} [attributes]
 * @param {...(Node | string)} children
 * @returns {any}
 */
export function draw(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/**
 * @template {Element} Made
 * @param {Made} element
 * @param {Attributes} attributes
 * @param {(Node | string)[]} children
 */
function filled(element, attributes, children) {
  change(element, attributes);
  element.append(...children);
  return element;
}

/**
 * Set attributes of an element; `null` or `false` removes one.
 * @param {Element} element
 * @param {Attributes} attributes
 */
export function change(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === null || value === false) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * Write a number with so many decimals and a true minus; what rounds to 0 has no sign.
 * @param {number} x
 * @param {number} [decimals]
 * @returns {string}
 */
export function written(x, decimals = 2) {
  if (Number.isNaN(x)) return "undefined";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  const text = Math.abs(x).toFixed(decimals);
  return (x < 0 && Number(text) ? "−" : "") + text;
}

/**
 * Write a number as short as it goes: 2, −0.5, 1.414.
 * @param {number} x
 * @param {number} [decimals] at most
 * @returns {string}
 */
export function brief(x, decimals = 3) {
  const text = written(x, decimals);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/**
 * Write a number with two decimals, or if it is near 0 by its power of ten: 3·10⁻⁷.
 * @param {number} x
 * @param {number} [digits] of a number near 0
 * @returns {string}
 */
export function powered(x, digits = 1) {
  if (!x || Math.abs(x) >= 0.005) return written(x);
  const [digit, power] = x.toExponential(digits - 1).replace("-", x < 0 ? "−" : "-").split("e-");
  return `${digit}·10⁻${[...power].map((d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(d)]).join("")}`;
}

/**
 * Write a character within a sentence.
 * @param {string} c
 * @returns {string}
 */
export function quoted(c) {
  return c === " " ? "a space" : c === "\n" ? "a new line" : `“${c}”`;
}

/**
 * Write a character that may have no shape.
 * @param {string} c
 * @returns {string}
 */
export function spelled(c) {
  const code = "U+" + (c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return c === "\t" ? "the tab" : /[\s\p{C}\p{M}]/u.test(c) ? code : `“${c}”`;
}

/**
 * Write a list with an "and".
 * @param {string[]} all
 * @returns {string}
 */
export function listed(all) {
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all[all.length - 1]}`;
}

/**
 * Return what lies between two numbers, nearest to another.
 * @param {number} x
 * @param {number} least
 * @param {number} most
 * @returns {number}
 */
export function clip(x, least, most) {
  return Math.min(Math.max(x, least), most);
}

/**
 * Return the shortest turn from one angle to another, in radians.
 * @param {number} from
 * @param {number} to
 * @returns {number}
 */
export function turned(from, to) {
  return Math.atan2(Math.sin(to - from), Math.cos(to - from));
}

/**
 * Return the corners of an arrow's head, for a polygon.
 * @param {number} x of its tip
 * @param {number} y
 * @param {[number, number]} direction of length 1
 * @param {number} long
 * @param {number} half its width
 * @returns {string}
 */
export function arrowhead(x, y, [c, s], long, half) {
  const [a, b] = [x - long * c, y - long * s];
  return [[x, y], [a - half * s, b + half * c], [a + half * s, b - half * c]].join(" ");
}

/**
 * Read the number that a learner wrote: also with a decimal comma, a true minus, or as 1/3.
 * @param {string} text
 * @param {number} [limit] the largest size that is taken
 * @param {number} [least] the smallest number that is taken
 * @returns {number | string} the number, or what is wrong with the text, to follow a name
 */
export function read(text, limit = 1000, least = -limit) {
  const plain = text.trim().replaceAll("−", "-").replaceAll(",", ".");
  if (!plain) return "is empty";
  const shown = `holds “${plain.length > 12 ? text.trim().slice(0, 12) + "…" : text.trim()}”`;
  const parts = plain.split("/"), good = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;
  const value = parts.length > 2 || !parts.every((one) => good.test(one))
    ? NaN
    : Number(parts[0]) / Number(parts[1] ?? 1);
  if (Number.isNaN(value)) return shown + ", which is not a number";
  if (value > limit || value < least) {
    return `${shown}, which is not from ${brief(least)} to ${brief(limit)}`;
  }
  return value;
}

/**
 * Make a field for one number. A bad text stays in the field and is named by `bad`, and the last
 * good number stays in use; Escape brings it back. Arrow up and down change it by a step.
 * @param {{name: string, value: number, limit?: number, least?: number, step?: number,
 *   changed: (value: number) => void, bad: Say}} options
 * @returns {{element: HTMLInputElement, value: () => number, set: (value: number) => void}}
 */
export function field({ name, value, limit, least, step = 0.5, changed, bad }) {
  const element = make("input", {
    type: "text",
    class: "attn-field",
    "aria-label": name,
    autocomplete: "off",
    spellcheck: "false",
  });
  const mark = (/** @type {string | false} */ wrong) =>
    change(element, { "aria-invalid": Boolean(wrong) && "true", title: wrong });
  const set = (/** @type {number} */ now) => {
    value = now;
    element.value = brief(now);
    mark(false);
  };
  const take = () => {
    const found = read(element.value, limit, least);
    const wrong = typeof found === "string" && `${name} ${found}. ${brief(value)} is still used.`;
    mark(wrong);
    if (wrong) {
      bad(wrong);
    } else {
      value = Number(found);
      changed(value);
    }
  };
  change(element, {
    input: take,
    keydown: (event) => {
      const up = (event.key === "ArrowUp" ? step : 0) - (event.key === "ArrowDown" ? step : 0);
      if (!up && event.key !== "Escape") return;
      event.preventDefault();
      const before = value;
      set(before);
      if (up) element.value = brief(before + up);
      take();
    },
  });
  set(value);
  return { element, value: () => value, set };
}

/**
 * Return what is wrong with the fields of a stage now, a sentence each.
 * @param {HTMLElement} stage
 * @returns {string[]}
 */
export function troubles(stage) {
  const wrong = [...stage.querySelectorAll("[aria-invalid]")];
  return wrong.filter((one) => !one.closest("[hidden]"))
    .map((one) => one.getAttribute("title") ?? "");
}

/**
 * Make a table of numbers that can be changed, a field each.
 * @param {{name: string, rows: string[], columns: string[], values: number[][], role?: string,
 *   limit?: number, step?: number, changed: (values: number[][], i: number, j: number) => void,
 *   bad: Say}} options `role`: query, key, value, weight or output, for the color
 * @returns {{element: HTMLTableElement, values: () => number[][],
 *   set: (values: number[][]) => void}}
 */
export function table({ name, rows, columns, values, role = "", limit, step, changed, bad }) {
  const all = () => fields.map((row) => row.map((one) => one.value()));
  const fields = values.map((row, i) =>
    row.map((value, j) =>
      field({
        name: `${name}, ${rows[i]}, ${columns[j]}`,
        value,
        limit,
        step,
        bad,
        changed: () => changed(all(), i, j),
      })
    )
  );
  const element = grid({ name, rows, columns, role, cell: (i, j) => make("td", {}, fields[i][j].element) });
  const set = (/** @type {number[][]} */ given) =>
    given.forEach((row, i) => row.forEach((value, j) => fields[i][j].set(value)));
  return { element, values: all, set };
}

/**
 * Make a table with a header for each row and column.
 * @param {{name: string, rows: string[], columns: string[], role?: string,
 *   cell: (i: number, j: number) => HTMLElement}} options `cell` makes a <td>
 * @returns {HTMLTableElement}
 */
export function grid({ name, rows, columns, role = "", cell }) {
  const heads = columns.map((column) => make("th", { scope: "col" }, column));
  const lines = rows.map((row, i) =>
    make("tr", {}, make("th", { scope: "row" }, row), ...columns.map((_, j) => cell(i, j)))
  );
  return make(
    "table",
    { class: "attn-grid" + (role && " attn-" + role) },
    make("caption", {}, name),
    make("thead", {}, make("tr", {}, make("td"), ...heads)),
    make("tbody", {}, ...lines),
  );
}

/**
 * Write into a cell, and mark it until the next time if it held another text.
 * @param {HTMLElement} cell
 * @param {string} text
 */
export function renew(cell, text) {
  const before = cell.textContent;
  cell.classList.toggle("attn-changed", Boolean(before) && before !== text);
  cell.textContent = text;
}

/**
 * Return where an arrow key points, right and up; nothing for other keys and for shortcuts.
 * @param {Pick<KeyboardEvent, "key" | "ctrlKey" | "altKey" | "metaKey">} event
 * @returns {[number, number] | undefined}
 */
export function arrowed({ key, ctrlKey, altKey, metaKey }) {
  if (ctrlKey || altKey || metaKey) return undefined;
  /** @type {Record<string, [number, number]>} */
  const arrows = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  return arrows[key];
}

/**
 * Return where a key leads from a square of a table, perhaps beyond its edges; nothing for others.
 * @param {Parameters<typeof arrowed>[0]} event
 * @param {number} i
 * @param {number} j
 * @param {number} width of the table
 * @returns {[number, number] | undefined}
 */
export function reached(event, i, j, width) {
  const arrow = arrowed(event), plain = !event.ctrlKey && !event.altKey && !event.metaKey;
  if (arrow) return [i - arrow[1], j + arrow[0]];
  if (plain && event.key === "Home") return [i, 0];
  if (plain && event.key === "End") return [i, width - 1];
  return undefined;
}

/**
 * Make a table of buttons. Tab reaches the table, arrow keys move within it, Home and End within
 * the row.
 * @param {{name: string, rows: string[], columns: string[], role?: string,
 *   act: (i: number, j: number) => void}} options
 * @returns {{element: HTMLTableElement, at: (i: number, j: number) => HTMLButtonElement}}
 */
export function cells({ name, rows, columns, role = "", act }) {
  const all = rows.map((_, i) =>
    columns.map((_, j) => button("", () => act(i, j), { class: "attn-cell", tabindex: i || j ? "-1" : "0" }))
  );
  const element = grid({ name, rows, columns, role, cell: (i, j) => make("td", {}, all[i][j]) });
  const reach = (/** @type {EventTarget | null} */ next) => {
    all.flat().forEach((one) => one.tabIndex = one === next ? 0 : -1);
  };
  element.addEventListener("focusin", (event) => reach(event.target));
  element.addEventListener("keydown", (event) => {
    const i = all.findIndex((row) => row.some((one) => one === event.target));
    const j = i < 0 ? i : all[i].findIndex((one) => one === event.target);
    const next = j < 0 ? undefined : reached(event, i, j, columns.length);
    if (!next) return;
    event.preventDefault();
    all[next[0]]?.[next[1]]?.focus();
  });
  return { element, at: (i, j) => all[i][j] };
}

/**
 * Make a mask to paint: click, tap or press a square, or draw over several. A finger that sets out
 * along a row draws; one that goes up or down scrolls the page, as everywhere (unless the widget's
 * style says `touch-action: none`: then it draws, too).
 * @param {{name: string, rows: string[], columns: string[], mask: boolean[][],
 *   changed: (mask: boolean[][], i: number, j: number) => void}} options
 * @returns {{element: HTMLElement, table: HTMLTableElement, mask: () => boolean[][],
 *   set: (mask: boolean[][]) => void}} `element` is the table and what its squares mean
 */
export function paintable({ name, rows, columns, mask, changed }) {
  const now = mask.map((row) => [...row]);
  const show = (/** @type {number} */ i, /** @type {number} */ j) =>
    change(squares.at(i, j), { "aria-pressed": String(now[i][j]) });
  const brush = brushed(now, (i, j, allowed) => {
    if (now[i][j] === allowed) return;
    now[i][j] = allowed;
    show(i, j);
    changed(now, i, j);
  });
  const squares = cells({ name, rows, columns, act: brush.click });
  change(squares.element, {
    pointerup: brush.lift,
    pointerleave: brush.lift,
    pointercancel: brush.lift,
    class: "attn-grid attn-mask attn-weight",
  });
  rows.forEach((row, i) =>
    columns.forEach((column, j) => {
      change(squares.at(i, j), { "aria-label": `${row} may see ${column}`, ...brush.over(i, j) });
      show(i, j);
    })
  );
  const set = (/** @type {boolean[][]} */ given) =>
    given.forEach((row, i) =>
      row.forEach((allowed, j) => {
        now[i][j] = allowed;
        show(i, j);
      })
    );
  const element = make("div", {}, scrolling(squares.element), legend());
  return { element, table: squares.element, mask: () => now.map((row) => [...row]), set };
}

/**
 * Return what squares do that a mouse or a finger paints.
 * @param {boolean[][]} now what the squares are
 * @param {(i: number, j: number, allowed: boolean) => void} paint
 */
function brushed(now, paint) {
  /** @type {boolean | null} what is painted while the mouse or a finger is down */
  let brush = null;
  /** @type {[number, number] | null} where a finger lies that has not drawn yet */
  let from = null;
  let painted = false;
  const start = (/** @type {number} */ i, /** @type {number} */ j) => {
    painted = true;
    paint(i, j, brush = !now[i][j]);
  };
  const lift = (/** @type {PointerEvent} */ event) => {
    brush = from = null;
    setTimeout(() => painted = false, event.pointerType === "mouse" ? 0 : 100);
  };
  // A click after the mouse has painted changes nothing back.
  const click = (/** @type {number} */ i, /** @type {number} */ j) => {
    if (!painted) paint(i, j, !now[i][j]);
  };
  /** @type {(i: number, j: number) => Attributes} */
  const over = (i, j) => ({
    pointerdown: (event) => {
      if (event.pointerType !== "mouse") {
        from = [i, j];
        // Or else the first square would get all that the finger does.
        event.target.releasePointerCapture(event.pointerId);
      }
      if (!from && !event.button) start(i, j);
    },
    pointerenter: (event) => {
      if (from && brush === null) start(...from);
      if (brush !== null && event.buttons === 1) paint(i, j, brush);
    },
  });
  return { lift, click, over };
}

/** Say what the squares of a mask mean. */
function legend() {
  const square = (/** @type {boolean} */ pressed) =>
    make("span", { class: "attn-cell", "data-pressed": String(pressed) });
  const meanings = [square(true), "may see", square(false), "crossed out"];
  return make("p", { class: "attn-legend attn-weight", "aria-hidden": "true" }, ...meanings);
}

/**
 * Make a slider with its name and its value beside it.
 * @param {{name: string, min: number, max: number, step: number, value: number,
 *   text?: (value: number) => string, changed: (value: number) => void}} options
 *   `text` writes the value, also for screen readers
 * @returns {{element: HTMLElement, value: () => number, set: (value: number) => void}}
 */
export function slider({ name, min, max, step, value, text = (x) => brief(x), changed }) {
  const input = make("input", { type: "range", min, max, step, autocomplete: "off" });
  const shown = make("span", { class: "attn-shown", "aria-hidden": "true" });
  const tell = () => {
    shown.textContent = text(Number(input.value));
    change(input, { "aria-valuetext": text(Number(input.value)) });
  };
  const set = (/** @type {number} */ now) => {
    input.value = String(now);
    tell();
  };
  change(input, {
    input: () => {
      tell();
      changed(Number(input.value));
    },
  });
  set(value);
  const element = make("label", { class: "attn-slider" }, make("span", {}, name), input, shown);
  return { element, value: () => Number(input.value), set };
}

/**
 * Make a key of shades, from the least number to the largest, with a mark where 0 lies between.
 * @returns {{element: HTMLElement, show: (range: number[]) => void}}
 */
export function shades() {
  const [zero, ...ends] = ["zero", "end", "end"].map((kind) => make("span", { class: kind }, "0"));
  const element = make("div", { class: "scale" }, make("div", { class: "bar" }, zero), ...ends);
  const show = (/** @type {number[]} */ [low, high]) => {
    [low, high].forEach((x, k) => ends[k].textContent = brief(x, 2));
    change(zero, { hidden: low * high >= 0, style: `left: ${100 * low / (low - high)}%` });
  };
  return { element, show };
}

/**
 * Make a button. For the one that every widget has: button("Back to the text’s numbers", …).
 * @param {string} text
 * @param {() => void} action
 * @param {Attributes} [attributes]
 * @returns {HTMLButtonElement}
 */
export function button(text, action, attributes = {}) {
  return make("button", { type: "button", click: action, ...attributes }, text);
}

/**
 * Make a switch with its name.
 * @param {string} name
 * @param {(on: boolean) => void} turned
 * @returns {{input: HTMLInputElement, element: HTMLLabelElement}}
 */
export function toggle(name, turned) {
  const input = make("input", {
    type: "checkbox",
    autocomplete: "off",
    change: () => turned(input.checked),
  });
  return { input, element: make("label", { class: "switch" }, input, make("span", {}, name)) };
}

/**
 * Make a panel with a title; screen readers get the names of what is inside.
 * @param {string} title or nothing
 * @param {...(Node | string)} inside
 * @returns {HTMLElement}
 */
export function panel(title, ...inside) {
  const named = title ? [make("p", { "aria-hidden": "true" }, title)] : [];
  return make("div", { class: "panel" }, ...named, ...inside);
}

/**
 * Put elements side by side, as far as there is room.
 * @param {...(Node | string | null | undefined | false)} parts
 * @returns {HTMLElement}
 */
export function row(...parts) {
  return make(
    "div",
    { class: "attn-row" },
    ...parts.filter((one) => one !== null && one !== undefined && one !== false),
  );
}

/**
 * Let what is too wide for the page scroll on its own.
 * @param {Element} element
 * @returns {HTMLElement}
 */
export function scrolling(element) {
  return make("div", { class: "attn-scroll" }, element);
}

/**
 * @typedef {{svg: any, px: (x: number) => number, py: (y: number) => number,
 *   at: (event: PointerEvent) => [number, number], x: [number, number], y: [number, number]}} Plane
 */

/**
 * Make an SVG whose points are meant as in mathematics, with y upward. `px`, `py` give the place of
 * a point in the drawing, `at` the point beneath a pointer.
 * @param {{x: [number, number], y: [number, number], width?: number, name: string}} options
 *   the ranges, and the width in pixels at most; one unit is equally long both ways
 * @returns {Plane}
 */
export function plane({ x, y, width = 320, name }) {
  const unit = width / (x[1] - x[0]), height = unit * (y[1] - y[0]);
  const svg = draw("svg", {
    viewBox: `0 0 ${width} ${height}`,
    role: "group",
    "aria-label": name,
    class: "attn-plane",
    style: `max-width: ${width}px`,
  });
  /** @param {PointerEvent} event @returns {[number, number]} */
  const at = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY)
      .matrixTransform(svg.getScreenCTM().inverse());
    return [x[0] + point.x / unit, y[1] - point.y / unit];
  };
  return { svg, px: (a) => (a - x[0]) * unit, py: (b) => (y[1] - b) * unit, at, x, y };
}

/**
 * Return how many steps a key moves a handle, right and up; nothing for other keys.
 * @param {Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "altKey" | "metaKey">} event
 * @param {number} all the steps from the left end to the right end
 * @returns {[number, number] | undefined}
 */
export function nudge(event, all) {
  /** @type {Record<string, [number, number]>} */
  const far = { PageUp: [0, 10], PageDown: [0, -10], Home: [-all, 0], End: [all, 0] };
  const arrow = arrowed(event), times = event.shiftKey ? 10 : 1;
  return far[event.key] ?? (arrow && [arrow[0] * times, arrow[1] * times]);
}

/**
 * Let an element of a plane be dragged with mouse, finger or pen, and moved with the arrow keys
 * (ten times as far with Shift), Page up and down (as far), Home and End (to the left and right).
 * @param {any} handle an SVG element, at least 24 pixels wide (an invisible circle helps fingers)
 * @param {Plane} area
 * @param {{name: string, where: () => [number, number], text: () => string,
 *   moved: (x: number, y: number) => void, step?: number,
 *   nudged?: (right: number, up: number) => void}} options `moved` takes a wanted point (within the
 *   plane's ranges); `text` says in words where the handle is; `nudged` takes arrow keys in steps,
 *   for what does not move by x and y, such as a dial
 * @returns {() => void} to be called whenever the handle has been moved by something else
 */
export function draggable(handle, area, { name, where, text, moved, step = 0.1, nudged }) {
  const tell = () => change(handle, { "aria-valuetext": text(), "aria-valuenow": where()[0] });
  const go = (/** @type {number} */ x, /** @type {number} */ y) => {
    moved(clip(x, ...area.x), clip(y, ...area.y));
    tell();
  };
  /** @type {[number, number] | null} from the pointer to the handle, while it is held */
  let held = null;
  const release = () => held = null;
  const seen = () => handle.classList.remove("attn-by-hand");
  change(handle, {
    role: "slider",
    tabindex: "0",
    class: (handle.getAttribute("class") || "") + " attn-handle",
    "aria-label": name,
    "aria-valuemin": area.x[0],
    "aria-valuemax": area.x[1],
    pointerdown: (event) => {
      const [x, y] = area.at(event), [left, up] = where();
      held = [left - x, up - y];
      handle.setPointerCapture(event.pointerId);
      handle.focus();
      // A ring is for the keyboard.
      handle.classList.add("attn-by-hand");
      event.preventDefault();
    },
    pointermove: (event) => {
      const [x, y] = area.at(event);
      if (held) go(x + held[0], y + held[1]);
    },
    pointerup: release,
    pointercancel: release,
    // Or else the page would scroll: parts of an SVG have no touch-action of their own.
    touchstart: (/** @type {Event} */ event) => event.preventDefault(),
    blur: seen,
    keydown: (event) => {
      seen();
      const steps = nudge(event, (area.x[1] - area.x[0]) / step);
      if (!steps) return;
      event.preventDefault();
      const [right, up] = steps;
      if (nudged) nudged(right, up);
      else go(where()[0] + right * step, where()[1] + up * step);
      tell();
    },
  });
  tell();
  return tell;
}
