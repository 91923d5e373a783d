import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Duplex, PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { RecordingInfo } from '#trace/entry.ts';
import { writeRecording } from '#trace/files/recording-file.ts';
import { joinedText } from '#trace/files/testing/recordings.ts';
import {
  type ServedRecordingView,
  type ServedRunView,
  servedListSchema,
  servedRunsSchema,
  servedSchema,
} from '#trace/served-messages.ts';
import { CallBodies } from '../call-bodies.ts';
import { createFakeClock } from '../fake-clock.test-helper.ts';
import type { Handler } from '../reply.ts';
import type { RunningServer } from '../running-server.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { startTestServer } from '../test-server.test-helper.ts';
import { type Act, act, type Recorded, recorded } from './served.test-helper.ts';
import { createServedPages } from './served-pages.ts';
import { ServedRecordings } from './served-recordings.ts';

const STREAM = '/kugel/ws/tts/stream?api_key=local';
const speaks = (text: string): Act[] => [
  { send: { voice_id: 1071, language: 'en' } },
  { send: { text, flush: true } },
  { until: 'session_closed' },
  'close',
];
const TALK = speaks('Good morning.');
const KEY = 'sk-canary-0123456789';

let talk: Recorded;
beforeAll(async () => {
  const [one] = await recorded(({ ws }) => act(ws + STREAM, TALK));
  if (!one) throw new Error('Nothing was recorded.');
  talk = one;
});

let server: RunningServer;
let served: ServedRecordings;
async function start(...bounds: ConstructorParameters<typeof ServedRecordings>): Promise<void> {
  await server?.stop();
  served = new ServedRecordings(...bounds);
  server = await startTestServer({ engine: createTestEngine(), served });
}
beforeEach(() => start(null));
afterEach(() => server.stop());

function fileOf({ info, entries }: Recorded, changed: Partial<RecordingInfo> = {}): Promise<string> {
  const all = entries.map((entry, index) => ({ ...entry, index }));
  return joinedText(writeRecording({ ...info, ...changed }, all));
}

const another = (number: number) => fileOf(talk, { startedAtMs: talk.info.startedAtMs + number });

const post = (
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = { Origin: server.http },
) => fetch(`${server.http}/served`, { method: 'POST', body, headers });

async function serve(body: string): Promise<ServedRecordingView> {
  return servedSchema.parse(await (await post(body)).json());
}

/** Follows the runs of a recording until some of them are found. */
async function runsUntil(id: string, isEnough: (runs: ServedRunView[]) => boolean): Promise<ServedRunView[]> {
  const { body } = await fetch(`${server.http}/served/${id}/runs`);
  let runs: ServedRunView[] = [];
  let text = '';
  for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) runs = servedRunsSchema.parse(JSON.parse(event.replace('data: ', '')));
    if (isEnough(runs)) break;
  }
  return runs;
}

const areOver = (count: number) => (runs: ServedRunView[]) =>
  runs.filter(({ isOver }) => isOver).length === count;

