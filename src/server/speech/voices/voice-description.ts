import type { SpeechRequest } from '../engine.ts';
import { isLanguage, type Language } from '../languages.ts';
import {
  ACCENTS,
  type Accent,
  FILLERS,
  LONGEST_PHRASE,
  NEGATIONS,
  STRONG,
  TRAITS,
  type Trait,
  WEAK,
} from './description-words.ts';
import { type Body, type TextureName, variantGainDb, variantName } from './espeak-voice-files.ts';

/** The part of a `SpeechRequest` that a description decides: spread it into one. */
export type DescribedVoice = Pick<SpeechRequest, 'voice' | 'speed' | 'variation'> & {
  readonly language: Language;
};

type Sex = NonNullable<Trait['sex']>;
type Age = NonNullable<Trait['age']>;
/** Complete traits of a voice. */
type VoiceAge = Exclude<Age, 'adult'>;
type Scale = 'pitch' | 'pace' | 'liveliness' | 'loudness';

/** espeak's pitch, 0 to 99: an octave and a third around 50. */
const PITCH = { ordinary: 50, step: 26, lowest: 0, highest: 99 };
/** Words a minute; a step of the scale is a factor. */
const PACE = { ordinary: 168, factor: 1.33, slowest: 90, fastest: 300 };
const LIVELINESS = { ordinary: 0.42, step: 0.42 };
const LOUDNESS_STEP_DB = 3;
/** Limit of a scale, also for several words together. */
const SCALE_END = 1.8;
const STRONG_FACTOR = 1.5;
const WEAK_FACTOR = 0.5;
/** "Not fast" is a little slow, not very slow. */
const NEGATED_FACTOR = -0.4;
/** Largest random deviation in either direction, well below the effect of a word. */
const PITCH_LEEWAY = 5;
const PACE_LEEWAY = 0.03;

const AGE_PACE: Readonly<Record<VoiceAge, number>> = {
  child: 1.02,
  teen: 1.04,
  young: 1.03,
  middle: 1,
  old: 0.88,
};

/**
 * A description as it counts: words in lower case, one space apart. Apostrophes vanish, so that `isn't` stays one
 * word; every other mark is a space.
 */
