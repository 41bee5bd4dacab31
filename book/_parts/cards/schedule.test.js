// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { afterAnswer, comesBack, dayOf, DAYS, isDue, readSeen, told } from "./schedule.js";

test("what is known comes back after more days each time, what is missed on the same day", () => {
  let kept = null, day = "2026-03-02";
  const back = ["2026-03-03", "2026-03-06", "2026-03-13", "2026-04-03", "2026-06-02", "2026-08-01"];
  for (const [n, next] of back.entries()) {
    kept = afterAnswer(readSeen(kept), true, day);
    const seen = readSeen(kept);
    assert.deepEqual(seen, { day, box: Math.min(n + 1, DAYS.length - 1) });
    assert.equal(seen && comesBack(seen), next);
    const [year, month, date] = next.split("-").map(Number);
    assert.ok(!isDue(seen, dayOf(new Date(year, month - 1, date - 1))) && isDue(seen, next));
    day = next;
  }
  assert.equal(afterAnswer(readSeen(kept), false, day), `${day} 0`);
  assert.ok(isDue(readSeen(`${day} 0`), day));
});

test("what is damaged counts as never answered", () => {
  for (const kept of [null, "", "x", "2026-03-01 9", "2026-3-1 2", "{}", "<b>"]) {
    assert.equal(readSeen(kept), null);
    assert.equal(isDue(readSeen(kept), "2026-03-02"), false);
    assert.equal(afterAnswer(readSeen(kept), true, "2026-03-02"), "2026-03-02 1");
  }
});

test("a day is told from today", () => {
  const days = ["2026-02-01", "2026-12-31", "2027-01-01", "2027-01-02"];
  assert.deepEqual(days.map((day) => told(day, "2026-12-31")), [
    "today",
    "today",
    "tomorrow",
    "on January 2",
  ]);
});