describe('a posted recording', () => {
  it.each(['', '/faults/seed=1'])('answers clients below %s/served', async (prefix) => {
    const { id, notes } = await serve(await fileOf(talk));
    expect(notes).toEqual([]);
    const address = `${server.ws}${prefix}/served/${id}${STREAM}`;
    const { received } = await act(address, TALK);
    const frames = talk.entries.filter(({ direction }) => direction === 'in');
    expect(received).toEqual(frames.map(({ payload }) => JSON.parse(String(payload))));
  });

  it('lists its clients live, with their differences', async () => {
    const { id } = await serve(await fileOf(talk));
    const following = runsUntil(id, areOver(2));
    await act(`${server.ws}/served/${id}${STREAM}`, TALK);
    await act(`${server.ws}/served/${id}${STREAM}`, speaks('Good night.'));
    const [second, first] = await following;
    expect(first).toMatchObject({ number: 1, what: 'KugelAudio stream', count: 0, lines: [] });
    expect(second).toMatchObject({
      count: 1,
      lines: [expect.stringMatching(/^changed: recorded text "Good morning\.".*, got text "Good night\."/)],
    });
  });

  it('can be read, and stopped, which ends its list', async () => {
    const { id } = await serve(await fileOf(talk, { name: 'A talk' }));
    const address = `${server.http}/served/${id}`;
    const [head, ...lines] = (await (await fetch(address)).text()).split('\n');
    expect(head).toContain('"name":"A talk"');
    expect(lines).toEqual((await fileOf(talk)).split('\n').slice(1));
    const following = runsUntil(id, () => false);
    expect((await fetch(address, { method: 'DELETE' })).status).toBe(403);
    expect((await fetch(address, { method: 'DELETE', headers: { Origin: server.http } })).status).toBe(204);
    expect(await following).toEqual([]);
    expect((await fetch(address)).status).toBe(404);
    expect((await fetch(`${address}/kugel/v1/models`)).status).toBe(404);
    const client = new WebSocket(`${server.ws}/served/${id}${STREAM}`);
    const [, refusal] = await once(client, 'unexpected-response');
    expect(refusal.statusCode).toBe(404);
    client.on('error', () => {}).terminate();
  });

  it('is listed for pages of its server, once however often it is posted', async () => {
    const [first, second] = [await serve(await fileOf(talk)), await serve(await fileOf(talk))];
    expect(second).toEqual(first);
    const list = (headers: Record<string, string>) => fetch(`${server.http}/served`, { headers });
    const listed = await (await list({ Origin: server.http })).json();
    expect(servedListSchema.parse(listed)).toEqual([first]);
    for (const headers of [{ Origin: 'https://foreign.example' }, {}])
      expect(await (await list(headers)).json()).toEqual([]);
  });

  it('loses named secrets', async () => {
    const file = await fileOf(talk, { name: `at wss://x?api_key=${KEY}` });
    const { id } = await serve(file.replace('Good morning.', `Good morning.\\",\\"api_key\\":\\"${KEY}`));
    const read = await (await fetch(`${server.http}/served/${id}`)).text();
    expect(read).toContain('Good morning.');
    expect(read).not.toContain(KEY);
  });

  it('is served as far as it is whole', async () => {
    const lines = (await fileOf(talk)).split('\n');
    const last = lines.findLastIndex((line) => line.includes('"in"'));
    const damaged = await serve(lines.with(last, '{"atUs":').join('\n'));
    expect(damaged.notes).toEqual([
      expect.stringMatching(/^Line \d+, .*That line and everything behind it are left out\.$/),
    ]);
    const cut = await serve(lines.slice(0, last).join('\n'));
    expect(cut.notes).toEqual([expect.stringContaining('was cut off')]);
    for (const { id } of [damaged, cut]) {
      const { received } = await act(
        `${server.ws}/served/${id}${STREAM}`,
        TALK.slice(0, 2).concat({ frames: 2 }, 'close'),
      );
      expect(received.length).toBeGreaterThanOrEqual(2);
    }
  });
});

