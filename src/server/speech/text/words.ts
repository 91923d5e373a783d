import { SPEAKABLE_UNITS } from '#lib/text/words.ts';

/** Sounds by name (`ipa.ts`) included. */
const SPEAKABLE = new RegExp(`[${SPEAKABLE_UNITS}\\ue000-\\ue07f]`, 'u');
const SPEAKABLE_AHEAD = new RegExp(SPEAKABLE, 'gu');

export const isSpeakable = (text: string): boolean => SPEAKABLE.test(text);

/** Returns the place of the first unit from `from` on that a voice can say; the end where there is none. */
export function speakableFrom(text: string, from: number): number {
  SPEAKABLE_AHEAD.lastIndex = from;
  return SPEAKABLE_AHEAD.exec(text)?.index ?? text.length;
}

/** A full stop behind these does not end a sentence: titles, initials, abbreviations of several languages. */
const ABBREVIATION =
  /(?:^|[\s"'(“„«])(?:(?:\p{L}\.)*\p{L}|Ph\.D|Mrs?|Ms|Mme|Mlle|Drs?|Prof|St|Sr|Jr|Sra|Srta|Hr|Fr|Nr|Abb|Bd|Art|No|vs|ca|approx|bzw|evtl|ggf|inkl|usw|etc|z\.\s?B|d\.\s?h|u\.\s?a|p\.ej|Sig|Dott|Inc|Ltd|Jan|Feb|Aug|Sept?|Okt|Oct|Nov|Dez|Dec)\.$/u;

/** Units to look back for the longest of them. */
const LONGEST = 12;

/** Whether the full stop before `end` closes an abbreviation. */
export const endsAbbreviation = (text: string, end: number): boolean =>
  ABBREVIATION.test(text.slice(Math.max(0, end - LONGEST), end));
