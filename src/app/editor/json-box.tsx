import { useEffect, useRef, useState } from 'react';
import { cx } from '../ui/cx.ts';
import type { Finding } from './findings.ts';
import type { EditorCompletion, JsonEditor } from './json-editor.ts';

export interface JsonBoxProps {
  label: string;
  text: string;
  findings: readonly Finding[];
  /** Id of the element that tells what is wrong. */
  describedBy: string;
  onText: (text: string) => void;
  complete: (before: string) => EditorCompletion | null;
  /** As high as its text; otherwise it scrolls from a height on that leaves room around it. */
  tall?: boolean;
}

const NONE_PENDING = [] as const;

/** A JSON editor, fetched when it is first looked at. Where it cannot be, a plain box takes its place. */
export function JsonBox({
  label,
  text,
  findings,
  describedBy,
  onText,
  complete,
  tall = false,
}: JsonBoxProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<JsonEditor | null>(null);
  const [state, setState] = useState<'loading' | 'ready' | 'failed'>('loading');
  const latest = useRef({ label, text, findings, describedBy, onText, complete });
  latest.current = { label, text, findings, describedBy, onText, complete };

  useEffect(() => {
    let isGone = false;
    import('./json-editor.ts').then(
      ({ createJsonEditor }) => {
        if (isGone || !host.current) return;
        editor.current = createJsonEditor({
          ...latest.current,
          pending: NONE_PENDING,
          parent: host.current,
          complete: (before) => latest.current.complete(before),
          onChange: (typed) => latest.current.onText(typed),
        });
        setState('ready');
      },
      () => !isGone && setState('failed'),
    );
    return () => {
      isGone = true;
      editor.current?.destroy();
      editor.current = null;
    };
  }, []);

  useEffect(() => editor.current?.show({ text, findings, pending: NONE_PENDING }), [text, findings]);

  const isInvalid = findings.some(({ severity }) => severity === 'error');
  return (
    <div
      className={cx(
        'min-h-24 overflow-y-auto rounded-control border bg-surface-sunken has-[.cm-focused]:outline-2 has-[.cm-focused]:outline-offset-1 has-[.cm-focused]:outline-text',
        isInvalid ? 'border-failed' : 'border-border-strong',
        !tall && 'max-h-[320px]',
      )}
    >
      <div ref={host} />
      {state !== 'ready' && (
        <textarea
          aria-label={label}
          aria-describedby={describedBy}
          spellCheck={false}
          value={text}
          onChange={(event) => onText(event.target.value)}
          className="block field-sizing-content min-h-24 w-full resize-none px-8 py-1.5 font-mono text-12 leading-5 outline-none"
        />
      )}
    </div>
  );
}
