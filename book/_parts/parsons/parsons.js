// @ts-check
// Lines to put in order, some of which are wrong, and a solution that is shown line by line. Which
// orders are right was found out when the book was built (book/_parts/parsons/parsons.py), so that
// nothing needs Python here.

import { element } from "../shared/course.js";

/**
 * @typedef {object} ParsonsLine
 * @property {number} id
 * @property {string} text without the indentation before it
 * @property {number} indent
 * @property {number | null} parent the head of its block
 * @property {boolean} fixed whether it is given
 *
 * @typedef {ParsonsLine & {instead: number, fault: string, says: string}} WrongLine
 *
 * @typedef {object} ParsonsData
 * @property {ParsonsLine[]} lines those of the solution
 * @property {WrongLine[]} wrong lines to leave out
 * @property {{first: number, then: number, says: string, lacks: string}[]} before
 * @property {number[]} pool all that are not fixed, shuffled
 *
 * @typedef {object} Judgment
 * @property {boolean} right
 * @property {string} says
 * @property {number} [line] the id of the line that it is about
 */

// --- what is right -------------------------------------------------------------------------------

/**
 * Judges lines in an order.
 * @param {ParsonsData} data
 * @param {number[]} order the ids of the chosen lines, from top to bottom, the given ones included
 * @returns {Judgment}
 */
export function judgeOrder(data, order) {
  const missing = data.lines.filter((line) => !order.includes(line.id)).length;
  if (order.every((id) => data.lines.some((line) => line.id === id && line.fixed))) {
    return { right: false, says: "Nothing is chosen yet. Press a line to put it in." };
  }
  const found = wrongLine(data, order) ?? outOfBlock(data, order) ?? tooEarly(data, order) ??
    lacking(data, order);
  if (found) return found;
  if (missing) {
    const lines = missing === 1 ? "One line is" : `${missing} lines are`;
    return { right: false, says: `Right so far. ${lines} still missing.` };
  }
  return { right: true, says: "Right: these lines, in this order, solve the exercise." };
}

/**
 * @param {ParsonsData} data
 * @param {number[]} order
 */
function wrongLine(data, order) {
  const id = order.find((id) => data.wrong.some((line) => line.id === id));
  const wrong = data.wrong.find((line) => line.id === id);
  if (id === undefined || !wrong) return undefined;
  const says = `Line ${order.indexOf(id) + 1} does not belong here. ${wrong.says}`;
  return { right: false, line: id, says };
}

/**
 * The first line that does not stand in its block: the nearest line above it that is indented less
 * is not the head of its block.
 * @param {ParsonsData} data
 * @param {number[]} order
 */
function outOfBlock(data, order) {
  const lines = order.map((id) => data.lines[id]);
  for (const [at, line] of lines.entries()) {
    const above = lines.slice(0, at).findLast((other) => other.indent < line.indent);
    if ((above?.id ?? null) === line.parent || line.parent === null) continue;
    const head = data.lines[line.parent];
    const place = order.includes(head.id)
      ? `it belongs right below \`${head.text}\`, in that block.`
      : "the head of its block is missing, a line that ends with a colon.";
    return { right: false, line: line.id, says: `Line ${at + 1} is out of place: ${place}` };
  }
}

/**
 * @param {ParsonsData} data
 * @param {number[]} order
 */
function tooEarly(data, order) {
  const at = (/** @type {number} */ id) => order.indexOf(id);
  const [first] = data.before
    .filter(({ then, first }) => order.includes(then) && at(first) > at(then))
    .sort((one, other) => at(one.then) - at(other.then) || at(one.first) - at(other.first));
  if (!first) return undefined;
  const says = `Line ${at(first.then) + 1} stands too early. ${first.says}`;
  return { right: false, line: first.then, says };
}

/**
 * @param {ParsonsData} data
 * @param {number[]} order
 */
function lacking(data, order) {
  const need = data.before.find(
    ({ first, then, lacks }) => lacks && order.includes(then) && !order.includes(first),
  );
  const says = `Right so far, but a line is missing. ${need?.lacks}`;
  return need && { right: false, line: need.then, says };
}

