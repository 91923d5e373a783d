import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { NewEntry } from '#trace/entry.ts';
import { createFakeClock } from '../fake-clock.test-helper.ts';
import { readServable } from './read-cassette.ts';
import { indexed, type Recorded, served } from './served.test-helper.ts';

interface Call {
  body?: NewEntry['payload'];
  type?: string;
  status?: number;
  reason?: string;
  headers?: Record<string, string>;
  waitMs?: number;
}

/** A recording of one call of `POST /v1/x`, answered with `hi`. */
function callOf({
  body = '',
  type = '',
  status = 200,
  reason = 'OK',
  headers = {},
  waitMs = 0,
}: Call): Recorded {
  const common = {
    connection: 1,
    opcode: 'text',
    bytes: 1,
    turn: 1,
    context: null,
    chunk: null,
    audioMs: null,
  } as const;
  const sent = (kind: string, payload: NewEntry['payload']): NewEntry => ({
    ...common,
    atUs: 0,
    direction: 'out',
    kind,
    payload,
  });
  const answered = (kind: string, payload: string): NewEntry => ({
    ...common,
    atUs: waitMs * 1000,
    direction: 'in',
    kind,
    payload,
  });
  const entries = [
    sent('request', JSON.stringify({ method: 'POST', path: '/v1/x', headers: { 'content-type': type } })),
    sent('body', body),
    answered('response', JSON.stringify({ status, reason, headers })),
    answered('body', 'hi'),
  ];
  const info = { id: 'r', name: '', endpoint: 'kugel-rest', address: '', startedAtMs: 0, durationUs: 0 };
  return { info: { ...info, bytes: 0, entries: entries.length, pinned: false }, entries };
}

/** Calls a served recording. */
async function calledWith(recording: Call, body: string | Uint8Array<ArrayBuffer>, path = '/v1/x') {
  const { result, differences } = await served([callOf(recording)], async ({ http }) => {
    const headers = { 'content-type': recording.type ?? '' };
    const answer = await fetch(`${http}/kugel${path}`, { method: 'POST', headers, body });
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  });
  return { ...result, differences };
}

describe('a served call', () => {
  it('with other bytes differs', async () => {
    const { differences } = await calledWith({ body: Uint8Array.of(0x80, 0x81) }, Uint8Array.of(0x90, 0x91));
    expect(differences).toHaveLength(1);
    expect((await calledWith({ body: Uint8Array.of(0x80) }, Uint8Array.of(0x80))).differences).toEqual([]);
  });

  it.each([
    ['encoded', 'application/x-www-form-urlencoded', (key: string) => `api_key=${key}&text=hi`],
    [
      'of parts',
      'multipart/form-data; boundary=b',
      (key: string) =>
        `--b\r\nContent-Disposition: form-data; name="api_key"\r\n\r\n${key}\r\n--b\r\nContent-Disposition: form-data; name="text"\r\n\r\nhi\r\n--b--\r\n`,
    ],
  ])('with another key in a form, %s, does not differ', async (_, type, form) => {
    expect((await calledWith({ type, body: form('[key]') }, form('sk-secret'))).differences).toEqual([]);
    const { differences } = await calledWith({ type, body: 'other' }, form('sk-secret'));
    expect(differences).toEqual([expect.not.stringContaining('sk-secret')]);
  });

  it.each([
    ['a reason of two lines', { reason: 'O\nK' }],
    ['a header of HTTP/2', { headers: { ':status': '200', 'x-more': 'kept' } }],
    ['a header of two lines', { headers: { 'x-odd': 'a\nb', 'x-more': 'kept' } }],
  ])('is answered without %s', async (_, odd) => {
    const { status, text, headers } = await calledWith(odd, '');
    expect([status, text, headers.get('x-more') ?? 'kept']).toEqual([200, 'hi', 'kept']);
  });

  it('with a body that is too large is refused', async () => {
    expect(await calledWith({}, 'x'.repeat(17 * 1024 * 1024))).toMatchObject({ status: 413 });
  });

  it('with a deep body is compared', async () => {
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(await calledWith({ body: deep }, deep)).toMatchObject({ status: 200, differences: [] });
  });

  it.each(['//', '//host/v1/x'])('of the path %s finds none', async (path) => {
    expect(await calledWith({}, '', path)).toMatchObject({ status: 404 });
  });

  it('has no origin of this server, and sets nothing in a browser', async () => {
    const headers = { 'set-cookie': 'a=b', 'clear-site-data': '"*"', 'content-type': 'text/html' };
    const { result } = await served([callOf({ headers })], async ({ http }) =>
      fetch(`${http}/kugel/v1/x`, { method: 'POST', headers: { origin: http } }),
    );
    expect(result.headers.get('content-security-policy')).toBe('sandbox');
    expect([result.headers.get('set-cookie'), result.headers.get('clear-site-data')]).toEqual([null, null]);
  });

  it('of a foreign website is refused', async () => {
    const { result, left } = await served([callOf({})], async ({ http }) => {
      const headers = { origin: 'https://elsewhere.example' };
      return (await fetch(`${http}/kugel/v1/x`, { method: 'POST', headers })).status;
    });
    expect([result, left]).toEqual([403, 1]);
  });

  it('watches its client once, however many parts its answer has', async () => {
    const { info, entries } = callOf({ body: 'x' });
    const part = { ...(entries.at(-1) as NewEntry), payload: 'y'.repeat(100_000) };
    const warnings: Error[] = [];
    const warned = (warning: Error) => warnings.push(warning);
    process.on('warning', warned);
    const { result } = await served(
      [{ info, entries: [...entries, ...Array.from({ length: 20 }, () => part)] }],
      async ({ http }) => {
        const answer = await fetch(`${http}/kugel/v1/x`, { method: 'POST', body: 'x' });
        return (await answer.text()).length;
      },
    );
    process.off('warning', warned);
    expect([result, warnings]).toEqual([2_000_002, []]);
  });

  it('waits from the end of its request', async () => {
    const clock = createFakeClock();
    const { result } = await served(
      [callOf({ body: 'xy', waitMs: 200 })],
      async ({ http }) => {
        const { hostname, port } = new URL(http);
        const socket = connect(Number(port), hostname);
        const head = 'POST /kugel/v1/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n';
        socket.write(`${head}Expect: 100-continue\r\n\r\nx`);
        await once(socket, 'data');
        await clock.advance(300);
        socket.write('y');
        let isAnswered = false;
        socket.once('data', () => {
          isAnswered = true;
        });
        let waitedMs = 0;
        for (; !isAnswered; waitedMs += 1) await clock.advance(1);
        socket.destroy();
        return waitedMs;
      },
      { pace: 'recorded', clock },
    );
    expect(result).toBeGreaterThanOrEqual(200);
  });

  it.each([0, 101])('that was answered with %s is not served', async (status) => {
    const { info, entries } = callOf({ status });
    expect(await readServable(info, indexed(entries), 'file')).toEqual({
      connections: [],
      calls: [],
      notes: ['file: left out 1 calls without an answer.'],
    });
  });
});
