import { afterEach, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { RealtimeClient } from '../murmr/realtime-client.test-helper.ts';
import type { RunningServer } from '../running-server.ts';
import { SocketClient } from '../socket-client.test-helper.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { startTestServer } from '../test-server.test-helper.ts';
import { createMetrics } from './metrics.ts';

const TEXT = 'Hello there, friend.';
/** Without it, `waitFor` gives up after a second. */
const PATIENT = { timeout: 60_000 };

let server: RunningServer;

afterEach(async () => {
  vi.useRealTimers();
  await server.stop();
});

const generate = (text = TEXT): Promise<Response> =>
  fetch(`${server.http}/kugel/v1/tts/generate`, {
    method: 'POST',
    headers: { 'X-API-Key': 'local' },
    body: JSON.stringify({ text, voice_id: 1071 }),
  });

/** The samples of our own metrics, by name and labels. */
async function read(): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${server.http}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith('voicewire_'));
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(' ');
      return [line.slice(0, space), Number(line.slice(space))];
    }),
  );
}

const until = (name: string, value: number) =>
  vi.waitFor(async () => expect((await read()).get(name)).toBe(value), PATIENT);

it('counts sessions, turns, audio, first audio and refusals by endpoint', async () => {
  const engine = createTestEngine();
  server = await startTestServer({ engine, metrics: createMetrics() });
  const stream = new SocketClient(`${server.ws}/kugel/ws/tts/stream?api_key=local`);
  await stream.send({ voice_id: 1071, text: TEXT, flush: true });
  await stream.until('session_closed');
  engine.hold();
  await stream.send({ text: TEXT, flush: true });
  await stream.until('generation_started', 2);
  await until('voicewire_engine_requests{state="waiting"}', 1);
  await stream.send({ cancel: true });
  await stream.until('interrupted');
  engine.release();
  await stream.send({ text: 5 });
  await stream.until('error');
  const realtime = new RealtimeClient(server);
  await realtime.send({ type: 'config', api_key: 'local', voice_description: 'calm' });
  await realtime.send({ type: 'text', text: TEXT }, { type: 'flush' });
  await realtime.until('done');
  const wrong = new SocketClient(`${server.ws}/kugel/ws/tts/multi?api_key=a-secret-key`);
  await wrong.closed;
  await (await generate()).arrayBuffer();
  expect((await generate('')).status).toBe(400);

  const seconds = TEXT.length / 100;
  const expected = {
    'voicewire_sessions{endpoint="kugel-stream"}': 1,
    'voicewire_sessions_total{endpoint="kugel-stream"}': 1,
    'voicewire_sessions_total{endpoint="kugel-multi"}': 1,
    'voicewire_sessions{endpoint="kugel-multi"}': 0,
    'voicewire_turns_total{endpoint="kugel-stream",outcome="completed"}': 1,
    'voicewire_turns_total{endpoint="kugel-stream",outcome="cancelled"}': 1,
    'voicewire_turns_total{endpoint="murmr",outcome="completed"}': 1,
    'voicewire_turns_total{endpoint="kugel-rest",outcome="completed"}': 1,
    'voicewire_audio_seconds_total{endpoint="kugel-stream"}': seconds,
    'voicewire_audio_seconds_total{endpoint="murmr"}': seconds,
    'voicewire_audio_seconds_total{endpoint="kugel-rest"}': seconds,
    'voicewire_first_audio_seconds_count{endpoint="kugel-stream"}': 1,
    'voicewire_first_audio_seconds_bucket{le="+Inf",endpoint="murmr"}': 1,
    'voicewire_refusals_total{endpoint="kugel-multi",reason="UNAUTHORIZED"}': 1,
    'voicewire_refusals_total{endpoint="kugel-stream",reason="VALIDATION_ERROR"}': 1,
    'voicewire_refusals_total{endpoint="kugel-rest",reason="400"}': 1,
    'voicewire_engine_requests{state="waiting"}': 0,
    'voicewire_engine_requests{state="speaking"}': 0,
    voicewire_engine_failures_total: 0,
    voicewire_state_up: 1,
    voicewire_captured_bytes: expect.toSatisfy((bytes: number) => bytes > 10_000),
  };
  await vi.waitFor(async () => expect(Object.fromEntries(await read())).toMatchObject(expected), PATIENT);
  stream.done();
  realtime.done();
  await until('voicewire_sessions{endpoint="kugel-stream"}', 0);
});

it('has the text format, the delay of the event loop, and no label of a client', async () => {
  server = await startTestServer({ engine: createTestEngine(), metrics: createMetrics() });
  for (let count = 0; count < 5; count += 1) {
    await fetch(`${server.http}/kugel/secret-${count}?api_key=secret`, {
      headers: { 'User-Agent': `secret ${count}` },
    });
    const socket = new WebSocket(`${server.ws}/secret-${count}`);
    await new Promise((resolve) => socket.once('error', resolve));
  }
  const response = await fetch(`${server.http}/metrics`);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
  expect(text).toContain('voicewire_refusals_total{endpoint="other",reason="404"} 5');
  expect(text).not.toContain('secret');
  const refusals = text.split('\n').filter((line) => line.startsWith('voicewire_refusals_total'));
  expect(refusals.length).toBeLessThanOrEqual(2);
  const head = await fetch(`${server.http}/metrics`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
});

it('is ready again once a failing engine speaks a word, for which it is asked every two seconds', async () => {
  const engine = createTestEngine();
  let isBroken = false;
  let failed = 0;
  server = await startTestServer({
    engine: {
      ...engine,
      async *synthesize(request, signal) {
        if (isBroken) {
          failed += 1;
          throw new Error('no engine');
        }
        yield* engine.synthesize(request, signal);
      },
    },
  });
  vi.useFakeTimers({ toFake: ['performance'] });
  const ready = async (path = '/ready') => {
    const response = await fetch(`${server.http}${path}`);
    return [response.status, await response.json()];
  };
  const available = [200, { status: 'ready' }];
  const unavailable = [503, { status: 'unavailable', reason: 'the speech engine fails' }];
  expect(await ready()).toEqual(available);
  // One failed text is no broken engine.
  engine.failNext();
  expect((await generate()).status).toBe(500);
  expect(await ready()).toEqual(available);
  isBroken = true;
  vi.advanceTimersByTime(2000);
  expect((await generate()).status).toBe(500);
  expect(await ready()).toEqual(unavailable);
  expect(failed).toBe(2);
  isBroken = false;
  vi.advanceTimersByTime(1999);
  expect(await ready()).toEqual(unavailable);
  expect(await ready('/kugel/ready')).toEqual(unavailable);
  expect((await fetch(`${server.http}/health`)).status).toBe(200);
  vi.advanceTimersByTime(1);
  expect(await ready()).toEqual(available);
  // Metrics are off.
  expect((await fetch(`${server.http}/metrics`)).status).toBe(404);
});
