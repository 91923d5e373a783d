import { languageName } from '#lib/languages.ts';
import { REST_MODEL_IDS, REST_MODELS, type RestModelId } from '#protocol/elevenlabs/wire/models.ts';
import { remoteOf } from '../origin.ts';
import { json, type VendorRest } from '../rest.ts';
import type { KeyAccount } from '../state/key-accounts.ts';
import { groupOf } from './access.ts';
import { accountIn, errorBody, restRefusal } from './rest-errors.ts';
import type { ElevenLabsServices } from './services.ts';
import { textToSpeechRoutes } from './speech-routes.ts';
import { voiceListRoutes, voicePreviewRoute } from './voice-routes.ts';

/** Of all accounts, in Unix seconds. Ours. */
const CREATED_AT = Date.UTC(2026, 0, 1) / 1000;

/** The one kind of single-use token for these sockets. */
const TOKEN_TYPE = 'tts_websocket';

/** The vendor's REST calls (`facts-elevenlabs 6`). */
export const elevenLabsRest = (services: ElevenLabsServices): VendorRest => ({
  error: errorBody,
  notOffered: [405, 'Method Not Allowed'],
  missing: [],
  routes(rest) {
    const { access } = services;
    voicePreviewRoute(rest, services);
    rest.use(async (c, next) => {
      accountIn(c, access);
      await next();
      c.header('request-id', String(c.env.outgoing.getHeader('x-request-id')));
    });
    voiceListRoutes(rest, services);
    rest.get('/v1/models', (c) => json(c, REST_MODEL_IDS.map(modelObject)));
    rest.get('/v1/user', async (c) => {
      const account = accountIn(c, access);
      return json(c, userObject(account, await access.subscription(account)));
    });
    rest.get('/v1/user/subscription', async (c) => json(c, await access.subscription(accountIn(c, access))));
    rest.post('/v1/single-use-token/:type', async (c) => {
      if (c.req.param('type') !== TOKEN_TYPE)
        throw restRefusal(404, 'not_found', 'invalid_token_type', `expected ${TOKEN_TYPE}`);
      return json(c, { token: await access.token(accountIn(c, access), remoteOf(c.env.incoming)) });
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
