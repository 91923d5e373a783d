import { useMemo, useState } from 'react';
import { count } from '#lib/format.ts';
import { Button } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import { ScrollRegion } from '../../../ui/scroll-region.tsx';
import type { FieldMark } from '../findings/field-marks.ts';
import { LOOKS } from '../findings/severity.ts';
import { markedText } from './marked-text.ts';
import { readable } from './readable.ts';

/** A frame may hold a megabyte, so more is laid out only on request. */
const MAX_CHARS = 8000;

export function TextView({ text, marks }: { text: string; marks: readonly FieldMark[] }) {
  const [showsAll, setShowsAll] = useState(false);
  const isCut = !showsAll && text.length > MAX_CHARS;
  const parts = useMemo(() => markedText(text, marks, isCut ? MAX_CHARS : text.length), [text, marks, isCut]);
  return (
    <div className="flex flex-col gap-2">
      <ScrollRegion
        label="Frame as text"
        className="max-h-[360px] overflow-y-auto rounded-control border border-border bg-surface-sunken px-2.5 py-2"
      >
        <pre dir="ltr" className="font-mono text-12 leading-5 break-all whitespace-pre-wrap">
          {text === '' && <span className="text-text-subtle">empty</span>}
          {parts.map(({ from, text: part, severity }) =>
            severity ? (
              <mark
                key={from}
                className={cx(
                  'bg-transparent text-text underline decoration-wavy underline-offset-4',
                  LOOKS[severity].line,
                )}
              >
                <span className="sr-only">{LOOKS[severity].word}: </span>
                {readable(part)}
              </mark>
            ) : (
              readable(part)
            ),
          )}
          {isCut && '…'}
        </pre>
      </ScrollRegion>
      {isCut && (
        <Button size="small" className="self-start" onClick={() => setShowsAll(true)}>
          Show all {count(text.length)} characters
        </Button>
      )}
    </div>
  );
}
