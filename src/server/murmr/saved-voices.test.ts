import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDataFile } from '../data-file.ts';
import { createFakeClock } from '../fake-clock.test-helper.ts';
import { LOCAL_CATALOGUE } from '../speech/voices/voice-catalogue.ts';
import { firstVoices, SAVED_LIMIT, SavedVoices } from './saved-voices.ts';

const FIRST_VOICES = firstVoices(LOCAL_CATALOGUE);

let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'voicewire-murmr-'));
  path = join(directory, 'data.json');
});
afterEach(() => rm(directory, { recursive: true }));

const NARRATOR = {
  name: 'Narrator',
  description: 'A warm voice',
  language: 'de',
  cloned: { description: 'A warm voice', language: 'de' },
  sampleText: 'Guten Tag.',
} as const;

it('7 voices are unique, with ids in the form of the vendor', () => {
  const { all } = new SavedVoices(openDataFile(undefined), createFakeClock(), LOCAL_CATALOGUE);
  expect(all).toEqual(FIRST_VOICES);
  expect(all.length).toBeGreaterThanOrEqual(3);
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  for (const { id } of all) expect(id).toMatch(/^voice_[0-9a-f]{12}$/);
});

it('saved and deleted voices outlast a restart in the data file', async () => {
  const data = openDataFile(path);
  const voices = new SavedVoices(data, createFakeClock(), LOCAL_CATALOGUE);
  const [deleted] = voices.all;
  if (deleted) voices.remove(deleted);
  const saved = voices.add(NARRATOR);
  expect(saved).toMatchObject({ ...NARRATOR, createdAt: '1970-01-01T00:00:00.000Z' });
  await data.flush();
  const next = new SavedVoices(openDataFile(path), createFakeClock(), LOCAL_CATALOGUE);
  expect(next.all).toEqual(voices.all);
  expect(next.find(saved.id)).toEqual(saved);
  expect(JSON.parse(await readFile(path, 'utf8')).murmr_voices).toHaveLength(FIRST_VOICES.length);
});

it('are full at the limit of the plan', () => {
  const voices = new SavedVoices(openDataFile(undefined), createFakeClock(), LOCAL_CATALOGUE);
  for (let count = FIRST_VOICES.length; count < SAVED_LIMIT; count += 1) {
    expect(voices.isFull).toBe(false);
    voices.add(NARRATOR);
  }
  expect(voices.isFull).toBe(true);
});
