// @ts-check
// An exercise on its page: write, tick or fill in the answer, have it checked, ask for a hint, put the
// lines in order, see the solution. Without this script the page shows the stub, and where to run it.

import { make } from "../../../course_attn/drawing/kit.js";
import { course, fromRoot } from "../shared/course.js";
import { openEditor } from "./editor.js";
import { amiss, lettersIn, openForm } from "./fields.js";
import { withMarks } from "../shared/marks.js";
import { parsonsProblem, revealLines } from "../parsons/parsons.js";
import {
  askPython,
  PythonTrouble,
  STARTING,
  startPython,
  stopPython,
  whatHappened,
} from "../runtime/runtime.js";
import { forget, keep, markSolved, recall, solvedAt, watchStore } from "../shared/store.js";

/**
 * @typedef {object} Facts what the page says of an exercise
 * @property {string} name
 * @property {string} chapter
 * @property {string} library "numpy" or "torch"
 * @property {string} stub
 * @property {string[]} hints
 * @property {string[]} solution
 * @property {import("../parsons/parsons.js").ParsonsData | null} parsons
 * @property {string} letters those that may be chosen, where the answer is letters
 * @property {string} chosen those that are right
 * @property {string[]} fields what the numbers are called, where the answer is numbers
 *
 * @typedef {object} Verdict
 * @property {string} status
 * @property {string} html
 * @property {string} text
 * @property {string} printed
 */

// The engine ends a call by itself; this ends what it cannot, such as one endless step of NumPy.
const CHECK_SECONDS = 25;
const CHECK = "Check", STOPPED = "Stopped. Change your text, then check again.";
const KEEP_AFTER = 400; // milliseconds without a key

class LiveExercise {
  /**
   * @param {HTMLElement} block
   * @param {Facts} facts
   */
  constructor(block, facts) {
    this.block = block;
    this.facts = facts;
    this.key = "answer:" + facts.name;
    this.place = /** @type {HTMLElement} */ (block.querySelector(".attn-answer"));
    this.isForm = Boolean(facts.letters || facts.fields.length);
    /** @type {import("./editor.js").Editor | import("./fields.js").Form | null} */
    this.editor = null;
    this.running = false;
    this.keeping = 0;
    /** @type {string | null} */
    this.replaced = null;

    this.said = make("p", { class: "attn-said", role: "status" });
    this.verdict = make("div", { class: "attn-verdict" });
    this.writing = tool("Write your answer", () => this.begin());
    this.checking = tool(CHECK, () => this.running ? stopPython() : this.check());
    this.resetting = tool("Start over", () => this.startOver());
    this.undoing = tool("Bring my text back", () => this.bringBack());
    this.writing.classList.add("attn-main");
    this.checking.classList.add("attn-main");
    this.checking.hidden = this.resetting.hidden = this.undoing.hidden = true;
  }

  /** Put all that belongs to the exercise below its stub. */
  show() {
    const checks = course().python && this.facts.library !== "torch";
    const [openers, panels] = openablePanels(this.helps(checks));
    const { writing, checking, resetting, undoing } = this;
    const tools = checks ? [writing, checking, ...openers, resetting, undoing] : openers;
    const bar = make("div", { class: "attn-tools" }, ...tools);
    this.place.after(bar, this.said, this.verdict, make("div", {}, ...panels));
    if (!checks) return;
    this.showElsewhere(false);
    const kept = recall(this.key);
    if (this.isForm) this.open(kept ?? "");
    else if (kept !== null && kept !== this.facts.stub) this.open(kept);
    this.place.addEventListener("click", () => this.editor ?? this.begin(), { once: true });
    addEventListener("pagehide", () => {
      if (this.keeping && this.editor) this.keepAnswer(this.editor.text());
    });
  }

