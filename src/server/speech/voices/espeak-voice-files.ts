/**
 * Voices that espeak does not bring along, written in its own format for voice files: bodies in several textures,
 * which are variants like its `f2`, and English as spoken by people of other mother tongues.
 */

/** Body of a voice: base pitch and formants relative to an adult man. */
interface BodyShape {
  /** Of an ordinary sentence at espeak's pitch 50: lowest and highest, in Hz. */
  readonly pitchHz: readonly [number, number];
  /** Of formant 1, formant 2 and those above, in percent. */
  readonly formants: readonly [number, number, number];
  /** Unsteadiness of the pitch; espeak's default is 2. */
  readonly flutter: number;
  /** Brings it, in its clear texture, to the loudness of the other voices: measured. */
  readonly gainDb: number;
}

const BODIES = {
  boy: { pitchHz: [225, 320], formants: [120, 122, 122], flutter: 2, gainDb: -4.9 },
  girl: { pitchHz: [250, 360], formants: [126, 126, 124], flutter: 2, gainDb: -4.5 },
  'teen-m': { pitchHz: [118, 172], formants: [106, 106, 106], flutter: 3, gainDb: -2 },
  'teen-f': { pitchHz: [205, 300], formants: [117, 116, 115], flutter: 2, gainDb: -4.8 },
  'man-1': { pitchHz: [86, 128], formants: [100, 100, 100], flutter: 2, gainDb: -1.1 },
  'man-2': { pitchHz: [80, 122], formants: [96, 97, 97], flutter: 2, gainDb: -1.1 },
  'man-3': { pitchHz: [94, 138], formants: [102, 104, 105], flutter: 2, gainDb: -1.2 },
  'woman-1': { pitchHz: [155, 232], formants: [110, 111, 110], flutter: 2, gainDb: -3.4 },
  'woman-2': { pitchHz: [145, 215], formants: [106, 110, 112], flutter: 2, gainDb: -3 },
  'woman-3': { pitchHz: [170, 252], formants: [113, 113, 112], flutter: 2, gainDb: -3.7 },
  'old-m': { pitchHz: [72, 112], formants: [95, 96, 95], flutter: 9, gainDb: -0.7 },
  'old-f': { pitchHz: [135, 200], formants: [106, 106, 104], flutter: 10, gainDb: -2.8 },
} as const satisfies Record<string, BodyShape>;

/** Texture of a voice: level of each formant, and noise beside the tone. */
interface Texture {
  /** Of formant 0 (below the first, all of it tone), 1, 2 and those above, in percent. */
  readonly strengths: readonly [number, number, number, number];
  /** Width of the formants in percent; wide ones sound veiled. */
  readonly width: number;
  readonly lines: readonly string[];
  /** Added to the gain of the body: measured. */
  readonly gainDb: number;
  /** The same for each percent of the first formant above 100, because breath is louder through a small throat. */
  readonly gainDbPerPercent?: number;
}

const TEXTURES = {
  clear: {
    strengths: [100, 100, 100, 95],
    width: 100,
    lines: ['roughness 0'],
    gainDb: 0,
  },
  warm: {
    strengths: [130, 105, 80, 55],
    width: 105,
    lines: ['roughness 0', 'tone 300 255 1000 120 2500 55 4000 30', 'consonants 70 90'],
    gainDb: -3,
  },
  bright: {
    strengths: [70, 95, 125, 150],
    width: 90,
    lines: ['roughness 0', 'tone 300 120 1200 170 2600 255 4500 200', 'consonants 130 120'],
    gainDb: -4,
  },
  breathy: {
    strengths: [110, 90, 80, 70],
    width: 125,
    lines: ['voicing 70', 'breath 12 14 10 8 6 4', 'breathw 150 150 200 200 400 400'],
    gainDb: 3,
  },
  raspy: {
    strengths: [80, 100, 105, 110],
    width: 120,
    lines: ['roughness 7', 'flutter 18', 'breath 6 10 8 6 5 4', 'breathw 150 150 200 200 400 400'],
    gainDb: 0.2,
  },
  whisper: {
    strengths: [0, 60, 80, 80],
    width: 130,
    lines: ['voicing 6', 'breath 75 75 50 40 15 10', 'breathw 150 150 200 200 400 400'],
    gainDb: 5.2,
    gainDbPerPercent: -0.31,
  },
  robot: {
    strengths: [100, 110, 100, 100],
    width: 70,
    lines: ['flutter 0', 'roughness 0', 'echo 12 80', 'stressAdd 0 0 0 0 0 0 0 0'],
    gainDb: 2.6,
  },
} as const satisfies Record<string, Texture>;

