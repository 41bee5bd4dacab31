// @ts-check
// An exercise on its page: write the answer, have it checked, ask for a hint, put the lines in
// order, see the solution. Without this script the page shows the stub, and where to run it.

import { course, element, fromRoot } from "../shared/course.js";
import { openEditor } from "./editor.js";
import { parsonsProblem, revealLines } from "../parsons/parsons.js";
import { askPython, STARTING, startPython, whatHappened } from "../runtime/runtime.js";
import { forget, keep, markSolved, recall, solvedAt, watchStore } from "../shared/store.js";

/**
 * @typedef {object} Facts what the page says of an exercise
 * @property {string} name
 * @property {string} chapter
 * @property {string} library "numpy" or "torch"
 * @property {string} stub
 * @property {string[]} hints
 * @property {string[]} solution
 * @property {any} parsons
 *
 * @typedef {object} Verdict
 * @property {string} status
 * @property {string} html
 * @property {string} text
 * @property {string} printed
 */

// The engine ends a call by itself; this ends what it cannot, such as one endless step of NumPy.
const CHECK_SECONDS = 25;
const KEEP_AFTER = 400; // milliseconds without a key

/** @param {HTMLElement} block */
function liveExercise(block) {
  const data = block.querySelector("script.attn-data");
  if (!data) return;
  /** @type {Facts} */
  const facts = JSON.parse(data.textContent ?? "");
  const place = /** @type {HTMLElement} */ (block.querySelector(".attn-answer"));
  const checks = course().python && facts.library !== "torch";
  const key = "answer:" + facts.name;
  /** @type {import("./editor.js").Editor | null} */
  let editor = null;
  let running = false;
  let keeping = 0;
  /** @type {string | null} */
  let replaced = null;

  const said = element("p", { class: "attn-said", role: "status" });
  const verdict = element("div", { class: "attn-verdict" });
  const extra = element("div", {});
  const undoing = element("button", { type: "button", hidden: true, click: bringBack }, "Bring my text back");
  const bar = element("div", { class: "attn-tools" });
  const tool = (/** @type {string} */ text, /** @type {() => void} */ action) => {
    const made = element("button", { type: "button", click: action }, text);
    bar.append(made);
    return made;
  };

  function changed(/** @type {string} */ text) {
    startPython().catch(() => undefined); // it is said when the reader asks for the check
    verdict.classList.add("attn-old");
    clearTimeout(keeping);
    keeping = setTimeout(() => keepAnswer(text), KEEP_AFTER);
  }

  function keepAnswer(/** @type {string} */ text) {
    clearTimeout(keeping);
    keeping = 0;
    const trouble = keep(key, text);
    if (trouble) said.textContent = trouble;
  }

  function open(/** @type {string} */ text) {
    if (editor) return editor;
    place.replaceChildren();
    editor = openEditor(place, {
      text,
      label: "Your answer: " + facts.name,
      onChange: changed,
      onRun: check,
    });
    writing.hidden = true;
    checking.hidden = resetting.hidden = false;
    return editor;
  }

  /** Open the editor on the stub, whose one place to write in is empty. */
  function begin() {
    startPython().catch(() => undefined);
    open(emptied(facts.stub)).focus();
  }

  /** Put another text into the editor, and offer the way back. */
  function exchange(/** @type {string} */ text, /** @type {string} */ sentence) {
    replaced = editor ? editor.text() : null;
    open(text).setText(text);
    changed(text);
    undoing.hidden = replaced === null || replaced === text;
    said.textContent = sentence;
    editor?.focus();
  }

  function bringBack() {
    if (replaced !== null) exchange(replaced, "Your text is back.");
    undoing.hidden = true;
  }

  async function check() {
    if (running || !editor) return;
    running = true;
    undoing.hidden = true;
    checking.setAttribute("aria-disabled", "true");
    verdict.replaceChildren();
    said.classList.add("attn-waiting");
    said.textContent = STARTING;
    keepAnswer(editor.text());
    try {
      await startPython();
      said.textContent = "Checking…";
      const question = { task: "check", name: facts.name, code: editor.text(), earlier: earlier() };
      show(await askPython(question, CHECK_SECONDS));
    } catch (error) {
      said.textContent = whatHappened(error);
      elsewhere(true);
    }
    running = false;
    said.classList.remove("attn-waiting");
    checking.removeAttribute("aria-disabled");
    (verdict.firstElementChild ?? said).scrollIntoView({ block: "nearest" });
  }

  /** The answers on this page that were right, which this one may call. */
  function earlier() {
    const names = course().chapters.find(({ slug }) => slug === facts.chapter)?.exercises ?? [];
    return Object.fromEntries(
      names
        .filter((name) => name !== facts.name && solvedAt(name) && recall("answer:" + name))
        .map((name) => [name, recall("answer:" + name)]),
    );
  }

  function show(/** @type {Verdict} */ { status, html, text, printed }) {
    said.textContent = "";
    elsewhere(false);
    const lines = [...text.matchAll(/\bline (\d+)/gi)].map((found) => Number(found[1]));
    if (status !== "right" && new Set(lines).size === 1) editor?.showError(lines[0]);
    verdict.classList.remove("attn-old");
    verdict.replaceChildren(safeCard(html));
    if (printed) {
      verdict.append(
        element(
          "details",
          {},
          element("summary", {}, "Your lines printed"),
          element("pre", {}, shortened(printed)),
        ),
      );
    }
    if (status === "right") {
      const trouble = markSolved(facts.name);
      verdict.append(nextStep(facts));
      if (trouble) said.textContent = trouble;
    }
  }

  function elsewhere(/** @type {boolean} */ shown) {
    const ways = /** @type {HTMLElement | null} */ (block.querySelector(".attn-elsewhere"));
    if (ways) ways.hidden = !shown;
  }

  const writing = tool("Write your answer", begin);
  writing.classList.add("attn-main");
  const checking = tool("Check", check);
  checking.classList.add("attn-main");
  const panels = openablePanels(extra, bar, {
    "Hint": (panel) => moreHints(panel, facts.hints),
    ...(facts.parsons &&
      {
        "Put lines in order": (panel) =>
          parsonsProblem(
            panel,
            facts.parsons,
            checks ? { onSolved: (text) => exchange(text, "Your lines are in the editor: check them.") } : {},
          ),
      }),
    "Solution": (panel) => revealLines(panel, facts.solution, {}),
  });
  const resetting = tool("Start over", () => {
    exchange(emptied(facts.stub), "The exercise is back at its start.");
    clearTimeout(keeping);
    keeping = 0;
    forget(key);
    verdict.replaceChildren();
  });
  checking.hidden = resetting.hidden = true;
  bar.append(undoing);
  addEventListener("pagehide", () => {
    if (keeping && editor) keepAnswer(editor.text());
  });

  if (checks) {
    elsewhere(false);
    const kept = recall(key);
    if (kept !== null && kept !== facts.stub) open(kept);
    place.addEventListener("click", () => editor ?? begin(), { once: true });
  } else {
    for (const needsPython of [writing, checking, resetting]) needsPython.remove();
  }
  place.after(bar, said, verdict, panels);
}

