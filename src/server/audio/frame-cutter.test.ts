import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FrameCutter } from './frame-cutter.ts';

it('frames are 100 ms, then 200 ms long, or as given, and hold every sample once, however the samples come', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1, maxLength: 6 });
  const rates = fc.constantFrom(8000, 16_000, 22_050, 24_000);
  const length = fc.integer({ min: 1, max: 9000 });
  const given = fc.option(fc.record({ first: length, others: length }), { nil: undefined });
  fc.assert(
    fc.property(sizes, rates, given, (blockSizes, sampleRate, lengths) => {
      const [first, others] = lengths ? [lengths.first, lengths.others] : [sampleRate / 10, sampleRate / 5];
      const cutter = new FrameCutter(sampleRate, lengths);
      const frames: number[][] = [];
      const sent: number[] = [];
      for (const size of blockSizes) {
        const block = Int16Array.from({ length: size }, (_, at) => (sent.length + at) % 32_768);
        sent.push(...block);
        for (const frame of cutter.push(block)) frames.push([...frame]);
      }
      const full = frames.map((frame) => frame.length);
      const rest = cutter.end();
      if (rest) frames.push([...rest]);
      expect(frames.flat()).toEqual(sent);
      expect(full).toEqual(full.map((_, at) => (at === 0 ? first : others)));
      expect([cutter.count, cutter.samples]).toEqual([frames.length, sent.length]);
      expect(cutter.end()).toBeNull();
    }),
    { numRuns: 25 },
  );
});
