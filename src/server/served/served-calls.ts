import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '#lib/clock.ts';
import { deepEqual } from '#lib/deep-equal.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { isSecretName, KEY_MARK, withoutNamedSecrets } from '#record/named-secrets.ts';
import type { NewEntry } from '#record/record.ts';
import {
  CALL_KINDS,
  type RequestHead,
  type ResponseHead,
  type RestApi,
  readCallEntry,
} from '#record/rest-calls.ts';
import { breakOff } from '../answers/break-off.ts';
import type { CallBodies } from '../call-bodies.ts';
import { replyText } from '../reply.ts';
import { FILE } from '../rest.ts';
import type { Cassette, RecordedCall } from './cassette.ts';
import type { Manner } from './served-session.ts';

/** Reads the calls of a recording, in the order of their beginning. Calls without an answer are left out. */
export function readCalls(
  api: RestApi,
  title: string,
  startedAtMs: number,
  entries: readonly (NewEntry & { index: number })[],
): {
  calls: RecordedCall[];
  /** Calls whose bodies were not recorded as a whole. */
  cut: number;
} {
  const byNumber = new Map<number, (NewEntry & { index: number })[]>();
  for (const entry of entries) {
    if (entry.turn === null) continue;
    const own = byNumber.get(entry.turn) ?? [];
    own.push(entry);
    byNumber.set(entry.turn, own);
  }
  const calls: RecordedCall[] = [];
  let cut = 0;
  for (const own of byNumber.values()) {
    let request: RequestHead | null = null;
    let response: (ResponseHead & { atUs: number }) | null = null;
    let askedUs = 0;
    const [sent, received]: [Frame[], { atUs: number; part: Frame }[]] = [[], []];
    let isCut = false;
    let isBrokenOff = false;
    for (const entry of own) {
      const read = readCallEntry(entry);
      if (read && 'request' in read) request = read.request;
      else if (read && 'response' in read) response = { ...read.response, atUs: entry.atUs };
      else if (read && 'end' in read) {
        isCut = read.end.sent.kept !== undefined || read.end.received.kept !== undefined;
        isBrokenOff = entry.kind === CALL_KINDS.brokenOff;
      } else if (entry.direction === 'out') sent.push(entry.payload);
      else if (entry.direction === 'in') received.push({ atUs: entry.atUs, part: entry.payload });
      if (entry.direction === 'out') askedUs = entry.atUs;
    }
    if (isCut) cut += 1;
    else if (request && response) {
      const place = { entry: own[0]?.index ?? 0, atUs: own[0]?.atUs ?? 0 };
      const body = bodyOf(sent, request.headers['content-type'] ?? '');
      calls.push({
        api,
        title,
        startedAtMs,
        request,
        body,
        response,
        received,
        askedUs,
        isBrokenOff,
        ...place,
      });
    }
  }
  return { calls, cut };
}

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
  const startedAtMs = clock.nowMs();
  const { method = 'GET', headers } = request;
  const type = headers['content-type'] ?? '';
  const body = await bodies.read(request, FILE.bytes, (bytes) => bodyOf([new Uint8Array(bytes)], type));
  const what = `${method} ${withoutNamedSecrets(path)}`;
  const [call] = cassette.calls.nearest((one) =>
    one.api === api && isSameTarget(one.request, method, path) ? Number(!deepEqual(one.body, body)) : null,
  );
  const run = cassette.begin(what, call?.title ?? null);
  response.once('close', () => run.end());
  const client = { words: `${what} ${shown(body)}`.trim(), message: null, atMs: 0 };
  if (!call) {
    run.differs({ kind: 'extra', recorded: null, client });
    replyText(request, response, 404, `The recording holds no further call ${what}.`);
    return;
  }
  cassette.calls.take(call);
  if (!deepEqual(call.body, body)) {
    const words = `${what} ${shown(call.body)}`.trim();
    const recorded = { words, entry: call.entry, atMs: call.atUs / 1000 };
    run.differs({ kind: 'changed', recorded, client });
  }
  const { status, reason, headers: recorded } = call.response;
  const due = async (atUs: number): Promise<void> => {
    const leftMs = startedAtMs + (atUs - call.askedUs) / 1000 - clock.nowMs();
    if (manner.pace === 'recorded' && leftMs > 0)
      await new Promise<void>((resolve) => clock.after(leftMs, resolve));
  };
  await due(call.response.atUs);
  response.writeHead(status, reason, passedOn(recorded));
  for (const { atUs, part } of call.received) {
    await due(atUs);
    if (response.closed) return;
    if (!response.write(part))
      await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
  }
  if (call.isBrokenOff) breakOff(response, 'as recorded');
  else response.end();
}

/** Headers of the connection, of a compression that was undone, and of one answer alone. */
const OF_ONE_ANSWER =
  /^(?:connection|keep-alive|transfer-encoding|content-(?:length|encoding)|date|x-request-id)$/;

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
