import { describe, expect, it } from 'vitest';
import { chunkView, turnView } from '#session/testing/views.ts';
import type { ChunkView, TurnView } from '#session/views.ts';
import { turnStatus } from './turn-status.ts';

const turn = (change: Partial<TurnView>): TurnView =>
  turnView({ text: 'Hello', textFrames: 1, firstTextMs: 100, flushedMs: 110, sampleRate: 24_000, ...change });

const chunk = (heardToMs: number | null): ChunkView =>
  chunkView({
    text: 'Hello',
    sentMs: 100,
    startedMs: 110,
    firstAudioMs: 150,
    lastAudioMs: 200,
    completedMs: 200,
    heardFromMs: 180,
    heardToMs,
    audioFrames: 1,
    samples: 24_000,
    generationMs: 40,
  });

const idle = { state: 'idle', turn: null, repeating: false } as const;
const playing = { state: 'playing', turn: 1, repeating: false } as const;
const buffering = { state: 'buffering', turn: null, repeating: false } as const;
const before = { state: 'playing', turn: 0, repeating: false } as const;
const after = { state: 'playing', turn: 7, repeating: false } as const;
const repeating = { state: 'playing', turn: 1, repeating: true } as const;
const detached = { state: 'detached', turn: null, repeating: false } as const;

const received = { samples: 24_000, chunks: [chunk(null)] };
const heard = { state: 'ended', samples: 24_000, heardFromMs: 180, heardToMs: 1180 } as const;

describe('turnStatus', () => {
  it.each<[string, Partial<TurnView>, Parameters<typeof turnStatus>[1], string]>([
    ['text is going out', { state: 'sending', flushedMs: null }, idle, 'Sending'],
    ['all text is out', { state: 'waiting' }, idle, 'Waiting'],
    ['audio comes and the prebuffer target is not reached', received, buffering, 'Buffering'],
    ['it is heard', received, playing, 'Speaking'],
    [
      'the player ran dry',
      { ...received, heardFromMs: 180, underruns: [{ atMs: 400, atSample: 9600, lengthMs: null }] },
      buffering,
      'Ran dry',
    ],
    [
      'it buffers again after an underrun',
      { ...received, heardFromMs: 180, underruns: [{ atMs: 400, atSample: 9600, lengthMs: 80 }] },
      buffering,
      'Buffering',
    ],
    ['an earlier turn is heard first', received, before, 'Queued'],
    ['it has all come and an earlier turn is heard first', { ...received, state: 'ended' }, before, 'Queued'],
    ['it waits for the line of another', { ...received, state: 'ended', held: true }, idle, 'Queued'],
    [
      'it was silenced while it waited for the line of another',
      { ...received, state: 'ended', held: true, silencedMs: 300 },
      before,
      'Not heard',
    ],
    ['a later turn is heard', { ...received, state: 'ended' }, after, 'Not heard'],
    [
      'another turn is repeated',
      { ...received, state: 'ended' },
      { ...before, repeating: true },
      'Not heard',
    ],
    ['it was heard to its end', { ...heard, chunks: [chunk(1180)] }, idle, 'Spoken'],
    ['it was silenced after the server had sent all', { ...heard, chunks: [chunk(null)] }, idle, 'Cancelled'],
    ['it was silenced before it began', { ...received, state: 'ended' }, idle, 'Not heard'],
    [
      'it has all come and the prebuffer target is not reached',
      { ...received, state: 'ended' },
      buffering,
      'Buffering',
    ],
    ['there is no sound output', { ...received, state: 'ended' }, detached, 'Not heard'],
    ['the server sent nothing', { state: 'ended' }, idle, 'No audio'],
    ['it was abandoned', { state: 'cancelled' }, idle, 'Cancelled'],
    ['an error ended it', { state: 'failed' }, idle, 'Failed'],
    ['the connection broke', { state: 'lost' }, idle, 'Connection lost'],
    ['it is repeated', { ...heard, chunks: [chunk(1180)] }, repeating, 'Replaying'],
  ])('when %s', (_, change, player, word) => {
    expect(turnStatus(turn(change), player).word).toBe(word);
  });

  it('names the reason and the start of a wait', () => {
    expect(turnStatus(turn({ state: 'waiting' }), idle).waiting).toEqual({
      for: 'the first audio',
      sinceMs: 100,
    });
  });

  it.each<[string, Partial<TurnView>, Parameters<typeof turnStatus>[1], boolean, string]>([
    ['while it comes', received, detached, true, 'Receiving'],
    ['before its audio', { state: 'waiting' }, detached, true, 'Waiting'],
    ['to its end', { ...received, state: 'ended' }, detached, true, 'Received'],
    [
      'before somebody listened',
      { ...received, state: 'ended', isLeftOut: true },
      playing,
      false,
      'Received',
    ],
    ['and cancelled', { ...received, state: 'cancelled' }, detached, true, 'Cancelled'],
  ])('of a turn that another client plays, %s', (_, change, player, isUnheard, word) => {
    const id = change.isLeftOut ? 5 : 1;
    expect(turnStatus(turn({ ...change, id }), player, isUnheard).word).toBe(word);
  });
});
