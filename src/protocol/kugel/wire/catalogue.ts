import {
  type Catalogue,
  type CatalogueRequest,
  type DictionaryInfo,
  readCatalogue,
  sampleUrlOf,
  type VoiceInfo,
} from '../../core/catalogue.ts';
import { z } from '../../core/zod.ts';

/** The vendor's largest page (`facts 5`). */
const PAGE_SIZE = 100;
/** Limits the pages of one catalogue, because a faulty server may report an endless total. */
const MAX_PAGES = 20;

const voicesPage = z.looseObject({
  voices: z.array(
    z.looseObject({
      id: z.union([z.number(), z.string()]),
      name: z.string(),
      description: z.nullish(z.string()),
      sex: z.nullish(z.string()),
      age: z.nullish(z.string()),
      supported_languages: z.nullish(z.array(z.string())),
      sample_url: z.nullish(z.string()),
    }),
  ),
  total: z.optional(z.number()),
});

const dictionariesPage = z.looseObject({
  dictionaries: z.array(
    z.looseObject({
      id: z.number(),
      name: z.string(),
      description: z.nullish(z.string()),
      language: z.nullish(z.string()),
      is_active: z.nullish(z.boolean()),
      project_id: z.nullish(z.number()),
    }),
  ),
});

const read = <T>(request: CatalogueRequest, path: string, schema: z.ZodMiniType<T>): Promise<T> =>
  readCatalogue(request, path, { 'X-API-Key': request.key }, schema);

/** Voices and dictionaries (`facts 5`). */
export const kugelCatalogue: Catalogue = {
  async voices(request) {
    const found: VoiceInfo[] = [];
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const { voices, total } = await read(
        request,
        `/v1/voices?limit=${PAGE_SIZE}&offset=${page * PAGE_SIZE}`,
        voicesPage,
      );
      for (const voice of voices) {
        found.push({
          id: String(voice.id),
          name: voice.name,
          description: voice.description ?? '',
          sex: voice.sex ?? null,
          age: voice.age ?? null,
          languages: voice.supported_languages ?? [],
          sampleUrl: sampleUrlOf(voice.sample_url, request),
        });
      }
      if (voices.length < PAGE_SIZE || found.length >= (total ?? Number.POSITIVE_INFINITY)) break;
    }
    return found;
  },

  async dictionaries(request) {
    const { dictionaries } = await read(request, '/v1/dictionaries', dictionariesPage);
    return dictionaries.map(
      (dictionary): DictionaryInfo => ({
        id: String(dictionary.id),
        settings: typeof dictionary.project_id === 'number' ? { project_id: dictionary.project_id } : {},
        name: dictionary.name,
        description: dictionary.description ?? '',
        language: dictionary.language ?? null,
        active: dictionary.is_active ?? true,
      }),
    );
  },
};
