import { describe, expect, it } from 'vitest';
import { movedBack, playerRecordOf } from './player-entry.ts';

const HEARD = {
  sampleRate: 24_000,
  samples: 480,
  spans: [{ sample: 0, count: 240, atUs: 5000 }],
  dropped: { sample: 240, atUs: 15_000, why: 'cancel' },
};
const UNDERRUN = { sampleRate: 24_000, sample: 240, atUs: 5000, samples: 99, end: 'resumed' };

const entry = (kind: string, payload: unknown) => ({
  direction: 'player' as const,
  kind,
  payload: JSON.stringify(payload),
});

describe('an entry of the player', () => {
  it('is read as what it is', () => {
    expect(playerRecordOf(entry('heard', HEARD))).toEqual({ kind: 'heard', ...HEARD });
    expect(playerRecordOf(entry('underrun', UNDERRUN))).toEqual({ kind: 'underrun', ...UNDERRUN });
  });

  it.each([
    ['of another direction', { ...entry('heard', HEARD), direction: 'in' as const }],
    ['of a kind that is not known', entry('paused', HEARD)],
    ['without its fields', entry('heard', { spans: [] })],
    ['with a count below 0', entry('underrun', { ...UNDERRUN, samples: -1 })],
    ['that is no JSON', { ...entry('heard', {}), payload: '{' }],
    ['that was not kept', { ...entry('heard', {}), payload: null }],
  ])('says nothing: one %s', (_, odd) => {
    expect(playerRecordOf(odd)).toBeNull();
  });

  it('moves all times to the clock of a recording that continues another', () => {
    expect(JSON.parse(movedBack(entry('heard', HEARD), 4000))).toEqual({
      ...HEARD,
      spans: [{ sample: 0, count: 240, atUs: 1000 }],
      dropped: { ...HEARD.dropped, atUs: 11_000 },
    });
    expect(movedBack(entry('paused', { atUs: 1 }), 4000)).toBe('{"atUs":1}');
  });
});
