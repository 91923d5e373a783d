import { useMemo, useState } from 'react';
import { count, bytes as sizeOf } from '#lib/format.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { Button } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import { ScrollRegion } from '../../../ui/scroll-region.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import type { FieldMark } from '../findings/field-marks.ts';
import { LOOKS } from '../findings/severity.ts';
import { HexView } from './hex-view.tsx';
import { JsonTreeView } from './json-tree-view.tsx';
import { markedText } from './marked-text.ts';
import { prettyJson, readable, structureOf } from './readable.ts';

type View = 'tree' | 'pretty' | 'sent' | 'hex';

const VIEWS: readonly { value: View; label: string }[] = [
  { value: 'tree', label: 'JSON' },
  { value: 'pretty', label: 'Pretty' },
  { value: 'sent', label: 'As sent' },
  { value: 'hex', label: 'Hex' },
];

interface PayloadProps {
  payload: Frame;
  size: number;
  marks: readonly FieldMark[];
}

/** The payload in every form. It is never rendered as markup. */
export function Payload({ payload, size, marks }: PayloadProps) {
  const [wanted, setView] = useState<View>('tree');
  const value = useMemo(() => (typeof payload === 'string' ? structureOf(payload) : undefined), [payload]);
  const views = VIEWS.filter(({ value: view }) => {
    if (view === 'hex' || typeof payload !== 'string') return view === 'hex';
    return view === 'sent' || value !== undefined;
  });
  const view = views.some((possible) => possible.value === wanted) ? wanted : (views[0]?.value ?? 'hex');
  const bytes = useMemo(
    () => (view !== 'hex' ? null : typeof payload === 'string' ? new TextEncoder().encode(payload) : payload),
    [view, payload],
  );
  return (
    <>
      <div className="flex items-center gap-2">
        <Segmented label="Shown as" size="small" options={views} value={view} onChange={setView} />
        <span className="flex-1 text-right font-mono text-12 text-text-subtle">{sizeOf(size)}</span>
      </div>
      {bytes ? (
        <HexView bytes={bytes} />
      ) : view === 'tree' && value ? (
        // Findings arrive after their frame; the key unfolds their fields then.
        <JsonTreeView key={marks.map(({ path }) => path).join()} value={value} marks={marks} />
      ) : (
        <TextView text={view === 'pretty' ? prettyJson(value) : String(payload)} marks={marks} />
      )}
    </>
  );
}

/** A frame may hold a megabyte, so more is laid out only on request. */
const MAX_CHARS = 8000;

function TextView({ text, marks }: { text: string; marks: readonly FieldMark[] }) {
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
