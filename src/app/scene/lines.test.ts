import { describe, expect, it } from 'vitest';
import type { TurnView } from '../../session/model.ts';
import { chunkView, turnView } from '../../session/testing/views.ts';
import { lineState } from './lines.ts';

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
  ])('tells a line that %s', (_, turn, words) => {
    expect(lineState(turn, false).text).toBe(words);
  });

  it('tells a line that is heard, whatever the server does', () => {
    expect(lineState(received({ state: 'receiving' }), true)).toEqual({ text: 'speaking', tone: 'live' });
  });
});
