// Python in a thread of its own, which the page may end at any time. This file is not joined to the
// others: it is the source of a worker, which a page that was opened from a folder starts from text.

/**
 * @typedef {object} Start
 * @property {Record<string, string>} files the runtime's files in base64; those packed end in .gz
 * @property {string} abi of the version of Pyodide that the files are
 * @property {string} course the course's packages as a zip archive, in base64
 */

const IN_MEMORY = "https://in.memory/";

/** @param {string} text */
async function bytesOf(text) {
  const answer = await fetch("data:application/octet-stream;base64," + text);
  return new Uint8Array(await answer.arrayBuffer());
}

/** @param {Uint8Array<ArrayBuffer>} packed */
async function unpacked(packed) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** @param {Uint8Array<ArrayBuffer> | undefined} bytes */
function importedFrom(bytes) {
  return import(URL.createObjectURL(new Blob(bytes ? [bytes] : [], { type: "text/javascript" })));
}

/**
 * Start Python with what the page has sent; nothing is asked of any server.
 *
 * @param {Start} sent
 */
async function startPython({ files, abi, course }) {
  /** @type {Map<string, Uint8Array<ArrayBuffer>>} */
  const memory = new Map();
  await Promise.all(
    Object.entries(files).map(async ([name, text]) => {
      const bytes = await bytesOf(text);
      const isPacked = name.endsWith(".gz");
      memory.set(isPacked ? name.slice(0, -3) : name, isPacked ? await unpacked(bytes) : bytes);
    }),
  );
  const packages = await bytesOf(course);
  const isWasm = (/** @type {string} */ name) => name.endsWith(".wasm");
  self.fetch = async (asked) => {
    const name = String(asked instanceof Request ? asked.url : asked).split("/").pop() || "";
    const content = memory.get(name);
    if (!content) throw new TypeError(name + " is not beside this page");
    const type = isWasm(name) ? "application/wasm" : "application/octet-stream";
    return new Response(content, { headers: { "Content-Type": type } });
  };
  const [{ loadPyodide }, { default: createPyodideModule }] = await Promise.all(
    ["pyodide.mjs", "pyodide.asm.mjs"].map((name) => importedFrom(memory.get(name))),
  );
  const python = await loadPyodide({
    createPyodideModule,
    // Pyodide's list of packages, which has none here; it compares the version.
    lockFileContents: { info: { abi_version: abi }, packages: {} },
    packageBaseUrl: IN_MEMORY,
    indexURL: IN_MEMORY,
    stdLibURL: IN_MEMORY + "python_stdlib.zip",
    env: { COURSE_ATTN_PROGRESS: "off", HOME: "/home/pyodide" },
  });
  for (const name of memory.keys()) {
    if (name.endsWith(".whl")) python.unpackArchive(memory.get(name), "wheel");
  }
  python.unpackArchive(packages, "wheel");
  return python;
}

/** @type {any} */
let python;

self.onmessage = async ({ data }) => {
  try {
    if (data.task === "start") {
      python = await startPython(data);
      python.runPython("import on_page");
      self.postMessage({ value: null });
      return;
    }
    const answer = python.pyimport("on_page").answered;
    self.postMessage({ value: JSON.parse(answer(JSON.stringify(data))) });
  } catch (error) {
    self.postMessage({ error: error instanceof Error ? error.message : String(error) });
  }
};
