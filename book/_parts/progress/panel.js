// @ts-check
// The panel of a reader's progress: a square for each exercise, beside its chapter's name. It can be
// saved to a file and taken over from one. It is on the first page, on the pages of exercises and on
// that of the review.
import { make } from "../../../course_attn/drawing/kit.js";
import { course, fromRoot } from "../shared/course.js";
import { store } from "../shared/shared.js";

/**
 * What is done, in a sentence.
 * @param {number[]} done in each chapter @param {number} total @param {number} cards
 */
export function summary(done, total, cards) {
  const answered = cards ? `, ${cards} ${cards === 1 ? "card" : "cards"} answered` : "";
  return `${done.reduce((a, b) => a + b, 0)} of ${total} exercises solved${answered}.` +
    " This is kept in this browser and nowhere else.";
}

/** @param {HTMLElement} place */
function progressPanel(place) {
  const { chapters } = course();
  const total = chapters.reduce((sum, { exercises }) => sum + exercises.length, 0);
  const sum = make("p", {});
  const list = make("ul", { class: "attn-chapters" });
  const said = make("p", { role: "status" });
  place.append(sum, list, buttonsOf(said), said);

  function draw() {
    const done = chapters.map(({ exercises }) => exercises.filter(store.solvedAt).length);
    sum.textContent = summary(done, total, store.keptKeys("card:").length);
    list.replaceChildren(
      ...chapters.map(({ slug, title, exercises }, i) =>
        make(
          "li",
          {},
          make("a", { href: fromRoot(`book/exercises/${slug}.html`) }, title),
          make("span", { class: "attn-squares", "aria-hidden": "true" }, ...exercises.map(squareOf)),
          make("span", {}, `${done[i]}/${exercises.length}`),
        )
      ),
    );
  }
  draw();
  store.watchStore(draw);
}

/**
 * The buttons below: save, load, forget.
 * @param {HTMLElement} said
 */
function buttonsOf(said) {
  const chosen = make("input", { type: "file", accept: ".json,application/json", hidden: true });
  chosen.addEventListener("change", async () => {
    const [file] = chosen.files ?? [];
    if (file) said.textContent = store.imported(await file.text());
    chosen.value = "";
  });
  return make(
    "div",
    { class: "attn-tools" },
    make("button", { type: "button", click: () => saveToFile(said) }, "Save to a file"),
    make("button", { type: "button", click: () => chosen.click() }, "Load from a file"),
    forgetButton(said),
    chosen,
  );
}

/**
 * A button that is pressed twice, and forgets all.
 * @param {HTMLElement} said
 */
function forgetButton(said) {
  let sure = 0;
  const button = make("button", { type: "button", click: press }, "Forget all");
  function press() {
    if (!sure) {
      button.textContent = "Press again to forget all of it";
      said.textContent = "Answers, ticks, cards and guesses in this browser would be gone; save them first.";
      sure = window.setTimeout(() => {
        sure = 0;
        button.textContent = "Forget all";
        said.textContent = "";
      }, 8000);
      return;
    }
    clearTimeout(sure);
    store.forgetAll();
    location.reload();
  }
  return button;
}

/** @param {string} name of an exercise */
function squareOf(name) {
  const done = store.solvedAt(name) !== null;
  return make(
    "span",
    { class: done && "done", title: `${name}: ${done ? "done" : "open"}` },
    done ? "✓" : "",
  );
}

/** @param {HTMLElement} said */
function saveToFile(said) {
  const address = URL.createObjectURL(new Blob([store.exported()], { type: "application/json" }));
  const link = make("a", { href: address, download: "course_attn-progress.json" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  said.textContent = "Saved as course_attn-progress.json. Another browser loads it here, and a " +
    'notebook reads it with progress("course_attn-progress.json").';
}

/** On the first page: what is done, below the map of the chapters. */
function progressBelowMap() {
  const map = document.querySelector(".chapter-map");
  if (!map) return;
  const panel = make("div", { class: "attn-progress" });
  map.after(make("details", { class: "attn-mine" }, make("summary", {}, "Your progress"), panel));
}

addEventListener("DOMContentLoaded", () => {
  progressBelowMap();
  for (const place of document.querySelectorAll(".attn-progress")) {
    progressPanel(/** @type {HTMLElement} */ (place));
  }
});
