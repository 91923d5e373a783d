import { useId, useRef } from 'react';
import { count } from '#lib/format.ts';
import { lineAndColumn } from '#lib/json-text.ts';
import { Button } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import type { DraftFrame } from './draft.ts';

interface HexBoxProps {
  hex: string;
  result: DraftFrame;
  onHex: (hex: string) => void;
}

export function HexBox({ hex, result, onHex }: HexBoxProps) {
  const id = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  const problem = 'problem' in result ? result : null;
  const place = lineAndColumn(hex, problem?.at ?? 0);
  const show = (at: number) => {
    box.current?.focus();
    box.current?.setSelectionRange(at, Math.min(hex.length, at + 1));
  };
  return (
    <>
      <textarea
        ref={box}
        aria-label="Bytes in hex"
        aria-describedby={id}
        aria-invalid={problem !== null || undefined}
        spellCheck={false}
        placeholder="00 ff 7f 80"
        value={hex}
        onChange={(event) => onHex(event.target.value)}
        className={cx(
          'field-sizing-content max-h-[320px] min-h-24 resize-none rounded-control border bg-surface-sunken px-2.5 py-1.5 font-mono text-12 leading-5',
          problem ? 'border-failed' : 'border-border-strong',
        )}
      />
      <div id={id} aria-live="polite" className="flex min-h-7 items-center gap-2 text-12">
        {problem ? (
          <>
            <p className="min-w-0 flex-1 break-words text-failed">
              Line {place.line}, column {place.column}: {problem.problem}
            </p>
            <Button size="small" onClick={() => show(problem.at)}>
              Show
            </Button>
          </>
        ) : (
          <p className="text-text-muted">
            {hex.trim() === '' ? 'Pairs of hex digits; an empty frame may be sent too.' : bytesWords(result)}
          </p>
        )}
      </div>
    </>
  );
}

const bytesWords = (result: DraftFrame): string =>
  'frame' in result && typeof result.frame !== 'string' ? `${count(result.frame.length)} B` : '';
