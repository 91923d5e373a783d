import { autocompletion, type CompletionContext } from '@codemirror/autocomplete';
import { json } from '@codemirror/lang-json';
import { HighlightStyle, syntaxHighlighting, syntaxTree } from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import { Annotation, EditorState, Prec, type Range, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  type KeyBinding,
  keymap,
  lineNumbers,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from '@codemirror/view';
import { minimalSetup } from 'codemirror';
import type { Finding } from './findings.ts';
import type { Span } from './json-map.ts';
import { replaceSelection } from './replace-selection.ts';
import { textChange } from './text-change.ts';

/** What the editor shows; the panel decides it, the editor only reports typing. */
export interface EditorContent {
  text: string;
  findings: readonly Finding[];
  /** Fields whose value takes effect with the next turn. */
  pending: readonly Span[];
}

export interface JsonEditor {
  show: (content: EditorContent) => void;
  focus: () => void;
  destroy: () => void;
}

export interface EditorOptions extends EditorContent {
  parent: HTMLElement;
  label: string;
  /** Of the element that tells what is wrong. */
  describedBy: string;
  onChange: (text: string) => void;
  /** What can be filled in behind this text; null: nothing. Without it nothing is ever offered. */
  complete?: (before: string) => EditorCompletion | null;
}

/** `insert` takes the place of what stands from `from` up to the cursor. */
export interface EditorCompletion {
  from: number;
  options: readonly { label: string; detail: string; insert: string }[];
}

/** The page speaks on this key; without this the editor would also add a line. The event still travels on. */
const pageKey: KeyBinding = { key: 'Mod-Enter', run: () => true };

/** Marks changes that come from outside, so that they are not reported as typing. */
const fromOutside = Annotation.define<boolean>();

const setPending = StateEffect.define<readonly Span[]>();

class PendingMark extends WidgetType {
  override eq(): boolean {
    return true;
  }
  override toDOM(): HTMLElement {
    const mark = document.createElement('span');
    mark.className = 'cm-pending-mark';
    mark.textContent = 'next turn';
    return mark;
  }
}

const pendingField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let next = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setPending)) next = pendingMarks(transaction.state, effect.value);
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function pendingMarks(state: EditorState, spans: readonly Span[]): DecorationSet {
  const lines = new Map(
    spans.map(({ to }) => {
      const line = state.doc.lineAt(Math.min(to, state.doc.length));
      return [line.from, line] as const;
    }),
  );
  const marks: Range<Decoration>[] = [...lines.values()].flatMap((line) => [
    Decoration.line({ class: 'cm-pending' }).range(line.from),
    Decoration.widget({ widget: new PendingMark(), side: 1 }).range(line.to),
  ]);
  return Decoration.set(marks, true);
}

// Colour means a voice or a state on this page, so names and marks differ from values by weight of grey alone.
const GREYS: Readonly<Record<string, Decoration>> = {
  PropertyName: Decoration.mark({ class: 'cm-name' }),
  '{': Decoration.mark({ class: 'cm-punctuation' }),
  '}': Decoration.mark({ class: 'cm-punctuation' }),
  '[': Decoration.mark({ class: 'cm-punctuation' }),
  ']': Decoration.mark({ class: 'cm-punctuation' }),
};

const greys = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = greysOf(view);
    }
    update(update: ViewUpdate) {
      if (
        update.docChanged ||
        update.viewportChanged ||
        syntaxTree(update.startState) !== syntaxTree(update.state)
      ) {
        this.decorations = greysOf(update.view);
      }
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function greysOf(view: EditorView): DecorationSet {
  const marks: Range<Decoration>[] = [];
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      from,
      to,
      enter: (node) => {
        const mark = GREYS[node.name];
        if (mark && node.to > node.from) marks.push(mark.range(node.from, node.to));
      },
    });
  }
  return Decoration.set(marks, true);
}

