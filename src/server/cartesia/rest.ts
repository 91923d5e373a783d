import { LATEST_VERSION } from '#protocol/cartesia/wire/versions.ts';
import { z } from '#protocol/core/zod.ts';
import { remoteOf } from '../origin.ts';
import { json, readBody, type VendorRest } from '../rest.ts';
import { callOf, credentialIn, refusal, statusBody, versionIn } from './calls.ts';
import type { CartesiaServices } from './services.ts';
import { speechRoutes } from './speech-routes.ts';
import { voicePreviewRoute, voiceRoutes } from './voice-routes.ts';

/** Life of a token in seconds (`facts-cartesia`, H6). The default is ours. */
const TOKEN_SECONDS = { default: 60, max: 3600 } as const;

const grant = z.nullish(z.boolean());
const tokenRequest = z.looseObject({
  grants: z.nullish(z.looseObject({ tts: grant, stt: grant, agent: grant })),
  expires_in: z.nullish(z.int().check(z.gte(1), z.lte(TOKEN_SECONDS.max))),
});

/** The vendor's REST calls (`facts-cartesia 10`). */
export const cartesiaRest = (services: CartesiaServices): VendorRest => ({
  error: (status, message, c) => statusBody(callOf(c), status, message),
  invalid: (message, c) => refusal(callOf(c), { name: 'invalid_request', message }).body,
  notOffered: [405, 'Method not allowed'],
  missing: [],
  routes(rest) {
    const { access } = services;
    rest.get('/', (c) => json(c, { ok: true, version: LATEST_VERSION }));
    voicePreviewRoute(rest, services);
    rest.use(async (c, next) => {
      versionIn(callOf(c));
      await access.accountIn(callOf(c));
      await next();
    });
    rest.post('/access-token', async (c) => {
      const account = access.ofKey(credentialIn(callOf(c)));
      // A token cannot make another one.
      if (!account) throw refusal(callOf(c), { name: 'unauthorized' });
      const { grants, expires_in } = await readBody(c, tokenRequest);
      // A token for other services opens nothing here.
      const seconds = grants?.tts === true ? (expires_in ?? TOKEN_SECONDS.default) : 0;
      return json(c, { token: await access.token(account, seconds * 1000, remoteOf(c.env.incoming)) });
    });
    voiceRoutes(rest, services);
    speechRoutes(rest, services);
  },
});
