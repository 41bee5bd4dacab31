// Figures that scroll sideways on a narrow page can be reached and scrolled with the keyboard; those
// that fit, as after a phone is turned, are no stop on its way.
const whatScrolls = new ResizeObserver((changes) => {
  for (const {target: figure} of changes) {
    if (figure.scrollWidth > figure.clientWidth) {
      figure.setAttribute("tabindex", "0");
    } else {
      figure.removeAttribute("tabindex");
    }
  }
});
window.addEventListener("DOMContentLoaded", () => {
  const figures = ".bd-article :is(.cell_output figure, .attn-example)";
  for (const figure of document.querySelectorAll(figures)) {
    whatScrolls.observe(figure);
  }
});

// Paper is white: what is printed has the light theme.
window.addEventListener("beforeprint", () => {
  const root = document.documentElement, theme = root.dataset.theme;
  root.dataset.theme = "light";
  window.addEventListener("afterprint", () => { root.dataset.theme = theme; }, {once: true});
});

// Formulas are typeset in small portions, from top to bottom, so that the page answers in between.
if ("MathJax" in window) {
  const page = /** @type {any} */ (window);
  const breathe = () => document.hidden || new Promise((done) => setTimeout(done));
  page.MathJax.startup = {
    async pageReady() {
      const formulas = [...document.querySelectorAll(".math")];
      while (formulas.length) {
        await page.MathJax.typesetPromise(formulas.splice(0, 8));
        await breathe();
      }
      await page.MathJax.startup.defaultPageReady();
    },
  };
}
