import { type Catalogue, ownSampleUrlOf, readPages } from '../../core/catalogue.ts';
import { z } from '../../core/zod.ts';
import { LATEST_VERSION } from './settings.ts';

/** The vendor's largest page (cartesia-http-3). */
const PAGE_SIZE = 100;

/** The vendor's words for the sex of a voice. */
export const GENDERS = { female: 'feminine', male: 'masculine', neutral: 'gender_neutral' } as const;

const SEXES: ReadonlyMap<string, string> = new Map(
  Object.entries(GENDERS).map(([sex, gender]) => [gender, sex]),
);

const voicesPage = z.looseObject({
  data: z.array(
    z.looseObject({
      id: z.string(),
      name: z.string(),
      description: z.nullish(z.string()),
      language: z.nullish(z.string()),
      gender: z.nullish(z.string()),
      preview_file_url: z.nullish(z.string()),
    }),
  ),
  has_more: z.nullish(z.boolean()),
  next_page: z.nullish(z.string()),
});

/** Voices alone, because no list of models or dictionaries is described (cartesia-http-8). */
export const cartesiaCatalogue: Catalogue = {
  async voices(request) {
    const headers = { Authorization: `Bearer ${request.key}`, 'Cartesia-Version': LATEST_VERSION };
    const path = `/voices?limit=${PAGE_SIZE}&expand[]=preview_file_url`;
    const pages = await readPages(request, path, headers, voicesPage, ({ data, has_more, next_page }) => {
      const after = next_page ?? data.at(-1)?.id;
      return has_more && after ? `&starting_after=${encodeURIComponent(after)}` : null;
    });
    return pages
      .flatMap(({ data }) => data)
      .map(({ id, name, description, language, gender, preview_file_url: sample }) => ({
        id,
        name,
        description: description ?? '',
        sex: SEXES.get(gender ?? '') ?? gender ?? null,
        age: null,
        languages: language ? [language] : [],
        sampleUrl: ownSampleUrlOf(sample, request),
      }));
  },
};