/**
 * A stub with an empty place to write in, if it has one place only.
 *
 * @param {string} stub
 */
function emptied(stub) {
  const parts = stub.split("raise NotImplementedError");
  return parts.length === 2 ? parts.join("") : stub;
}

/**
 * Buttons that open one of several panels, one at a time.
 *
 * @param {HTMLElement} place
 * @param {HTMLElement} bar
 * @param {Record<string, (panel: HTMLElement) => unknown>} contents
 */
function openablePanels(place, bar, contents) {
  /** @type {(() => void)[]} */
  const closers = [];
  for (const [title, fill] of Object.entries(contents)) {
    const panel = element("section", { class: "attn-panel", "aria-label": title, hidden: true });
    let filled = false;
    const opener = element("button", {
      type: "button",
      "aria-expanded": "false",
      click() {
        const opens = panel.hidden;
        for (const close of closers) close();
        panel.hidden = !opens;
        opener.setAttribute("aria-expanded", String(opens));
        if (!opens) return;
        if (!filled) fill(panel);
        filled = true;
        panel.scrollIntoView({ block: "nearest" });
      },
    }, title);
    closers.push(() => {
      panel.hidden = true;
      opener.setAttribute("aria-expanded", "false");
    });
    bar.append(opener);
    place.append(panel);
  }
  return place;
}

/**
 * Show the first hint, and each further one on request.
 *
 * @param {HTMLElement} panel
 * @param {string[]} hints
 */