  /**
   * What fills the panels, by their titles.
   *
   * @param {boolean} checks whether there is an editor
   * @returns {Record<string, (panel: HTMLElement) => void>}
   */
  helps(checks) {
    const { hints, parsons, solution } = this.facts;
    const onSolved = (/** @type {string} */ text) =>
      this.exchange(text, "Your lines are in the editor: check them.");
    return {
      "Hint": (panel) => moreHints(panel, hints),
      ...(parsons &&
        { "Put lines in order": (panel) => parsonsProblem(panel, parsons, checks ? { onSolved } : {}) }),
      "Solution": (panel) => revealLines(panel, solution),
    };
  }

  // --- the reader's text

  /** Open the editor on the stub, whose one place to write in is empty. */
  begin() {
    startPython();
    this.open(emptied(this.facts.stub)).focus();
  }

  /** @param {string} text */
  open(text) {
    if (this.editor) return this.editor;
    this.place.replaceChildren();
    const onChange = (/** @type {string} */ text) => this.changed(text);
    const onRun = () => this.check();
    const label = "Your answer: " + this.facts.name;
    this.editor = this.isForm
      ? openForm(this.place, this.facts, { text, onChange, onRun })
      : openEditor(this.place, { text, label, onChange, onRun });
    this.writing.hidden = true;
    this.checking.hidden = this.resetting.hidden = false;
    return this.editor;
  }

  /** @param {string} text */
  changed(text) {
    startPython();
    this.verdict.classList.add("attn-old");
    clearTimeout(this.keeping);
    this.keeping = window.setTimeout(() => this.keepAnswer(text), KEEP_AFTER);
  }

  /** @param {string} text */
  keepAnswer(text) {
    this.dropTimer();
    const trouble = keep(this.key, text);
    if (trouble) this.said.textContent = trouble;
  }

  dropTimer() {
    clearTimeout(this.keeping);
    this.keeping = 0;
  }

  /**
   * Put another text into the editor, and offer the way back.
   *
   * @param {string} text
   * @param {string} sentence
   */
  exchange(text, sentence) {
    this.replaced = this.editor ? this.editor.text() : null;
    this.open(text).setText(text);
    this.changed(text);
    this.undoing.hidden = this.replaced === null || this.replaced === text;
    this.said.textContent = sentence;
    this.editor?.focus();
  }

  bringBack() {
    if (this.replaced !== null) this.exchange(this.replaced, "Your text is back.");
    this.undoing.hidden = true;
  }

  startOver() {
    this.exchange(emptied(this.facts.stub), "The exercise is back at its start.");
    this.dropTimer();
    forget(this.key);
    this.verdict.replaceChildren();
  }

  // --- the verdict

  async check() {
    if (this.running || !this.editor) return;
    const { said, verdict, checking } = this;
    const trouble = "trouble" in this.editor && this.editor.trouble();
    if (trouble) {
      verdict.replaceChildren();
      said.textContent = trouble;
      return;
    }
    this.running = true;
    this.undoing.hidden = true;
    checking.textContent = "Stop";
    verdict.replaceChildren();
    said.classList.add("attn-waiting");
    said.textContent = STARTING;
    const code = this.editor.text();
    this.keepAnswer(code);
    const question = { task: "check", name: this.facts.name, code, earlier: solvedBefore(this.facts) };
    try {
      this.tell(await askPython(question, CHECK_SECONDS, () => said.textContent = "Checking…"));
    } catch (error) {
      const isStopped = error instanceof PythonTrouble && error.kind === "stopped";
      said.textContent = isStopped ? STOPPED : whatHappened(error);
      this.showElsewhere(!isStopped);
    }
    this.running = false;
    checking.textContent = CHECK;
    verdict.classList.toggle("attn-old", this.editor.text() !== code);
    said.classList.remove("attn-waiting");
    (verdict.firstElementChild ?? said).scrollIntoView({ block: "nearest" });
  }

