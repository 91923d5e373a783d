import fc from 'fast-check';
import type { Dialect, Endpoint } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { ONLY_CONTEXT, type SpeechEvent } from '#protocol/core/speech-event.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { exampleVoice } from '#protocol/testing/example-voice.ts';
import { protocolOf } from '../../support/protocols.ts';
import type { FuzzPart } from '../fuzz-part.ts';
import {
  patched,
  patches,
  reordered,
  reorders,
  shownMessage,
  type WireMessage,
} from '../mutation/mutations.ts';
import { addressSettings, fieldNames, openTexts, SECRET_KEY, scriptsOf } from './client-scripts.ts';
import { FuzzSocket } from './fuzz-socket.ts';
import { judge } from './verdict.ts';

/** How a connection ends: by itself after all answers, after a turn that must be spoken, or in mid-sentence. */
type Ending =
  | { kind: 'drain' | 'turn' | 'vanish' }
  | { kind: 'close'; code: number }
  /** Bytes past the WebSocket protocol. */
  | { kind: 'junk'; bytes: Uint8Array };

export interface SocketCase {
  endpoint: Endpoint;
  key: string;
  messages: WireMessage[];
  /** Pause after the message at this place; 0 for none. */
  pausesMs: readonly number[];
  ending: Ending;
}

const MOST_PATCHES = 8;
/** Time for an answer. Other connections are busy at the same time. */
const ANSWER_WITHIN_MS = 20_000;
/** Half a frame is answered by nothing, and rightly so. */
const JUNK_ANSWER_MS = 150;

const endings: fc.Arbitrary<Ending> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Ending>({ kind: 'drain' }) },
  { weight: 3, arbitrary: fc.constant<Ending>({ kind: 'turn' }) },
  { weight: 1, arbitrary: fc.constant<Ending>({ kind: 'vanish' }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('close'), code: fc.constantFrom(1000, 1001, 3000, 4001, 4999) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('junk'),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 24 }),
    }),
  },
);

const mutatedCases = (endpoint: Endpoint): fc.Arbitrary<SocketCase> =>
  fc
    .record({
      script: scriptsOf(endpoint),
      changes: patches(fieldNames(endpoint), MOST_PATCHES),
      order: reorders,
      pausesMs: pausesOf(0, 0, 0, 0, 1, 5, 30),
      ending: endings,
    })
    .map(({ script, changes, order, pausesMs, ending }) => ({
      endpoint,
      key: script.key,
      messages: reordered(patched(script.messages, changes), order),
      pausesMs,
      ending,
    }));

const orderlyCases = (endpoint: Endpoint): fc.Arbitrary<SocketCase> =>
  fc
    .record({
      script: scriptsOf(endpoint),
      pausesMs: pausesOf(0, 20, 100, 300),
      ending: fc.constantFrom<Ending>({ kind: 'turn' }, { kind: 'drain' }, { kind: 'vanish' }),
    })
    .map(({ script, pausesMs, ending }) => ({
      endpoint,
      key: script.key,
      messages: patched(script.messages, []),
      pausesMs,
      ending,
    }));

const pausesOf = (...ms: number[]): fc.Arbitrary<number[]> =>
  fc.array(fc.constantFrom(...ms), { maxLength: 20, size: 'max' });

const partOf = (
  name: string,
  ws: string,
  casesOf: (endpoint: Endpoint) => fc.Arbitrary<SocketCase>,
): FuzzPart<SocketCase> => ({
  name,
  cases: fc.oneof(...ENDPOINTS.map(casesOf)),
  sizeOf: ({ messages }) => messages.length,
  check: (one) => converse(ws, one),
  describe: ({ endpoint, key, messages, ending }) =>
    [
      `${endpoint.id} with the key ${key === SECRET_KEY ? 'of the canary' : key}, ends by ${ending.kind}`,
      ...messages.map((message) => `  → ${shownMessage(message)}`),
    ].join('\n'),
});

/** Mutated conversations with the WebSocket endpoints of a server. @param ws its address, `ws://127.0.0.1:4173` */
export const socketPart = (ws: string): FuzzPart<SocketCase> => partOf('sockets', ws, mutatedCases);

/** The same through a relay to another server. @param ws the relay's address */
export const relayPart = (ws: string): FuzzPart<SocketCase> => partOf('relay', `${ws}/relay`, mutatedCases);

