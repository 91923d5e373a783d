import { Agent, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as SecureAgent } from 'node:https';
import { Transform } from 'node:stream';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Clock } from '#lib/clock.ts';
import { breakOff } from '../answers/break-off.ts';
import { CLIENT_READS_NOTHING, UNREAD_MS } from '../answers/watched-body.ts';
import type { CallBodies } from '../call-bodies.ts';
import type { Log } from '../log.ts';
import { isAllowedOrigin } from '../origin.ts';
import { addressOf, type Handler } from '../reply.ts';
import { createRest, onLeave, Refused, type RestContext } from '../rest.ts';
import { framingOf, isFinal, passedAnswer, passedHeaders, passedReason } from './passed-headers.ts';
import { placeOf, type RelayTargets } from './targets.ts';
import { ANSWER_WITHIN_MS, codeOf } from './upstream.ts';

interface Options {
  targets: RelayTargets;
  bodies: CallBodies;
  clock: Clock;
  log: Log;
}

/** Nothing passes for this long. A vendor may take minutes to begin a long speech. */
const SILENT_MS = UNREAD_MS;
const NOTHING_PASSED = `nothing passed for ${SILENT_MS / 1000} s`;

const errorOf = (_: number, message: string) => ({ error: message });
const refuse = (status: number, message: string) => new Refused(status, errorOf(status, message));

/** The calls of a vendor's REST API. Preflights are answered here, because the vendor does not know our pages. */
export function createRelayRest(vendor: string, { targets, bodies, clock, log }: Options): Handler {
  const agents = { 'ws:': new Agent({ keepAlive: true }), 'wss:': new SecureAgent({ keepAlive: true }) };

  /** Sends a request on. Resolves with the vendor's answer, unread. */
  const ask = (c: RestContext, address: URL): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { incoming, outgoing } = c.env;
      const isSecure = address.protocol === 'wss:';
      const framing = framingOf(incoming.headers);
      if (!framing) throw refuse(501, 'expected no transfer coding but chunked');
      const asked = (isSecure ? requestHttps : requestHttp)({
        agent: agents[isSecure ? 'wss:' : 'ws:'],
        hostname: address.hostname.replace(/^\[|\]$/g, ''),
        port: address.port,
        path: `${address.pathname}${address.search}`,
        method: incoming.method,
        headers: { ...passedHeaders(incoming.headers), ...framing },
      });
      const fail = (status: number, what: string) =>
        reject(refuse(status, `the relay's target ${address.host} ${what}`));
      const passed = watchSilence(c, clock, () => {
        reject(refuse(504, NOTHING_PASSED));
        const why = outgoing.writableLength > 0 ? CLIENT_READS_NOTHING : NOTHING_PASSED;
        if (outgoing.headersSent) breakOff(outgoing, why);
        asked.destroy();
      });
      let stopTimer = () => {};
      asked.once('socket', (socket) => {
        if (!socket.connecting) return;
        stopTimer = clock.after(ANSWER_WITHIN_MS, () => {
          fail(504, `does not answer within ${ANSWER_WITHIN_MS / 1000} s`);
          asked.destroy();
        });
        socket.once('connect', () => stopTimer());
      });
      asked.once('response', (answer) => {
        // Read once it is passed on.
        if (isFinal(answer)) return resolve(answer.on('data', passed).pause());
        fail(502, `answers with status ${answer.statusCode}`);
        asked.destroy();
      });
      asked.on('error', (error) => {
        if (!outgoing.closed) fail(502, `cannot be reached: ${codeOf(error)}`);
      });
      onLeave(c, () => asked.destroy());
      // A pipeline would cut a client whose call is answered before the end of its body.
      incoming.on('data', passed).pipe(afterReads()).pipe(asked);
      asked.once('close', () => {
        stopTimer();
        incoming.unpipe().resume();
      });
    });

  return createRest({
    prefix: `/relay/${vendor}`,
    bodies,
    log,
    error: errorOf,
    notOffered: [404, 'Not found'],
    routes: (rest) =>
      rest.all('*', async (c) => {
        const { outgoing } = c.env;
        const answer = await ask(c, addressFor(c, targets));
        for (const [name, value] of c.res.headers) outgoing.setHeader(name, value);
        passOn(answer, c.env);
        return RESPONSE_ALREADY_SENT;
      }),
  });
}

/** Delays each part of a body until arrived answers are read. A write to a closed connection fails and discards them. */
const afterReads = (): Transform =>
  new Transform({ transform: (part, _, passed) => void setImmediate(passed, null, part) });

/** Calls `silent` where nothing passes either way for `SILENT_MS`. @returns the function that notes what passes */
function watchSilence(c: RestContext, clock: Clock, silent: () => void): () => void {
  let stopTimer = () => {};
  const passed = () => {
    stopTimer();
    if (!c.env.outgoing.closed) stopTimer = clock.after(SILENT_MS, silent);
  };
  onLeave(c, () => stopTimer());
  passed();
  return passed;
}

function addressFor(c: RestContext, targets: RelayTargets): URL {
  const { incoming } = c.env;
  const { origin, host, 'sec-fetch-site': site } = incoming.headers;
  // Browsers name no origin in simple requests of another page, such as those of images.
  if (!isAllowedOrigin(origin, host) || (origin === undefined && site === 'cross-site'))
    throw refuse(403, 'Foreign origin');
  const url = addressOf(incoming);
  const place = url && placeOf(url, targets);
  if (!place || 'status' in place) throw refuse(404, 'Not found');
  return place.address;
}

/** Sends an answer on while it arrives. Breaks the connection where the vendor's breaks. */
function passOn(answer: IncomingMessage, { incoming, outgoing }: RestContext['env']): void {
  const headers = passedAnswer(answer.headers, incoming.headers);
  outgoing.writeHead(answer.statusCode ?? 502, passedReason(answer.statusMessage), headers);
  // An answer that grows slowly begins at once.
  outgoing.flushHeaders();
  answer.on('error', () => {});
  answer.once('close', () => {
    if (!answer.complete) breakOff(outgoing, 'the vendor broke its answer off');
  });
  answer.pipe(outgoing);
}
