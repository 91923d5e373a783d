import { FastForward, Play } from 'lucide-react';
import { useId, useMemo, useRef, useState } from 'react';
import { counted } from '#lib/format.ts';
import { contextIdOf, parseScript } from '#text/script.ts';
import { NotLoaded } from '../../editor/not-loaded.tsx';
import { useCodeEditor } from '../../editor/use-code-editor.ts';
import { Button } from '../../ui/button.tsx';
import type { ScriptCallbacks, ScriptContent } from './script-code.ts';
import type { PartReasons } from './use-lines.ts';

interface ScriptEditorProps extends ScriptContent, Omit<ScriptCallbacks, 'onCursor'> {
  maxChars: number;
  reasons: PartReasons;
}

const PARTS = [
  { part: 'line', label: 'Speak line', icon: Play },
  { part: 'from', label: 'From here', icon: FastForward },
] as const;

export function ScriptEditor(props: ScriptEditorProps) {
  const { value, speakers, lineStates, currentLine, reasons } = props;
  const id = useId();
  const latest = useRef(props);
  latest.current = props;
  const [cursor, setCursor] = useState<number | null>(null);
  // Reason for a refused key or margin click. The buttons show their own reasons.
  const [refusal, setRefusal] = useState<string | null>(null);
  const { lines } = useMemo(() => parseScript(value), [value]);

  const { host, state, loadAgain } = useCodeEditor(
    async () => {
      const { createScriptEditor } = await import('./script-code.ts');
      return (parent, content: ScriptContent) =>
        createScriptEditor(
          parent,
          content,
          {
            onChange: (text) => {
              setRefusal(null);
              latest.current.onChange(text);
            },
            onSpeak: (part, line) => {
              const reason = latest.current.reasons[part](line);
              setRefusal(reason);
              if (reason === null) latest.current.onSpeak(part, line);
            },
            onAddSpeaker: (name) => latest.current.onAddSpeaker(name),
            onTooLong: (chars) => latest.current.onTooLong(chars),
            onCursor: (line) => {
              setRefusal(null);
              setCursor(line);
            },
          },
          `${id}-help`,
          props.maxChars,
        );
    },
    useMemo(() => ({ value, speakers, lineStates, currentLine }), [value, speakers, lineStates, currentLine]),
  );

  const line = cursor === null ? undefined : lines[cursor];
  const known = new Set(speakers.map((speaker) => speaker.id));
  const unknown = lines.filter(({ speaker }) => speaker !== null && !known.has(contextIdOf(speaker))).length;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div ref={host} className="min-h-0 flex-1 overflow-auto has-[.cm-focused]:outline-none" />
      {state === 'loading' && <pre className="px-9 py-3 font-sans text-14 whitespace-pre-wrap">{value}</pre>}
      {state === 'failed' && <NotLoaded onAgain={loadAgain}>The script is kept.</NotLoaded>}
      <p id={`${id}-help`} className="sr-only">
        One line a turn, as in “Narrator: The story begins.” Alt Enter speaks the line at the cursor, Shift
        Alt Enter everything from it on.
      </p>
      <p aria-live="polite" className="sr-only">
        {unknown > 0 ? `The speaker of ${counted(unknown, 'line')} is not in the cast.` : ''}
      </p>
      <div className="flex shrink-0 items-center gap-1 border-t border-border px-2 py-1 text-12">
        {refusal === null ? (
          <span className="min-w-0 flex-1 truncate pl-2 text-text-subtle">
            {line ? `Line ${line.index + 1}${line.speaker === null ? '' : `, ${line.speaker}`}` : 'No line'}
          </span>
        ) : (
          <span role="alert" className="min-w-0 flex-1 pl-2 text-waiting">
            {refusal}
          </span>
        )}
        {PARTS.map(({ part, label, icon }) => (
          <Button
            key={part}
            variant="ghost"
            size="small"
            icon={icon}
            disabledReason={line ? reasons[part](line.index) : 'The cursor is in no line.'}
            onClick={() => line && props.onSpeak(part, line.index)}
          >
            {label}
          </Button>
        ))}
      </div>
    </div>
  );
}
