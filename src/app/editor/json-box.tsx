import { useMemo, useRef } from 'react';
import { cx } from '../ui/cx.ts';
import type { JsonContent, JsonEditorOptions } from './json-editor.ts';
import { NotLoaded } from './not-loaded.tsx';
import { useCodeEditor } from './use-code-editor.ts';

export interface JsonBoxProps extends JsonContent, JsonEditorOptions {
  /** As high as its text; otherwise it scrolls from a height on that leaves room around it. */
  tall?: boolean;
}

/** A JSON editor. Where its code cannot be loaded, a plain text box replaces it. */
export function JsonBox(props: JsonBoxProps) {
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
