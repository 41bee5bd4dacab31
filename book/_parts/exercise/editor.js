// @ts-check
// The editor for Python: a plain text area at once, and CodeMirror in its place as soon as that is
// there. CodeMirror's file is loaded by a script tag, the one way that also works from a folder.

import { fromRoot, loadScript } from "../shared/course.js";

/**
 * @typedef {object} EditorOptions
 * @property {string} text what the editor shows first
 * @property {string} label its name for screen readers
 * @property {(text: string) => void} [onChange] called after each change by the reader
 * @property {() => void} [onRun] called on Ctrl+Enter, Cmd+Enter and Shift+Enter
 * @property {boolean} [readOnly] text to be read and copied only
 */

/**
 * What stands in the page: the text area, or CodeMirror.
 * @typedef {object} Surface
 * @property {HTMLElement} element what has the focus
 * @property {() => string} text
 * @property {(text: string) => void} setText
 * @property {(line: number) => void} mark marks a line, or none for 0
 */

/**
 * @typedef {object} Editor
 * @property {() => string} text the text as it stands
 * @property {(text: string) => void} setText replaces all text; one undo brings the old one back
 * @property {() => void} focus
 * @property {(line: number, sentence?: string) => void} showError marks a line, counted from 1,
 *   until the next change, and says why below the editor; line 0 takes the mark away
 * @property {Promise<boolean>} ready whether CodeMirror could be loaded
 */

const INDENT = "    ";
const MODIFIERS = ["Shift", "Control", "Alt", "Meta", "CapsLock"];
let editorsOpened = 0;
/** @type {Promise<any> | undefined} */
let codeMirrorLoading;

/** @returns {any} CodeMirror's parts, or undefined where they are not loaded */
function codeMirrorParts() {
  return /** @type {any} */ (globalThis).courseEditor;
}

/**
 * Loads CodeMirror once for all editors of the page.
 * @returns {Promise<any>} its parts, or undefined where it cannot be loaded
 */
function loadCodeMirror() {
  codeMirrorLoading ??= loadScript(fromRoot("_static/vendor/codemirror.js"))
    .then(codeMirrorParts, () => undefined);
  return codeMirrorLoading;
}

/**
 * Opens an editor at the end of an element.
 * @param {HTMLElement} place
 * @param {EditorOptions} options
 * @returns {Editor}
 */
export function openEditor(place, options) {
  const frame = document.createElement("div");
  frame.className = "live-editor";
  const hint = keysHint(options);
  const said = document.createElement("p");
  said.className = "live-editor-error";
  said.setAttribute("role", "status");
  frame.append(hint, said);
  place.append(frame);
  keepKeysFromPage(frame);

  const changed = (/** @type {string} */ text) => {
    clearError();
    options.onChange?.(text);
  };
  const settings = { ...options, onChange: changed, hint: hint.id };
  /** @type {Surface} */
  let surface = textArea(settings);
  frame.prepend(surface.element);
  let marked = false;

  /** @type {Editor["showError"]} */
  function showError(line, sentence = "") {
    surface.mark(line);
    marked = line > 0;
    said.textContent = marked && sentence ? `Line ${line}: ${sentence}` : sentence;
  }

  function clearError() {
    if (marked || said.textContent) showError(0);
  }

  /** @param {any} parts */
  function upgrade(parts) {
    if (parts) surface = codeMirrorInPlaceOf(surface.element, parts, settings);
    return Boolean(parts);
  }

  const parts = codeMirrorParts();
  const ready = parts ? Promise.resolve(upgrade(parts)) : loadCodeMirror().then(upgrade);
  return {
    text: () => surface.text(),
    setText(text) {
      if (text !== surface.text()) surface.setText(text);
      clearError();
    },
    focus: () => surface.element.focus(),
    showError,
    ready,
  };
}

/**
 * Says which keys do what: shown while the editor has the focus, read out with its name.
 * @param {EditorOptions} options
 */
function keysHint({ onRun, readOnly }) {
  const hint = document.createElement("p");
  hint.className = "live-editor-hint";
  hint.id = `live-editor-hint-${++editorsOpened}`;
  const enter = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘ Enter" : "Ctrl+Enter";
  const parts = onRun ? [`${enter} runs the code.`] : [];
  if (!readOnly) parts.push("Tab indents; Escape, then Tab leaves the editor.");
  hint.textContent = parts.join(" ");
  return hint;
}

/**
 * Keeps keys that are typed here from the page, whose search would open at a slash.
 * @param {HTMLElement} frame
 */
function keepKeysFromPage(frame) {
  frame.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.altKey) event.stopPropagation();
  });
}

/**
 * What Tab, Escape and the keys that run do, in both kinds of editor.
 * @param {HTMLElement} element
 * @param {EditorOptions} options
 * @param {(back: boolean) => void} indent
 */
