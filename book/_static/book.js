// Figures that scroll sideways on a narrow page can be reached and scrolled with the keyboard.
window.addEventListener("load", () => {
  for (const figure of document.querySelectorAll(".bd-article .cell_output figure")) {
    if (figure.scrollWidth > figure.clientWidth) {
      figure.tabIndex = 0;
    }
  }
});
