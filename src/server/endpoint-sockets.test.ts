import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RunningServer } from './running-server.ts';
import { type Frame, SocketClient } from './socket-client.test-helper.ts';
import {
  KUGEL_ENDPOINTS,
  MULTI,
  openClient,
  REALTIME,
  REQUEST,
  SOCKET_ENDPOINTS,
  type SocketEndpointCase,
  STREAM,
} from './socket-endpoints.test-helper.ts';
import { startTestServer } from './test-server.test-helper.ts';

/**
 * Rules over real sockets with real speech, which a session's own test cannot show. The test project `detour` repeats this file with
 * another engine, through the relay and behind faults that change nothing.
 */

const MIB = 1024 * 1024;
const TEXTS = ['It’s 12.50 at “Café Mozart”, 9:42 sharp.', 'Good morning.'];
const WORDS = [
  ['It’s', '12.50', 'at', 'Café', 'Mozart', '9:42', 'sharp'],
  ['Good', 'morning'],
];

let server: RunningServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterEach(() => void vi.useRealTimers());
afterAll(() => server.stop());

const open = (endpoint: SocketEndpointCase, key?: string) => openClient(server, endpoint, key);

/** Bytes of all audio, base64 or binary. */
const audioBytes = (client: SocketClient): Buffer =>
  Buffer.concat(
    client.received.map((each) =>
      Buffer.isBuffer(each) ? each : Buffer.from(String(each.audio ?? each.chunk ?? ''), 'base64'),
    ),
  );

/** Samples of speech, unlike silence and tones, take many values. */
const isSpeech = (bytes: Buffer): boolean => new Set(bytes).size > 60;

/** The words of each text, as written and in order, end no later than its audio (wire-words-1, wire-words-2). */
function expectWords(frames: readonly Frame[]): void {
  let audioMs = 0;
  const heard: string[][] = [];
  for (const { samples, sr, word_timestamps } of frames) {
    audioMs += samples === undefined ? 0 : (1000 * Number(samples)) / Number(sr);
    if (word_timestamps === undefined) continue;
    const text = TEXTS[heard.length] ?? '';
    const words = word_timestamps as Frame[];
    heard.push(words.map(({ char_start, char_end }) => text.slice(Number(char_start), Number(char_end))));
    expect(words.map(({ word }) => word)).toEqual(heard.at(-1));
    const edges = words.flatMap(({ start_ms, end_ms }) => [Number(start_ms), Number(end_ms)]);
    const times = [0, ...edges, Math.ceil(audioMs)];
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    audioMs = 0;
  }
  expect(heard).toEqual(WORDS);
}

describe('turns', () => {
  const inSeconds = ({ total_audio_seconds }: Frame) => 1000 * Number(total_audio_seconds);
  const inMs = ({ dur_ms, duration_ms }: Frame) => Number(dur_ms ?? duration_ms);
  /** The format of the audio with the bytes of a millisecond, and the length in ms that a kind of frame reports. */
  it.each([
    { ...STREAM, format: { enc: 'pcm_s16le', sr: 24_000 }, bytesOfMs: 48, kind: 'final', ms: inSeconds },
    { ...MULTI, format: { enc: 'mulaw', sr: 8000 }, bytesOfMs: 8, kind: 'session_closed', ms: inSeconds },
    { ...REQUEST, format: { enc: 'pcm_s16le', sr: 16_000 }, bytesOfMs: 32, kind: 'final', ms: inMs },
    {
      ...REALTIME,
      format: { format: 'pcm_s16le', sample_rate: 24_000 },
      bytesOfMs: 48,
      kind: 'done',
      ms: inMs,
    },
  ])(
    'on $path come one after the other, with their audio and words',
    async ({ format, bytesOfMs, kind, ms, ...endpoint }) => {
      const { turn, kinds, greeting, end, leave } = endpoint;
      const client = await open(endpoint);
      await client.send(...TEXTS.flatMap(turn));
      await client.until(end, TEXTS.length);
      if (leave) await client.send(leave.message);
      else client.socket.close(1000);
      expect(await client.closed).toEqual({ code: 1000, reason: '' });
      expect(client.kinds()).toEqual([...greeting, ...kinds, ...kinds, ...(leave?.kinds ?? [])]);
      for (const frame of client.of('audio')) expect(frame).toMatchObject(format);
      const bytes = audioBytes(client);
      expect(isSpeech(bytes)).toBe(true);
      const reportedMs = client.of(kind).reduce((sum, frame) => sum + ms(frame), 0);
      // Each turn is rounded by itself.
      expect(Math.abs(bytes.length / bytesOfMs - reportedMs)).toBeLessThanOrEqual(TEXTS.length / 2);
      if (kinds.includes('word_timestamps')) expectWords(client.frames);
    },
  );

  it.each(SOCKET_ENDPOINTS)(
    'on $path are sent as fast as they are made, without a timer',
    async (endpoint) => {
      const client = await open(endpoint);
      await client.send(...endpoint.turn('Good morning. The train is late. Take your time.'));
      // Before its first audio, a turn may wait for the key, and its client for the time that its text took.
      await client.until('audio');
      vi.useFakeTimers({ toFake: ['setTimeout'] });
      await client.until(endpoint.end);
      client.done();
    },
  );

  it('in binary mode, audio comes as bytes and everything else as text', async () => {
    const client = await open(REALTIME);
    await client.send({ type: 'binary_mode' }, ...REALTIME.turn('Hello, world!'));
    const { duration_ms } = await client.until('done');
    expect(client.kinds()).toEqual(['config_ack', 'binary_mode_ack', 'bytes', 'done']);
    expect(isSpeech(audioBytes(client))).toBe(true);
    expect(Math.round(audioBytes(client).length / 48)).toBe(duration_ms);
    client.done();
  });

  it.each(KUGEL_ENDPOINTS)(
    'a cancel on $path ends speech, and the next turn is a fresh one',
    async (endpoint) => {
      const client = await open(endpoint);
      await client.send(...endpoint.turn('A long story it was, and so on. '.repeat(300)));
      await client.until('audio', 3);
      await client.send({ cancel: true });
      await client.until('interrupted');
      client.received.length = 0;
      await client.send(...endpoint.turn('Fresh.'));
      await client.until(endpoint.end);
      expect(client.kinds()).toEqual(endpoint.kinds);
      client.done();
    },
  );
});

