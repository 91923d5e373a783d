import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { messageOf } from '#lib/message-of.ts';
import { openKugelSocket, openSpeaker, speakTurn } from '../../bench/kugel-socket.ts';
import { within } from '../../support/within.ts';
import { Broken } from '../fuzz-part.ts';
import { answerTo } from '../server/http-part.ts';
import { FLOOD, type HostileHosts } from './hostile-hosts.ts';

/** The server under attack, and the vendor behind its relay. */
export interface Target extends Pick<HostileHosts, 'vendor'> {
  http: string;
  ws: string;
}

/** Attacks until the time is over, and a little longer. Throws a Broken where a promise to the attacker is broken. */
type Attack = (target: Target, over: AbortSignal) => Promise<void>;

const MIB = 2 ** 20;
/** Only what hangs takes as long, also on a machine that is busy with others. */
const ANSWERS_WITHIN_MS = 90_000;
const REFUSAL = /^HTTP\/1\.1 (?:400|408|413|429|503) /;
/** Closes of a server without a place, and of an idle socket that gives its own to another. */
const TURNED_AWAY = 1013;
const GAVE_PLACE: ReadonlySet<number> = new Set([TURNED_AWAY, 1008]);
const AGAIN_AFTER_MS = 1000;

const SPEECH = '/murmr/v1/audio/speech';
const SAVE = '/murmr/v1/voices';
const GENERATE = '/kugel/v1/tts/generate';
const VOICES = '/kugel/v1/voices';
/** The head of a request without a body, unless a header announces one. */
const request = (line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, 'Host: 127.0.0.1', ...headers, '', ''].join('\r\n');

const post = (path: string, bytes: number, type = 'application/json'): string => {
  const key = ['X-API-Key: local', 'Authorization: Bearer local'];
  return request(`POST ${path}`, ...key, `Content-Type: ${type}`, `Content-Length: ${bytes}`);
};

const HANDSHAKE = request(
  'GET /kugel/ws/tts/stream?api_key=local',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
);

const addressOf = ({ http }: Target) => ({ host: new URL(http).hostname, port: Number(new URL(http).port) });

/** Sends a request and expects this answer, or a refusal. */
async function expectAnswer(target: Target, bytes: string, expected: string): Promise<void> {
  const answer = (await answerTo(bytes, addressOf(target), ANSWERS_WITHIN_MS)) ?? '';
  if (REFUSAL.test(answer) || (expected !== '' && answer.includes(expected))) return;
  const [line] = bytes.split('\r\n', 1);
  throw new Broken(`${line}: expected ${expected || 'a refusal'}, got ${answer.slice(0, 200) || 'nothing'}`);
}

/** Resolves once all have ended. Rejects with all that has failed. */
async function all(tasks: readonly Promise<void>[]): Promise<void> {
  const ends = await Promise.allSettled(tasks);
  const problems = ends.flatMap((end) => (end.status === 'rejected' ? [messageOf(end.reason)] : []));
  if (problems.length > 0) throw new Broken([...new Set(problems)].join('; '));
}

/** Repeats a task in lanes until the time is over. A lane also ends when its task fails. */
const repeat =
  (lanes: number, task: (target: Target, lane: number, over: AbortSignal) => Promise<void>): Attack =>
  (target, over) =>
    all(
      Array.from({ length: lanes }, async (_, lane) => {
        while (!over.aborted) await task(target, lane, over);
      }),
    );

