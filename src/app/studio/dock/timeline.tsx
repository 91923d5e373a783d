import { useEffect, useMemo } from 'react';
import { wallMs } from '#lib/wall-clock.ts';
import { ONLY_CONTEXT } from '#protocol/core/speech-event.ts';
import { contextIdOf } from '#text/script.ts';
import { timelineHeadOf } from '../../session-client/played.ts';
import {
  useCast,
  useIsScene,
  useSelection,
  useSession,
  useSessionClient,
  useTurn,
} from '../../session-client/provider.tsx';
import type { SessionClient } from '../../session-client/session-client.ts';
import { selectBusy, selectNewest } from '../../session-client/session-state.ts';
import { useScene } from '../../stores/scene-store.ts';
import { voiceHue } from '../../ui/voice-hue.ts';
import { useVoiceName } from '../../wording/voice-name.ts';
import { useCalmTurns } from '../measures/use-calm-turns.ts';
import { WaitStrip } from '../measures/wait-strip.tsx';
import { TimelinePanel } from '../timeline/timeline-panel.tsx';
import { TimelineToolbar } from './timeline-toolbar.tsx';

/** Plays a turn again. It does nothing while a turn is live; another replay is replaced. */
function play(client: SessionClient, turn: number, fromSample: number): void {
  const session = client.state;
  const isIdle = !selectBusy({ ...session, player: { ...session.player, replaying: false, state: 'idle' } });
  const isFree = session.player.replaying || session.player.state !== 'playing';
  if (isIdle && isFree && session.turns.get(turn)?.replayable) client.replayTurn(turn, fromSample);
}

/** Every speaker's turns on one time axis, under the wait of the turn that is shown. */
export function Timeline() {
  const client = useSessionClient();
  const { timeline } = client;
  const isScene = useIsScene();
  const cast = useCast();
  const listening = useScene((state) => state.listening);
  const pauseMs = useScene((state) => state.pauseMs);
  const contexts = useSession((state) => state.contexts);
  const problems = useSession((state) => state.problems);
  const newest = useSession((state) => selectNewest(state)?.id ?? null);
  const chosen = useSelection((state) => state.chosenTurn);
  const shown = useTurn(chosen ?? newest);
  const place = useSession((state) => (shown ? state.turnIds.indexOf(shown.id) : -1));
  const voice = shown?.voice ?? null;
  const voiceName = useVoiceName(voice);
  // The words at the left depend on it; everything that moves is painted past React.
  useSession((state) => state.player.state);
  const turns = useCalmTurns();
  const hasSingle = !isScene || turns.some(({ context }) => context === ONLY_CONTEXT);
  const speakers = useMemo(() => {
    const single = { id: ONLY_CONTEXT, name: voiceName, hue: voiceHue(voice ?? 0) };
    const several = cast.map(({ name, hue }) => ({ id: contextIdOf(name), name, hue }));
    return hasSingle ? [...several, single] : several;
  }, [cast, voice, voiceName, hasSingle]);
  useShowChosen(client);
  // Of a scene, the wait is that of a line only where one was chosen: the strip would change with every line.
  const turn = isScene && chosen === null ? undefined : shown;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <TimelineToolbar className="roomy:hidden" />
      <div className="min-h-0 flex-1">
        <TimelinePanel
          state={timeline}
          turns={turns}
          contexts={contexts}
          speakers={speakers}
          turn={turn}
          turnName={turn ? `from ${isScene ? 'line' : 'turn'} ${place + 1}` : 'from the first text'}
          playHead={(nowMs) => timelineHeadOf(client.state, Math.min(nowMs, client.sound.heardMs()))}
          isScene={isScene}
          listening={isScene ? listening : 'inTurn'}
          pauseMs={isScene ? pauseMs : 0}
          problems={problems}
          onPlay={(id, sample) => play(client, id, sample)}
          strip={
            turn && <WaitStrip turn={turn} onSegment={(segment) => timeline.look.setState({ segment })} />
          }
        />
      </div>
    </div>
  );
}

/** Scrolls to a turn when it is chosen. */
function useShowChosen({ selection, store, timeline }: SessionClient): void {
  useEffect(
    () =>
      selection.store.subscribe(({ chosenTurn }, before) => {
        const turn = chosenTurn === null ? undefined : store.getState().turns.get(chosenTurn);
        if (turn && chosenTurn !== before.chosenTurn) timeline.fitTurn(turn, wallMs());
      }),
    [selection, store, timeline],
  );
}
