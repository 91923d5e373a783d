import { describe, expect, it } from 'vitest';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { kugelMulti } from '#protocol/kugel/multi.ts';
import { kugelStream } from '#protocol/kugel/stream.ts';
import { murmr } from '#protocol/murmr/realtime.ts';
import { endpointAt, noteReader } from './incoming.ts';

const started = (more = {}) => ({ generation_started: true, chunk_id: 0, text: 'Hi.', ...more });
const audio = (more = {}) => ({
  audio: 'AAAAAAAAAAA=',
  enc: 'pcm_s16le',
  idx: 0,
  sr: 8000,
  samples: 4,
  chunk_id: 0,
  ...more,
});
const ended = { session_closed: true };

const turnsOf = (endpoint: Endpoint | null, frames: readonly object[]) => {
  const notes = noteReader(endpoint, { turns: 0 });
  return frames.map((frame) => {
    const { kind, turn } = notes(JSON.stringify(frame));
    return [kind, turn];
  });
};

describe('noteReader', () => {
  it('counts turns by their ends', () => {
    const frames = [started(), audio(), { final: true }, ended, started(), audio(), ended];
    expect(turnsOf(kugelStream, frames)).toEqual([
      ['chunkStarted', 1],
      ['audio', 1],
      ['audioEnded', 1],
      ['turnEnded', 1],
      ['chunkStarted', 2],
      ['audio', 2],
      ['turnEnded', 2],
    ]);
  });

  it('leaves what comes late with the turn that was cancelled', () => {
    expect(turnsOf(kugelStream, [started(), { interrupted: true }, audio(), started(), audio()])).toEqual([
      ['chunkStarted', 1],
      ['interrupted', 1],
      ['audio', 1],
      ['chunkStarted', 2],
      ['audio', 2],
    ]);
  });

  it('gives contexts that speak at once turns of their own', () => {
    const a = { context_id: 'a' };
    const b = { context_id: 'b' };
    const frames = [started(a), started(b), audio(a), { final: true, ...a }, audio(b), started(a)];
    expect(turnsOf(kugelMulti, frames).map(([, turn]) => turn)).toEqual([1, 2, 1, 1, 2, 3]);
  });

  it('knows nothing of a frame whose endpoint it does not know', () => {
    expect(turnsOf(null, [audio()])).toEqual([['unknown', null]]);
  });

  it('names a frame of several events by its audio, as the recorder does', () => {
    const spoken = { type: 'audio', chunk: 'AAAAAAAAAAA=', format: 'pcm_s16le', sample_rate: 24_000 };
    const done = { type: 'done', total_chunks: 2, duration_ms: 1, first_chunk_latency_ms: 1 };
    expect(turnsOf(murmr, [spoken, spoken, done, spoken])).toEqual([
      ['audio', 1],
      ['audio', 1],
      ['chunkCompleted', 1],
      ['audio', 2],
    ]);
  });

  it("returns the length of a frame's audio", () => {
    const notes = noteReader(kugelStream, { turns: 0 });
    expect(notes(JSON.stringify(audio()))).toEqual({
      kind: 'audio',
      turn: 1,
      context: null,
      chunk: 0,
      audioMs: 0.5,
    });
  });
});

it.each([
  ['wss://api.kugelaudio.com/ws/tts/stream?api_key=x', 'kugel-stream'],
  ['ws://127.0.0.1:4173/kugel/ws/tts/multi', 'kugel-multi'],
  ['wss://other.example/ws', undefined],
  ['nonsense', undefined],
])('the endpoint at %s is %s', (address, id) => {
  expect(endpointAt(address)?.id).toBe(id);
});
