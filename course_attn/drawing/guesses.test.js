// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { AskedNumber, chosenNow, fittingChoice, readTicks, saidToChoice } from "./guesses.js";

/** @typedef {import("./guesses.js").Ticks} Ticks */

const NOTHING = { tried: [], done: false };
const OPTIONS = ["2", "3", "6", "9"].map((text) => ({ text, right: text === "3" }));
const [TWO, THREE, , NINE] = OPTIONS;
const saidTo = (/** @type {Ticks} */ ticks) => saidToChoice(OPTIONS, ticks).map(({ first }) => first);

// A choice

test("a reader goes on where they left off; what is damaged counts as nothing", () => {
  /** @type {[string | null, string[]][]} */
  const cases = [
    ['{"tried":["2"],"done":false}', ["Not so.", "Try once more."]],
    ['{"tried":["2","3"],"done":true}', ["Not so.", "Right."]],
    ['{"tried":["2","9"]}', ["Not so.", "Not so.", "The answer: 3."]],
    ['{"tried":["3"],"read":["9","2"],"done":true}', ["Right.", "Not “2”.", "Not “9”."]],
    ['{"tried":[],"done":true}', ["The answer: 3."]],
    ['{"tried":["an option of last year"]}', []],
    ['{"tried":"2","done":"yes"}', []],
    ["<b>damaged", []],
    ["null", []],
    ["", []],
    [null, []],
  ];
  for (const [kept, said] of cases) {
    assert.deepEqual(saidTo(fittingChoice(OPTIONS, readTicks(kept))), said, String(kept));
  }
});

test("two tries end a question, and so does the right option; then the others can be read", () => {
  assert.deepEqual(chosenNow(TWO, NOTHING), { tried: ["2"], done: false });
  assert.deepEqual(chosenNow(THREE, NOTHING), { tried: ["3"], done: true });
  assert.deepEqual(chosenNow(NINE, { tried: ["2"], done: false }), { tried: ["2", "9"], done: true });
  assert.deepEqual(chosenNow(NINE, { tried: ["3"], done: true }), { read: ["9"] });
  assert.deepEqual(chosenNow(NINE, { tried: ["3"], read: ["2"], done: true }), { read: ["2", "9"] });
});

test("an option that was chosen does nothing more, nor does the right one in the end", () => {
  assert.equal(chosenNow(TWO, { tried: ["2"], done: false }), null);
  assert.equal(chosenNow(TWO, { tried: ["3"], read: ["2"], done: true }), null);
  assert.equal(chosenNow(THREE, { tried: ["2", "9"], done: true }), null);
});

// A number

const share = new AskedNumber({
  low: "0",
  high: "100",
  answer: "25",
  step: "1",
  close: "5",
  unit: " %",
  decimals: "0",
});
const bytes = new AskedNumber({
  low: "10",
  high: "1e9",
  answer: "3.6e6",
  close: "2",
  unit: " bytes",
  log: "1",
});

test("a guess is exact, close, too low or too high", () => {
  /** @type {[AskedNumber, number, string, string?][]} */
  const cases = [
    [share, 25, "Exactly. You guessed 25 %."],
    [share, 24, "Close. You guessed 24 %, 1 point too low."],
    [share, 30, "Close. You guessed 30 %, 5 points too high."],
    [share, 31, "You guessed 31 %, 6 points too high.", "higher"],
    [share, 0, "You guessed 0 %, 25 points too low.", "lower"],
    [bytes, 1e5, "You guessed 100,000 bytes, too low by a factor of 36.", "lower"],
    [bytes, 7.2e6, "Close. You guessed 7,200,000 bytes, too high by a factor of 2."],
    [bytes, 3.61e6, "Exactly. You guessed 3,600,000 bytes."],
  ];
  for (const [asked, guess, first, why] of cases) {
    assert.deepEqual({ why: undefined, ...asked.judged(guess) }, { first, why });
  }
});

test("where factors count, equal steps of the bar are equal factors", () => {
  assert.deepEqual([0, 77, 100, 200].map((place) => bytes.numberAt(place)), [10, 12000, 100000, 1e9]);
  assert.deepEqual([10, 1e5, 1e9].map((number) => bytes.placeOf(number)), [0, 100, 200]);
  assert.deepEqual([share.placeOf(), share.placeOf(40), share.numberAt(40)], [50, 40, 40]);
  assert.equal(share.shareAt(25), 0.25);
});

test("numbers are written with a true minus, and where factors count with two digits", () => {
  const loss = new AskedNumber({ low: "-2", high: "1", answer: "0", step: "0.1", decimals: "1" });
  assert.deepEqual([loss.written(-1.25), loss.written(1)], ["\u22121.3", "1.0"]);
  const size = new AskedNumber({ low: "0.01", high: "1000", log: "1" });
  assert.deepEqual([0.0123, 0.5, 1, 123].map((x) => size.written(x)), ["0.012", "0.5", "1", "120"]);
});

test("a guess that is kept counts if the bar has it", () => {
  assert.deepEqual(share.fitting(readTicks('{"guess":21}')), { tried: [], guess: 21, done: true });
  for (const kept of ['{"guess":101}', '{"guess":-1}', '{"guess":"21"}', '{"guess":null}', "{"]) {
    assert.deepEqual(share.fitting(readTicks(kept)), NOTHING, kept);
  }
});
