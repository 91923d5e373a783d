import fc from 'fast-check';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { elevenLabsStream } from '#protocol/elevenlabs/stream.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import type { FuzzPart } from '../fuzz-part.ts';
import {
  patched,
  patches,
  reordered,
  reorders,
  shownMessage,
  type WireMessage,
} from '../mutation/mutations.ts';
import { fieldNames, isInvalid, SECRET_KEY, scriptsOf } from './client-scripts.ts';
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
      if (endpoint.vendor === elevenLabsStream.vendor) await speakElevenLabs(socket, endpoint);
      else if (endpoint.id === 'murmr') await speakRealtime(socket, endpoint);
      else await speakKugel(socket, endpoint);
      return;
    case 'drain':
      if (endpoint.vendor === elevenLabsStream.vendor) await speakElevenLabs(socket, endpoint);
      else await drain(socket, endpoint);
  }
}

/** A message that every open connection answers, and that names itself, so that all earlier ones are handled. */
async function drain(socket: FuzzSocket, endpoint: Endpoint): Promise<void> {
  if (socket.isClosed) return socket.closedWithin(ANSWER_WITHIN_MS);
  const mark = `fuzz-${socket.sent}`;
  socket.send({
    payload: JSON.stringify(endpoint.id === 'murmr' ? { type: mark } : { speed: mark }),
    isText: true,
  });
  await socket.answered(
    (text) => text.includes(mark),
    `an answer to the last message, ${mark}`,
    ANSWER_WITHIN_MS,
  );
}

/** A turn after everything else. A connection that has refused it, or is closing, says so. */
async function speakKugel(socket: FuzzSocket, endpoint: Endpoint): Promise<void> {
  await drain(socket, endpoint);
  if (socket.isClosed || socket.isClosing) return;
  const from = socket.received.length;
  const isMulti = endpoint.contexts !== null;
  const inContext = isMulti ? { context_id: 'last' } : {};
  const voice = isMulti ? { voice_settings: { voice_id: 1071 } } : { voice_id: 1071 };
  socket.send({ payload: JSON.stringify({ cancel: true }), isText: true });
  socket.send({
    payload: JSON.stringify({ ...inContext, ...voice, text: 'Fine.', flush: true }),
    isText: true,
  });
  const end = isMulti ? /"final":true.*"context_id":"last"|"context_id":"last".*"final":true/ : /"usage":/;
  let spoken = false;
  await socket.answered(
    (text) => {
      spoken ||= text.includes('"audio"');
      return (
        (spoken && end.test(text)) || (text.includes('"error"') && (!isMulti || text.includes('"last"')))
      );
    },
    'a turn after all messages, or its refusal',
    ANSWER_WITHIN_MS,
    from,
  );
}

/** No message but the last one has an answer: the server speaks the rest and closes, or closes with a refusal. */
async function speakElevenLabs(socket: FuzzSocket, { contexts }: Endpoint): Promise<void> {
  const last = contexts
    ? [{ text: 'Fine. ', context_id: 'last', flush: true }, { close_socket: true }]
    : [{ text: 'Fine. ' }, { text: '' }];
  for (const message of last) socket.send({ payload: JSON.stringify(message), isText: true });
  await socket.closedWithin(ANSWER_WITHIN_MS);
}

async function speakRealtime(socket: FuzzSocket, endpoint: Endpoint): Promise<void> {
  if (socket.isClosed) return;
  const from = socket.received.length;
  socket.send({ payload: '{"type":"text","text":"Fine."}', isText: true });
  socket.send({ payload: '{"type":"flush"}', isText: true });
  await socket.answered(
    (text) => /^\{"type":"(?:done|error)"/.test(text),
    'a generation after all messages, or its refusal',
    ANSWER_WITHIN_MS,
    from,
  );
  // Any invalid message ends the connection.
  if (socket.sentTexts.some((text) => isInvalid(endpoint, text))) await socket.closedWithin(ANSWER_WITHIN_MS);
}
