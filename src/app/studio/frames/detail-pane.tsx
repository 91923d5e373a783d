import { ArrowDown, ArrowUp, AudioLines, ChartGantt, Layers, Plug, Volume2, X } from 'lucide-react';
import { counted } from '#lib/format.ts';
import { hexDump } from '#lib/hex.ts';
import type { FrameOutcome, FrameOutcomeKind } from '#recordings/view/frame-outcome.ts';
import { entryFacts } from '../../recordings/frame-facts.ts';
import { hasFramesOf, numberOf } from '../../recordings/frame-of.ts';
import { selectShowsCalls, useRecordings } from '../../recordings-client/recordings-store.ts';
import { useAnswer } from '../../recordings-client/use-answer.ts';
import { useSessionClient, useTurn } from '../../session-client/provider.tsx';
import type { Selected } from '../../session-client/selection.ts';
import { type PanelName, showPanel } from '../../stores/view-store.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { cx } from '../../ui/cx.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { AudioSection } from './detail/audio-section.tsx';
import { Facts } from './detail/facts.tsx';
import { outcomeFigures, outcomeWords } from './detail/outcome-words.ts';
import { Payload } from './detail/payload.tsx';
import { fieldMarks } from './findings/field-marks.ts';
import { totalOf } from './findings/finding-count.ts';
import { FindingNote } from './findings/finding-note.tsx';
import { SendButton } from './send/send-dialog.tsx';
import { useFrames } from './view/frames-store.ts';
import { framesView } from './view/frames-view.ts';
import { StepButtons } from './view/step-buttons.tsx';
import { useHues } from './view/use-hues.ts';

const MOVING: ReadonlySet<FrameOutcomeKind> = new Set<FrameOutcomeKind>(['waiting', 'hearing']);

const DIRECTIONS = {
  out: { icon: ArrowUp, word: 'Sent' },
  in: { icon: ArrowDown, word: 'Received' },
  connection: { icon: Plug, word: 'Connection' },
  player: { icon: Volume2, word: 'Player' },
};

