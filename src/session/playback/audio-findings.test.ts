import { describe, expect, it } from 'vitest';
import type { AudioEvent } from '#protocol/core/speech-event.ts';
import { findingOf } from './audio-findings.ts';

const frame = (bytes: number, change: Partial<AudioEvent> = {}): AudioEvent => ({
  type: 'audio',
  context: '',
  chunk: 2,
  index: 7,
  encoding: 'pcm_s16le',
  sampleRate: 24_000,
  samples: bytes >> 1,
  payload: { base64: Buffer.alloc(bytes).toString('base64') },
  ...change,
});

describe('findingOf', () => {
  const fine: [string, AudioEvent, number][] = [
    ['16-bit samples', frame(8), 4],
    ['of base64 with one =', frame(8), 4],
    ['of base64 with two =', frame(10), 5],
    ['G.711, one byte a sample', frame(5, { encoding: 'mulaw', samples: 5 }), 5],
    ['a protocol that names no count', frame(8, { samples: null }), 4],
    ['binary', frame(8, { payload: { bytes: new Uint8Array(8) } }), 4],
    ['half a sample where frames are pieces of a stream', frame(7, { samples: null }), 3],
    ['a frame that completes a sample', frame(8), 4],
  ];
  it.each(fine)('finds nothing wrong with %s', (_, event, samples) => {
    expect(findingOf(event, { samples })).toBeNull();
  });

  const wrong: [string, AudioEvent, number | string, string][] = [
    ['what could not be taken', frame(8), 'Not base64.', 'Audio frame 7 of chunk 2: Not base64.'],
    ['an odd number of bytes', frame(7), 3, 'expected two bytes a sample, got 7 bytes'],
    ['a wrong count', frame(8, { samples: 5 }), 4, 'it names 5 and holds 4'],
    ['a wrong count of G.711', frame(8, { encoding: 'alaw', samples: 4 }), 8, 'it names 4 and holds 8'],
    ['a frame without number', frame(7, { index: null }), 3, 'Audio of chunk 2:'],
  ];
  it.each(wrong)('names %s', (_, event, taken, words) => {
    const finding = findingOf(event, typeof taken === 'string' ? { problem: taken } : { samples: taken });
    expect(finding?.detail).toContain(words);
  });
});
