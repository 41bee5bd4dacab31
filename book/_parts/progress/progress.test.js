// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { summary } from "./panel.js";
import { readPlace, tickOf } from "./progress.js";

test("a chapter gets a tick when all of its exercises are solved, and before that their number", () => {
  assert.deepEqual(tickOf("Sums", 0, 9), { text: "", title: "" });
  assert.deepEqual(tickOf("Sums", 2, 9), { text: "2/9", title: "Sums: 2 of 9 exercises solved" });
  assert.deepEqual(tickOf("Sums", 9, 9), { text: "✓", title: "Sums: 9 of 9 exercises solved" });
});

test("the place that was left is one of the book's pages, or there is none", () => {
  const page = "book/softmax.html",
    kept = { page, section: "in-one-line", title: "Softmax", heading: "In one line" };
  assert.deepEqual(readPlace(JSON.stringify(kept)), {
    path: page + "#in-one-line",
    title: "Softmax, In one line",
  });
  assert.deepEqual(readPlace(JSON.stringify({ ...kept, section: "", heading: "" })), {
    path: page,
    title: "Softmax",
  });
  assert.equal(readPlace(JSON.stringify({ ...kept, section: '"><b>' }))?.path, page);
  for (
    const elsewhere of ["https://example.org/book/a.html", "javascript:alert(1)", "book/../x.html", 3, null]
  ) {
    assert.equal(readPlace(JSON.stringify({ ...kept, page: elsewhere })), null, String(elsewhere));
  }
  for (const damaged of [null, "", "{", "null", "[]", "1", '"book/softmax.html"']) {
    assert.equal(readPlace(damaged), null, String(damaged));
  }
});

test("the panel sums up chapters and cards", () => {
  const kept = " This is kept in this browser and nowhere else.";
  assert.equal(summary([0, 0], 12, 0), "0 of 12 exercises solved." + kept);
  assert.equal(summary([2, 3], 12, 1), "5 of 12 exercises solved, 1 card answered." + kept);
  assert.equal(summary([2, 3], 12, 3), "5 of 12 exercises solved, 3 cards answered." + kept);
});
