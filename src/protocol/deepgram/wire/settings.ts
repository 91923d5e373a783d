import { wordList } from '#lib/word-list.ts';
import type { AudioEncoding, AudioFormat } from '../../core/audio-format.ts';
import * as common from '../../core/common-settings.ts';
import type { Settings } from '../../core/endpoint.ts';
import { type Issue, settingsCheck, shown } from '../../core/issue.ts';
import {
  type IdForm,
  integerSetting,
  placedSettings,
  type Setting,
  settingsOf,
  switchSetting,
  textSetting,
} from '../../core/settings.ts';
import { z } from '../../core/zod.ts';

/** Models of Deepgram: each is one voice in one language. */

/** `aura` speaks on `/v1/speak`, `flux` on `/v2/speak`. */
export type Family = 'aura' | 'flux';

export interface Model {
  id: string;
  family: Family;
  name: string;
  language: string;
  /** Null where the vendor publishes none. */
  sex: 'female' | 'male' | null;
}

type Names = Readonly<Record<'female' | 'male', string>>;

const AURA_2: Readonly<Record<string, Names>> = {
  en: {
    female:
      'amalthea andromeda asteria athena aurora callista cora cordelia delia electra harmonia helena hera iris janus juno luna minerva ophelia pandora phoebe selene thalia theia vesta',
    male: 'apollo arcas aries atlas draco hermes hyperion jupiter mars neptune odysseus orion orpheus pluto saturn zeus',
  },
  es: {
    female: 'agustina antonia carina celeste diana estrella gloria olivia selena silvia',
    male: 'alvaro aquila javier luciano nestor sirio valerio',
  },
  de: { female: 'aurelia elara kara lara viktoria', male: 'fabian julius' },
  nl: { female: 'beatrix cornelia daphne hestia leda rhea', male: 'lars roman sander' },
  fr: { female: 'agathe', male: 'hector' },
  it: { female: 'cinzia demetra livia maia melia', male: 'cesare dionisio elio flavio' },
  ja: { female: 'ama izanami uzume', male: 'ebisu fujin' },
};

const AURA_1: Names = {
  female: 'asteria luna stella athena hera',
  male: 'orion arcas perseus angus orpheus helios zeus',
};

const FLUX: Names = {
  female: 'hannah alexis sienna brooke gemma haley heather priya renee sharon',
  male: 'kit cliff cole colin miles sean jack bruce rufus drew marcus',
};

const modelsOf = (family: Family, prefix: string, language: string, names: Names): Model[] =>
  (['female', 'male'] as const).flatMap((sex) =>
    names[sex]
      .split(' ')
      .map((name) => ({ id: `${prefix}-${name}-${language}`, family, name, language, sex })),
  );

/** All that the vendor publishes with a sex. */
export const MODELS: readonly Model[] = [
  ...Object.entries(AURA_2).flatMap(([language, names]) => modelsOf('aura', 'aura-2', language, names)),
  ...modelsOf('aura', 'aura', 'en', AURA_1),
  ...modelsOf('flux', 'flux', 'en', FLUX),
];

/** The model of `/v1/speak` where its address names none (deepgram-open-1). */
export const DEFAULT_MODEL = 'aura-asteria-en';

/** The family of a model's id, known or not; null for an id of another form. */
export const familyOf = (id: string): Family | null =>
  /^aura-(?:2-)?[a-z]+-[a-z]{2,3}$/.test(id) ? 'aura' : /^flux-[a-z]+-[a-z]{2,3}$/.test(id) ? 'flux' : null;

export const findModel = (id: string): Model | undefined => MODELS.find((model) => model.id === id);

/** Models whose pace can be set on `/v1/speak` (deepgram-open-4). */
export const takesSpeed = (id: string): boolean => /^aura-2-.*-(?:en|es)$/.test(id);

/** Encodings of the sockets, and their rates in Hz, the default first (deepgram-open-3, deepgram-open-11). */
const TELEPHONE: readonly number[] = [8000, 16_000];
const OF_FAMILY = {
  aura: [24_000, 8000, 16_000, 32_000, 48_000],
  flux: [24_000, 8000, 16_000, 32_000, 44_100, 48_000],
} as const;

const ENCODING_NAMES = {
  linear16: 'pcm_s16le',
  mulaw: 'mulaw',
  alaw: 'alaw',
} as const satisfies Readonly<Record<string, AudioEncoding>>;

export type Encoding = keyof typeof ENCODING_NAMES;

const ENCODINGS = Object.keys(ENCODING_NAMES) as Encoding[];

const isEncoding = (name: unknown): name is Encoding =>
  typeof name === 'string' && Object.hasOwn(ENCODING_NAMES, name);

/** The rates of an encoding, the default first. */
const ratesOf = (encoding: Encoding, family: Family): readonly number[] =>
  encoding === 'linear16' ? OF_FAMILY[family] : TELEPHONE;

/** All rates of a family. */
const RATES = OF_FAMILY;

/** The format of the audio under these settings. No frame names it. */
export const audioFormatOf =
  (family: Family) =>
  ({
    encoding,
    sample_rate: rate,
  }: Readonly<Record<string, unknown>>): AudioFormat & {
    encoding: (typeof ENCODING_NAMES)[Encoding];
  } => {
    const known = isEncoding(encoding) ? encoding : 'linear16';
    const [usual = 0] = ratesOf(known, family);
    return { encoding: ENCODING_NAMES[known], sampleRate: typeof rate === 'number' ? rate : usual };
  };

