import { once } from 'node:events';
import { get } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { kugelStream } from '#protocol/kugel/endpoints.ts';
import { LOST_KIND, type NewEntry } from '#trace/entry.ts';
import { Cassette, hasAnswers, Shelf } from './cassette.ts';
import { readServable } from './read-cassette.ts';
import {
  type Act,
  act,
  indexed,
  type Line,
  type Recorded,
  recorded,
  recordingOf,
  served,
} from './served.test-helper.ts';

const STREAM = '/kugel/ws/tts/stream?api_key=local';
const speak = (text: string, voice = 1071): Act[] => [
  { send: { text, voice_id: voice, flush: true } },
  { until: 'session_closed' },
  'close',
];
const textIn = ({ received }: { received: readonly object[] }) =>
  received.flatMap((frame) => ('generation_started' in frame && 'text' in frame ? [frame.text] : []));

describe('connections', () => {
  let both: Recorded[];
  beforeAll(async () => {
    both = await recorded(async ({ ws }) => {
      await act(ws + STREAM, speak('Good morning.', 1071));
      await act(ws + STREAM, speak('Good night.', 268));
    });
  });

  it('are taken once each, and a further client hears that none is left', async () => {
    const { result, differences, left } = await served(both, async ({ ws }) => {
      const all = [];
      for (const text of ['Good morning.', 'Good night.']) {
        const voice = text === 'Good night.' ? 268 : 1071;
        all.push(await act(ws + STREAM, speak(text, voice)));
      }
      return [...all, await act(ws + STREAM, [{ send: { text: 'Hello?' } }])];
    });
    expect(result.map(textIn)).toEqual([['Good morning.'], ['Good night.'], []]);
    expect(result[2]?.closed).toEqual({
      code: 1011,
      reason: 'the recording holds no further connection of kugel-stream',
    });
    expect(differences).toEqual(['extra: recorded nothing, got another connection']);
    expect(left).toBe(0);
  });

  it('are chosen by the settings of the first message', async () => {
    const { result, differences } = await served(both, async ({ ws }) => [
      await act(ws + STREAM, speak('Good night.', 268)),
      await act(ws + STREAM, speak('Good morning.', 1071)),
    ]);
    expect(result.map(textIn)).toEqual([['Good night.'], ['Good morning.']]);
    expect(differences).toEqual([]);
  });

  it('that nobody opened are left', async () => {
    const { left } = await served(both, ({ ws }) => act(ws + STREAM, speak('Good morning.')));
    expect(left).toBe(1);
  });

  it('are taken again where the recording repeats', async () => {
    const { result, differences } = await served(
      both.slice(0, 1),
      async ({ ws }) => [
        await act(ws + STREAM, speak('Good morning.')),
        await act(ws + STREAM, speak('Good morning.')),
      ],
      { repeats: true },
    );
    expect(result.map(textIn)).toEqual([['Good morning.'], ['Good morning.']]);
    expect(differences).toEqual([]);
  });

  it('pass the faults in front of them', async () => {
    const { result } = await served(both, ({ ws }) =>
      act(`${ws}/faults/error=INSUFFICIENT_CREDITS@1${STREAM}`, speak('Good morning.')).catch(String),
    );
    expect(result).toBe('Error: closed with 4003 before session_closed');
  });

  it('are compared by their frames where that is wanted', async () => {
    const written = speak('Good morning.').with(0, {
      send: '{"voice_id":1071,"text":"Good morning.","flush":true}',
    });
    const run = (acts: Act[]) =>
      served(both.slice(0, 1), ({ ws }) => act(ws + STREAM, acts), { strict: true });
    expect((await run(speak('Good morning.'))).differences).toEqual([]);
    expect((await run(written)).differences).toEqual([expect.stringMatching(/^changed: recorded message/)]);
  });
});

it('a recording of sockets alone finds no difference in calls', async () => {
  const socket = await recorded(({ ws }) => act(ws + STREAM, speak('Good morning.')));
  const { result, differences } = await served(
    socket,
    async ({ http }) => (await fetch(`${http}/kugel/v1/models`)).status,
  );
  expect(result).toBe(404);
  expect(differences).toEqual([]);
});

