import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { PAGE_ENDPOINTS } from '#protocol/registry.ts';
import { memoryStorage } from '../browser/testing/memory-storage.ts';
import { useScene } from '../stores/scene-store.ts';
import { useSettings } from '../stores/settings-store.ts';
import { changeSide, setConfigurations, studioSide, useCompare } from './compare-store.ts';
import { runConfigOf, type Side, sideObstacle } from './side.ts';

const shown: Side = {
  endpoint: 'kugel-stream',
  server: 'local',
  customBase: '',
  settings: {},
  speaker: {},
};

afterEach(() => void vi.unstubAllGlobals());
// Other files of the thread must not get the stores that are loaded here.
afterAll(() => void vi.resetModules());

test('keeps both settings that change in one event, before the page renders again', () => {
  setConfigurations([null, null]);
  const setField = (field: string, value: unknown) =>
    changeSide('a', shown, (side) => ({ ...side, settings: { ...side.settings, [field]: value } }));
  setField('cfg_scale', 1.5);
  setField('speed', 1.1);
  expect(useCompare.getState().configurations[0]?.settings).toEqual({ cfg_scale: 1.5, speed: 1.1 });
});

test('changes a further configuration of a tournament', () => {
  const voiced = (voice: number): Side => ({ ...shown, settings: { voice_id: voice } });
  setConfigurations([voiced(1), voiced(2), voiced(3), voiced(4)]);
  changeSide('d', shown, (side) => ({ ...side, server: 'cloud' }));
  expect(useCompare.getState().configurations).toEqual([
    voiced(1),
    voiced(2),
    voiced(3),
    { ...voiced(4), server: 'cloud' },
  ]);
});

test.each(PAGE_ENDPOINTS)('can run $id as a side, as it is set up at first', ({ id }) => {
  // Other files of the thread may have changed them.
  useScene.setState(useScene.getInitialState(), true);
  useSettings.setState(useSettings.getInitialState(), true);
  const side = studioSide(id);
  expect(side.endpoint).toBe(id);
  expect(sideObstacle(side, { keys: {} })).toBeNull();
  expect(runConfigOf(side, { keys: {} }, 'http://x', { kind: 'whole' })).toMatchObject({ endpoint: id });
});

test.each([
  ['damaged storage', { configurations: [{ endpoint: 'gone' }, shown] }],
  ['earlier versions', { a: { endpoint: 'gone' }, b: shown }],
])('restores the valid fields of %s', async (_, sides) => {
  const state = { ...sides, order: 'together', heard: 7, texts: 5 };
  vi.stubGlobal('localStorage', memoryStorage([['voicewire.compare', JSON.stringify({ state })]]));
  vi.resetModules();
  const { useCompare: restored } = await import('./compare-store.ts');
  expect(restored.getState()).toMatchObject({
    configurations: [null, shown],
    order: 'together',
    heard: 'both',
  });
});
