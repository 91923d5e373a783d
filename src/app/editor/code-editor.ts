import { Annotation, type EditorState, type Extension, Prec, type Transaction } from '@codemirror/state';
import { EditorView, keymap, WidgetType } from '@codemirror/view';
import { minimalSetup } from 'codemirror';
import { pageNonce } from '../browser/local-server.ts';

/** An editor in an element. The page decides its content; the editor only reports typing. */
export interface CodeEditor<Content> {
  show: (content: Content) => void;
  destroy: () => void;
}

export interface CodeEditorOptions {
  parent: HTMLElement;
  text: string;
  /** Attributes of the text box: its accessible name and what describes it. */
  attributes: Readonly<Record<string, string>>;
  onTyped: (text: string) => void;
  /** Take precedence over the base: key bindings, theme. */
  extensions: Extension;
}

/** An element in the text. The editor keeps the element of an equal key. */
export class TextMark extends WidgetType {
  readonly key: string;
  override readonly toDOM: (view: EditorView) => HTMLElement;
  constructor(key: string, toDOM: (view: EditorView) => HTMLElement) {
    super();
    this.key = key;
    this.toDOM = toDOM;
  }
  /** Returns a mark with a text of its own. */
  static text(className: string, text: string): TextMark {
    return new TextMark(`${className} ${text}`, () =>
      Object.assign(document.createElement('span'), { className, textContent: text }),
    );
  }
  override eq(other: TextMark): boolean {
    return other.key === this.key;
  }
}

/** Creates a CodeMirror editor with the page's keys, looks and security policy. */
export function createCodeEditor({ parent, text, attributes, onTyped, extensions }: CodeEditorOptions) {
  const nonce = pageNonce();
  return new EditorView({
    parent,
    doc: text,
    extensions: [
      extensions,
      // Speak uses this key. Without the binding the editor would add a line too; the event still bubbles to the page.
      Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => true }])),
      replaceSelection,
      minimalSetup,
      theme,
      EditorView.lineWrapping,
      // The focus is there without it as well, but axe misses it where the text scrolls.
      EditorView.contentAttributes.of({ ...attributes, tabindex: '0' }),
      EditorView.updateListener.of(({ transactions, state }) => {
        if (transactions.some((one) => one.docChanged && !isFromPage(one))) onTyped(state.doc.toString());
      }),
      ...(nonce ? [EditorView.cspNonce.of(nonce)] : []),
    ],
  });
}

const fromPage = Annotation.define<boolean>();

/** Whether the page made the change, as opposed to typing. */
export const isFromPage = (transaction: Transaction): boolean => transaction.annotation(fromPage) === true;

/** Returns the transaction that makes the document read `text`; null where it does already. */
export function changeFromPage(state: EditorState, text: string) {
  const changes = textChange(state.doc.toString(), text);
  return changes && { changes, annotations: fromPage.of(true) };
}

/** Returns the smallest single replacement, so that a cursor beside it keeps its place; null for equal texts. */
function textChange(before: string, after: string): { from: number; to: number; insert: string } | null {
  if (before === after) return null;
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from += 1;
  let tail = 0;
  while (tail < shorter - from && before[before.length - 1 - tail] === after[after.length - 1 - tail])
    tail += 1;
  return { from, to: before.length - tail, insert: after.slice(from, after.length - tail) };
}

/** Replaces a selection by typed text. The browser would add a style attribute, which the page forbids. */
const replaceSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType } = event;
    if (inputType !== 'insertText' || data === null || view.composing) return false;
    if (view.state.selection.main.empty) return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    return true;
  },
});

const theme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'transparent', border: 'none', color: 'var(--text-subtle)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--selected)',
  },
  '.cm-tooltip': {
    border: '1px solid var(--border-strong)',
    borderRadius: '6px',
    backgroundColor: 'var(--surface-raised)',
    color: 'var(--text)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '4px 10px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--selected)',
    color: 'var(--text)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
});
