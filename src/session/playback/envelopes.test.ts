import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PcmStore } from '#player/pcm-store.ts';
import { appendSamples } from '#player/testing/append-samples.ts';
import { Envelopes } from './envelopes.ts';

/** What the page would have after all parts, which may say a peak twice. */
function joined(parts: ReturnType<Envelopes['take']>): number[] {
  const peaks: number[] = [];
  for (const { from, peaks: fresh } of parts) {
    for (const [at, peak] of fresh.entries()) peaks[from + at] = peak;
  }
  return peaks;
}

const naive = (samples: readonly number[], rate: number): number[] => {
  const peaks: number[] = [];
  for (let place = 0; Math.floor((place * rate) / 100) < samples.length; place += 1) {
    const part = samples.slice(Math.floor((place * rate) / 100), Math.floor(((place + 1) * rate) / 100));
    const most = Math.max(...part.map(Math.abs));
    peaks.push(Math.min(255, Math.ceil((most / 32_768) * 255)));
  }
  return peaks;
};

test('returns the highest magnitude of every 10 ms, for any arrivals and any calls', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(8000, 16_000, 22_050, 24_000),
      fc.array(fc.array(fc.integer({ min: -32_768, max: 32_767 }), { maxLength: 700 }), { maxLength: 6 }),
      fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
      (rate, frames, asks) => {
        const store = new PcmStore(rate);
        const envelopes = new Envelopes();
        const parts = frames.flatMap((frame, at) => {
          appendSamples(store, Int16Array.from(frame));
          envelopes.received(1, store);
          return asks[at] ? envelopes.take() : [];
        });
        expect(joined([...parts, ...envelopes.take()])).toEqual(naive(frames.flat(), rate));
      },
    ),
  );
});

test('separates turns, and returns whole peaks once', () => {
  const [one, two] = [new PcmStore(1000), new PcmStore(1000)];
  const envelopes = new Envelopes();
  appendSamples(
    one,
    Int16Array.from({ length: 20 }, () => 32_767),
  );
  appendSamples(
    two,
    Int16Array.from({ length: 5 }, () => -16_384),
  );
  envelopes.received(1, one);
  envelopes.received(2, two);
  expect(envelopes.take()).toEqual([
    { turn: 1, from: 0, peaks: Uint8Array.of(255, 255) },
    { turn: 2, from: 0, peaks: Uint8Array.of(128) },
  ]);
  appendSamples(one, Int16Array.of(0));
  envelopes.received(1, one);
  expect(envelopes.take()).toEqual([{ turn: 1, from: 2, peaks: Uint8Array.of(0) }]);
  expect(envelopes.take()).toEqual([]);
});

test('a turn that continues after its end is returned from its beginning', () => {
  const store = new PcmStore(1000);
  const envelopes = new Envelopes();
  appendSamples(
    store,
    Int16Array.from({ length: 10 }, () => 1000),
  );
  envelopes.received(1, store);
  envelopes.take();
  envelopes.ended(1);
  appendSamples(store, Int16Array.of(32_767));
  envelopes.received(1, store);
  expect(joined(envelopes.take())).toEqual([8, 255]);
});
