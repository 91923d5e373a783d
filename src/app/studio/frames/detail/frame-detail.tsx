import { ArrowDown, ArrowUp, Plug, Volume2 } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { bytes as sizeOf } from '#lib/format.ts';
import { hexDump } from '#lib/hex.ts';
import type { RecordEntry } from '#record/record.ts';
import type { ShownEntry } from '#recordings/store/payload-reader.ts';
import type { FrameOutcome } from '#recordings/view/frame-outcome.ts';
import { entryFacts } from '../../../recordings/frame-facts.ts';
import { selectShowsCalls, useRecordings } from '../../../recordings-client/recordings-store.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { cx } from '../../../ui/cx.ts';
import { Notice } from '../../../ui/notice.tsx';
import { ScrollRegion } from '../../../ui/scroll-region.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import type { FieldMark } from '../findings/field-marks.ts';
import { SendButton } from '../send/send-dialog.tsx';
import { useHues } from '../view/use-hues.ts';
import { AudioSection } from './audio-section.tsx';
import { Facts } from './facts.tsx';
import { frameAudio } from './frame-audio.ts';
import { HexView } from './hex-view.tsx';
import { JsonTreeView } from './json-tree-view.tsx';
import { outcomeFigures, outcomeWords } from './outcome-words.ts';
import { prettyJson, structureOf } from './readable.ts';
import { TextView } from './text-view.tsx';

interface FrameDetailProps {
  entry: ShownEntry;
  tools: ReactNode;
  notes: ReactNode;
  /** Between the head and the payload. */
  children: ReactNode;
  marks: readonly FieldMark[];
  outcome: FrameOutcome | null;
}

const DIRECTIONS = {
  out: { icon: ArrowUp, word: 'Sent' },
  in: { icon: ArrowDown, word: 'Received' },
  connection: { icon: Plug, word: 'Connection' },
  player: { icon: Volume2, word: 'Player' },
};

/** The facts of a frame, its payload in every form, and its sound. The payload is never rendered as markup. */
export function FrameDetail({ entry, tools, notes, children, marks, outcome }: FrameDetailProps) {
  const { icon: Icon, word } = DIRECTIONS[entry.direction];
  const audio = useMemo(() => frameAudio(entry), [entry]);
  const hueOf = useHues();
  // A session has no frames of calls to send again.
  const isOfCall = useRecordings(selectShowsCalls);
  return (
    <article aria-label={`Frame ${entry.index}`} className="flex h-full min-h-0 flex-col bg-surface">
      <header className="flex h-10 shrink-0 items-center gap-2 border-b border-border pr-2 pl-4 touch:h-12">
        <Icon aria-label={word} className="size-4 shrink-0 text-text-muted" />
        <h2 className="min-w-0 truncate font-mono text-13 font-semibold">{entry.kind}</h2>
        <span className="font-mono text-12 text-text-subtle">#{entry.index}</span>
        <span className="flex flex-1 items-center justify-end gap-0.5">
          {entry.direction === 'out' && entry.payload !== null && !isOfCall && (
            <SendButton resend={{ index: entry.index, payload: entry.payload }} />
          )}
          {entry.payload !== null && (
            <CopyButton key={entry.index} what="the frame" text={() => textOf(entry.payload)} />
          )}
          {tools}
        </span>
      </header>
      <ScrollRegion
        label="Frame detail"
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain outline-offset-[-2px]"
      >
        {notes && <div className="px-4 pt-3">{notes}</div>}
        {outcome && <OutcomeSummary outcome={outcome} />}
        <div className="px-4 py-3">
          <Facts facts={entryFacts(entry, isOfCall)} />
        </div>
        {children && <div className="px-4 pb-3">{children}</div>}
        <section aria-label="Payload" className="flex flex-col gap-3 border-t border-border px-4 py-3">
          {entry.payload === null ? (
            <Notice severity="warning" title="The payload was not kept">
              There was no room for it, or the browser has deleted it.
            </Notice>
          ) : (
            <Payload key={entry.index} payload={entry.payload} size={entry.bytes} marks={marks} />
          )}
        </section>
        {audio && (
          <AudioSection
            key={`audio ${entry.index}`}
            audio={audio}
            hue={hueOf(entry) ?? 1}
            outcome={outcome}
          />
        )}
      </ScrollRegion>
    </article>
  );
}

const textOf = (payload: ShownEntry['payload']): string =>
  typeof payload === 'string' ? payload : payload === null ? '' : hexDump(payload);

type View = 'tree' | 'pretty' | 'sent' | 'hex';

const VIEWS: readonly { value: View; label: string }[] = [
  { value: 'tree', label: 'JSON' },
  { value: 'pretty', label: 'Pretty' },
  { value: 'sent', label: 'As sent' },
  { value: 'hex', label: 'Hex' },
];

interface PayloadProps {
  payload: RecordEntry['payload'];
  size: number;
  marks: readonly FieldMark[];
}

function Payload({ payload, size, marks }: PayloadProps) {
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

function OutcomeSummary({ outcome }: { outcome: FrameOutcome }) {
  const words = outcomeWords(outcome);
  const isLost = outcome.kind === 'cut' || outcome.kind === 'dropped' || outcome.kind === 'late';
  return (
    <section aria-label="What became of it" className="flex flex-col gap-2 border-b border-border px-4 py-3">
      <dl className="flex flex-wrap gap-x-8 gap-y-2">
        {outcomeFigures(outcome).map(([name, value]) => (
          <div key={name}>
            <dt className="text-12 text-text-subtle">{name}</dt>
            <dd className="font-mono text-13 whitespace-nowrap">{value}</dd>
          </div>
        ))}
      </dl>
      {words !== null && (
        <p className={cx('text-12', isLost ? 'text-waiting' : 'text-text-muted')}>{words}</p>
      )}
    </section>
  );
}
