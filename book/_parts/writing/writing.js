// @ts-check
// A model that writes: its picture has a button that loads the model and what runs it.

import { make } from "../../../course_attn/drawing/kit.js";
import { course, fromRoot, loadScript } from "../shared/course.js";

const writers = document.querySelectorAll(".attn-live[data-widget='writing_model']");

/** @param {Element} figure */
function offerModel(figure) {
  const told = make("p", { class: "attn-said", role: "status" });
  const load = make("button", {
    type: "button",
    click: async () => {
      load.setAttribute("aria-disabled", "true");
      told.textContent = "Loading the model …";
      // So that this is seen before the script keeps the page busy.
      await new Promise((done) => setTimeout(done, 30));
      try {
        if (!("courseModel" in window)) await loadScript(fromRoot("_static/live/model.js"));
        await loadScript(fromRoot("_static/live/writing_model.js"));
        if (!figure.classList.contains("attn-on")) throw new Error("it does not start");
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        told.textContent = `The model cannot be used here: ${why}. The picture above stays.`;
        load.removeAttribute("aria-disabled");
        return;
      }
      document.querySelectorAll(".attn-offer").forEach((offer) => offer.remove());
      // The button that had the focus is gone.
      const stage = figure.querySelector(".attn-stage");
      stage?.setAttribute("tabindex", "-1");
      if (stage instanceof HTMLElement) stage.focus({ preventScroll: true });
      // All that has grown above the button has moved it down.
      figure.scrollIntoView({ block: "start" });
    },
  }, `Load the model (${course().modelSize} MB) and type your own text`);
  figure.querySelector(".attn-plain")?.after(make("div", { class: "attn-offer" }, load, told));
}

writers.forEach(offerModel);
