// @ts-check
// That the model gives what course_attn.in_numpy gives:
// tests/chapters/encoder_decoder/test_encoder_decoder_in_javascript.py.
import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, encode } from "./encoder_decoder.js";
import { became, LiveTranslator, looked, wrongWith } from "./translator_state.js";

/** @typedef {import("./translator_state.js").PackedTranslator} PackedTranslator */

const [D_MODEL, D_FF, N_SOURCE, N_TARGET] = [4, 6, 7, 5], SOURCE = "_ 1abA", TARGET = "<>12-";

/** A model of two blocks with two heads in each stack, as the book packs it. @returns {PackedTranslator} */
function smallModel() {
  /** @type {[string, number[]][]} */
  const arrays = [
    ["source_embedding", [SOURCE.length, D_MODEL]],
    ["target_embedding", [TARGET.length, D_MODEL]],
    ["source_positions.P", [N_SOURCE, D_MODEL]],
    ["target_positions.P", [N_TARGET, D_MODEL]],
  ];
  const gains = (/** @type {string} */ name) => {
    for (const part of ["gain", "bias"]) arrays.push([`${name}.${part}`, [D_MODEL]]);
  };
  for (const stack of ["encoder", "decoder"]) {
    const attentions = stack === "encoder" ? ["attention"] : ["self_attention", "cross_attention"];
    for (const block of [0, 1].map((layer) => `${stack}.blocks.${layer}`)) {
      for (const attention of attentions) {
        for (const x of "QKVO") arrays.push([`${block}.${attention}.W_${x}`, [D_MODEL, D_MODEL]]);
      }
      for (let norm = 1; norm <= attentions.length + 1; norm++) gains(`${block}.norm_${norm}`);
      arrays.push([`${block}.feed_forward.W_1`, [D_MODEL, D_FF]], [`${block}.feed_forward.b_1`, [D_FF]]);
      arrays.push([`${block}.feed_forward.W_2`, [D_FF, D_MODEL]], [`${block}.feed_forward.b_2`, [D_MODEL]]);
    }
    gains(`${stack}.final_norm`);
  }
  const count = arrays.reduce((sum, [, shape]) => sum + shape.reduce((product, n) => product * n), 0);
  // Numbers between -2 and 2 without a pattern that a model would show.
  const numbers = Float16Array.from({ length: count }, (_, i) => 2 * Math.sin(1 + i * i));
  return {
    config: { n_layers: 2, n_heads: 2, n_source_context: N_SOURCE, n_target_context: N_TARGET },
    characters: SOURCE,
    target_characters: TARGET,
    arrays,
    data: btoa(String.fromCharCode(...new Uint8Array(numbers.buffer))),
  };
}

/** A model that has read a text and written all. */
function read(text = "a 1", /** @type {(model: LiveTranslator) => void} */ broken = () => {}) {
  const model = new LiveTranslator(smallModel(), text);
  broken(model);
  model.begin();
  model.writeAll();
  return model;
}

const textOf = (/** @type {LiveTranslator} */ { answer }) =>
  answer.map(({ character }) => character).join("");

// Its state

test("each character is the likeliest one behind those before, up to the end or the context", () => {
  const { answer, params, isDone } = read(), options = { n_heads: 2 };
  const Z = encode([3, 1, 2], params, options), target = [0];
  answer.forEach(({ character, share, weights }, i) => {
    const { logits, weights: all } = decode(target, Z, params, options), row = logits[i];
    const token = row.indexOf(Math.max(...row));
    assert.equal(character, TARGET[token]);
    const exps = row.map((/** @type {number} */ x) => Math.exp(x));
    const total = exps.reduce((/** @type {number} */ sum, /** @type {number} */ x) => sum + x);
    assert.ok(Math.abs(share - exps[token] / total) < 1e-12);
    // Padding that is hidden changes nothing, and has no weight.
    const mean = all.flat().reduce((sum, rows) => sum + rows[i][1] / 4, 0);
    assert.ok(Math.abs(weights[1] - mean) < 1e-12);
    assert.deepEqual(weights.slice(3), [0, 0, 0, 0]);
    target.push(token);
  });
  assert.ok(isDone && (answer.length === N_TARGET || answer.at(-1)?.character === ">"));
});

test("one character at a time is the same answer, and no more than all", () => {
  const all = read(), model = new LiveTranslator(smallModel(), "a 1");
  assert.equal(model.answer.length, 0);
  for (let n = 0; n < N_TARGET && !model.isDone; n++) model.writeOne();
  assert.deepEqual(model.answer, all.answer);
  model.writeOne();
  assert.deepEqual(model.answer, all.answer);
});

