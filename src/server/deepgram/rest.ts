import { isUtf8 } from 'node:buffer';
import { z } from '#protocol/core/zod.ts';
import { type Family, MAX_TEXT_CHARS } from '#protocol/deepgram/wire/settings.ts';
import { speechAnswer } from '../answers/speech-answer.ts';
import { sampleRoute } from '../answers/wav-response.ts';
import { remoteOf } from '../origin.ts';
import { absolute, json, onLeave, parseBody, type RestContext, type VendorRest } from '../rest.ts';
import {
  accountIn,
  admit,
  credentialsIn,
  type DeepgramServices,
  errorBody,
  errorHeaders,
  invalidQuery,
  overloaded,
  refusal,
} from './access.ts';
import { querySettings, requestOf, restOutput, speakerIn } from './address.ts';
import { spokenPart } from './flux-text.ts';
import { identityOf, type LocalModel } from './voices.ts';

const PREFIX = '/deepgram';
const MAX_GRANT_BYTES = 1024;
const grant = z.looseObject({
  ttl_seconds: z.optional(z.number().check(z.gte(1), z.lte(3600))),
});
const DEFAULT_TTL_SECONDS = 30;

/** The vendor's REST calls. */
export const deepgramRest = (services: DeepgramServices): VendorRest => ({
  error: (status, message) => errorBody(status, message),
  invalid: (problem) => errorBody(400, problem, 'PAYLOAD_ERROR'),
  errorHeaders,
  notOffered: [405, 'Method Not Allowed'],
  missing: [],
  routes(rest) {
    const { accounts, voices, samples } = services;
    rest.use(async (c, next) => {
      await next();
      // An error names its own id.
      if (c.res.ok) c.header('dg-request-id', String(c.env.outgoing.getHeader('x-request-id')));
    });
    rest.post('/v1/speak', (c) => speak(c, services, 'aura'));
    rest.post('/v2/speak', (c) => speak(c, services, 'flux'));
    rest.get('/v1/models', (c) =>
      json(c, { stt: [], tts: voices.all.map((model) => modelObject(c, model, services)) }),
    );
    sampleRoute(rest, '/v1/models/:id/sample.wav', async (c) => {
      const model = voices.find(c.req.param('id') ?? '');
      if (!model) throw refusal(404, 'No such model.');
      return samples.of(model.voice);
    });
    rest.get('/v1/auth/token', async (c) => {
      const { name } = await accountIn(c.env.incoming.headers, accounts);
      return json(c, { api_key_id: name, scopes: ['usage:write'] });
    });
    rest.post('/v1/auth/grant', async (c) => {
      const body = await c.var.bodies.read(c.env.incoming, MAX_GRANT_BYTES, String);
      const { ttl_seconds: seconds = DEFAULT_TTL_SECONDS } = parseBody(body.trim() || '{}', grant);
      const { incoming } = c.env;
      const account = await accountIn(incoming.headers, accounts);
      // A token makes no other one (deepgram-http-13).
      if (credentialsIn(incoming.headers).scheme === 'bearer')
        throw refusal(403, 'Insufficient permissions.', 'FORBIDDEN');
      const token = await accounts.grant(account, seconds * 1000, remoteOf(incoming));
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

/** A larger body is refused with 413 (deepgram-error-16). */
const MAX_BODY_BYTES = 2_000_000;

const speech = z.looseObject({ text: z.string() });

async function speak(c: RestContext, services: DeepgramServices, family: Family): Promise<Response> {
  const { accounts, voices } = services;
  const account = await accountIn(c.env.incoming.headers, accounts);
  c.set('account', account);
  const settings = querySettings(new URL(c.req.url), family, 'rest');
  const { encoding, container, sample_rate, bit_rate, ...rest } = settings;
  if (rest.callback !== undefined)
    throw invalidQuery('callback: the local server sends audio in the answer alone');
  const speaker = speakerIn(rest, family, voices);
  const output = restOutput({ encoding, container, sample_rate, bit_rate }, family);
  const text = await textOf(c);
  const spoken = family === 'flux' ? spokenPart(text) : { text };
  if (!spoken) throw refusal(400, 'The text has a malformed inline control.');
  onLeave(c, (await admit(accounts, account, 'calls')).leave);
  const { id } = speaker.model;
  return speechAnswer(c, services, {
    request: requestOf(speaker, spoken.text, output.sampleRate),
    output,
    headers: {
      'dg-model-name': id,
      'dg-model-uuid': identityOf(speaker.model).uuid,
      ...(account.condition === 'unpriced' ? {} : { 'dg-char-count': `${spoken.text.length}` }),
    },
    failed: (isBusy) => (isBusy ? overloaded() : refusal(500, 'An internal error occurred.')),
  });
}

/** Reads the text of a body in either form. Throws the refusal of another one. */
async function textOf(c: RestContext): Promise<string> {
  const [type = ''] = (c.req.header('content-type') ?? '').split(';');
  const isJson = type.trim().toLowerCase() === 'application/json';
  if (!isJson && type.trim().toLowerCase() !== 'text/plain')
    throw refusal(415, 'Only text/plain and application/json are supported.', 'UNSUPPORTED_MEDIA_TYPE');
  const text = await c.var.bodies.read(c.env.incoming, MAX_BODY_BYTES, (bytes) => {
    if (!isUtf8(bytes)) throw refusal(400, 'Failed to decode payload as UTF-8.', 'PAYLOAD_ERROR');
    const body = bytes.toString();
    return isJson ? parseBody(body, speech).text : body;
  });
  if (text.trim() === '') throw refusal(400, 'Input text contains no characters.');
  if (text.length > MAX_TEXT_CHARS)
    throw refusal(413, `Input text exceeds maximum character limit of ${MAX_TEXT_CHARS}.`);
  return text;
}