const NEEDS_PLAN = 'WebSocket needs the Realtime or the Scale plan; this key is on the Free plan';

describe('keys', () => {
  it.each([
    [STREAM, 'wrong', 401, 4001, 'UNAUTHORIZED'],
    [MULTI, 'wrong', 401, 4001, 'UNAUTHORIZED'],
    [REQUEST, 'wrong', 401, 4001, 'UNAUTHORIZED'],
    [STREAM, '', 401, 4001, 'UNAUTHORIZED'],
    [STREAM, 'local-no-credits', 402, 4003, 'INSUFFICIENT_CREDITS'],
    [STREAM, 'local-rate-limited', 429, 4029, 'RATE_LIMITED'],
    [STREAM, 'local-busy', 503, 4500, 'MODEL_UNAVAILABLE'],
    [REALTIME, 'wrong', 4002, 4002, 'Invalid API key'],
    [REALTIME, 'local-no-credits', 4002, 4002, NEEDS_PLAN],
  ])('$path answers key %j by an error, then the close', async (endpoint, key, code, closeCode, reason) => {
    const client = await open(endpoint, key);
    expect(await client.closed).toEqual({ code: closeCode, reason });
    const answers = client.frames.filter(({ type }) => type !== 'config_ack');
    const requestId = client.headers['x-request-id'];
    const kugelError = { error: expect.any(String), error_code: reason, code, request_id: requestId };
    expect(answers).toEqual([endpoint === REALTIME ? { type: 'error', message: reason, code } : kugelError]);
    if (key !== '') expect(JSON.stringify(answers)).not.toContain(key);
    if (endpoint !== REALTIME) expect(client.headers['x-kugelaudio-ai-generated']).toBe('true');
  });

  it.each([
    [{ Authorization: 'Bearer local' }, ''],
    [{ 'X-API-Key': 'local' }, ''],
    [{}, '?api_key=local&sdk=js&sdk_version=1.0.1'],
    [{}, '?token=local'],
    [{}, '?master_key=local&org_id=7'],
  ])('a key is taken from %j%s', async (headers, query) => {
    const client = await new SocketClient(`${server.ws}/kugel/ws/tts${query}`, { headers }).send(
      REQUEST.question,
    );
    await client.until(REQUEST.answer);
    client.done();
  });
});

describe('messages', () => {
  it.each(KUGEL_ENDPOINTS)(
    'of $path that are no JSON in text have an error, and the socket goes on',
    async (endpoint) => {
      const client = await open(endpoint);
      await client.send('{"text"', Buffer.from([1, 2, 3]), endpoint.question);
      await client.until(endpoint.answer);
      const error = { error_code: 'VALIDATION_ERROR', code: 400, request_id: client.headers['x-request-id'] };
      expect(client.of('error')).toMatchObject([error, error]);
      client.done();
    },
  );

  it.each(SOCKET_ENDPOINTS)('of $path of 1 MiB are read, larger ones close with 1009', async (endpoint) => {
    const client = await open(endpoint);
    const question = JSON.stringify(endpoint.question);
    await client.send(question.padEnd(MIB));
    await client.until(endpoint.answer);
    await client.send(question.padEnd(MIB + 1));
    expect((await client.closed).code).toBe(1009);
    expect(client.of(endpoint.answer)).toHaveLength(1);
  });
});
