export function explore(root, { heads, queries, keys: others, weights, query, width }) {
  const keys = others || queries, same = !others;
  const find = (selector) => root.querySelector(selector);
  const form = find("form"), ask = find(".attn-ask"), looked = find(".attn-keys");
  const rows = [...root.querySelectorAll("tbody tr")];
  let head = 0, pinned = query, shown = query;

  function make(tag, name, text, parent) {
    const element = document.createElement(tag);
    element.className = name;
    element.textContent = text;
    return parent.appendChild(element);
  }

  // Weights are whole numbers: so many hundred-thousandths.
  function number(weight) {
    return weight ? (Math.floor((weight + 500) / 1000) / 100).toFixed(2) : "0";
  }

  function called(tokens, k) {
    const again = tokens.filter((token) => token === tokens[k]).length > 1;
    return "“" + tokens[k] + "”" + (again ? " (" + (k + 1) + ")" : "");
  }

  function inWords(row) {
    const label = heads.length > 1 ? heads[head] + ": " : "";
    const who = label + called(queries, shown);
    const total = row.reduce((sum, weight) => sum + weight, 0);
    if (!total) return who + " looks at nothing: all is masked.";
    const top = row.map((weight, j) => [weight, j]).sort((a, b) => b[0] - a[0])
      .slice(0, 3).filter(([weight]) => weight >= 500);
    const parts = top.map(([weight, j]) => called(keys, j) + " with " + number(weight));
    const rest = total - top.reduce((sum, [weight]) => sum + weight, 0);
    const left = row.filter((weight) => weight).length - top.length;
    if (left > 0) {
      const share = rest < 500 ? "less than 0.01" : number(rest);
      parts.push((left > 1 ? "the other " + left : "one other") + " with " + share);
    }
    return who + " looks at " + parts.join(", at ") + (left > 1 ? " together." : ".");
  }

  // A radio button that fills its label, so that the label is what one sees and clicks.
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

  function addBar(tile) {
    make("span", "attn-bar", "", tile);
    make("span", "attn-number", "", tile);
  }

  // A pointer at rest over a page that scrolls picks nothing.
  function hover(elements, area) {
    elements.forEach((element, i) =>
      element.addEventListener("pointermove", (event) => {
        const moves = event.movementX || event.movementY;
        if (event.pointerType === "mouse" && moves && i !== shown) show(i);
      })
    );
    area.addEventListener("pointerleave", () => show(pinned));
  }

  function pin(i) {
    pinned = i;
    asking[i].querySelector("input").checked = true;
    show(i);
  }

  function show(i) {
    shown = i;
    const row = weights[head][i];
    asking.forEach((tile, k) => tile.classList.toggle("attn-asks", k === i));
    rows.forEach((line, k) => line.classList.toggle("attn-asks", k === i));
    answering.forEach((tile, j) => {
      tile.style.setProperty("--w", row[j] / 1e5);
      tile.querySelector(".attn-number").textContent = number(row[j]);
    });
    const words = inWords(row), said = find(".attn-said");
    if (said.textContent !== words) said.textContent = words;
  }

  function turn(h) {
    head = h;
    rows.forEach((line, i) =>
      line.querySelectorAll("td").forEach((cell, j) => {
        cell.style.setProperty("--w", weights[h][i][j] / 1e5);
        cell.firstChild.textContent = number(weights[h][i][j]);
      })
    );
    find(".attn-legend").textContent = "All weights" + (heads.length > 1 ? " of " + heads[h] : "") +
      ": a row for each token that asks. The larger, the stronger the color.";
    show(shown);
  }

  const asking = queries.map((token, i) => choice(ask, "token", token, i === query, () => pin(i)));
  const answering = same ? asking : keys.map((token) => {
    const tile = make("div", "attn-tile", "", looked);
    tile.setAttribute("role", "listitem");
    make("span", "attn-token", token, tile);
    return tile;
  });
  answering.forEach(addBar);
  ask.hidden = false;
  looked.hidden = same;
  ask.classList.toggle("attn-wordy", !same);
  if (heads.length > 1) {
    const chooser = find(".attn-heads");
    heads.forEach((name, h) => choice(chooser, "head", name, h === 0, () => turn(h)));
    chooser.hidden = false;
  }
  if (width) {
    form.style.setProperty("--columns", width);
    form.classList.add("attn-grid");
  }
  // Names of one or two letters stay upright above their columns; longer ones are turned.
  const short = keys.every((token) => token.split(" ").every((word) => word.length < 3));
  root.classList.toggle("attn-short", short);
  for (const cell of root.querySelectorAll("thead th, tbody td")) {
    const text = cell.textContent;
    cell.textContent = "";
    make("span", "", text, cell);
  }

  hover(asking, ask);
  hover(rows, find("tbody"));
  rows.forEach((line, i) => line.addEventListener("click", () => pin(i)));
  // Left and right, up and down move by one, as in every group of radio buttons. Here: Home, End,
  // and up and down by a line where tokens stand in lines.
  ask.addEventListener("keydown", (event) => {
    const down = { ArrowDown: width, ArrowUp: -width }[event.key];
    let to = { Home: 0, End: queries.length - 1 }[event.key];
    if (down) to = pinned + down;
    if (to === undefined) return;
    event.preventDefault();
    if (to < 0 || to >= queries.length) return;
    pin(to);
    asking[to].querySelector("input").focus();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  root.classList.add("attn-on");
  turn(0);
}
