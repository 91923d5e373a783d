import { useMemo, useState } from 'react';
import { count } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { readable } from './readable.ts';

/** More is laid out only when it is asked for: a frame may hold a megabyte. */
const MAX_CHARS = 8000;

export interface TextViewProps {
  /** As it was on the wire, from outside. */
  text: string;
}

/** A text, character for character. */
export function TextView({ text }: TextViewProps) {
  const [showsAll, setShowsAll] = useState(false);
  const isCut = !showsAll && text.length > MAX_CHARS;
  const shown = useMemo(() => readable(isCut ? text.slice(0, MAX_CHARS) : text), [text, isCut]);
  return (
    <div className="flex flex-col gap-2">
      <ScrollRegion
        label="Frame as text"
        className="max-h-[360px] overflow-y-auto rounded-control border border-border bg-surface-sunken px-2.5 py-2"
      >
        <pre dir="ltr" className="font-mono text-12 leading-5 break-all whitespace-pre-wrap">
          {shown === '' ? <span className="text-text-subtle">empty</span> : shown}
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
