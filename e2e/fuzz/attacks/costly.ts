import { readFileSync } from 'node:fs';
import { WebSocket } from 'ws';
import { bookPageOf } from '#protocol/book.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { ONLY_CONTEXT } from '#protocol/core/speech-event.ts';
import { ENDPOINTS, VENDORS } from '#protocol/registry.ts';
import { exampleVoice } from '#protocol/testing/example-voice.ts';
import { FORMAT_VERSION } from '#trace/files/recording-schema.ts';
import { SERVED_PATH } from '#trace/served-messages.ts';
import { openSocket } from '../../bench/kugel-socket.ts';
import { protocolOf } from '../../support/protocols.ts';
import { within } from '../../support/within.ts';
import { Broken } from '../fuzz-part.ts';
import { addressSettings } from '../server/client-scripts.ts';
import { answerTo } from '../server/http-part.ts';
import {
  ANSWERS_WITHIN_MS,
  type Attack,
  addressOf,
  all,
  converse,
  ended,
  expectAnswer,
  MIB,
  post,
  repeat,
  request,
  type Target,
} from './attack-tools.ts';
import { SHAPES, sized } from './shapes.ts';

/** Messages, calls and recordings that cost one server its memory or its time. */

/** Another address of this machine, so that a share by address is another one. */
const ELSEWHERE = { localAddress: '127.0.0.2' };

/** The frames with which a client of an endpoint has a text spoken. */
function saying(endpoint: Endpoint, text: string) {
  const settings = addressSettings(endpoint);
  const dialect = protocolOf(endpoint).open({ settings, key: 'local' });
  const context = endpoint.contexts ? 'nasty' : ONLY_CONTEXT;
  const opens = endpoint.contexts ? { opens: exampleVoice(endpoint) } : {};
  dialect.encode({ kind: 'open', settings });
  return [
    ...dialect.encode({ kind: 'say', context, text, ...opens }),
    ...dialect.encode({ kind: 'flush', context }),
  ];
}

const TEXT_SHAPES = Object.values(SHAPES);

/** A text of a megabyte in one message, in every shape and at every endpoint. */
const longTexts: Attack = (target, over) =>
  all(
    ENDPOINTS.map(async (endpoint, lane) => {
      for (let at = lane; !over.aborted; at += 1) {
        const shape = TEXT_SHAPES[(at * 7) % TEXT_SHAPES.length];
        if (shape) await converse(target, endpoint, saying(endpoint, sized(shape, 0.95 * MIB, at)));
      }
    }),
  );

