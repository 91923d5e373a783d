import { autocompletion, type CompletionContext } from '@codemirror/autocomplete';
import { json } from '@codemirror/lang-json';
import { syntaxHighlighting } from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import { EditorState, type Range, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, lineNumbers } from '@codemirror/view';
import { tagHighlighter, tags } from '@lezer/highlight';
import type { TextRange } from '#text/script.ts';
import { type CodeEditor, changeFromPage, createCodeEditor, TextMark } from './code-editor.ts';
import type { TextProblem } from './text-problems.ts';

export interface JsonContent {
  text: string;
  problems: readonly TextProblem[];
  /** Fields whose value applies from the next turn. */
  pending?: readonly TextRange[] | undefined;
}

export interface JsonEditorOptions {
  label: string;
  describedBy: string;
  onTyped: (text: string) => void;
  /** Returns completions for the text before the cursor. */
  complete?: (before: string) => EditorCompletion | null;
}

/** `insert` replaces the text between `from` and the cursor. */
export interface EditorCompletion {
  from: number;
  options: readonly { label: string; detail: string; insert: string }[];
}

const setPending = StateEffect.define<readonly TextRange[]>();

const pendingMark = TextMark.text('cm-pending-mark', 'next turn');

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

function pendingMarks(state: EditorState, spans: readonly TextRange[]): DecorationSet {
  const lines = new Map(
    spans.map(({ to }) => {
      const line = state.doc.lineAt(Math.min(to, state.doc.length));
      return [line.from, line] as const;
    }),
  );
  const marks: Range<Decoration>[] = [...lines.values()].flatMap((line) => [
    Decoration.line({ class: 'cm-pending' }).range(line.from),
    Decoration.widget({ widget: pendingMark, side: 1 }).range(line.to),
  ]);
  return Decoration.set(marks, true);
}

// Colour means a voice or a state on this page, so syntax is highlighted in greys only.
const greys = syntaxHighlighting(
  tagHighlighter([
    { tag: tags.propertyName, class: 'cm-name' },
    { tag: [tags.brace, tags.squareBracket], class: 'cm-punctuation' },
  ]),
);

const theme = EditorView.theme({
  '&': { fontSize: '12px' },
  '.cm-scroller': {
    fontFamily: 'var(--font-mono, monospace)',
    fontVariantLigatures: 'none',
    lineHeight: '20px',
  },
  '.cm-content': { padding: '6px 0' },
  '.cm-line': { padding: '0 10px 0 0' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '32px', padding: '0 12px 0 0' },
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
  // The library underlines with a data: image, which the page's security policy forbids.
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
  '.cm-tooltip': { maxWidth: '240px' },
  '.cm-tooltip.cm-tooltip-autocomplete': { maxWidth: '360px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-mono, monospace)' },
  '.cm-completionInfo, .cm-diagnostic': {
    padding: '6px 10px',
    fontFamily: 'var(--font-sans, sans-serif)',
    fontSize: '12px',
    lineHeight: '16px',
  },
  '.cm-diagnostic': { border: 'none', whiteSpace: 'pre-wrap' },
});

const completion = (complete: NonNullable<JsonEditorOptions['complete']>) =>
  autocompletion({
    icons: false,
    override: [
      ({ state, pos, explicit }: CompletionContext) => {
        const found = complete(state.sliceDoc(0, pos));
        // Without a typed character the list would open behind every comma.
        if (!found || (!explicit && found.from === pos)) return null;
        const options = found.options.map(({ label, detail, insert }) => ({
          // The label is matched with the typing, quotes included; the displayed name has none.
          label: insert,
          displayLabel: label,
          ...(detail ? { info: detail } : {}),
        }));
        return { from: found.from, options };
      },
    ],
  });

/** Creates a JSON editor. It has no rules of its own: its content names what is wrong and where. */
export function createJsonEditor(
  parent: HTMLElement,
  content: JsonContent,
  { label, describedBy, onTyped, complete }: JsonEditorOptions,
): CodeEditor<JsonContent> {
  const view = createCodeEditor({
    parent,
    text: content.text,
    attributes: {
      'aria-label': label,
      'aria-describedby': describedBy,
      autocapitalize: 'off',
      autocorrect: 'off',
    },
    onTyped,
    extensions: [
      lineNumbers(),
      json(),
      greys,
      pendingField,
      theme,
      EditorState.tabSize.of(2),
      ...(complete ? [completion(complete)] : []),
    ],
  });
  const show = ({ text, problems, pending = [] }: JsonContent) => {
    const change = changeFromPage(view.state, text);
    if (change) view.dispatch(change);
    const diagnostics = problems.map(({ span, severity, message }) => ({ ...span, severity, message }));
    view.dispatch(setDiagnostics(view.state, diagnostics), { effects: setPending.of(pending) });
  };
  show(content);
  return { show, destroy: () => view.destroy() };
}
