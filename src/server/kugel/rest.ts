import { settingsOf } from '#protocol/core/settings.ts';
import { z } from '#protocol/core/zod.ts';
import { type GenerationConfig, onWire, pickFields } from '#protocol/kugel/wire/client-frames.ts';
import { audioFormatIssues, generationShape, MAX_TEXT_CHARS } from '#protocol/kugel/wire/settings.ts';
import { speechAnswer } from '../answers/speech-answer.ts';
import { sampleRoute } from '../answers/wav-response.ts';
import { outputOf } from '../audio/output.ts';
import { json, type RestContext, readBody, type VendorRest } from '../rest.ts';
import {
  AI_GENERATED,
  accountOf,
  errorOf,
  GENERATION_FAILED,
  invalid,
  invalidFields,
  keyIn,
  MISSING_VOICE,
  MODEL_UNAVAILABLE,
  notFound,
  refused,
} from './access.ts';
import { dictionaryRoutes } from './account/dictionary-routes.ts';
import { voiceRoutes } from './account/voice-routes.ts';
import { ServerTurn } from './server-turn.ts';
import { type KugelServices, unknownNames } from './store.ts';

/** Sockets that are no speech from text. */
export const MISSING_SOCKETS = ['/v1/audio/enhance/stream', '/v1/realtime'];

/** The vendor's REST calls. */
export const kugelRest = (services: KugelServices): VendorRest => ({
  error: errorOf,
  invalid,
  // Calls and sockets that are no speech from text.
  notOffered: [501, 'The local server does not offer this call.'],
  missing: [
    '/11labs/*',
    '/vapi/synthesize',
    '/v1/audio/transcriptions',
    '/v1/audio/enhance',
    ...MISSING_SOCKETS,
    '/v1/sdk-diagnostics',
    '/v1/normalize',
    '/v1/license/*',
    '/v1/billing/*',
    '/v1/voices/:id/references',
    '/v1/voices/:id/references/:reference',
    '/v1/voices/:id/generate-sample',
    '/v1/dictionaries/:id/invalidate',
  ],
  openRoutes(rest) {
    const { catalogue, notReady, samples, store } = services;
    rest.get('/health', (c) => json(c, { status: 'healthy' }));
    const model = catalogue.speakerOf(catalogue.all[0]) ?? 'espeak-ng';
    rest.get('/ready', async (c) => {
      const reason = await notReady();
      if (reason !== null) return json(c, { status: 'unavailable', reason }, 503);
      return json(c, { status: 'ready', model_path: model, multi_model: false });
    });
    rest.get('/v1/models', (c) => json(c, MODELS));
    sampleRoute(rest, '/v1/voices/:id/sample.wav', async (c) => {
      const voice = store.voices.current.find(c.req.param('id') ?? '');
      if (!voice) throw notFound('Voice');
      // Generated audio is marked as such.
      c.header(AI_GENERATED, 'true');
      return samples.of(voice);
    });
  },
  accountOf(c) {
    const found = accountOf(keyIn(new URL(c.req.url), c.env.incoming.headers), services.accounts);
    if ('refusal' in found) throw refused(found.refusal);
    return found.account;
  },
  routes(rest) {
    voiceRoutes(rest, services.store);
    dictionaryRoutes(rest, services.store);
    rest.post('/v1/tts/generate', (c) => generate(c, services));
    rest.post('/predict', (c) => generate(c, services));
  },
});

const MODELS = {
  models: [
    {
      id: 'kugel-3',
      model_id: 'kugel-3',
      name: 'Kugel 3',
      description: 'Spoken by the local engine; older model names are aliases of this one.',
      parameters: null,
      max_input_length: MAX_TEXT_CHARS,
      sample_rate: 24_000,
    },
  ],
};

/** Strict, unlike the sockets: an unknown field is refused (kugel-http-1). */
const { word_timestamps: _, ...restShape } = generationShape;
const settings = settingsOf(restShape);
const request = z.strictObject(
  onWire({
    ...restShape,
    text: z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_TEXT_CHARS)),
    model: generationShape.model_id,
  }),
);

/** `POST /v1/tts/generate`: a text in, its audio out as it is made. */
async function generate(c: RestContext, { accounts, store, ...services }: KugelServices): Promise<Response> {
  const refusal = accounts.refusalOf(c.var.account);
  if (refusal) throw refused(refusal);
  const fields = await readBody(c, request);
  const given = pickFields(fields, settings) as GenerationConfig;
  const issues = audioFormatIssues(given);
  if (issues.length > 0) throw refused(invalidFields(issues));
  if (given.voice_id === undefined) throw refused(MISSING_VOICE);
  const unknown = unknownNames(store, given);
  const voice = store.voices.current.find(given.voice_id);
  if (unknown || !voice) throw refused(unknown ?? MISSING_VOICE);
  const turn = new ServerTurn({ config: given, voice, store });
  const { encoding, sampleRate } = turn.format;
  return speechAnswer(c, services, {
    request: turn.request(fields.text),
    output: outputOf(turn.format),
    headers: {
      'X-Sample-Rate': String(sampleRate),
      'X-Audio-Format': encoding,
      [AI_GENERATED]: 'true',
    },
    failed: (isBusy) => refused(isBusy ? MODEL_UNAVAILABLE : GENERATION_FAILED),
  });
}
