// What scrolls sideways on a narrow page says so: `data-more` names the side on which it goes on,
// and `data-moved` that it was moved; book.css shows both. Pictures scroll without their captions.
const MAY_SCROLL = ".attn-picture, .attn-example, .attn-plain, .attn-scroll, .cell_output pre, " +
  ".highlight pre, .output.text_html, .pst-scrollable-table-container, " +
  "mjx-container[display=true], table.claims td mjx-container";
// How wide a picture must be for its text to be read on a phone.
const PHONE = matchMedia("(max-width: 36rem)");
const readableWidth = (/** @type {HTMLImageElement} */ picture) => {
  // An inch has 96 pixels here, and 100 where animations say their width.
  const own = parseFloat(picture.style.getPropertyValue("--natural-width"));
  return Math.min(544, 0.777 * (own || picture.naturalWidth * 100 / 96));
};
// All are measured before any is changed: or else the page would be laid out anew for each.
const showMore = (/** @type {Element[]} */ boxes) => {
  const measured = boxes.map((box) => {
    const far = box.scrollWidth - box.clientWidth, left = box.scrollLeft > 1;
    const right = far - box.scrollLeft > 1;
    return { box, far, more: left && right ? "both" : left ? "left" : right ? "right" : null };
  });
  for (const { box, far, more } of measured) {
    if (more === null) box.removeAttribute("data-more");
    else if (more !== box.getAttribute("data-more")) box.setAttribute("data-more", more);
    const img = box.matches(".attn-picture") && box.querySelector("img");
    if (img) {
      const readable = readableWidth(img);
      img.style.setProperty("--shown", `${readable}px`);
      box.toggleAttribute("data-shrunk", PHONE.matches && box.clientWidth < readable - 1);
    }
    // What scrolls can be reached and scrolled with the keyboard; what fits, as after a phone is
    // turned, is no stop on its way.
    if (!box.matches(".attn-picture, .attn-example, mjx-container")) continue;
    if (far > 0) box.setAttribute("tabindex", "0");
    else box.removeAttribute("tabindex");
  }
};
const sizes = new ResizeObserver((changes) =>
  showMore([...new Set(changes.map(({ target }) => target.closest(MAY_SCROLL) ?? target))])
);
const watchScrolling = (/** @type {Element} */ part) => {
  // MathJax makes each formula a stop of the Tab key.
  for (const formula of [part, ...part.querySelectorAll("mjx-container")]) {
    if (formula.matches("mjx-container")) formula.removeAttribute("tabindex");
  }
  for (const box of [part, ...part.querySelectorAll(MAY_SCROLL)]) {
    if (!box.matches(MAY_SCROLL)) continue;
    sizes.observe(box);
    if (box.firstElementChild) sizes.observe(box.firstElementChild);
  }
};
// A font that comes late widens what a box holds, but neither the box nor its first element.
document.fonts.addEventListener("loadingdone", () => {
  showMore([...document.querySelectorAll(`.bd-article :is(${MAY_SCROLL})`)]);
});
document.addEventListener("scroll", ({ target }) => {
  if (!(target instanceof Element && target.matches(MAY_SCROLL))) return;
  if (target.scrollLeft > 1) target.setAttribute("data-moved", "");
  showMore([target]);
}, { capture: true, passive: true });
window.addEventListener("DOMContentLoaded", () => {
  for (const picture of document.querySelectorAll(".bd-article .cell_output figure > img")) {
    const box = document.createElement("div");
    box.className = "attn-picture";
    picture.replaceWith(box);
    box.append(picture);
    const enlarge = document.createElement("button");
    Object.assign(enlarge, { type: "button", className: "attn-enlarge", textContent: "Enlarge" });
    enlarge.addEventListener("click", () => {
      enlarge.textContent = box.toggleAttribute("data-large") ? "Show whole" : "Enlarge";
      showMore([box]);
    });
    box.after(enlarge);
    if (picture instanceof HTMLImageElement) picture.decode().then(() => showMore([box]), () => {});
  }
  for (const article of document.querySelectorAll(".bd-article")) {
    watchScrolling(article);
    // Formulas and the tables of what can be operated come later.
    new MutationObserver((changes) => {
      for (const added of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
        if (added instanceof Element) watchScrolling(added);
      }
    }).observe(article, { childList: true, subtree: true });
  }
});

// What a term means, or what is cited, shows under the mouse, with the keyboard's focus, and at a first
// tap, which then leads nowhere yet.
window.addEventListener("load", () => {
  if (!("bootstrap" in window)) return;
  const { Tooltip } = /** @type {any} */ (window).bootstrap;
  const links = /** @type {NodeListOf<HTMLAnchorElement>} */ (
    document.querySelectorAll(".bd-article a.internal[title]")
  );
  for (const link of links) {
    const tip = new Tooltip(link, { trigger: "hover focus", customClass: "attn-tip" });
    let isFirstTap = false;
    link.addEventListener("pointerdown", ({ pointerType }) => {
      isFirstTap = pointerType === "touch" && !link.hasAttribute("aria-describedby");
    });
    link.addEventListener("click", (event) => {
      if (isFirstTap) event.preventDefault();
    });
    link.addEventListener("keydown", ({ key }) => {
      if (key === "Escape") tip.hide();
    });
  }
});

// Paper is white: what is printed has the light theme.
window.addEventListener("beforeprint", () => {
  const root = document.documentElement, theme = root.dataset.theme;
  root.dataset.theme = "light";
  window.addEventListener("afterprint", () => {
    root.dataset.theme = theme;
  }, { once: true });
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
