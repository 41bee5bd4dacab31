// @ts-check
// The course's GPT at work in the page: it reads what the reader types, shows what it expects next
// and what every head looks at, writes on, and can be broken part by part. This script and the
// model (model.js, which the build writes) are loaded when the reader asks: writing.js.

import { button, change, make, mount, quoted, toggle } from "../../../drawing/kit.js";
import { drawn, token_probabilities } from "./gpt.js";
import { LiveModel, PARTS } from "./writing_state.js";
import { headMaps, nextCharacters, openedHead } from "./writing_views.js";
import { samplingSliders, titleOf } from "./writing_views.js";
import { drawable, expected, usedOf, wrongWith } from "./writing_words.js";

/** @typedef {import("./writing_state.js").PackedModel} PackedModel */
/** @typedef {import("./writing_views.js").Color} Color */

/**
 * What phones put in the place of plain signs.
 * @type {Record<string, string>}
 */
const PLAIN_SIGNS = { "“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "…": "...", "\u00a0": " " };

// In milliseconds: between two characters, and without a rest.
const PAUSE = 40, BUSY = 12;
const WRITTEN = 60, WRITE = `Write ${WRITTEN} characters`;
const LEGEND = "Rows are the characters that ask, from the first at the top; columns are those that " +
  "they look at, counted from 0. The more color, the more weight. Below each map: where most of it " +
  "goes on this text, and how much (“5 before”: the five characters before); or “spread”, where it " +
  "goes nowhere in particular, and how many characters are in play.";

class WritingPage {
  /**
   * @param {HTMLElement} stage @param {string} start the text at first
   * @param {(sentence: string) => void} say @param {HTMLElement} said
   */
  constructor(stage, start, say, said) {
    const page = /** @type {{courseModel: PackedModel}} */ (/** @type {unknown} */ (window));
    this.model = new LiveModel(page.courseModel, start);
    this.stage = stage;
    this.start = start;
    this.say = say;
    this.said = said;
    /** @type {string | null} what stood there before the model wrote: see `remember` */
    this.unwritten = null;
    /** @type {number | null} the timer of the next character while the model writes */
    this.writing = null;
    /** @type {number | undefined} the timer of what is said when the keys rest */
    this.waiting = undefined;
    this.area = this.textArea();
    this.next = nextCharacters(this.model, (character) => this.putBehind(character));
    this.sliders = samplingSliders(this.model.config.n_vocab, () => this.changeSettings());
    this.write = button(WRITE, () => this.writing === null ? this.goOn(WRITTEN) : this.quiet(true));
    this.writeOne = button("Write one", () => {
      this.quiet();
      this.goOn(1);
    });
    this.takeBack = button("Take back", () => this.unwrite());
    this.switches = PARTS.map(([part, name]) =>
      toggle(name, (on) => {
        this.model.parts[part] = on;
        this.switched();
      })
    );
    this.maps = headMaps(this.model, () => this.sayOpened());
    this.opened = openedHead(this.model, (on) => {
      const n = this.model.numberOf();
      if (on) this.model.off.delete(n);
      else this.model.off.add(n);
      this.switched();
    });
  }

  textArea() {
    const halt = () => this.halt();
    return make("textarea", {
      class: "attn-field text",
      rows: 3,
      spellcheck: "false",
      autocomplete: "off",
      autocapitalize: "off",
      "aria-label": "Your text",
      input: () => this.typed(),
      // Who comes to the text takes it over.
      focus: halt,
      pointerdown: halt,
      keydown: halt,
      beforeinput: halt,
    });
  }

  /** Put everything on the stage. */
  fill() {
    const row = (/** @type {any[]} */ ...inside) => make("div", { class: "attn-row" }, ...inside);
    const group = (/** @type {string} */ name, /** @type {any[]} */ ...inside) =>
      make("fieldset", { class: "attn-row" }, make("legend", {}, name), ...inside);
    const writes = make(
      "div",
      { class: "writes" },
      make("p", { class: "heading", "aria-hidden": "true" }, "Your text"),
      this.area,
      row(this.write, this.writeOne, this.takeBack),
    );
    const all = make(
      "div",
      { class: "all" },
      make("div", { class: "attn-scroll" }, this.maps.element),
      make("p", { class: "legend" }, LEGEND),
    );
    this.stage.append(
      make("div", { class: "attn-row top" }, writes, this.next.element),
      this.said,
      group("How it writes", ...this.sliders.elements),
      group("Parts of the model", ...this.switches.map(({ element }) => element)),
      row(
        button("Back to the trained model", () => {
          this.model.mend();
          this.switched();
        }),
        button("Back to the text’s sentence", () => this.startAnew()),
      ),
      make("div", { class: "attn-row heads" }, all, this.opened.element),
    );
  }

  // --- what is shown -----------------------------------------------------------------------------

  show() {
    this.next.show(this.sliders.values(), this.sliders.differ());
    this.maps.show(this.color());
    this.opened.show(this.color());
    this.switches.forEach(({ input }, i) => input.checked = this.model.parts[PARTS[i][0]]);
  }

  /** The color of weights in the page's theme. @returns {Color} */
  color() {
    const hex = getComputedStyle(this.stage).getPropertyValue("--weight").trim();
    const part = (/** @type {number} */ i) => parseInt(hex.slice(i, i + 2), 16) || 0;
    return [part(1), part(3), part(5)];
  }

  showText() {
    if (this.area.value !== this.model.text) this.area.value = this.model.text;
    this.area.scrollTop = this.area.scrollHeight;
  }

  sayOpened() {
    clearTimeout(this.waiting); // what was typed before is not said after it
    this.opened.show(this.color());
    const [layer, head] = this.model.opened;
    this.say(`${titleOf(this.model)}. ${this.model.habitOf(layer, head).long}`);
  }

  /** Show and say what a switch has changed. */
  switched() {
    this.quiet();
    this.model.read(this.model.text, true);
    this.show();
    const isWhole = !this.model.missing().length;
    const sentence = (isWhole ? "This is the trained model again. " : "") + expected(this.model);
    this.opened.effect.textContent = sentence;
    this.say(sentence);
  }

  changeSettings() {
    this.next.show(this.sliders.values(), this.sliders.differ());
    if (this.writing === null) this.later(() => drawable(this.model, this.sliders.values()));
  }

  /** Say something when the keys rest. @param {() => string} sentence */
  later(sentence) {
    clearTimeout(this.waiting);
    this.waiting = window.setTimeout(() => this.say(sentence()), 500);
  }

  // --- the text ----------------------------------------------------------------------------------

  /** Take a text that has no problem. @param {string} text */
  read(text) {
    this.model.read(text);
    this.showText();
    this.mark(false);
    this.show();
  }

  typed() {
    const { area } = this, { value } = area;
    const given = Array.from(/** @type {string} */ (value), (c) => PLAIN_SIGNS[c] ?? c).join("");
    const at = area.selectionEnd + given.length - value.length;
    this.quiet();
    if (area.value !== value) area.value = value;
    this.remember(null);
    const wrong = wrongWith(this.model, given);
    if (wrong) {
      this.mark(true);
      this.later(() => wrong);
      return;
    }
    if (given !== area.value) {
      area.value = given;
      area.setSelectionRange(at, at);
    }
    const top = area.scrollTop;
    this.read(given);
    area.scrollTop = top;
    this.later(() => expected(this.model));
  }

  /** Mark the text as one that the model can read or not. @param {boolean} wrong */
  mark(wrong) {
    change(this.area, { "aria-invalid": wrong && "true" });
    for (const one of [this.write, this.writeOne, ...this.next.buttons]) {
      change(one, { "aria-disabled": wrong && "true" });
    }
  }

  /** Say what is wrong with the text, if anything is, before something is put behind it. */
  refused() {
    if (!this.area.getAttribute("aria-invalid")) return false;
    this.say(wrongWith(this.model, this.area.value));
    return true;
  }

  /** @param {string} character */
  putBehind(character) {
    this.quiet();
    if (this.refused()) return;
    this.remember(null);
    this.read(this.model.text + character);
    this.say(`Put behind the text: ${quoted(character)}. ${expected(this.model)}`);
  }

  startAnew() {
    this.quiet();
    this.remember(null);
    this.sliders.reset();
    this.read(this.start);
    this.say(expected(this.model));
  }

  // --- writing -----------------------------------------------------------------------------------

  /** Let the model write, and the page answer in between. @param {number} n */
  goOn(n) {
    if (this.refused()) return;
    // Also for the keyboard of a phone, which would hide what is written.
    this.area.blur();
    this.remember(this.model.text);
    this.write.textContent = "Stop";
    // Nobody wants to hear every number.
    change(this.said, { "aria-busy": "true" });
    const work = this.characterByCharacter(n);
    const go = () => {
      const began = performance.now();
      let part = work.next();
      while (!part.done && !part.value && performance.now() - began < BUSY) part = work.next();
      if (part.done) this.quiet(true);
      else this.writing = window.setTimeout(go, part.value);
    };
    this.writing = window.setTimeout(go, 0);
  }

  /**
   * Write so many characters, one after the other.
   * @param {number} n
   * @returns {Generator<number | undefined, void>} the milliseconds to wait at least
   */
  *characterByCharacter(n) {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches, { model } = this;
    for (let count = 1; count <= n; count++) {
      const { logits } = model.now;
      const probs = token_probabilities(logits[logits.length - 1], this.sliders.values());
      yield* model.reading(model.text + model.characters[drawn(probs, Math.random())]);
      if (n > 1) this.say(`Writing: ${count} of ${n}.`);
      if (still || count === n) continue;
      yield;
      this.showText();
      this.show();
      yield PAUSE;
    }
  }

  halt() {
    if (this.writing !== null) this.quiet(true);
  }

  /** End the writing. @param {boolean} [aloud] whether to say what was written */
  quiet(aloud = false) {
    clearTimeout(this.waiting);
    if (this.writing === null) return;
    clearTimeout(this.writing);
    this.writing = null;
    this.write.textContent = WRITE;
    change(this.said, { "aria-busy": null });
    this.showText();
    this.show();
    if (!aloud) return;
    const text = this.model.text.slice((this.unwritten ?? "").length);
    const count = text.length === 1 ? "a character" : `${text.length} characters`;
    this.say(`The model has written ${count}: “${text}”.${usedOf(this.model)}`);
  }

  unwrite() {
    this.quiet();
    if (this.unwritten === null) {
      this.say("There is nothing to take back: the model has not written since the text was changed.");
      return;
    }
    const before = this.unwritten;
    this.remember(null);
    this.read(before);
    this.say(`What the model wrote is taken back. ${expected(this.model)}`);
  }

  /** Keep what can be taken back, or nothing. @param {string | null} before */
  remember(before) {
    this.unwritten = before;
    change(this.takeBack, { "aria-disabled": before === null && "true" });
  }
}

mount("writing_model", (stage, { text }, say, said) => {
  const page = new WritingPage(stage, text, say, said);
  page.fill();
  page.remember(null);
  page.showText();
  page.model.openEasiest();
  page.show();
  say(expected(page.model));
  // The colors are known only once this stands in the page.
  queueMicrotask(() => page.show());
  // Colors change with the page's theme, and what is drawn in pixels must be drawn again.
  new MutationObserver(() => page.show())
    .observe(document.documentElement, { attributeFilter: ["data-theme"] });
});
