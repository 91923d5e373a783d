import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toggleWord, wordIn } from '#protocol/core/describing-words.ts';
import { settingOfKind } from '#protocol/core/settings.ts';
import { realtimeSettings, VOICE_WORDS } from '#protocol/murmr/wire/settings.ts';
import { espeakLanguage, SPOKEN_LANGUAGES } from '../speech/languages.ts';
import { LOCAL_CATALOGUE } from '../speech/voices/voice-catalogue.ts';
import { describedVoice } from '../speech/voices/voice-description.ts';
import { VOICES } from '../speech/voices/voices.ts';
import { type ClonedVoice, promptOf, readPrompt } from './voice-choice.ts';

const VOICE_SAMPLES = settingOfKind(realtimeSettings, 'description')?.control.samples ?? [];

const anyVoice: fc.Arbitrary<ClonedVoice> = fc.oneof(
  fc.constantFrom(...VOICES).map((catalogue) => ({ catalogue })),
  fc.record({
    description: fc.string({ unit: 'grapheme', maxLength: 100 }),
    language: fc.constantFrom(...SPOKEN_LANGUAGES),
  }),
);

/** A prompt with a good checksum. */
const sealed = (content: string): string => {
  const bytes = Buffer.from(content);
  const checksum = createHash('sha256').update(bytes).digest().subarray(0, 8);
  return Buffer.concat([bytes, checksum]).toString('base64');
};

describe('prompts', () => {
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

/** Whether an ear tells two descriptions apart: another body, timbre or accent, or 10 % of a scale. */
function differ(one: string, other: string): boolean {
  const [a, b] = [one, other].map((description) => {
    const { voice, variation } = describedVoice(description, 'en');
    const { variant, pitch, wordsPerMinute, gainDb, accents } = voice.espeak;
    return {
      names: `${variant} ${espeakLanguage('en', accents)}`,
      scales: [pitch / 100, Math.log(wordsPerMinute), gainDb / 10, variation],
    };
  });
  return (
    a?.names !== b?.names || (a?.scales ?? []).some((each, i) => Math.abs(each - (b?.scales[i] ?? 0)) > 0.1)
  );
}

it('each description that the page offers is heard, and heard to differ from the others', () => {
  const descriptions = ['', ...VOICE_SAMPLES];
  for (const [i, one] of descriptions.entries()) {
    expect(one.length).toBeLessThanOrEqual(500);
    for (const other of descriptions.slice(i + 1)) expect(differ(one, other), `${one} / ${other}`).toBe(true);
  }
});

it.each(['', ...VOICE_SAMPLES])(
  'each word that the page offers is heard in “%s”, and differs from its trait’s',
  (sample) => {
    for (const trait of VOICE_WORDS) {
      const present = wordIn(sample, trait);
      const without = present === null ? sample : toggleWord(sample, trait, present);
      const picked = trait.words.map((word) => (word === present ? sample : toggleWord(sample, trait, word)));
      for (const [i, one] of [without, ...picked].entries()) {
        for (const other of picked.slice(i)) expect(differ(one, other), `${one} / ${other}`).toBe(true);
      }
    }
  },
);
