import { languageName } from '#lib/languages.ts';
import {
  DELIVERY_SETTINGS,
  REST_MODEL_IDS,
  REST_MODELS,
  type RestModelId,
} from '#protocol/elevenlabs/wire/settings.ts';
import { sampleRoute } from '../answers/wav-response.ts';
import { remoteOf } from '../origin.ts';
import { absolute, json, pageSize, type Rest, type RestContext, type VendorRest } from '../rest.ts';
import type { Voice } from '../speech/voices/voices.ts';
import type { KeyAccount } from '../state/key-accounts.ts';
import {
  accountIn,
  type ElevenLabsServices,
  errorBody,
  groupOf,
  invalidQuery,
  restRefusal,
  singleUseToken,
  subscriptionOf,
  voiceAt,
} from './access.ts';
import { textToSpeechRoutes } from './speech-routes.ts';

/** Of all accounts, in Unix seconds. Ours. */
const CREATED_AT = Date.UTC(2026, 0, 1) / 1000;

/** The one kind of single-use token for these sockets. */
const TOKEN_TYPE = 'tts_websocket';

/** The vendor's REST calls. */
export const elevenLabsRest = (services: ElevenLabsServices): VendorRest => ({
  error: errorBody,
  notOffered: [405, 'Method Not Allowed'],
  missing: [],
  openRoutes(rest) {
    const { samples } = services;
    // The vendor's are on another host.
    sampleRoute(rest, '/v1/voices/:id/preview.wav', async (c) => samples.of(voiceAt(c, services)));
  },
  accountOf: (c) => accountIn(c, services),
  routes(rest) {
    const { accounts } = services;
    rest.use(async (c, next) => {
      await next();
      c.header('request-id', String(c.env.outgoing.getHeader('x-request-id')));
    });
    voiceListRoutes(rest, services);
    rest.get('/v1/models', (c) => json(c, REST_MODEL_IDS.map(modelObject)));
    const subscription = (c: RestContext) => subscriptionOf(c.var.account, accounts);
    rest.get('/v1/user', async (c) => json(c, userObject(c.var.account, await subscription(c))));
    rest.get('/v1/user/subscription', async (c) => json(c, await subscription(c)));
    rest.post('/v1/single-use-token/:type', async (c) => {
      if (c.req.param('type') !== TOKEN_TYPE)
        throw restRefusal(404, 'not_found', 'invalid_token_type', `expected ${TOKEN_TYPE}`);
      return json(c, { token: await singleUseToken(c.var.account, remoteOf(c.env.incoming), accounts) });
    });
    textToSpeechRoutes(rest, services);
  },
});

/** All fields that the vendor's library requires. Ours: one account a key, since the first day of the vendor's protocol here. */
const userObject = ({ name }: KeyAccount, subscription: object): object => ({
  user_id: name,
  workspace_id: name,
  subscription,
  is_new_user: false,
  can_use_delayed_payment_methods: false,
  is_onboarding_completed: true,
  is_onboarding_checklist_completed: true,
  first_name: null,
  xi_api_key: null,
  is_api_key_hashed: true,
  created_at: CREATED_AT,
  seat_type: 'workspace_member',
});

/** All fields that the vendor's description requires. */
function modelObject(model_id: RestModelId): object {
  const { name, languages, maxChars, creditsPerCharacter } = REST_MODELS[model_id];
  return {
    model_id,
    name: `Eleven ${name}`,
    description: 'Spoken by the local engine, as all models here.',
    can_be_finetuned: false,
    can_do_text_to_speech: true,
    can_do_voice_conversion: false,
    can_use_style: true,
    can_use_speaker_boost: true,
    serves_pro_voices: false,
    requires_alpha_access: false,
    token_cost_factor: 1,
    languages: languages.map((code) => ({ language_id: code, name: languageName(code) ?? code })),
    maximum_text_length_per_request: maxChars,
    max_characters_request_free_user: maxChars,
    max_characters_request_subscribed_user: maxChars,
    model_rates: { character_cost_multiplier: creditsPerCharacter },
    concurrency_group: groupOf(model_id),
  };
}

/** Voices of a page. */
const PAGE_SIZE = { usual: 10, max: 100 } as const;

/** The model that speaks all languages. */
const MODEL = 'eleven_flash_v2_5';

/** Those with which each voice is spoken where a request names none. */
const DEFAULT_SETTINGS = Object.fromEntries(
  DELIVERY_SETTINGS.map(({ field, fallback }) => [field, fallback]),
);

function voiceListRoutes(rest: Rest, services: ElevenLabsServices): void {
  const { voices, catalogue } = services;
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
  rest.get('/v1/voices/:id', (c) => json(c, object(c, voiceAt(c, services), true)));
  rest.get('/v1/voices/:id/settings', (c) => {
    voiceAt(c, services);
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

const tokenOf = (from: number): string => Buffer.from(`${from}`).toString('base64url');

/** Reads the token of a page. Throws a 422 for one that no page had. */
function pageStart(query: URLSearchParams): number {
  const token = query.get('next_page_token');
  if (!token) return 0;
  const from = Number(Buffer.from(token, 'base64url'));
  if (Number.isInteger(from) && from > 0 && tokenOf(from) === token) return from;
  throw invalidQuery('next_page_token', 'next_page_token: expected the token of the previous page');
}
