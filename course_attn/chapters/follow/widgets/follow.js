// @ts-check
// Steps through a small model: what each reads, what it writes, and every number as its sum.

import {
  arrowed,
  button,
  cells,
  change,
  grid,
  make,
  mount,
  scrolling,
  slider,
} from "../../../drawing/kit.js";

/** @typedef {import("../../../drawing/kit.js").Say} Say */
/** @typedef {string | [number, number]} Places which rows or columns: see follow_steps.py */
/** @typedef {[string, Places, Places]} Read */
/** @typedef {{table: string, words: string, reads: Read[], sums: string[][],
 *   finer: number[][]}} Target */
/** @typedef {{slug: string, name: string, says: string, shapes: string, opened: number,
 *   chapter: [string, string, string], targets: Target[]}} Step */
/** @typedef {{title: string, rows: string[], columns: string[], role: string, values: string[][],
 *   perHead: number}} Table */
/** @typedef {{tokens: number[], tables: Record<string, Table>, steps: Step[]}} Data */

/**
 * Return how large a number is, among those of its table: its square is the darker.
 * @param {string} text
 * @returns {number}
 */
export function size(text) {
  return Math.abs(Number(text.replace("−", "-").replace("∞", "0")));
}

/**
 * Return whether a row or column is among those that a number is made of.
 * @param {Places} places
 * @param {number} k
 * @param {{row: number, column: number, token: number}} picked where the number stands
 * @returns {boolean}
 */
export function among(places, k, { row, column, token }) {
  if (typeof places !== "string") return places[0] <= k && k < places[1];
  /** @type {Record<string, number>} */
  const starts = { i: row, j: column, t: token, "*": k };
  return k === (starts[places[0]] ?? 0) + Number(places.slice(1));
}

/**
 * Say which number is picked, and what it is the sum of.
 * @param {Target} target
 * @param {Table} table
 * @param {number} row
 * @param {number} column
 * @returns {string}
 */
export function inWords({ words, sums, finer }, { rows, columns }, row, column) {
  const what = words.replace("{row}", rows[row]).replace("{column}", columns[column]);
  return `${what}${finer[row][column] ? " (with more decimals)" : ""}:\n${sums[row][column]}`;
}

/**
 * Return the address of the section that explains a step: a page beside this one in the book, a
 * notebook elsewhere.
 * @param {Step} step
 * @param {boolean} inBook
 * @returns {string}
 */
export function explained({ chapter: [page, , section] }, inBook) {
  return inBook ? `${page}.html${section && `#${section}`}` : `${page}.ipynb`;
}

class Follow {
  /**
   * @param {HTMLElement} stage
   * @param {Data} data
   * @param {Say} say
   * @param {HTMLElement} said
   */
  constructor(stage, data, say, said) {
    this.stage = stage;
    this.data = data;
    this.say = say;
    this.inBook = Boolean(document.querySelector(".bd-article"));
    this.now = 0;
    // The number that is picked: which of the step's results, row and column.
    this.target = this.column = 0;
    this.row = data.tokens.length - 1;
    /** @type {ReturnType<typeof cells>[]} the step's results */
    this.written = [];
    /** @type {Map<string, HTMLTableElement>} what the picked result is made of */
    this.read = new Map();
    this.at = slider({
      ...{ name: "step", min: 1, max: data.steps.length, step: 1, value: 1 },
      text: (k) => `${k} of ${data.steps.length}: ${data.steps[k - 1].name}`,
      changed: (k) => this.step(k - 1),
    });
    this.back = button("← Back", () => this.step(this.now - 1));
    this.on = button("Next →", () => this.step(this.now + 1));
    this.controls = make("div", { class: "attn-row controls" }, this.back, this.on, this.at.element);
    this.title = make("p", { class: "title" });
    this.says = make("p");
    this.shapes = make("p", { class: "faint" });
    this.chapter = make("a");
    this.code = make("a", { click: () => this.leave() }, "Its code");
    this.sources = make("div", { class: "attn-row" });
    this.results = make("div", { class: "attn-row" });
    this.layOut(said);
    this.listen();
    this.go(Math.max(this.named(), 0));
    if (this.named() >= 0) {
      addEventListener("load", () => setTimeout(() => this.controls.scrollIntoView()));
    }
  }

