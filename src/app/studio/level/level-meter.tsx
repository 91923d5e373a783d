import { useCallback, useRef } from 'react';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { endpointOf } from '#protocol/registry.ts';
import { useSessionClient } from '../../session-client/provider.tsx';
import type { SessionClient } from '../../session-client/session-client.ts';
import { trackOf } from '../../session-client/session-state.ts';
import { audibleVolume, castOf, memberOf, useScene } from '../../stores/scene-store.ts';
import { useSettings } from '../../stores/settings-store.ts';
import { useLevel } from './use-level.ts';

/** How loud a context is set to be heard. */
function gainOf(context: string, endpoint: Endpoint): number {
  if (!endpoint.contexts) return 1;
  const cast = castOf(useScene.getState(), endpoint);
  const member = memberOf(cast, context);
  return member ? audibleVolume(member, cast) : 1;
}

/** How loud a context is heard now, before the page's volume. */
export function levelOf({ state }: SessionClient, context: string): number {
  const track = trackOf(state.player, context);
  return track.state === 'playing' ? track.peak * gainOf(context, endpointOf(state.endpoint)) : 0;
}

function heardLevel(client: SessionClient): number {
  const { volume, muted } = useSettings.getState();
  // Voices add up, but their peaks seldom fall together: the loudest is what a meter would show.
  const levels = client.state.player.tracks.map(({ context }) => levelOf(client, context));
  return muted ? 0 : Math.max(0, ...levels) * volume;
}

/** Output level, after volume and mute. */
export function LevelMeter() {
  const bar = useRef<HTMLSpanElement>(null);
  const client = useSessionClient();
  useLevel(
    bar,
    useCallback(() => heardLevel(client), [client]),
  );
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
