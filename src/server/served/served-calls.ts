import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http';
import type { Clock } from '#lib/clock.ts';
import { deepEqual } from '#lib/deep-equal.ts';
import { beginningWords } from '#record/client-steps.ts';
import { isSecretName, KEY_MARK, withoutNamedSecrets } from '#record/named-secrets.ts';
import type { RequestHead, ResponseHead, RestApi } from '#record/rest-calls.ts';
import { breakOff } from '../answers/break-off.ts';
import { BodyRefused, type CallBodies } from '../call-bodies.ts';
import { isAllowedOrigin } from '../origin.ts';
import { passedAnswer, passedReason } from '../relay/passed-headers.ts';
import { replyText } from '../reply.ts';
import { FILE, SAFE } from '../rest.ts';
import type { Cassette, ServableCall } from './cassette.ts';
import { comparedBody } from './compared-body.ts';
import { admitPage } from './page-access.ts';
import type { Manner } from './served-session.ts';

interface Options {
  cassette: Cassette;
  manner: Pick<Manner, 'pace'>;
  bodies: CallBodies;
  clock: Clock;
}

/** Answers a call as recorded. @param path on the vendor's host, with its query */
export async function serveCall(
  api: RestApi,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  { cassette, manner, bodies, clock }: Options,
): Promise<void> {
  if (admitPage(request, response)) return;
  const { method = 'GET', headers } = request;
  // A website cannot read the answers, and must not use them up.
  if (!SAFE.has(method) && !isAllowedOrigin(headers.origin, headers.host))
    return replyText(request, response, 403, 'Foreign origin');
  const type = headers['content-type'] ?? '';
  const read = await bodies
    .read(request, FILE.bytes, (bytes) => ({ body: comparedBody([new Uint8Array(bytes)], type) }))
    .catch((error: unknown) => {
      if (error instanceof BodyRefused) return error;
      // The client is gone.
      if (request.destroyed) return null;
      throw error;
    });
  if (read === null) return;
  if (read instanceof BodyRefused) {
    // A connection with an unfinished body cannot be used again.
    response.setHeader('Connection', 'close');
    return replyText(request, response, read.status, read.message);
  }
  const { body } = read;
  // The recorded wait begins with the end of the request.
  const askedAtMs = clock.nowMs();
  const what = `${method} ${withoutNamedSecrets(path)}`;
  const refuse = () => replyText(request, response, 404, `The recording holds no further call ${what}.`);
  const isSameBody = (one: ServableCall) => deepEqual(one.body, body);
  const [taken] = cassette.calls.nearest((one) =>
    one.api === api && isSameTarget(one.call.request, method, path) ? Number(!isSameBody(one)) : null,
  );
  // A recording of sockets alone says nothing about the calls of their client.
  if (!cassette.calls.all.some((one) => one.api === api)) return refuse();
  const run = cassette.begin(what, taken?.title ?? null);
  response.once('close', () => run.end());
  const client = { words: `${what} ${shown(body)}`.trim(), message: null, atMs: 0 };
  if (!taken) {
    run.differs({ kind: 'extra', recorded: null, client });
    return refuse();
  }
  cassette.calls.take(taken);
  const { call } = taken;
  if (!isSameBody(taken)) {
    const words = `${what} ${shown(taken.body)}`.trim();
    run.differs({
      kind: 'changed',
      recorded: { words, entry: taken.entry, atMs: call.firstUs / 1000 },
      client,
    });
  }
  // One listener for all parts of the answer.
  const gone = new Promise<void>((resolve) => response.once('close', resolve));
  const due = async (atUs: number): Promise<void> => {
    const leftMs = askedAtMs + (atUs - call.sentUs) / 1000 - clock.nowMs();
    if (manner.pace !== 'recorded' || leftMs <= 0 || response.closed) return;
    // A timer would keep the process of a server that ends.
    let stop = () => {};
    const passed = new Promise<void>((resolve) => {
      stop = clock.after(leftMs, resolve);
    });
    await Promise.race([passed, gone]);
    stop();
  };
  await due(call.answeredUs);
  const { status, reason, headers: answered } = taken.response;
  if (response.closed) return;
  response.writeHead(status, passedReason(reason), passedOn(answered, headers));
  for (const { atUs, part } of call.received) {
    await due(atUs);
    if (response.closed) return;
    if (!response.write(part))
      await Promise.race([new Promise((resolve) => response.once('drain', resolve)), gone]);
  }
  if (call.isBrokenOff) breakOff(response, 'as recorded');
  else response.end();
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