describe('a refusal says why', () => {
  const packed = (text: string) => new Uint8Array(gzipSync(text));
  const PACKED = /^This is no recording of Voicewire\. Line 1, column 1: expected a value, found/;
  const REFUSED: [
    what: string,
    file: () => Promise<string | Uint8Array<ArrayBuffer>> | string | Uint8Array<ArrayBuffer>,
    status: number,
    said: RegExp,
  ][] = [
    [
      'something else',
      () => '{"log":{}}',
      422,
      /^This is no recording of Voicewire\. Line 1: expected a first line/,
    ],
    ['an empty file', () => '', 422, /an empty file/],
    [
      'frames of the client only',
      () => fileOf({ ...talk, entries: talk.entries.filter(({ direction }) => direction === 'out') }),
      422,
      /^Nothing in this recording can be served\. The recording: no frames of a server, left out\./,
    ],
    [
      'no entries',
      () => fileOf({ ...talk, entries: [] }),
      422,
      /^Nothing .*There are no frames or answers of a server in it\./,
    ],
    [
      'an unknown endpoint',
      () => fileOf(talk, { endpoint: 'parrot' }),
      422,
      /^Nothing .*endpoint "parrot" is unknown here, expected one of kugel-stream/,
    ],
    ['a packed file', async () => packed(await fileOf(talk)), 422, PACKED],
    ['a packed file that is cut off', async () => packed(await fileOf(talk)).slice(0, -20), 422, PACKED],
    ['a zip bomb', () => packed('{"format":'.repeat(5_000_000)), 422, PACKED],
    ['a file that is too large', () => ' '.repeat(48 * 1024 * 1024 + 1), 413, /has at most 48 MiB/],
  ];
  it.each(REFUSED)('%s', async (_, file, status, said) => {
    const answer = await post(await file());
    expect(answer.status).toBe(status);
    expect(await answer.text()).toMatch(said);
  });

  it.each([
    ['a foreign page', { Origin: 'https://foreign.example' }],
    ['another page of this machine', { Origin: 'http://localhost:1' }],
    ['a program', {}],
  ])('%s', async (_, headers) => {
    const answer = await post(await fileOf(talk), headers);
    expect([answer.status, await answer.text()]).toEqual([
      403,
      'Only a page of this server may serve recordings.\n',
    ]);
  });

  it('a server beside others', async () => {
    await start(null, false);
    const answer = await post(await fileOf(talk));
    expect([answer.status, await answer.text()]).toEqual([501, expect.stringContaining('VOICEWIRE_REDIS')]);
  });
});

it('a page that leaves while it posts is no failure', async () => {
  const headers = { host: '127.0.0.1', origin: 'http://127.0.0.1' };
  const socket = new Socket();
  const request = Object.assign(new PassThrough(), { method: 'POST', headers, socket, complete: false });
  const clock = createFakeClock();
  const pages = createServedPages({ served, bodies: new CallBodies(clock), clock });
  const url = new URL('http://127.0.0.1/served');
  const [asked, answer] = [request as unknown as IncomingMessage, {} as ServerResponse];
  const taken = pages(asked, answer, url, () => {});
  request.destroy(new Error('aborted'));
  await expect(taken).resolves.toBeUndefined();
});

describe('pages that follow runs and read nothing', () => {
  /** Asks for the runs of a recording on a connection that takes no byte. */
  function follow(pages: Handler, id: string) {
    const request = new IncomingMessage(new Socket());
    Object.assign(request, { method: 'GET', headers: { host: '127.0.0.1' } });
    const response = new ServerResponse(request);
    const unread = new Duplex({ read() {}, write() {} });
    response.assignSocket(unread as Socket);
    const errors: Error[] = [];
    response.on('error', (error) => errors.push(error));
    void pages(request, response, new URL(`http://127.0.0.1/served/${id}/runs`), () => {});
    return { response, errors };
  }

  it('are broken off, the oldest first, and get no further runs', async () => {
    const { id } = await serve(await fileOf(talk));
    const clock = createFakeClock();
    const pages = createServedPages({ served, bodies: new CallBodies(clock), clock });
    const all = Array.from({ length: 34 }, () => follow(pages, id));
    const isBrokenOff = () => all.map(({ response }) => response.destroyed);
    expect(isBrokenOff()).toEqual([true, true, ...Array(32).fill(false)]);
    served.kept.get(id)?.cassette.begin('a client', null);
    await clock.advance(50);
    served.remove(id);
    await clock.advance(100);
    expect(all.flatMap(({ errors }) => errors)).toEqual([]);
    expect(isBrokenOff().filter(Boolean)).toHaveLength(2);
  });
});

