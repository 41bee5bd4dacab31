// @ts-check
// What counts as an answer to a question (questions.js), and what is said to it.

/**
 * @typedef {{tried: string[], read?: string[], guess?: number, done: boolean}} Ticks What the
 *   reader did: which options were tried, and which read once the answer was out, or which number
 *   was guessed; and whether the answer is out.
 * @typedef {{first: string, sentence?: Element}} Line What is said below a question.
 * @typedef {{text: string, right: boolean, sentence?: Element}} Option
 */

const TRIES = 2;

/**
 * Read what was kept; what is damaged counts as nothing.
 * @param {string | null} kept
 * @returns {Ticks}
 */
export function readTicks(kept) {
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

// A choice

/** @param {Option[]} options */
const rightOf = (options) => /** @type {Option} */ (options.find(({ right }) => right));

/**
 * Take of what was kept what fits the options.
 * @param {Option[]} options @param {Ticks} ticks
 * @returns {Ticks}
 */
export function fittingChoice(options, ticks) {
  const known = (/** @type {string} */ text) => options.some((option) => option.text === text);
  const tried = ticks.tried.filter(known), read = ticks.read?.filter(known);
  const out = tried.length >= TRIES || tried.includes(rightOf(options).text);
  return { tried, read, done: ticks.done || out };
}

/**
 * What changes when an option is chosen, or nothing.
 * @param {Option} option @param {Ticks} ticks
 * @returns {Partial<Ticks> | null}
 */
export function chosenNow({ text, right }, { tried, read = [], done }) {
  if (tried.includes(text) || read.includes(text) || (done && right)) return null;
  if (done) return { read: [...read, text] };
  return { tried: [...tried, text], done: right || tried.length + 1 === TRIES };
}

/**
 * What is said to a choice.
 * @param {Option[]} options @param {Ticks} ticks
 * @returns {Line[]}
 */
export function saidToChoice(options, { tried, read = [], done }) {
  const right = rightOf(options);
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
}

// A number

/** A number that is asked for, between two others: its unit, how it is written, what is close. */
export class AskedNumber {
  /** @param {DOMStringMap} data of the question in the page */
  constructor(data) {
    this.low = Number(data.low);
    this.high = Number(data.high);
    this.truth = Number(data.answer);
    this.close = Number(data.close);
    this.decimals = Number(data.decimals);
    this.unit = data.unit || "";
    /** Where factors count, the bar has two hundred places. */
    this.log = data.log === "1";
    this.bar = this.log
      ? { min: 0, max: 200, step: 1 }
      : { min: this.low, max: this.high, step: Number(data.step) };
  }

  /** The share of the bar below a number. @param {number} number */
  shareAt(number) {
    const { low, high } = this;
    return this.log ? Math.log(number / low) / Math.log(high / low) : (number - low) / (high - low);
  }

  /** The number at a place of the bar. @param {number} place */
  numberAt(place) {
    const { low, high, bar } = this;
    return this.log ? Number((low * (high / low) ** (place / bar.max)).toPrecision(2)) : place;
  }

  /** The place of the bar for a number; without one, the middle. @param {number} [number] */
  placeOf(number) {
    const share = number === undefined ? 0.5 : this.shareAt(number);
    return this.bar.min + share * (this.bar.max - this.bar.min);
  }

  /** @param {number} number */
  written(number) {
    const tens = Math.floor(Math.log10(number) + 1e-12);
    const digits = this.log ? Math.max(0, 1 - tens) : this.decimals;
    const rounded = this.log ? Number(number.toPrecision(2)) : number;
    return rounded.toLocaleString("en-US", {
      minimumFractionDigits: this.log ? 0 : digits,
      maximumFractionDigits: digits,
    }).replace("-", "\u2212");
  }

  /** @param {Ticks} ticks @returns {Ticks} */
  fitting({ guess, done }) {
    if (guess === undefined || guess < this.low || guess > this.high) return { tried: [], done };
    return { tried: [], guess, done: true };
  }

  /**
   * What is said to a guess; it may name what the reader may have thought.
   * @param {number} guess
   * @returns {{first: string, why?: "lower" | "higher"}}
   */
  judged(guess) {
    const { truth, unit, log } = this;
    const you = `You guessed ${this.written(guess)}${unit}`;
    if (this.written(guess) === this.written(truth)) return { first: `Exactly. ${you}.` };
    const isLower = guess < truth, too = isLower ? "too low" : "too high";
    const off = log ? Math.max(guess / truth, truth / guess) : Math.abs(guess - truth);
    // What lies between two shares is no share: 50 % is 47 points more than 3 %.
    const points = this.written(off) === "1" ? " point" : " points";
    const far = log
      ? `${too} by a factor of ${this.written(off)}`
      : `${this.written(off)}${unit.trim() === "%" ? points : unit} ${too}`;
    if (off <= this.close * (1 + 1e-9)) return { first: `Close. ${you}, ${far}.` };
    return { first: `${you}, ${far}.`, why: isLower ? "lower" : "higher" };
  }
}