/**
 * English with the sounds that its speakers take from their own language. espeak names the sounds:
 * `T` and `D` are those of *thin* and *then*, `03` means at the end of a word only.
 */
const ENGLISH_ACCENTS = {
  german: ['T s', 'D z', 'w v', 'r R', '03 d t', '03 b p', '03 g k', '03 v f', '03 z s', 'a E'],
  french: ['T s', 'D z', 'h NULL', 'r R', 'I i', 'N n', 'tS S', 'dZ Z'],
  italian: ['T t', 'D d', 'h NULL', 'r **', 'I i', 'N n', 'z s'],
  spanish: ['T s', 'D d', 'v b', 'z s', 'r **', 'I i', 'dZ tS'],
  russian: ['T s', 'D z', 'w v', 'h x', 'r **', 'I i', 'N n', '03 d t', '03 b p', '03 g k', '03 v f'],
  indian: ['T t[', 'D d', 'w v', 'r **', 'z s'],
  japanese: ['T s', 'D z', 'r **', 'l **', 'v b', 'I i', 'V a'],
} as const satisfies Record<string, readonly string[]>;

export type Body = keyof typeof BODIES;
export type TextureName = keyof typeof TEXTURES;
export type EnglishAccent = keyof typeof ENGLISH_ACCENTS;

/** espeak's name for a body in a texture, to stand after the `+`. */
export const variantName = (body: Body, texture: TextureName): string => `vw-${body}-${texture}`;

/** espeak's name for English in such an accent. */
export const accentName = (accent: EnglishAccent): string => `en-x-${accent}`;

/** A file for espeak's data folder. */
export interface EspeakVoiceFile {
  readonly folder: string;
  readonly name: string;
  readonly content: string;
}

const FORMANTS = [0, 1, 2, 3, 4, 5, 6, 7, 8];

function variantFile(body: Body, texture: TextureName): EspeakVoiceFile {
  const { pitchHz, formants, flutter } = BODIES[body];
  const { strengths, width, lines } = TEXTURES[texture];
  const name = variantName(body, texture);
  const formantLines = FORMANTS.map((n) => {
    const place = n === 0 ? 100 : formants[n === 1 ? 0 : n === 2 ? 1 : 2];
    return `formant ${n} ${place} ${strengths[Math.min(n, 3)] ?? 100} ${width}`;
  });
  return {
    folder: 'voices/!v',
    name,
    content: [
      'language variant',
      `name ${name}`,
      `pitch ${pitchHz[0]} ${pitchHz[1]}`,
      `flutter ${flutter}`,
      ...formantLines,
      ...lines,
      '',
    ].join('\n'),
  };
}

function accentFile(accent: EnglishAccent): EspeakVoiceFile {
  const name = accentName(accent);
  const replacements = ENGLISH_ACCENTS[accent].map(
    (rule) => `replace ${/^\d/.test(rule) ? rule : `00 ${rule}`}`,
  );
  return {
    folder: 'lang/gmw',
    name,
    content: [`name English (${accent})`, `language ${name} 20`, 'phonemes en', ...replacements, ''].join(
      '\n',
    ),
  };
}

const keysOf = <K extends string>(record: Record<K, unknown>) => Object.keys(record) as K[];

const BODY_NAMES: readonly Body[] = keysOf(BODIES);
const TEXTURE_NAMES: readonly TextureName[] = keysOf(TEXTURES);

/** Brings a body in a texture to the loudness of the voices of the catalogue. */
export function variantGainDb(body: Body, texture: TextureName): number {
  const { gainDb, gainDbPerPercent = 0 }: Texture = TEXTURES[texture];
  return BODIES[body].gainDb + gainDb + gainDbPerPercent * (BODIES[body].formants[0] - 100);
}

/** Files that must exist before espeak starts, because it lists its languages then. */
export const accentFiles = (): EspeakVoiceFile[] => keysOf(ENGLISH_ACCENTS).map(accentFile);

/** Files to add after espeak's start. It finds variants by path, and its list is too small for all of them. */
export const variantFiles = (): EspeakVoiceFile[] =>
  BODY_NAMES.flatMap((body) => TEXTURE_NAMES.map((texture) => variantFile(body, texture)));
