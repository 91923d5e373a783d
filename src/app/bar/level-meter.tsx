import { useEffect, useRef } from 'react';
import { paint } from '../paint.ts';
import { audibleVolume, castOf, memberOf, useScene } from '../stores/scene-store.ts';
import { useSession } from '../stores/session-store.ts';
import { selectEndpoint, useSettings } from '../stores/settings-store.ts';
import { meterShare, settle } from './level.ts';

/** How loud a context is heard. */
function gainOf(context: string): number {
  const endpoint = selectEndpoint(useSettings.getState());
  if (!endpoint.contexts) return 1;
  const cast = castOf(useScene.getState(), endpoint);
  const member = memberOf(cast, context);
  return member ? audibleVolume(member, cast) : 1;
}

/** What is leaving the speakers, after volume and mute. Painted past React; still when nothing is heard. */
export function LevelMeter() {
  const bar = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    let shown = 0;
    let lastMs = 0;
    let painted = -1;
    const leave = paint.add((nowMs) => {
      const { player } = useSession.getState();
      const { volume, muted } = useSettings.getState();
      // Voices add up, but their peaks seldom fall together: the loudest is what a meter would show.
      const peak = Math.max(0, ...player.tracks.map((track) => track.peak * gainOf(track.context)));
      const heard = player.state === 'playing' && !muted ? peak * volume : 0;
      shown = settle(shown, meterShare(heard), lastMs === 0 ? 0 : nowMs - lastMs);
      lastMs = nowMs;
      const step = Math.round(shown * 64);
      if (step !== painted && bar.current)
        bar.current.style.clipPath = `inset(0 ${100 - (step / 64) * 100}% 0 0)`;
      painted = step;
      if (shown <= 0) lastMs = 0;
      return shown > 0;
    });
    return leave;
  }, []);
  return (
    <span aria-hidden className="relative h-3 w-[66px] shrink-0">
      <span className="meter-bars absolute inset-0 bg-border-strong" />
      <span
        ref={bar}
        className="meter-bars meter-fill absolute inset-0"
        style={{ clipPath: 'inset(0 100% 0 0)' }}
      />
    </span>
  );
}
