// @ts-check
// Breaks each section of a chapter into as many slides as it needs, and hands them to reveal.js.

const page = /** @type {any} */ (window);

// Within these, the arrow keys and what else moves things stay where the focus is.
const LIVE = ".attn-live, .attn-explorer, .attn-animation, .attn-predict, details";
const KEYS_OF_CONTROLS = /^(Arrow.*|Home|End|Enter| )$/;
const SMALLEST = 0.7, LOWEST_PICTURE = 240;

/** @typedef {{section: HTMLElement, body: HTMLElement}} Slide */

/**
 * Make an empty slide with a heading.
 *
 * @param {Element} heading
 * @param {string} [kind]
 * @returns {Slide}
 */
function newSlide(heading, kind = "") {
  const section = document.createElement("section"), sheet = document.createElement("div");
  const body = document.createElement("div");
  sheet.className = `sheet bd-article ${kind}`;
  body.className = "blocks";
  const title = /** @type {Element} */ (heading.cloneNode(true));
  title.classList.add("heading");
  sheet.append(title, body);
  section.append(sheet);
  document.querySelector(".slides")?.append(section);
  return { section, body };
}

/** @param {HTMLElement} body */
function overflows(body) {
  return body.scrollHeight > body.clientHeight + 1;
}

/**
 * Whether a sentence, or what introduces a block, goes on in the next block.
 *
 * @param {Element} block
 * @param {Element} next
 */
function goesOn(block, next) {
  const said = (/** @type {Element} */ one) => one.textContent?.trim() ?? "";
  if (block.matches("p")) return !/[.?!][)”]?$/.test(said(block));
  return block.matches("div.math") && next.matches("p") && /^[a-z]/.test(said(next));
}

/**
 * Fill slides with the blocks of a section, one after the other.
 *
 * @param {Element} topic
 */
function breakUp(topic) {
  const heading = topic.querySelector(":scope > :is(h1, h2, h3, h4, h5, h6)");
  if (!heading) return;
  const isTitle = heading.matches("h1");
  const blocks = [...topic.children].filter((block) => block !== heading);
  let slide = newSlide(heading, isTitle ? "title" : "");
  slide.section.id = topic.id;
  topic.removeAttribute("id");
  if (isTitle) {
    slide.body.append(blocks.shift() ?? "");
    const credit = document.querySelector("body > .credit");
    if (credit) slide.body.after(credit);
    slide = newSlide(heading);
  }
  for (let block = blocks.shift(); block; block = blocks.shift()) {
    slide.body.append(block);
    if (overflows(slide.body)) {
      const together = [block];
      for (let last = block.previousElementSibling; last && goesOn(last, together[0]);) {
        together.unshift(last);
        last = last.previousElementSibling;
      }
      if (together.length < slide.body.childElementCount) {
        slide = newSlide(heading);
        slide.body.append(...together);
      }
    }
    if (overflows(slide.body)) {
      const rest = divided(slide.body, block);
      if (rest) blocks.unshift(rest);
    }
    if (overflows(slide.body)) shrink(slide.body, /** @type {HTMLElement} */ (block));
    // The answer to a question begins on the next slide.
    if (block.querySelector(".attn-predict") && blocks.length) slide = newSlide(heading);
  }
  if (!slide.body.childElementCount) slide.section.remove();
}

/**
 * Take from a block what the slide has no room for: the last items of a list, the last rows of a
 * table, the output of a cell.
 *
 * @param {HTMLElement} body
 * @param {Element} block
 * @returns {Element | null} what was taken
 */
function divided(body, block) {
  const rest = /** @type {Element} */ (block.cloneNode(false));
  rest.removeAttribute("id");
  if (block.matches("ul, ol")) {
    while (overflows(body) && block.childElementCount > 1) {
      rest.prepend(/** @type {Element} */ (block.lastElementChild));
    }
    if (rest instanceof HTMLOListElement) rest.start += block.childElementCount;
  } else if (block.matches(":has(> table)")) {
    const table = /** @type {HTMLTableElement} */ (block.querySelector(":scope > table"));
    const rows = table.tBodies[0], more = /** @type {HTMLTableElement} */ (table.cloneNode(true));
    more.tBodies[0].replaceChildren();
    while (overflows(body) && rows.childElementCount > 1) {
      more.tBodies[0].prepend(/** @type {Element} */ (rows.lastElementChild));
    }
    if (more.tBodies[0].childElementCount) rest.append(more);
  } else if (block.matches(".cell:has(> .cell_input)")) {
    rest.append(...block.querySelectorAll(":scope > .cell_output"));
  }
  return rest.childElementCount ? rest : null;
}

/**
 * Make a block that is too large for a slide fit: its pictures lower, then all of it smaller. What
 * is too large even so can be scrolled.
 *
 * @param {HTMLElement} body
 * @param {HTMLElement} block
 */
function shrink(body, block) {
  for (const picture of block.querySelectorAll("img")) {
    const height = picture.offsetHeight, excess = body.scrollHeight - body.clientHeight;
    if (height <= LOWEST_PICTURE || excess <= 0) continue;
    picture.style.maxHeight = `${Math.max(height - excess, LOWEST_PICTURE)}px`;
  }
  for (let zoom = 0.95; overflows(body) && zoom > SMALLEST - 0.01; zoom -= 0.05) {
    block.style.zoom = String(zoom);
  }
  if (overflows(body)) {
    block.style.zoom = "";
    body.classList.add("scrolls");
    body.tabIndex = 0;
  }
}

// What is pressed and clicked

/** @param {KeyboardEvent} event */
function isForSlides(event) {
  const inside = event.target instanceof Element && event.target.closest(`${LIVE}, .scrolls`);
  return !(inside && KEYS_OF_CONTROLS.test(event.key));
}

/**
 * Go to the slide that a link within the chapter leads to.
 *
 * @param {MouseEvent} event
 */
function followLink(event) {
  const link = event.target instanceof Element ? event.target.closest("a[href^='#']") : null;
  if (!(link instanceof HTMLAnchorElement)) return;
  const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
  const section = target?.closest(".slides > section");
  if (!section) return;
  event.preventDefault();
  const { h, v } = page.Reveal.getIndices(section);
  page.Reveal.slide(h, v);
}

/** After a control was used with the pointer, the next key turns the slide again. */
function giveUpFocus() {
  const focused = document.activeElement;
  if (focused?.closest(LIVE) && focused.matches("button, input[type=range], input[type=radio], summary")) {
    /** @type {HTMLElement} */ (focused).blur();
  }
}

/** @param {string} theme */
function useTheme(theme) {
  Object.assign(document.documentElement.dataset, { theme, mode: theme });
}

async function start() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  useTheme(dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => useTheme(dark.matches ? "dark" : "light"));
  await page.MathJax?.startup?.promise;
  await document.fonts.ready;
  const pictures = [...document.images].map((picture) => picture.decode().catch(() => undefined));
  await Promise.all(pictures);
  const reveal = page.Reveal;
  for (const topic of document.querySelectorAll("main.chapter > .topic")) breakUp(topic);
  document.querySelector("main.chapter")?.remove();
  document.documentElement.classList.add("ready");
  await reveal.initialize({
    width: 1280,
    height: 720,
    margin: 0,
    center: false,
    hash: true,
    slideNumber: "c/t",
    transition: "none",
    navigationMode: "linear",
    keyboardCondition: isForSlides,
  });
  reveal.addKeyBinding(
    { keyCode: 68, key: "D", description: "Light or dark" },
    () => useTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"),
  );
  document.addEventListener("click", followLink);
  document.addEventListener("pointerup", () => setTimeout(giveUpFocus));
}

start();
