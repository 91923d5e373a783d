import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '#lib/clock.ts';
import type { CapturedMessage } from '#trace/capture-messages.ts';
import { createKeys } from '../keys.ts';
import { type Asked, ask, bodyOf, startTestVendor, type TestVendor } from '../relay/vendor.test-helper.ts';
import type { RunningServer } from '../running-server.ts';
import { createTestEngine, type TestEngine } from '../test-engine.test-helper.ts';
import { startTestServer } from '../test-server.test-helper.ts';
import { Capture } from './capture.ts';
import { type CapturePage, openCapturePage } from './page.test-helper.ts';

const KEY = 'sk-canary/0123456789';
const MIB = 1024 * 1024;

let vendor: TestVendor;
let engine: TestEngine;
let server: RunningServer;
let page: CapturePage;
/** Time that has passed without anybody waiting for it. */
let skippedMs = 0;

beforeAll(async () => {
  vendor = await startTestVendor();
  engine = createTestEngine();
  const clock: Clock = {
    nowMs: () => systemClock.nowMs() + skippedMs,
    // The page is sent changes a few times a second.
    after: (delayMs, task) => systemClock.after(delayMs / 20, task),
  };
  const relays = { kugel: vendor.base, murmr: vendor.base };
  const keys = createKeys({ keys: [KEY], only: false });
  server = await startTestServer({ engine, relays, keys, clock });
  page = await openCapturePage(server.http);
});
afterAll(async () => {
  page.socket.terminate();
  await server.stop();
  await vendor.stop();
});

/** Has the vendor answer this, once it has read all of a call. */
function answers(status: number, headers: Record<string, string>, ...parts: (string | Uint8Array)[]): void {
  vendor.answer = (request, response) => {
    request.resume().on('end', () => {
      response.writeHead(status, headers);
      for (const part of parts) response.write(part);
      response.end();
    });
  };
}

/** A call of a program, with its name alone as a header of its own. */
const askAs = (program: string, path: string, { headers = {}, ...asked }: Asked = {}) =>
  ask(`${server.http}${path}`, { headers: { 'User-Agent': program, ...headers }, ...asked });

/** Calls, and reads the whole answer. */
async function call(program: string, path: string, asked: Asked & { body?: string | Buffer } = {}) {
  const { request, response } = askAs(program, path, asked);
  request.end(asked.body);
  return bodyOf(await response);
}

const isEnd = ({ kind }: CapturedMessage): boolean => kind === 'ended' || kind === 'failed';

/** Watches a program that calls. @returns the entries so far of its client */
async function watched(program: string): Promise<() => CapturedMessage[]> {
  const { id } = await page.until(() => page.clientOf(program));
  page.watch(id);
  return () => page.entriesOf(id);
}

/** The entries that a page has of a program, once so many calls have ended. */
async function captured(program: string, ended = 1): Promise<CapturedMessage[]> {
  const entries = await watched(program);
  return page.until(() => (entries().filter(isEnd).length >= ended ? entries() : undefined));
}

const kindsOf = (entries: readonly CapturedMessage[]) =>
  entries.map(({ direction, kind, call: number = 0 }) => `${number} ${direction} ${kind}`);

const headOf = (entries: readonly CapturedMessage[], ...kinds: string[]) =>
  JSON.parse(entries.find(({ kind }) => kinds.includes(kind))?.text ?? 'null');

const bytesOf = (entries: readonly CapturedMessage[], direction: 'out' | 'in'): Buffer =>
  Buffer.concat(
    entries
      .filter((entry) => entry.direction === direction && entry.kind === 'body')
      .map(({ text, base64 }) =>
        text === undefined ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(text),
      ),
  );

const SPEECH = JSON.stringify({ text: 'Good morning.', voice_id: 1071 });
const LOCAL = { 'X-API-Key': 'local', 'Content-Type': 'application/json' };
const GENERATE = { method: 'POST', headers: LOCAL, body: SPEECH };

