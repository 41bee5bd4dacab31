// @ts-check
// Models at work: the output of such a widget has a button that loads its model and what runs it.

import { make } from "../../../course_attn/drawing/kit.js";
import { course, fromRoot, loadScript } from "../shared/course.js";

/**
 * For each widget: its model's script, the name that this gives it, and what a reader can type.
 * @type {Record<string, [string, string, string]>}
 */
const LOADED = {
  writing_model: ["model", "courseModel", "text"],
  translator: ["dates", "datesModel", "date"],
};

/** @param {string} widget @param {Element} figure */
function offerModel(widget, figure) {
  const [script, name, typed] = LOADED[widget];
  const told = make("p", { class: "attn-said", role: "status" });
  const load = make("button", {
    type: "button",
    click: async () => {
      load.setAttribute("aria-disabled", "true");
      told.textContent = "Loading the model …";
      // So that this is seen before the script keeps the page busy.
      await new Promise((done) => setTimeout(done, 30));
      try {
        if (!(name in window)) await loadScript(fromRoot(`_static/live/${script}.js`));
        await loadScript(fromRoot(`_static/live/${widget}.js`));
        if (!figure.classList.contains("attn-on")) throw new Error("it does not start");
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        told.textContent = `The model cannot be used here: ${why}. What is above stays.`;
        load.removeAttribute("aria-disabled");
        return;
      }
      for (const started of figuresOf(widget)) started.querySelector(".attn-offer")?.remove();
      // The button that had the focus is gone.
      const stage = figure.querySelector(".attn-stage");
      stage?.setAttribute("tabindex", "-1");
      if (stage instanceof HTMLElement) stage.focus({ preventScroll: true });
      // All that has grown above the button has moved it down.
      figure.scrollIntoView({ block: "start" });
    },
  }, `Load the model (${course().modelSizes[widget]} MB) and type your own ${typed}`);
  figure.querySelector(".attn-plain")?.after(make("div", { class: "attn-offer" }, load, told));
}

/** @param {string} widget */
const figuresOf = (widget) => document.querySelectorAll(`.attn-live[data-widget="${widget}"]`);

for (const widget of Object.keys(LOADED)) {
  figuresOf(widget).forEach((figure) => offerModel(widget, figure));
}
