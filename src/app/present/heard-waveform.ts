import { endpointOf } from '#protocol/registry.ts';
import type { TurnView } from '#session/views.ts';
import { playedOf } from '../session-client/played.ts';
import { contextHues } from '../session-client/provider.tsx';
import type { SessionClient } from '../session-client/session-client.ts';
import { castOf, useScene } from '../stores/scene-store.ts';
import { voiceHue } from '../ui/voice-hue.ts';

/** A run of a turn's audio where it is heard, wall clock. A run that plays ends with the audio received so far. */
export interface HeardSpan {
  turn: number;
  hue: number;
  fromMs: number;
  toMs: number;
  /** Position in the turn's audio at `fromMs`. */
  audioFromMs: number;
}

export interface HeardWaveform {
  /** The spans with times relative to the playhead: negative ones were heard. In the order of hearing. */
  spans: readonly HeardSpan[];
  /** The playhead advances. */
  isMoving: boolean;
}

/** Longest silence between two spans of the waveform. The rest of a longer one is cut out, and the waveform stops meanwhile. */
const MAX_SILENCE_MS = 240;

/**
 * Returns the waveform of heard audio. It stops in silence, so that an idle presenter does not move and a pause between
 * turns takes no room. Overlapping speakers keep their overlap.
 */
export function heardWaveform(heard: readonly HeardSpan[], nowMs: number): HeardWaveform {
  const started = heard.filter(({ fromMs, toMs }) => fromMs <= nowMs && toMs > fromMs);
  if (started.length === 0) return { spans: [], isMoving: false };
  const sorted = started.toSorted((a, b) => a.fromMs - b.fromMs);
  let cutMs = 0;
  let endMs = Number.NEGATIVE_INFINITY;
  const placed = sorted.map((span) => {
    if (endMs > Number.NEGATIVE_INFINITY) cutMs += Math.max(0, span.fromMs - endMs - MAX_SILENCE_MS);
    endMs = Math.max(endMs, span.toMs);
    return { ...span, fromMs: span.fromMs - cutMs, toMs: span.toMs - cutMs };
  });
  // Behind the last sample, the head moves on by a gap and stops.
  const headMs = Math.min(nowMs, endMs + MAX_SILENCE_MS) - cutMs;
  return {
    spans: placed.map((span) => ({ ...span, fromMs: span.fromMs - headMs, toMs: span.toMs - headMs })),
    isMoving: nowMs < endMs + MAX_SILENCE_MS,
  };
}

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