  /** @param {HTMLElement} said */
  layOut(said) {
    const links = make("p", {}, "Explained in ", this.chapter, ". ", this.code, ".");
    /** @type {(name: string, tables: HTMLElement) => HTMLElement} */
    const part = (name, tables) =>
      make("div", { class: "part" }, make("p", { class: "faint" }, name), tables);
    this.stage.append(
      this.controls,
      make("div", { class: "about" }, this.title, this.says, this.shapes, links),
      said,
      part("It reads", this.sources),
      part("It writes", this.results),
    );
  }

  listen() {
    this.controls.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      const sliding = event.target === this.at.element.querySelector("input");
      const arrow = sliding ? undefined : arrowed(event);
      if (!arrow) return;
      event.preventDefault();
      this.step(this.now + arrow[0] + arrow[1]);
    });
    addEventListener("hashchange", () => {
      if (this.named() >= 0) this.go(this.named());
    });
    addEventListener("popstate", ({ state }) => {
      if (!state?.atTables) return;
      this.go(this.named());
      setTimeout(() => this.controls.scrollIntoView());
    });
    document.addEventListener("click", (event) => this.comeBack(event));
  }

  /** Return the step that the address names. */
  named() {
    return this.data.steps.findIndex((step) => `#${step.slug}` === location.hash);
  }

  /**
   * Let a link from a step's code back to the tables open them at this step.
   * @param {MouseEvent} event
   */
  comeBack(event) {
    const { steps } = this.data;
    const link = /** @type {Element} */ (event.target).closest("a");
    const k = steps.findIndex(({ slug }) => slug === link?.closest("section[id]")?.id);
    const place = link && document.getElementById(link.hash.slice(1));
    if (k < 0 || !place?.contains(this.stage)) return;
    event.preventDefault();
    history.pushState(null, "", `#${steps[k].slug}`);
    this.go(k);
    this.controls.scrollIntoView();
    this.on.focus({ preventScroll: true });
  }

  /** Leave for the code of the step, so that the browser's way back leads here again. */
  leave() {
    if (!this.inBook) return;
    history.replaceState({ atTables: true }, "", `#${this.data.steps[this.now].slug}`);
    history.pushState(null, "", location.hash);
  }

  /**
   * Go to a step as the reader wants it: in the book the address goes along.
   * @param {number} k
   */
  step(k) {
    this.go(k);
    if (!this.inBook) return;
    try {
      history.replaceState(history.state, "", `#${this.data.steps[this.now].slug}`);
    } catch {
      // Safari takes only so many in a while; the next one brings the address up to date.
    }
  }

  /**
   * Go to a step, and pick a number of the row that was picked before.
   * @param {number} k
   */
  go(k) {
    const { steps } = this.data;
    this.now = Math.min(Math.max(k, 0), steps.length - 1);
    const step = steps[this.now];
    this.target = Math.min(this.target, step.targets.length - 1);
    this.column = Math.min(step.opened, step.targets[this.target].sums[0].length - 1);
    this.at.set(this.now + 1);
    change(this.back, { "aria-disabled": String(this.now === 0) });
    change(this.on, { "aria-disabled": String(this.now === steps.length - 1) });
    this.title.textContent = `${this.now + 1}. ${step.name[0].toUpperCase()}${step.name.slice(1)}`;
    this.says.textContent = step.says;
    this.shapes.textContent = `Shapes: ${step.shapes}.`;
    this.chapter.textContent = step.chapter[1];
    change(this.chapter, { href: explained(step, this.inBook) });
    change(this.code, { href: `#${step.slug}` });
    this.written = step.targets.map((target, which) => this.result(target, which));
    this.results.replaceChildren(...this.written.map((one) => scrolling(one.element)));
    this.read = new Map();
    this.show(`Step ${this.now + 1}, ${step.name}. `);
  }

  /**
   * Give the squares of a table their strength, and heads a gap between them.
   * @param {HTMLTableElement} table
   * @param {string} name
   */
  shade(table, name) {
    const { values, perHead } = this.data.tables[name];
    const largest = Math.max(...values.flat().map(size)) || 1;
    [...table.tBodies[0].rows].forEach((line, i) => {
      [...line.cells].slice(1).forEach((cell, j) => {
        cell.style.setProperty("--w", `${100 * size(values[i][j]) / largest}%`);
        cell.classList.toggle("gap", Boolean(perHead && j && j % perHead === 0));
      });
    });
  }

  /**
   * Make a table that is read.
   * @param {string} name
   * @returns {HTMLTableElement}
   */
  given(name) {
    const { title, rows, columns, role, values } = this.data.tables[name];
    const table = grid({ name: title, rows, columns, role, cell: (i, j) => make("td", {}, values[i][j]) });
    this.shade(table, name);
    return table;
  }

  /**
   * Make a table that is written, whose numbers can be picked.
   * @param {Target} target
   * @param {number} which of the step's targets
   */
  result({ table: name }, which) {
    const { title, rows, columns, role, values } = this.data.tables[name];
    const made = cells({ name: title, rows, columns, role, act: (i, j) => this.pick(which, i, j) });
    values.forEach((line, i) =>
      line.forEach((text, j) => {
        made.at(i, j).textContent = text;
        change(made.at(i, j), { "aria-label": `${title}, ${rows[i]}, ${columns[j]}: ${text}` });
      })
    );
    made.element.addEventListener("focusin", (event) => {
      const place = /** @type {HTMLElement} */ (event.target).closest("td");
      const line = place?.parentElement;
      if (place && line instanceof HTMLTableRowElement) {
        this.pick(which, line.sectionRowIndex, place.cellIndex - 1);
      }
    });
    this.shade(made.element, name);
    return made;
  }

  /**
   * @param {number} target
   * @param {number} row
   * @param {number} column
   */
  pick(target, row, column) {
    Object.assign(this, { target, row, column });
    this.show();
  }

  show(start = "") {
    const { row, column, data: { tables, steps } } = this, { targets } = steps[this.now];
    this.light(targets[this.target].reads);
    this.written.forEach((one, which) =>
      tables[targets[which].table].values.forEach((line, i) =>
        line.forEach((_, j) => {
          const here = i === row && j === column;
          change(one.at(i, j), {
            "aria-pressed": String(which === this.target && here),
            tabindex: here ? "0" : "-1",
          });
        })
      )
    );
    const target = targets[this.target];
    this.say(start + inWords(target, tables[target.table], row, column));
  }

  /**
   * Show the tables that are read, and mark what the picked number is made of.
   * @param {Read[]} reads
   */
  light(reads) {
    const names = reads.map(([name]) => name);
    if (names.join() !== [...this.read.keys()].join()) {
      this.read = new Map(names.map((name) => [name, this.given(name)]));
      this.sources.replaceChildren(...[...this.read.values()].map(scrolling));
    }
    const picked = { row: this.row, column: this.column, token: this.data.tokens[this.row] };
    for (const [name, rows, columns] of reads) {
      [...(this.read.get(name)?.tBodies[0].rows ?? [])].forEach((line, i) => {
        [...line.cells].slice(1).forEach((cell, j) =>
          cell.classList.toggle("lit", among(rows, i, picked) && among(columns, j, picked))
        );
      });
    }
  }
}

mount("follow", (stage, data, say, said) => new Follow(stage, data, say, said));
