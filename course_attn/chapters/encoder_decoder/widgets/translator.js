// @ts-check
// The course's model that reads dates at work in the page: it writes what the reader types in ISO
// form, character by character, shows what each one has read of the source, and can be broken part
// by part. This script and the model are loaded when the reader asks: book/_parts/writing/.

import { button, cells, change, make, mount, row, scrolling, toggle } from "../../../drawing/kit.js";
import { became, LiveTranslator, looked, PARTS, wrongWith } from "./translator_state.js";

/** @typedef {import("./translator_state.js").PackedTranslator} PackedTranslator */

// In milliseconds: between two characters, and after the last key.
const PAUSE = 250, REST = 500;
const WRITE = "Write it";

class TranslatorPage {
  /**
   * @param {HTMLElement} stage @param {{text: string, opened: number}} start where it begins
   * @param {(sentence: string) => void} say @param {HTMLElement} said
   */
  constructor(stage, start, say, said) {
    const page = /** @type {{datesModel: PackedTranslator}} */ (/** @type {unknown} */ (window));
    this.model = new LiveTranslator(page.datesModel, start.text);
    this.stage = stage;
    this.start = start;
    this.say = say;
    this.said = said;
    /** The place of the answer whose weights are shown. */
    this.opened = start.opened;
    /** @type {number | null} the timer of the next character while the model writes */
    this.writing = null;
    /** @type {number | undefined} the timer of what happens when the keys rest */
    this.waiting = undefined;
    this.field = make("input", {
      type: "text",
      class: "attn-field text",
      "aria-label": "Your date",
      spellcheck: "false",
      autocomplete: "off",
      autocapitalize: "off",
      input: () => this.typed(),
    });
    const { n_source_context, n_target_context } = this.model.config;
    this.source = Array.from(
      { length: n_source_context },
      (_, j) => make("span", { "data-place": j % 5 ? null : j }),
    );
    this.strip = make("div", { class: "source attn-weight", role: "img" }, ...this.source);
    this.answer = cells({
      name: "Answer",
      role: "output",
      rows: ["character"],
      columns: Array.from({ length: n_target_context }, (_, i) => String(i)),
      act: (_, i) => this.open(i),
    });
    this.write = button(WRITE, () => this.writing === null ? this.play() : this.quiet(true));
    this.writeOne = button("Write one character", () => this.step());
    this.switches = PARTS.map(([part, name]) =>
      toggle(name, (on) => {
        this.model.parts[part] = on;
        this.switched();
      })
    );
    this.heads = Array.from({ length: this.model.n_heads }, (_, n) =>
      toggle(this.model.nameOf(n), (on) => {
        if (on) this.model.off.delete(n);
        else this.model.off.add(n);
        this.switched();
      }));
  }

  /** Put everything on the stage. */
  fill() {
    const group = (/** @type {string} */ name, /** @type {ReturnType<typeof toggle>[]} */ all) =>
      make(
        "fieldset",
        { class: "attn-row" },
        make("legend", {}, name),
        ...all.map(({ element }) => element),
      );
    const padding = this.model.characters[0];
    this.answer.element.addEventListener("focusin", (event) => this.pointed(event.target));
    // A move, since squares that change come under a mouse that rests.
    this.answer.element.addEventListener("pointermove", (event) => {
      const isBusy = this.writing !== null || this.waiting !== undefined;
      if (event.pointerType === "mouse" && !isBusy) this.pointed(event.target);
    });
    this.stage.append(
      make(
        "label",
        { class: "asks" },
        make("span", { "aria-hidden": "true" }, "Your date"),
        this.field,
      ),
      row(this.write, this.writeOne),
      scrolling(this.answer.element),
      make(
        "div",
        { "aria-hidden": "true" },
        make("p", { class: "heading" }, "What it has read of the source"),
        make("p", {}, `More color is more weight, the mean of the heads; “${padding}” is padding.`),
      ),
      this.strip,
      this.said,
      row(group("Parts of the model", this.switches), group("Heads of cross-attention", this.heads)),
      row(
        button("Back to the trained model", () => {
          this.model.mend();
          this.switched();
        }),
        button("Back to the text’s date", () => this.startAnew()),
      ),
    );
  }

  // --- what is shown -----------------------------------------------------------------------------

