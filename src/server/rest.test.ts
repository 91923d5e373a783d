import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunningServer } from './running-server.ts';
import { createTestEngine } from './test-engine.test-helper.ts';
import { startTestServer } from './test-server.test-helper.ts';

/** What the calls of all vendors share. */

let server: RunningServer;

beforeAll(async () => {
  server = await startTestServer({ engine: createTestEngine() });
});
afterAll(() => server.stop());

const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
const wide = (values: number) => `{"a":[${Array(values).fill(0).join()}]}`;
const form = (parts: number) =>
  `${'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n0\r\n'.repeat(parts)}--b--\r\n`;

const LEVELS = 'expected a JSON object, got JSON of more than 32 levels';
const VALUES = 'expected a JSON object, got JSON of more than 1000 values';

it.each<[string, string, string, number, string]>([
  ['/kugel/v1/tts/generate', 'nested', nested(32), 400, LEVELS],
  ['/murmr/v1/audio/speech', 'nested', nested(100_000), 400, LEVELS],
  ['/kugel/v1/voices', 'wide', wide(1000), 400, VALUES],
  ['/murmr/v1/voices/design', 'wide', wide(1000), 400, VALUES],
  ['/kugel/v1/dictionaries/1/entries', 'wide', wide(60_000), 400, '60000 values'],
  [
    '/kugel/v1/voices',
    'large',
    `"${'a'.repeat(256 * 1024)}"`,
    413,
    'expected a body of at most 262144 bytes',
  ],
  ['/kugel/v1/dictionaries/1/entries', 'large', ' '.repeat(1024 * 1024 + 1), 413, 'at most 1048576 bytes'],
  ['/murmr/v1/voices', 'large', ' '.repeat(16 * 1024 * 1024 + 1), 413, 'at most 16777216 bytes'],
  ['/kugel/v1/voices', 'a form of many parts', form(101), 400, 'expected at most 100 parts'],
])('%s refuses a body that is %s, and names the limit', async (path, what, body, status, problem) => {
  const type = what.includes('form') ? 'multipart/form-data; boundary=b' : 'application/json';
  const response = await fetch(`${server.http}${path}`, {
    method: path.includes('entries') ? 'PUT' : 'POST',
    headers: { 'Content-Type': type, Authorization: 'Bearer local' },
    body,
  });
  expect([response.status, JSON.stringify(await response.json())]).toEqual([
    status,
    expect.stringContaining(problem),
  ]);
});