describe('calls', () => {
  const post = (http: string, body: object, key = 'local') =>
    fetch(`${http}/kugel/v1/tts/generate`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
      body: JSON.stringify(body),
    });
  const models = (http: string) => fetch(`${http}/kugel/v1/models`, { headers: { 'X-API-Key': 'local' } });
  let calls: Recorded[];
  let spoken: string;
  beforeAll(async () => {
    calls = await recorded(async ({ http }) => {
      spoken = await (await post(http, { text: 'Good morning.', voice_id: 1071 })).text();
      await (await models(http)).text();
    });
  });

  it('are answered by method, path and body', async () => {
    const { result, differences, left } = await served(calls, async ({ http }) => {
      const list = await models(http);
      const speech = await post(http, { voice_id: 1071, text: 'Good morning.' }, 'another-key');
      return { list: list.status, type: speech.headers.get('content-type'), text: await speech.text() };
    });
    expect(result).toEqual({ list: 200, type: 'audio/pcm', text: spoken });
    expect(differences).toEqual([]);
    expect(left).toBe(0);
  });

  it('with another body are a difference', async () => {
    const { result, differences } = await served(calls, async ({ http }) =>
      (await post(http, { text: 'Good night.', voice_id: 1071 })).text(),
    );
    expect(result).toBe(spoken);
    expect(differences).toEqual([
      expect.stringMatching(
        /^changed: recorded POST .*Good morning.* \(entry \d+, at .*got POST .*Good night/,
      ),
    ]);
  });

  it('that were not recorded are refused, and named', async () => {
    const { result, differences } = await served(calls, async ({ http }) => {
      const answer = await fetch(`${http}/kugel/v1/voices`);
      return `${answer.status} ${await answer.text()}`;
    });
    expect(result).toBe('404 The recording holds no further call GET /v1/voices.\n');
    expect(differences).toEqual(['extra: recorded nothing, got GET /v1/voices']);
  });
});

describe('of a recording', () => {
  const [HI, DONE]: Line[] = [
    [0, 'out', { text: 'Hi.', flush: true }],
    [10, 'in', { session_closed: true }],
  ];
  const read = async ({ info, entries }: Recorded) => {
    const { connections, notes } = await readServable(info, indexed(entries), 'file');
    return { connections: connections.length, notes };
  };
  const whole = recordingOf(kugelStream, [HI as Line, DONE as Line]);
  const named = (endpoint: string): Recorded => ({ ...whole, info: { ...whole.info, endpoint } });
  const more = (change: Partial<NewEntry>): Recorded => {
    const [opening] = whole.entries;
    return { ...whole, entries: [...whole.entries, { ...(opening as NewEntry), ...change }] };
  };
  const CASES: [title: string, recording: Recorded, connections: number, notes: string[]][] = [
    ['a whole one is served', whole, 1, []],
    [
      'one without frames of a server is not',
      recordingOf(kugelStream, [HI as Line]),
      0,
      ['file: no frames of a server, left out.'],
    ],
    [
      'one of an unknown endpoint is not',
      named('gramophone'),
      0,
      [
        expect.stringMatching(
          /^file: its endpoint "gramophone" is unknown here, expected one of kugel-stream, /,
        ),
      ],
    ],
    [
      'one with missing entries is not',
      more({ kind: LOST_KIND }),
      0,
      ['file: a part of its entries was not recorded, left out.'],
    ],
    [
      'one without its audio is not',
      more({ direction: 'in', kind: 'audio', bytes: 900, payload: '' }),
      0,
      ['file: its audio was not recorded, left out.'],
    ],
    [
      'only the whole connection is served',
      more({ connection: 2, direction: 'out', kind: 'say' }),
      1,
      ['file, connection 2: no frames of a server, left out.'],
    ],
  ];
  it.each(CASES)('%s', async (_, recording, connections, notes) => {
    expect(await read(recording)).toEqual({ connections, notes });
  });
});