describe('a captured call', () => {
  it('of the local server has both heads, both bodies and its end', async () => {
    const audio = await call('local/1', '/kugel/v1/tts/generate?x=1', GENERATE);
    const entries = await captured('local/1');
    expect(kindsOf(entries.filter(({ kind }, at) => kind !== entries[at - 1]?.kind))).toEqual([
      '0 connection opening',
      '1 out request',
      '1 out body',
      '1 in response',
      '1 in body',
      '1 connection ended',
    ]);
    expect(headOf(entries, 'opening')).toEqual({ address: `${server.http}/kugel` });
    expect(headOf(entries, 'request')).toMatchObject({
      method: 'POST',
      path: '/v1/tts/generate?x=1',
      headers: { 'user-agent': 'local/1', 'x-api-key': '[key]' },
    });
    expect(bytesOf(entries, 'out').toString()).toBe(SPEECH);
    expect(headOf(entries, 'response')).toMatchObject({
      status: 200,
      reason: 'OK',
      headers: { 'content-type': 'audio/pcm', 'x-sample-rate': '24000' },
    });
    expect(bytesOf(entries, 'in')).toEqual(audio);
    expect(headOf(entries, 'ended')).toEqual({
      how: 'complete',
      sent: { bytes: SPEECH.length },
      received: { bytes: audio.length },
    });
    await page.until(() => page.clientOf('local/1')?.calls?.running === 0 || undefined);
    const figures = { turns: 1, bytes: SPEECH.length + audio.length, calls: { failed: 0 }, end: null };
    expect(page.clientOf('local/1')).toMatchObject({ endpoint: 'kugel-rest', ...figures });
  });

  it('of the relay has what the vendor answered, decompressed', async () => {
    const packed = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
    answers(418, packed, gzipSync('{"error":"teapot"}'));
    const headers = { 'Content-Type': 'application/json' };
    const body = await call('relay/1', '/relay/murmr/v1/voices', { method: 'PUT', headers, body: '{"é":1}' });
    const entries = await captured('relay/1');
    expect(bytesOf(entries, 'out').toString()).toBe('{"é":1}');
    expect(bytesOf(entries, 'in').toString()).toBe('{"error":"teapot"}');
    expect(headOf(entries, 'error')).toMatchObject({ status: 418 });
    expect(gunzipSync(body).toString()).toBe('{"error":"teapot"}');
    expect(headOf(entries, 'ended').received).toEqual({ bytes: body.length });
    await page.until(() => page.clientOf('relay/1')?.calls?.failed === 1 || undefined);
    expect(page.clientOf('relay/1')?.address).toBe(`${server.http}/relay/murmr`);
  });

  it('of a stream has each event while the answer grows', async () => {
    let growing: ServerResponse | undefined;
    vendor.answer = (_, response) => {
      growing = response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      growing.flushHeaders();
    };
    const { request, response } = askAs('events/1', '/relay/murmr/v1/audio/speech/stream');
    request.end();
    const answer = await response;
    growing?.write('data: 1\n\nda');
    expect(String((await once(answer, 'data'))[0])).toBe('data: 1\n\nda');
    const entries = await watched('events/1');
    const events = () => entries().flatMap(({ kind, text }) => (kind === 'body' ? [text] : []));
    await page.until(() => events()[0]);
    expect(events()).toEqual(['data: 1\n\n']);
    const ended = once(answer, 'end');
    growing?.end('ta: 2\n\ndata: 3\n\n');
    await ended;
    await page.until(() => entries().find(isEnd));
    expect(events()).toEqual(['data: 1\n\n', 'data: 2\n\n', 'data: 3\n\n']);
  });

  it('of HEAD has the head of its answer alone', async () => {
    await call('head/1', '/kugel/v1/models', { method: 'HEAD' });
    const entries = await captured('head/1');
    expect(kindsOf(entries).slice(1)).toEqual(['1 out request', '1 in response', '1 connection ended']);
  });

  it('that the client leaves before the answer says so', async () => {
    vendor.answer = () => request.destroy();
    const { request, response } = askAs('left/1', '/relay/kugel/v1/voices');
    request.end();
    await expect(response).rejects.toThrow('socket hang up');
    const entries = await captured('left/1');
    expect(kindsOf(entries).slice(1)).toEqual(['1 out request', '1 connection ended']);
    expect(headOf(entries, 'ended').how).toBe('the client left');
  });

  it('that the client leaves in the middle has what was sent until then', async () => {
    engine.hold();
    const headers = { ...LOCAL, 'Content-Length': '1000' };
    const { request } = askAs('left/2', '/kugel/v1/tts/generate', { method: 'POST', headers });
    request.write(SPEECH);
    await page.until(() => page.clientOf('left/2'));
    request.destroy();
    engine.release();
    const entries = await captured('left/2');
    expect(bytesOf(entries, 'out').toString()).toBe(SPEECH);
    const ended = { how: 'the client left', sent: { bytes: SPEECH.length } };
    expect(headOf(entries, 'ended')).toMatchObject(ended);
  });

  it('that the vendor breaks off has failed', async () => {
    vendor.answer = (_, response) => {
      response.writeHead(200, { 'Content-Length': '10' }).write('half', () => response.destroy());
    };
    await expect(call('broken/1', '/relay/kugel/v1/voices')).rejects.toThrow('aborted');
    const entries = await captured('broken/1');
    expect(bytesOf(entries, 'in').toString()).toBe('half');
    expect(headOf(entries, 'failed').how).toBe('broken off: the vendor broke its answer off');
    await page.until(() => (page.clientOf('broken/1')?.calls?.failed === 1 ? true : undefined));
  });
});

