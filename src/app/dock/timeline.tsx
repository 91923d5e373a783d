import { useMemo } from 'react';
import { ONLY_CONTEXT } from '../../protocol/speech-event.ts';
import { contextIdOf } from '../../text/script.ts';
import { heardMs } from '../clock.ts';
import { voiceHue } from '../setup/voice-hue.ts';
import { laneMarks } from '../stores/lane-marks.ts';
import { castOf, useScene } from '../stores/scene-store.ts';
import { selectNewest, useSession } from '../stores/session-store.ts';
import { selectEndpoint, useSettings } from '../stores/settings-store.ts';
import { TimelinePanel } from '../timeline/timeline-panel.tsx';
import { useVoiceName } from '../voice-name.ts';
import { useCalmTurns } from './use-calm-turns.ts';

/** Where the wall clock is, as long as anything is heard: what is heard now was heard from then. */
const playHead = (): number | null => (useSession.getState().player.state === 'playing' ? heardMs() : null);

/** Every speaker's turns on one time axis. */
export function Timeline() {
  const endpoint = useSettings(selectEndpoint);
  const cast = useScene((state) => castOf(state, endpoint));
  const listening = useScene((state) => state.listening);
  const pauseMs = useScene((state) => state.pauseMs);
  const contexts = useSession((state) => state.contexts);
  const problems = useSession((state) => state.problems);
  const voice = useSession((state) => selectNewest(state)?.voice ?? null);
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
  return (
    <TimelinePanel
      turns={turns}
      contexts={contexts}
      marks={laneMarks}
      speakers={speakers}
      playHead={playHead}
      listening={endpoint.contexts ? listening : 'inTurn'}
      pauseMs={endpoint.contexts ? pauseMs : 0}
      problems={problems}
    />
  );
}