  /** @param {Verdict} verdict */
  tell({ status, html, text, printed }) {
    const { said, verdict } = this;
    said.textContent = "";
    this.showElsewhere(false);
    const line = status === "right" ? undefined : lineIn(text);
    if (line && this.editor && "showError" in this.editor) this.editor.showError(line);
    verdict.replaceChildren(safeCard(html));
    if (status === "wrong" && this.facts.letters) this.tellHowMany();
    if (printed) {
      const lines = make("pre", {}, shortened(printed));
      verdict.append(make("details", {}, make("summary", {}, "Your lines printed"), lines));
    }
    if (status === "right") {
      const trouble = markSolved(this.facts.name);
      verdict.append(nextStep(this.facts));
      if (trouble) said.textContent = trouble;
    }
  }

  /** Which letters are wrong stays folded: a few presses would solve the question without a thought. */
  tellHowMany() {
    const { said, verdict, facts, editor } = this;
    said.textContent = amiss(lettersIn(editor?.text() ?? ""), [...facts.chosen]);
    const which = make("summary", {}, "Which, and why");
    verdict.replaceChildren(make("details", {}, which, ...verdict.childNodes));
  }

  /** @param {boolean} shown */
  showElsewhere(shown) {
    const ways = /** @type {HTMLElement | null} */ (this.block.querySelector(".attn-elsewhere"));
    if (ways) ways.hidden = !shown;
  }
}

/**
 * @param {string} text
 * @param {() => void} click
 */
function tool(text, click) {
  return make("button", { type: "button", click }, text);
}

/**
 * The answers on this page that were right, which another may call.
 *
 * @param {Facts} facts of the other
 */
function solvedBefore(facts) {
  const names = course().chapters.find(({ slug }) => slug === facts.chapter)?.exercises ?? [];
  return Object.fromEntries(
    names
      .filter((name) => name !== facts.name && solvedAt(name) && recall("answer:" + name))
      .map((name) => [name, recall("answer:" + name)]),
  );
}

/**
 * The one line that a verdict names, if it names one only.
 *
 * @param {string} text
 */
export function lineIn(text) {
  const lines = new Set([...text.matchAll(/\bline (\d+)/gi)].map((found) => Number(found[1])));
  return lines.size === 1 ? [...lines][0] : undefined;
}

/**
 * A stub with an empty place to write in, if it has one place only.
 *
 * @param {string} stub
 */
export function emptied(stub) {
  const parts = stub.split("raise NotImplementedError");
  return parts.length === 2 ? parts.join("") : stub;
}

/**
 * Buttons that open one of several panels, one at a time, and the panels.
 *
 * @param {Record<string, (panel: HTMLElement) => void>} contents
 */
function openablePanels(contents) {
  /** @type {HTMLElement[]} */
  const openers = [];
  /** @type {HTMLElement[]} */
  const panels = [];
  for (const [title, fill] of Object.entries(contents)) {
    const panel = make("section", { class: "attn-panel", "aria-label": title, hidden: true });
    const opener = tool(title, () => {
      const opens = panel.hidden;
      for (const one of panels) one.hidden = true;
      for (const one of openers) one.setAttribute("aria-expanded", "false");
      panel.hidden = !opens;
      opener.setAttribute("aria-expanded", String(opens));
      if (!opens) return;
      if (!panel.hasChildNodes()) fill(panel);
      panel.scrollIntoView({ block: "nearest" });
    });
    opener.setAttribute("aria-expanded", "false");
    openers.push(opener);
    panels.push(panel);
  }
  return [openers, panels];
}

/**
 * Show the first hint, and each further one on request.
 *
 * @param {HTMLElement} panel
 * @param {string[]} hints
 */
function moreHints(panel, hints) {
  const list = make("ol", { "aria-live": "polite", tabindex: "-1" });
  const more = make("button", { type: "button", click: showOne }, "Next hint");
  panel.append(list, more);
  function showOne() {
    list.append(make("li", {}, ...withMarks(hints[list.children.length])));
    typeset(list);
    more.hidden = list.children.length === hints.length;
    if (more.hidden && hints.length > 1) list.focus();
  }
  showOne();
}

