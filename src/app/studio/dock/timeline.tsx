import { useEffect, useMemo } from 'react';
import { wallMs } from '#lib/wall-clock.ts';
import { ONLY_CONTEXT } from '#protocol/core/speech-event.ts';
import { contextIdOf } from '#text/script.ts';
import { heardMs } from '../../browser/clock.ts';
import { timelineHeadOf } from '../../session-client/played.ts';
import { sessionLink } from '../../session-client/session-link.ts';
import { selectBusy, selectNewest, useSession, useTurn } from '../../session-client/session-store.ts';
import { timeline } from '../../session-client/timeline.ts';
import { castOf, useScene } from '../../stores/scene-store.ts';
import { selectEndpoint, useSettings } from '../../stores/settings-store.ts';
import { useTurnChoice } from '../../stores/turn-choice.ts';
import { voiceHue } from '../../ui/voice-hue.ts';
import { useVoiceName } from '../../wording/voice-name.ts';
import { useCalmTurns } from '../measures/use-calm-turns.ts';
import { WaitStrip } from '../measures/wait-strip.tsx';
import { TimelinePanel } from '../timeline/timeline-panel.tsx';
import { TimelineToolbar } from './timeline-toolbar.tsx';

const playHead = (nowMs: number) => timelineHeadOf(useSession.getState(), Math.min(nowMs, heardMs()));

/** A turn can be heard again only while nothing else goes on; a replay gives way to another. */
function play(turn: number, fromSample: number): void {
  const session = useSession.getState();
  const isIdle = !selectBusy({ ...session, player: { ...session.player, replaying: false, state: 'idle' } });
  const isFree = session.player.replaying || session.player.state !== 'playing';
  if (isIdle && isFree && session.turns.get(turn)?.replayable) sessionLink.replay(turn, fromSample);
}

/** Every speaker's turns on one time axis, under the wait of the turn that is shown. */
export function Timeline() {
  const endpoint = useSettings(selectEndpoint);
  const cast = useScene((state) => castOf(state, endpoint));
  const listening = useScene((state) => state.listening);
  const pauseMs = useScene((state) => state.pauseMs);
  const contexts = useSession((state) => state.contexts);
  const problems = useSession((state) => state.problems);
  const newest = useSession((state) => selectNewest(state)?.id ?? null);
  const chosen = useTurnChoice((state) => state.turn);
  const shown = useTurn(chosen ?? newest);
  const place = useSession((state) => (shown ? state.turnIds.indexOf(shown.id) : -1));
  const voice = shown?.voice ?? null;
  const voiceName = useVoiceName(voice);
  // The words at the left say who speaks; whatever moves is painted.
  useSession((state) => state.player.state);
  const turns = useCalmTurns();
  const hasSingle = endpoint.contexts === null || turns.some(({ context }) => context === ONLY_CONTEXT);
  const speakers = useMemo(() => {
    const single = { id: ONLY_CONTEXT, name: voiceName, hue: voiceHue(voice ?? 0) };
    const several = endpoint.contexts
      ? cast.map(({ name, hue }) => ({ id: contextIdOf(name), name, hue }))
      : [];
    return hasSingle ? [...several, single] : several;
  }, [endpoint, cast, voice, voiceName, hasSingle]);
  useShowChosen();
  const isScene = endpoint.contexts !== null;
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
          playHead={playHead}
          isScene={isScene}
          listening={isScene ? listening : 'inTurn'}
          pauseMs={isScene ? pauseMs : 0}
          problems={problems}
          onPlay={play}
          strip={
            turn && <WaitStrip turn={turn} onSegment={(segment) => timeline.look.setState({ segment })} />
          }
        />
      </div>
    </div>
  );
}

/** A turn that was chosen is brought into view. */
function useShowChosen(): void {
  useEffect(
    () =>
      useTurnChoice.subscribe(({ turn: id }) => {
        const turn = id === null ? undefined : useSession.getState().turns.get(id);
        if (turn) timeline.fitTurn(turn, wallMs());
      }),
    [],
  );
}
