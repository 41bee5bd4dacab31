// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { amiss, lettersIn, numbersIn, troubleWith, withLetters, withNumbers } from "./fields.js";

test("letters become the function of the notebook, and come back", () => {
  assert.equal(withLetters("f", ["a", "c"]), 'def f():\n    return {"a", "c"}');
  assert.equal(withLetters("f", []), "def f():\n    return set()");
  for (const letters of [["a", "c"], []]) {
    assert.deepEqual(lettersIn(withLetters("f", letters)), letters);
  }
  for (
    const other of ["", 'def f():\n    x = 1\n    return {"a"}', 'def f():\n    return {"a"} | {"b"}.x()']
  ) {
    assert.deepEqual(lettersIn(other), []);
  }
});

test("numbers become the function of the notebook, and come back", () => {
  assert.equal(withNumbers("f", ["1/3", " -2.5"]), "def f():\n    return (1/3, -2.5)");
  assert.equal(withNumbers("f", ["2, 11, 3"]), "def f():\n    return (2, 11, 3)");
  for (const written of [["1/3", "", "np.log(2)"], ["2, 11, 3"], [""]]) {
    assert.deepEqual(numbersIn(withNumbers("f", written), written.length), written);
  }
  assert.deepEqual(numbersIn("def f():\n    return [1, 2]", 2), ["", ""]);
});

test("a field says what is wrong with what stands in it", () => {
  for (const good of ["2.5", "-3", ".5", "1e-3", "1/3", "2 * (np.log(64) - 1)", "5."]) {
    assert.equal(troubleWith("a", good), "", good);
  }
  assert.equal(troubleWith("a", " "), "Fill in the field “a”.");
  assert.equal(troubleWith("a", "2,5"), "Write the number in “a” with a point: 2.5.");
  assert.equal(troubleWith("a", "1,2,3"), "Write the number in “a” with a point and no comma.");
  assert.match(troubleWith("a", "six"), /^“six” is not a number: “a” takes one such as 2\.5/);
  assert.equal(troubleWith("shape", "2, 11,3"), "");
  assert.match(troubleWith("shape", "2 by 3"), /^A shape is whole numbers/);
});

test("how many boxes are wrong is said without their letters", () => {
  const right = ["b", "c", "g"];
  assert.equal(amiss(["a", "b", "c", "g"], right), "One box too many is ticked.");
  assert.equal(amiss(["b", "c"], right), "One box that should be ticked is not.");
  assert.equal(
    amiss(["a", "d", "b"], right),
    "Two boxes too many are ticked. Two boxes that should be ticked are not.",
  );
  assert.equal(amiss(right, right), "");
});