/** @param {HTMLElement} part */
function typeset(part) {
  const { MathJax } = /** @type {any} */ (window);
  MathJax?.typesetPromise?.([part]);
}

const KEPT_TAGS = new Set("DIV STRONG SPAN CODE P PRE EM OL LI BR DETAILS SUMMARY".split(" "));
const KEPT_ATTRIBUTES = new Set(["role", "aria-hidden"]);
// What the engine writes into its styles: none loads anything, and none moves a part of the page.
const KEPT_DECLARATIONS = new Set([
  "border-left:.35em solid #1a7f37",
  "border-left:.35em solid #bf5a00",
  "border-left:.35em solid #c4314b",
  "border-left:.35em solid #6e7781",
  "padding:.4em .9em",
  "padding:0 0 0 1.5em",
  "margin:.4em 0",
  "background:transparent",
  "color:inherit",
  "line-height:1.45",
  "white-space:pre-wrap",
]);

/**
 * Whether the engine writes such an attribute of such a part, or, without a name, such a part.
 *
 * @param {string} tag
 * @param {string} [name]
 * @param {string} [value]
 */
export function isOfCard(tag, name, value = "") {
  if (!KEPT_TAGS.has(tag.toUpperCase())) return false;
  if (name === "style") return value.split(";").every((one) => KEPT_DECLARATIONS.has(one));
  return name === undefined || KEPT_ATTRIBUTES.has(name);
}

/**
 * The engine's card without anything that could run: an answer may have tampered with the engine.
 *
 * @param {string} html
 */
function safeCard(html) {
  const read = new DOMParser().parseFromString(html, "text/html").body;
  for (const part of [...read.querySelectorAll("*")]) {
    if (!isOfCard(part.tagName)) {
      part.replaceWith(part.textContent ?? "");
      continue;
    }
    for (const { name, value } of [...part.attributes]) {
      if (!isOfCard(part.tagName, name, value)) part.removeAttribute(name);
    }
  }
  const card = document.createDocumentFragment();
  card.append(...read.childNodes);
  return card;
}

/** @param {string} text */
export function shortened(text) {
  const most = 4000;
  return text.length <= most ? text : text.slice(0, most) + "\n…";
}

/**
 * What comes after an exercise: the next one of its chapter, and the next chapter.
 *
 * @param {import("../shared/course.js").Chapter[]} chapters
 * @param {{name: string, chapter: string}} facts
 */
export function following(chapters, { name, chapter }) {
  const at = chapters.findIndex(({ slug }) => slug === chapter);
  const here = chapters[at]?.exercises ?? [];
  /** @type {string | undefined} */
  const exercise = here[here.indexOf(name) + 1];
  return { exercise, chapter: chapters.at(at + 1) };
}

/**
 * Where to go after a right answer.
 *
 * @param {Facts} facts
 */
function nextStep(facts) {
  const { exercise, chapter } = following(course().chapters, facts);
  const step = make("p", { class: "attn-next" });
  if (exercise) {
    const block = document.querySelector(`.attn-exercise[data-exercise="${exercise}"]`);
    const heading = block?.closest("section")?.id ?? "";
    step.append("Next exercise: ", make("a", { href: "#" + heading }, make("code", {}, exercise)));
  } else if (chapter) {
    const page = fromRoot(`book/${chapter.slug}.html`);
    step.append("Next chapter: ", make("a", { href: page }, chapter.title));
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
    name.replaceWith(...parts.flatMap((part, i) => i ? [make("wbr"), part] : [part]));
  }
}

addEventListener("DOMContentLoaded", () => {
  breakNames();
  for (const block of document.querySelectorAll(".attn-exercise")) {
    const data = block.querySelector("script.attn-data")?.textContent;
    if (data) new LiveExercise(/** @type {HTMLElement} */ (block), JSON.parse(data)).show();
  }
  watchStore(tickHeadings);
  tickHeadings();
});
