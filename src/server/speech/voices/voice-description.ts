import type { SpeechRequest } from '../engine.ts';
import { isLanguage, type Language } from '../languages.ts';
import { accentName, type Body, type TextureName, variantGainDb, variantName } from './espeak-voice-files.ts';

/** The part of a `SpeechRequest` that a description decides: spread it into one. */
export type DescribedVoice = Pick<SpeechRequest, 'voice' | 'speed' | 'variation'> & {
  readonly language: Language;
};

type Sex = 'female' | 'male';
type Age = 'child' | 'teen' | 'young' | 'middle' | 'old';

/** Traits of which the first word counts. */
interface Choices {
  readonly sex?: Sex;
  readonly age?: Age;
  readonly texture?: TextureName;
  /** espeak's name of an English. */
  readonly accent?: string;
}

/** 0 is ordinary and 1 is plainly so. Several words add up. */
interface Scales {
  readonly pitch?: number;
  readonly pace?: number;
  readonly liveliness?: number;
  readonly loudness?: number;
}

type Trait = Choices & Scales;

/** All words with an effect, in lower case. The voice without any accent is American, so no word says that. */
const WORDS: readonly (readonly [words: string, Trait])[] = [
  ['woman female', { sex: 'female' }],
  ['man male', { sex: 'male' }],
  ['girl', { sex: 'female', age: 'child' }],
  ['boy', { sex: 'male', age: 'child' }],
  ['grandmother', { sex: 'female', age: 'old', pace: -0.4 }],
  ['grandfather', { sex: 'male', age: 'old', pace: -0.4 }],
  ['child', { age: 'child' }],
  ['teenage teenager', { age: 'teen' }],
  ['young', { age: 'young' }],
  // "Middle-aged" is two words.
  ['middle', { age: 'middle' }],
  ['old elderly', { age: 'old', pace: -0.4 }],

  ['deep baritone', { pitch: -1 }],
  ['low', { pitch: -0.5 }],
  ['high squeaky', { pitch: 1 }],
  ['bright', { pitch: 0.5, texture: 'bright' }],
  ['slow slowly', { pace: -1 }],
  ['measured', { pace: -0.5 }],
  ['brisk', { pace: 0.5 }],
  ['fast quick', { pace: 1 }],
  ['loud', { loudness: 1 }],
  ['quiet', { loudness: -1 }],

  ['calm soothing', { pace: -0.4, liveliness: -0.4 }],
  ['cheerful happy', { pitch: 0.3, liveliness: 0.7 }],
  ['energetic excited', { pace: 0.5, pitch: 0.5, liveliness: 1 }],
  ['sad tired', { pitch: -0.3, pace: -0.5, liveliness: -0.6 }],
  ['angry', { pace: 0.3, liveliness: 0.6, loudness: 0.6 }],
  ['serious authoritative', { pitch: -0.4, liveliness: -0.4 }],
  ['friendly dramatic', { liveliness: 0.5 }],
  ['monotone', { liveliness: -1 }],

  ['warm', { texture: 'warm', liveliness: 0.2 }],
  ['soft breathy', { texture: 'breathy', loudness: -0.3 }],
  ['raspy gravelly', { texture: 'raspy' }],
  ['whisper whispering', { texture: 'whisper', pace: -0.2 }],
  ['robotic', { texture: 'robot', liveliness: -1 }],

  ['british', { accent: 'en' }],
  ['scottish', { accent: 'en-gb-scotland' }],
  ['indian', { accent: accentName('indian') }],
  ['german', { accent: accentName('german') }],
  ['french', { accent: accentName('french') }],
  ['italian', { accent: accentName('italian') }],
  ['spanish', { accent: accentName('spanish') }],
  ['russian', { accent: accentName('russian') }],
  ['japanese', { accent: accentName('japanese') }],
];

const TRAITS: ReadonlyMap<string, Trait> = new Map(
  WORDS.flatMap(([words, trait]) => words.split(' ').map((word) => [word, trait])),
);

const NEGATIONS = new Set(['not', 'no', 'never']);
const DEGREES = new Set(['too', 'very', 'so']);

const BODIES: Readonly<Record<Age | 'unknown', Readonly<Record<Sex, Body>>>> = {
  child: { female: 'girl', male: 'boy' },
  teen: { female: 'teen-f', male: 'teen-m' },
  young: { female: 'woman-3', male: 'man-3' },
  unknown: { female: 'woman-1', male: 'man-1' },
  middle: { female: 'woman-2', male: 'man-2' },
  old: { female: 'old-f', male: 'old-m' },
};

/** A voice of unknown sex is a woman's, set so much lower. */
const NEUTRAL_PITCH = -0.5;
/** espeak's pitch: 0 to 99 are an octave and a third. */
const PITCH = { ordinary: 50, step: 26 };
/** Words a minute; a step of the scale is a factor. */
const PACE = { ordinary: 168, factor: 1.33 };
const LIVELINESS = { ordinary: 0.42, step: 0.42 };
const LOUDNESS_STEP_DB = 3;
/** Limit of a scale for several words together. It keeps the pitch within 3 and 97, the pace within 100 and 281. */
const SCALE_END = 1.8;

const within = (low: number, value: number, high: number) => Math.min(high, Math.max(low, value));

/** Traits of the known words. "Not deep" and "never too deep" leave out the word. */
function traitsIn(description: string): Trait[] {
  const words = description
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u);
  return words.flatMap((word, at) => {
    const before = words[DEGREES.has(words[at - 1] ?? '') ? at - 2 : at - 1];
    return NEGATIONS.has(before ?? '') ? [] : (TRAITS.get(word) ?? []);
  });
}

/**
 * Returns the voice of a description in English words: age, sex, pitch, pace, mood, timbre and accent. Of two
 * contradictory words the first counts. Other words have no effect; a description of nothing else gives the neutral voice.
 * @param description any text, also an empty one
 * @param language ISO 639-1 code of the text; English for an unsupported one. Accents are heard in English only
 */
export function describedVoice(description: string, language: string): DescribedVoice {
  const spoken = isLanguage(language) ? language : 'en';
  const traits = traitsIn(description);
  const first = <Name extends keyof Choices>(name: Name) => traits.find((trait) => trait[name])?.[name];
  const scale = (name: keyof Scales, from = 0) =>
    within(
      -SCALE_END,
      traits.reduce((sum, trait) => sum + (trait[name] ?? 0), from),
      SCALE_END,
    );
  const sex = first('sex');
  // A young girl is a girl.
  const age = traits.find((trait) => trait.age && trait.age !== 'young')?.age ?? first('age') ?? 'unknown';
  const body = BODIES[age][sex ?? 'female'];
  const texture = first('texture') ?? 'clear';
  const accent = first('accent');
  return {
    voice: {
      languages: [spoken],
      sex: sex ?? null,
      espeak: {
        variant: variantName(body, texture),
        pitch: Math.round(PITCH.ordinary + PITCH.step * scale('pitch', sex ? 0 : NEUTRAL_PITCH)),
        wordsPerMinute: Math.round(PACE.ordinary * PACE.factor ** scale('pace')),
        gainDb: variantGainDb(body, texture) + LOUDNESS_STEP_DB * scale('loudness'),
        accents: accent ? { en: accent } : {},
      },
    },
    speed: 1,
    variation: within(0, LIVELINESS.ordinary + LIVELINESS.step * scale('liveliness'), 1),
    language: spoken,
  };
}
