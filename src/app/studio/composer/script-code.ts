import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { EditorState, Prec, type Range, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { contextIdOf, parseScript, type Script, type ScriptEntry } from '#text/script.ts';
import {
  type CodeEditor,
  changeFromPage,
  createCodeEditor,
  isFromPage,
  TextMark,
} from '../../editor/code-editor.ts';
import { SCRIPT_CHARS } from '../../stores/scene-store.ts';
import { type LineState, problemWords } from './lines.ts';

export interface ScriptSpeaker {
  /** Id of the context: `contextIdOf` of the name. */
  id: string;
  name: string;
  hue: number;
}

/** Content of the editor. Lines are counted as in the script, from 0. */
export interface ScriptContent {
  value: string;
  speakers: readonly ScriptSpeaker[];
  lineStates: Readonly<Record<number, LineState>>;
  currentLine: number | null;
}

export interface ScriptCallbacks {
  onChange: (text: string) => void;
  /** @param line place in the script, counted from 0 */
  onSpeak: (part: 'line' | 'from', line: number) => void;
  onAddSpeaker: (name: string) => void;
  /** Called when a change is refused because its result would be that long. */
  onTooLong: (chars: number) => void;
  /** Gets the line of the cursor; null on a blank or a comment. */
  onCursor: (line: number | null) => void;
}

/** Reports a refused change by the length of its result. */
const refused = StateEffect.define<number>();

const setContent = StateEffect.define<ScriptContent>();

const entryAt = ({ lines }: Script, from: number, to: number): ScriptEntry | undefined =>
  lines.find((line) => line.from <= to && line.to >= from);

const stateMark = ({ tone, text }: LineState): TextMark =>
  TextMark.text(`cm-line-state cm-tone-${tone}`, text);

function problemMark(entry: ScriptEntry, add: (name: string) => void): TextMark {
  const { speaker, problem, name, from, to } = entry;
  return new TextMark(JSON.stringify([speaker, problem, from, to]), (view) => {
    const note = document.createElement('div');
    note.className = 'cm-problem';
    if (speaker === null || problem !== null) {
      note.textContent = problemWords(entry);
      return note;
    }
    note.append(
      `No speaker is called ${speaker}. `,
      button('Add the speaker', () => add(speaker)),
      ' or ',
      button('change the name', () => {
        if (name) view.dispatch({ selection: { anchor: name.from, head: name.to } });
        view.focus();
      }),
      '.',
    );
    return note;
  });
}

function button(label: string, press: () => void): HTMLButtonElement {
  const element = document.createElement('button');
  element.type = 'button';
  element.textContent = label;
  element.addEventListener('click', press);
  return element;
}

function decorate(
  state: EditorState,
  script: Script,
  { speakers, currentLine, lineStates }: ScriptContent,
  add: (name: string) => void,
): DecorationSet {
  const known = new Map(speakers.map((speaker) => [speaker.id, speaker]));
  const ranges: Range<Decoration>[] = [];
  const warned = new Set<string>();
  for (const entry of script.lines) {
    const speaker = entry.speaker === null ? undefined : known.get(contextIdOf(entry.speaker));
    const isUnknown = entry.speaker !== null && !speaker;
    const first = state.doc.lineAt(entry.from);
    const last = state.doc.lineAt(entry.to);
    if (entry.name) {
      const to = Math.min(entry.name.to + 1, state.doc.length);
      const look = isUnknown
        ? { class: 'cm-unknown' }
        : { class: 'cm-speaker', attributes: { 'data-voice': String(speaker?.hue ?? 1) } };
      ranges.push(Decoration.mark(look).range(entry.name.from, to));
    }
    if (entry.index === currentLine) {
      for (let number = first.number; number <= last.number; number += 1) {
        ranges.push(Decoration.line({ class: 'cm-speaking' }).range(state.doc.line(number).from));
      }
    }
    const lineState = lineStates[entry.index];
    if (lineState) {
      ranges.push(Decoration.widget({ widget: stateMark(lineState), side: -1 }).range(first.from));
    }
    // The same unknown name is explained once; the others are marked.
    const id = contextIdOf(entry.speaker ?? '');
    if (entry.problem !== null || (isUnknown && !warned.has(id))) {
      if (isUnknown) warned.add(id);
      const widget = problemMark(entry, add);
      ranges.push(Decoration.widget({ widget, block: true, side: 1 }).range(first.to));
    }
  }
  for (const { from } of script.comments) {
    ranges.push(Decoration.line({ class: 'cm-aside' }).range(state.doc.lineAt(from).from));
  }
  return Decoration.set(ranges, true);
}

const theme = EditorView.theme({
  '&': { fontSize: '14px', height: '100%' },
  '.cm-scroller': { fontFamily: 'var(--font-sans, sans-serif)', lineHeight: '22px' },
  '.cm-content': { padding: '8px 0' },
  '.cm-line': { position: 'relative', padding: '4px 116px 4px 0' },
  '.cm-lineNumbers .cm-gutterElement': {
    minWidth: '36px',
    padding: '2px 12px 0 0',
    fontFamily: 'var(--font-mono, monospace)',
    fontSize: '12px',
    cursor: 'pointer',
  },
  '.cm-lineNumbers .cm-gutterElement:hover': { color: 'var(--text)', textDecoration: 'underline' },
  '.cm-speaker': { color: 'var(--voice)', fontWeight: '500' },
  '.cm-unknown': {
    color: 'var(--failed)',
    fontWeight: '500',
    textDecoration: 'underline wavy var(--failed) 1px',
    textUnderlineOffset: '4px',
  },
  '.cm-aside': { color: 'var(--text-subtle)' },
  '.cm-speaking': { backgroundColor: 'var(--selected)' },
  '.cm-line-state': {
    position: 'absolute',
    right: '16px',
    top: '4px',
    fontSize: '12px',
    whiteSpace: 'nowrap',
    color: 'var(--text-subtle)',
    fontVariantNumeric: 'tabular-nums',
  },
  '.cm-tone-live': { color: 'var(--live)', fontWeight: '500' },
  '.cm-tone-live::before': { content: '"● "' },
  '.cm-tone-waiting': { color: 'var(--waiting)' },
  '.cm-tone-failed': { color: 'var(--failed)', fontWeight: '500' },
  '.cm-problem': { padding: '0 16px 4px 0', fontSize: '12px', lineHeight: '16px', color: 'var(--failed)' },
  '.cm-problem button': {
    color: 'var(--text)',
    textDecoration: 'underline',
    textUnderlineOffset: '3px',
    minHeight: '24px',
  },
  // The condition of `touch:` in the styles.
  '@media (width < 900px), (pointer: coarse)': { '.cm-problem button': { minHeight: '44px' } },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-sans, sans-serif)' },
  '@media (width < 480px)': {
    '.cm-line': { paddingRight: '96px' },
    '.cm-line-state': { right: '8px' },
  },
});

