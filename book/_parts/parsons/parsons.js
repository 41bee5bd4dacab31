// @ts-check
// Lines to put in order, some of which are wrong, and a solution that is shown line by line.

import { make } from "../../../course_attn/drawing/kit.js";
import { withMarks } from "../shared/marks.js";
import { Arrangement, judgeOrder } from "./parsons_order.js";

/** @typedef {import("./parsons_order.js").ParsonsLine} ParsonsLine */
/** @typedef {import("./parsons_order.js").ParsonsData} ParsonsData */

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
    this.order = new Arrangement(data);
    /** @type {Map<number, HTMLLIElement>} */
    this.rows = new Map([...this.order.lines.values()].map((line) => [line.id, this.row(line)]));
    this.pool = make("ul", { class: "attn-lines", "aria-labelledby": `${name}-pool` });
    this.answer = make("ol", {
      class: "attn-lines attn-numbered",
      "aria-labelledby": `${name}-answer`,
    });
    this.said = make("p", { class: "attn-said", role: "status" });
    this.moves = make(
      "span",
      { class: "attn-moves" },
      this.tool("↑", "Move up", () => this.move(-1)),
      this.tool("↓", "Move down", () => this.move(1)),
      this.tool("✕", "Take out", () => this.takeOut()),
    );
    this.copying = make("button", {
      type: "button",
      hidden: true,
      click: () => onSolved?.(this.order.text()),
    }, "Copy into the editor");
    this.root = this.makeRoot(name, Boolean(onSolved));
    /** @type {{id: number, x: number, y: number, from: number[][], moving: boolean} | undefined} */
    this.held = undefined;
    this.escape = (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape") this.drop(false);
    };
    this.arrange();
  }

  /**
   * @param {string} name
   * @param {boolean} copies whether the answer can go into an editor
   */
  makeRoot(name, copies) {
    return make(
      "div",
      {
        class: "attn-parsons",
        keydown: (/** @type {KeyboardEvent} */ event) => this.press(event),
        pointerdown: (/** @type {PointerEvent} */ event) => this.grab(event),
        pointermove: (/** @type {PointerEvent} */ event) => this.drag(event),
        pointerup: () => this.drop(true),
        pointercancel: () => this.drop(false),
      },
      make("p", {}, HOW),
      make("p", { class: "attn-keys" }, KEYS),
      make("p", { class: "attn-name", id: `${name}-pool` }, "Lines to choose from"),
      this.pool,
      make("p", { class: "attn-name", id: `${name}-answer` }, "Your answer"),
      this.answer,
      make(
        "div",
        { class: "attn-do" },
        make("button", { type: "button", click: () => this.check() }, "Check the order"),
        ...(copies ? [this.copying] : []),
        make("button", { type: "button", click: () => this.reset() }, "Start over"),
      ),
      this.said,
    );
  }

  // --- where the lines are

  reset() {
    this.order.begin();
    this.arrange();
    this.say("All lines are back where they were.");
  }

  /** @param {number} id */
  rowOf(id) {
    return /** @type {HTMLLIElement} */ (this.rows.get(id));
  }

  /** @param {number} id */
  buttonOf(id) {
    return /** @type {HTMLButtonElement} */ (this.rowOf(id).firstElementChild);
  }

  /** Shows the lines where they are now. */
  arrange() {
    const { outside, inside, current } = this.order;
    this.fill(this.pool, outside);
    this.fill(this.answer, inside);
    for (const row of this.rows.values()) row.classList.remove("attn-off", "attn-here");
    const row = this.rowOf(current);
    row.classList.add("attn-here");
    if (this.order.lineOf(current).fixed || !inside.includes(current)) this.moves.remove();
    else if (this.moves.parentElement !== row) row.append(this.moves);
    this.pool.classList.toggle("attn-none", !outside.length);
    this.copying.hidden = true;
    this.oneTabStop(outside, outside[0]);
    this.oneTabStop(inside, current);
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
    const code = make(
      "code",
      {},
      ...line.text.split("\n").map((text) => {
        const row = make("span", {}, text.trimStart() + "\n");
        const spaces = line.indent + text.length - text.trimStart().length;
        row.style.setProperty("--indent", `${spaces}ch`);
        return row;
      }),
    );
    const grip = make("span", { class: "attn-grip", "aria-hidden": "true" }, line.fixed ? "" : "⠿");
    const button = make(
      "button",
      {
        class: "attn-line",
        type: "button",
        click: () => this.choose(line.id),
        // A line that keys have reached. Under a pointer nothing may move before it is let go.
        focus: () => {
          if (button.matches(":focus-visible") && this.order.inside.includes(line.id)) this.select(line.id);
        },
      },
      grip,
      code,
    );
    return make("li", { class: line.fixed ? "attn-given" : "" }, button);
  }

  /**
   * @param {string} sign
   * @param {string} name
   * @param {() => void} act
   */
  tool(sign, name, act) {
    const named = { class: "attn-move", "aria-label": name, title: name };
    return make("button", { type: "button", ...named, click: act }, sign);
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
    if (this.order.inside.includes(id)) {
      this.select(id);
      return;
    }
    const next = this.order.putIn(id);
    this.arrange();
    this.focus(next ?? id);
    this.tellPlace(id);
  }

  /** @param {number} id */
  select(id) {
    if (this.order.current === id) return;
    const off = this.answer.querySelector(".attn-off");
    this.order.current = id;
    const copying = this.copying.hidden;
    this.arrange();
    // Marking a line changes nothing: what was said of the order still holds.
    off?.classList.add("attn-off");
    this.copying.hidden = copying;
  }

  /** @param {number} by */
  move(by) {
    if (!this.order.move(by)) return;
    const focused = document.activeElement;
    this.arrange();
    if (this.root.contains(focused) && focused instanceof HTMLElement) focused.focus();
    this.tellPlace(this.order.current);
  }

  takeOut() {
    const line = this.order.takeOut();
    if (!line) return;
    this.arrange();
    this.focus(this.order.current);
    this.say(`\`${line.text}\` is out again.`);
  }

  /** @param {number} id */
  tellPlace(id) {
    this.say(`\`${this.order.lineOf(id).text}\` is line ${this.order.inside.indexOf(id) + 1} now.`);
  }

  /** @param {number} id */
  focus(id) {
    this.buttonOf(id).focus();
  }

  check() {
    const { right, says, line } = judgeOrder(this.data, this.order.inside);
    this.arrange();
    this.say(says);
    this.said.classList.add(right ? "attn-good" : "attn-bad");
    if (line !== undefined) this.rowOf(line).classList.add("attn-off");
    this.copying.hidden = !right;
    this.onCheck?.(right);
  }

  /** @param {Event} event */
  idAt(event) {
    const on = /** @type {HTMLElement} */ (event.target).closest(".attn-line");
    return [...this.rows.keys()].find((id) => this.buttonOf(id) === on);
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const id = this.idAt(event);
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (id === undefined) return;
    const isInside = this.order.inside.includes(id);
    if (isInside) this.order.current = id;
    if (by && (event.altKey || event.shiftKey) && isInside) this.move(by);
    else if (by) this.step(id, by);
    else if (isInside && ["Delete", "Backspace"].includes(event.key)) this.takeOut();
    else return;
    event.preventDefault();
  }

  /**
   * Goes to the line above or below, from one list into the other as well.
   * @param {number} id
   * @param {number} by
   */
  step(id, by) {
    const all = [...this.order.outside, ...this.order.inside];
    const next = all[all.indexOf(id) + by];
    if (next === undefined) return;
    if (this.order.outside.includes(next)) this.oneTabStop(this.order.outside, next);
    this.focus(next);
  }

  // --- dragging

  /** @param {PointerEvent} event */
  grab(event) {
    const id = this.idAt(event);
    if (id === undefined || this.order.lineOf(id).fixed || event.button) return;
    // A finger drags by the grip; elsewhere it scrolls the page.
    const byGrip = /** @type {HTMLElement} */ (event.target).closest(".attn-grip");
    if (event.pointerType === "touch" && !byGrip) return;
    const from = [[...this.order.outside], [...this.order.inside]];
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
    this.order.lift(id);
    const { bottom } = this.pool.getBoundingClientRect();
    const { top } = this.answer.getBoundingClientRect();
    const inAnswer = y > (bottom + top) / 2;
    const list = inAnswer ? this.order.inside : this.order.outside;
    const below = list.findIndex((other) => {
      const { top, height } = this.buttonOf(other).getBoundingClientRect();
      return y < top + height / 2;
    });
    this.order.lay(id, inAnswer, below < 0 ? list.length : below);
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
      this.order.restore(held.from);
      this.arrange();
    }
    this.focus(held.id);
    if (this.order.inside.includes(held.id)) this.tellPlace(held.id);
    else this.say(`\`${this.order.lineOf(held.id).text}\` is among the lines to choose from.`);
  }
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
  const code = make("code");
  const said = make("p", { class: "attn-said", role: "status" });
  const tool = (/** @type {string} */ name, /** @type {() => void} */ click) =>
    make("button", { type: "button", click }, name);
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
        : [`Line ${shown} of ${lines.length}: `, make("code", {}, last)]),
    );
    onShown?.(shown, lines.length);
  };
  place.append(
    make(
      "div",
      { class: "attn-reveal" },
      make("div", { class: "attn-do" }, more, all, less),
      make("pre", {}, code),
      said,
    ),
  );
  show(1);
}