function addKeys(element, { onRun, readOnly }, indent) {
  let leaving = false;
  element.addEventListener("blur", () => leaving = false);
  element.addEventListener("keydown", (event) => {
    const { key } = event;
    if (key === "Enter" && onRun && (event.ctrlKey || event.metaKey || event.shiftKey)) {
      take(event);
      if (!event.repeat) onRun();
    } else if (key === "Tab" && !leaving && !readOnly && !event.isComposing) {
      take(event);
      indent(event.shiftKey);
    }
    // There is no hurry after Escape: Tab leaves until another key is pressed.
    if (key === "Escape") leaving = true;
    else if (key !== "Tab" && !MODIFIERS.includes(key)) leaving = false;
  }, { capture: true });
}

/**
 * The spaces that Tab puts in at a column, up to the next stop of four.
 * @param {number} column
 */
export function spacesFrom(column) {
  return INDENT.slice(column % INDENT.length);
}

/**
 * What a new line begins with.
 * @param {string} line the one before, up to where it is broken
 */
export function indentAfter(line) {
  return (/^\s*/.exec(line)?.[0] ?? "") + (/:\s*(#.*)?$/.test(line) ? INDENT : "");
}

/** @param {KeyboardEvent} event */
function take(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/**
 * The editor without CodeMirror.
 * @param {EditorOptions & {hint: string}} options
 * @returns {Surface}
 */
function textArea(options) {
  const area = document.createElement("textarea");
  area.value = options.text;
  area.readOnly = Boolean(options.readOnly);
  area.rows = Math.min(30, options.text.split("\n").length + 1);
  for (const [name, value] of Object.entries(attributesOf(options))) area.setAttribute(name, value);
  area.setAttribute("autocomplete", "off");
  area.wrap = "off";

  /** Types as the reader would, so that undo knows of it. @param {string} text */
  function put(text) {
    area.focus();
    if (!document.execCommand("insertText", false, text)) {
      area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
      area.dispatchEvent(new Event("input"));
    }
  }

  /** @param {boolean} back */
  function indent(back) {
    const start = area.value.lastIndexOf("\n", area.selectionStart - 1) + 1;
    const column = area.selectionStart - start;
    if (!back) return put(spacesFrom(column));
    const spaces = /^ {0,4}/.exec(area.value.slice(start))?.[0].length ?? 0;
    if (!spaces) return;
    const caret = Math.max(start, area.selectionStart - spaces);
    area.setSelectionRange(start, start + spaces);
    document.execCommand("delete");
    area.setSelectionRange(caret, caret);
  }

  addKeys(area, options, indent);
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || options.readOnly || event.isComposing) return;
    event.preventDefault();
    put("\n" + indentAfter(area.value.slice(0, area.selectionStart).split("\n").pop() ?? ""));
  });
  area.addEventListener("input", () => options.onChange?.(area.value));
  return {
    element: area,
    text: () => area.value,
    setText(text) {
      area.value = text;
    },
    // A text area cannot mark a line: the sentence below says which it is.
    mark(line) {
      area.classList.toggle("live-editor-marked", line > 0);
    },
  };
}

/** @param {EditorOptions & {hint: string}} options */
function attributesOf({ label, hint, readOnly }) {
  return {
    "aria-label": label,
    "aria-describedby": hint,
    autocapitalize: "off",
    autocorrect: "off",
    spellcheck: "false",
    ...(readOnly && { "aria-readonly": "true", inputmode: "none" }),
  };
}

/**
 * Puts CodeMirror where the text area is, with its text, its selection and its focus.
 * @param {HTMLElement} old
 * @param {any} parts
 * @param {EditorOptions & {hint: string}} options
 * @returns {Surface}
 */
function codeMirrorInPlaceOf(old, parts, options) {
  const area = /** @type {HTMLTextAreaElement} */ (old);
  const { EditorState, EditorView } = parts;
  const focused = document.activeElement === area;
  const marks = lineMarks(parts);
  let ours = false;
  const view = new EditorView({
    state: EditorState.create({
      // CodeMirror takes any line ending for one, as a text area does.
      doc: area.value,
      selection: { anchor: area.selectionStart, head: area.selectionEnd },
      extensions: [
        ...pythonExtensions(parts),
        marks.field,
        EditorState.readOnly.of(Boolean(options.readOnly)),
        EditorView.contentAttributes.of(attributesOf(options)),
        EditorView.updateListener.of((/** @type {any} */ update) => {
          if (update.docChanged && !ours) options.onChange?.(update.state.doc.toString());
        }),
      ],
    }),
  });
  area.replaceWith(view.dom);
  addKeys(view.contentDOM, options, (back) => indentInCodeMirror(view, parts, back));
  if (focused) view.focus();
  return {
    element: view.contentDOM,
    text: () => view.state.doc.toString(),
    setText(text) {
      ours = true;
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        annotations: parts.isolateHistory.of("full"),
      });
      ours = false;
    },
    mark: (line) => markLine(view, marks.effect, line),
  };
}

