// What book/_parts/exercise/editor.js takes from CodeMirror. `npm run vendor` makes one script of it, which
// sets the global `courseEditor`; how the editor behaves is said in editor.js, without Node.
export {
  defaultKeymap,
  history,
  historyKeymap,
  indentLess,
  indentMore,
  isolateHistory,
} from "@codemirror/commands";
export { pythonLanguage } from "@codemirror/lang-python";
export {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
export { EditorState, RangeSet, StateEffect, StateField } from "@codemirror/state";
export {
  Decoration,
  EditorView,
  gutterLineClass,
  GutterMarker,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  ViewPlugin,
} from "@codemirror/view";
export { tags } from "@lezer/highlight";
