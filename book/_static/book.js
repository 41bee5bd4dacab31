// Figures that scroll sideways on a narrow page can be reached and scrolled with the keyboard.
window.addEventListener("load", () => {
  for (const figure of document.querySelectorAll(".bd-article .cell_output figure")) {
    if (figure.scrollWidth > figure.clientWidth) {
      figure.tabIndex = 0;
    }
  }
});

// Paper is white: what is printed has the light theme.
window.addEventListener("beforeprint", () => {
  const root = document.documentElement, theme = root.dataset.theme;
  root.dataset.theme = "light";
  window.addEventListener("afterprint", () => { root.dataset.theme = theme; }, {once: true});
});
