import { z } from '#protocol/core/zod.ts';
import { wavResponse } from '../answers/wav-response.ts';
import { absolute, json, parseBody, type RestContext, type VendorRest } from '../rest.ts';
import { errorBody, errorHeaders, refusal } from './errors.ts';
import type { DeepgramServices } from './services.ts';
import { speechRoutes } from './speech-routes.ts';
import { identityOf, type LocalModel } from './voices.ts';

const PREFIX = '/deepgram';
const MAX_GRANT_BYTES = 1024;
/** `facts-deepgram 1.2.5`. */
const grant = z.looseObject({
  ttl_seconds: z.optional(z.number().check(z.gte(1), z.lte(3600))),
});
const DEFAULT_TTL_SECONDS = 30;

/** The vendor's REST calls (`facts-deepgram 6`). */
export const deepgramRest = (services: DeepgramServices): VendorRest => ({
  error: (status, message) => errorBody(status, message),
  invalid: (problem) => errorBody(400, problem, 'PAYLOAD_ERROR'),
  errorHeaders,
  notOffered: [405, 'Method Not Allowed'],
  missing: [],
  routes(rest) {
    const { access, voices, samples } = services;
    rest.use(async (c, next) => {
      await next();
      // An error names its own id.
      if (c.res.ok) c.header('dg-request-id', String(c.env.outgoing.getHeader('x-request-id')));
    });
    speechRoutes(rest, services);
    rest.get('/v1/models', (c) =>
      json(c, { stt: [], tts: voices.all.map((model) => modelObject(c, model, services)) }),
    );
    rest.get('/v1/models/:id/sample.wav', async (c) => {
      const model = voices.find(c.req.param('id'));
      if (!model) throw refusal(404, 'No such model.');
      return wavResponse(c, await samples.of(model.voice));
    });
    rest.get('/v1/auth/token', async (c) => {
      const { name } = await access.accountIn(c.env.incoming.headers);
      return json(c, { api_key_id: name, scopes: ['usage:write'] });
    });
    rest.post('/v1/auth/grant', async (c) => {
      const body = await c.var.bodies.read(c.env.incoming, MAX_GRANT_BYTES, String);
      const { ttl_seconds: seconds = DEFAULT_TTL_SECONDS } = parseBody(body.trim() || '{}', grant);
      const token = await access.grant(c.env.incoming, seconds);
      return json(c, { access_token: token, expires_in: seconds });
    });
  },
});

function modelObject(c: RestContext, model: LocalModel, { catalogue }: DeepgramServices): object {
  const { id, family, language, voice } = model;
  const { version, uuid } = identityOf(model);
  return {
    name: voice.name,
    canonical_name: id,
    architecture: id.startsWith('aura-2-') ? 'aura-2' : family,
    languages: [language],
    version,
    uuid,
    metadata: {
      accent: '',
      age: voice.age,
      color: '',
      image: '',
      sample: absolute(c, `${PREFIX}/v1/models/${id}/sample.wav`),
      tags: [voice.sex, catalogue.described(voice.description, voice)],
      use_cases: [],
    },
  };
}