const normalizeDescription = (description: string): string =>
  description
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['’‘ʼ`´]/gu, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();

/** Traits that a description names. */
interface Wish {
  sex: Sex | undefined;
  age: Age | undefined;
  impliedAge: Age | undefined;
  texture: TextureName | undefined;
  accent: Accent | undefined;
  readonly notAges: Set<Age>;
  readonly notTextures: Set<TextureName>;
  readonly notAccents: Set<Accent>;
  readonly scales: Record<Scale, number>;
}

/** Adds a trait. The first mention wins. A negated trait is excluded; a negated sex selects the other one. */
function addTrait(wish: Wish, trait: Trait, negated: boolean, degree: number): void {
  const { sex, age, texture, accent } = trait;
  if (negated) {
    const sexOnly = age === undefined || age === 'adult';
    if (sex !== undefined && sexOnly) wish.sex ??= sex === 'male' ? 'female' : 'male';
    if (!sexOnly) wish.notAges.add(age);
    if (texture !== undefined) wish.notTextures.add(texture);
    if (accent !== undefined) wish.notAccents.add(accent);
  } else {
    wish.sex ??= sex;
    if (trait.implied) wish.impliedAge ??= age;
    else wish.age ??= age;
    wish.texture ??= texture;
    wish.accent ??= accent;
  }
  const factor = negated ? NEGATED_FACTOR : degree;
  for (const scale of ['pitch', 'pace', 'liveliness', 'loudness'] as const) {
    wish.scales[scale] += (trait[scale] ?? 0) * factor;
  }
}

function ageInYears(years: number): VoiceAge {
  if (years < 13) return 'child';
  if (years < 20) return 'teen';
  if (years < 33) return 'young';
  return years < 60 ? 'middle' : 'old';
}

/** An age in figures at a word: `a 7 year old`, `aged 70`, `in his 60s`; and how many words it takes. */
function figureAt(words: readonly string[], at: number): readonly [Trait, number] | undefined {
  const figure = /^(\d{1,3})(s|yo)?$/.exec(words[at] ?? '');
  if (figure === null) return undefined;
  const age = ageInYears(Number(figure[1]));
  if (figure[2] !== undefined) return [{ age }, 1];
  if (/^years?$/.test(words[at + 1] ?? '')) return [{ age }, words[at + 2] === 'old' ? 3 : 2];
  return ['aged', 'age', 'around', 'about'].includes(words[at - 1] ?? '') ? [{ age }, 1] : undefined;
}

function phraseAt(words: readonly string[], at: number): readonly [Trait, number] | undefined {
  // `aged 40` is a number of years, not a great age.
  if (words[at] === 'aged' && /^\d/.test(words[at + 1] ?? '')) return undefined;
  for (let length = LONGEST_PHRASE; length > 0; length -= 1) {
    const trait = TRAITS.get(words.slice(at, at + length).join(' '));
    if (trait !== undefined) return [trait, Math.min(length, words.length - at)];
  }
  return figureAt(words, at);
}

function readWords(words: readonly string[]): Wish {
  const wish: Wish = {
    sex: undefined,
    age: undefined,
    impliedAge: undefined,
    texture: undefined,
    accent: undefined,
    notAges: new Set(),
    notTextures: new Set(),
    notAccents: new Set(),
    scales: { pitch: 0, pace: 0, liveliness: 0, loudness: 0 },
  };
  let negated = false;
  let degree = 1;
  let at = 0;
  while (at < words.length) {
    const word = words[at] ?? '';
    const found = phraseAt(words, at);
    at += found?.[1] ?? 1;
    if (found !== undefined) {
      addTrait(wish, found[0], negated, degree);
      degree = 1;
      // "Not too fast or loud" denies both.
      if (words[at] !== 'or') negated = false;
    } else if (NEGATIONS.has(word)) {
      negated = true;
    } else if (STRONG.has(word)) {
      degree = STRONG_FACTOR;
    } else if (WEAK.has(word)) {
      degree = WEAK_FACTOR;
    } else if (!FILLERS.has(word)) {
      negated = false;
      degree = 1;
    }
  }
  return wish;
}

/** Numbers from 0 to below 1 that depend on nothing but the text: FNV-1a, then a step of its own for each. */
function chanceFrom(text: string): () => number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function chooseAge({ age, impliedAge, notAges }: Wish, chance: number): VoiceAge {
  // A young girl is a girl, a teenage girl is not.
  const wished = age === 'young' && impliedAge === 'child' ? impliedAge : (age ?? impliedAge);
  if (wished !== undefined && wished !== 'adult' && !notAges.has(wished)) return wished;
  const left = (['young', 'middle', 'old'] as const).filter((each) => !notAges.has(each));
  // Old only for those that ask: "not young" is middle-aged.
  return left[0] === 'young' && chance < 0.5
    ? 'young'
    : left.includes('middle')
      ? 'middle'
      : (left[0] ?? 'teen');
}

function chooseBody(sex: Sex, age: VoiceAge, pitch: number, chance: number): Body {
  const male = sex === 'male';
  if (age === 'child') return male ? 'boy' : 'girl';
  if (age === 'teen') return male ? 'teen-m' : 'teen-f';
  if (age === 'old') return male ? 'old-m' : 'old-f';
  const bodies = male ? (['man-2', 'man-1', 'man-3'] as const) : (['woman-2', 'woman-1', 'woman-3'] as const);
  // Words decide first, then the age in years, then chance.
  const small = pitch <= -0.5 ? 0 : pitch >= 0.5 ? 2 : (age === 'young' ? 1 : 0) + (chance < 0.5 ? 0 : 1);
  return bodies[small] ?? bodies[1];
}

const within = (low: number, value: number, high: number) => Math.min(high, Math.max(low, value));

/**
 * Returns the voice of a description in English words: age, sex, pitch, pace, mood, timbre and accent. The same words
 * always give the same voice, in any case, spacing and punctuation. A hash of them decides all other traits. Unknown
 * words are ignored, and of two contradictory ones the first counts.
 * @param description any text; an empty one gives a voice, too
 * @param language ISO 639-1 code of the text; English for an unsupported one. Foreign accents are heard in English only
 */
export function describedVoice(description: string, language: string): DescribedVoice {
  const normalized = normalizeDescription(description);
  const spoken = isLanguage(language) ? language : 'en';
  const wish = readWords(normalized.split(' '));
  const chance = chanceFrom(normalized);
  const scale = (name: Scale) => within(-SCALE_END, wish.scales[name], SCALE_END);
  const sexByChance = chance() < 0.5 ? 'female' : 'male';
  const sex = wish.sex ?? sexByChance;
  const age = chooseAge(wish, chance());
  const body = chooseBody(sex, age, scale('pitch'), chance());
  const texture = wish.texture !== undefined && !wish.notTextures.has(wish.texture) ? wish.texture : 'clear';
  const accent = wish.accent !== undefined && !wish.notAccents.has(wish.accent) ? wish.accent : undefined;
  const pitch = PITCH.ordinary + PITCH.step * scale('pitch') + PITCH_LEEWAY * (2 * chance() - 1);
  const pace =
    PACE.ordinary * AGE_PACE[age] * PACE.factor ** scale('pace') * (1 + PACE_LEEWAY * (2 * chance() - 1));
  return {
    voice: {
      languages: [spoken],
      sex,
      espeak: {
        variant: variantName(body, texture),
        pitch: Math.round(within(PITCH.lowest, pitch, PITCH.highest)),
        wordsPerMinute: Math.round(within(PACE.slowest, pace, PACE.fastest)),
        gainDb: variantGainDb(body, texture) + LOUDNESS_STEP_DB * scale('loudness'),
        accents: accent === undefined ? {} : ACCENTS[accent],
      },
    },
    speed: 1,
    variation: within(0, LIVELINESS.ordinary + LIVELINESS.step * scale('liveliness'), 1),
    language: spoken,
  };
}
