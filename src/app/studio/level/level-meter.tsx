import { type RefObject, useEffect, useEffectEvent, useRef } from 'react';
import { largest } from '#lib/collections/arrays.ts';
import { endpointOf } from '#protocol/registry.ts';
import { isStill, paint } from '../../browser/paint.ts';
import { useSessionClient } from '../../session-client/provider.tsx';
import type { SessionClient } from '../../session-client/session-client.ts';
import { trackOf } from '../../session-client/session-state.ts';
import { audibleVolume, castOf, memberOf, useScene } from '../../stores/scene-store.ts';
import { useSettings } from '../../stores/settings-store.ts';
import { meterShare, settle } from './level.ts';

/** The meter moves in steps of this part of its length. */
const STEPS = 64;

/** Returns the ref of an element that shows a level, painted outside of React. @param heard magnitude, 0 to 1 */
export function useLevel(heard: () => number): RefObject<HTMLSpanElement | null> {
  const bar = useRef<HTMLSpanElement>(null);
  const level = useEffectEvent(heard);
  useEffect(() => {
    let shown = 0;
    let lastMs = 0;
    let painted = -1;
    return paint.add((nowMs) => {
      if (isStill(lastMs, nowMs)) return true;
      shown = settle(shown, meterShare(level()), lastMs === 0 ? 0 : nowMs - lastMs);
      lastMs = nowMs;
      const step = Math.round(shown * STEPS);
      if (step !== painted && bar.current) {
        bar.current.style.clipPath = `inset(0 ${100 - (step / STEPS) * 100}% 0 0)`;
      }
      painted = step;
      if (shown <= 0) lastMs = 0;
      return shown > 0;
    });
  }, []);
  return bar;
}

/** Returns how loud a context is heard now, 0 to 1, before the page's volume. */
export function levelOf({ state }: SessionClient, context: string): number {
  const { state: playing, peak } = trackOf(state.player, context);
  if (playing !== 'playing') return 0;
  const endpoint = endpointOf(state.endpoint);
  const cast = castOf(useScene.getState(), endpoint);
  const member = memberOf(cast, context);
  return member ? peak * audibleVolume(member, cast) : peak;
}

function heardLevel(client: SessionClient): number {
  const { volume, muted } = useSettings.getState();
  // Voices add up, but their peaks seldom fall together: the loudest is what a meter would show.
  const levels = client.state.player.tracks.map(({ context }) => levelOf(client, context));
  return muted ? 0 : largest(levels, 0) * volume;
}

export function LevelMeter() {
  const client = useSessionClient();
  const bar = useLevel(() => heardLevel(client));
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
