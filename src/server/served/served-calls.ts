import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '#lib/clock.ts';
import { deepEqual } from '#lib/deep-equal.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { isSecretName, KEY_MARK, withoutNamedSecrets } from '#record/named-secrets.ts';
import type { RequestHead, ResponseHead, RestApi } from '#record/rest-calls.ts';
import { breakOff } from '../answers/break-off.ts';
import type { CallBodies } from '../call-bodies.ts';
import { replyText } from '../reply.ts';
import { FILE } from '../rest.ts';
import type { Cassette, ServableCall } from './cassette.ts';
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
  const startedAtMs = clock.nowMs();
  const { method = 'GET', headers } = request;
  const type = headers['content-type'] ?? '';
  const body = await bodies.read(request, FILE.bytes, (bytes) => bodyOf([new Uint8Array(bytes)], type));
  const what = `${method} ${withoutNamedSecrets(path)}`;
  const isSameBody = (one: ServableCall) => deepEqual(recordedBody(one), body);
  const [taken] = cassette.calls.nearest((one) =>
    one.api === api && isSameTarget(one.call.request, method, path) ? Number(!isSameBody(one)) : null,
  );
  const run = cassette.begin(what, taken?.title ?? null);
  response.once('close', () => run.end());
  const client = { words: `${what} ${shown(body)}`.trim(), message: null, atMs: 0 };
  if (!taken) {
    run.differs({ kind: 'extra', recorded: null, client });
    replyText(request, response, 404, `The recording holds no further call ${what}.`);
    return;
  }
  cassette.calls.take(taken);
  const { call } = taken;
  if (!isSameBody(taken)) {
    const words = `${what} ${shown(recordedBody(taken))}`.trim();
    run.differs({
      kind: 'changed',
      recorded: { words, entry: taken.entry, atMs: call.firstUs / 1000 },
      client,
    });
  }
  const due = async (atUs: number): Promise<void> => {
    const leftMs = startedAtMs + (atUs - call.sentUs) / 1000 - clock.nowMs();
    if (manner.pace === 'recorded' && leftMs > 0)
      await new Promise<void>((resolve) => clock.after(leftMs, resolve));
  };
  await due(call.answeredUs);
  const { status, reason, headers: answered } = taken.response;
  response.writeHead(status, reason, passedOn(answered));
  for (const { atUs, part } of call.received) {
    await due(atUs);
    if (response.closed) return;
    if (!response.write(part))
      await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
  }
  if (call.isBrokenOff) breakOff(response, 'as recorded');
  else response.end();
}

const recordedBody = ({ call }: ServableCall): unknown =>
  bodyOf(call.sent, call.request.headers['content-type'] ?? '');

/** Headers of the connection, of a compression that was undone, of one answer alone, and of the page that asked. */
const OF_ONE_ANSWER =
  /^(?:connection|keep-alive|transfer-encoding|content-(?:length|encoding)|date|x-request-id|vary|access-control-.*)$/;

const passedOn = (headers: ResponseHead['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => !OF_ONE_ANSWER.test(name) && value !== KEY_MARK),
  );

/** Keys in a query do not matter, nor does the order of its fields. */
function isSameTarget(recorded: RequestHead, method: string, path: string): boolean {
  const [a, b] = [recorded.path, path].map((one) => new URL(one, 'http://voicewire.invalid'));
  if (recorded.method !== method || a?.pathname !== b?.pathname) return false;
  return deepEqual(queryOf(a), queryOf(b));
}

const queryOf = (url: URL | undefined): string[][] =>
  [...(url?.searchParams ?? [])].filter(([name]) => !isSecretName(name)).sort(([x], [y]) => (x < y ? -1 : 1));

const BOUNDARY = /boundary="?([^";]+)/;

/** A body for comparison: JSON by its value, other text and bytes as text without keys and without the boundary of a form. */
function bodyOf(parts: readonly Frame[], type: string): unknown {
  const text = Buffer.concat(parts.map((part) => Buffer.from(part as string))).toString('utf8');
  const boundary = BOUNDARY.exec(type)?.[1];
  const clean = withoutNamedSecrets(boundary ? text.replaceAll(boundary, '') : text);
  try {
    return JSON.parse(clean);
  } catch {
    return clean;
  }
}

const MAX_SHOWN = 200;
function shown(body: unknown): string {
  const text = body === '' ? '' : JSON.stringify(body);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
