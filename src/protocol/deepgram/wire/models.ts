import { wordList } from '#lib/word-list.ts';

/** Models of Deepgram, each of which is a voice in a language (`facts-deepgram 8`). */

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

const AURA_2: Readonly<Record<string, Readonly<Record<'female' | 'male', readonly string[]>>>> = {
  en: {
    female: wordList(
      'amalthea andromeda asteria athena aurora callista cora cordelia delia electra harmonia helena hera iris janus juno luna minerva ophelia pandora phoebe selene thalia theia vesta',
    ),
    male: wordList(
      'apollo arcas aries atlas draco hermes hyperion jupiter mars neptune odysseus orion orpheus pluto saturn zeus',
    ),
  },
  es: {
    female: wordList('agustina antonia carina celeste diana estrella gloria olivia selena silvia'),
    male: wordList('alvaro aquila javier luciano nestor sirio valerio'),
  },
  de: { female: wordList('aurelia elara kara lara viktoria'), male: wordList('fabian julius') },
  nl: { female: wordList('beatrix cornelia daphne hestia leda rhea'), male: wordList('lars roman sander') },
  fr: { female: wordList('agathe'), male: wordList('hector') },
  it: {
    female: wordList('cinzia demetra livia maia melia'),
    male: wordList('cesare dionisio elio flavio'),
  },
  ja: { female: wordList('ama izanami uzume'), male: wordList('ebisu fujin') },
};

const AURA_1 = {
  female: wordList('asteria luna stella athena hera'),
  male: wordList('orion arcas perseus angus orpheus helios zeus'),
} as const;

const FLUX = {
  female: wordList('hannah alexis sienna brooke gemma haley heather priya renee sharon'),
  male: wordList('kit cliff cole colin miles sean jack bruce rufus drew marcus'),
} as const;

const modelsOf = (
  family: Family,
  prefix: string,
  language: string,
  names: Readonly<Record<'female' | 'male', readonly string[]>>,
): Model[] =>
  (['female', 'male'] as const).flatMap((sex) =>
    names[sex].map((name) => ({ id: `${prefix}-${name}-${language}`, family, name, language, sex })),
  );

/** All that the vendor publishes with a sex. */
export const MODELS: readonly Model[] = [
  ...Object.entries(AURA_2).flatMap(([language, names]) => modelsOf('aura', 'aura-2', language, names)),
  ...modelsOf('aura', 'aura', 'en', AURA_1),
  ...modelsOf('flux', 'flux', 'en', FLUX),
];

/** Where the address of `/v1/speak` names none (`facts-deepgram 2`). */
export const DEFAULT_MODEL = 'aura-asteria-en';

/** The family of a model's id, known or not; null for an id of another form. */
export const familyOf = (id: string): Family | null =>
  /^aura-(?:2-)?[a-z]+-[a-z]{2,3}$/.test(id) ? 'aura' : /^flux-[a-z]+-[a-z]{2,3}$/.test(id) ? 'flux' : null;

export const findModel = (id: string): Model | undefined => MODELS.find((model) => model.id === id);

/** Models whose pace can be set on `/v1/speak` (`facts-deepgram 2`). */
export const takesSpeed = (id: string): boolean => /^aura-2-.*-(?:en|es)$/.test(id);