describe('room', () => {
  const open = (id: string) =>
    act(`${server.ws}/served/${id}${STREAM}`, [{ send: { voice_id: 1071 } }, { frames: 1 }]);

  it('is made by the recording without clients that was used least recently', async () => {
    await start(null, true, { recordings: 2, bytes: 2 ** 20 });
    const file = await fileOf(talk);
    const [first, second] = [await serve(file), await serve(await another(1))];
    await act(`${server.ws}/served/${first.id}${STREAM}`, TALK);
    const third = await serve(await another(2));
    expect([first, second, third].map(({ id }) => served.kept.get(id) !== undefined)).toEqual([
      true,
      false,
      true,
    ]);
  });

  const keepAs = (peer: string, number: number) => {
    const entries = talk.entries.map((entry, index) => ({ ...entry, index }));
    const info = { ...talk.info, startedAtMs: talk.info.startedAtMs + number };
    return served.keep(info, entries, [], { peer: [peer] });
  };

  it.each([
    ['number', { recordings: 5, bytes: 2 ** 24 }],
    ['bytes', { recordings: 50, bytes: 5.5 * 19_000 }],
  ])('is made by the address that serves most, also with clients on each, in %s', async (_, limits) => {
    await start(null, true, limits);
    const good = await keepAs('1', 0);
    const flood = [];
    for (let at = 1; at <= 8; at += 1) flood.push(await keepAs('2', at));
    expect(served.kept.get(good.id)).toBeDefined();
    for (const { cassette } of flood) cassette.begin('a client', null);
    const busy = flood.filter(({ id }) => served.kept.has(id));
    await expect(keepAs('2', 9)).rejects.toMatchObject({ status: 503 });
    const second = await keepAs('1', 10);
    expect(busy.map(({ id }) => served.kept.has(id)).filter((isKept) => !isKept)).toHaveLength(1);
    expect([good, second].every(({ id }) => served.kept.has(id))).toBe(true);
  });

  it('is not asked for by a recording that no server has room for', async () => {
    await start(null, true, { recordings: 9, bytes: 2 ** 14 });
    const answer = await post(await fileOf(talk));
    expect([answer.status, await answer.text()]).toEqual([
      422,
      expect.stringContaining('takes 1 MiB of memory'),
    ]);
  });

  it('is taken by entries without a payload as well', async () => {
    const player = { direction: 'player', kind: 'played', opcode: 'none', payload: '', bytes: 0 } as const;
    const [last] = talk.entries.slice(-1);
    const empty = last ? Array(50).fill({ ...last, ...player }) : [];
    const bytesOf = async (entries: Recorded['entries']) =>
      served.kept.get((await serve(await fileOf({ ...talk, entries }))).id)?.bytes ?? 0;
    const bytes = await bytesOf(talk.entries);
    expect((await bytesOf([...talk.entries, ...empty])) - bytes).toBe(50_000);
  });

  it('stays as it is where it is not enough', async () => {
    await start(null, true, { recordings: 9, bytes: 75_000 });
    const file = await fileOf(talk);
    const [idle, busy] = [await serve(file), await serve(await another(1))];
    const client = open(busy.id);
    await runsUntil(busy.id, (runs) => runs.length === 1);
    const larger = talk.entries.flatMap((entry) => Array(3).fill(entry));
    expect((await post(await fileOf({ ...talk, entries: larger }))).status).toBe(503);
    expect(served.kept.get(idle.id)).toBeDefined();
    void client.catch(() => {});
  });

  it.each([
    ['number', { recordings: 1, bytes: 2 ** 20 }],
    ['bytes', { recordings: 9, bytes: 25_000 }],
  ])('is not made by one with clients, in %s', async (_, limits) => {
    await start(null, true, limits);
    const file = await fileOf(talk);
    const { id } = await serve(file);
    const client = open(id);
    await runsUntil(id, (runs) => runs.length === 1);
    const refused = await post(await another(1));
    expect([refused.status, await refused.text()]).toEqual([
      503,
      expect.stringContaining('Stop serving one'),
    ]);
    served.close();
    expect((await post(file)).status).toBe(201);
    void client.catch(() => {});
  });
});
