// @ts-check
// Python in this page: loaded when the reader asks for it, from files beside the page, and run in a
// worker that is ended and begun anew when it does not answer.

import { fromRoot, loadScript } from "../shared/course.js";

/**
 * @typedef {{worker: string, files: Record<string, string>, abi: string}} Runtime the interpreter and
 *   NumPy, and the version of what lies between them
 * @typedef {{courseRuntime?: Runtime, coursePackages?: string}} Loaded what the scripts leave behind
 *
 * @typedef {object} Question
 * @property {Record<string, unknown>} message
 * @property {number} seconds until the worker that has taken it is ended
 * @property {() => void} [started] called when Python runs; at once if it does already
 * @property {(value: any) => void} done
 * @property {(why: PythonTrouble) => void} failed
 */

/** Why nothing came back: "slow" (it was ended), "stopped" (by the reader), "broken" (it died),
 * "unavailable" (no start). */
export class PythonTrouble extends Error {
  /**
   * @param {"slow" | "stopped" | "broken" | "unavailable"} kind
   * @param {string} message
   */
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

const START_SECONDS = 120;

/** What is said while Python starts. */
export const STARTING = "Starting Python, once for each page: some seconds, on a phone more";

/**
 * The owner of the worker: it alone starts one and ends it. The worker has one question at a time;
 * the others wait here, so that the time of each begins when the worker takes it.
 */
class Interpreter {
  /** @type {"off" | "starting" | "on"} */
  state = "off";
  /** @type {Worker | undefined} */
  worker = undefined;
  /** @type {Question | undefined} what the worker is doing */
  taken = undefined;
  /** @type {Question[]} */
  waiting = [];
  clock = 0;

  async start() {
    if (this.state !== "off") return;
    this.state = "starting";
    try {
      const { source, files } = await filesOfPage();
      this.worker = this.freshWorker(source);
      await new Promise((done, failed) => {
        this.give({ message: { task: "start", ...files }, seconds: START_SECONDS, done, failed });
      });
    } catch (error) {
      this.state = "off";
      // Whatever the reason, such as a browser that allows no such worker: it does not start here.
      const why = error instanceof Error ? error.message : String(error);
      this.giveUp(new PythonTrouble("unavailable", why));
      return;
    }
    this.state = "on";
    for (const { started } of this.waiting) started?.();
    this.next();
  }

  /** @param {Question} question */
  ask(question) {
    this.waiting.push(question);
    if (this.state === "on") question.started?.();
    this.start();
    this.next();
  }

  /** Give the worker the question that has waited longest, if it is free. */
  next() {
    if (this.state !== "on" || this.taken) return;
    const question = this.waiting.shift();
    if (question) this.give(question);
  }

  /** @param {Question} question */
  give(question) {
    this.taken = question;
    const why = new PythonTrouble("slow", `no answer within ${question.seconds} seconds`);
    this.clock = window.setTimeout(() => this.end(why), 1000 * question.seconds);
    this.worker?.postMessage(question.message);
  }

  /** @returns {Question | undefined} what the worker was doing until now */
  release() {
    const question = this.taken;
    clearTimeout(this.clock);
    this.taken = undefined;
    return question;
  }

  /**
   * End the worker at once. What it was doing is told why; what waits is for a fresh one.
   *
   * @param {PythonTrouble} why
   */
  end(why) {
    this.worker?.terminate();
    this.worker = undefined;
    const question = this.release();
    question?.failed(why);
    if (this.state === "starting") return; // which has failed by this
    this.state = "off";
    if (question) this.start();
  }

  /**
   * Forget all that waits.
   *
   * @param {PythonTrouble} why
   */
  giveUp(why) {
    for (const { failed } of this.waiting.splice(0)) failed(why);
  }

  /** @param {string} source */
  freshWorker(source) {
    const worker = new Worker(source, { type: "module" });
    // What an ended worker has still said is not for the next one's question.
    const isOurs = () => worker === this.worker;
    worker.onmessage = ({ data }) => {
      if (!isOurs()) return;
      if (data.error !== undefined) return this.end(new PythonTrouble("broken", data.error));
      this.release()?.done(data.value);
      this.next();
    };
    worker.onerror = (event) => {
      event.preventDefault();
      if (isOurs()) this.end(new PythonTrouble("broken", event.message || "the worker stopped"));
    };
    return worker;
  }
}

async function filesOfPage() {
  const page = /** @type {Loaded} */ (/** @type {unknown} */ (window));
  const load = (/** @type {string} */ name) =>
    loadScript(fromRoot(`_static/live/${name}.js`), "Python's files are");
  await Promise.all([
    page.courseRuntime ? null : load("python"),
    page.coursePackages ? null : load("packages"),
  ]);
  const { courseRuntime, coursePackages } = page;
  if (!courseRuntime || !coursePackages) throw new Error("Python's files beside this page are damaged");
  if (typeof DecompressionStream === "undefined") throw new Error("this browser is too old to run Python");
  const { worker, files, abi } = courseRuntime;
  // A worker from a file's address, or from a blob, is refused where the page comes from a folder.
  const source = "data:text/javascript," + encodeURIComponent(worker);
  return { source, files: { files, abi, course: coursePackages } };
}

const python = new Interpreter();

/** Start Python in the background, unless it runs already. */
export function startPython() {
  python.start(); // what goes wrong is told to those who ask it something
}

/** End what Python is doing, at the reader's wish, and begin it anew. */
export function stopPython() {
  const why = new PythonTrouble("stopped", "you stopped it");
  python.giveUp(why);
  if (python.state === "on") python.end(why);
}

/**
 * Ask Python something; it is started if need be, and begun anew in the background if it was ended.
 *
 * @param {Record<string, unknown>} message
 * @param {number} seconds after which it is ended
 * @param {() => void} [started] called when Python runs; at once if it does already
 * @returns {Promise<any>}
 */
export function askPython(message, seconds, started) {
  return new Promise((done, failed) => python.ask({ message, seconds, started, done, failed }));
}

/**
 * What went wrong, for the reader.
 *
 * @param {unknown} error
 */
export function whatHappened(error) {
  const why = error instanceof Error ? error.message : String(error);
  const kind = error instanceof PythonTrouble ? error.kind : "broken";
  if (kind === "stopped") return "Stopped. What you defined before is gone; run it again.";
  if (kind === "slow") {
    return `Python gave ${why} and was ended: one of your steps may never end, or ask for very ` +
      "much. It is starting anew; change the answer and check it again.";
  }
  if (kind === "broken") {
    const isMemory = /memory|allocat/i.test(why);
    return (isMemory
      ? "Your lines used up the memory that a page may have, and Python stopped."
      : `Python stopped (${why.split("\n").pop()?.slice(0, 200)}).`) +
      " It is starting anew; change the answer and check it again.";
  }
  return `Python does not start in this browser: ${why}. Below are two other ways.`;
}