/** The call for speech of each vendor, from the lines to try of its page: one for MP3 where there is one. */
const SPEECH_CALLS = VENDORS.flatMap((vendor) => {
  const page = new URL(`../../../docs/protocols/${bookPageOf(`${vendor}-http-1`)}.md`, import.meta.url);
  const lines = readFileSync(page, 'utf8').match(/^curl .* -d '\{.*' -o \S+$/gm) ?? [];
  const line = lines.find((each) => each.endsWith('.mp3')) ?? lines[0];
  if (line === undefined) return [];
  const [, path, body] = /127\.0\.0\.1:4173([^' ]+).* -d '(\{.*\})' -o/.exec(line) ?? [];
  if (path === undefined || body === undefined) throw new Error(`No path and body in: ${line}`);
  const fields: Record<string, unknown> = JSON.parse(body);
  // The only words of such a call are its text.
  const text = Object.keys(fields).find((key) => String(fields[key]).includes(' ')) ?? '';
  const headers = [...line.matchAll(/-H '([^']+)'/g)].flatMap(([, header = '']) =>
    header.startsWith('Content-Type') ? [] : [header],
  );
  return [{ path, headers, bodyOf: (words: string) => JSON.stringify({ ...fields, [text]: words }) }];
});

function speechCall(at: number, text: string): string {
  const call = SPEECH_CALLS[at % SPEECH_CALLS.length];
  if (!call) throw new Error('No page has a call for speech.');
  const body = call.bodyOf(text);
  const type = ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
  return `${request(`POST ${call.path}`, ...call.headers, 'Connection: close', ...type)}${body}`;
}

async function expectAnyAnswer(target: Target, bytes: string): Promise<void> {
  const answer = await answerTo(bytes, addressOf(target), ANSWERS_WITHIN_MS);
  const [line] = bytes.split('\r\n', 1);
  if (answer === '' && target.isCrowded) return;
  if (!/^HTTP\/1\.1 [2-4]|^HTTP\/1\.1 50[13]/.test(answer ?? ''))
    throw new Broken(`${line}: expected an answer, got ${answer?.slice(0, 200) || 'nothing'}`);
}

/** Texts of calls: a megabyte, and the most that many vendors take. */
const longCalls = repeat(SPEECH_CALLS.length, async (target, lane, over) => {
  for (const [at, shape] of TEXT_SHAPES.entries()) {
    if (over.aborted) return;
    for (const bytes of [0.95 * MIB, 110_000])
      await expectAnyAnswer(target, speechCall(lane, sized(shape, bytes, at + lane)));
  }
});

const PROSE = 'The boats went out before the light, and came home with the tide. ';

const mp3Calls = repeat(8, (target, lane) => expectAnyAnswer(target, speechCall(lane, PROSE.repeat(29))));

/** A recording of the own format. */
function recordingOf(endpoint: string, entries: readonly object[]): string {
  const info = { id: 'hostile', name: 'hostile', endpoint, address: '', startedAtMs: Date.now() };
  const counts = { durationUs: 0, entries: entries.length, bytes: 0, pinned: false };
  const head = { format: 'voicewire-recording', version: FORMAT_VERSION, info: { ...info, ...counts } };
  const common = { atUs: 0, connection: 1, opcode: 'text', bytes: 1 };
  const lines = [
    head,
    ...entries.map((entry) => ({ ...common, ...entry })),
    { end: { entries: entries.length } },
  ];
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
}

const callOf = (turn: number, type: string, body: string): object[] => [
  {
    direction: 'out',
    kind: 'request',
    turn,
    text: JSON.stringify({ method: 'POST', path: '/v1/x', headers: { 'content-type': type } }),
  },
  { direction: 'out', kind: 'body', turn, text: body },
  {
    direction: 'in',
    kind: 'response',
    turn,
    text: JSON.stringify({ status: 200, reason: 'OK', headers: {} }),
  },
  { direction: 'in', kind: 'body', turn, text: 'hi' },
];

const SAME_ORIGIN = 'Sec-Fetch-Site: same-origin';

/** Has a recording served. Returns its path; null where it is refused. */
async function serve(target: Target, file: string): Promise<string | null> {
  const length = `Content-Length: ${Buffer.byteLength(file)}`;
  const answer = await answerTo(
    `${request(`POST ${SERVED_PATH}`, SAME_ORIGIN, 'Connection: close', length)}${file}`,
    addressOf(target),
    ANSWERS_WITHIN_MS,
  );
  if (answer?.startsWith('HTTP/1.1 201 ')) return `${SERVED_PATH}/${/"id":"([^"]+)"/.exec(answer)?.[1]}`;
  if (!(answer === '' && target.isCrowded) && !/^HTTP\/1\.1 4|^HTTP\/1\.1 503/.test(answer ?? ''))
    throw new Broken(
      `POST ${SERVED_PATH}: expected a recording or a refusal, got ${answer?.slice(0, 200) || 'nothing'}`,
    );
  return null;
}

/** A recording that is alone has a place. */
async function notServed(target: Target, over: AbortSignal, what: string): Promise<void> {
  if (!target.isCrowded) throw new Broken(`expected ${what} to be served`);
  await ended(over);
}

const MULTIPART = 'multipart/form-data; boundary=qq';
const FORMS = [
  '; name="kk"\r\n',
  '; name="\r\nq\r\n',
  '--qq\r\n; name="a"\r\n\r\n',
  'name="a"; name="b";\r\n',
];

const forms = repeat(FORMS.length, async (target, lane, over) => {
  const body = (FORMS[lane] ?? '').repeat(45_000);
  const served = await serve(target, recordingOf('kugel-rest', callOf(lane, MULTIPART, body)));
  if (served === null) return notServed(target, over, 'a recording of a form');
  await expectAnyAnswer(target, `${post(`${served}/kugel/v1/x`, body.length, MULTIPART)}${body}`);
});

const CONTEXTS = 80_000;

const servedContexts: Attack = async (target, over) => {
  const entries = Array.from({ length: CONTEXTS }, (_, at) => ({
    direction: at % 2 === 0 ? 'out' : 'in',
    kind: at % 2 === 0 ? 'text' : 'session_closed',
    context: `c${at >> 1}`,
    text: JSON.stringify(
      at % 2 === 0
        ? { text: 'Hi. ', context_id: `c${at >> 1}` }
        : { context_closed: true, context_id: `c${at >> 1}` },
    ),
  }));
  const served = await serve(target, recordingOf('kugel-multi', entries));
  if (served === null) return notServed(target, over, `a recording of ${CONTEXTS / 2} contexts`);
  const address = `${target.ws}${served}/kugel/ws/tts/multi?api_key=local`;
  await repeat(6, async () => {
    const socket = await openSocket(address);
    for (let at = 0; at < 200 && socket.readyState === WebSocket.OPEN && !over.aborted; at += 1)
      await new Promise((resolve) =>
        socket.send(JSON.stringify({ text: 'Hi. ', context_id: `d${at}` }), resolve),
      );
    socket.terminate();
  })(target, over);
};

/** Bodies of 15 MB to a recording that has one call. */
const COMPARED = ['sec-websocket-protocol: b, b, ', 'b.', '"token":"', '{"a":', 'k=v&', '%7B'];

const servedBodies: Attack = async (target, over) => {
  const served = await serve(
    target,
    recordingOf('kugel-rest', callOf(1, 'application/json', '{"text":"hi"}')),
  );
  if (served === null) return notServed(target, over, 'a recording of one call');
  await repeat(3, async (_, lane) => {
    for (const [at, unit] of COMPARED.entries()) {
      if (over.aborted || at % 3 !== lane) continue;
      const body = unit.repeat(Math.floor((15 * MIB) / unit.length));
      await expectAnyAnswer(target, `${post(`${served}/kugel/v1/x`, body.length)}${body}`);
      await expectAnyAnswer(target, `${post(`${SERVED_PATH}/nobody/kugel/v1/x`, body.length)}${body}`);
    }
  })(target, over);
};

const servedPosts = repeat(2, async (target, lane) => {
  const calls = Array.from({ length: 40_000 + lane }, (_, at) => callOf(at, 'application/json', '{}'));
  await serve(target, recordingOf('cartesia-rest', calls.flat()));
});

const servedDownloads: Attack = async (target, over) => {
  const audio = 'A'.repeat(64 * 1024);
  const entries = Array.from({ length: 330 }, (_, at) => ({
    direction: 'in',
    kind: 'audio',
    turn: 1,
    atUs: at,
    text: `{"audio":"${audio}"}`,
  }));
  const served = await serve(target, recordingOf('kugel-stream', entries));
  if (served === null) return notServed(target, over, 'a recording of 21 MB');
  await repeat(8, async () => {
    const signal = AbortSignal.timeout(ANSWERS_WITHIN_MS);
    await fetched(
      target,
      fetch(`${target.http}${served}`, { signal }).then((answer) => answer.arrayBuffer()),
    );
  })(target, over);
};

/** The answer; null where others have taken its place. */
async function fetched<Answer>({ isCrowded }: Target, answer: Promise<Answer>): Promise<Answer | null> {
  try {
    return await answer;
  } catch (error) {
    if (isCrowded) return null;
    throw error;
  }
}

/** Refused messages, whose ids may be kept by nobody. */
const longIds: Attack = (target, over) =>
  all(
    ENDPOINTS.filter(({ contexts }) => contexts).map(async (endpoint, lane) => {
      const address = addressSettings(endpoint);
      const dialect = protocolOf(endpoint).open({ settings: address, key: 'local' });
      while (!over.aborted)
        await converse(
          target,
          endpoint,
          Array.from({ length: 12 }, (_, at) =>
            JSON.stringify({
              context_id: `${lane}-${at}`.repeat(200_000),
              contextId: 'x'.repeat(9 * at),
              transcript: 7,
              text: 7,
            }),
          ),
        );
      dialect.encode({ kind: 'disconnect' });
    }),
  );

/** Sockets of another address hold encoders. @param isPlaceDue everybody else is served meanwhile */
export const holdMp3Places =
  (isPlaceDue: boolean): Attack =>
  async (target, over) => {
    const address = `${target.ws}/elevenlabs/v1/text-to-speech/EXAVITQu4vr4xnSDxMaL/multi-stream-input?output_format=mp3_44100_128&xi-api-key=local`;
    const held = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const socket = new WebSocket(address, ELSEWHERE);
        socket.on('error', () => {});
        await Promise.race(['open', 'close'].map((event) => new Promise((done) => socket.once(event, done))));
        for (let at = 0; at < 5 && socket.readyState === WebSocket.OPEN; at += 1)
          socket.send(JSON.stringify({ text: 'A while longer. ', context_id: `m${at}`, flush: true }));
        return socket;
      }),
    );
    try {
      if (!isPlaceDue) return await ended(over);
      await repeat(1, async () => {
        for (const [at] of SPEECH_CALLS.entries()) {
          const spoken = speechCall(at, 'A place for me. ');
          const answer = await answerTo(spoken, addressOf(target), ANSWERS_WITHIN_MS);
          if (!answer?.startsWith('HTTP/1.1 200 '))
            throw new Broken(`expected MP3 for another address, got ${answer?.slice(0, 200) || 'nothing'}`);
        }
      })(target, over);
    } finally {
      for (const socket of held) socket.terminate();
    }
  };

