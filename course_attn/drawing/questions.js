// @ts-check
// Questions before a result (course_attn/drawing/questions.py): options become buttons, a number is
// guessed with a bar, and what would give the answer away is covered until the reader has answered
// or asks for it. Nothing is counted; what the reader chose is kept for the reader alone.
import { make } from "./kit.js";
import { AskedNumber, chosenNow, fittingChoice, readTicks, saidToChoice } from "./guesses.js";
import { keep, recall } from "../../book/_parts/shared/store.js";

/**
 * @typedef {import("./guesses.js").Ticks} Ticks
 * @typedef {import("./guesses.js").Line} Line
 * @typedef {{draw: (ticks: Ticks) => Line[], fits: (ticks: Ticks) => Ticks}} Kind What a choice
 *   and a number do in ways of their own: show how things stand, and take what was kept.
 */

const SKIP = "Skip the guess";

/**
 * Make a question answerable.
 * @param {HTMLElement} root
 * @param {string} page the name of the page, under which the answer is kept
 */
export function askFirst(root, page) {
  const key = `predict:${page}:${root.dataset.question}`;
  const answers = make("div", { class: "attn-answers", role: "status" });
  const shortcut = questionButton("attn-shortcut", "", () => turn(!ticks.done));
  root.append(answers, shortcut);
  const cover = coverResult(root, () => turn(true));
  const kind = root.dataset.low === undefined
    ? choiceOf(root, answers, answer)
    : numberOf(root, answers, answer);
  let ticks = kind.fits(readTicks(recall(key)));

  function show() {
    writeLines(answers, kind.draw(ticks));
    shortcut.textContent = ticks.done ? "Ask me again" : SKIP;
    shortcut.hidden = !ticks.done && cover !== null; // then the cover has the button
    cover?.classList.toggle("attn-closed", !ticks.done);
  }

  /** @param {Partial<Ticks>} change what the reader has done now */
  function answer(change) {
    if (ticks.done && !change.read) return;
    ticks = { ...ticks, ...change };
    const touched = ticks.tried.length || ticks.done;
    const trouble = keep(key, touched ? JSON.stringify(ticks) : "");
    show();
    if (trouble) answers.append(make("p", { class: "attn-trouble" }, trouble));
  }

  /** @param {boolean} done whether the answer is asked for, or the question once more */
  function turn(done) {
    if (!done) ticks = { tried: [], done };
    answer({ done });
  }

  // A link may lead to what is covered; who follows it wants to see it.
  function openForLink() {
    const target = document.querySelector(":target");
    if (!target || !cover?.contains(target) || ticks.done) return;
    turn(true);
    target.scrollIntoView();
  }

  window.addEventListener("hashchange", openForLink);
  window.addEventListener("load", openForLink);
  root.classList.add("attn-on");
  show();
}

// A choice

/**
 * Make a button of each option.
 * @param {HTMLElement} root
 * @param {Element} answers where sentences appear
 * @param {(change: Partial<Ticks>) => void} answer
 * @returns {Kind}
 */
function choiceOf(root, answers, answer) {
  const group = make("div", { class: "attn-options", role: "radiogroup", "aria-label": askedIn(root) });
  const options = [...root.querySelectorAll("details")].map((detail) => {
    const [summary, sentence] = detail.children;
    const click = () => choose(button), keys = { "data-lm-suppress-shortcuts": "true" };
    const button = make("button", { type: "button", class: "attn-option", role: "radio", click, ...keys });
    button.append(...summary.cloneNode(true).childNodes);
    group.append(button);
    return { button, sentence, text: summary.textContent || "", right: "holds" in detail.dataset };
  });
  const buttons = options.map((option) => option.button);
  /** @type {Ticks} */
  let now = { tried: [], done: false };
  answers.before(group);
  moveByArrows(group, buttons);

  /** @param {HTMLButtonElement} button */
  function choose(button) {
    const change = chosenNow(options[buttons.indexOf(button)], now);
    if (change) answer(change);
  }

  return {
    fits: (ticks) => fittingChoice(options, ticks),

    draw(ticks) {
      now = ticks;
      const { tried, read = [], done } = ticks;
      for (const { button, text, right } of options) {
        const wrong = !right && [...tried, ...read].includes(text), told = right && done;
        button.classList.toggle("attn-wrong", wrong);
        button.classList.toggle("attn-right", told);
        button.setAttribute("aria-description", wrong ? "wrong" : told ? "right" : "");
        button.setAttribute("aria-checked", String(text === tried.at(-1)));
        button.setAttribute("aria-disabled", String(wrong || told));
      }
      return saidToChoice(options, ticks);
    },
  };
}

/**
 * Let the arrow keys, Home and End move within a group. They choose nothing, unlike in a form: a
 * choice is an answer.
 * @param {Element} group
 * @param {HTMLButtonElement[]} buttons
 */
function moveByArrows(group, buttons) {
  const stopAt = (/** @type {EventTarget | null} */ stop) => {
    for (const button of buttons) button.tabIndex = button === stop ? 0 : -1;
  };
  stopAt(buttons[0]);
  group.addEventListener("focusin", (event) => stopAt(event.target));
  group.addEventListener("keydown", (event) => {
    const { key, target } = /** @type {KeyboardEvent} */ (event);
    const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (target)), n = buttons.length;
    const to = {
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      ArrowLeft: at - 1,
      ArrowUp: at - 1,
      Home: 0,
      End: n - 1,
    }[key];
    if (to === undefined) return;
    event.preventDefault();
    buttons[(to + n) % n].focus();
  });
}

// A number

