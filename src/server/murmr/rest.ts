import type { CallBodies } from '../call-bodies.ts';
import type { Handler } from '../reply.ts';
import { createRest } from '../rest.ts';
import type { VoiceSamples } from '../voice-samples.ts';
import { bearerOf, refusal } from './rest-access.ts';
import type { MurmrServices } from './services.ts';
import { speechRoutes } from './speech-routes.ts';
import { previewRoute, savedVoiceRoutes } from './voice-routes.ts';

/** The vendor's REST calls (`facts 7`). */
export const createMurmrRest = (
  services: MurmrServices,
  samples: VoiceSamples,
  bodies: CallBodies,
): Handler =>
  createRest({
    prefix: '/murmr',
    bodies,
    log: services.log,
    error: (_, error) => ({ error }),
    notOffered: [405, 'Method not allowed'],
    missing: [],
    routes(rest) {
      previewRoute(rest, services.voices, samples);
      rest.use(async (c, next) => {
        const key = bearerOf(c);
        if (key === '') throw refusal(401, 'Missing API key');
        const condition = services.keys.conditionOf(key);
        if (condition === null) throw refusal(401, 'Invalid API key');
        await next();
        const headers = await services.quota.headersOf(key, condition);
        for (const each of Object.entries(headers)) c.header(...each);
      });
      savedVoiceRoutes(rest, services);
      speechRoutes(rest, services);
    },
  });