/** Limits, and settings: the address has them, and they are fixed for a connection. */

/** Of one Speak, and of calls (deepgram-limit-1). `/v2/speak` names none for calls; ours is the same. */
export const MAX_TEXT_CHARS = 2000;
/** Of one Speak of `/v2/speak` (deepgram-limit-8). */
export const MAX_FLUX_TEXT_CHARS = 10_000;
/** Limits of `/v1/speak` within {@link WINDOW_MS} (deepgram-limit-2). */
export const MAX_WINDOW_CHARS = 2400;
export const MAX_WINDOW_FLUSHES = 20;
export const WINDOW_MS = 60_000;
/** Life of a socket (deepgram-limit-4). */
export const MAX_AGE_MS = 3_600_000;
/** `/v2/speak` closes after this long without a message (deepgram-limit-5). */
export const FLUX_IDLE_MS = 60_000;

/** Names that the vendor documents, and those that may come. */
const modelIds: IdForm = { name: 'model', toValue: (id) => id };
const modelSchema = z.string().check(z.regex(/^[a-z\d-]{1,100}$/));

const model = (own: { absent: string } | { fallback: string }) =>
  common.voice(modelSchema, modelIds, {
    also: 'A model is a voice in one language; another one needs a new connection.',
    ...own,
  });

const inEveryAddress = (family: Family) => ({
  encoding: common.encoding(ENCODINGS, { also: 'Always raw, in binary messages.', fallback: 'linear16' }),
  sample_rate: common.sampleRate(RATES[family], {
    also: 'µ-law and A-law have 8,000 or 16,000 Hz only.',
    absent: '24,000 Hz, or 8,000 Hz for µ-law and A-law',
  }),
  mip_opt_out: switchSetting({
    title: 'Opt out of improvement',
    group: 'Account',
    explanation: 'The vendor keeps nothing of the text; changes the price.',
    fallback: false,
    hasNoEffectHere: true,
  }),
  tag: textSetting(z.string().check(z.minLength(1), z.maxLength(128)), 'a text of up to 128 characters', {
    title: 'Tag',
    group: 'Account',
    explanation: 'Marks the connection in the usage of the account.',
    absent: 'none',
    hasNoEffectHere: true,
  }),
});

const IN_ADDRESS = {
  aura: {
    model: model({ fallback: DEFAULT_MODEL }),
    speed: common.speed(0.7, 1.5, 0.05, {
      also: 'Only the English and Spanish voices of Aura-2 take it.',
    }),
    ...inEveryAddress('aura'),
  },
  flux: {
    model: model({ absent: 'none; the address needs one' }),
    expressivity: integerSetting(-2, 2, {
      title: 'Expressivity',
      group: 'Delivery',
      explanation: 'Calm below 0, lively above; fixed for a connection.',
      fallback: 0,
      hasNoEffectHere: true,
    }),
    ...inEveryAddress('flux'),
  },
} as const;
/** Settings that change on an open connection, by Configure. */
const IN_MESSAGES = {
  aura: {},
  flux: { speed: common.speed(0.5, 1.5, 0.05, { also: 'It changes from the next segment on.' }) },
} as const;

const FORMS = { aura: 'aura-2-{voice}-{language}', flux: 'flux-{voice}-en' } as const;

/** Sets of values that do not fit together, where each is one of those that are documented. */
const pairIssues = (family: Family) => (settings: Settings) => {
  const { model: id, encoding = 'linear16', sample_rate: rate } = settings;
  const issues: Issue[] = [];
  if (typeof id === 'string' && familyOf(id) !== family)
    issues.push({ path: 'model', expected: `a model of the form ${FORMS[family]}`, found: shown(id) });
  const rates = ratesOf(encoding as Encoding, family);
  const expected = `one of ${rates.join(', ')} with ${encoding}`;
  if (rate !== undefined && !rates.includes(rate as number))
    issues.push({ path: 'sample_rate', expected, found: shown(rate) });
  return issues;
};

function settingsFor(family: Family) {
  const settings: readonly Setting[] = [
    ...placedSettings('query', IN_ADDRESS[family]),
    ...settingsOf(IN_MESSAGES[family]),
  ];
  const schema = z.partial(z.looseObject({ ...IN_ADDRESS[family], ...IN_MESSAGES[family] }));
  return { settings, checkSettings: settingsCheck(schema, settings, pairIssues(family)) };
}

export const FAMILY_SETTINGS = { aura: settingsFor('aura'), flux: settingsFor('flux') } as const;

/** Why `/v2/speak` refuses a pace, in the address or in Configure (deepgram-open-16); null for a good one. */
export function speedFault(speed: number): 'SPEED_OUT_OF_RANGE' | 'SPEED_INCREMENT_INVALID' | null {
  if (!(speed >= 0.5 && speed <= 1.5)) return 'SPEED_OUT_OF_RANGE';
  return Math.abs(speed * 20 - Math.round(speed * 20)) < 1e-6 ? null : 'SPEED_INCREMENT_INVALID';
}

/** Schemes of a key and of a short-lived token, in the header and as the first subprotocol. */
const SCHEMES = wordList('token bearer');
export type Scheme = (typeof SCHEMES)[number];

/** A token (JWT) has three parts with dots between (deepgram-key-4). */
const isToken = (secret: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(secret);

export const schemeOf = (secret: string): Scheme => (isToken(secret) ? 'bearer' : 'token');

export const isScheme = (word: string): word is Scheme => SCHEMES.some((each) => each === word.toLowerCase());
