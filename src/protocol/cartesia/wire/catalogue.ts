import { type Catalogue, ownSampleUrlOf, readCatalogue, type VoiceInfo } from '../../core/catalogue.ts';
import { z } from '../../core/zod.ts';
import { LATEST_VERSION } from './versions.ts';

/** The vendor's largest page (`facts-cartesia`, H3). */
const PAGE_SIZE = 100;
/** Limits the pages of one catalogue, because a faulty server may report an endless one. */
const MAX_PAGES = 20;

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

/** Voices (H3, H4). Dictionaries have an id and no list to choose from, and there is no list of models (H8). */
export const cartesiaCatalogue: Catalogue = {
  async voices(request) {
    const headers = { Authorization: `Bearer ${request.key}`, 'Cartesia-Version': LATEST_VERSION };
    const found: VoiceInfo[] = [];
    let after: string | null = null;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const next: string = after === null ? '' : `&starting_after=${encodeURIComponent(after)}`;
      const path = `/voices?limit=${PAGE_SIZE}&expand[]=preview_file_url${next}`;
      const {
        data,
        has_more: hasMore,
        next_page: nextPage,
      } = await readCatalogue(request, path, headers, voicesPage);
      for (const { id, name, description, language, gender, preview_file_url: sample } of data) {
        found.push({
          id,
          name,
          description: description ?? '',
          sex: SEXES.get(gender ?? '') ?? gender ?? null,
          age: null,
          languages: language ? [language] : [],
          sampleUrl: ownSampleUrlOf(sample, request),
        });
      }
      after = nextPage ?? data.at(-1)?.id ?? null;
      if (!hasMore || after === null) break;
    }
    return found;
  },
  dictionaries: async () => [],
};
