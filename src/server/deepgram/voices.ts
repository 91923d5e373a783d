import { createHash } from 'node:crypto';
import { deepgram, deepgramFlux } from '#protocol/deepgram/endpoints.ts';
import { type Family, findModel, MODELS, type Model } from '#protocol/deepgram/wire/settings.ts';
import { isLanguage } from '../speech/languages.ts';
import { standInFor } from '../speech/voices/stand-in.ts';
import type { VoiceCatalogue } from '../speech/voices/voice-catalogue.ts';
import type { Voice } from '../speech/voices/voices.ts';

/** A model that speaks in a local voice. */
export interface LocalModel {
  id: string;
  family: Family;
  voice: Voice;
  language: string;
}

const FAMILIES = {
  aura: { prefix: 'aura-2', examples: deepgram.exampleVoices, version: '2024-11-19.0' },
  flux: { prefix: 'flux', examples: deepgramFlux.exampleVoices, version: '2026.06.01' },
} as const;

/** The voices of the catalogue by model ids. */
export class ModelVoices {
  /** Those of local voices, and all others of Aura that the vendor publishes. The vendor's list has none of Flux. */
  readonly all: readonly LocalModel[];
  /** One a local voice, and one of Flux a voice that is made for English. */
  readonly #local: readonly LocalModel[];

  constructor({ all }: VoiceCatalogue) {
    const english = all.filter(({ languages: [language] }) => language === 'en');
    this.#local = [
      ...all.map((voice) => localModel('aura', voice)),
      ...english.map((voice) => localModel('flux', voice)),
    ];
    const ids = new Set(this.#local.map(({ id }) => id));
    const published = MODELS.filter(({ id, family }) => family === 'aura' && !ids.has(id));
    this.all = [...this.#local, ...published.flatMap((model) => this.#standIn(model) ?? [])];
  }

  /** A model that is listed here, or one that the vendor publishes. */
  find(id: string): LocalModel | undefined {
    const published = findModel(id);
    return this.all.find((model) => model.id === id) ?? (published && this.#standIn(published));
  }

  /** Ours: the other published models speak in local voices of their language and sex, each always in the same one. */
  #standIn({ id, family, language, name, sex }: Model): LocalModel | undefined {
    const speakers = this.#local.filter((model) => model.family === family && model.language === language);
    const model = standInFor(id, sex, speakers, ({ voice }) => voice.sex);
    return model && { ...model, id, voice: { ...model.voice, name, sex: sex ?? model.voice.sex } };
  }
}

function localModel(family: Family, voice: Voice): LocalModel {
  const { prefix, examples } = FAMILIES[family];
  const known = Object.entries(examples).find(([name]) => name.toLowerCase() === voice.handle)?.[1];
  const [language] = voice.languages;
  // Ids have letters alone.
  const name = voice.handle
    .toLowerCase()
    .replace(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)))
    .replace(/[^a-z]/g, '');
  const id = known ?? `${prefix}-${name}-${language}`;
  return { id, family, voice, language: id.slice(id.lastIndexOf('-') + 1) };
}

/** Version and id of a model, as frames and headers name them. The same on every server. */
export const identityOf = ({ id, family }: Pick<LocalModel, 'id' | 'family'>) => ({
  version: FAMILIES[family].version,
  uuid: uuidOf(id),
});

export const languageOf = ({ language, voice }: LocalModel) =>
  isLanguage(language) ? language : voice.languages[0];

/** An UUID in version 8, which is for digests. */
const uuidOf = (id: string): string =>
  createHash('sha256')
    .update(id)
    .digest('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-8$3-a$4-$5');
