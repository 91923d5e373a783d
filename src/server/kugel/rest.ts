import { MAX_TEXT_CHARS } from '#protocol/kugel/wire/generation.ts';
import { json, type VendorRest } from '../rest.ts';
import type { VendorParts } from '../vendor-server.ts';
import { callersWith, errorOf, invalid, keyRefusal, refused, requestKey } from './access.ts';
import { dictionaryRoutes } from './account/dictionary-routes.ts';
import { sampleRoute, voiceRoutes } from './account/voice-routes.ts';
import { generateRoute } from './generate.ts';
import type { KugelStore } from './store.ts';

/** Sockets that are no speech from text (`facts 1.1`). */
export const MISSING_SOCKETS = ['/v1/audio/enhance/stream', '/v1/realtime'];

/** The vendor's REST calls (`facts 5`). */
export const kugelRest = (parts: VendorParts, store: KugelStore): VendorRest => ({
  error: errorOf,
  invalid,
  // Calls and sockets that are no speech from text (`facts 1.1`).
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
  routes(rest) {
    const { catalogue, keys, notReady, samples } = parts;
    // These need no key (`facts 1.2`).
    rest.get('/health', (c) => json(c, { status: 'healthy' }));
    const model = catalogue.speakerOf(catalogue.all[0]) ?? 'espeak-ng';
    rest.get('/ready', async (c) => {
      const reason = await notReady();
      if (reason !== null) return json(c, { status: 'unavailable', reason }, 503);
      return json(c, { status: 'ready', model_path: model, multi_model: false });
    });
    rest.get('/v1/models', (c) => json(c, MODELS));
    sampleRoute(rest, store, samples);
    rest.use(async (c, next) => {
      const refusal = keyRefusal(keys, requestKey(c));
      if (refusal) throw refused(refusal);
      await next();
    });
    voiceRoutes(rest, store, callersWith(keys));
    dictionaryRoutes(rest, store, callersWith(keys));
    generateRoute(rest, parts, store);
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
