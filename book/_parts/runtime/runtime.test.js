// @ts-check
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { askPython, PythonTrouble, startPython, stopPython, whatHappened } from "./runtime.js";

/** @type {StubWorker[]} */
let made = [];

/** One thing after the other, as a worker does: behind what is endless nothing is answered. */
class StubWorker {
  ended = false;
  stuck = false;
  /** @type {(event: {data: object}) => void} */
  onmessage = () => undefined;
  /** @type {(event: object) => void} */
  onerror = () => undefined;

  constructor() {
    made.push(this);
  }

  /** @param {{task: string}} message */
  postMessage({ task }) {
    this.stuck ||= task === "endless";
    if (this.stuck) return;
    const data = task === "damage" ? { error: "out of memory" } : { value: `${task} answered` };
    queueMicrotask(() => this.onmessage({ data }));
  }

  dies() {
    this.onerror({ message: "it died", preventDefault() {} });
  }

  terminate() {
    this.ended = true;
  }
}

Object.assign(globalThis, {
  window: globalThis,
  courseRuntime: { worker: "", files: {}, abi: "" },
  coursePackages: "packages",
});

const alive = () => made.filter(({ ended }) => !ended).length;
const ask = (/** @type {string} */ task, seconds = 9) => askPython({ task }, seconds);

/** @param {Promise<unknown>[]} asked */
async function answers(...asked) {
  const settled = await Promise.allSettled(asked);
  return settled.map((one) => one.status === "fulfilled" ? one.value : one.reason.kind);
}

beforeEach(async () => {
  Object.assign(globalThis, { Worker: StubWorker });
  await answers(ask("check"));
  made = made.filter(({ ended }) => !ended);
});

test("of two questions, the first endless, only that one is told so", async () => {
  assert.deepEqual(await answers(ask("endless", 0.01), ask("check", 0.01)), ["slow", "check answered"]);
  assert.deepEqual([made.length, alive()], [2, 1]);
});

test("a question has its own time, from when the worker takes it", async () => {
  const asked = [ask("endless", 0.02), ask("endless", 0.01), ask("check", 0.005)];
  assert.deepEqual(await answers(...asked), ["slow", "slow", "check answered"]);
  assert.deepEqual([made.length, alive()], [3, 1]);
});

test("an answer in time stops the clock", async () => {
  await ask("check", 0.01);
  await new Promise((done) => setTimeout(done, 20));
  assert.deepEqual([made.length, alive()], [1, 1]);
});

test("what breaks Python ends it, and what waits goes on in a fresh one", async () => {
  assert.deepEqual(await answers(ask("damage"), ask("check")), ["broken", "check answered"]);
  assert.deepEqual([made.length, alive()], [2, 1]);
});

test("a worker that dies with nothing to do is begun anew by the next question", async () => {
  made[0].dies();
  assert.deepEqual([made.length, alive()], [1, 0]);
  assert.deepEqual(await answers(ask("check")), ["check answered"]);
  assert.deepEqual([made.length, alive()], [2, 1]);
});

test("an ended worker's late words are not taken for an answer", async () => {
  const [late] = made;
  await answers(ask("endless", 0.01), ask("check"));
  const next = answers(ask("endless", 0.01));
  late.onmessage({ data: { value: "late" } });
  late.dies();
  assert.deepEqual(await next, ["slow"]);
});

test("all that waits is stopped at the reader's wish, also while Python starts", async () => {
  const asked = answers(ask("endless"), ask("check"));
  stopPython();
  const again = answers(ask("check"), ask("check"));
  stopPython();
  assert.deepEqual(await asked, ["stopped", "stopped"]);
  assert.deepEqual(await again, ["stopped", "stopped"]);
  assert.deepEqual(await answers(ask("check")), ["check answered"]);
  assert.deepEqual([made.length, alive()], [2, 1]);
});

test("the page hears that Python has started, before each answer", async () => {
  /** @type {string[]} */
  const heard = [];
  const asking = (/** @type {string} */ name) =>
    askPython({ task: name }, 9, () => heard.push("started")).then((value) => heard.push(value));
  await asking("one");
  stopPython();
  startPython();
  made[0].dies();
  await asking("two");
  assert.deepEqual(heard, ["started", "one answered", "started", "two answered"]);
});

class Forbidden {
  constructor() {
    throw new TypeError("not allowed");
  }
}

class Dying extends StubWorker {
  /** @override */
  postMessage() {
    this.dies();
  }
}

for (const [Worker, why] of /** @type {const} */ ([[Forbidden, "not allowed"], [Dying, "it died"]])) {
  test(`where Python does not start (${why}), all are told so, and may ask again`, async () => {
    made[0].dies();
    made = [];
    Object.assign(globalThis, { Worker });
    assert.deepEqual(await answers(ask("check"), ask("check")), ["unavailable", "unavailable"]);
    const told = await ask("check").catch(whatHappened);
    assert.equal(told, `Python does not start in this browser: ${why}. Below are two other ways.`);
    assert.equal(alive(), 0);
    Object.assign(globalThis, { Worker: StubWorker });
    assert.deepEqual(await answers(ask("check")), ["check answered"]);
  });
}

test("what went wrong is told in words of the reader's", () => {
  const told = (/** @type {PythonTrouble["kind"]} */ kind, /** @type {string} */ why) =>
    whatHappened(new PythonTrouble(kind, why));
  assert.match(told("slow", "no answer within 25 seconds"), /^Python gave no answer within 25 seconds/);
  assert.match(told("broken", "RangeError: Out of memory"), /^Your lines used up the memory/);
  assert.match(told("broken", "first\nlast line"), /^Python stopped \(last line\)\./);
  assert.match(told("stopped", "you stopped it"), /^Stopped\./);
  assert.match(whatHappened("anything"), /^Python stopped \(anything\)\./);
});
