import { CircleCheck } from 'lucide-react';
import { type ReactNode, useId, useMemo, useRef } from 'react';
import { lineAndColumn } from '#lib/json-text.ts';
import { cx } from '../ui/cx.ts';
import { NoteLine } from '../ui/notice.tsx';
import type { JsonContent, JsonEditorOptions } from './json-editor.ts';
import { NotLoaded } from './not-loaded.tsx';
import { useCodeEditor } from './use-code-editor.ts';

export interface CheckedJsonProps extends Omit<JsonBoxProps, 'describedBy'> {
  valid: ReactNode;
  children?: ReactNode;
}

export function CheckedJson({ valid, children, ...box }: CheckedJsonProps) {
  const { text, problems } = box;
  const id = useId();
  return (
    <>
      <JsonBox {...box} describedBy={id} />
      <div id={id} aria-live="polite" className="flex flex-col gap-1">
        {problems.every(({ severity }) => severity !== 'error') && (
          <NoteLine icon={CircleCheck} isMuted>
            {valid}
          </NoteLine>
        )}
        {problems.map(({ span, severity, message }) => (
          <NoteLine key={`${span.from} ${message}`} isMuted={severity !== 'error'}>
            Line {lineAndColumn(text, span.from).line}: {message}
          </NoteLine>
        ))}
        {children}
      </div>
    </>
  );
}

interface JsonBoxProps extends JsonContent, JsonEditorOptions {
  /** As high as its text; otherwise it scrolls from a height on that leaves room around it. */
  tall?: boolean;
}

/** A JSON editor. Where its code cannot be loaded, a plain text box replaces it. */
function JsonBox(props: JsonBoxProps) {
  const { label, text, problems, pending, describedBy, onTyped, complete, tall = false } = props;
  const latest = useRef(props);
  latest.current = props;
  const { host, state, loadAgain } = useCodeEditor(
    async () => {
      const { createJsonEditor } = await import('./json-editor.ts');
      return (parent, content: JsonContent) =>
        createJsonEditor(parent, content, {
          label,
          describedBy,
          onTyped: (typed) => latest.current.onTyped(typed),
          ...(complete ? { complete: (before) => latest.current.complete?.(before) ?? null } : {}),
        });
    },
    useMemo(() => ({ text, problems, pending }), [text, problems, pending]),
  );
  const isInvalid = problems.some(({ severity }) => severity === 'error');
  const box = 'block w-full px-8 py-1.5 font-mono text-12 leading-5 whitespace-pre-wrap';
  return (
    <div
      className={cx(
        'overflow-y-auto rounded-control border bg-surface-sunken has-[.cm-focused]:outline-2 has-[.cm-focused]:outline-offset-1 has-[.cm-focused]:outline-text',
        isInvalid ? 'border-failed' : 'border-border-strong',
        !tall && 'max-h-[320px] min-h-24',
      )}
    >
      <div ref={host} />
      {state === 'loading' && <pre className={cx(box, 'text-text-muted')}>{text}</pre>}
      {state === 'failed' && (
        <>
          <textarea
            aria-label={label}
            aria-describedby={describedBy}
            spellCheck={false}
            value={text}
            onChange={(event) => onTyped(event.target.value)}
            className={cx(box, 'field-sizing-content min-h-24 resize-none outline-none')}
          />
          <NotLoaded onAgain={loadAgain}>This is a plain text box meanwhile.</NotLoaded>
        </>
      )}
    </div>
  );
}