/**
 * @param {ParsonsLine[]} lines
 * @returns {string} as it is typed
 */
function typed(lines) {
  return lines.map(({ text, indent }, at) => {
    const rows = text.split("\n").map((row) => (row ? " ".repeat(indent) + row : row));
    const isNext = at && text.startsWith("def ") && lines[at - 1].indent >= indent;
    const gap = isNext ? "\n" : ""; // the empty line between two methods
    return `${gap}${rows.join("\n")}\n`;
  }).join("");
}

// --- what the reader sees and moves --------------------------------------------------------------

const HOW = "Press a line to put it into your answer, below the marked line. Some lines are wrong " +
  "and stay out. In your answer, drag a line, or move it with the arrows beside it.";
const KEYS = "Keys: ↑ and ↓ go from line to line, Enter puts a line in, Alt+↑ and Alt+↓ move it, " +
  "Delete takes it out.";
const FAR_ENOUGH = 5; // pixels before a press becomes a drag
const EDGE = 60; // pixels from the window's edge where a drag scrolls
let parsonsMade = 0;

/**
 * Fills an element with lines to put in order.
 * @param {HTMLElement} place
 * @param {ParsonsData} data
 * @param {{onSolved?: (text: string) => void, onCheck?: (right: boolean) => void}} [listeners]
 *   `onSolved` gets the text when the reader, done, asks to have it in the editor
 * @returns {{reset: () => void}}
 */
export function parsonsProblem(place, data, { onSolved, onCheck } = {}) {
  const problem = new ParsonsProblem(data, onSolved, onCheck);
  place.append(problem.root);
  return { reset: () => problem.reset() };
}

class ParsonsProblem {
  /**
   * @param {ParsonsData} data
   * @param {((text: string) => void) | undefined} onSolved
   * @param {((right: boolean) => void) | undefined} onCheck
   */
  constructor(data, onSolved, onCheck) {
    const name = `attn-parsons-${++parsonsMade}`;
    this.data = data;
    this.onCheck = onCheck;
    /** @type {Map<number, ParsonsLine>} */
    this.lines = new Map([...data.lines, ...data.wrong].map((line) => [line.id, line]));
    /** @type {Map<number, HTMLLIElement>} */
    this.rows = new Map([...this.lines.values()].map((line) => [line.id, this.row(line)]));
    /** @type {number[]} */
    this.outside = [];
    /** @type {number[]} */
    this.inside = [];
    this.current = 0; // the line below which the next one goes
    this.pool = element("ul", { class: "attn-lines", "aria-labelledby": `${name}-pool` });
    this.answer = element("ol", {
      class: "attn-lines attn-numbered",
      "aria-labelledby": `${name}-answer`,
    });
    this.said = element("p", { class: "attn-said", role: "status" });
    this.moves = element(
      "span",
      { class: "attn-moves" },
      this.tool("↑", "Move up", () => this.move(-1)),
      this.tool("↓", "Move down", () => this.move(1)),
      this.tool("✕", "Take out", () => this.takeOut()),
    );
    this.copying = element("button", {
      type: "button",
      hidden: true,
      click: () => onSolved?.(this.text()),
    }, "Copy into the editor");
    this.root = element(
      "div",
      {
        class: "attn-parsons",
        keydown: (event) => this.press(event),
        pointerdown: (event) => this.grab(event),
        pointermove: (event) => this.drag(event),
        pointerup: () => this.drop(true),
        pointercancel: () => this.drop(false),
      },
      element("p", {}, HOW),
      element("p", { class: "attn-keys" }, KEYS),
      element("p", { class: "attn-name", id: `${name}-pool` }, "Lines to choose from"),
      this.pool,
      element("p", { class: "attn-name", id: `${name}-answer` }, "Your answer"),
      this.answer,
      element(
        "div",
        { class: "attn-do" },
        element("button", { type: "button", click: () => this.check() }, "Check the order"),
        ...(onSolved ? [this.copying] : []),
        element("button", { type: "button", click: () => this.reset() }, "Start over"),
      ),
      this.said,
    );
    /** @type {{id: number, x: number, y: number, from: number[][], moving: boolean} | undefined} */
    this.held = undefined;
    this.escape = (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape") this.drop(false);
    };
    this.begin();
  }

