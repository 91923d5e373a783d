import { seededRandom } from '#lib/statistics/random.ts';
import type { SpeechRequest } from '../engine.ts';
import { isLanguage, type Language } from '../languages.ts';
import { LONGEST_PHRASE, MODIFIERS, type Modifier, TRAITS, type Trait } from './description-words.ts';
import { type Body, variantGainDb, variantName } from './espeak-voice-files.ts';

/** The part of a `SpeechRequest` that a description decides: spread it into one. */
export type DescribedVoice = Pick<SpeechRequest, 'voice' | 'speed' | 'variation'> & {
  readonly language: Language;
};

type Sex = NonNullable<Trait['sex']>;
type VoiceAge = Exclude<NonNullable<Trait['age']>, 'adult'>;
type Scale = 'pitch' | 'pace' | 'liveliness' | 'loudness';

/** espeak's pitch, 0 to 99: an octave and a third around 50. */
const PITCH = { ordinary: 50, step: 26, lowest: 0, highest: 99 };
/** Words a minute; a step of the scale is a factor. */
const PACE = { ordinary: 168, factor: 1.33, slowest: 90, fastest: 300 };
const LIVELINESS = { ordinary: 0.42, step: 0.42 };
const LOUDNESS_STEP_DB = 3;
/** Limit of a scale, also for several words together. */
const SCALE_END = 1.8;
/** "Not fast" is a little slow, not very slow. */
const NEGATED_FACTOR = -0.4;
/** Largest random deviation in either direction, well below the effect of a word. */
const PITCH_LEEWAY = 5;
const PACE_LEEWAY = 0.03;

interface AgeTraits {
  /** The age in years is below. */
  readonly endYears: number;
  readonly pace: number;
  /** From low to high. */
  readonly bodies: Readonly<Record<Sex, readonly [Body, ...Body[]]>>;
}

const GROWN: AgeTraits['bodies'] = {
  female: ['woman-2', 'woman-1', 'woman-3'],
  male: ['man-2', 'man-1', 'man-3'],
};