/**
 * Python's colors and indentation, line numbers, undo, and the usual keys.
 * @param {any} parts
 */
function pythonExtensions(parts) {
  const { EditorState, indentUnit, keymap } = parts;
  return [
    parts.lineNumbers(),
    parts.highlightSpecialChars(),
    parts.history(),
    parts.pythonLanguage,
    parts.indentOnInput(),
    parts.bracketMatching(),
    parts.syntaxHighlighting(tokenClasses(parts)),
    hangingLines(parts),
    indentUnit.of(INDENT),
    // As wide as for Python, so that a tab among spaces looks as wrong as it is.
    EditorState.tabSize.of(8),
    keymap.of([...parts.defaultKeymap, ...parts.historyKeymap]),
  ];
}

/**
 * Classes for the parts of the code; editor.css gives them the colors of the page's listings.
 * @param {any} parts
 */
function tokenClasses({ HighlightStyle, tags }) {
  const { definition, function: called, special } = tags;
  /** @type {Record<string, any[]>} */
  const kinds = {
    keyword: [
      tags.keyword,
      tags.bool,
      tags.null,
      tags.operatorKeyword,
      tags.controlKeyword,
      tags.definitionKeyword,
      tags.moduleKeyword,
    ],
    string: [tags.string, special(tags.string), tags.escape],
    number: [tags.number, tags.meta],
    comment: [tags.comment],
    name: [called(definition(tags.variableName)), definition(tags.className)],
    operator: [tags.operator, tags.modifier],
  };
  return HighlightStyle.define(
    Object.entries(kinds)
      .map(([kind, tag]) => ({ tag, class: `live-code-${kind}` })),
  );
}

/**
 * Tells the style sheet how far each line is indented, so that on a phone, where long lines wrap,
 * they go on below their beginning and not at the margin, which would read as Python's dedent.
 * @param {any} parts
 */
function hangingLines({ Decoration, RangeSet, ViewPlugin }) {
  /** @param {any} view */
  function shown({ state: { doc }, visibleRanges }) {
    const found = [];
    for (const { from, to } of visibleRanges) {
      for (let at = from; at <= to;) {
        const line = doc.lineAt(at);
        const style = `--indent: ${line.text.search(/[^ ]|$/)}`;
        found.push(Decoration.line({ attributes: { style } }).range(line.from));
        at = line.to + 1;
      }
    }
    return RangeSet.of(found, true);
  }
  return ViewPlugin.define((/** @type {any} */ view) => ({
    decorations: shown(view),
    update(/** @type {any} */ { docChanged, viewportChanged, view: changed }) {
      if (docChanged || viewportChanged) this.decorations = shown(changed);
    },
  }), { decorations: (/** @type {any} */ plugin) => plugin.decorations });
}

/**
 * Moves to the next stop of four, or moves all selected lines.
 * @param {any} view
 * @param {any} parts
 * @param {boolean} back
 */
function indentInCodeMirror(view, { indentLess, indentMore }, back) {
  const { main } = view.state.selection;
  if (back) return indentLess(view);
  if (!main.empty) return indentMore(view);
  const column = main.head - view.state.doc.lineAt(main.head).from;
  const insert = view.state.replaceSelection(spacesFrom(column));
  view.dispatch(insert, { scrollIntoView: true, userEvent: "input" });
}

/**
 * The marked line, in the text and among the line numbers.
 * @param {any} parts
 */
function lineMarks(
  { Decoration, EditorView, GutterMarker, RangeSet, StateEffect, StateField, gutterLineClass },
) {
  const effect = StateEffect.define();
  const line = Decoration.line({ class: "live-editor-marked" });
  class Marked extends GutterMarker {
    elementClass = "live-editor-marked";
  }
  const field = StateField.define({
    create: () => null,
    update(/** @type {number | null} */ at, /** @type {any} */ transaction) {
      for (const one of transaction.effects) if (one.is(effect)) return one.value;
      return transaction.docChanged ? null : at;
    },
    provide: (/** @type {any} */ self) => [
      EditorView.decorations.from(
        self,
        (/** @type {number | null} */ at) => at === null ? Decoration.none : Decoration.set([line.range(at)]),
      ),
      gutterLineClass.from(
        self,
        (/** @type {number | null} */ at) =>
          at === null ? RangeSet.empty : RangeSet.of([new Marked().range(at)]),
      ),
    ],
  });
  return { effect, field };
}

/**
 * @param {any} view
 * @param {any} effect
 * @param {number} line
 */
function markLine(view, effect, line) {
  const { doc } = view.state;
  const at = line > 0 ? doc.line(Math.min(line, doc.lines)).from : null;
  view.dispatch({ effects: effect.of(at) });
  if (at === null) return;
  // Only the editor scrolls; the page stays where the reader is.
  const { top, bottom } = view.lineBlockAt(at), scroller = view.scrollDOM;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  const over = bottom - scroller.scrollTop - scroller.clientHeight;
  if (over > 0) scroller.scrollTop += over;
}
