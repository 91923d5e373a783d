import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { messageOf } from '#lib/message-of.ts';
import { openKugelSocket, openSpeaker, speakTurn } from '../../bench/kugel-socket.ts';
import { within } from '../../support/within.ts';
import { Broken } from '../fuzz-part.ts';
import {
  ANSWERS_WITHIN_MS,
  type Attack,
  all,
  ended,
  expectAnswer,
  hold,
  holdMany,
  MIB,
  post,
  REFUSAL,
  repeat,
  request,
  type Target,
} from './attack-tools.ts';
import { COSTLY, holdMp3Places } from './costly.ts';
import { GENERATED } from './generated.ts';
import { FLOOD } from './hostile-hosts.ts';

/** Closes of a server without a place, and of an idle socket that gives its own to another. */
const TURNED_AWAY = 1013;
const GAVE_PLACE: ReadonlySet<number> = new Set([TURNED_AWAY, 1008]);
const AGAIN_AFTER_MS = 1000;

const SPEECH = '/murmr/v1/audio/speech';
const SAVE = '/murmr/v1/voices';
const GENERATE = '/kugel/v1/tts/generate';
const VOICES = '/kugel/v1/voices';

const HANDSHAKE = request(
  'GET /kugel/ws/tts/stream?api_key=local',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
);

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

async function nestBody(target: Target, at: number): Promise<void> {
  const [path, body, type] = NESTED[at % NESTED.length] ?? [SPEECH, '['];
  await expectAnswer(target, `${post(path, body.length, type)}${body}`, '');
}

const nestBodies = repeat(NESTED.length, nestBody);

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
  const leave = () => socket.terminate();
  over.addEventListener('abort', leave);
  const code = await new Promise((resolve) => socket.once('close', resolve));
  over.removeEventListener('abort', leave);
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

const holdStalledBody = (target: Target) => hold(target, post(SAVE, STALLED.length + 1), STALLED);

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
  'stalled bodies': holdMany(120, holdStalledBody),
  'silent vendor': holdMany(1500, (target) => hold(target, request('GET /relay/kugel/silence')), true),
  smuggling: smuggle,
  'handshake flood': floodHandshakes,
  'half-open handshakes': holdMany(400, (target) => hold(target, HANDSHAKE.slice(0, -4))),
  'slow bodies': holdMany(200, holdSlowBody),
  'idle sockets': stayIdle(true),
  ...COSTLY,
  'MP3 places': holdMp3Places(true),
};

/** All together fill the places again and again, so that none is due. */
const together: Attack = (target, over) =>
  all(
    Object.values({ ...EACH, 'idle sockets': stayIdle(false), 'MP3 places': holdMp3Places(false) }).map(
      (attack) => attack({ ...target, isCrowded: true }, over),
    ),
  );

let nested = 0;
/** What holds most, and needs little time of the attacker. */
const OF_ADDRESS = [
  repeat(1, (target) => nestBody(target, nested++)),
  holdMany(1, holdStalledBody),
  COSTLY['long texts'],
  COSTLY['long ids'],
];

/** A hundred peers, each at an address of its own, so that no share of an address bounds them. */
const fromHundredAddresses: Attack = (target, over) =>
  all(
    Array.from({ length: 100 }, async (_, at) => {
      const attack = OF_ADDRESS[at % OF_ADDRESS.length];
      await attack?.({ ...target, isCrowded: true, from: `127.0.1.${at + 1}` }, over);
    }),
  );

const ALL_TOGETHER = 'all together';
const HUNDRED = 'a hundred addresses';

/**
 * The bound of the first audio is another one beside these attackers, which take the processors that the server needs.
 * Turns of the loop have none: a turn reads all sockets that are ready, and these are hundreds.
 */
export const CROWDS: readonly string[] = [ALL_TOGETHER, HUNDRED];

/** By name. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  ...EACH,
  ...GENERATED,
  [ALL_TOGETHER]: together,
  [HUNDRED]: fromHundredAddresses,
};
