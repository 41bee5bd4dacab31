// @ts-check
// Steps through a small model: what each reads, what it writes, and every number as its sum.

import { arrowed, button, cells, change, grid, make, mount, slider } from "../../../drawing/kit.js";

/** @typedef {string | [number, number]} FollowPlaces which rows or columns: see follow_steps.py */
/** @typedef {[string, FollowPlaces, FollowPlaces]} FollowRead */
/** @typedef {{table: string, words: string, reads: FollowRead[], sums: string[][],
 *   finer: number[][]}} FollowTarget */
/** @typedef {{slug: string, name: string, says: string, shapes: string, opened: number,
 *   chapter: [string, string, string], targets: FollowTarget[]}} FollowStep */

/** How large a number is, among those of its table: its square is the darker. */
const followSize = (/** @type {string} */ text) => Math.abs(Number(text.replace("−", "-").replace("∞", "0")));

mount("follow", (stage, data, say, said) => {
  const { tokens, tables } = data;
  /** @type {FollowStep[]} */
  const steps = data.steps;
  let now = 0;
  /** The number that is picked: which of the step's results, row and column. */
  let target = 0, row = tokens.length - 1, column = 0;
  /** @type {ReturnType<typeof cells>[]} the step's results */
  let written = [];
  /** @type {Map<string, HTMLTableElement>} what the picked result is made of */
  let read = new Map();

  // Where chapters are: beside this page in the book, notebooks elsewhere.
  const inBook = Boolean(document.querySelector(".bd-article"));
  const linked = (/** @type {FollowStep} */ { chapter: [page, , section] }) =>
    inBook ? `${page}.html${section && `#${section}`}` : `${page}.ipynb`;
  const title = make("p", { class: "title" }), says = make("p"), shapes = make("p", { class: "faint" });
  const chapter = make("a"), code = make("a", { click: leave }, "Its code");
  const sources = make("div", { class: "attn-row" }), results = make("div", { class: "attn-row" });
  const count = (/** @type {number} */ k) => `${k} of ${steps.length}: ${steps[k - 1].name}`;
  const at = slider({
    name: "step",
    min: 1,
    max: steps.length,
    step: 1,
    value: 1,
    text: count,
    changed: (k) => step(k - 1),
  });
  const back = button("← Back", () => step(now - 1)), on = button("Next →", () => step(now + 1));
  const controls = make(
    "div",
    {
      class: "attn-row controls",
      keydown: (event) => {
        const arrow = event.target === at.element.querySelector("input") ? undefined : arrowed(event);
        if (!arrow) return;
        event.preventDefault();
        step(now + arrow[0] + arrow[1]);
      },
    },
    back,
    on,
    at.element,
  );

  /** Give the squares of a table their strength, and heads a gap between them. */
  function shade(table, name) {
    const { values, perHead } = tables[name];
    const largest = Math.max(...values.flat().map(followSize)) || 1;
    [...table.tBodies[0].rows].forEach((line, i) => {
      [...line.cells].slice(1).forEach((cell, j) => {
        cell.style.setProperty("--w", `${100 * followSize(values[i][j]) / largest}%`);
        cell.classList.toggle("gap", Boolean(perHead && j && j % perHead === 0));
      });
    });
  }

  /** Make a table that is read. */
  function given(name) {
    const { title: caption, rows, columns, role, values } = tables[name];
    const table = grid({ name: caption, rows, columns, role, cell: (i, j) => make("td", {}, values[i][j]) });
    shade(table, name);
    return table;
  }

  /** Make a table that is written, whose numbers can be picked. */
  function result({ table: name }, k) {
    const { title: caption, rows, columns, role, values } = tables[name];
    const made = cells({ name: caption, rows, columns, role, act: (i, j) => pick(k, i, j) });
    values.forEach((line, i) =>
      line.forEach((text, j) => {
        made.at(i, j).textContent = text;
        change(made.at(i, j), { "aria-label": `${caption}, ${rows[i]}, ${columns[j]}: ${text}` });
      })
    );
    made.element.addEventListener("focusin", (event) => {
      const place = /** @type {HTMLElement} */ (event.target).closest("td");
      const line = place?.parentElement;
      if (place && line instanceof HTMLTableRowElement) {
        pick(k, line.sectionRowIndex, place.cellIndex - 1);
      }
    });
    shade(made.element, name);
    return made;
  }

  const scrolling = (/** @type {HTMLElement} */ table) => make("div", { class: "attn-scroll" }, table);

  /** Go to a step, and pick a number of the row that was picked before. */
  function go(/** @type {number} */ k) {
    now = Math.min(Math.max(k, 0), steps.length - 1);
    const step = steps[now];
    target = Math.min(target, step.targets.length - 1);
    column = Math.min(step.opened, step.targets[target].sums[0].length - 1);
    at.set(now + 1);
    change(back, { "aria-disabled": String(now === 0) });
    change(on, { "aria-disabled": String(now === steps.length - 1) });
    title.textContent = `${now + 1}. ${step.name[0].toUpperCase()}${step.name.slice(1)}`;
    says.textContent = step.says;
    shapes.textContent = `Shapes: ${step.shapes}.`;
    chapter.textContent = step.chapter[1];
    change(chapter, { href: linked(step) });
    change(code, { href: `#${step.slug}` });
    written = step.targets.map(result);
    results.replaceChildren(...written.map((one) => scrolling(one.element)));
    read = new Map();
    show(`Step ${now + 1}, ${step.name}. `);
  }

  /** Go to a step as the reader wants it: in the book the address goes along. */
  function step(/** @type {number} */ k) {
    go(k);
    if (!inBook) return;
    try {
      history.replaceState(history.state, "", `#${steps[now].slug}`);
    } catch {
      // Safari takes only so many in a while; the next one brings the address up to date.
    }
  }

  /** Leave for the code of the step, so that the browser's way back leads here again. */
  function leave() {
    if (!inBook) return;
    history.replaceState({ atTables: true }, "", `#${steps[now].slug}`);
    history.pushState(null, "", location.hash);
  }

  function pick(...place) {
    [target, row, column] = place;
    show();
  }

  /** Whether a row or column is among those that the picked number is made of. */
  function among(/** @type {FollowPlaces} */ places, /** @type {number} */ k) {
    if (typeof places !== "string") return places[0] <= k && k < places[1];
    const start = { i: row, j: column, t: tokens[row], "*": k }[places[0]] ?? 0;
    return k === start + Number(places.slice(1));
  }

  function show(start = "") {
    const step = steps[now], { table, words, reads, sums, finer } = step.targets[target];
    const names = reads.map(([name]) => name);
    if (names.join() !== [...read.keys()].join()) {
      read = new Map(names.map((name) => [name, given(name)]));
      sources.replaceChildren(...[...read.values()].map(scrolling));
    }
    for (const [name, rows, columns] of reads) {
      [...(read.get(name)?.tBodies[0].rows ?? [])].forEach((line, i) => {
        [...line.cells].slice(1).forEach((cell, j) =>
          cell.classList.toggle("lit", among(rows, i) && among(columns, j))
        );
      });
    }
    written.forEach((one, k) =>
      tables[step.targets[k].table].values.forEach((line, i) =>
        line.forEach((_, j) => {
          const picked = k === target && i === row && j === column;
          change(one.at(i, j), {
            "aria-pressed": String(picked),
            tabindex: i === row && j === column ? "0" : "-1",
          });
        })
      )
    );
    const what = words.replace("{row}", tables[table].rows[row])
      .replace("{column}", tables[table].columns[column]);
    const more = finer[row][column] ? " (with more decimals)" : "";
    say(`${start}${what}${more}:\n${sums[row][column]}`);
  }

  const part = (/** @type {string} */ name, /** @type {HTMLElement} */ tables) =>
    make("div", { class: "part" }, make("p", { class: "faint" }, name), tables);
  stage.append(
    controls,
    make(
      "div",
      { class: "about" },
      title,
      says,
      shapes,
      make("p", {}, "Explained in ", chapter, ". ", code, "."),
    ),
    said,
    part("It reads", sources),
    part("It writes", results),
  );

  /** Open the step that the address names. */
  const named = () => steps.findIndex((step) => `#${step.slug}` === location.hash);
  window.addEventListener("hashchange", () => {
    if (named() >= 0) go(named());
  });
  window.addEventListener("popstate", ({ state }) => {
    if (!state?.atTables) return;
    go(named());
    setTimeout(() => controls.scrollIntoView());
  });
  // A link from a step's code back to the tables opens them at this step.
  document.addEventListener("click", (event) => {
    const link = /** @type {Element} */ (event.target).closest("a");
    const k = steps.findIndex(({ slug }) => slug === link?.closest("section[id]")?.id);
    const place = link && document.getElementById(link.hash.slice(1));
    if (k < 0 || !place?.contains(stage)) return;
    event.preventDefault();
    history.pushState(null, "", `#${steps[k].slug}`);
    go(k);
    controls.scrollIntoView();
    on.focus({ preventScroll: true });
  });
  go(Math.max(named(), 0));
  if (named() >= 0) {
    window.addEventListener("load", () => setTimeout(() => controls.scrollIntoView()));
  }
});
