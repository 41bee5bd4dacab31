// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { emptied, following, isOfCard, lineIn, shortened } from "./exercise.js";

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

/**
 * The parts of a card that stay, with the attributes that stay.
 *
 * @param {string} html
 */
function staying(html) {
  return [...html.matchAll(/<(\w+)((?:\s+\w+(?:=(?:"[^"]*"|[^\s>]+))?)*)\s*>/g)]
    .filter(([, tag]) => isOfCard(tag))
    .map(([, tag, rest]) => {
      const attributes = [...rest.matchAll(/(\w+)(?:="([^"]*)"|=([^\s>]+))?/g)]
        .filter(([, name, quoted, plain]) => isOfCard(tag, name, quoted ?? plain ?? ""));
      return [tag, ...attributes.map(([, name]) => name)].join(" ");
    });
}

/** @type {Record<string, string[]>} what an answer made of the engine's card, and what stays of it */
const TAMPERED = {
  '<div style="background:url(/beacon-url)">a</div>': ["div"],
  '<div style="background:u\\72l(/beacon-escaped)">a</div>': ["div"],
  "<div style=\"background:image-set('/beacon-image-set' 1x)\">a</div>": ["div"],
  '<div style="content:url/**/(x)">a</div>': ["div"],
  "<p style=\"background:-webkit-image-set('/beacon-webkit' 1x)\">a</p>": ["p"],
  '<details ontoggle="window.__owned=1" open>x</details>': ["details"],
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=x&gt;">': [],
  "<svg><script>window.__owned=3</script></svg>": [],
  "<div id=courseFacts>x</div>": ["div"],
  '<div style="position:fixed;inset:0;z-index:9999;background:#fff">Log in again</div>': ["div"],
};
for (const [card, left] of Object.entries(TAMPERED)) {
  test(`of a tampered card nothing stays that loads, runs or covers: ${card}`, () => {
    assert.deepEqual(staying(card), left);
  });
}

test("the engine's own card stays as it is", () => {
  const style = "border-left:.35em solid #bf5a00;padding:.4em .9em;margin:.4em 0;" +
    "background:transparent;color:inherit;line-height:1.45";
  const card = `<div role="status" style="${style}"><p style="margin:.4em 0"><code>x</code></p></div>`;
  assert.deepEqual(staying(card), ["div role style", "p style", "code"]);
  assert.ok(!isOfCard("div", "style", style + ";position:fixed") && !isOfCard("div", "style"));
});