test("what is off is left out and can be mended, and the whole answer stays known", () => {
  const whole = read();
  const model = read("a 1", (one) => {
    one.parts.mask = false;
    one.off.add(3).add(0);
  });
  assert.deepEqual(model.missing(), ["the mask", "head 1 of block 1", "head 2 of block 2"]);
  assert.notDeepEqual(model.answer, whole.answer);
  assert.deepEqual(model.whole(), whole.answer);
  const params = model.params, source = [3, 1, 2, 0, 0, 0, 0];
  /** @type {[number, number][]} */
  const off = [[0, 0], [1, 1]];
  const options = { n_heads: 2, off },
    { weights } = decode([0], encode(source, params, options), params, options);
  model.answer[0].weights.forEach((a, j) =>
    assert.ok(Math.abs(a - (weights[0][1][0][j] + weights[1][0][0][j]) / 2) < 1e-12)
  );
  model.begin("b A");
  assert.deepEqual(model.whole(), read("b A").answer);
  model.mend();
  model.begin("a 1");
  model.writeAll();
  assert.deepEqual([model.missing(), model.answer], [[], whole.answer]);
});

test("without cross-attention, or all of its heads, every source has the same answer", () => {
  const texts = ["a", "1 b", "Ab 1 ba"];
  /** How sure the model is of each character, for each text. @param {(model: LiveTranslator) => void} [broken] */
  const shares = (broken) =>
    texts.map((text) => read(text, broken).answer.map(({ character, share }) => character + share).join());
  const blind = [
    ...shares((model) => model.parts.cross = false),
    ...shares((model) => [0, 1, 2, 3].forEach((n) => model.off.add(n))),
  ];
  assert.equal(new Set(blind).size, 1);
  assert.equal(new Set(shares()).size, texts.length);
});

// What it says

test("the answer is said, also one that was cut", () => {
  const model = read(), answer = textOf(model).replace(">", "");
  const cut = textOf(model).endsWith(">")
    ? ""
    : ` It found no end, and was cut after ${N_TARGET} characters.`;
  assert.equal(became(model), `“a 1” becomes ${answer}.${cut}`);
  model.answer = [..."12>"].map((character) => ({ character, share: 1, weights: [] }));
  assert.equal(became(model), "“a 1” becomes 12.");
  model.answer = [..."12121"].map((character) => ({ character, share: 1, weights: [] }));
  assert.equal(became(model), "“a 1” becomes 12121. It found no end, and was cut after 5 characters.");
});

test("without a part, the answer is said beside that of the whole model", () => {
  const model = read("a 1", (one) => one.parts.mask = false);
  const written = (/** @type {string} */ text, /** @type {number[]} */ weights = []) =>
    [...text].map((character) => ({ character, share: 1, weights }));
  const weights = [0.5, 0, 0, 0.25, 0, 0.25, 0];
  model.intact = written("1-2>");
  model.answer = written("1-1>", weights);
  assert.equal(
    became(model),
    "Without the mask: “a 1” becomes 1-1; the whole model writes 1-2. 1 of 3 characters differ. " +
      "On average 0.50 of a character’s weight lies on padding.",
  );
  model.answer = written("1-2>", weights);
  assert.match(became(model), /^Without the mask: “a 1” still becomes 1-2\. On average 0\.50 /);
  model.answer = written(">", weights);
  assert.match(became(model), /becomes nothing; the whole model writes 1-2\. 3 of 3 characters differ\./);
  model.parts.cross = false;
  assert.match(
    became(model),
    /^Without the mask and cross-attention: .* Nothing .* same for every date\.$/,
  );
  const full = read("a 1 b 1", (one) => one.parts.mask = false);
  assert.match(became(full), / This source fills all places: there is no padding to hide\.$/);
});

test("a character of the answer says what it has read", () => {
  const model = read();
  model.answer = [
    { character: "2", share: 0.987, weights: [0.1, 0.6, 0.05, 0.25, 0, 0, 0] },
    { character: ">", share: 1, weights: [0, 0, 1, 0, 0, 0, 0] },
  ];
  assert.equal(
    looked(model, 0),
    "“2” at place 0 of the answer (probability 0.99) has read most of a space at place 1 (0.60), " +
      "padding at place 3 (0.25) and “a” at place 0 (0.10).",
  );
  assert.match(looked(model, 1), /^“>”, the end, at place 1 .* has read most of “1” at place 2 \(1\.00\)/);
  assert.equal(looked(model, 2), "Place 2 of the answer stays empty.");
  model.answer.pop();
  assert.equal(looked(model, 1), "Place 1 of the answer is not written yet.");
  model.parts.cross = false;
  assert.equal(
    looked(model, 0),
    "“2” at place 0 of the answer (probability 0.99) has read nothing of the source.",
  );
});

test("a text that the model cannot read is explained", () => {
  const model = read(), still = " Source and answer are still those of “a 1”.";
  const knows =
    ": its 5 characters are the space, , . - and digits, small letters, and of the capital ones A.";
  /** @type {[string, string][]} */
  const cases = [
    ["", "There is no text: write a date in words."],
    ["  ", "There is no text: write a date in words."],
    ["aé", "The model does not know “é” (place 1)" + knows],
    ["a_", "The model does not know “_” (place 1)" + knows],
    ["Bab/", "The model does not know “B” (place 0) and one other character" + knows],
    ["🙂a日本", "The model does not know “🙂” (place 0) and 2 other characters" + knows],
    ["a 1 b 1 ", "The model reads at most 7 characters, and these are 8."],
  ];
  for (const [text, said] of cases) assert.equal(wrongWith(model, text), said + still, text);
  assert.equal(wrongWith(model, "a 1 b 1"), "");
});