  show() {
    const { model, opened } = this, { text, answer, characters } = model;
    this.source.forEach((span, j) => {
      const isReal = j < text.length, weight = answer[opened]?.weights[j] ?? 0;
      span.textContent = isReal ? (text[j] === " " ? "␣" : text[j]) : characters[0];
      span.classList.toggle("padding", !isReal);
      // The square root, or else small weights would not be seen.
      span.style.setProperty("--share", `${Math.round(70 * Math.sqrt(weight))}%`);
    });
    change(this.strip, {
      "aria-label": `The source, “${text}”, and ${model.n_padding} places of padding; the more color, ` +
        "the more of it has been read",
    });
    for (let i = 0; i < model.config.n_target_context; i++) {
      const cell = this.answer.at(0, i), { character } = answer[i] ?? { character: "·" };
      cell.textContent = character;
      change(cell, {
        "aria-pressed": String(i === opened),
        "aria-label": looked(model, i).replace(/\.$/, ""),
      });
    }
    this.switches.forEach(({ input }, k) => input.checked = model.parts[PARTS[k][0]]);
    this.heads.forEach(({ input }, n) => input.checked = !model.off.has(n));
    change(this.writeOne, { "aria-disabled": (model.isDone || this.isWrong) && "true" });
    change(this.write, { "aria-disabled": this.isWrong && "true" });
  }

  get isWrong() {
    return this.field.hasAttribute("aria-invalid");
  }

  /** Show and say what a place of the answer has read. @param {number} i */
  open(i) {
    this.quiet();
    this.opened = i;
    this.show();
    this.say(looked(this.model, i));
  }

  /** Open the place of a square, if another is open. @param {EventTarget | null} target */
  pointed(target) {
    const n = this.model.config.n_target_context;
    const i = Array.from({ length: n }, (_, i) => this.answer.at(0, i)).findIndex((cell) => cell === target);
    if (i >= 0 && i !== this.opened) this.open(i);
  }

  /** Write the answer anew after a switch, and say what has changed. */
  switched() {
    this.quiet();
    this.model.begin();
    this.model.writeAll();
    this.show();
    const isWhole = !this.model.missing().length;
    this.say((isWhole ? "This is the trained model again. " : "") + became(this.model));
  }

  // --- the text ----------------------------------------------------------------------------------

  typed() {
    this.quiet();
    const wrong = wrongWith(this.model, this.field.value);
    change(this.field, { "aria-invalid": Boolean(wrong) && "true" });
    if (!wrong) this.begin(this.field.value);
    this.show();
    this.waiting = window.setTimeout(() => {
      this.waiting = undefined;
      if (wrong) this.say(wrong);
      else this.play();
    }, REST);
  }

  /** Read a text; nothing of its answer is written. @param {string} text */
  begin(text) {
    this.model.begin(text);
    this.opened = 0;
  }

  /** Say what is wrong with the text, if anything is, before something is written. */
  refused() {
    if (this.isWrong) this.say(wrongWith(this.model, this.field.value));
    return this.isWrong;
  }

  startAnew() {
    this.quiet();
    this.model.mend();
    this.field.value = this.start.text;
    change(this.field, { "aria-invalid": null });
    this.begin(this.start.text);
    this.model.writeAll();
    this.opened = this.start.opened;
    this.show();
    this.say(looked(this.model, this.opened));
  }

  // --- writing -----------------------------------------------------------------------------------

  /** Write one character. */
  one() {
    this.model.writeOne();
    this.opened = this.model.answer.length - 1;
    this.show();
  }

  step() {
    this.quiet();
    if (this.refused()) return;
    if (this.model.isDone) {
      this.say("The answer is written: there is no other character.");
      return;
    }
    this.one();
    this.say(looked(this.model, this.opened));
  }

  /** Write what is missing of the answer, or all of it again; one at a time, if things may move. */
  play() {
    if (this.refused()) return;
    if (this.model.isDone) this.begin(this.model.text);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.model.writeAll();
      this.opened = this.model.answer.length - 1;
      this.show();
      this.say(became(this.model));
      return;
    }
    this.write.textContent = "Stop";
    // Nobody wants to hear every character.
    change(this.said, { "aria-busy": "true" });
    const go = () => {
      this.one();
      this.say(`Writing: ${this.model.answer.length} of at most ${this.model.config.n_target_context}.`);
      if (this.model.isDone) this.quiet(true);
      else this.writing = window.setTimeout(go, PAUSE);
    };
    this.writing = window.setTimeout(go, 0);
  }

  /** End the writing. @param {boolean} [aloud] whether to say what was written */
  quiet(aloud = false) {
    clearTimeout(this.waiting);
    this.waiting = undefined;
    if (this.writing === null) return;
    clearTimeout(this.writing);
    this.writing = null;
    this.write.textContent = WRITE;
    change(this.said, { "aria-busy": null });
    if (aloud) this.say(this.model.isDone ? became(this.model) : looked(this.model, this.opened));
  }
}

mount("translator", (stage, data, say, said) => {
  const page = new TranslatorPage(stage, data, say, said);
  page.fill();
  page.startAnew();
});
