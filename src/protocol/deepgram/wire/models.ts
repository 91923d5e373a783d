/** Models of Deepgram: each is one voice in one language (`facts-deepgram 8`). */

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

/** Where the address of `/v1/speak` names none (`facts-deepgram 2`). */
export const DEFAULT_MODEL = 'aura-asteria-en';

/** The family of a model's id, known or not; null for an id of another form. */
export const familyOf = (id: string): Family | null =>
  /^aura-(?:2-)?[a-z]+-[a-z]{2,3}$/.test(id) ? 'aura' : /^flux-[a-z]+-[a-z]{2,3}$/.test(id) ? 'flux' : null;

export const findModel = (id: string): Model | undefined => MODELS.find((model) => model.id === id);

/** Models whose pace can be set on `/v1/speak` (`facts-deepgram 2`). */
export const takesSpeed = (id: string): boolean => /^aura-2-.*-(?:en|es)$/.test(id);