  // --- where the lines are

  /** Puts every line where it is at the start. */
  begin() {
    this.outside = [...this.data.pool];
    this.inside = this.data.lines.filter((line) => line.fixed).map((line) => line.id);
    this.current = this.inside[this.firstPlace() - 1];
    this.arrange();
  }

  reset() {
    this.begin();
    this.say("All lines are back where they were.");
  }

  /** How many given lines stand above all others: a head, or a class with `__init__`. */
  firstPlace() {
    const indents = this.inside.map((id) => this.lineOf(id).indent);
    const end = this.inside.findIndex(
      (id, at) => at && (!this.lineOf(id).fixed || indents[at] < indents[at - 1]),
    );
    return end < 0 ? this.inside.length : end;
  }

  /** @param {number} id */
  lineOf(id) {
    return /** @type {ParsonsLine} */ (this.lines.get(id));
  }

  /** @param {number} id */
  rowOf(id) {
    return /** @type {HTMLLIElement} */ (this.rows.get(id));
  }

  /** @param {number} id */
  buttonOf(id) {
    return /** @type {HTMLButtonElement} */ (this.rowOf(id).firstElementChild);
  }

  text() {
    return typed(this.inside.map((id) => this.lineOf(id)));
  }

  /** Shows the lines where they are now. */
  arrange() {
    this.fill(this.pool, this.outside);
    this.fill(this.answer, this.inside);
    for (const row of this.rows.values()) row.classList.remove("attn-off", "attn-here");
    const row = this.rowOf(this.current);
    row.classList.add("attn-here");
    if (this.lineOf(this.current).fixed || !this.inside.includes(this.current)) this.moves.remove();
    else if (this.moves.parentElement !== row) row.append(this.moves);
    this.pool.classList.toggle("attn-none", !this.outside.length);
    this.copying.hidden = true;
    this.oneTabStop(this.outside, this.outside[0]);
    this.oneTabStop(this.inside, this.current);
  }

  /**
   * @param {HTMLElement} list
   * @param {number[]} ids
   */
  fill(list, ids) {
    for (const [at, id] of ids.entries()) {
      const row = this.rowOf(id);
      if (list.children[at] !== row) list.insertBefore(row, list.children[at] ?? null);
    }
  }

  /**
   * Lets Tab stop at one line of a list only; the arrow keys go to the others.
   * @param {number[]} ids
   * @param {number} stop
   */
  oneTabStop(ids, stop) {
    for (const id of ids) this.buttonOf(id).tabIndex = id === stop ? 0 : -1;
  }

  /** @param {ParsonsLine} line */
  row(line) {
    const code = element(
      "code",
      {},
      ...line.text.split("\n").map((text) => {
        const row = element("span", {}, text.trimStart() + "\n");
        const spaces = line.indent + text.length - text.trimStart().length;
        row.style.setProperty("--indent", `${spaces}ch`);
        return row;
      }),
    );
    const grip = element("span", { class: "attn-grip", "aria-hidden": "true" }, line.fixed ? "" : "⠿");
    const button = element(
      "button",
      {
        class: "attn-line",
        type: "button",
        click: () => this.choose(line.id),
        // A line that keys have reached. Under a pointer nothing may move before it is let go.
        focus: () => {
          if (button.matches(":focus-visible") && this.inside.includes(line.id)) this.select(line.id);
        },
      },
      grip,
      code,
    );
    return element("li", { class: line.fixed ? "attn-given" : "" }, button);
  }

  /**
   * @param {string} sign
   * @param {string} name
   * @param {() => void} act
   */
  tool(sign, name, act) {
    const named = { class: "attn-move", "aria-label": name, title: name };
    return element("button", { type: "button", ...named, click: act }, sign);
  }

  /** @param {string} sentence */
  say(sentence) {
    this.said.replaceChildren(...withMarks(sentence));
    this.said.className = "attn-said";
  }

  // --- what the reader does

