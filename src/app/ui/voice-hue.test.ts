import fc from 'fast-check';
import { expect, it } from 'vitest';
import { voiceHue } from './voice-hue.ts';

it('gives every voice one of the six hues, by number or its digits alike', () => {
  fc.assert(
    fc.property(fc.oneof(fc.nat(), fc.string()), (id) => {
      const hue = voiceHue(id);
      expect([1, 2, 3, 4, 5, 6]).toContain(hue);
      expect(voiceHue(String(id))).toBe(hue);
    }),
  );
});

it('gives neighbours different hues', () => {
  fc.assert(fc.property(fc.nat({ max: 999_999 }), (id) => voiceHue(id) !== voiceHue(id + 1)));
  expect(new Set([1071, 1072, 1073, 1074, 1075, 1076].map(voiceHue)).size).toBe(6);
});
