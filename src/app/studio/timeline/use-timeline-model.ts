import { useEffect, useLayoutEffect, useMemo } from 'react';
import { wallMs } from '#lib/wall-clock.ts';
import { ONLY_CONTEXT } from '#protocol/core/speech-event.ts';
import type { ContextView, TurnView } from '#session/views.ts';
import { contextIdOf } from '#text/script.ts';
import { hasFramesOf, numberOf } from '../../recordings/frame-of.ts';
import { useRecordings } from '../../recordings-client/recordings-store.ts';
import { useSoundFindings } from '../../recordings-client/sound-findings.ts';
import { timelineHeadOf } from '../../session-client/played.ts';
import {
  contextHues,
  useCast,
  useIsScene,
  useSelection,
  useSession,
  useSessionClient,
  useTurn,
  useTurns,
} from '../../session-client/provider.tsx';
import type { Selected } from '../../session-client/selection.ts';
import type { SessionClient } from '../../session-client/session-client.ts';
import {
  isPending,
  selectBusy,
  selectHearing,
  selectIsUnheard,
  selectNewest,
} from '../../session-client/session-state.ts';
import { atEarliest } from '../../session-client/timeline/earliest.ts';
import type { TimelineState } from '../../session-client/timeline/timeline-state.ts';
import { useScene } from '../../stores/scene-store.ts';
import { voiceHue } from '../../ui/voice-hue.ts';
import { useVoiceName } from '../../wording/voice-name.ts';
import { selectedPlaces } from './geometry/display-list.ts';
import { laneRows, type TimelineSpeaker } from './geometry/figures.ts';

export type TimelineModel = ReturnType<typeof useTimelineModel>;

export function useTimelineModel() {
  const client = useSessionClient();
  const { timeline: state } = client;
  const isScene = useIsScene();
  const listening = useScene((scene) => scene.listening);
  const pauseMs = useScene((scene) => scene.pauseMs);
  const contexts = useSession((session) => session.contexts);
  const problems = useSession((session) => session.problems);
  const newest = useSession((session) => selectNewest(session)?.id ?? null);
  const chosen = useSelection((selection) => selection.chosenTurn);
  const shown = useTurn(chosen ?? newest);
  const place = useSession(({ turnIds }) => (shown ? turnIds.indexOf(shown.id) : -1));
  // The states of speakers depend on it; moving parts are painted, not rendered.
  useSession((session) => session.player.state);
  const all = useTurns();
  const hearing = useSession(selectHearing);
  const turns = useMemo(
    () => (hearing === 'here' ? all : atEarliest(all, hearing === 'listening')),
    [all, hearing],
  );
  const pending = useMemo(() => turns.filter(isPending), [turns]);
  const firstFrame = useRecordings(({ shown }) => (hasFramesOf(client, shown) ? numberOf(client, 0) : null));
  const byTurn = useSoundFindings(firstFrame !== null);
  // Before the effects of the panel's parts, which paint the lanes.
  useLayoutEffect(
    () =>
      state.lanes.update(turns, hearing === 'unheard' ? wallMs() : null, {
        byTurn,
        firstFrame: firstFrame ?? 0,
      }),
    [state, turns, hearing, byTurn, firstFrame],
  );
  useShowSelected(client);
  const speakers = useSpeakers(turns, contexts, shown?.voice ?? null);
  // Not at once with a mark that adds a row, because the hue of the row depends on the contexts of this snapshot.
  const rows = laneRows(speakers, turns, state.marks, contexts, contextHues(contexts, useCast()));
  // The wait of a scene's newest line would change with every line.
  const turn = isScene && chosen === null ? undefined : shown;
  return {
    state,
    /** A block each, in this order. */
    rows,
    /** The only row is the single voice of the session. */
    isSingle: !isScene && rows.length === 1,
    contexts,
    problems,
    /** In order of speaking, at the time at which they were heard, or can have been at the earliest. */
    turns,
    /** Those with a part to come. */
    pending,
    /** The turn of the figures and of the wait; undefined before the first turn. */
    turn,
    turnName: turn ? `from ${isScene ? 'line' : 'turn'} ${place + 1}` : 'from the first text',
    /** Zero of the wall clock; null before the first text. */
    originMs: turn?.firstTextMs ?? turns[0]?.firstTextMs ?? null,
    listening: isScene ? listening : ('inTurn' as const),
    /** Between two lines that are heard in turn. */
    pauseMs: isScene ? pauseMs : 0,
    /** Returns the position of what is heard now on both clocks; null in silence. Called while painting. */
    playheadAt: (nowMs: number) => timelineHeadOf(client.state, Math.min(nowMs, client.sound.heardMs())),
    /** Repeats a turn from a sample, in place of another repeat. Does nothing while a turn is live. */
    play: (id: number, fromSample: number) => play(client, id, fromSample),
  };
}

function useSpeakers(
  turns: readonly TurnView[],
  contexts: readonly ContextView[],
  voice: TurnView['voice'],
): readonly TimelineSpeaker[] {
  const cast = useCast();
  const isReplay = useSession((session) => session.replay !== null);
  const isScene = useIsScene();
  const voiceName = useVoiceName(voice);
  const hasSingle = !isScene || turns.some(({ context }) => context === ONLY_CONTEXT);
  // The speakers of this page need not be in the recording of another.
  const isThere = (id: string): boolean =>
    !isReplay || contexts.some((one) => one.id === id) || turns.some(({ context }) => context === id);
  const several = cast
    .map(({ name, hue }) => ({ id: contextIdOf(name), name, hue }))
    .filter(({ id }) => isThere(id));
  const single = { id: ONLY_CONTEXT, name: voiceName, hue: voiceHue(voice ?? 0) };
  return hasSingle ? [...several, single] : several;
}

function play(client: SessionClient, turn: number, fromSample: number): void {
  const session = client.state;
  const isIdle = !selectBusy({ ...session, player: { ...session.player, repeating: false, state: 'idle' } });
  // Without an output the repeat would wait for one.
  if (selectIsUnheard(session)) return;
  const isFree = session.player.repeating || session.player.state !== 'playing';
  if (isIdle && isFree && session.turns.get(turn)?.repeatable) client.repeatTurn(turn, fromSample);
}

/** Scrolls to a newly chosen turn, and to an item that another panel selected. */
function useShowSelected({ selection, store, timeline }: SessionClient): void {
  useEffect(
    () =>
      selection.store.subscribe(({ chosenTurn, selected, by }, before) => {
        const turn = chosenTurn === null ? undefined : store.getState().turns.get(chosenTurn);
        if (turn && chosenTurn !== before.chosenTurn) timeline.fitTurn(turn, wallMs());
        if (selected && selected !== before.selected && by !== 'timeline') showSelected(timeline, selected);
      }),
    [selection, store, timeline],
  );
}

export function showSelected(state: TimelineState, selected: Selected): void {
  const [place] = selectedPlaces(selected, { lanes: state.lanes, marks: state.marks, nowMs: wallMs() });
  if (place) state.show(place.fromMs, place.toMs);
}
