import { useRef } from 'react';
import { trackOf, useSession } from '../../session-client/session-store.ts';
import { audibleVolume, castOf, memberOf, useScene } from '../../stores/scene-store.ts';
import { selectEndpoint, useSettings } from '../../stores/settings-store.ts';
import { useLevel } from './use-level.ts';

/** How loud a context is set to be heard. */
function gainOf(context: string): number {
  const endpoint = selectEndpoint(useSettings.getState());
  if (!endpoint.contexts) return 1;
  const cast = castOf(useScene.getState(), endpoint);
  const member = memberOf(cast, context);
  return member ? audibleVolume(member, cast) : 1;
}

/** How loud a context is heard now, before the page's volume. */
export function levelOf(context: string): number {
  const track = trackOf(useSession.getState().player, context);
  return track.state === 'playing' ? track.peak * gainOf(context) : 0;
}

function heardLevel(): number {
  const { volume, muted } = useSettings.getState();
  // Voices add up, but their peaks seldom fall together: the loudest is what a meter would show.
  const levels = useSession.getState().player.tracks.map(({ context }) => levelOf(context));
  return muted ? 0 : Math.max(0, ...levels) * volume;
}

/** What is leaving the speakers, after volume and mute. */
export function LevelMeter() {
  const bar = useRef<HTMLSpanElement>(null);
  useLevel(bar, heardLevel);
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