it('has faults right before what they change, which the page of a mark sees too', async () => {
  const path = '/faults/latency=5,latency-out=5,stall=50@1,refuse=503,mark=page-7/kugel';
  await call('injected/1', `${path}/v1/tts/generate`, GENERATE);
  const entries = await captured('injected/1');
  const shown = entries.map(({ kind, text = '' }) => (kind === 'fault' ? JSON.parse(text).what : kind));
  expect(shown).toEqual([
    ...['opening', 'request', 'latency=5', 'latency-out=5', 'body'],
    ...['refuse=503', 'error', 'body', 'ended'],
  ]);
  expect(headOf(entries, 'opening').address).toContain(path);
  const refusal = { type: 'fault', mark: 'page-7', what: 'refuse=503' };
  expect(page.messages).toContainEqual(expect.objectContaining(refusal));
});

describe('a secret of a call', () => {
  const forms = [
    KEY,
    encodeURIComponent(KEY),
    JSON.stringify(KEY).slice(1, -1),
    Buffer.from(KEY).toString('base64'),
  ];
  const everything = async (program: string) => {
    const entries = await captured(program);
    const bytes = entries.flatMap(({ base64 }) =>
      base64 ? [Buffer.from(base64, 'base64').toString('latin1')] : [],
    );
    return JSON.stringify([entries, bytes, page.messages.filter(({ type }) => type === 'clients')]);
  };
  const json = { 'Content-Type': 'application/json' };
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

  it.each<[string, string, Asked & { body?: string }]>([
    ['in a header', '', { headers: { Authorization: `Bearer ${KEY}` } }],
    ['behind an unknown scheme', '', { headers: { Authorization: `ApiKey ${KEY}` } }],
    ['in the header of an unknown vendor', '', { headers: { 'X-Custom-Token': KEY } }],
    ['in a query', `?api_key=${encodeURIComponent(KEY)}`, {}],
    ['behind a name with escapes', `?api%5Fkey=${encodeURIComponent(KEY)}`, {}],
    ['in a body', '', { method: 'POST', headers: json, body: JSON.stringify({ api_key: KEY }) }],
    ['in a body without a type', '', { method: 'POST', body: JSON.stringify({ api_key: KEY }) }],
    ['in a form', '', { method: 'POST', headers: form, body: `api_key=${encodeURIComponent(KEY)}&x=1` }],
  ])('%s is nowhere, also where the vendor repeats it', async (name, query, asked) => {
    const program = `secret ${name}`;
    const [before, ...rest] = JSON.stringify({ error: `The key ${KEY} is unknown.` }).split(/(?<=canary)/);
    answers(200, { 'X-Echo': encodeURIComponent(KEY) }, before ?? '', ...rest);
    expect(String(await call(program, `/relay/kugel/v1/voices${query}`, asked))).toContain(KEY);
    const seen = await everything(program);
    expect(seen).toContain('is unknown.');
    expect(forms.filter((form) => seen.includes(form))).toEqual([]);
  });

  it.each(['gzip', 'compress'])('is in no body that the vendor sends as %s', async (encoding) => {
    const sent = encoding === 'gzip' ? gzipSync(`bad ${KEY}`) : `bad ${KEY}`;
    answers(401, { 'Content-Encoding': encoding }, sent);
    const program = `packed ${encoding}`;
    await call(program, '/relay/kugel/v1/voices', { headers: { Authorization: `Bearer ${KEY}` } });
    const seen = await everything(program);
    expect(forms.filter((form) => seen.includes(form))).toEqual([]);
    const entries = page.entriesOf(page.clientOf(program)?.id ?? '');
    expect(bytesOf(entries, 'in').toString()).toBe(encoding === 'gzip' ? 'bad [key]' : '');
  });

  it('is in no name of a program, and cookies are in no call', async () => {
    const headers = { 'X-API-Key': KEY, Cookie: 'session=of-another-app' };
    await call(`named ${KEY}`, '/kugel/v1/models', { headers });
    const seen = await everything('named [key]');
    expect(seen).not.toContain(KEY);
    expect(seen).not.toContain('of-another-app');
  });
});

