import { describe, expect, it } from 'vitest';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { kugelMulti } from '#protocol/kugel/multi.ts';
import { kugelStream } from '#protocol/kugel/stream.ts';
import { murmr } from '#protocol/murmr/realtime.ts';
import { endpointAt, noteReader } from './frame-notes.ts';

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
    const { kind, turn } = notes.received(JSON.stringify(frame));
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
    expect(notes.received(JSON.stringify(audio()))).toEqual({
      kind: 'audio',
      turn: 1,
      context: null,
      chunk: 0,
      audioMs: 0.5,
    });
  });
});

/** Frames as `> sent` and `< received`, with kind and turn of each. */
const notesOf = (endpoint: Endpoint, frames: readonly (readonly ['>' | '<', object])[]) => {
  const notes = noteReader(endpoint, { turns: 0 });
  return frames.map(([direction, frame]) => {
    const text = JSON.stringify(frame);
    const { kind, turn } = direction === '>' ? notes.sent(text) : notes.received(text);
    return [kind, turn];
  });
};

describe('notes of sent frames', () => {
  it('name the intent, and the turn that its speech answers', () => {
    expect(
      notesOf(kugelStream, [
        ['>', { voice_id: 1071 }],
        ['>', { text: 'Hi ' }],
        ['<', started()],
        ['>', { text: 'there.' }],
        ['>', { flush: true }],
        ['>', { text: 'Next.', flush: true }],
        ['<', audio()],
        ['<', ended],
        ['<', audio()],
        ['>', { close: true }],
      ]),
    ).toEqual([
      ['open', null],
      ['say', 1],
      ['chunkStarted', 1],
      ['say', 1],
      ['flush', 1],
      ['say', 2],
      ['audio', 1],
      ['turnEnded', 1],
      ['audio', 2],
      ['endTurn', null],
    ]);
  });

  it('give a cancel and audio behind it the turn that was cancelled, and new text the next', () => {
    expect(
      notesOf(kugelStream, [
        ['>', { text: 'Wrong.', flush: true }],
        ['>', { cancel: true }],
        ['<', audio()],
        ['>', { text: 'Right.', flush: true }],
        ['<', { interrupted: true }],
        ['<', started()],
      ]).map(([, turn]) => turn),
    ).toEqual([1, 1, 1, 2, 1, 2]);
  });

  it('count a text that the server cuts into several generations as one turn', () => {
    const text = 'Hello, world! This is a test of the WebSocket protocol.';
    const done = { type: 'done', total_chunks: 2, duration_ms: 1, first_chunk_latency_ms: 1 };
    expect(
      notesOf(murmr, [
        ['<', { type: 'config_ack', session_id: 'a' }],
        ['>', { type: 'text', text }],
        ['>', { type: 'flush' }],
        ['<', done],
        ['<', done],
        ['>', { type: 'text', text: 'Next.' }],
        ['>', { type: 'flush' }],
        ['<', done],
      ]),
    ).toEqual([
      ['unread', null],
      ['say', 1],
      ['flush', 1],
      ['chunkStarted', 1],
      ['chunkStarted', 1],
      ['say', 2],
      ['flush', 2],
      ['chunkStarted', 2],
    ]);
  });

  it('keep contexts apart', () => {
    const a = { context_id: 'a' };
    const b = { context_id: 'b' };
    expect(
      notesOf(kugelMulti, [
        ['>', { text: 'One.', ...a }],
        ['>', { text: 'Two.', ...b }],
        ['<', audio(b)],
        ['>', { text: ' And one.', ...a }],
        ['<', audio(a)],
      ]).map(([, turn]) => turn),
    ).toEqual([1, 2, 2, 1, 1]);
  });

  it.each([
    ['of an unknown endpoint', null],
    ['without an intent', kugelStream],
  ])('are sent frames of no turn %s', (_, endpoint) => {
    expect(noteReader(endpoint, { turns: 0 }).sent('["x"]')).toMatchObject({ kind: 'sent', turn: null });
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
