// @ts-check
// Questions before a result (course_attn/drawing/questions.py): options become buttons, a number is
// guessed with a bar, and what would give the answer away is covered until the reader has answered
// or asks for it. Nothing is counted; what the reader chose is kept for the reader alone.
import { keep, recall } from "../../book/_parts/shared/store.js";

/**
 * @typedef {{tried: string[], read?: string[], guess?: number, done: boolean}} Ticks What the
 *   reader did: which options were tried, and which read once the answer was out, or which number
 *   was guessed; and whether the answer is out.
 * @typedef {{first: string, sentence?: Element}} Line What is said below a question.
 * @typedef {{draw: (ticks: Ticks) => Line[], fits: (ticks: Ticks) => Ticks}} Kind What a choice
 *   and a number do in ways of their own: show how things stand, and take what was kept.
 */

const TRIES = 2, SKIP = "Skip the guess";

/**
 * Make a question answerable.
 * @param {HTMLElement} root
 * @param {string} page the name of the page, under which the answer is kept
 */
export function askFirst(root, page) {
  const key = `predict:${page}:${root.dataset.question}`;
  const answers = questionPart("div", "attn-answers");
  answers.setAttribute("role", "status");
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
    if (trouble) answers.append(questionPart("p", "attn-trouble", trouble));
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
  const group = questionPart("div", "attn-options");
  group.setAttribute("role", "radiogroup");
  group.setAttribute("aria-label", askedIn(root));
  const options = [...root.querySelectorAll("details")].map((detail) => {
    const [summary, sentence] = detail.children;
    const button = questionButton("attn-option", "", () => choose(button));
    button.append(...summary.cloneNode(true).childNodes);
    button.setAttribute("role", "radio");
    button.setAttribute("data-lm-suppress-shortcuts", "true");
    group.append(button);
    return { button, sentence, text: summary.textContent || "", right: "holds" in detail.dataset };
  });
  const right = /** @type {typeof options[0]} */ (options.find((option) => option.right));
  const buttons = options.map((option) => option.button);
  /** @type {Ticks} */
  let now = { tried: [], done: false };
  answers.before(group);
  moveByArrows(group, buttons);

  /** @param {HTMLButtonElement} button */
  function choose(button) {
    const { text, right } = options[buttons.indexOf(button)], { tried, read = [], done } = now;
    if (tried.includes(text) || read.includes(text) || (done && right)) return;
    if (done) answer({ read: [...read, text] });
    else answer({ tried: [...tried, text], done: right || tried.length + 1 === TRIES });
  }

  return {
    fits(ticks) {
      const known = (/** @type {string} */ text) => options.some((option) => option.text === text);
      const tried = ticks.tried.filter(known), read = ticks.read?.filter(known);
      const out = tried.length >= TRIES || tried.includes(right.text);
      return { tried, read, done: ticks.done || out };
    },

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
      /** @type {Line[]} */
      const lines = tried.map((text) => {
        const option = options.find((one) => one.text === text) || right;
        return { first: option.right ? "Right." : "Not so.", sentence: option.sentence };
      });
      if (done && !tried.includes(right.text)) {
        lines.push({ first: `The answer: ${right.text}.`, sentence: right.sentence });
      }
      for (const { text, sentence } of options.filter((option) => read.includes(option.text))) {
        lines.push({ first: `Not “${text}”.`, sentence });
      }
      if (!done && tried.length) lines.push({ first: "Try once more." });
      return lines;
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
  const data = root.dataset, unit = data.unit || "", log = data.log === "1";
  const [low, high, truth, step, close] = [data.low, data.high, data.answer, data.step, data.close]
    .map(Number);
  const [measured, whenLower, whenHigher] = root.querySelectorAll("details p");
  const slider = document.createElement("input");
  // Where factors count, the bar has two hundred places.
  const [least, most, grain] = log ? [0, 200, 1] : [low, high, step];
  slider.type = "range";
  slider.autocomplete = "off";
  Object.assign(slider, { min: least, max: most, step: grain });
  slider.value = String((least + most) / 2);
  slider.setAttribute("aria-label", askedIn(root));
  slider.setAttribute("data-lm-suppress-shortcuts", "true");
  const shown = questionPart("output", "attn-number");
  const track = questionPart("div", "attn-track"), mark = questionPart("span", "attn-mark");
  const say = questionButton(
    "attn-option",
    "That is my guess",
    () => answer({ guess: chosen(), done: true }),
  );
  const bar = questionPart("div", "attn-guess"), ends = questionPart("div", "attn-ends");
  let moved = false;
  const scale = log ? "equal steps are equal factors (a logarithmic scale)" : "";
  if (log) slider.setAttribute("aria-description", scale);
  for (const end of [written(low) + unit, scale, written(high) + unit]) {
    ends.append(questionPart("span", "", end));
  }
  track.append(slider, mark, ends);
  bar.append(track, shown, say);
  answers.before(bar);
  slider.addEventListener("input", () => {
    moved = true;
    write();
  });
  slider.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !say.hidden) say.click();
  });
  mark.style.setProperty("--at", String(placeOf(truth)));

  /** @param {number} number */
  function placeOf(number) {
    return log ? Math.log(number / low) / Math.log(high / low) : (number - low) / (high - low);
  }

  function chosen() {
    const at = Number(slider.value);
    return log ? Number((low * (high / low) ** (at / most)).toPrecision(2)) : at;
  }

  /** @param {number} number */
  function written(number) {
    const digits = log ? Math.max(0, 1 - Math.floor(Math.log10(number) + 1e-12)) : Number(data.decimals);
    const rounded = log ? Number(number.toPrecision(2)) : number;
    return rounded.toLocaleString("en-US", {
      minimumFractionDigits: log ? 0 : digits,
      maximumFractionDigits: digits,
    }).replace("-", "\u2212");
  }

  function write() {
    const empty = slider.disabled ? "" : "Move the bar";
    shown.textContent = moved ? written(chosen()) + unit : empty;
    say.disabled = !moved;
    slider.setAttribute("aria-valuetext", written(chosen()) + unit);
  }

  /**
   * @param {number} guess
   * @returns {Line}
   */
  function judged(guess) {
    const you = `You guessed ${written(guess)}${unit}`;
    if (written(guess) === written(truth)) return { first: `Exactly. ${you}.` };
    const lower = guess < truth, too = lower ? "too low" : "too high";
    const off = log ? Math.max(guess / truth, truth / guess) : Math.abs(guess - truth);
    // What lies between two shares is no share: 50 % is 47 points more than 3 %.
    const points = written(off) === "1" ? " point" : " points";
    const far = log
      ? `${too} by a factor of ${written(off)}`
      : `${written(off)}${unit === " %" ? points : unit} ${too}`;
    if (off <= close * (1 + 1e-9)) return { first: `Close. ${you}, ${far}.` };
    return { first: `${you}, ${far}.`, sentence: lower ? whenLower : whenHigher };
  }

  return {
    fits({ guess, done }) {
      if (guess === undefined || guess < low || guess > high) return { tried: [], done };
      return { tried: [], guess, done: true };
    },

    draw({ guess, done }) {
      const at = guess === undefined ? 0.5 : placeOf(guess);
      if (done || guess !== undefined) slider.value = String(least + at * (most - least));
      if (slider.disabled || done) moved = guess !== undefined;
      slider.disabled = say.hidden = done;
      mark.hidden = !done;
      write();
      const lines = guess === undefined ? [] : [judged(guess)];
      if (done) lines.push({ first: `The answer: ${data.measured}.`, sentence: measured });
      return lines;
    },
  };
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
  const cover = questionPart("div", "attn-cover"), inside = questionPart("div", "attn-covered");
  inside.tabIndex = -1;
  covered[0].before(cover);
  inside.append(...covered);
  cover.append(
    questionButton("attn-shortcut", SKIP, () => {
      open();
      inside.focus({ preventScroll: true });
    }),
    inside,
  );
  return cover;
}

