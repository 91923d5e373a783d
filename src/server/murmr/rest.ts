import type { VendorRest } from '../rest.ts';
import { bearerOf, refusal } from './rest-access.ts';
import type { MurmrServices } from './services.ts';
import { speechRoutes } from './speech-routes.ts';
import { previewRoute, savedVoiceRoutes } from './voice-routes.ts';

/** The vendor's REST calls (`facts 7`). */
export const murmrRest = (services: MurmrServices): VendorRest => ({
  error: (_, error) => ({ error }),
  notOffered: [405, 'Method not allowed'],
  missing: [],
  routes(rest) {
    previewRoute(rest, services);
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