it('knows of a difference whose run is no longer listed', () => {
  const cassette = new Cassette(
    { connections: [], calls: [] },
    { pace: 'fast', strict: false, closes: false, repeats: true },
  );
  const first = cassette.begin('a call', null);
  expect(cassette.hasDifferences).toBe(false);
  first.differs({ kind: 'extra', recorded: null, client: null });
  for (let run = 0; run < 1000; run += 1) cassette.begin('a call', null);
  expect(cassette.runs).not.toContain(first);
  expect(cassette.hasDifferences).toBe(true);
});

it('compares each recorded one once with a client, however many there are', () => {
  const all = Array.from({ length: 200_000 }, (_, startedAtMs) => ({ startedAtMs }));
  let compared = 0;
  const nearest = new Shelf(all, false).nearest(({ startedAtMs }) => {
    compared += 1;
    return startedAtMs % 1000;
  });
  expect(nearest).toHaveLength(200);
  expect(compared).toBe(all.length);
});

it('answers each of several connections that open at once with its own text', async () => {
  const texts = ['One.', 'Two.', 'Three.'];
  const recordings = texts.map((text) =>
    recordingOf(kugelStream, [
      [0, 'out', { text, flush: true }],
      [10, 'in', { generation_started: true, chunk_id: 0, text }],
    ]),
  );
  const acts = (text: string): Act[] => [{ send: { text, flush: true } }, { frames: 1 }, 'close'];
  const { result, differences } = await served(recordings, async ({ ws }) => {
    const received: unknown[] = [];
    for (const text of texts.toReversed()) received.push(...textIn(await act(ws + STREAM, acts(text))));
    return received;
  });
  expect(result).toEqual(texts.toReversed());
  expect(differences).toEqual([]);
});

it.each([
  ['the client closed', { code: 1000, asked: true, left: false }, false],
  ['the server closed', { code: 4001, asked: false, left: false }, true],
])('knows whether a server said anything where %s', async (_, close, expected) => {
  const { info, entries } = recordingOf(kugelStream, [
    [0, 'out', { text: 'Hi.', flush: true }],
    [10, 'closed', close],
  ]);
  expect(hasAnswers(await readServable(info, indexed(entries), 'file'))).toBe(expected);
});

const V3 = '/elevenlabs/v1/text-to-speech/EXAVITQu4vr4xnSDxMaL/stream-input?model_id=eleven_v3';

it.each([
  [
    'a text',
    '/faults/refuse=418',
    STREAM,
    418,
    'text/plain; charset=utf-8',
    /^refused by a fault on purpose\n$/,
  ],
  ['JSON', '', V3, 400, 'application/json', /^\{"detail":\{.*"unsupported_model"/],
])('refuses a handshake as the recorded server did, with %s, once', async (...row) => {
  const [, faults, path, status, type, body] = row;
  const refused = await recorded(({ ws }) => act(ws + faults + path, speak('Good morning.')).catch(() => {}));
  const { result, differences, left } = await served(refused, async ({ http }) => {
    const headers = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' };
    const request = get(http + path, { headers: { ...headers, 'Sec-WebSocket-Key': 'a'.repeat(22) } });
    const [answer] = await once(request, 'response');
    let text = '';
    for await (const part of answer) text += String(part);
    return { status: answer.statusCode, type: answer.headers['content-type'], body: text };
  });
  expect(result).toEqual({ status, type, body: expect.stringMatching(body) });
  expect([differences, left]).toEqual([[], 0]);
});

it('drops the runs of the client with the most, and none of others', () => {
  const manner = { pace: 'fast', strict: false, closes: false, repeats: true } as const;
  const cassette = new Cassette({ connections: [], calls: [] }, manner, 5);
  cassette.begin('a call', null, 'good');
  for (let number = 0; number < 100; number += 1) cassette.begin('a call', null, 'hostile');
  expect(cassette.runs.map(({ peer }) => peer)).toEqual(['good', ...Array(4).fill('hostile')]);
  expect(cassette.runs.at(-1)?.number).toBe(101);
});
