import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { promptOf, readPrompt, SAVED_VOICES } from './saved-voices.ts';

describe('prompts of saved voices', () => {
  it('each is base64 of its own voice', () => {
    expect(SAVED_VOICES.length).toBeGreaterThanOrEqual(3);
    expect(new Set(SAVED_VOICES.map((saved) => saved.voice.id)).size).toBe(SAVED_VOICES.length);
    for (const saved of SAVED_VOICES) {
      const prompt = promptOf(saved);
      expect(Buffer.from(prompt, 'base64').toString('base64')).toBe(prompt);
      expect(readPrompt(prompt)).toEqual({ voice: saved });
      expect(saved.id).toMatch(/^voice_[0-9a-f]{12}$/);
    }
  });

  it('a damaged or incomplete prompt is refused', () => {
    const anyPrompt = fc.constantFrom(...SAVED_VOICES.map(promptOf));
    fc.assert(
      fc.property(anyPrompt, fc.nat(), fc.integer({ min: 1, max: 255 }), (prompt, at, difference) => {
        const bytes = Buffer.from(prompt, 'base64');
        const changed = Buffer.from(bytes);
        changed.writeUInt8(bytes.readUInt8(at % bytes.length) ^ difference, at % bytes.length);
        for (const other of [changed, bytes.subarray(0, at % bytes.length)]) {
          expect(readPrompt(other.toString('base64'))).toHaveProperty('found');
        }
      }),
    );
  });

  it('says what it got instead', () => {
    const [saved] = SAVED_VOICES;
    const damaged = Buffer.from(saved ? promptOf(saved) : '', 'base64');
    damaged.writeUInt8(0, damaged.length - 1);
    expect(readPrompt(damaged.toString('base64'))).toEqual({ found: 'a damaged prompt' });
    expect(readPrompt('AAAA')).toEqual({ found: '3 bytes of something else' });
    const stranger = promptOf({ ...(saved ?? never()), id: 'voice_000000000000' });
    expect(readPrompt(stranger)).toEqual({ found: 'the prompt of a voice that is not there' });
  });
});

const never = (): never => {
  throw new Error('there are saved voices');
};