/** The selected frame: its findings, outcome, facts, payload and sound. */
export function DetailPane({ onClose }: { onClose: () => void }) {
  const index = useFrames((state) => state.selection?.index ?? null);
  const recording = useRecordings((state) => state.shown.recording?.id ?? null);
  // Shows the frame before until this one is read.
  const entries = useAnswer(`${recording}`, index, index === null ? null : (calls) => calls.entries([index]));
  const [entry] = entries ?? [];
  const withAdvice = useFrames((state) => state.withAdvice);
  const client = useSessionClient();
  const isOfSession = useRecordings(({ shown }) => hasFramesOf(client, shown));
  // The check may find more in the frame as the recording goes on.
  const total = useRecordings((state) => totalOf(state.check.groups));
  const checked = useRecordings((state) => state.check.recording);
  const answer = useAnswer(
    `${checked} ${entry?.index}`,
    total,
    entry && total > 0 ? (calls) => calls.findings({ entries: [entry.index] }) : null,
  );
  const isAudio = entry?.kind === 'audio' && entry.direction === 'in';
  const outcome = useAnswer(
    `${recording} ${entry?.index}`,
    null,
    isAudio ? (calls) => calls.frameOutcome(entry.index) : null,
    (of) => of === null || !MOVING.has(of.kind),
  );
  const audio = useAnswer(
    `${recording} ${entry?.index}`,
    null,
    entry?.direction === 'in' ? (calls) => calls.frameAudio(entry.index) : null,
  );
  const hueOf = useHues();
  // A session has no frames of calls to send again.
  const isOfCall = useRecordings(selectShowsCalls);
  if (!entry) return null;
  const found = answer?.findings ?? [];
  const unkept = (answer?.of ?? 0) - found.length;
  const findings = withAdvice ? found : found.filter(({ finding }) => finding.severity !== 'advice');
  const { payload } = entry;
  const { icon: Icon, word } = DIRECTIONS[entry.direction];
  return (
    <article aria-label={`Frame ${entry.index}`} className="flex h-full min-h-0 flex-col bg-surface">
      <header className="flex h-10 shrink-0 items-center gap-2 border-b border-border pr-2 pl-4 touch:h-12">
        <Icon aria-label={word} className="size-4 shrink-0 text-text-muted" />
        <h2 className="min-w-0 truncate font-mono text-13 font-semibold">{entry.kind}</h2>
        <span className="font-mono text-12 text-text-subtle">#{entry.index}</span>
        <span className="flex flex-1 items-center justify-end gap-0.5">
          {entry.direction === 'out' && payload !== null && !isOfCall && (
            <SendButton resend={{ index: entry.index, payload }} />
          )}
          {payload !== null && (
            <CopyButton
              key={entry.index}
              what="the frame"
              text={() => (typeof payload === 'string' ? payload : hexDump(payload))}
            />
          )}
          <StepButtons
            labels={['Frame before (k)', 'Next frame (j)']}
            onStep={(step) => framesView.move(step, 0)}
          />
          <IconButton size="small" icon={X} label="Close the detail (Esc)" onClick={onClose} />
        </span>
      </header>
      <ScrollRegion
        label="Frame detail"
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain outline-offset-[-2px]"
      >
        {(findings.length > 0 || unkept > 0) && (
          <div className="px-4 pt-3">
            {findings.length > 0 && (
              <ul aria-label="Findings of this frame" className="flex flex-col gap-2">
                {findings.map((one) => (
                  <FindingNote key={one.number} found={one} />
                ))}
              </ul>
            )}
            {unkept > 0 && (
              <p className="text-12 text-text-muted">
                {counted(unkept, findings.length > 0 ? 'further finding' : 'finding')} in this frame: of a
                rule that is broken very often, only the first findings are kept in full.
              </p>
            )}
          </div>
        )}
        {outcome && <OutcomeSummary outcome={outcome} />}
        <div className="px-4 py-3">
          <Facts facts={entryFacts(entry, isOfCall)} />
        </div>
        {isOfSession && entry.turn !== null && (
          <div className="px-4 pb-3">
            <ShowIn
              frame={numberOf(client, entry.index)}
              turn={entry.turn}
              chunk={entry.chunk}
              word={outcome?.words[0] ?? null}
            />
          </div>
        )}
        <section aria-label="Payload" className="flex flex-col gap-3 border-t border-border px-4 py-3">
          {payload === null ? (
            <Notice severity="warning" title="The payload was not kept">
              There was no room for it, or the browser has deleted it.
            </Notice>
          ) : (
            <Payload
              key={entry.index}
              payload={payload}
              size={entry.bytes}
              marks={fieldMarks(findings.map(({ finding }) => finding))}
            />
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

interface ShowInProps {
  /** Number of the frame, see `ShownView.firstNumber`. */
  frame: number | null;
  turn: number;
  chunk: number | null;
  /** The word that is spoken in it first, by its place in the chunk; null where none is known. */
  word: { chunk: number; word: number } | null;
}

const PANELS: readonly { panel: PanelName; label: string; icon: typeof Layers }[] = [
  { panel: 'stage', label: 'Transcript', icon: AudioLines },
  { panel: 'chunks', label: 'Chunks', icon: Layers },
  { panel: 'timeline', label: 'Timeline', icon: ChartGantt },
];

function ShowIn({ frame, turn, chunk, word }: ShowInProps) {
  // A turn of an older recording is in no other panel.
  const { selection } = useSessionClient();
  if (useTurn(turn) === undefined) return null;
  const show = (panel: PanelName) => {
    if (panel === 'chunks') selection.chooseTurn(turn);
    const whole: Selected =
      chunk === null ? { kind: 'frame', frame, turn, chunk } : { kind: 'chunk', turn, chunk };
    const isOfChunk = panel === 'chunks' && chunk !== null;
    selection.select(word && !isOfChunk ? { kind: 'word', turn, ...word } : whole, 'frames');
    showPanel(panel);
  };
  return (
    <div className="flex flex-wrap items-center gap-1 text-12 text-text-subtle">
      <span className="mr-1">Show in</span>
      {PANELS.map(({ panel, label, icon }) => (
        <Button key={panel} size="small" variant="ghost" icon={icon} onClick={() => show(panel)}>
          {label}
        </Button>
      ))}
    </div>
  );
}
