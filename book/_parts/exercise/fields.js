// @ts-check
// An answer that needs no code: boxes for letters, fields for numbers. Its text is the function that
// a notebook asks for, so that it is checked and kept as any other answer is.

import { make } from "../../../course_attn/drawing/kit.js";

/**
 * @typedef {object} Asked
 * @property {string} name the exercise
 * @property {string} letters those that may be chosen, or none
 * @property {string[]} fields what the numbers are called, or none
 *
 * @typedef {object} Form
 * @property {() => string} text
 * @property {(text: string) => void} setText
 * @property {() => void} focus
 * @property {() => string} trouble what keeps the answer from being checked; "" if nothing does
 */

/**
 * The function that returns the chosen letters.
 *
 * @param {string} name @param {string[]} letters
 */
export function withLetters(name, letters) {
  const chosen = letters.map((letter) => `"${letter}"`).join(", ");
  return `def ${name}():\n    return ${chosen ? `{${chosen}}` : "set()"}`;
}

/**
 * The letters that such a function returns.
 *
 * @param {string} text
 */
export function lettersIn(text) {
  return [...(lastReturn(text, "{", "}") ?? "").matchAll(/"(\w)"/g)].map(([, letter]) => letter);
}

/**
 * The function that returns the numbers of some fields, as they were written.
 *
 * @param {string} name @param {string[]} written
 */
export function withNumbers(name, written) {
  return `def ${name}():\n    return (${written.map((one) => one.trim()).join(", ")})`;
}

/**
 * What was written into so many fields for such a function.
 *
 * @param {string} text @param {number} count
 */
export function numbersIn(text, count) {
  const inside = lastReturn(text, "(", ")");
  const parts = count === 1 ? [inside ?? ""] : inside?.split(",") ?? [];
  return Array.from({ length: count }, (_, i) => parts[i]?.trim() ?? "");
}

/**
 * What stands between the brackets of a function's only line.
 *
 * @param {string} text @param {string} opens @param {string} closes
 */
function lastReturn(text, opens, closes) {
  const [, line] = text.match(/^def \w+\(\):\n {4}return (.*)$/) ?? [];
  return line?.startsWith(opens) && line.endsWith(closes) ? line.slice(1, -1) : undefined;
}

const STEPS = /^(?:\d+\.?\d*(?:e[+-]?\d+)?|\.\d+|np\.(?:log2?|exp|sqrt)|[-+*/() ])+$/;

/**
 * What is wrong with what stands in a field; "" if nothing is.
 *
 * @param {string} field what it is called
 * @param {string} written
 */
export function troubleWith(field, written) {
  const text = written.trim();
  if (!text) return `Fill in the field “${field}”.`;
  if (field === "shape") {
    return /^\d+( *, *\d+)*,?$/.test(text) ? "" : "A shape is whole numbers with commas between them: 4, 5.";
  }
  if (STEPS.test(text)) return "";
  const decimal = /^-?\d+,\d+$/.test(text) ? `: ${text.replace(",", ".")}` : " and no comma";
  return text.includes(",")
    ? `Write the number in “${field}” with a point${decimal}.`
    : `“${text}” is not a number: “${field}” takes one such as 2.5, or steps such as 1/3 or np.log(2).`;
}

/**
 * In words, how many boxes are ticked wrongly.
 *
 * @param {string[]} chosen @param {string[]} right
 */
export function amiss(chosen, right) {
  const tooMany = chosen.filter((letter) => !right.includes(letter)).length;
  const missing = right.filter((letter) => !chosen.includes(letter)).length;
  const words = ["Two", "Three", "Four", "Five", "Six", "Seven", "Eight"];
  const boxes = (/** @type {number} */ n) => n === 1 ? "One box" : `${words[n - 2] ?? n} boxes`;
  const said = [
    tooMany && `${boxes(tooMany)} too many ${tooMany === 1 ? "is" : "are"} ticked.`,
    missing && `${boxes(missing)} that should be ticked ${missing === 1 ? "is" : "are"} not.`,
  ];
  return said.filter(Boolean).join(" ");
}

/**
 * Put boxes or fields at the end of an element.
 *
 * @param {HTMLElement} place
 * @param {Asked} asked
 * @param {{text: string, onChange: (text: string) => void, onRun: () => void}} options `text` is what
 *   they hold first
 * @returns {Form}
 */
export function openForm(place, { name, letters, fields }, options) {
  const inputs = (letters ? [...letters] : fields).map((
    label,
  ) => /** @type {HTMLInputElement} */ (make(
    "input",
    letters ? { type: "checkbox", value: label } : { type: "text", autocomplete: "off", spellcheck: "false" },
  )));
  const chosen = () => inputs.filter((input) => input.checked).map((input) => input.value);
  const text = () =>
    letters ? withLetters(name, chosen()) : withNumbers(name, inputs.map((input) => input.value));
  const rows = inputs.map((input, i) => make("label", {}, input, ...(letters ? [letters[i]] : [fields[i]])));
  const form = make(
    "fieldset",
    { class: letters ? "attn-letters" : "attn-numbers", input: () => options.onChange(text()) },
    make("legend", {}, letters ? "Tick what you choose:" : "Your answer:"),
    ...rows,
  );
  form.addEventListener("keydown", (event) => {
    event.stopPropagation(); // the page has keys of its own
    if (event.key === "Enter") options.onRun();
  });
  const setText = (/** @type {string} */ given) => {
    const ticked = lettersIn(given), written = numbersIn(given, inputs.length);
    inputs.forEach((input, i) => {
      if (letters) input.checked = ticked.includes(input.value);
      else input.value = written[i];
    });
  };
  setText(options.text);
  place.append(form);
  return {
    text,
    setText,
    focus: () => inputs[0].focus(),
    trouble() {
      if (letters) return chosen().length ? "" : "No box is ticked.";
      return inputs.map((input, i) => troubleWith(fields[i], input.value)).find(Boolean) ?? "";
    },
  };
}
