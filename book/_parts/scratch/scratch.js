// @ts-check
// A place beside each chapter to run lines of one's own: a drawer at the foot of the window.

import { make } from "../../../course_attn/drawing/kit.js";
import { course } from "../shared/course.js";
import { openEditor } from "../exercise/editor.js";
import { askPython, STARTING, startPython, stopPython, whatHappened } from "../runtime/runtime.js";
import { keep, recall } from "../shared/store.js";

/** @typedef {{text?: string, shape?: number[], rows?: (number | string)[][], truth?: boolean}} Shown */

// Lines may run for 20 seconds; then they are stopped, and said to be. This is for what cannot be.
const RUN_SECONDS = 30;

/** A drawer, and the button that opens it. */
class Scratch {
  /**
   * @param {string} slug
   * @param {string} starter the lines that it begins with
   */
  constructor(slug, starter) {
    this.key = "scratch:" + slug;
    this.starter = starter;
    /** @type {import("../exercise/editor.js").Editor | null} */
    this.editor = null;
    this.busy = false;
    this.said = make("p", { class: "attn-said", role: "status" });
    this.results = make("div", { class: "attn-results" });
    this.place = make("div", {});
    this.running = button("Run", () => this.run(), { class: "attn-main" });
    this.closing = button("Close", () => this.open(false));
    this.drawer = this.makeDrawer();
    this.opener = button("Try it in Python", () => this.open(Boolean(this.drawer.hidden)), {
      class: "attn-try",
      "aria-expanded": "false",
      "aria-controls": "attn-scratch",
    });
    this.drawer.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      if (event.target === this.closing) this.open(false);
    });
  }

  makeDrawer() {
    const again = button("Back to the first lines", () => this.editor?.setText(this.starter));
    const about = make(
      "p",
      { class: "attn-meta" },
      "NumPy is here as ",
      make("code", {}, "np"),
      ", and so is every function of ",
      make("code", {}, "course_attn.in_numpy"),
      ". The last line is shown; what you define stays until you leave the page.",
    );
    return make(
      "section",
      { class: "attn-scratch", id: "attn-scratch", "aria-label": "Your own lines", hidden: true },
      about,
      this.place,
      make("div", { class: "attn-tools" }, this.running, again, this.closing),
      this.said,
      this.results,
    );
  }

  /** Put the button early in the order of the keyboard, wherever it is seen. */
  show() {
    const { opener, drawer } = this;
    const skip = document.querySelector("#pst-skip-link");
    if (skip) skip.after(opener, drawer);
    else document.body.prepend(opener, drawer);
    leaveWhileReading(opener);
  }

  /** @param {boolean} wanted */
  open(wanted) {
    this.drawer.hidden = !wanted;
    this.opener.setAttribute("aria-expanded", String(wanted));
    this.editor ??= openEditor(this.place, {
      text: recall(this.key) ?? this.starter,
      label: "Your own lines of Python",
      onRun: () => this.run(),
      onChange: (text) => {
        startPython();
        keep(this.key, text);
      },
    });
    if (wanted) this.editor.focus();
    else this.opener.focus();
  }

  /** Run the lines, or stop them. */
  async run() {
    if (!this.editor) return;
    if (this.busy) return stopPython();
    const { said, results, running } = this;
    this.busy = true;
    running.textContent = "Stop";
    results.replaceChildren();
    said.classList.add("attn-waiting");
    said.textContent = STARTING;
    try {
      const started = () => said.textContent = "Running; it is stopped after 20 seconds";
      this.tell(await askPython({ task: "run", code: this.editor.text() }, RUN_SECONDS, started));
    } catch (error) {
      said.textContent = whatHappened(error);
    }
    this.busy = false;
    said.classList.remove("attn-waiting");
    running.textContent = "Run";
  }

  /** @param {{printed: string, error: string | null, values: Shown[]}} answer */
  tell({ printed, error, values }) {
    const { said, results } = this;
    said.textContent = error || printed || values.length ? "" : "Done; the last line has no value.";
    if (printed) results.append(make("pre", {}, printed));
    if (error) said.append(...sentences(error));
    results.append(...values.map(drawn));
  }
}

/**
 * @param {string} name
 * @param {() => void} click
 * @param {Record<string, string>} attributes
 */
function button(name, click, attributes = {}) {
  return make("button", { type: "button", ...attributes, click }, name);
}

/**
 * On a phone the button lies on the text.
 *
 * @param {HTMLElement} opener
 */
function leaveWhileReading(opener) {
  let seen = 0;
  addEventListener("scroll", () => {
    const readsOn = scrollY > seen && scrollY + innerHeight + 9 < document.body.scrollHeight;
    opener.classList.toggle("attn-aside", readsOn);
    seen = scrollY;
  });
  // Nor does it cover what a picture says while one plays with it.
  addEventListener("pointerdown", ({ target }) => {
    const plays = target instanceof Element && target.closest(".attn-live");
    if (plays) opener.classList.add("attn-aside");
  });
}

/** @param {string} text with `code` and indented lines */
function sentences(text) {
  return text.split("\n\n").map((part) =>
    part.startsWith("    ")
      ? make("pre", {}, part.trim())
      : make("span", {}, ...part.split("`").map((piece, i) => i % 2 ? make("code", {}, piece) : piece))
  );
}

/** @param {Shown} shown */
function drawn({ text, shape, rows, truth }) {
  if (!rows || !shape) return make("pre", {}, text ?? "");
  const largest = Math.max(...rows.flat().map((entry) => Math.abs(Number(entry)) || 0)) || 1;
  const caption = make("caption", {}, shape.join(" × "));
  const perMatrix = shape.length > 1 ? shape[shape.length - 2] : 1;
  const body = rows.map((row, i) => {
    const line = make("tr", {}, ...row.map((entry) => square(entry, largest, truth)));
    line.classList.toggle("attn-apart", i > 0 && i % perMatrix === 0);
    return line;
  });
  return make("table", {}, caption, make("tbody", {}, ...body));
}

/**
 * @param {number | string} entry
 * @param {number} largest
 * @param {boolean | undefined} truth
 */
function square(entry, largest, truth) {
  const number = typeof entry === "number" ? entry : 0;
  const cell = make("td", {}, wordOf(entry, truth));
  cell.style.setProperty("--w", (Math.abs(number) / largest).toFixed(2));
  cell.classList.toggle("attn-negative", number < 0);
  return cell;
}

/**
 * @param {number | string} entry
 * @param {boolean} [truth] whether it is one of a mask
 */
export function wordOf(entry, truth) {
  if (typeof entry === "string") return entry;
  if (truth) return entry ? "✓" : "·";
  return String(Number(entry.toPrecision(3))).replace("-", "−");
}

addEventListener("DOMContentLoaded", () => {
  const slug = location.pathname.match(/book\/(\w+)\.html$/)?.[1] ?? "";
  const starter = course().starters[slug];
  if (course().python && starter) new Scratch(slug, starter).show();
});
