import { Rewind, Square } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { TurnView } from '#session/views.ts';
import { recordingName, replayedRecording } from '../recordings/recording-name.ts';
import { replayObstacle } from '../recordings/replay-button.tsx';
import { recordingsLink } from '../recordings-client/recordings-link.ts';
import { useRecordings } from '../recordings-client/recordings-store.ts';
import type { SessionClient } from '../session-client/session-client.ts';
import { emptySession } from '../session-client/session-state.ts';
import { Badge, type BadgeTone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { FieldLabel } from '../ui/field-label.tsx';
import { Notice } from '../ui/notice.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { Select } from '../ui/select.tsx';
import { useCompare } from './compare-store.ts';
import { ComparedSessions } from './compared-sessions.tsx';
import { useComparisons } from './comparisons.ts';
import type { RecordedPair } from './recorded-pair.ts';
import { type BySide, nameOf, SIDES } from './side.ts';

const HEARD = [
  { value: 'a', label: 'A' },
  { value: 'b', label: 'B' },
  { value: 'both', label: 'Both' },
] as const;

const PHASES: Readonly<
  Record<ReturnType<RecordedPair['store']['getState']>['a']['phase'], [BadgeTone, string]>
> = {
  idle: ['neutral', 'Not replayed'],
  replaying: ['live', 'Replaying'],
  done: ['neutral', 'Replayed'],
  failed: ['failed', 'Failed'],
};

/** Compares two recordings: of sessions of this page, of other clients, or of files. */
export function RecordedView() {
  const { recorded } = useComparisons();
  const sides = useStore(recorded.store);
  const heard = useCompare((state) => state.heard);
  const list = useRecordings((state) => state.list);
  const [chosen, setChosen] = useState<BySide<string | null>>({ a: null, b: null });
  const [place, setPlace] = useState(0);
  useEffect(() => recordingsLink.order(({ refresh }) => refresh()), []);
  const recordings = (list ?? []).filter((recording) => replayObstacle(recording, false) === null);
  // The two newest, the older one as A.
  const [b = null, a = null] = recordings;
  const withId = (id: string | null) => recordings.find((recording) => recording.id === id);
  const pick = { a: withId(chosen.a) ?? a, b: withId(chosen.b) ?? b };
  const running = SIDES.some((side) => sides[side].phase === 'replaying');
  // Their measures are complete at the end.
  const turns = { a: useTurnsOf(sides.a.client, running), b: useTurnsOf(sides.b.client, running) };
  const most = Math.max(turns.a.length, turns.b.length);
  const at = Math.min(place, Math.max(0, most - 1));
  const replay = () => {
    if (!pick.a || !pick.b) return;
    void recorded.replay({ a: replayedRecording(pick.a), b: replayedRecording(pick.b) });
  };
  return (
    <>
      <section
        aria-label="Recordings to compare"
        className="flex flex-col gap-4 rounded-panel border border-border bg-surface p-4"
      >
        <div className="flex flex-col gap-4 wide:flex-row">
          {SIDES.map((side) => (
            <div key={side} className="flex min-w-0 flex-1 flex-col gap-1">
              <FieldLabel title={`Recording ${nameOf(side)}`} />
              <Select
                label={`Recording ${nameOf(side)}`}
                value={pick[side]?.id ?? null}
                onChange={(id) => setChosen({ ...chosen, [side]: id })}
                placeholder="No recording yet"
                options={recordings.map((recording) => ({
                  value: recording.id,
                  label: recordingName(recording),
                  hint: recording.endpoint,
                }))}
              />
            </div>
          ))}
        </div>
        <div className="flex flex-wrap items-end gap-x-5 gap-y-2">
          <div className="flex flex-col gap-1">
            <FieldLabel title="Heard" />
            <Segmented
              label="Heard"
              size="small"
              options={HEARD}
              value={heard === 'apart' ? 'both' : heard}
              onChange={(next) => useCompare.setState({ heard: next })}
            />
          </div>
          <span className="flex-1" />
          {running ? (
            <Button icon={Square} onClick={() => recorded.leave()}>
              Stop both
            </Button>
          ) : (
            <Button
              variant="filled"
              icon={Rewind}
              onClick={replay}
              disabledReason={pick.a && pick.b ? null : 'It takes two recordings'}
            >
              Replay both
            </Button>
          )}
        </div>
      </section>
      {SIDES.every((side) => sides[side].client === null) ? (
        <p className="rounded-panel border border-dashed border-border px-6 py-10 text-center text-13 text-text-muted">
          Press Replay both: timelines, waits and every measure of A and B appear here, under each other.
        </p>
      ) : (
        <section
          aria-label="Results"
          className="flex flex-col gap-5 rounded-panel border border-border bg-surface p-4"
        >
          <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
            {SIDES.map((side) => (
              <p key={side} data-voice={side === 'a' ? 1 : 2} className="flex items-center gap-2 text-13">
                <span className="font-semibold text-voice">{nameOf(side)}</span>
                <Badge tone={PHASES[sides[side].phase][0]}>{PHASES[sides[side].phase][1]}</Badge>
              </p>
            ))}
            <span className="flex-1" />
            {most > 1 && (
              <Select
                label="Turn that is compared"
                size="small"
                value={at}
                onChange={setPlace}
                options={Array.from({ length: most }, (_, index) => ({
                  value: index,
                  label: `Turn ${index + 1} of each`,
                }))}
              />
            )}
          </div>
          {SIDES.map((side) =>
            sides[side].problem === null ? null : (
              <Notice key={side} severity="error" title={`${nameOf(side)} was not replayed to its end`}>
                {sides[side].problem}
              </Notice>
            ),
          )}
          <ComparedSessions
            clients={{ a: sides.a.client, b: sides.b.client }}
            turns={{ a: turns.a[at] ?? null, b: turns.b[at] ?? null }}
            running={running}
          />
        </section>
      )}
    </>
  );
}

const NOTHING = createStore(() => emptySession());

/** Returns the turns of a session; none while it runs, because they change with every report. */
function useTurnsOf(client: SessionClient | null, running: boolean): readonly TurnView[] {
  const { turns, turnIds } = useStore((!running && client?.store) || NOTHING);
  return turnIds.flatMap((id) => turns.get(id) ?? []);
}
