// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { emptied, following, lineIn, shortened } from "./exercise.js";

test("a stub is empty where it has one place to write in", () => {
  assert.equal(emptied("def f():\n    raise NotImplementedError"), "def f():\n    ");
  const two = "raise NotImplementedError\nraise NotImplementedError";
  assert.equal(emptied(two), two);
  assert.equal(emptied("pass"), "pass");
});

test("a line is marked where the verdict names one, however often", () => {
  assert.equal(lineIn("Line 3 is reached before line 3 ends."), 3);
  for (const text of ["line 3 and line 4", "no line", "line", "outline 2"]) {
    assert.equal(lineIn(text), undefined);
  }
});

test("what was printed is cut where it is very long", () => {
  assert.equal(shortened("x".repeat(4000)), "x".repeat(4000));
  assert.equal(shortened("x".repeat(4001)), "x".repeat(4000) + "\n…");
});

test("after an exercise comes the next of its chapter, or else the next chapter", () => {
  const [one, two] = [
    { slug: "one", title: "One", exercises: ["a", "b"] },
    { slug: "two", title: "Two", exercises: ["c"] },
  ];
  assert.deepEqual(following([one, two], { name: "a", chapter: "one" }).exercise, "b");
  assert.deepEqual(following([one, two], { name: "b", chapter: "one" }), {
    exercise: undefined,
    chapter: two,
  });
  const end = following([one, two], { name: "c", chapter: "two" });
  assert.deepEqual(end, { exercise: undefined, chapter: undefined });
});