function moreHints(panel, hints) {
  const list = element("ol", { "aria-live": "polite", tabindex: "-1" });
  const more = element("button", { type: "button", click: showOne }, "Next hint");
  panel.append(list, more);
  function showOne() {
    list.append(element("li", {}, ...withCode(hints[list.children.length])));
    typeset(list);
    more.hidden = list.children.length === hints.length;
    if (more.hidden && hints.length > 1) list.focus();
  }
  showOne();
}

/**
 * A sentence with `code` and $formulas$ as nodes.
 *
 * @param {string} text
 * @returns {(Node | string)[]}
 */
function withCode(text) {
  return text.split(/(`[^`]+`|\$[^$]+\$)/).map((part) => {
    if (part.startsWith("`")) return element("code", {}, part.slice(1, -1));
    if (part.startsWith("$")) return element("span", { class: "math" }, `\\(${part.slice(1, -1)}\\)`);
    return part;
  });
}

/** @param {HTMLElement} part */
function typeset(part) {
  const { MathJax } = /** @type {any} */ (window);
  MathJax?.typesetPromise?.([part]);
}

const KEPT_TAGS = new Set([
  "DIV",
  "STRONG",
  "SPAN",
  "CODE",
  "P",
  "PRE",
  "EM",
  "OL",
  "LI",
  "BR",
  "DETAILS",
  "SUMMARY",
]);
const KEPT_ATTRIBUTES = new Set(["style", "role", "aria-hidden"]);

/**
 * The engine's card without anything that could run: an answer may have tampered with the engine.
 *
 * @param {string} html
 */
function safeCard(html) {
  const read = new DOMParser().parseFromString(html, "text/html").body;
  for (const part of [...read.querySelectorAll("*")]) {
    if (!KEPT_TAGS.has(part.tagName)) {
      part.replaceWith(part.textContent ?? "");
      continue;
    }
    for (const { name, value } of [...part.attributes]) {
      if (!KEPT_ATTRIBUTES.has(name) || /url\(/i.test(value)) part.removeAttribute(name);
    }
  }
  const card = document.createDocumentFragment();
  card.append(...read.childNodes);
  return card;
}

/** @param {string} text */
function shortened(text) {
  const most = 4000;
  return text.length <= most ? text : text.slice(0, most) + "\n…";
}

/**
 * Where to go after a right answer.
 *
 * @param {Facts} facts
 */
function nextStep({ name, chapter }) {
  const { chapters } = course();
  const at = chapters.findIndex(({ slug }) => slug === chapter);
  const here = chapters[at]?.exercises ?? [];
  const next = here[here.indexOf(name) + 1];
  const step = element("p", { class: "attn-next" });
  if (next) {
    const block = document.querySelector(`.attn-exercise[data-exercise="${next}"]`);
    const heading = block?.closest("section")?.id ?? "";
    step.append("Next exercise: ", element("a", { href: "#" + heading }, element("code", {}, next)));
  } else if (chapters[at + 1]) {
    const { slug, title } = chapters[at + 1];
    step.append("Next chapter: ", element("a", { href: fromRoot(`book/${slug}.html`) }, title));
  }
  return step;
}

function tickHeadings() {
  for (const block of document.querySelectorAll(".attn-exercise")) {
    const name = /** @type {HTMLElement} */ (block).dataset.exercise ?? "";
    block.closest("section")?.classList.toggle("attn-solved", solvedAt(name) !== null);
    const facts = block.querySelector(".attn-solved-at");
    if (facts) facts.textContent = solvedAt(name) ? " · ✓ solved" : "";
  }
}

/** Long names break at an underscore. */
function breakNames() {
  for (const heading of document.querySelectorAll(".bd-article section:has(> .attn-exercise) > h2")) {
    const name = heading.firstChild;
    if (!(name instanceof Text)) continue;
    const parts = name.data.split(/(?<=_)/);
    name.replaceWith(...parts.flatMap((part, i) => i ? [element("wbr"), part] : [part]));
  }
}

addEventListener("DOMContentLoaded", () => {
  breakNames();
  for (const block of document.querySelectorAll(".attn-exercise")) {
    liveExercise(/** @type {HTMLElement} */ (block));
  }
  watchStore(tickHeadings);
  tickHeadings();
});
