import { endpointOf } from '#protocol/registry.ts';
import type { TurnView } from '#session/views.ts';
import { playedOf } from '../session-client/played.ts';
import { contextHues } from '../session-client/provider.tsx';
import type { SessionClient } from '../session-client/session-client.ts';
import { castOf, useScene } from '../stores/scene-store.ts';
import { voiceHue } from '../ui/voice-hue.ts';
import type { HeardSpan } from './heard-waveform.ts';

/** Turns that can be in the picture. More of them fit on no screen. */
const RECENT_TURNS = 24;

/** Returns the hue of the voice of a turn. In a scene, each speaker has one of its own. */
function hueOfTurn({ context, endpoint, voice }: TurnView, { hasCast, state }: SessionClient): number {
  const of = endpointOf(endpoint);
  if (!hasCast || !of.contexts) return voiceHue(voice ?? 0);
  return contextHues(state.contexts, castOf(useScene.getState(), of))(context);
}

/** Returns what was heard of the newest turns, and what of the turn that plays is queued. */
export function heardSpans(client: SessionClient, nowMs: number): HeardSpan[] {
  const { state, playheads } = client;
  const { player, turnIds, turns } = state;
  const repeated = player.repeating ? player.tracks.find(({ turn }) => turn !== null)?.turn : null;
  if (repeated != null) {
    const turn = turns.get(repeated);
    if (!turn?.sampleRate) return [];
    const msPerSample = 1000 / turn.sampleRate;
    const fromMs = nowMs - Math.min(turn.samples, Math.max(0, playheads.placeOf(turn).sample)) * msPerSample;
    const toMs = fromMs + turn.samples * msPerSample;
    return [{ turn: turn.id, hue: hueOfTurn(turn, client), fromMs, toMs, audioFromMs: 0 }];
  }
  return turnIds.slice(-RECENT_TURNS).flatMap((id) => {
    const turn = turns.get(id);
    if (!turn?.sampleRate || turn.played.length === 0) return [];
    const msPerSample = 1000 / turn.sampleRate;
    const ranges = playedOf(turn);
    const hue = hueOfTurn(turn, client);
    return ranges.list.map((range) => ({
      turn: id,
      hue,
      fromMs: range.atMs,
      toMs: ranges.endMsOf(range),
      audioFromMs: range.sample * msPerSample,
    }));
  });
}
