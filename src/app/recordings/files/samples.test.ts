import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { PAGE_ENDPOINTS } from '#protocol/registry.ts';
import type { RecordEntry } from '#trace/entry.ts';
import { readRecording } from '#trace/files/testing/recordings.ts';
import { SAMPLES } from './samples.ts';

const DIRECTORY = new URL('../../../../public/recordings/', import.meta.url);
const MAX_BYTES = 300_000;
const MAX_BYTES_IN_ALL = 1_000_000;

const packed = (file: string): Buffer => readFileSync(new URL(file, DIRECTORY));

async function read(file: string) {
  const text = gunzipSync(packed(file)).toString();
  const entries: RecordEntry[] = [];
  const reading = readRecording([text]);
  for (;;) {
    const { value, done } = await reading.next();
    if (done) return { text, entries, end: value };
    entries.push(...value);
  }
}

describe('The samples', () => {
  it('are those that are there, and small', () => {
    expect(SAMPLES.map(({ file }) => file).sort()).toEqual(readdirSync(DIRECTORY).sort());
    const sizes = SAMPLES.map(({ file }) => packed(file).length);
    expect(Math.max(...sizes)).toBeLessThan(MAX_BYTES);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_BYTES_IN_ALL);
  });

  it('show every endpoint', async () => {
    const shown = await Promise.all(SAMPLES.map(async ({ file }) => (await read(file)).end.info.endpoint));
    expect(new Set(shown)).toEqual(new Set(PAGE_ENDPOINTS.map(({ id }) => id)));
  });

  it.each(SAMPLES)('$title is whole, called so, and names no machine', async ({ file, title }) => {
    const { text, entries, end } = await read(file);
    expect(end).toMatchObject({ warnings: [], info: { name: title } });
    expect(entries.some(({ kind }) => kind === 'audio')).toBe(true);
    const hosts = [...text.matchAll(/\b(?:wss?|https?):\/\/([^/"\\]+)/g)].map(([, host]) => host);
    expect(new Set(hosts)).toEqual(new Set(['127.0.0.1:4173']));
    expect(text).not.toMatch(/\/(?:home|root|tmp|work|Users)\//);
  });
});