it('a long body passes whole both ways, and is recorded up to a limit', async () => {
  const [sent, answered] = [Buffer.alloc(9 * MIB, 'reference recording'), Buffer.alloc(2 * MIB, 'speech')];
  let asked: Buffer = Buffer.alloc(0);
  vendor.answer = async (request, response) => {
    asked = await bodyOf(request);
    response.writeHead(200, { 'Content-Type': 'text/plain' }).end(answered);
  };
  const headers = { 'Content-Type': 'multipart/form-data; boundary=x' };
  const received = await call('long/1', '/relay/kugel/v1/voices', { method: 'POST', headers, body: sent });
  expect([asked.equals(sent), received.equals(answered)]).toEqual([true, true]);
  const entries = await captured('long/1');
  expect(headOf(entries, 'ended')).toMatchObject({
    sent: { bytes: 9 * MIB, kept: 8 * MIB },
    received: { bytes: 2 * MIB, kept: MIB },
  });
  expect(bytesOf(entries, 'in').equals(answered.subarray(0, MIB))).toBe(true);
});

describe('a client that calls', () => {
  it('is one while it goes on calling, and another one after a minute', async () => {
    await call('again/1', '/kugel/v1/models');
    skippedMs += 59_000;
    await call('again/1', '/kugel/v1/nothing');
    const entries = await captured('again/1', 2);
    expect(kindsOf(entries).filter((kind) => kind.endsWith('request'))).toEqual([
      '1 out request',
      '2 out request',
    ]);
    const first = page.clientOf('again/1')?.id ?? '';
    skippedMs += 61_000;
    const end = await page.until(() => page.client(first)?.end ?? undefined);
    expect(end).toMatchObject({ atMs: entries.at(-1)?.atMs, code: null });
    await page.until(() =>
      page.messages.find(
        (message) => message.type === 'entries' && message.client === first && message.isLast,
      ),
    );
    await call('again/1', '/kugel/v1/models');
    await page.until(() => (page.clientOf('again/1')?.id === first ? undefined : true));
  });

  it('is another one with another name, address or vendor', async () => {
    for (const program of ['group/1', 'group/2'])
      for (const path of ['/kugel/v1/models', '/murmr/v1/voices', '/faults/latency=1/kugel/v1/models'])
        await call(program, path);
    const seen = await openCapturePage(server.http);
    const { changed } = await seen.until(() => seen.messages.find((message) => message.type === 'clients'));
    seen.socket.terminate();
    const group = changed.filter(({ program }) => program.startsWith('group/'));
    expect(new Set(group.map(({ program, address }) => `${program} ${address}`)).size).toBe(6);
    expect(group.map(({ turns }) => turns)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('is not the page of this server', async () => {
    await call('page/1', '/kugel/v1/models', { headers: { 'Sec-Fetch-Site': 'same-origin' } });
    await call('page/1', '/kugel/v1/tts/generate', {
      ...GENERATE,
      headers: { ...LOCAL, Origin: server.http },
    });
    await call('page/2', '/kugel/v1/models');
    await page.until(() => page.clientOf('page/2'));
    expect(page.clientOf('page/1')).toBeUndefined();
  });
});

it('the memory of captured calls is bounded, also for a program that calls without an end or with ever new names', async () => {
  const maxBytes = 64 * 1024;
  const capture = new Capture(systemClock, { maxBytes });
  const small = await startTestServer({ engine, capture });
  const ask = (program: string, path: string, body?: string) =>
    fetch(`${small.http}/kugel/v1${path}`, {
      headers: { ...LOCAL, 'User-Agent': program },
      ...(body !== undefined && { method: 'POST', body }),
    }).then((answer) => answer.arrayBuffer());
  for (let at = 0; at < 15; at += 1) await ask('busy/1', '/tts/generate', SPEECH);
  const [busy] = capture.connections.values();
  expect(busy?.lost).toBeGreaterThan(0);
  expect(busy?.keptBytes).toBeLessThanOrEqual(maxBytes);
  for (let at = 0; at < 105; at += 1) await ask(`new/${at}`, '/models');
  const connections = [...capture.connections.values()];
  expect(connections.filter(({ end }) => end === null).length).toBeLessThanOrEqual(100);
  expect(connections.reduce((sum, { keptBytes }) => sum + keptBytes, 0)).toBeLessThanOrEqual(maxBytes);
  await small.stop();
});
