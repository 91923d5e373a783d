import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createFakeClock } from '../fake-clock.test-helper.ts';
import { LOCAL_CATALOGUE } from '../speech/voices/voice-catalogue.ts';
import { openMemoryState } from '../state/memory-state.ts';
import { firstVoices, SAVED_LIMIT, savedVoices } from './saved-voices.ts';

const FIRST_VOICES = firstVoices(LOCAL_CATALOGUE);

let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'voicewire-murmr-'));
  path = join(directory, 'data.json');
});
afterEach(() => rm(directory, { recursive: true }));

const open = (state = openMemoryState()) => state.document(savedVoices(createFakeClock(), LOCAL_CATALOGUE));

const NARRATOR = {
  name: 'Narrator',
  description: 'A warm voice',
  language: 'de',
  cloned: { description: 'A warm voice', language: 'de' },
  sampleText: 'Guten Tag.',
} as const;

it('7 voices are unique, with ids in the form of the vendor', () => {
  const { all } = open().current;
  expect(all).toEqual(FIRST_VOICES);
  expect(all.length).toBeGreaterThanOrEqual(3);
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  for (const { id } of all) expect(id).toMatch(/^voice_[0-9a-f]{12}$/);
});

it('saved and deleted voices outlast a restart in the data file', async () => {
  const state = openMemoryState(path);
  const voices = open(state);
  const [deleted] = voices.current.all;
  const saved = await voices.change((all) => {
    if (deleted) all.remove(deleted);
    return all.add(NARRATOR);
  });
  expect(saved).toMatchObject({ ...NARRATOR, createdAt: '1970-01-01T00:00:00.000Z' });
  await state.close();
  const next = open(openMemoryState(path)).current;
  expect(next.all).toEqual(voices.current.all);
  expect(next.find(saved.id)).toEqual(saved);
  expect(JSON.parse(await readFile(path, 'utf8')).murmr_voices).toHaveLength(FIRST_VOICES.length);
});

it('are full at the limit of the plan', () => {
  const voices = open().current;
  for (let count = FIRST_VOICES.length; count < SAVED_LIMIT; count += 1) {
    expect(voices.isFull).toBe(false);
    voices.add(NARRATOR);
  }
  expect(voices.isFull).toBe(true);
});
