// @ts-check
// A place beside each chapter to run lines of one's own: a drawer at the foot of the window.

import { course, element } from "../shared/course.js";
import { openEditor } from "../exercise/editor.js";
import { askPython, STARTING, startPython, stopPython, whatHappened } from "../runtime/runtime.js";
import { keep, recall } from "../shared/store.js";

/** @typedef {{text?: string, shape?: number[], rows?: (number | string)[][], truth?: boolean}} Shown */

// Lines may run for 20 seconds; then they are stopped, and said to be. This is for what cannot be.
const RUN_SECONDS = 30;

/**
 * @param {string} slug
 * @param {string} starter the lines that it begins with
 */
function scratchDrawer(slug, starter) {
  const key = "scratch:" + slug;
  const said = element("p", { class: "attn-said", role: "status" });
  const results = element("div", { class: "attn-results" });
  const place = element("div", {});
  const running = element("button", { type: "button", class: "attn-main", click: run }, "Run");
  const closing = element("button", { type: "button", click: () => open(false) }, "Close");
  const again = element(
    "button",
    { type: "button", click: () => editor?.setText(starter) },
    "Back to the first lines",
  );
  const drawer = element(
    "section",
    {
      class: "attn-scratch",
      id: "attn-scratch",
      "aria-label": "Your own lines",
      hidden: true,
    },
    element(
      "p",
      { class: "attn-meta" },
      "NumPy is here as ",
      element("code", {}, "np"),
      ", and so is every function of ",
      element("code", {}, "course_attn.in_numpy"),
      ". The last line is shown; what you define stays until you leave the page.",
    ),
    place,
    element("div", { class: "attn-tools" }, running, again, closing),
    said,
    results,
  );
  const opener = element("button", {
    type: "button",
    class: "attn-try",
    "aria-expanded": "false",
    "aria-controls": "attn-scratch",
    click: () => open(Boolean(drawer.hidden)),
  }, "Try it in Python");
  /** @type {import("../exercise/editor.js").Editor | null} */
  let editor = null;
  let busy = false;

  function open(/** @type {boolean} */ wanted) {
    drawer.hidden = !wanted;
    opener.setAttribute("aria-expanded", String(wanted));
    editor ??= openEditor(place, {
      text: recall(key) ?? starter,
      label: "Your own lines of Python",
      onRun: run,
      onChange(text) {
        startPython().catch(() => undefined);
        keep(key, text);
      },
    });
    if (wanted) editor.focus();
    else opener.focus();
  }

  async function run() {
    if (!editor) return;
    if (busy) {
      stopPython();
      return;
    }
    busy = true;
    running.textContent = "Stop";
    results.replaceChildren();
    said.classList.add("attn-waiting");
    said.textContent = STARTING;
    try {
      await startPython();
      said.textContent = "Running; it is stopped after 20 seconds";
      const { printed, error, values } = await askPython(
        { task: "run", code: editor.text() },
        RUN_SECONDS,
      );
      said.textContent = error || printed || values.length ? "" : "Done; the last line has no value.";
      if (printed) results.append(element("pre", {}, printed));
      if (error) said.append(...sentences(error));
      results.append(...values.map(drawn));
    } catch (error) {
      said.textContent = whatHappened(error);
    }
    busy = false;
    said.classList.remove("attn-waiting");
    running.textContent = "Run";
  }

  drawer.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented && event.target === closing) open(false);
  });
  // On a phone it lies on the text.
  let seen = 0;
  addEventListener("scroll", () => {
    opener.classList.toggle(
      "attn-aside",
      scrollY > seen &&
        scrollY + innerHeight + 9 < document.body.scrollHeight,
    );
    seen = scrollY;
  });
  // Early in the order of the keyboard, wherever it is seen.
  const skip = document.querySelector("#pst-skip-link");
  if (skip) skip.after(opener, drawer);
  else document.body.prepend(opener, drawer);
}

/** @param {string} text with `code` and indented lines */
function sentences(text) {
  return text.split("\n\n").map((part) =>
    part.startsWith("    ")
      ? element("pre", {}, part.trim())
      : element("span", {}, ...part.split("`").map((piece, i) => i % 2 ? element("code", {}, piece) : piece))
  );
}

/** @param {Shown} shown */
function drawn({ text, shape, rows, truth }) {
  if (!rows || !shape) return element("pre", {}, text ?? "");
  const largest = Math.max(...rows.flat().map((entry) => Math.abs(Number(entry)) || 0)) || 1;
  const caption = element("caption", {}, shape.join(" × "));
  const perMatrix = shape.length > 1 ? shape[shape.length - 2] : 1;
  const body = rows.map((row, i) => {
    const line = element("tr", {}, ...row.map((entry) => square(entry, largest, truth)));
    line.classList.toggle("attn-apart", i > 0 && i % perMatrix === 0);
    return line;
  });
  return element("table", {}, caption, element("tbody", {}, ...body));
}

/**
 * @param {number | string} entry
 * @param {number} largest
 * @param {boolean | undefined} truth
 */
function square(entry, largest, truth) {
  const number = typeof entry === "number" ? entry : 0;
  const words = typeof entry === "string"
    ? entry
    : truth
    ? (entry ? "✓" : "·")
    : String(Number(entry.toPrecision(3))).replace("-", "−");
  const cell = element("td", {}, words);
  cell.style.setProperty("--w", (Math.abs(number) / largest).toFixed(2));
  cell.classList.toggle("attn-negative", number < 0);
  return cell;
}

addEventListener("DOMContentLoaded", () => {
  const slug = location.pathname.match(/book\/(\w+)\.html$/)?.[1] ?? "";
  const starter = course().starters[slug];
  if (course().python && starter) scratchDrawer(slug, starter);
});
