// @ts-check
// The store of the page's first script, for those that a page loads besides: two copies of it would
// not hear of each other's changes, nor of what a browser did not keep.

/** @type {typeof import("./store.js")} */
export const store = /** @type {any} */ (self).courseStore;
