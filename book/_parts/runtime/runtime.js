// @ts-check
// Python in this page: loaded when the reader asks for it, from files beside the page, and run in a
// worker that is ended and begun anew when it does not answer.

import { fromRoot, loadScript } from "../shared/course.js";

/**
 * @typedef {{worker: string, files: Record<string, string>}} Runtime the interpreter and NumPy
 * @typedef {{courseRuntime?: Runtime, coursePackages?: string}} Loaded what the scripts leave behind
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

/** @type {Promise<Worker> | null} */
let starting = null;
let asked = 0;
/** @type {Map<number, {done: (value: any) => void, failed: (error: Error) => void}>} */
const waiting = new Map();

/**
 * Start Python in the background, unless it runs already.
 *
 * @returns {Promise<Worker>}
 */
export function startPython() {
  starting ??= freshWorker().catch((error) => {
    starting = null;
    // Whatever the reason, such as a browser that allows no such worker: it does not start here.
    throw new PythonTrouble("unavailable", error instanceof Error ? error.message : String(error));
  });
  return starting;
}

async function freshWorker() {
  const page = /** @type {Loaded} */ (/** @type {unknown} */ (window));
  const load = (/** @type {string} */ name) =>
    loadScript(fromRoot(`_static/live/${name}.js`), "Python's files are");
  await Promise.all([
    page.courseRuntime ? null : load("python"),
    page.coursePackages ? null : load("packages"),
  ]);
  const { courseRuntime, coursePackages } = page;
  if (!courseRuntime || !coursePackages) {
    throw new PythonTrouble("unavailable", "Python's files beside this page are damaged");
  }
  if (typeof DecompressionStream === "undefined") {
    throw new PythonTrouble("unavailable", "this browser is too old to run Python");
  }
  // A worker from a file's address, or from a blob, is refused where the page comes from a folder.
  const source = "data:text/javascript," + encodeURIComponent(courseRuntime.worker);
  const worker = new Worker(source, { type: "module" });
  worker.onmessage = ({ data }) => {
    const { done, failed } = waiting.get(data.id) ?? {};
    waiting.delete(data.id);
    if (data.error === undefined) done?.(data.value);
    else failed?.(new PythonTrouble("broken", data.error));
  };
  worker.onerror = (event) => {
    event.preventDefault();
    endPython(new PythonTrouble("broken", event.message || "the worker stopped"));
  };
  const files = { files: courseRuntime.files, course: coursePackages };
  await answerFrom(worker, { task: "start", ...files }, START_SECONDS);
  return worker;
}

/**
 * End Python at once; what waited for it is told why.
 *
 * @param {PythonTrouble} why
 */
function endPython(why) {
  const running = starting;
  starting = null;
  running?.then((worker) => worker.terminate(), () => undefined);
  const left = [...waiting.values()];
  waiting.clear();
  for (const { failed } of left) failed(why);
}

/** End what Python is doing, at the reader's wish, and begin it anew. */
export function stopPython() {
  endPython(new PythonTrouble("stopped", "you stopped it"));
  startPython().catch(() => undefined);
}

/**
 * @param {Worker} worker
 * @param {Record<string, unknown>} message
 * @param {number} seconds
 * @returns {Promise<any>}
 */
function answerFrom(worker, message, seconds) {
  const id = asked++;
  return new Promise((done, failed) => {
    const tooLong = setTimeout(() => {
      if (!waiting.has(id)) return;
      worker.terminate();
      endPython(new PythonTrouble("slow", `no answer within ${seconds} seconds`));
    }, 1000 * seconds);
    const settle = (/** @type {(value: any) => void} */ then) => (/** @type {any} */ value) => {
      clearTimeout(tooLong);
      then(value);
    };
    waiting.set(id, { done: settle(done), failed: settle(failed) });
    worker.postMessage({ ...message, id });
  });
}

/**
 * Ask Python something; it is started if need be, and begun anew in the background if it was ended.
 *
 * @param {Record<string, unknown>} message
 * @param {number} seconds after which it is ended
 * @returns {Promise<any>}
 */
export async function askPython(message, seconds) {
  const worker = await startPython();
  try {
    return await answerFrom(worker, message, seconds);
  } catch (error) {
    if (error instanceof PythonTrouble && error.kind === "stopped") throw error;
    worker.terminate();
    starting = null;
    startPython().catch(() => undefined);
    throw error;
  }
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
