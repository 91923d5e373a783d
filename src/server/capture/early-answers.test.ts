import { describe, expect, it } from 'vitest';
import { systemClock } from '#lib/clock.ts';
import { RecordedCall } from '#trace/rest-calls.ts';
import { ask, bodyOf, startTestVendor } from '../relay/vendor.test-helper.ts';
import type { RunningServer } from '../running-server.ts';
import { type Recorded, recorded, served } from '../served/served.test-helper.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { startTestServer } from '../test-server.test-helper.ts';
import { Capture } from './capture.ts';

interface Case {
  path: string;
  status: number;
  headers: Record<string, string>;
  body: string;
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const FORM = '--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nAnna\r\n--b--\r\n';
const SPEECH = '/kugel/v1/tts/generate';
const KEY = 'wrong-key-of-a-user';
const body = JSON.stringify({ text: 'Good morning, Zoë.' });
const LONG = JSON.stringify({ text: 'Good morning. '.repeat(40_000) });

const wrongKey = (path: string, name: string, value = KEY): Case => ({
  path,
  status: 401,
  headers: { ...JSON_TYPE, [name]: value },
  body,
});

const REFUSED: readonly Case[] = [
  wrongKey(SPEECH, 'X-API-Key'),
  { ...wrongKey(SPEECH, 'X-API-Key'), body: LONG },
  wrongKey('/murmr/v1/audio/speech', 'Authorization', `Bearer ${KEY}`),
  wrongKey('/elevenlabs/v1/text-to-speech/Rachel', 'xi-api-key'),
  wrongKey('/deepgram/v1/speak', 'Authorization', `Token ${KEY}`),
  { ...wrongKey('/cartesia/tts/bytes', 'X-API-Key'), status: 400 },
  { ...wrongKey('/kugel/v1/nothing', 'X-API-Key'), headers: { 'Content-Type': 'text/plain' } },
  {
    path: '/kugel/v1/voices',
    status: 401,
    headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
    body: FORM,
  },
  { path: `/faults/refuse=503${SPEECH}`, status: 503, headers: JSON_TYPE, body },
];

const callOf = (recordings: readonly Recorded[]): RecordedCall => {
  const [first] = recordings;
  if (!first) throw new Error('Nothing was captured.');
  return new RecordedCall(first.entries.filter(({ turn }) => turn !== null));
};
const sentBy = ({ sent }: RecordedCall): string =>
  Buffer.concat(sent.map((part) => Buffer.from(part as string))).toString();

/** Resolves when what has arrived is recorded. */
const settled = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

const withoutFaults = (path: string): string => path.replace(/^\/faults\/[^/]*/, '');

async function post({ http }: RunningServer, { path, headers, body }: Omit<Case, 'status'>) {
  const answer = await fetch(`${http}${path}`, { method: 'POST', headers, body });
  return { status: answer.status, said: await answer.text() };
}

describe('a call that is refused before its body is read', () => {
  it.each(REFUSED)('is captured with its body, and served without a difference: $path', async (asked) => {
    let said: unknown;
    const recordings = await recorded(async (server) => {
      said = await post(server, asked);
      await settled();
    });
    expect(said).toMatchObject({ status: asked.status });
    const call = callOf(recordings);
    expect(sentBy(call)).toBe(asked.body);
    expect(call.end).toMatchObject({ how: 'complete', sent: { bytes: Buffer.byteLength(asked.body) } });
    const again = { ...asked, path: withoutFaults(asked.path) };
    const same = await served(recordings, (server) => post(server, again));
    expect(same).toMatchObject({ result: said, differences: [], left: 0 });
    const other = { ...again, body: again.body.replace(/Good|Anna/, 'Bad') };
    const { differences } = await served(recordings, (server) => post(server, other));
    expect(differences).toEqual([expect.stringMatching(/^changed: /)]);
  });

  it.each([
    ['the server', SPEECH],
    ['a fault', `/faults/refuse=503${SPEECH}`],
    ['the vendor', `/relay${SPEECH}`],
  ])('keeps what arrives after the refusal of %s', async (_, path) => {
    const vendor = await startTestVendor();
    vendor.answer = (_, response) => response.writeHead(401).end();
    const capture = new Capture(systemClock);
    const server = await startTestServer({
      engine: createTestEngine(),
      capture,
      relays: { kugel: vendor.base },
    });
    const headers = {
      ...JSON_TYPE,
      Connection: 'keep-alive',
      'Content-Length': `${Buffer.byteLength(body)}`,
    };
    const { request, response } = ask(`${server.http}${path}`, { method: 'POST', headers });
    request.write(body.slice(0, 5));
    await bodyOf(await response);
    const entries = () => [...capture.connections.values()].flatMap((client) => client.from(0, 100));
    expect(entries().map(({ kind }) => kind)).not.toContain('ended');
    request.end(body.slice(5));
    while (!entries().some(({ kind }) => kind === 'ended')) await settled();
    await server.stop();
    await vendor.stop();
    const sent = entries().filter(({ kind, direction }) => kind === 'body' && direction === 'out');
    expect(sent.map(({ payload }) => payload)).toEqual([body]);
  });

  it('does not differ where its client sent the body in part', async () => {
    const recordings = await recorded(async ({ http }) => {
      const headers = { 'X-API-Key': KEY, ...JSON_TYPE, 'Content-Length': `${body.length + 1}` };
      const { request, response } = ask(`${http}${SPEECH}`, { method: 'POST', headers });
      request.write(body.slice(0, 5));
      await bodyOf(await response);
      request.destroy();
      await settled();
    });
    const call = callOf(recordings);
    expect([sentBy(call), call.end?.sent]).toEqual([body.slice(0, 5), { bytes: 5, kept: 5 }]);
    const same = await served(recordings, (server) => post(server, wrongKey(SPEECH, 'X-API-Key')));
    expect(same).toMatchObject({ result: { status: 401 }, differences: [], left: 0 });
  });
});
