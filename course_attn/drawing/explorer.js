// @ts-check
// Weights to explore: a reader picks a head and a token, and sees and reads what that looks at.

/**
 * @typedef {{heads: string[], queries: string[], keys: string[] | null, weights: number[][][],
 *   query: number, width: number}} Weights as explorer.py writes them: `keys` are others than the
 *   queries, `query` is the one that asks at first, `width` how many tokens stand in a line, or 0;
 *   weights are whole numbers, so many hundred-thousandths
 */

/**
 * Write a weight.
 * @param {number} weight
 * @returns {string}
 */
export function number(weight) {
  return weight ? (Math.floor((weight + 500) / 1000) / 100).toFixed(2) : "0";
}

/**
 * Quote a token, with its place where there is another like it.
 * @param {string[]} tokens
 * @param {number} k
 * @returns {string}
 */
export function called(tokens, k) {
  const again = tokens.filter((token) => token === tokens[k]).length > 1;
  return `“${tokens[k]}”` + (again ? ` (${k + 1})` : "");
}

/**
 * Say what a token looks at most, and what is left.
 * @param {Weights} data
 * @param {number} head
 * @param {number} query
 * @returns {string}
 */
export function inWords({ heads, queries, keys, weights }, head, query) {
  const row = weights[head][query];
  const who = (heads.length > 1 ? heads[head] + ": " : "") + called(queries, query);
  const total = row.reduce((sum, weight) => sum + weight, 0);
  if (!total) return who + " looks at nothing: all is masked.";
  const top = [...row.entries()].sort((a, b) => b[1] - a[1]).slice(0, 3)
    .filter(([, weight]) => weight >= 500);
  const parts = top.map(([j, weight]) => called(keys ?? queries, j) + " with " + number(weight));
  const rest = total - top.reduce((sum, [, weight]) => sum + weight, 0);
  const left = row.filter((weight) => weight).length - top.length;
  if (left > 0) {
    const share = rest < 500 ? "less than 0.01" : number(rest);
    parts.push((left > 1 ? "the other " + left : "one other") + " with " + share);
  }
  return who + " looks at " + parts.join(", at ") + (left > 1 ? " together." : ".");
}

/**
 * Return where a key leads in the group of tokens; nothing for others. Left and right, up and down
 * move by one, as in every group of radio buttons. Here: Home, End, and up and down by a line where
 * tokens stand in lines.
 * @param {string} key
 * @param {number} from
 * @param {{queries: string[], width: number}} data
 * @returns {number | undefined}
 */
export function led(key, from, { queries, width }) {
  if (key === "Home") return 0;
  if (key === "End") return queries.length - 1;
  const down = { ArrowDown: width, ArrowUp: -width }[key];
  return down ? from + down : undefined;
}

/**
 * @param {string} tag
 * @param {string} name its class
 * @param {string} text
 * @param {Element} parent
 * @returns {any}
 */
function make(tag, name, text, parent) {
  const element = document.createElement(tag);
  element.className = name;
  element.textContent = text;
  return parent.appendChild(element);
}

/**
 * Make a radio button that fills its label, so that the label is what one sees and clicks.
 * @param {Element} parent
 * @param {string} group
 * @param {string} label
 * @param {boolean} on
 * @param {() => void} pick
 * @returns {HTMLElement}
 */
function choice(parent, group, label, on, pick) {
  const tile = make("label", "attn-tile", "", parent);
  const radio = make("input", "", "", tile);
  Object.assign(radio, { type: "radio", name: group, checked: on, autocomplete: "off" });
  make("span", "attn-token", label, tile);
  radio.addEventListener("change", pick);
  // Or else JupyterLab would take the arrow keys to move from cell to cell.
  radio.setAttribute("data-lm-suppress-shortcuts", "true");
  return tile;
}

