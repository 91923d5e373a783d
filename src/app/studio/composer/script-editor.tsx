import { FastForward, Play } from 'lucide-react';
import { useId, useMemo, useRef, useState } from 'react';
import { counted } from '#lib/format.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { contextIdOf, parseScript } from '#text/script.ts';
import { NotLoaded } from '../../editor/not-loaded.tsx';
import { useCodeEditor } from '../../editor/use-code-editor.ts';
import { useSessionClient } from '../../session-client/provider.tsx';
import { useCatalogueSource, useVoices } from '../../settings/voices/use-catalogue.ts';
import { castOf, scriptOf, scriptProblem, useScene } from '../../stores/scene-store.ts';
import { Button } from '../../ui/button.tsx';
import { addSpeaker } from '../cast/cast-panel.tsx';
import { performPart } from './intents.ts';
import type { ScriptCallbacks, ScriptContent } from './script-code.ts';
import { useControls } from './use-controls.ts';
import { useLineStates, usePartReasons } from './use-lines.ts';

/** A change of the script or the cast that was refused, with the reason. */
export interface Refusal {
  title: string;
  why: string;
}

interface ScriptEditorProps {
  endpoint: Endpoint;
  onRefused: (refusal: Refusal | null) => void;
}

const PARTS = [
  { part: 'line', label: 'Speak line', icon: Play },
  { part: 'from', label: 'From here', icon: FastForward },
] as const;

/** Renders for each change of a line's state. */
export function ScriptEditor({ endpoint, onRefused }: ScriptEditorProps) {
  const id = useId();
  const client = useSessionClient();
  const value = useScene(scriptOf);
  const cast = useScene((state) => castOf(state, endpoint));
  const set = useScene((state) => state.set);
  const voices = useVoices(endpoint, useCatalogueSource(endpoint));
  const { states: lineStates, current: currentLine } = useLineStates(value);
  const reasons = usePartReasons(
    endpoint,
    useControls(({ speakLines }) => speakLines),
  );
  const speakers = useMemo(() => cast.map(({ name, hue }) => ({ id: contextIdOf(name), name, hue })), [cast]);
  const { lines } = useMemo(() => parseScript(value), [value]);
  const [cursor, setCursor] = useState<number | null>(null);
  // Reason for a refused key or margin click. The buttons show their own reasons.
  const [refusal, setRefusal] = useState<string | null>(null);

  const callbacks: ScriptCallbacks = {
    onChange: (script) => {
      setRefusal(null);
      onRefused(null);
      set({ script });
    },
    onSpeak: (part, line) => {
      setRefusal(reasons[part](line));
      performPart(client, part, line);
    },
    onAddSpeaker: (name) => {
      const why = addSpeaker(endpoint, name, voices.items);
      onRefused(why === null ? null : { title: `${name} was not added`, why });
    },
    onTooLong: (chars) =>
      onRefused({ title: 'The script is too long for this', why: scriptProblem(chars) ?? '' }),
    onCursor: (line) => {
      setRefusal(null);
      setCursor(line);
    },
  };
  const latest = useRef(callbacks);
  latest.current = callbacks;

  const { host, state, loadAgain } = useCodeEditor(
    async () => {
      const { createScriptEditor } = await import('./script-code.ts');
      return (parent, content: ScriptContent) =>
        createScriptEditor(parent, content, () => latest.current, `${id}-help`);
    },
    useMemo(() => ({ value, speakers, lineStates, currentLine }), [value, speakers, lineStates, currentLine]),
  );

  const line = cursor === null ? undefined : lines[cursor];
  const known = new Set(speakers.map((speaker) => speaker.id));
  const unknown = lines.filter(({ speaker }) => speaker !== null && !known.has(contextIdOf(speaker))).length;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div ref={host} className="min-h-0 flex-1 overflow-auto has-[.cm-focused]:outline-none">
        {state === 'loading' && (
          <pre className="px-9 py-3 font-sans text-14 whitespace-pre-wrap">{value}</pre>
        )}
        {state === 'failed' && <NotLoaded onAgain={loadAgain}>The script is kept.</NotLoaded>}
      </div>
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
            onClick={() => line && performPart(client, part, line.index)}
          >
            {label}
          </Button>
        ))}
      </div>
    </div>
  );
}
