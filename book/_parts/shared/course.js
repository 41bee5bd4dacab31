// @ts-check
// What the pages know of the course: written when the book is built.

/**
 * @typedef {object} Chapter
 * @property {string} slug
 * @property {string} title
 * @property {string[]} exercises in their order
 *
 * @typedef {object} Course
 * @property {boolean} python whether Python lies beside the pages
 * @property {Record<string, number>} modelSizes of the models beside the pages, by the widget that
 *   runs them, in MB
 * @property {Chapter[]} chapters those with exercises, in their order
 * @property {Record<string, string>} starters the first lines of each chapter's own place to try
 */

/** @returns {Course} */
export function course() {
  const page = /** @type {{courseFacts?: Course}} */ (/** @type {unknown} */ (self));
  return page.courseFacts ?? { python: false, modelSizes: {}, chapters: [], starters: {} };
}

/**
 * The address of a page of the book, or of a file beside the pages, seen from this page.
 *
 * @param {string} path such as "book/softmax.html"
 */
export function fromRoot(path) {
  return (document.documentElement.dataset.content_root ?? "") + path;
}

/**
 * Load a classic script that lies beside the pages.
 *
 * @param {string} address
 * @param {string} [what] to say where it is not there
 * @returns {Promise<void>}
 */
export function loadScript(address, what = "its file is") {
  return new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => done();
    script.onerror = () => {
      script.remove();
      failed(new Error(`${what} not beside this page`));
    };
    document.head.append(script);
  });
}
