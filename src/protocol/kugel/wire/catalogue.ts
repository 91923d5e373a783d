import {
  type Catalogue,
  CatalogueError,
  type CatalogueRequest,
  type DictionaryInfo,
  type VoiceInfo,
} from '../../core/catalogue.ts';
import { z } from '../../core/zod.ts';

/** Voices and dictionaries over REST (`facts 5`). */

/** The largest page that the vendor gives (`facts 5`). */
const PAGE_SIZE = 100;
/** Pages to read at most, against a server whose total never ends. */
const MAX_PAGES = 20;

const voicesPage = z.looseObject({
  voices: z.array(
    z.looseObject({
      id: z.union([z.number(), z.string()]),
      name: z.string(),
      description: z.string().nullish(),
      sex: z.string().nullish(),
      age: z.string().nullish(),
      supported_languages: z.array(z.string()).nullish(),
      sample_url: z.string().nullish(),
    }),
  ),
  total: z.number().optional(),
});

const dictionariesPage = z.looseObject({
  dictionaries: z.array(
    z.looseObject({
      id: z.number(),
      name: z.string(),
      description: z.string().nullish(),
      language: z.string().nullish(),
      is_active: z.boolean().nullish(),
    }),
  ),
});

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
          id: voice.id,
          name: voice.name,
          description: voice.description ?? '',
          sex: voice.sex ?? null,
          age: voice.age ?? null,
          languages: voice.supported_languages ?? [],
          sampleUrl: voice.sample_url ? new URL(voice.sample_url, `${request.base}/`).href : null,
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
        id: dictionary.id,
        name: dictionary.name,
        description: dictionary.description ?? '',
        language: dictionary.language ?? null,
        active: dictionary.is_active ?? true,
      }),
    );
  },
};

async function read<T>(request: CatalogueRequest, path: string, schema: z.ZodType<T>): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`${request.base}${path}`, {
      headers: request.key === '' ? {} : { 'X-API-Key': request.key },
      ...(request.signal ? { signal: request.signal } : {}),
    });
  } catch (error) {
    if (request.signal?.aborted) throw error;
    throw new CatalogueError(
      'The server did not answer. It may be down, or it may not allow requests from this page.',
    );
  }
  if (!response.ok) throw new CatalogueError(await refusal(response));
  const parsed = schema.safeParse(await response.json().catch(() => undefined));
  if (!parsed.success) {
    throw new CatalogueError('The server answered in a form that this version does not understand.');
  }
  return parsed.data;
}

async function refusal(response: Response): Promise<string> {
  if (response.status === 401) return 'The server does not accept this key.';
  const body: unknown = await response.json().catch(() => undefined);
  const said =
    typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
      ? ` It said: ${body.error}`
      : '';
  return `The server answered with status ${response.status}.${said}`;
}