class Explorer {
  /**
   * @param {Element} root
   * @param {Weights} data
   */
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.head = 0;
    this.pinned = this.shown = data.query;
    /** @type {HTMLTableRowElement[]} */
    this.rows = [...root.querySelectorAll("tbody").values()].flatMap((body) => [...body.rows]);
    const { queries, keys } = data, ask = this.find(".attn-ask"), looked = this.find(".attn-keys");
    this.asking = queries.map((token, i) => choice(ask, "token", token, i === data.query, () => this.pin(i)));
    this.answering = keys ? keys.map((token) => listed(looked, token)) : this.asking;
    for (const tile of this.answering) {
      make("span", "attn-bar", "", tile);
      make("span", "attn-number", "", tile);
    }
    ask.hidden = false;
    looked.hidden = !keys;
    ask.classList.toggle("attn-wordy", Boolean(keys));
    this.layOut();
    this.listen(ask);
    root.classList.add("attn-on");
    // All weights at once are for those who ask; without this script they are all there is.
    /** @type {HTMLDetailsElement} */ (this.find(".attn-map")).open = false;
    this.turn(0);
  }

  /**
   * @param {string} selector
   * @returns {HTMLElement}
   */
  find(selector) {
    return /** @type {HTMLElement} */ (this.root.querySelector(selector));
  }

  layOut() {
    const { heads, queries, keys, width } = this.data, form = this.find("form");
    if (heads.length > 1) {
      const chooser = this.find(".attn-heads");
      heads.forEach((name, h) => choice(chooser, "head", name, h === 0, () => this.turn(h)));
      chooser.hidden = false;
    }
    if (width) {
      form.style.setProperty("--columns", String(width));
      form.classList.add("attn-grid");
    }
    // Names of one or two letters stay upright above their columns; longer ones are turned.
    const short = (keys ?? queries).every((token) => token.split(" ").every((word) => word.length < 3));
    this.root.classList.toggle("attn-short", short);
    for (const cell of this.root.querySelectorAll("thead th, tbody td")) {
      const text = cell.textContent ?? "";
      cell.textContent = "";
      make("span", "", text, cell);
    }
  }

  /** @param {HTMLElement} ask */
  listen(ask) {
    this.hover(this.asking, ask);
    this.hover(this.rows, this.find("tbody"));
    this.rows.forEach((line, i) => line.addEventListener("click", () => this.pin(i)));
    ask.addEventListener("keydown", (event) => {
      const to = led(event.key, this.pinned, this.data);
      if (to === undefined) return;
      event.preventDefault();
      if (to in this.asking) this.pin(to).focus();
    });
    this.find("form").addEventListener("submit", (event) => event.preventDefault());
  }

  /**
   * Show what the pointer is over. One at rest over a page that scrolls picks nothing.
   * @param {HTMLElement[]} elements
   * @param {HTMLElement} area
   */
  hover(elements, area) {
    elements.forEach((element, i) =>
      element.addEventListener("pointermove", (event) => {
        const moves = event.movementX || event.movementY;
        if (event.pointerType === "mouse" && moves && i !== this.shown) this.show(i);
      })
    );
    area.addEventListener("pointerleave", () => this.show(this.pinned));
  }

  /**
   * Let a token ask until another is picked, and return its button.
   * @param {number} i
   * @returns {HTMLInputElement}
   */
  pin(i) {
    const radio = /** @type {HTMLInputElement} */ (this.asking[i].querySelector("input"));
    this.pinned = i;
    radio.checked = true;
    this.show(i);
    return radio;
  }

  /** @param {number} i */
  show(i) {
    this.shown = i;
    const row = this.data.weights[this.head][i];
    for (const all of [this.asking, this.rows]) {
      all.forEach((one, k) => one.classList.toggle("attn-asks", k === i));
    }
    this.answering.forEach((tile, j) => {
      tile.style.setProperty("--w", String(row[j] / 1e5));
      /** @type {Element} */ (tile.querySelector(".attn-number")).textContent = number(row[j]);
    });
    const words = inWords(this.data, this.head, i), said = this.find(".attn-said");
    if (said.textContent !== words) said.textContent = words;
  }

  /** @param {number} h */
  turn(h) {
    const { heads, weights } = this.data;
    this.head = h;
    this.rows.forEach((line, i) =>
      line.querySelectorAll("td").forEach((cell, j) => {
        cell.style.setProperty("--w", String(weights[h][i][j] / 1e5));
        /** @type {Element} */ (cell.firstElementChild).textContent = number(weights[h][i][j]);
      })
    );
    this.find(".attn-legend").textContent = "All weights" + (heads.length > 1 ? " of " + heads[h] : "") +
      ": a row for each token that asks. The larger, the stronger the color.";
    this.show(this.shown);
  }
}

/**
 * @param {Element} parent
 * @param {string} token
 * @returns {HTMLElement}
 */
function listed(parent, token) {
  const tile = make("div", "attn-tile", "", parent);
  tile.setAttribute("role", "listitem");
  make("span", "attn-token", token, tile);
  return tile;
}

// A test imports what is above where there is no page.
for (const root of globalThis.document?.querySelectorAll(".attn-explorer:not(.attn-on)") ?? []) {
  const data = root.querySelector("script[type='application/json']");
  new Explorer(root, JSON.parse(data?.textContent ?? ""));
}
