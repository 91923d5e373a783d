import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FrameCutter } from './frame-cutter.ts';

it('frames are 100 ms, then 200 ms long and hold every sample once, however the samples come', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(sizes, fc.constantFrom(8000, 16_000, 22_050, 24_000), (blockSizes, sampleRate) => {
      const cutter = new FrameCutter(sampleRate);
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
      expect(full).toEqual(full.map((_, at) => (sampleRate * (at === 0 ? 100 : 200)) / 1000));
      expect([cutter.count, cutter.samples]).toEqual([frames.length, sent.length]);
      expect(cutter.end()).toBeNull();
    }),
    { numRuns: 25 },
  );
});
