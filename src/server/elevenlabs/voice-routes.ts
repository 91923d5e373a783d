import { DELIVERY_SETTINGS } from '#protocol/elevenlabs/wire/settings.ts';
import { wavResponse } from '../answers/wav-response.ts';
import { absolute, json, pageSize, type Rest, type RestContext } from '../rest.ts';
import type { VoiceIds } from '../speech/voices/voice-ids.ts';
import type { Voice } from '../speech/voices/voices.ts';
import { invalidQuery, restRefusal } from './rest-errors.ts';
import type { ElevenLabsServices } from './services.ts';

/** Of a page (`facts-elevenlabs 6.1`). */
const PAGE_SIZE = { usual: 10, max: 100 } as const;

/** The model that speaks all languages. */
const MODEL = 'eleven_flash_v2_5';

/** `preview_url` of voices; no key needed, because a page's audio element sends none. The vendor's are on another host. */
export function voicePreviewRoute(rest: Rest, { voices, samples }: ElevenLabsServices): void {
  rest.get('/v1/voices/:id/preview.wav', async (c) =>
    wavResponse(c, await samples.of(voiceAt(voices, c.req.param('id')))),
  );
}

/** Those with which each voice is spoken where a request names none (`facts-elevenlabs 2.1`). */
const DEFAULT_SETTINGS = Object.fromEntries(
  DELIVERY_SETTINGS.map(({ field, fallback }) => [field, fallback]),
);

export function voiceListRoutes(rest: Rest, { voices, catalogue }: ElevenLabsServices): void {
  /** @param hasSettings where the query does not say so */
  const object = (c: RestContext, voice: Voice, hasSettings: boolean): object => {
    const asked = c.req.query('with_settings');
    const id = voices.idOf(voice);
    const [language] = voice.languages;
    return {
      voice_id: id,
      name: voice.name,
      category: 'premade',
      labels: { gender: voice.sex, age: voice.age, language, use_case: 'conversational' },
      description: catalogue.described(voice.description, voice),
      preview_url: absolute(c, `/elevenlabs/v1/voices/${id}/preview.wav`),
      available_for_tiers: [],
      high_quality_base_model_ids: [MODEL],
      verified_languages: voice.languages.map((code) => ({ language: code, model_id: MODEL })),
      settings: (asked === undefined ? hasSettings : asked === 'true') ? DEFAULT_SETTINGS : null,
      is_owner: false,
      is_legacy: false,
    };
  };
  rest.get('/v1/voices', (c) => json(c, { voices: voices.all.map((voice) => object(c, voice, false)) }));
  rest.get('/v1/voices/settings/default', (c) => json(c, DEFAULT_SETTINGS));
  rest.get('/v1/voices/:id', (c) => json(c, object(c, voiceAt(voices, c.req.param('id')), true)));
  rest.get('/v1/voices/:id/settings', (c) => {
    voiceAt(voices, c.req.param('id'));
    return json(c, DEFAULT_SETTINGS);
  });
  rest.get('/v2/voices', (c) => {
    const { searchParams: query } = new URL(c.req.url);
    const size = pageSize(query, 'page_size', PAGE_SIZE, (problem) => invalidQuery('page_size', problem));
    const from = pageStart(query);
    const ids = query.getAll('voice_ids');
    const search = (query.get('search') ?? '').toLowerCase();
    const found = voices.all.filter(
      (voice) =>
        (ids.length === 0 || ids.includes(voices.idOf(voice))) &&
        `${voice.name}\n${voice.description}\n${voice.sex} ${voice.age}`.toLowerCase().includes(search),
    );
    const page = found.slice(from, from + size);
    const hasMore = from + size < found.length;
    return json(c, {
      voices: page.map((voice) => object(c, voice, false)),
      has_more: hasMore,
      total_count: found.length,
      next_page_token: hasMore ? tokenOf(from + size) : null,
    });
  });
}

/** A voice of a path. Throws a 404. */
export function voiceAt(voices: VoiceIds, id: string): Voice {
  const voice = voices.find(id);
  if (voice) return voice;
  throw restRefusal(404, 'not_found', 'voice_not_found', `A voice with the voice_id ${id} was not found.`);
}

const tokenOf = (from: number): string => Buffer.from(`${from}`).toString('base64url');

/** Reads the token of a page. Throws a 422 for one that no page had. */
function pageStart(query: URLSearchParams): number {
  const token = query.get('next_page_token');
  if (!token) return 0;
  const from = Number(Buffer.from(token, 'base64url'));
  if (Number.isInteger(from) && from > 0 && tokenOf(from) === token) return from;
  throw invalidQuery('next_page_token', 'next_page_token: expected the token of the previous page');
}