const AGES: Readonly<Record<VoiceAge, AgeTraits>> = {
  child: { endYears: 13, pace: 1.02, bodies: { female: ['girl'], male: ['boy'] } },
  teen: { endYears: 20, pace: 1.04, bodies: { female: ['teen-f'], male: ['teen-m'] } },
  young: { endYears: 33, pace: 1.03, bodies: GROWN },
  middle: { endYears: 60, pace: 1, bodies: GROWN },
  old: { endYears: Number.POSITIVE_INFINITY, pace: 0.88, bodies: { female: ['old-f'], male: ['old-m'] } },
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

/** A trait that a description names. */
type Mention = Trait & Modifier;

const ORDINARY: Modifier = { isNegated: false, degree: 1 };

/** An age in figures at a word: `a 7 year old`, `aged 70`, `in his 60s`; and how many words it takes. */
function figureAt(words: readonly string[], at: number): readonly [Trait, number] | undefined {
  const figure = /^(\d{1,3})(s|yo)?$/.exec(words[at] ?? '');
  if (figure === null) return undefined;
  const ages = Object.keys(AGES) as VoiceAge[];
  const age = ages.find((each) => Number(figure[1]) < AGES[each].endYears) ?? 'old';
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

function mentionsIn(words: readonly string[]): Mention[] {
  const mentions: Mention[] = [];
  let modifier = ORDINARY;
  for (let at = 0; at < words.length; ) {
    const found = phraseAt(words, at);
    if (found === undefined) {
      const own = MODIFIERS.get(words[at] ?? '');
      modifier = own ? { ...modifier, ...own } : ORDINARY;
      at += 1;
    } else {
      const [trait, length] = found;
      mentions.push({ ...trait, ...modifier });
      at += length;
      // "Not too fast or loud" denies both.
      modifier = { ...ORDINARY, isNegated: modifier.isNegated && words[at] === 'or' };
    }
  }
  return mentions;
}

/** The first sex that is mentioned. "Not a man" is a woman, but "not a boy" denies only the age. */
function sexOf(mentions: readonly Mention[]): Sex | undefined {
  const first = mentions.find(
    ({ sex, age, isNegated }) => sex && (!isNegated || age === undefined || age === 'adult'),
  );
  if (!first?.isNegated) return first?.sex;
  return first.sex === 'male' ? 'female' : 'male';
}

/** The first that is mentioned, unless it is negated anywhere. */
function chosen<Kind extends 'texture' | 'accent'>(
  mentions: readonly Mention[],
  kind: Kind,
): Mention[Kind] | undefined {
  const wished = mentions.find((each) => !each.isNegated && each[kind] !== undefined)?.[kind];
  return mentions.some((each) => each.isNegated && each[kind] === wished) ? undefined : wished;
}

function ageOf(mentions: readonly Mention[], chance: number): VoiceAge {
  const isDenied = (age: VoiceAge) => mentions.some((each) => each.isNegated && each.age === age);
  const named = mentions.filter(({ age, isNegated }) => age !== undefined && !isNegated);
  const age = named.find(({ implied }) => !implied)?.age;
  const impliedAge = named.find(({ implied }) => implied)?.age;
  // A young girl is a girl, a teenage girl is not.
  const wished = age === 'young' && impliedAge === 'child' ? impliedAge : (age ?? impliedAge);
  if (wished !== undefined && wished !== 'adult' && !isDenied(wished)) return wished;
  // Old only for those that ask: "not young" is middle-aged.
  const left = chance < 0.5 ? (['young', 'middle', 'old'] as const) : (['middle', 'young', 'old'] as const);
  return left.find((each) => !isDenied(each)) ?? 'teen';
}

function bodyOf(sex: Sex, age: VoiceAge, pitch: number, chance: number): Body {
  const bodies = AGES[age].bodies[sex];
  // Words decide first, then the age in years, then chance.
  const small = pitch <= -0.5 ? 0 : pitch >= 0.5 ? 2 : (age === 'young' ? 1 : 0) + (chance < 0.5 ? 0 : 1);
  return bodies[small] ?? bodies[0];
}

const within = (low: number, value: number, high: number) => Math.min(high, Math.max(low, value));

/** Numbers from 0 to below 1 that depend on nothing but the text, by its FNV-1a hash. */
function chanceFrom(text: string): () => number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return seededRandom(hash);
}

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
  const mentions = mentionsIn(normalized.split(' '));
  const chance = chanceFrom(normalized);
  const scale = (name: Scale) => {
    const steps = mentions.map((each) => (each[name] ?? 0) * (each.isNegated ? NEGATED_FACTOR : each.degree));
    const sum = steps.reduce((before, step) => before + step, 0);
    return within(-SCALE_END, sum, SCALE_END);
  };
  const sexByChance = chance() < 0.5 ? 'female' : 'male';
  const sex = sexOf(mentions) ?? sexByChance;
  const age = ageOf(mentions, chance());
  const body = bodyOf(sex, age, scale('pitch'), chance());
  const texture = chosen(mentions, 'texture') ?? 'clear';
  const pitch = PITCH.ordinary + PITCH.step * scale('pitch') + PITCH_LEEWAY * (2 * chance() - 1);
  const pace =
    PACE.ordinary * AGES[age].pace * PACE.factor ** scale('pace') * (1 + PACE_LEEWAY * (2 * chance() - 1));
  return {
    voice: {
      languages: [spoken],
      sex,
      espeak: {
        variant: variantName(body, texture),
        pitch: Math.round(within(PITCH.lowest, pitch, PITCH.highest)),
        wordsPerMinute: Math.round(within(PACE.slowest, pace, PACE.fastest)),
        gainDb: variantGainDb(body, texture) + LOUDNESS_STEP_DB * scale('loudness'),
        accents: chosen(mentions, 'accent') ?? {},
      },
    },
    speed: 1,
    variation: within(0, LIVELINESS.ordinary + LIVELINESS.step * scale('liveliness'), 1),
    language: spoken,
  };
}
