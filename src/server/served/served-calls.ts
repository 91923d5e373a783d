import { type IncomingHttpHeaders, validateHeaderName, validateHeaderValue } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Clock, within } from '#lib/clock.ts';
import { yieldIfLong } from '#lib/loop-slice.ts';
import { beginningWords } from '#trace/client-steps.ts';
import { byteLength } from '#trace/frame-size.ts';
import type { RecordedCall, ResponseHead } from '#trace/rest-calls.ts';
import { KEY_MARK, withoutNamedSecrets } from '#trace/secrets/named-secrets.ts';
import { breakOff } from '../answers/break-off.ts';
import type { CallBodies } from '../call-bodies.ts';
import type { Log } from '../log.ts';
import { remoteOf } from '../origin.ts';
import { passedAnswer, passedReason } from '../relay/passed-headers.ts';
import { addressOf, type Handler } from '../reply.ts';
import { createRest, FILE, onLeave, type RestContext } from '../rest.ts';
import { callTargetOf } from './call-target.ts';
import type { AnsweredCall } from './cassette.ts';
import { recordedPlace } from './client-difference.ts';
import { type ComparedBody, comparedBody } from './compared-body.ts';
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
    routes: (rest) => rest.all('*', (c) => answer(c, served, clock)),
  });

async function answer(c: RestContext, served: ServedRecordings, clock: Clock): Promise<Response> {
  const { incoming, outgoing } = c.env;
  const { method = 'GET', headers } = incoming;
  const url = addressOf(incoming);
  const place = url && served.placeAt(url);
  if (!url || !place?.cassette) return c.text(`${NOT_SERVED}\n`, 404);
  const { cassette, api, path } = place;
  const onHost = `${path.slice(api.localPrefix.length)}${url.search}`;
  const what = `${method} ${beginningWords(withoutNamedSecrets(onHost), MAX_PATH_CHARS)}`;
  const refuse = () => c.text(`The recording holds no further call ${what}.\n`, 404);
  // A recording of sockets alone says nothing about the calls of their client.
  if (!cassette.calls.all.some((one) => one.api === api)) return refuse();
  const target = callTargetOf({ method, path: onHost });
  const fits = (one: AnsweredCall) => one.api === api && one.target === target;
  // No body makes another call of it, and a large one takes long to read.
  const isKnown = cassette.calls.all.some(fits);
  const isShort = Number(headers['content-length'] ?? Number.NaN) <= MAX_SHOWN_BYTES;
  let askedAtMs = clock.nowMs();
  const body =
    isKnown || isShort
      ? await c.var.bodies.read(incoming, FILE.bytes, (bytes) => {
          // The recorded wait begins with the end of the request.
          askedAtMs = clock.nowMs();
          return comparedBody(bytes, headers['content-type'] ?? '');
        })
      : NO_BODY;
  const same = await sameBodies(cassette.calls.all.filter(fits), body);
  const [taken] = cassette.calls.nearest((one) => (fits(one) ? Number(!same.has(one)) : null));
  const run = cassette.begin(what, taken?.title ?? null, remoteOf(incoming));
  onLeave(c, () => run.end());
  const client = () => `${what} ${body.words}`.trim();
  if (!taken) {
    run.differs({ kind: 'extra', recorded: null, client });
    return refuse();
  }
  cassette.calls.take(taken);
  const { call } = taken;
  const { response } = call;
  if (!response) return refuse();
  if (!same.has(taken)) {
    const { words } = (await taken.body()) ?? NO_BODY;
    const recorded = () => recordedPlace(`${what} ${words}`.trim(), taken.entry, call.firstUs);
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
  outgoing.writeHead(response.status, passedReason(response.reason), passedOn(call, response, headers));
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
const OF_ONE_ANSWER = /^(?:content-encoding|date|x-request-id|vary)$/;

/** The headers of an answer that are sent again to this request. */
const passedOn = (call: RecordedCall, response: ResponseHead, asked: IncomingHttpHeaders) =>
  Object.fromEntries(
    Object.entries(passedAnswer(response.headers, asked)).filter(
      ([name, value]) =>
        !OF_ONE_ANSWER.test(name) &&
        (name !== 'content-length' || isLengthOf(call, response, String(value))) &&
        value !== KEY_MARK &&
        isSendable(name, String(value)),
    ),
  );

/** Whether an answer has this length when it is sent again: a recorded body may be without its compression. */
function isLengthOf(
  { request, received, isBrokenOff }: RecordedCall,
  response: ResponseHead,
  length: string,
): boolean {
  if (request.method === 'HEAD' || response.status === NOT_MODIFIED) return true;
  if (response.headers['content-encoding'] !== undefined) return false;
  let bytes = 0;
  for (const { part } of received) bytes += byteLength(part);
  return /^\d{1,15}$/.test(length) && (isBrokenOff ? bytes <= Number(length) : bytes === Number(length));
}

const NOT_MODIFIED = 304;

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

/** Returns the recorded calls with the same body, and those whose body is not known. Each is read once, and before one is taken. */
async function sameBodies(calls: readonly AnsweredCall[], { key }: ComparedBody): Promise<Set<AnsweredCall>> {
  const same = new Set<AnsweredCall>();
  for (const call of calls) {
    const recorded = await call.body();
    if (!recorded || recorded.key === key) same.add(call);
    const pause = yieldIfLong();
    if (pause) await pause;
  }
  return same;
}

const NO_BODY: ComparedBody = { key: '""', words: '' };
/** A body of a call that was not recorded is named up to this size. */
const MAX_SHOWN_BYTES = 64 * 1024;
const MAX_PATH_CHARS = 1000;
