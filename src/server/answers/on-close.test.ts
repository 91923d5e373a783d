import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '#lib/clock.ts';
import { Capture } from '../capture/capture.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { startTestVendor } from '../relay/vendor.test-helper.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { startTestServer } from '../test-server.test-helper.ts';
import { onClose } from './on-close.ts';

it('tasks at the end of an answer are one listener, run in their order, and at once after it', async () => {
  const ran: number[] = [];
  const answers: ServerResponse[] = [];
  const listeners: number[] = [];
  const http = createServer((_, response) => {
    answers.push(response);
    listeners.push(response.listenerCount('close'));
    for (let at = 0; at < 50; at += 1) onClose(response, () => ran.push(at));
    listeners.push(response.listenerCount('close'));
    response.end();
  });
  onTestFinished(() => void http.close());
  await once(http.listen(0, '127.0.0.1'), 'listening');
  await fetch(`http://127.0.0.1:${(http.address() as AddressInfo).port}/`);
  const [answer] = answers;
  if (!answer) throw new Error('The server was not asked.');
  if (!answer.closed) await once(answer, 'close');
  expect(ran).toEqual(Array.from({ length: 50 }, (_, at) => at));
  const [before = 0, after] = listeners;
  expect(after).toBe(before + 1);
  onClose(answer, () => ran.push(-1));
  expect(ran.at(-1)).toBe(-1);
});

describe('an answer behind capture, faults, metrics and the relay', () => {
  const json = { 'Content-Type': 'application/json' };
  const speech = (text: string, headers: Record<string, string>, fields: object = {}) => ({
    method: 'POST',
    headers: { ...json, ...headers },
    body: JSON.stringify({ text, ...fields }),
  });
  const cartesia = { transcript: 'Good morning.', model_id: 'sonic-2', voice: { mode: 'id', id: 'katie' } };
  const wav = { output_format: { container: 'wav', encoding: 'pcm_s16le', sample_rate: 24_000 } };
  const voice = { voice_id: 1071 };

  it.each<[string, string, RequestInit]>([
    ['relay', '/relay/kugel/v1/voices', {}],
    ['relay, with a body', '/relay/kugel/v1/tts/generate', speech('Hi.', { 'X-API-Key': 'local' }, voice)],
    ['speech', '/kugel/v1/tts/generate', speech('Good morning.', { 'X-API-Key': 'local' }, voice)],
    ['speech', '/murmr/v1/audio/speech', speech('Hi.', { Authorization: 'Bearer local' }, { voice: 'Nova' })],
    ['speech', '/deepgram/v1/speak', speech('Good morning.', { Authorization: 'Token local' })],
    ['speech', '/cartesia/tts/bytes', speech('', { 'X-API-Key': 'local' }, { ...cartesia, ...wav })],
    ['a file', '/elevenlabs/v1/text-to-speech/Rachel', speech('Hi.', { 'xi-api-key': 'local' })],
    ['refusal', '/kugel/v1/tts/generate', speech('Good morning.', { 'X-API-Key': 'wrong' }, voice)],
  ])('gives no warning: %s, %s', async (_, path, asked) => {
    const warnings: string[] = [];
    const note = ({ name, message }: Error) => warnings.push(`${name}: ${message}`);
    process.on('warning', note);
    const vendor = await startTestVendor();
    vendor.answer = (request, response) => {
      request.resume().on('end', () => response.end('answer'.repeat(100_000)));
    };
    const server = await startTestServer({
      engine: createTestEngine(),
      capture: new Capture(systemClock),
      metrics: createMetrics(),
      relays: { kugel: vendor.base },
    });
    onTestFinished(async () => {
      process.off('warning', note);
      await server.stop();
      await vendor.stop();
    });
    const answer = await fetch(`${server.http}/faults/latency=5,jitter=1${path}`, asked);
    await answer.arrayBuffer();
    await new Promise(setImmediate);
    expect(warnings).toEqual([]);
  });
});