/** A connection that sends these bytes and stays. */
function hold(target: Target, ...parts: (string | Uint8Array)[]) {
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
const holdMany =
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

const ended = async (over: AbortSignal): Promise<void> => {
  if (!over.aborted) await once(over, 'abort');
};

/** Bodies that cost much to read. */
const NESTED: readonly [path: string, body: string, type?: string][] = [
  [SAVE, `{"audio":${'['.repeat(15.8 * MIB)}`],
  [SAVE, `{"audio":[${'{},'.repeat(5 * MIB)}{}]}`],
  [GENERATE, '['.repeat(15.8 * MIB)],
  [GENERATE, `{"text":${'['.repeat(127 * 1024)}${']'.repeat(127 * 1024)}}`],
  [
    VOICES,
    `${'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(290_000)}--x--\r\n`,
    'multipart/form-data; boundary=x',
  ],
];

const nestBodies = repeat(NESTED.length, async (target, lane) => {
  const [path, body, type] = NESTED[lane] ?? [SPEECH, '['];
  await expectAnswer(target, `${post(path, body.length, type)}${body}`, '');
});

const FIELDS = Object.fromEntries(Array.from({ length: 80_000 }, (_, at) => [`f${at}`, 0]));

const sendOddFrames = repeat(5, async (target, _, over) => {
  const socket = await openKugelSocket(target, 'stream');
  while (!over.aborted && socket.readyState === WebSocket.OPEN) {
    socket.send(JSON.stringify({ update_settings: FIELDS }));
    const answer = new Promise((resolve) => socket.once('message', resolve).once('close', resolve));
    const said = await within(ANSWERS_WITHIN_MS, answer, 'an answer to a message of 80,000 fields');
    if (said !== TURNED_AWAY && !String(said).includes('"error"'))
      throw new Broken(`expected an error, got ${String(said).slice(0, 200)}`);
  }
  socket.terminate();
});

const floodRelay = repeat(4, async ({ ws }, _, over) => {
  const socket = new WebSocket(`${ws}/relay/kugel/ws/tts/stream?api_key=local`);
  let count = 0;
  let isInOrder = true;
  socket.on('message', (data) => {
    isInOrder &&= String(data) === `${count % 10}`;
    count += 1;
    if (count === FLOOD) socket.terminate();
  });
  // `close` always follows.
  socket.on('error', () => {});
  over.addEventListener('abort', () => socket.terminate(), { once: true });
  const code = await new Promise((resolve) => socket.once('close', resolve));
  const isWhole = isInOrder && (over.aborted || count === FLOOD);
  if (code !== TURNED_AWAY && !isWhole)
    throw new Broken(`expected all ${FLOOD} messages in order, got ${count} and the close ${code}`);
});

/** Speaks in these voices until the turn ends or fails. */
const speakIn = (...voices: string[]): Attack =>
  repeat(2 * voices.length, async (target, lane) => {
    const voice_id = voices[lane % voices.length];
    const socket = await openKugelSocket(target, 'stream');
    socket.send(JSON.stringify({ voice_id, language: 'en' }));
    const turn = speakTurn(socket, 'Hello there.').catch(() => {});
    await within(ANSWERS_WITHIN_MS, turn, `the end of a turn of ${voice_id}`).finally(() =>
      socket.terminate(),
    );
  });

let smuggled = 0;

const smuggle = repeat(2, async (target) => {
  smuggled += 1;
  const end = `${smuggled};`;
  const method = ['GET', 'HEAD', 'DELETE', 'TRACE', 'POST'][smuggled % 5];
  const body = request(`GET /stolen/${end}`);
  const dropped = 'Connection: content-length, transfer-encoding, host, close';
  const call = request(`${method} /relay/kugel/mine/${end}`, dropped, `Content-Length: ${body.length}`);
  await expectAnswer(target, `${call}${body}`, 'HTTP/1.1 200');
  // Another client, on the connection that the relay keeps to the vendor.
  const next = request(`GET /relay/kugel/next/${end}`, 'Connection: close');
  await expectAnswer(target, next, `GET /prefix/next/${end}`);
  const seen = target.vendor.requests.flatMap(({ method: by, url }) =>
    url?.endsWith(`/${end}`) ? [`${by} ${url}`] : [],
  );
  const sent = new Set([`${method} /prefix/mine/${end}`, `GET /prefix/next/${end}`]);
  if (seen.length > sent.size || seen.some((one) => !sent.has(one)))
    throw new Broken(`expected the vendor to see ${[...sent].join(', ')}, got ${seen.join(', ')}`);
});

const floodHandshakes = repeat(40, async (target) => {
  const held = hold(target, HANDSHAKE);
  await within(ANSWERS_WITHIN_MS, held.answered, 'an answer to a handshake');
  held.socket.destroy();
  if (!/^(?:HTTP\/1\.1 101 |$)/.test(held.answer) && !REFUSAL.test(held.answer))
    throw new Broken(`expected a socket or a refusal, got ${held.answer.slice(0, 200)}`);
});

const STALLED = Buffer.alloc(16 * MIB - 1, ' ');

const holdSlowBody = (target: Target) => {
  const held = hold(target, post(SPEECH, MIB));
  const timer = setInterval(() => held.socket.write(' '), 250);
  held.socket.once('close', () => clearInterval(timer));
  return held;
};

/** Sockets that one address may have by default. Half of them have sent a message. */
const IDLE_SOCKETS = 400;
/** Twice the time after which an idle socket gives its place to a new client. */
const PLACE_WITHIN_MS = 60_000;

/** @param isPlaceDue a new client, which comes again until it is served, has a place in time */
const stayIdle =
  (isPlaceDue: boolean): Attack =>
  async (target, over) => {
    const idle: WebSocket[] = [];
    const closes = new Set<number>();
    for (let at = 0; at < IDLE_SOCKETS; at += 1) {
      const socket = await openKugelSocket(target, 'stream');
      socket.once('close', (code) => closes.add(code));
      if (at % 2 === 0) socket.send('{"update_settings":{}}');
      idle.push(socket);
    }
    const untilMs = performance.now() + (isPlaceDue ? PLACE_WITHIN_MS : 0);
    let problem: string | null = null;
    do {
      const turn = speakTurn(await openSpeaker(target, 1071), 'Hello there.');
      problem = await turn.then(() => null, messageOf);
      await pause(AGAIN_AFTER_MS);
    } while (problem !== null && performance.now() < untilMs);
    await ended(over);
    for (const socket of idle) socket.terminate();
    if (isPlaceDue && problem !== null)
      throw new Broken(`expected a place for a new client, got: ${problem}`);
    const other = [...closes].filter((code) => !GAVE_PLACE.has(code));
    if (other.length > 0) throw new Broken(`expected idle sockets to give places, got the close ${other}`);
  };

const EACH: Readonly<Record<string, Attack>> = {
  'nested bodies': nestBodies,
  'odd frames': sendOddFrames,
  'flood of a vendor': floodRelay,
  captions: speakIn('long-words', 'many-words', 'many-lines'),
  'byte after byte': speakIn('drip'),
  'endless line feeds': speakIn('feeds'),
  'stalled bodies': holdMany(120, (target) => hold(target, post(SAVE, STALLED.length + 1), STALLED)),
  'silent vendor': holdMany(1500, (target) => hold(target, request('GET /relay/kugel/silence')), true),
  smuggling: smuggle,
  'handshake flood': floodHandshakes,
  'half-open handshakes': holdMany(400, (target) => hold(target, HANDSHAKE.slice(0, -4))),
  'slow bodies': holdMany(200, holdSlowBody),
  'idle sockets': stayIdle(true),
};

/** All together fill the places again and again, so that none is due. */
const together: Attack = (target, over) =>
  all(Object.values({ ...EACH, 'idle sockets': stayIdle(false) }).map((attack) => attack(target, over)));

/** No bound of the first audio holds beside these attackers, which take the processors that the server needs. */
export const ALL_TOGETHER = 'all together';

/** By name. */
export const ATTACKS: Readonly<Record<string, Attack>> = { ...EACH, [ALL_TOGETHER]: together };
