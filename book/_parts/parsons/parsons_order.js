// @ts-check
// Where the lines of a Parsons problem are, and which orders are right: that was found out when the
// book was built (book/_parts/parsons/parsons.py), so that nothing needs Python here.

/**
 * @typedef {object} ParsonsLine
 * @property {number} id
 * @property {string} text without the indentation before it
 * @property {number} indent
 * @property {number | null} parent the head of its block
 * @property {boolean} fixed whether it is given
 *
 * @typedef {ParsonsLine & {instead: number, fault: string, says: string}} WrongLine
 *
 * @typedef {object} ParsonsData
 * @property {ParsonsLine[]} lines those of the solution
 * @property {WrongLine[]} wrong lines to leave out
 * @property {{first: number, then: number, says: string, lacks: string}[]} before
 * @property {number[]} pool all that are not fixed, shuffled
 *
 * @typedef {object} Judgment
 * @property {boolean} right
 * @property {string} says
 * @property {number} [line] the id of the line that it is about
 */

/**
 * Judges lines in an order.
 * @param {ParsonsData} data
 * @param {number[]} order the ids of the chosen lines, from top to bottom, the given ones included
 * @returns {Judgment}
 */
export function judgeOrder(data, order) {
  const missing = data.lines.filter((line) => !order.includes(line.id)).length;
  if (order.every((id) => data.lines.some((line) => line.id === id && line.fixed))) {
    return { right: false, says: "Nothing is chosen yet. Press a line to put it in." };
  }
  const found = wrongLine(data, order) ?? outOfBlock(data, order) ?? tooEarly(data, order) ??
    lacking(data, order);
  if (found) return found;
  if (missing) {
    const lines = missing === 1 ? "One line is" : `${missing} lines are`;
    return { right: false, says: `Right so far. ${lines} still missing.` };
  }
  return { right: true, says: "Right: these lines, in this order, solve the exercise." };
}

/**
 * @param {ParsonsData} data
 * @param {number[]} order
 */
function wrongLine(data, order) {
  const id = order.find((id) => data.wrong.some((line) => line.id === id));
  const wrong = data.wrong.find((line) => line.id === id);
  if (id === undefined || !wrong) return undefined;
  const says = `Line ${order.indexOf(id) + 1} does not belong here. ${wrong.says}`;
  return { right: false, line: id, says };
}

/**
 * The first line that does not stand in its block: the nearest line above it that is indented less
 * is not the head of its block.
 * @param {ParsonsData} data
 * @param {number[]} order
 */
function outOfBlock(data, order) {
  const lines = order.map((id) => data.lines[id]);
  for (const [at, line] of lines.entries()) {
    const above = lines.slice(0, at).findLast((other) => other.indent < line.indent);
    if ((above?.id ?? null) === line.parent || line.parent === null) continue;
    const head = data.lines[line.parent];
    const place = order.includes(head.id)
      ? `it belongs right below \`${head.text}\`, in that block.`
      : "the head of its block is missing, a line that ends with a colon.";
    return { right: false, line: line.id, says: `Line ${at + 1} is out of place: ${place}` };
  }
}

/**
 * @param {ParsonsData} data
 * @param {number[]} order
 */
function tooEarly(data, order) {
  const at = (/** @type {number} */ id) => order.indexOf(id);
  const [first] = data.before
    .filter(({ then, first }) => order.includes(then) && at(first) > at(then))
    .sort((one, other) => at(one.then) - at(other.then) || at(one.first) - at(other.first));
  if (!first) return undefined;
  const says = `Line ${at(first.then) + 1} stands too early. ${first.says}`;
  return { right: false, line: first.then, says };
}

/**
 * @param {ParsonsData} data
 * @param {number[]} order
 */
function lacking(data, order) {
  const need = data.before.find(
    ({ first, then, lacks }) => lacks && order.includes(then) && !order.includes(first),
  );
  const says = `Right so far, but a line is missing. ${need?.lacks}`;
  return need && { right: false, line: need.then, says };
}

/**
 * @param {ParsonsLine[]} lines
 * @returns {string} as it is typed
 */