const TOKENS = 1200;
const tokenCall = (key: string): string => {
  const body = '{"grants":{"tts":true},"expires_in":300}';
  return `${request('POST /cartesia/access-token', `X-API-Key: ${key}`, 'Cartesia-Version: 2026-08-14', 'Content-Type: application/json', `Content-Length: ${body.length}`)}${body}`;
};

/** Tokens of one key leave those of others. */
const tokens: Attack = async (target, over) => {
  const mine = /"token":"([^"]+)"/.exec(
    (await answerTo(tokenCall('local'), addressOf(target), ANSWERS_WITHIN_MS)) ?? '',
  )?.[1];
  if (mine === undefined && target.isCrowded) return ended(over);
  for (let at = 0; at < TOKENS && !over.aborted; at += 1)
    await expectAnyAnswer(target, tokenCall('local-flood'));
  await expectAnswer(
    target,
    request(
      'GET /cartesia/voices',
      `Authorization: Bearer ${mine}`,
      'Cartesia-Version: 2026-08-14',
      'Connection: close',
    ),
    'HTTP/1.1 200',
  );
};

const LISTS = ['a\t', 'a,', ' ,', 'x, '];

const relayedHeaders = repeat(4, async (target, lane) => {
  const list = `q${(LISTS[lane] ?? ' ').repeat(14_000 / (LISTS[lane] ?? ' ').length)}${' '.repeat(500)}b`;
  await expectAnyAnswer(
    target,
    request('GET /relay/kugel/lists', `Connection: close, ${list}`, `X-Other: ${lane}`),
  );
});

/** A page may have the origin of this server only over HTTP. */
const foreignPages = repeat(2, async (target) => {
  const { host } = new URL(target.http);
  for (const scheme of ['ws', 'wss', 'ftp', 'blob:http']) {
    const asked = fetch(`${target.http}${SERVED_PATH}`, {
      method: 'POST',
      headers: { Origin: `${scheme}://${host}` },
      body: '{}',
    });
    const answer = await fetched(target, within(ANSWERS_WITHIN_MS, asked, 'an answer'));
    const isRefusedUnread = target.isCrowded && answer?.status === 503;
    if (answer && answer.status !== 403 && !isRefusedUnread)
      throw new Broken(`Origin ${scheme}://host: expected 403, got ${answer.status}`);
  }
});

/** By name. */
export const COSTLY: Readonly<Record<string, Attack>> = {
  'long texts': longTexts,
  'long texts of calls': longCalls,
  'MP3 calls': mp3Calls,
  tokens,
  'long ids': longIds,
  forms,
  'served contexts': servedContexts,
  'served bodies': servedBodies,
  'served posts': servedPosts,
  'served downloads': servedDownloads,
  'relayed headers': relayedHeaders,
  'foreign pages': foreignPages,
};
