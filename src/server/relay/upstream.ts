import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import type { Clock } from '#lib/clock.ts';
import { MAX_SERVER_MESSAGE_BYTES } from '#protocol/core/json-frame.ts';
import { remoteOf } from '../origin.ts';
import type { RefusedUpgrade } from '../refused-upgrade.ts';
import type { AcceptedUpgrade } from '../socket-endpoint.ts';
import type { TotalOutput } from '../sockets/unread-output.ts';
import { isFinal, passedAnswer, passedHeaders, passedReason } from './passed-headers.ts';
import { RelaySession } from './relay-session.ts';
import type { VendorMemory } from './vendor-memory.ts';

/** Time for a vendor to answer a handshake. */
export const ANSWER_WITHIN_MS = 10_000;

interface Options {
  clock: Clock;
  /** Close of the client when this server ends. */
  restart: { code: number; reason: string };
  /** Memory of what all vendors have not read yet. */
  total: TotalOutput;
  /** Memory of what vendors have sent and clients have not read yet. */
  memory: VendorMemory;
}

/** Opens the vendor's side of a handshake and answers as the vendor does. */
export function openUpstream(
  address: URL,
  request: IncomingMessage,
  left: AbortSignal,
  { clock, ...options }: Options,
): Promise<AcceptedUpgrade | RefusedUpgrade> {
  const { headers } = request;
  const { 'sec-websocket-protocol': protocols } = headers;
  const peer = [remoteOf(request)];
  const upstream = new WebSocket(address, {
    // Not as an argument, because `ws` would then refuse a vendor that selects none of them.
    headers: { ...passedHeaders(headers), ...(protocols ? { 'sec-websocket-protocol': protocols } : {}) },
    perMessageDeflate: false,
    followRedirects: false,
    // Between two messages of a vendor, others have their turn.
    allowSynchronousEvents: false,
    maxPayload: MAX_SERVER_MESSAGE_BYTES,
    // `ws` reads on after invalid UTF-8 if more has arrived, and throws, so the session checks it.
    skipUTF8Validation: true,
  });
  return new Promise((resolve) => {
    let answer: AcceptedUpgrade | null = null;
    const leave = () => upstream.terminate();
    left.addEventListener('abort', leave);
    if (left.aborted) leave();
    const stopTimer = clock.after(ANSWER_WITHIN_MS, () => {
      refuse(504, `does not answer within ${ANSWER_WITHIN_MS / 1000} s`);
      leave();
    });
    const refuse = (status: number, what: string) =>
      resolve({ status, why: `the relay's target ${address.host} ${what}` });

    upstream.once('upgrade', ({ headers: answered, socket }) => {
      const { 'sec-websocket-protocol': protocol = false } = answered;
      delete answered['sec-websocket-protocol'];
      answer = {
        headers: linesOf(answered, headers),
        protocol,
        open(connection) {
          left.removeEventListener('abort', leave);
          return new RelaySession(connection, { webSocket: upstream, socket, peer }, options);
        },
      };
    });
    upstream.once('open', () => {
      stopTimer();
      // Its messages wait for the session.
      upstream.pause();
      if (answer) resolve(answer);
    });
    upstream.once('unexpected-response', (_, response) => {
      stopTimer();
      left.removeEventListener('abort', leave);
      if (!isFinal(response)) {
        response.destroy();
        return refuse(502, `answers with status ${response.statusCode}`);
      }
      resolve({
        status: response.statusCode ?? 502,
        why: {
          reason: passedReason(response.statusMessage),
          headers: linesOf(response.headers, headers),
          body: response,
        },
      });
    });
    upstream.on('error', (error) => {
      stopTimer();
      refuse(502, `cannot be reached: ${codeOf(error)}`);
    });
  });
}

const linesOf = (answered: IncomingMessage['headers'], asked: IncomingMessage['headers']): string[] =>
  Object.entries(passedAnswer(answered, asked)).flatMap(([name, value]) =>
    [value].flat().map((each) => `${name}: ${each}`),
  );

/** Never the message of the error, which may repeat the address with its key. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'no WebSocket answers there';