const theme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'transparent', fontSize: '12px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--font-mono, monospace)',
    fontVariantLigatures: 'none',
    lineHeight: '20px',
  },
  '.cm-content': { padding: '6px 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 10px 0 0' },
  '.cm-gutters': { backgroundColor: 'transparent', border: 'none', color: 'var(--text-subtle)' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '32px', padding: '0 12px 0 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--selected)',
  },
  '.cm-name': { color: 'var(--text-muted)' },
  '.cm-punctuation': { color: 'var(--text-subtle)' },
  '.cm-pending': { backgroundColor: 'var(--hover)' },
  '.cm-pending-mark': {
    display: 'inline-block',
    whiteSpace: 'nowrap',
    marginLeft: '16px',
    fontFamily: 'var(--font-sans, sans-serif)',
    fontWeight: '500',
    color: 'var(--waiting)',
  },
  // The library underlines by an image from a data address, which the page's policy forbids.
  '.cm-lintRange': { backgroundImage: 'none', paddingBottom: '0' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--failed) 1px',
    textUnderlineOffset: '3px',
  },
  '.cm-lintRange-info': {
    backgroundImage: 'none',
    textDecoration: 'underline dotted var(--text-subtle) 1px',
    textUnderlineOffset: '3px',
  },
  '.cm-tooltip': {
    border: '1px solid var(--border-strong)',
    borderRadius: '6px',
    backgroundColor: 'var(--surface-raised)',
    color: 'var(--text)',
    maxWidth: '240px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete': { maxWidth: '360px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-mono, monospace)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '4px 10px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--selected)',
    color: 'var(--text)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
  '.cm-completionInfo': {
    padding: '6px 10px',
    fontFamily: 'var(--font-sans, sans-serif)',
    fontSize: '12px',
    lineHeight: '16px',
  },
  '.cm-diagnostic': {
    padding: '6px 10px',
    border: 'none',
    fontFamily: 'var(--font-sans, sans-serif)',
    fontSize: '12px',
    lineHeight: '16px',
    whiteSpace: 'pre-wrap',
  },
});

const completion = (complete: NonNullable<EditorOptions['complete']>) =>
  autocompletion({
    icons: false,
    override: [
      ({ state, pos, explicit }: CompletionContext) => {
        const found = complete(state.sliceDoc(0, pos));
        // Unasked it comes only where something has been typed, or it would stand behind every comma.
        if (!found || (!explicit && found.from === pos)) return null;
        const options = found.options.map(({ label, detail, insert }) => ({
          // What is typed may begin with the quote, which a reader of the list can do without.
          label: insert,
          displayLabel: label,
          ...(detail ? { info: detail } : {}),
        }));
        return { from: found.from, options };
      },
    ],
  });

/** Builds a JSON editor into an element. It holds no rules of its own: what is wrong and where comes with the content. */
export function createJsonEditor({
  parent,
  label,
  describedBy,
  onChange,
  complete,
  ...content
}: EditorOptions): JsonEditor {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: content.text,
      extensions: [
        lineNumbers(),
        Prec.highest(keymap.of([pageKey])),
        replaceSelection,
        minimalSetup,
        json(),
        // Stands in for the library's own colours.
        syntaxHighlighting(HighlightStyle.define([])),
        greys,
        pendingField,
        theme,
        EditorView.lineWrapping,
        EditorState.tabSize.of(2),
        EditorView.contentAttributes.of({
          'aria-label': label,
          'aria-describedby': describedBy,
          autocapitalize: 'off',
          autocorrect: 'off',
        }),
        EditorView.updateListener.of((update) => {
          const typed = update.transactions.some(
            (transaction) => transaction.docChanged && transaction.annotation(fromOutside) !== true,
          );
          if (typed) onChange(update.state.doc.toString());
        }),
        ...(complete ? [completion(complete)] : []),
        ...(nonce ? [EditorView.cspNonce.of(nonce)] : []),
      ],
    }),
  });

  const show = ({ text, findings, pending }: EditorContent) => {
    const change = textChange(view.state.doc.toString(), text);
    if (change) view.dispatch({ changes: change, annotations: fromOutside.of(true) });
    view.dispatch(
      setDiagnostics(
        view.state,
        findings.map(({ span, severity, message }) => ({ ...span, severity, message })),
      ),
      { effects: setPending.of(pending) },
    );
  };
  show(content);
  return { show, focus: () => view.focus(), destroy: () => view.destroy() };
}
