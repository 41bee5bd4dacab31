// @ts-check
// Sentences of the exercises, with their marks as elements.

import { make } from "../../../course_attn/drawing/kit.js";

const MARKED = /(`[^`]+`|\$[^$]+\$|\*[^\s*][^*]*\*)/;

/**
 * The parts of a sentence with `code`, $formulas$ and *emphasis*.
 *
 * @param {string} sentence
 * @returns {["code" | "math" | "em" | "", string][]}
 */
export function partsOf(sentence) {
  return sentence.split(MARKED).filter(Boolean).map((part) => {
    const kind = MARKED.test(part) ? part[0] : "";
    if (kind === "`") return ["code", part.slice(1, -1)];
    if (kind === "$") return ["math", part.slice(1, -1)];
    return kind ? ["em", part.slice(1, -1)] : ["", part];
  });
}

/**
 * That sentence as nodes; all else in it stays text.
 *
 * @param {string} sentence
 * @returns {(Node | string)[]}
 */
export function withMarks(sentence) {
  return partsOf(sentence).map(([kind, text]) => {
    if (kind === "math") return make("span", { class: "math" }, `\\(${text}\\)`);
    return kind ? make(kind, {}, text) : text;
  });
}
