import { describe, expect, it } from 'vitest';
import { chunkView, turnView } from '#session/testing/views.ts';
import type { TurnView } from '#session/views.ts';
import { parseScript } from '#text/script.ts';
import { fromReason, lineReason, lineState } from './lines.ts';

const RATE = 24_000;

const received = (change: Partial<TurnView>): TurnView =>
  turnView({
    state: 'ended',
    sampleRate: RATE,
    samples: RATE,
    chunks: [chunkView({ samples: RATE, heardToMs: change.heardToMs ?? null })],
    ...change,
  });

describe('lineState', () => {
  it.each<[string, TurnView, string]>([
    ['is ready while it waits to be heard', received({}), '1.00 s ready'],
    ['was heard', received({ heardFromMs: 100, heardToMs: 1100 }), '1.00 s heard'],
    ['was silenced before it began', received({ silencedMs: 50 }), 'not heard'],
    [
      'was silenced while it was heard',
      received({
        heardFromMs: 100,
        heardToMs: 600,
        silencedMs: 600,
        chunks: [chunkView({ samples: RATE, heardFromMs: 100 })],
      }),
      'cancelled',
    ],
    ['was cancelled before it was spoken', received({ state: 'cancelled' }), 'cancelled'],
  ])('describes a line that %s', (_, turn, words) => {
    expect(lineState(turn, false).text).toBe(words);
  });

  it('calls a heard line “speaking”, even while it is received', () => {
    expect(lineState(received({ state: 'receiving' }), true)).toEqual({ text: 'speaking', tone: 'live' });
  });
});

describe('lineReason and fromReason', () => {
  const script = 'Nobody here\nAnna: Hello.\nBen:\nCleo: Who am I?\nAnna: Bye.';
  const { lines } = parseScript(script);
  const cast = new Set(['anna', 'ben']);
  const none = new Set<string>();

  it.each([
    [0, 'Nobody speaks'],
    [2, 'nothing to say'],
    [3, 'called Cleo'],
    [9, 'no line'],
  ])('line %i', (line, words) => {
    expect(lineReason(lines[line], { cast, writing: none })).toContain(words);
  });

  it('names a model that writes for its speaker, not for another', () => {
    expect(lineReason(lines[1], { cast, writing: new Set(['ben']) })).toBeNull();
    expect(lineReason(lines[1], { cast, writing: new Set(['anna']) })).toContain('still writing for Anna');
  });

  it('allows speaking from a line on if one later line can be spoken', () => {
    expect(fromReason(lines, 2, { cast, writing: none })).toBeNull();
    expect(fromReason(lines, 2, { cast: none, writing: none })).toContain('nothing to say');
    expect(fromReason(lines, 4, { cast, writing: new Set(['anna']) })).toContain('still writing');
  });
});