/**
 * Make a bar to guess a number with.
 * @param {HTMLElement} root
 * @param {Element} answers where sentences appear
 * @param {(change: Partial<Ticks>) => void} answer
 * @returns {Kind}
 */
function numberOf(root, answers, answer) {
  const asked = new AskedNumber(root.dataset), { unit } = asked;
  const [measured, lower, higher] = root.querySelectorAll("details p");
  const shown = make("output", { class: "attn-number" }), mark = make("span", { class: "attn-mark" });
  const { slider, track } = barFor(asked, askedIn(root), mark);
  const chosen = () => asked.numberAt(Number(slider.value));
  const guess = () => answer({ guess: chosen(), done: true });
  const say = questionButton("attn-option", "That is my guess", guess);
  let moved = false;
  answers.before(make("div", { class: "attn-guess" }, track, shown, say));
  slider.addEventListener("input", () => {
    moved = true;
    write();
  });
  slider.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !say.hidden) say.click();
  });

  function write() {
    const empty = slider.disabled ? "" : "Move the bar";
    shown.textContent = moved ? asked.written(chosen()) + unit : empty;
    say.disabled = !moved;
    slider.setAttribute("aria-valuetext", asked.written(chosen()) + unit);
  }

  return {
    fits: (ticks) => asked.fitting(ticks),

    draw({ guess, done }) {
      if (done || guess !== undefined) slider.value = String(asked.placeOf(guess));
      if (slider.disabled || done) moved = guess !== undefined;
      slider.disabled = say.hidden = done;
      mark.hidden = !done;
      write();
      /** @type {Line[]} */
      const lines = [];
      if (guess !== undefined) {
        const { first, why } = asked.judged(guess);
        lines.push({ first, sentence: why && { lower, higher }[why] });
      }
      if (done) lines.push({ first: `The answer: ${root.dataset.measured}.`, sentence: measured });
      return lines;
    },
  };
}

/**
 * Make the bar, with its ends below it and the mark where the answer is.
 * @param {AskedNumber} asked
 * @param {string} name
 * @param {HTMLElement} mark
 */
function barFor(asked, name, mark) {
  const scale = asked.log ? "equal steps are equal factors (a logarithmic scale)" : "";
  const slider = make("input", {
    type: "range",
    autocomplete: "off",
    ...asked.bar,
    value: asked.placeOf(),
    "aria-label": name,
    "aria-description": scale || null,
    "data-lm-suppress-shortcuts": "true",
  });
  const [low, high] = [asked.low, asked.high].map((end) => asked.written(end) + asked.unit);
  const ends = [low, scale, high].map((end) => make("span", {}, end));
  mark.style.setProperty("--at", String(asked.shareAt(asked.truth)));
  const track = make(
    "div",
    { class: "attn-track" },
    slider,
    mark,
    make("div", { class: "attn-ends" }, ...ends),
  );
  return { slider, track };
}

// The result

/**
 * Find what gives the answer away: so many cells with an output and, with their captions, what
 * stands between; then so many paragraphs. It ends with the section, or at the next question.
 * @param {HTMLElement} root
 * @returns {Element[]}
 */
function whatToCover(root) {
  let cells = Number(root.dataset.covers), paragraphs = Number(root.dataset.text), upTo = 0;
  const following = [];
  let next = cells ? root.closest(".cell")?.nextElementSibling : null;
  for (; next && !next.matches("section"); next = next.nextElementSibling) {
    const isCell = next.matches(".cell"), shows = isCell && next.querySelector(".cell_output");
    if (next.querySelector(".attn-predict") || (shows && !cells)) break;
    following.push(next);
    if (shows) cells -= 1;
    else if (isCell || cells) continue;
    else if (!/^\s*Figure\./.test(next.textContent || "") && paragraphs-- <= 0) break;
    if (!cells) upTo = following.length;
  }
  return following.slice(0, upTo);
}

/**
 * Lay a cover over the result, with a button that takes it away.
 * @param {HTMLElement} root
 * @param {() => void} open
 * @returns {HTMLElement | null}
 */
function coverResult(root, open) {
  const covered = whatToCover(root);
  if (!covered.length) return null;
  const inside = make("div", { class: "attn-covered", tabindex: "-1" });
  const skip = questionButton("attn-shortcut", SKIP, () => {
    open();
    inside.focus({ preventScroll: true });
  });
  const cover = make("div", { class: "attn-cover" }, skip, inside);
  covered[0].before(cover);
  inside.append(...covered);
  return cover;
}

// Small parts

/**
 * @param {string} name @param {string} text @param {() => void} act
 */
const questionButton = (name, text, act) => make("button", { type: "button", class: name, click: act }, text);

/** @param {Element} root */
function askedIn(root) {
  return root.querySelector(".attn-question span")?.textContent || "";
}

/**
 * Write lines below a question. Those that stand there stay, so that only what is new is read out.
 * @param {Element} answers
 * @param {Line[]} lines
 */
function writeLines(answers, lines) {
  const wanted = lines.map(({ first, sentence }) => {
    const line = make("p", { class: "attn-answer" }, make("strong", {}, first));
    const said = sentence?.querySelector("span");
    if (said) line.append(" ", said.cloneNode(true));
    return line;
  });
  const same = wanted.findIndex((line, i) => !answers.children[i]?.isEqualNode(line));
  const from = same < 0 ? wanted.length : same;
  for (const old of [...answers.children].slice(from)) old.remove();
  answers.append(...wanted.slice(from));
}

for (const root of document.querySelectorAll(".attn-predict:not(.attn-on)")) {
  const page = location.pathname.split("/").pop() || "index";
  askFirst(/** @type {HTMLElement} */ (root), page.replace(/\.html$/, ""));
}