/** Valid messages in any order, at the pace of ordinary clients, some of which vanish. */
export const orderlyPart = (ws: string): FuzzPart<SocketCase> => partOf('sessions', ws, orderlyCases);

async function converse(
  ws: string,
  { endpoint, key, messages, pausesMs, ending }: SocketCase,
): Promise<void> {
  const socket = await FuzzSocket.open(endpoint, `${ws}${endpoint.localPrefix}`, key);
  if (!socket) return;
  try {
    for (const [at, message] of messages.entries()) {
      socket.send(message);
      await socket.pause(pausesMs[at] ?? 0);
    }
    await end(socket, endpoint, ending);
    judge(endpoint, socket, { isWhole: ending.kind === 'drain' || ending.kind === 'turn' });
  } finally {
    socket.vanish();
  }
}

async function end(socket: FuzzSocket, endpoint: Endpoint, ending: Ending): Promise<void> {
  switch (ending.kind) {
    case 'vanish':
      socket.vanish();
      return;
    case 'close':
      socket.close(ending.code);
      await socket.closedWithin(ANSWER_WITHIN_MS);
      return;
    case 'junk':
      socket.sendRaw(ending.bytes);
      await socket.closedWithin(JUNK_ANSWER_MS).catch(() => {});
      return;
    case 'turn':
      await speak(socket, endpoint);
      return;
    case 'drain':
      await drain(socket, endpoint);
  }
}

/** Leaves, or sends a message that is refused by its name where the endpoint has no such request: all earlier ones are handled then. */
async function drain(socket: FuzzSocket, endpoint: Endpoint): Promise<void> {
  const goodbye = dialectOf(endpoint, socket).encode({ kind: 'disconnect' });
  if (goodbye.length > 0) {
    sendAll(socket, goodbye);
    return socket.closedWithin(ANSWER_WITHIN_MS);
  }
  const mark = `fuzz-${socket.sent}`;
  sendAll(socket, [JSON.stringify({ type: mark, speed: mark, context_id: mark })]);
  await socket.answered(
    (frame) => typeof frame === 'string' && frame.includes(mark),
    `an answer to the last message, ${mark}`,
    ANSWER_WITHIN_MS,
  );
}

/** A turn after everything else. A connection that refuses it, or is closing, says so. */
async function speak(socket: FuzzSocket, endpoint: Endpoint): Promise<void> {
  const from = socket.received.length;
  const dialect = dialectOf(endpoint, socket);
  const context = endpoint.contexts ? 'last' : ONLY_CONTEXT;
  const opens = endpoint.contexts ? { opens: exampleVoice(endpoint) } : {};
  const isClosing = openTexts(endpoint, socket.sentTexts).length < socket.sent;
  // The script may have lost its first message.
  for (const intent of [
    { kind: 'open', settings: addressSettings(endpoint) },
    { kind: 'cancel', context: null },
    { kind: 'say', context, text: 'Fine. ', ...opens },
    { kind: 'endTurn', context },
  ] as const)
    sendAll(socket, dialect.encode(intent));
  if (isClosing) return drain(socket, endpoint);
  let isSpoken = false;
  let isOver = false;
  const take = (event: SpeechEvent): void => {
    if (!('context' in event) || event.context !== context) {
      isOver ||= event.type === 'error' && !endpoint.contexts;
      return;
    }
    isSpoken ||= event.type === 'audio';
    isOver ||= event.type === 'error' || (isSpoken && TURN_ENDS.has(event.type));
  };
  await socket.answered(
    (frame) => {
      for (const event of dialect.decode(frame)) take(event);
      return isOver;
    },
    'a turn after all messages, or its refusal',
    ANSWER_WITHIN_MS,
    from,
  );
  await drain(socket, endpoint);
}

const TURN_ENDS: ReadonlySet<SpeechEvent['type']> = new Set(['audioEnded', 'turnEnded', 'contextClosed']);

const dialectOf = (endpoint: Endpoint, { key }: FuzzSocket): Dialect =>
  protocolOf(endpoint).open({ settings: addressSettings(endpoint), key });

function sendAll(socket: FuzzSocket, frames: readonly Frame[]): void {
  for (const payload of frames) socket.send({ payload, isText: typeof payload === 'string' });
}