  /**
   * A press on a line: from the pool it goes below the marked line, there it is marked itself.
   * @param {number} id
   */
  choose(id) {
    if (this.inside.includes(id)) {
      this.select(id);
      return;
    }
    const at = this.outside.indexOf(id);
    this.outside.splice(at, 1);
    this.inside.splice(this.inside.indexOf(this.current) + 1, 0, id);
    this.current = id;
    this.arrange();
    const next = this.outside[Math.min(at, this.outside.length - 1)];
    this.focus(next ?? id);
    this.tellPlace(id);
  }

  /** @param {number} id */
  select(id) {
    if (this.current === id) return;
    const off = this.answer.querySelector(".attn-off");
    this.current = id;
    const copying = this.copying.hidden;
    this.arrange();
    // Marking a line changes nothing: what was said of the order still holds.
    off?.classList.add("attn-off");
    this.copying.hidden = copying;
  }

  /** @param {number} by */
  move(by) {
    const from = this.inside.indexOf(this.current);
    const to = from + by;
    const stays = to < this.firstPlace() || to >= this.inside.length;
    if (this.lineOf(this.current).fixed || stays) return;
    this.inside.splice(to, 0, ...this.inside.splice(from, 1));
    const focused = document.activeElement;
    this.arrange();
    if (this.root.contains(focused) && focused instanceof HTMLElement) focused.focus();
    this.tellPlace(this.current);
  }

  takeOut() {
    const id = this.current;
    if (this.lineOf(id).fixed || !this.inside.includes(id)) return;
    const at = this.inside.indexOf(id);
    this.inside.splice(at, 1);
    this.outside.push(id);
    this.current = this.inside[at - 1];
    this.arrange();
    this.focus(this.current);
    this.say(`\`${this.lineOf(id).text}\` is out again.`);
  }

  /** @param {number} id */
  tellPlace(id) {
    this.say(`\`${this.lineOf(id).text}\` is line ${this.inside.indexOf(id) + 1} now.`);
  }

  /** @param {number} id */
  focus(id) {
    this.buttonOf(id).focus();
  }

  check() {
    const { right, says, line } = judgeOrder(this.data, this.inside);
    this.arrange();
    this.say(says);
    this.said.classList.add(right ? "attn-good" : "attn-bad");
    if (line !== undefined) this.rowOf(line).classList.add("attn-off");
    this.copying.hidden = !right;
    this.onCheck?.(right);
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const on = /** @type {HTMLElement} */ (event.target).closest(".attn-line");
    const id = [...this.rows.keys()].find((key) => this.buttonOf(key) === on);
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (id === undefined) return;
    if (by && (event.altKey || event.shiftKey) && this.inside.includes(id)) this.move(by);
    else if (by) this.step(id, by);
    else if (["Delete", "Backspace"].includes(event.key)) this.takeOut();
    else return;
    event.preventDefault();
  }

  /**
   * Goes to the line above or below, from one list into the other as well.
   * @param {number} id
   * @param {number} by
   */
  step(id, by) {
    const all = [...this.outside, ...this.inside];
    const next = all[all.indexOf(id) + by];
    if (next === undefined) return;
    if (this.outside.includes(next)) this.oneTabStop(this.outside, next);
    this.focus(next);
  }

  // --- dragging

  /** @param {PointerEvent} event */
  grab(event) {
    const on = /** @type {HTMLElement} */ (event.target).closest(".attn-line");
    const id = [...this.rows.keys()].find((key) => this.buttonOf(key) === on);
    if (id === undefined || this.lineOf(id).fixed || event.button) return;
    // A finger drags by the grip; elsewhere it scrolls the page.
    const byGrip = /** @type {HTMLElement} */ (event.target).closest(".attn-grip");
    if (event.pointerType === "touch" && !byGrip) return;
    const from = [[...this.outside], [...this.inside]];
    this.held = { id, x: event.clientX, y: event.clientY, from, moving: false };
  }

  /** @param {PointerEvent} event */
  drag(event) {
    const held = this.held;
    if (!held) return;
    if (!held.moving) {
      if (Math.hypot(event.clientX - held.x, event.clientY - held.y) < FAR_ENOUGH) return;
      held.moving = true;
      addEventListener("keydown", this.escape);
      this.root.setPointerCapture(event.pointerId);
      this.rowOf(held.id).classList.add("attn-held");
    }
    if (event.clientY < EDGE) scrollBy(0, -12);
    else if (event.clientY > innerHeight - EDGE) scrollBy(0, 12);
    this.putAt(held.id, event.clientY);
  }

