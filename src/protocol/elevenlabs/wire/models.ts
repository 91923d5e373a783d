import { smallest } from '#lib/collections/arrays.ts';
import { wordList } from '#lib/word-list.ts';

/** Models of ElevenLabs: those of its sockets, and those of calls (`facts-elevenlabs 1.4`). */

export interface Model {
  name: string;
  languages: readonly string[];
  /** Of one request. */
  maxChars: number;
  creditsPerCharacter: number;
}

const OF_FLASH = wordList(
  'ar bg cs da de el en es fi fil fr hi hr hu id it ja ko ms nl no pl pt ro ru sk sv ta tr uk vi zh',
);
const OF_MULTILINGUAL = OF_FLASH.filter((code) => !['hu', 'no', 'vi'].includes(code));

/** All language codes that any model takes. */
export const LANGUAGES = OF_FLASH;

export const MODELS = {
  eleven_flash_v2_5: { name: 'Flash v2.5', languages: OF_FLASH, maxChars: 40_000, creditsPerCharacter: 0.5 },
  eleven_flash_v2: { name: 'Flash v2', languages: ['en'], maxChars: 30_000, creditsPerCharacter: 0.5 },
  eleven_turbo_v2_5: { name: 'Turbo v2.5', languages: OF_FLASH, maxChars: 40_000, creditsPerCharacter: 0.5 },
  eleven_turbo_v2: { name: 'Turbo v2', languages: ['en'], maxChars: 30_000, creditsPerCharacter: 0.5 },
  eleven_multilingual_v2: {
    name: 'Multilingual v2',
    languages: OF_MULTILINGUAL,
    maxChars: 10_000,
    creditsPerCharacter: 1,
  },
} as const satisfies Record<string, Model>;

/** Models that speak in calls alone, at a credit a character, which is ours. */
const OF_CALLS = {
  eleven_v3: { name: 'v3', languages: OF_FLASH, maxChars: 5000, creditsPerCharacter: 1 },
  eleven_v3_conversational: {
    name: 'v3 Conversational',
    languages: OF_FLASH,
    maxChars: 5000,
    creditsPerCharacter: 1,
  },
  eleven_v4: { name: 'v4', languages: OF_FLASH, maxChars: 10_000, creditsPerCharacter: 1 },
  eleven_v4_turbo: { name: 'v4 Turbo', languages: OF_FLASH, maxChars: 10_000, creditsPerCharacter: 1 },
} as const satisfies Record<string, Model>;

/** All models of calls that speak. */
export const REST_MODELS = { ...MODELS, ...OF_CALLS };

export type RestModelId = keyof typeof REST_MODELS;

export const REST_MODEL_IDS = Object.keys(REST_MODELS) as RestModelId[];

export const isRestModelId = (id: string): id is RestModelId => Object.hasOwn(REST_MODELS, id);

export type ModelId = keyof typeof MODELS;

export const MODEL_IDS = Object.keys(MODELS) as ModelId[];

/** The model where the address names none (`facts-elevenlabs 10.1`). */
export const DEFAULT_MODEL: ModelId = 'eleven_multilingual_v2';

export const isModelId = (id: string): id is ModelId => Object.hasOwn(MODELS, id);

/** Models of the other protocol, which these sockets refuse (`facts-elevenlabs 1.4.1`). */
export const isDialogueModel = (id: string): boolean => /^eleven_v[34](?:_|$)/.test(id);

/** Characters of one request, of the model that takes fewest. */
export const MAX_TEXT_CHARS = smallest(Object.values(MODELS).map(({ maxChars }) => maxChars));