/** @param callbacks returns those of the last render */
export function createScriptEditor(
  parent: HTMLElement,
  content: ScriptContent,
  callbacks: () => ScriptCallbacks,
  describedBy: string,
): CodeEditor<ScriptContent> {
  const add = (name: string): void => callbacks().onAddSpeaker(name);
  const field = StateField.define<{ content: ScriptContent; script: Script; decorations: DecorationSet }>({
    create(state) {
      const script = parseScript(state.doc.toString());
      return { content, script, decorations: decorate(state, script, content, add) };
    },
    update(before, transaction) {
      const next = transaction.effects.find((effect) => effect.is(setContent))?.value;
      if (!next && !transaction.docChanged) return before;
      const content = next ?? before.content;
      const script = transaction.docChanged ? parseScript(transaction.newDoc.toString()) : before.script;
      return { content, script, decorations: decorate(transaction.state, script, content, add) };
    },
    provide: (of) => EditorView.decorations.from(of, ({ decorations }) => decorations),
  });

  const lineAt = (state: EditorState, position: number): number | null => {
    const { from, to } = state.doc.lineAt(position);
    return entryAt(state.field(field).script, from, to)?.index ?? null;
  };
  const atCursor = ({ state }: EditorView): number | null => lineAt(state, state.selection.main.head);
  const speakAtCursor = (part: 'line' | 'from') => (view: EditorView) => {
    const line = atCursor(view);
    if (line !== null) callbacks().onSpeak(part, line);
    return true;
  };

  const complete = (context: CompletionContext): CompletionResult | null => {
    const line = context.state.doc.lineAt(context.pos);
    const typed = context.state.sliceDoc(line.from, context.pos).trimStart();
    if (typed.includes(':') || (typed === '' && !context.explicit)) return null;
    const wanted = contextIdOf(typed);
    const options = context.state
      .field(field)
      .content.speakers.filter(({ id }) => id.startsWith(wanted) && id !== wanted)
      .map(({ name }) => ({ label: name, apply: `${name}: ` }));
    return options.length === 0 ? null : { from: context.pos - typed.length, options, filter: false };
  };

  const view = createCodeEditor({
    parent,
    text: content.value,
    attributes: { 'aria-label': 'Text', 'aria-describedby': describedBy, spellcheck: 'true' },
    onTyped: (text) => callbacks().onChange(text),
    extensions: [
      field,
      lineNumbers({
        formatNumber: (number, state) => {
          if (number > state.doc.lines) return String(number);
          const { from, to } = state.doc.line(number);
          const entry = state.field(field).script.lines.find((line) => line.from >= from && line.from <= to);
          return entry ? String(entry.index + 1) : '';
        },
        domEventHandlers: {
          click(editor, block, event) {
            const line = lineAt(editor.state, block.from);
            if (line === null) return false;
            callbacks().onSpeak(event instanceof MouseEvent && event.shiftKey ? 'from' : 'line', line);
            return true;
          },
        },
      }),
      Prec.highest(
        keymap.of([
          { key: 'Alt-Enter', run: speakAtCursor('line') },
          { key: 'Shift-Alt-Enter', run: speakAtCursor('from') },
        ]),
      ),
      EditorState.transactionFilter.of((transaction) => {
        const chars = transaction.docChanged ? transaction.newDoc.length : 0;
        const isRefused =
          chars > SCRIPT_CHARS && chars > transaction.startState.doc.length && !isFromPage(transaction);
        return isRefused ? { effects: refused.of(chars) } : transaction;
      }),
      autocompletion({ override: [complete], icons: false }),
      theme,
      EditorView.updateListener.of((update) => {
        for (const { effects } of update.transactions) {
          for (const effect of effects) if (effect.is(refused)) callbacks().onTooLong(effect.value);
        }
        if (update.docChanged || update.selectionSet) callbacks().onCursor(atCursor(update.view));
      }),
    ],
  });
  callbacks().onCursor(atCursor(view));

  let shown = content;
  return {
    show(next) {
      const change = changeFromPage(view.state, next.value);
      const isSame =
        shown.speakers === next.speakers &&
        shown.lineStates === next.lineStates &&
        shown.currentLine === next.currentLine;
      shown = next;
      if (change || !isSame) view.dispatch({ ...change, effects: setContent.of(next) });
    },
    destroy: () => view.destroy(),
  };
}
