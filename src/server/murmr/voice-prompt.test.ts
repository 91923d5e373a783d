import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../speech/languages.ts';
import { LOCAL_CATALOGUE } from '../speech/voices/voice-catalogue.ts';
import { VOICES } from '../speech/voices/voices.ts';
import { type ClonedVoice, promptOf, readPrompt } from './voice-prompt.ts';

const anyVoice: fc.Arbitrary<ClonedVoice> = fc.oneof(
  fc.constantFrom(...VOICES).map((catalogue) => ({ catalogue })),
  fc.record({
    description: fc.string({ unit: 'grapheme', maxLength: 100 }),
    language: fc.constantFrom(...LANGUAGES),
  }),
);

/** A prompt with a good checksum. */
const sealed = (content: string): string => {
  const bytes = Buffer.from(content);
  const checksum = createHash('sha256').update(bytes).digest().subarray(0, 8);
  return Buffer.concat([bytes, checksum]).toString('base64');
};

describe('7 prompts', () => {
  it('each is base64 of its own voice', () => {
    fc.assert(
      fc.property(anyVoice, (voice) => {
        const prompt = promptOf(voice);
        expect(Buffer.from(prompt, 'base64').toString('base64')).toBe(prompt);
        expect(readPrompt(prompt, LOCAL_CATALOGUE)).toEqual({ voice });
      }),
    );
  });

  it('a damaged or incomplete prompt is refused', () => {
    fc.assert(
      fc.property(anyVoice, fc.nat(), fc.integer({ min: 1, max: 255 }), (voice, at, difference) => {
        const bytes = Buffer.from(promptOf(voice), 'base64');
        const changed = Buffer.from(bytes);
        changed.writeUInt8(bytes.readUInt8(at % bytes.length) ^ difference, at % bytes.length);
        for (const other of [changed, bytes.subarray(0, at % bytes.length)]) {
          expect(readPrompt(other.toString('base64'), LOCAL_CATALOGUE)).toHaveProperty('found');
        }
      }),
    );
  });

  it.each([
    ['AAAA', '3 bytes of something else'],
    [
      promptOf({ description: 'A warm voice', language: 'en' }).replace(/^(.{12})./, '$1z'),
      'a damaged prompt',
    ],
    [sealed('VWVP2 {"handle":"nobody"}'), 'the prompt of a voice that is not there'],
    [sealed('VWVP2 {"description":"warm","language":"xx"}'), 'the prompt of a voice that is not there'],
    [sealed('VWVP2 []'), 'the prompt of a voice that is not there'],
  ])('%s is %s', (prompt, found) => {
    expect(readPrompt(prompt, LOCAL_CATALOGUE)).toEqual({ found });
  });
});
