import { describe, expect, it } from 'vitest';
import { DEFAULT_SAMPLE } from './default-text.ts';
import { SAMPLE_TEXTS } from './samples.ts';
import { PROFILES } from './simulated-model.ts';

describe('SAMPLE_TEXTS', () => {
  it('have ids of their own and suggest profiles that exist', () => {
    expect(new Set(SAMPLE_TEXTS.map((sample) => sample.id)).size).toBe(SAMPLE_TEXTS.length);
    const profiles = new Set(PROFILES.map((preset) => preset.id));
    for (const { id, profile } of SAMPLE_TEXTS) {
      if (profile !== undefined) expect(profiles, id).toContain(profile);
    }
  });

  it('begin with a text of two or three sentences that takes 10 to 15 seconds to say', () => {
    const words = DEFAULT_SAMPLE.text.split(/\s+/).length;
    const seconds = (words / 175) * 60;
    expect(seconds).toBeGreaterThan(10);
    expect(seconds).toBeLessThan(15);
    expect(DEFAULT_SAMPLE.text.match(/[.!?](\s|$)/g)?.length).toBe(3);
  });
});
