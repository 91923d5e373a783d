import { isUtf8 } from 'node:buffer';
import { z } from '#protocol/core/zod.ts';
import { MAX_TEXT_CHARS } from '#protocol/deepgram/wire/client-frames.ts';
import type { Family } from '#protocol/deepgram/wire/models.ts';
import { speechAnswer } from '../answers/speech-answer.ts';
import { callerOf, onLeave, parseBody, type Rest, type RestContext } from '../rest.ts';
import { querySettings, requestOf, speakerIn } from './address.ts';
import { invalidQuery, refusal } from './errors.ts';
import { spokenPart } from './flux-text.ts';
import { restOutput } from './rest-output.ts';
import type { DeepgramServices } from './services.ts';
import { identityOf } from './voices.ts';

/** `facts-deepgram 6.3`. */
const MAX_BODY_BYTES = 2_000_000;

const speech = z.looseObject({ text: z.string() });

/** Calls that speak (`facts-deepgram 6.1`, 6.2). */
export function speechRoutes(rest: Rest, services: DeepgramServices): void {
  rest.post('/v1/speak', (c) => speak(c, services, 'aura'));
  rest.post('/v2/speak', (c) => speak(c, services, 'flux'));
}

async function speak(c: RestContext, services: DeepgramServices, family: Family): Promise<Response> {
  const { access, voices } = services;
  const account = await access.accountIn(c.env.incoming.headers);
  const settings = querySettings(new URL(c.req.url), family, 'rest');
  const { encoding, container, sample_rate, bit_rate, ...rest } = settings;
  if (rest.callback !== undefined)
    throw invalidQuery('callback: the local server sends audio in the answer alone');
  const speaker = speakerIn(rest, family, voices);
  const output = restOutput({ encoding, container, sample_rate, bit_rate }, family);
  const text = await textOf(c);
  const spoken = family === 'flux' ? spokenPart(text) : { text };
  if (!spoken) throw refusal(400, 'The text has a malformed inline control.');
  const lease = await access.admit(account, 'calls');
  onLeave(c, lease.leave);
  const { id } = speaker.model;
  return speechAnswer(c, services, {
    request: requestOf(speaker, spoken.text, output.sampleRate),
    output,
    peer: callerOf(c, account),
    headers: {
      'dg-model-name': id,
      'dg-model-uuid': identityOf(speaker.model).uuid,
      ...(account.condition === 'unpriced' ? {} : { 'dg-char-count': `${spoken.text.length}` }),
    },
    failed: (isBusy) =>
      isBusy
        ? refusal(503, 'The service is overloaded. Please try again later.')
        : refusal(500, 'An internal error occurred.'),
  });
}

/** Reads the text of a body in either form. Throws the refusal of another one (`facts-deepgram 6.3`). */
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
