import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type ClientOptions, WebSocket } from 'ws';
import { madeOnce } from '#lib/collections/maps.ts';
import { messageOf } from '#lib/message-of.ts';
import { handshakeOf, keylessAddress } from '#protocol/core/address.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { LOCAL_KEY } from '#protocol/core/servers.ts';
import { protocolOf } from '../../support/protocols.ts';
import { within } from '../../support/within.ts';
import { Broken } from '../fuzz-part.ts';
import { addressSettings } from '../server/client-scripts.ts';
import { answerTo } from '../server/http-part.ts';
import type { HostileHosts } from './hostile-hosts.ts';

/** The server under attack, and the vendor behind its relay. */
export interface Target extends Pick<HostileHosts, 'vendor'> {
  http: string;
  ws: string;
  /**
   * Other attacks hold all places. A call is then refused before its body is read, and TCP may drop the refusal with the
   * rest of the body.
   */
  isCrowded?: boolean;
  /** Address of this machine from which the attacker comes. */
  from?: string;
}

/** Attacks until the time is over, and a little longer. Throws a Broken where a promise to the attacker is broken. */
export type Attack = (target: Target, over: AbortSignal) => Promise<void>;

export const MIB = 2 ** 20;
/** Only what hangs takes as long, also on a machine that is busy with others. */
export const ANSWERS_WITHIN_MS = 90_000;
export const REFUSAL = /^HTTP\/1\.1 (?:400|408|413|429|503) /;

/** The head of a request without a body, unless a header announces one. */
export const request = (line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, 'Host: 127.0.0.1', ...headers, '', ''].join('\r\n');

export const post = (path: string, bytes: number, type = 'application/json'): string => {
  const key = ['X-API-Key: local', 'Authorization: Bearer local'];
  return request(`POST ${path}`, ...key, `Content-Type: ${type}`, `Content-Length: ${bytes}`);
};

export const addressOf = ({ http, from }: Target) => ({
  host: new URL(http).hostname,
  port: Number(new URL(http).port),
  ...(from !== undefined && { localAddress: from }),
});

/** Sends a request and expects this answer, or a refusal. */
export async function expectAnswer(target: Target, bytes: string, expected: string): Promise<void> {
  const answer = (await answerTo(bytes, addressOf(target), ANSWERS_WITHIN_MS)) ?? '';
  const isDropped = answer === '' && target.isCrowded;
  if (isDropped || REFUSAL.test(answer) || (expected !== '' && answer.includes(expected))) return;
  const [line] = bytes.split('\r\n', 1);
  throw new Broken(`${line}: expected ${expected || 'a refusal'}, got ${answer.slice(0, 200) || 'nothing'}`);
}

/** Resolves once all have ended. Rejects with all that has failed. */
export async function all(tasks: readonly Promise<void>[]): Promise<void> {
  const ends = await Promise.allSettled(tasks);
  const problems = ends.flatMap((end) => (end.status === 'rejected' ? [messageOf(end.reason)] : []));
  if (problems.length > 0) throw new Broken([...new Set(problems)].join('; '));
}

/** Repeats a task in lanes until the time is over. A lane also ends when its task fails. */
export const repeat =
  (lanes: number, task: (target: Target, lane: number, over: AbortSignal) => Promise<void>): Attack =>
  (target, over) =>
    all(
      Array.from({ length: lanes }, async (_, lane) => {
        while (!over.aborted) await task(target, lane, over);
      }),
    );

/** A connection that sends these bytes and stays. */
export function hold(target: Target, ...parts: (string | Uint8Array)[]) {
  const socket = connect(addressOf(target));
  const held = { socket, answer: '' };
  socket.on('data', (part) => {
    held.answer += part.toString('latin1');
  });
  // A server may cut a client that it has refused.
  socket.on('error', () => {});
  const sent = Promise.all(parts.map((part) => new Promise((resolve) => socket.write(part, resolve))));
  const answered = Promise.race(
    ['data', 'close'].map((event) => new Promise((done) => socket.once(event, done))),
  );
  return Object.assign(held, { sent, answered });
}

/**
 * Holds connections until the time is over, and all is sent that the server reads. It may refuse any of them.
 * @param isBounded it refuses some of them at once
 */
export const holdMany =
  (count: number, open: (target: Target) => ReturnType<typeof hold>, isBounded = false): Attack =>
  async (target, over) => {
    const held = Array.from({ length: count }, () => open(target));
    await ended(over);
    const answered = held.map((one) => one.answered);
    const done = isBounded
      ? Promise.race(answered)
      : Promise.all(held.map(({ sent }, at) => Promise.race([sent, answered[at]])));
    const expected = isBounded ? 'a bound of open calls' : 'each request to be read or refused';
    await within<unknown>(ANSWERS_WITHIN_MS, done, expected).finally(() => {
      for (const { socket } of held) socket.destroy();
    });
    const other = held.find(({ answer }) => answer !== '' && !REFUSAL.test(answer));
    if (other) throw new Broken(`expected a refusal, got ${other.answer.slice(0, 200)}`);
  };

/** One listener each, because a crowd of attacks has one signal. */
const ends = new WeakMap<AbortSignal, Promise<unknown>>();

export const ended = async (over: AbortSignal): Promise<void> => {
  if (!over.aborted) await madeOnce(ends, over, () => once(over, 'abort'));
};

/** A message that is accepted may have no answer. */
const ANSWER_MS = 200;

/** Sends messages behind the opening of a connection. Resolves with the first answer, if there is one in time. */
export async function converse(
  { ws, from }: Target,
  endpoint: Endpoint,
  messages: readonly Frame[],
): Promise<string> {
  const settings = addressSettings(endpoint);
  const address = keylessAddress(endpoint, `${ws}${endpoint.localPrefix}`, settings);
  const { url, protocols } = handshakeOf(endpoint, address, LOCAL_KEY);
  const own: ClientOptions = from === undefined ? {} : { localAddress: from };
  const socket = new WebSocket(url, [...protocols], { perMessageDeflate: false, ...own });
  // `close` always follows.
  socket.on('error', () => {});
  let answer = '';
  socket.on('message', (data, isBinary) => {
    if (!isBinary && answer === '') answer = String(data).slice(0, 2000);
  });
  const closed = new Promise<void>((resolve) =>
    socket.once('close', (_, reason) => {
      answer ||= String(reason);
      resolve();
    }),
  );
  await Promise.race([closed, new Promise((resolve) => socket.once('open', resolve))]);
  if (socket.readyState !== WebSocket.OPEN) return answer;
  const dialect = protocolOf(endpoint).open({ settings, key: LOCAL_KEY });
  for (const frame of [...dialect.encode({ kind: 'open', settings }), ...messages])
    await new Promise((resolve) => socket.send(frame, resolve));
  const answered = new Promise((resolve) => socket.once('message', resolve));
  await Promise.race([closed, answered, pause(ANSWER_MS)]);
  socket.terminate();
  return answer;
}