  /**
   * @param {number} id
   * @param {number} y where the pointer is in the window
   */
  putAt(id, y) {
    this.outside = this.outside.filter((other) => other !== id);
    this.inside = this.inside.filter((other) => other !== id);
    const { bottom } = this.pool.getBoundingClientRect();
    const { top } = this.answer.getBoundingClientRect();
    const toAnswer = y > (bottom + top) / 2;
    const list = toAnswer ? this.inside : this.outside;
    const below = list.findIndex((other) => {
      const { top, height } = this.buttonOf(other).getBoundingClientRect();
      return y < top + height / 2;
    });
    const to = below < 0 ? list.length : below;
    list.splice(toAnswer ? Math.max(to, this.firstPlace()) : to, 0, id);
    if (toAnswer) this.current = id;
    else if (this.current === id) this.current = this.inside[this.inside.length - 1];
    this.arrange();
  }

  /** @param {boolean} kept whether the line stays where it was dropped */
  drop(kept) {
    const held = this.held;
    this.held = undefined;
    if (!held?.moving) return;
    removeEventListener("keydown", this.escape);
    this.rowOf(held.id).classList.remove("attn-held");
    if (!kept) {
      [this.outside, this.inside] = held.from;
      if (!this.inside.includes(this.current)) this.current = this.inside[this.firstPlace() - 1];
      this.arrange();
    }
    this.focus(held.id);
    if (this.inside.includes(held.id)) this.tellPlace(held.id);
    else this.say(`\`${this.lineOf(held.id).text}\` is among the lines to choose from.`);
  }
}

/**
 * Returns a sentence with its `code` and *emphasis* as elements; all else stays text.
 * @param {string} sentence
 * @returns {(Node | string)[]}
 */
function withMarks(sentence) {
  return sentence.split(/(`[^`]+`|\*[^\s*][^*]*\*)/).filter(Boolean).map((part) => {
    if (part.length > 2 && part.startsWith("`")) return element("code", {}, part.slice(1, -1));
    if (part.length > 2 && part.startsWith("*")) return element("em", {}, part.slice(1, -1));
    return part;
  });
}

// --- a solution, line by line --------------------------------------------------------------------

/**
 * Fills an element with a solution of which the reader asks for one more line at a time. Its head
 * is shown from the start.
 * @param {HTMLElement} place
 * @param {string[]} lines
 * @param {{onShown?: (shown: number, all: number) => void}} [listeners]
 */
export function revealLines(place, lines, { onShown } = {}) {
  let shown = 1;
  const code = element("code");
  const said = element("p", { class: "attn-said", role: "status" });
  const tool = (/** @type {string} */ name, /** @type {() => void} */ click) =>
    element("button", { type: "button", click }, name);
  const more = tool("Show one more line", () => show(shown + 1));
  const all = tool("Show all", () => show(lines.length));
  const less = tool("Hide", () => show(1));
  const show = (/** @type {number} */ upTo) => {
    const before = shown;
    shown = Math.max(1, Math.min(upTo, lines.length));
    code.textContent = lines.slice(0, shown).join("\n");
    const done = shown === lines.length;
    for (const button of [more, all]) button.setAttribute("aria-disabled", String(done));
    less.setAttribute("aria-disabled", String(shown === 1));
    if (shown === before) return;
    const last = lines[shown - 1].trim();
    said.replaceChildren(
      ...(shown === 1
        ? ["The lines are hidden again."]
        : done && shown > before + 1
        ? ["All lines are shown."]
        : [`Line ${shown} of ${lines.length}: `, element("code", {}, last)]),
    );
    onShown?.(shown, lines.length);
  };
  place.append(
    element(
      "div",
      { class: "attn-reveal" },
      element("div", { class: "attn-do" }, more, all, less),
      element("pre", {}, code),
      said,
    ),
  );
  show(1);
}
