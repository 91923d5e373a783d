import { type IncomingHttpHeaders, validateHeaderName, validateHeaderValue } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Clock, within } from '#lib/clock.ts';
import { deepEqual } from '#lib/deep-equal.ts';
import { beginningWords } from '#record/client-steps.ts';
import { isSecretName, KEY_MARK, withoutNamedSecrets } from '#record/named-secrets.ts';
import type { RequestHead, ResponseHead } from '#record/rest-calls.ts';
import { breakOff } from '../answers/break-off.ts';
import type { CallBodies } from '../call-bodies.ts';
import type { Log } from '../log.ts';
import { passedAnswer, passedReason } from '../relay/passed-headers.ts';
import { addressOf, type Handler } from '../reply.ts';
import { createRest, FILE, onLeave, type RestContext } from '../rest.ts';
import type { AnsweredCall } from './cassette.ts';
import { recordedPlace } from './client-difference.ts';
import { comparedBody } from './compared-body.ts';
import { NOT_SERVED, type ServedRecordings } from './served-recordings.ts';

interface Options {
  served: ServedRecordings;
  bodies: CallBodies;
  clock: Clock;
  log: Log;
}

/** Answers calls as recorded. */
export const createServedCalls = ({ served, bodies, clock, log }: Options): Handler =>
  createRest({
    prefix: '',
    bodies,
    log,
    error: (_, message) => ({ error: message }),
    notOffered: [404, 'Not found'],
    missing: [],
    routes: (rest) => rest.all('*', (c) => answer(c, served, clock)),
  });

async function answer(c: RestContext, served: ServedRecordings, clock: Clock): Promise<Response> {
  const { incoming, outgoing } = c.env;
  const { method = 'GET', headers } = incoming;
  const url = addressOf(incoming);
  const place = url && served.placeAt(url);
  if (!url || !place?.cassette) return c.text(`${NOT_SERVED}\n`, 404);
  const { cassette, api, path } = place;
  const type = headers['content-type'] ?? '';
  const body = await c.var.bodies.read(incoming, FILE.bytes, (bytes) =>
    comparedBody([new Uint8Array(bytes)], type),
  );
  // The recorded wait begins with the end of the request.
  const askedAtMs = clock.nowMs();
  const onHost = `${path.slice(api.localPrefix.length)}${url.search}`;
  const what = `${method} ${withoutNamedSecrets(onHost)}`;
  const refuse = () => c.text(`The recording holds no further call ${what}.\n`, 404);
  const isSameBody = (one: AnsweredCall) => deepEqual(one.body, body);
  const [taken] = cassette.calls.nearest((one) =>
    one.api === api && isSameTarget(one.call.request, method, onHost) ? Number(!isSameBody(one)) : null,
  );
  // A recording of sockets alone says nothing about the calls of their client.
  if (!cassette.calls.all.some((one) => one.api === api)) return refuse();
  const run = cassette.begin(what, taken?.title ?? null);
  onLeave(c, () => run.end());
  const client = `${what} ${shown(body)}`.trim();
  if (!taken) {
    run.differs({ kind: 'extra', recorded: null, client });
    return refuse();
  }
  cassette.calls.take(taken);
  const { call, response } = taken;
  if (!isSameBody(taken)) {
    const recorded = recordedPlace(`${what} ${shown(taken.body)}`.trim(), taken.entry, call.firstUs);
    run.differs({ kind: 'changed', recorded, client });
  }
  // One listener for all parts of the answer.
  const left = new Promise<void>((resolve) => onLeave(c, resolve));
  const due = async (atUs: number): Promise<void> => {
    const leftMs = askedAtMs + (atUs - call.sentUs) / 1000 - clock.nowMs();
    if (cassette.manner.pace !== 'recorded' || leftMs <= 0) return;
    await within(clock, leftMs, left);
  };
  await due(call.answeredUs);
  if (outgoing.closed) return RESPONSE_ALREADY_SENT;
  for (const [name, value] of c.res.headers) outgoing.setHeader(name, value);
  outgoing.writeHead(response.status, passedReason(response.reason), passedOn(response.headers, headers));
  for (const { atUs, part } of call.received) {
    await due(atUs);
    if (outgoing.closed) return RESPONSE_ALREADY_SENT;
    if (!outgoing.write(part))
      await Promise.race([new Promise((resolve) => outgoing.once('drain', resolve)), left]);
  }
  if (call.isBrokenOff) breakOff(outgoing, 'as recorded');
  else outgoing.end();
  return RESPONSE_ALREADY_SENT;
}

/** Headers of a compression that was undone, and of one answer alone. */
const OF_ONE_ANSWER = /^(?:content-(?:length|encoding)|date|x-request-id|vary)$/;

/** The headers of an answer that are sent again to this request. */
const passedOn = (answered: ResponseHead['headers'], asked: IncomingHttpHeaders) =>
  Object.fromEntries(
    Object.entries(passedAnswer(answered, asked)).filter(
      ([name, value]) => !OF_ONE_ANSWER.test(name) && value !== KEY_MARK && isSendable(name, String(value)),
    ),
  );

/** A recording may hold any text, such as the `:status` of HTTP/2. */
function isSendable(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

/** Keys in a query do not matter, nor does the order of its fields. */
function isSameTarget(recorded: RequestHead, method: string, path: string): boolean {
  const [a, b] = [urlOf(recorded.path), urlOf(path)];
  if (!a || !b || recorded.method !== method || a.pathname !== b.pathname) return false;
  return deepEqual(queryOf(a), queryOf(b));
}

/** A path of two slashes is no host. */
function urlOf(path: string): URL | null {
  const address = `http://voicewire.invalid${path}`;
  return URL.canParse(address) ? new URL(address) : null;
}

const queryOf = (url: URL): string[][] =>
  [...url.searchParams].filter(([name]) => !isSecretName(name)).sort(([x], [y]) => (x < y ? -1 : 1));

const shown = (body: unknown): string => (body === '' ? '' : beginningWords(JSON.stringify(body)));
