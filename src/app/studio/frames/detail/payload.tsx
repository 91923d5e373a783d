import { useMemo, useState } from 'react';
import { bytes as sizeOf } from '#lib/format.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { Segmented } from '../../../ui/segmented.tsx';
import type { FieldMark } from '../findings/field-marks.ts';
import { HexView } from './hex-view.tsx';
import { JsonTreeView } from './json-tree-view.tsx';
import { prettyJson, structureOf } from './readable.ts';
import { TextView } from './text-view.tsx';

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
