import { GENDERS } from '#protocol/cartesia/wire/catalogue.ts';
import { languageOf } from '#protocol/cartesia/wire/models.ts';
import { type Version, versionTraits } from '#protocol/cartesia/wire/versions.ts';
import { wavResponse } from '../answers/wav-response.ts';
import { absolute, json, pageSize, type Rest, type RestContext } from '../rest.ts';
import type { Voice } from '../speech/voices/voices.ts';
import { callOf, refusal, versionIn } from './calls.ts';
import type { CartesiaServices } from './services.ts';

/** Of a page (`facts-cartesia`, H3). The default is ours. */
const PAGE_SIZE = { usual: 10, max: 100 } as const;
/** Ours. */
const CREATED_AT = '2026-01-01T00:00:00Z';

/** `preview_file_url` of voices. Ours: no key needed, because a page's audio element sends none. */
export function voicePreviewRoute(rest: Rest, services: CartesiaServices): void {
  rest.get('/voices/:id/preview.wav', async (c) =>
    wavResponse(c, await services.samples.of(voiceAt(c, services, c.req.param('id')))),
  );
}

export function voiceRoutes(rest: Rest, services: CartesiaServices): void {
  rest.get('/voices', (c) => {
    const version = versionIn(callOf(c));
    const query = queryOf(c);
    const found = services.voices.all.filter(filterOf(query, services));
    const objects = found.map((voice) => voiceObject(c, voice, services, version));
    // The first version had no pages.
    if (version === '2024-06-10') return json(c, objects);
    /** Where a page begins or ends; null where the query does not say. */
    const placeOf = (name: 'starting_after' | 'ending_before'): number | null => {
      const place = objects.findIndex(({ id }) => id === query.get(name));
      if (place < 0 && query.has(name)) throw invalid(c)(`${name}: expected the id of a voice in the list`);
      return place < 0 ? null : place;
    };
    const [after, before] = [placeOf('starting_after') ?? -1, placeOf('ending_before')];
    const size = pageSize(query, 'limit', PAGE_SIZE, invalid(c));
    const [start, end] =
      before === null ? [after + 1, after + 1 + size] : [Math.max(0, before - size), before];
    const data = objects.slice(start, end);
    const hasMore = before === null ? end < found.length : start > 0;
    const next = before === null ? data.at(-1) : data[0];
    return json(c, { data, has_more: hasMore, next_page: hasMore && next ? next.id : null });
  });
  rest.get('/voices/:id', (c) => {
    const version = versionIn(callOf(c));
    return json(c, voiceObject(c, voiceAt(c, services, c.req.param('id')), services, version));
  });
  // Ours: local voices have no accents (G14).
  rest.get('/accents', (c) => json(c, { accents: [] }));
}

const invalid = (c: RestContext) => (message: string) =>
  refusal(callOf(c), { name: 'invalid_request', message });

const queryOf = (c: RestContext): URLSearchParams => new URL(c.req.url).searchParams;

function filterOf(query: URLSearchParams, { voices }: CartesiaServices): (voice: Voice) => boolean {
  const search = (query.get('q') ?? '').toLowerCase();
  const gender = query.get('gender');
  const language = query.get('language');
  const isOwned = query.get('is_owner') === 'true';
  return (voice) =>
    !isOwned &&
    `${voice.name}\n${voice.description}\n${voices.idOf(voice)}`.toLowerCase().includes(search) &&
    (gender === null || GENDERS[voice.sex] === gender) &&
    (language === null || voice.languages[0] === languageOf(language));
}

/** All fields that the vendor's description requires, and the sex (H4). */
function voiceObject(
  c: RestContext,
  voice: Voice,
  { voices, catalogue }: CartesiaServices,
  version: Version,
) {
  const id = voices.idOf(voice);
  const isExpanded = queryOf(c).getAll('expand[]').includes('preview_file_url');
  return {
    id,
    name: voice.name,
    description: catalogue.described(voice.description, voice),
    gender: GENDERS[voice.sex],
    is_owner: false,
    created_at: CREATED_AT,
    language: voice.languages[0],
    ...(versionTraits(version).hasLocales ? latestFields(voice) : { is_public: true }),
    ...(isExpanded && { preview_file_url: absolute(c, `/cartesia/voices/${id}/preview.wav`) }),
  };
}

/** As the types of `@cartesia/cartesia-js` 4.2.0 require them. */
const latestFields = ({ languages }: Voice) => ({
  access: 'public',
  visibility: 'all',
  tagline: '',
  accents: [],
  locales: languages.map((code, at) => ({ locale: usualLocale(code), is_native: at === 0 })),
});

/** A language with the region that most of its speakers have, such as `en-US`. */
function usualLocale(code: string): string {
  const { language, region } = new Intl.Locale(code).maximize();
  return `${language}-${region}`;
}

/** A voice of a path. Throws its refusal. */
function voiceAt(c: RestContext, { voices }: CartesiaServices, id: string): Voice {
  const voice = voices.find(id);
  if (voice) return voice;
  throw refusal(callOf(c), { name: 'voice_not_found' });
}
