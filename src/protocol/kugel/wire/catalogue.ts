import {
  type Catalogue,
  type CatalogueRequest,
  type DictionaryInfo,
  readCatalogue,
  readPages,
  sampleUrlOf,
} from '../../core/catalogue.ts';
import { z } from '../../core/zod.ts';

/** The vendor's largest page (kugel-http-4). */
const PAGE_SIZE = 100;

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

type VoicesPage = z.output<typeof voicesPage>;

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

const headersOf = ({ key }: CatalogueRequest) => ({ 'X-API-Key': key });

/** Voices and dictionaries. */
export const kugelCatalogue = {
  async voices(request) {
    const path = `/v1/voices?limit=${PAGE_SIZE}`;
    const next = ({ voices, total = Number.POSITIVE_INFINITY }: VoicesPage, pages: readonly VoicesPage[]) => {
      const found = pages.reduce((sum, page) => sum + page.voices.length, 0);
      return voices.length < PAGE_SIZE || found >= total ? null : `&offset=${pages.length * PAGE_SIZE}`;
    };
    const pages = await readPages(request, path, headersOf(request), voicesPage, next);
    return pages
      .flatMap(({ voices }) => voices)
      .map(({ id, name, description, sex, age, supported_languages: languages, sample_url: sample }) => ({
        id: String(id),
        name,
        description: description ?? '',
        sex: sex ?? null,
        age: age ?? null,
        languages: languages ?? [],
        sampleUrl: sampleUrlOf(sample, request),
      }));
  },

  async dictionaries(request) {
    const { dictionaries } = await readCatalogue(
      request,
      '/v1/dictionaries',
      headersOf(request),
      dictionariesPage,
    );
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
} satisfies Catalogue;
