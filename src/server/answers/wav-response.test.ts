import { Hono } from 'hono';
import { expect, it } from 'vitest';
import type { Rest } from '../rest.ts';
import { sampleRoute } from './wav-response.ts';

const wav = Uint8Array.from({ length: 100 }, (_, at) => at);
const rest: Rest = new Hono();
sampleRoute(rest, '/', async () => wav);

it.each<[string | undefined, number, string | null, Uint8Array]>([
  [undefined, 200, null, wav],
  ['bytes=0-', 206, 'bytes 0-99/100', wav],
  ['bytes=0-0', 206, 'bytes 0-0/100', wav.subarray(0, 1)],
  ['bytes=10-19', 206, 'bytes 10-19/100', wav.subarray(10, 20)],
  ['bytes=90-200', 206, 'bytes 90-99/100', wav.subarray(90)],
  ['bytes=-10', 206, 'bytes 90-99/100', wav.subarray(90)],
  ['bytes=-200', 206, 'bytes 0-99/100', wav],
  ['bytes=100-', 416, 'bytes */100', wav.subarray(100)],
  ['bytes=-0', 416, 'bytes */100', wav.subarray(100)],
  ['bytes=20-10', 200, null, wav],
  ['bytes=0-1,5-6', 200, null, wav],
  ['bytes=-', 200, null, wav],
  ['lines=0-1', 200, null, wav],
])('the range %s of 100 bytes is answered with %i', async (range, status, contentRange, bytes) => {
  const answer = await rest.request('/', range === undefined ? {} : { headers: { Range: range } });
  expect([answer.status, answer.headers.get('content-range')]).toEqual([status, contentRange]);
  expect(new Uint8Array(await answer.arrayBuffer())).toEqual(bytes);
});