// Small parts

/**
 * @param {string} tag
 * @param {string} name
 * @param {string} [text]
 */
function questionPart(tag, name, text = "") {
  const element = document.createElement(tag);
  element.className = name;
  element.textContent = text;
  return element;
}

/**
 * @param {string} name
 * @param {string} text
 * @param {() => void} act
 */
function questionButton(name, text, act) {
  const button = /** @type {HTMLButtonElement} */ (questionPart("button", name, text));
  button.type = "button";
  button.addEventListener("click", act);
  return button;
}

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
    const line = questionPart("p", "attn-answer"), said = sentence?.querySelector("span");
    line.append(questionPart("strong", "", first));
    if (said) line.append(" ", said.cloneNode(true));
    return line;
  });
  const same = wanted.findIndex((line, i) => !answers.children[i]?.isEqualNode(line));
  const from = same < 0 ? wanted.length : same;
  for (const old of [...answers.children].slice(from)) old.remove();
  answers.append(...wanted.slice(from));
}

/**
 * Read what was kept; what is damaged counts as nothing.
 * @param {string | null} kept
 * @returns {Ticks}
 */
function readTicks(kept) {
  try {
    const { tried, read, guess, done } = JSON.parse(kept || "{}");
    const texts = (/** @type {unknown} */ list) =>
      Array.isArray(list) ? list.filter((text) => typeof text === "string") : [];
    return {
      tried: texts(tried),
      read: read && texts(read),
      guess: Number.isFinite(guess) ? guess : undefined,
      done: done === true,
    };
  } catch {
    return { tried: [], done: false };
  }
}

for (const root of document.querySelectorAll(".attn-predict:not(.attn-on)")) {
  const page = location.pathname.split("/").pop() || "index";
  askFirst(/** @type {HTMLElement} */ (root), page.replace(/\.html$/, ""));
}
