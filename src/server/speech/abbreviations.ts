/** A full stop behind these does not end a sentence: titles, initials, abbreviations of several languages. */
const ABBREVIATION =
  /(?:^|[\s"'(“„«])(?:\p{L}|Mrs?|Ms|Mme|Mlle|Drs?|Prof|St|Sr|Jr|Sra|Srta|Hr|Fr|Nr|Abb|Bd|Art|No|vs|ca|approx|bzw|evtl|ggf|inkl|usw|etc|e\.g|i\.e|z\.\s?B|d\.\s?h|u\.\s?a|p\.ej|Sig|Dott|Inc|Ltd|Jan|Feb|Aug|Sept?|Okt|Oct|Nov|Dez|Dec)\.$/u;

/** Units to look back for the longest of them. */
const LONGEST = 12;

/** Whether the full stop before `end` closes an abbreviation. */
export const endsAbbreviation = (text: string, end: number): boolean =>
  ABBREVIATION.test(text.slice(Math.max(0, end - LONGEST), end));
