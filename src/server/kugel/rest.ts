import { MAX_TEXT_CHARS } from '#protocol/kugel/wire/generation.ts';
import type { Watch } from '../answers/watched-body.ts';
import type { CallBodies } from '../call-bodies.ts';
import type { Keys } from '../keys.ts';
import type { Handler } from '../reply.ts';
import { createRest, json } from '../rest.ts';
import type { Engine } from '../speech/engine.ts';
import type { VoiceCatalogue } from '../speech/voices/voice-catalogue.ts';
import type { VoiceSamples } from '../voice-samples.ts';
import {
  errorOf,
  invalid,
  keyRefusal,
  NOT_OFFERED,
  refused,
  requestKey,
  SOCKETS_NOT_OFFERED,
} from './access.ts';
import { dictionaryRoutes } from './account/dictionary-routes.ts';
import { sampleRoute, voiceRoutes } from './account/voice-routes.ts';
import { generateRoute } from './generate.ts';
import type { KugelStore } from './store.ts';

interface Options extends Watch {
  bodies: CallBodies;
  engine: Engine;
  catalogue: VoiceCatalogue;
  keys: Keys;
  samples: VoiceSamples;
  store: KugelStore;
}

/** The vendor's REST calls (`facts 5`). */
export const createKugelRest = ({ bodies, samples, ...served }: Options): Handler =>
  createRest({
    prefix: '/kugel',
    bodies,
    log: served.log,
    error: errorOf,
    invalid,
    notOffered: [501, NOT_OFFERED],
    missing: [
      '/11labs/*',
      '/vapi/synthesize',
      '/v1/audio/transcriptions',
      '/v1/audio/enhance',
      ...SOCKETS_NOT_OFFERED,
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
      const { catalogue, keys, store } = served;
      // These need no key (`facts 1.2`).
      rest.get('/health', (c) => json(c, { status: 'healthy' }));
      const model = catalogue.speakerOf(catalogue.all[0]) ?? 'espeak-ng';
      rest.get('/ready', (c) => json(c, { status: 'ready', model_path: model, multi_model: false }));
      rest.get('/v1/models', (c) => json(c, MODELS));
      sampleRoute(rest, store, samples);
      rest.use(async (c, next) => {
        const refusal = keyRefusal(keys, requestKey(c));
        if (refusal) throw refused(refusal);
        await next();
      });
      voiceRoutes(rest, store);
      dictionaryRoutes(rest, store);
      generateRoute(rest, served);
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