function typed(lines) {
  return lines.map(({ text, indent }, at) => {
    const rows = text.split("\n").map((row) => (row ? " ".repeat(indent) + row : row));
    const isNext = at && text.startsWith("def ") && lines[at - 1].indent >= indent;
    const gap = isNext ? "\n" : ""; // the empty line between two methods
    return `${gap}${rows.join("\n")}\n`;
  }).join("");
}

/** Where the lines of a problem are: still to choose from, or in the answer, one of them marked. */
export class Arrangement {
  /** @param {ParsonsData} data */
  constructor(data) {
    this.data = data;
    /** @type {Map<number, ParsonsLine>} */
    this.lines = new Map([...data.lines, ...data.wrong].map((line) => [line.id, line]));
    /** @type {number[]} */
    this.outside = [];
    /** @type {number[]} */
    this.inside = [];
    this.current = 0; // the line below which the next one goes
    this.begin();
  }

  /** Puts every line where it is at the start. */
  begin() {
    this.outside = [...this.data.pool];
    this.inside = this.data.lines.filter((line) => line.fixed).map((line) => line.id);
    this.current = this.inside[this.firstPlace() - 1];
  }

  /** @param {number} id */
  lineOf(id) {
    return /** @type {ParsonsLine} */ (this.lines.get(id));
  }

  /** How many given lines stand above all others: a head, or a class with `__init__`. */
  firstPlace() {
    const indents = this.inside.map((id) => this.lineOf(id).indent);
    const end = this.inside.findIndex(
      (id, at) => at && (!this.lineOf(id).fixed || indents[at] < indents[at - 1]),
    );
    return end < 0 ? this.inside.length : end;
  }

  /** The answer as it is typed. */
  text() {
    return typed(this.inside.map((id) => this.lineOf(id)));
  }

  /**
   * Puts a line below the marked one, and marks it.
   * @param {number} id
   * @returns {number | undefined} the line to choose from that is now in its place
   */
  putIn(id) {
    const at = this.outside.indexOf(id);
    this.outside.splice(at, 1);
    this.inside.splice(this.inside.indexOf(this.current) + 1, 0, id);
    this.current = id;
    return this.outside[Math.min(at, this.outside.length - 1)];
  }

  /**
   * Moves the marked line up or down.
   * @param {number} by
   * @returns {boolean} whether it can be moved there
   */
  move(by) {
    const from = this.inside.indexOf(this.current);
    const to = from + by;
    const stays = to < this.firstPlace() || to >= this.inside.length;
    if (this.lineOf(this.current).fixed || stays) return false;
    this.inside.splice(to, 0, ...this.inside.splice(from, 1));
    return true;
  }

  /**
   * Takes the marked line out; the one above it is marked then.
   * @returns {ParsonsLine | undefined} that line, if it may be taken out
   */
  takeOut() {
    const line = this.lineOf(this.current), at = this.inside.indexOf(line.id);
    if (line.fixed || at < 0) return undefined;
    this.inside.splice(at, 1);
    this.outside.push(line.id);
    this.current = this.inside[at - 1];
    return line;
  }

  /**
   * Lifts a line from where it is.
   * @param {number} id
   */
  lift(id) {
    this.outside = this.outside.filter((other) => other !== id);
    this.inside = this.inside.filter((other) => other !== id);
  }

  /**
   * Lays down a line that was lifted; nothing goes above the first given lines.
   * @param {number} id
   * @param {boolean} inAnswer
   * @param {number} at how many lines of that list are above it
   */
  lay(id, inAnswer, at) {
    if (inAnswer) {
      this.inside.splice(Math.max(at, this.firstPlace()), 0, id);
      this.current = id;
    } else {
      this.outside.splice(at, 0, id);
      if (this.current === id) this.current = this.inside[this.inside.length - 1];
    }
  }

  /**
   * Puts the lines back to where they were.
   * @param {number[][]} lists
   */
  restore([outside, inside]) {
    [this.outside, this.inside] = [outside, inside];
    if (!inside.includes(this.current)) this.current = inside[this.firstPlace() - 1];
  }
}
