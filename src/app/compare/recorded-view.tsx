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
import { Button } from '../ui/button.tsx';
import { FieldLabel } from '../ui/fields/field-label.tsx';
import { Select } from '../ui/select.tsx';
import { useCompare } from './compare-store.ts';
import { ComparedSessions, type ComparedSide } from './compared-sessions.tsx';
import { useComparisons } from './comparisons.ts';
import type { RecordedSide } from './recorded-pair.ts';
import { type BySide, nameOf, SIDES, type SideId } from './side.ts';
import { TitledChoice } from './titled-choice.tsx';
import { WhatChanged } from './what-changed.tsx';

const HEARD = [
  { value: 'a', label: 'A' },
  { value: 'b', label: 'B' },
  { value: 'both', label: 'Both' },
] as const;

const PHASES: Readonly<Record<RecordedSide['phase'], ComparedSide['state']>> = {
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
  const recordings = (list ?? []).filter(({ entries }) => entries > 0);
  // The two newest that can be replayed, the older one as A.
  const [b = null, a = null] = recordings.filter((recording) => replayObstacle(recording, false) === null);
  const withId = (id: string | null) => recordings.find((recording) => recording.id === id);
  const pick = { a: withId(chosen.a) ?? a, b: withId(chosen.b) ?? b };
  const running = SIDES.some((side) => sides[side].phase === 'replaying');
  // Their measures are complete at the end.
  const turns = { a: useTurnsOf(sides.a.client, running), b: useTurnsOf(sides.b.client, running) };
  const most = Math.max(turns.a.length, turns.b.length);
  const at = Math.min(place, Math.max(0, most - 1));
  const comparedSide = (side: SideId): ComparedSide => {
    const { client, phase, problem } = sides[side];
    return { client, turn: turns[side][at] ?? null, state: PHASES[phase], problem };
  };
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
          <TitledChoice
            title="Heard"
            options={HEARD}
            value={heard === 'apart' ? 'both' : heard}
            onChange={(next) => useCompare.setState({ heard: next })}
          />
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
              disabledReason={
                pick.a && pick.b
                  ? (replayObstacle(pick.a, false) ?? replayObstacle(pick.b, false))
                  : 'It takes two recordings'
              }
            >
              Replay both
            </Button>
          )}
        </div>
      </section>
      <WhatChanged key={`${pick.a?.id} ${pick.b?.id}`} {...pick} />
      <ComparedSessions
        sides={{ a: comparedSide('a'), b: comparedSide('b') }}
        running={running}
        verb="Replay"
        tools={
          most > 1 && (
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
          )
        }
      />
    </>
  );
}

const NOTHING = createStore(() => emptySession());

/** Returns the turns of a session; none while it runs, because they change with every report. */
function useTurnsOf(client: SessionClient | null, running: boolean): readonly TurnView[] {
  const { turns, turnIds } = useStore((!running && client?.store) || NOTHING);
  return turnIds.flatMap((id) => turns.get(id) ?? []);
}
