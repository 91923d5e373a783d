import fc from 'fast-check';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { persisted } from '../browser/persisted.ts';
import { memoryStorage } from '../browser/testing/memory-storage.ts';
import {
  CUSTOM_SERVER,
  pageSettings,
  SETTINGS_STORAGE_NAME,
  selectEndpoint,
  selectServerId,
  selectSettings,
} from './settings-store.ts';

afterEach(() => void vi.unstubAllGlobals());
// Other files of the thread must not get the stores that are loaded here.
afterAll(() => void vi.resetModules());

function restoreSettings(state: unknown) {
  vi.stubGlobal('localStorage', memoryStorage([['x', JSON.stringify({ state, version: 1 })]]));
  return persisted('x', pageSettings, () => ({})).getState();
}
const fresh = pageSettings.parse({});

it('keeps valid fields beside invalid ones, and drops unknown fields, API keys above all', () => {
  const valid = { muted: true, theme: 'dark', setupView: 'json', draft: 'Hi' } as const;
  const settings = restoreSettings({ ...valid, volume: 40, dockHeightPx: 'tall', keys: { local: 'secret' } });
  expect(settings).toEqual({ ...fresh, ...valid });
});

it('restores any stored value, and its own result unchanged', () => {
  const value = fc.jsonValue();
  const fields = fc.record({ simulation: value, settings: value, servers: value, liveModel: value });
  fc.assert(
    fc.property(fc.oneof(value, fields), (stored) => {
      const once = restoreSettings(stored);
      expect(restoreSettings(once)).toEqual(once);
    }),
  );
});

it.each([
  [1, { voice_id: 7, dictionary_ids: [3], project_id: 1 }],
  [2, { voice_id: 7, dictionary_ids: [3] }],
])(
  'gives a set-up of version %i the settings that its endpoint has gained since',
  async (version, settings) => {
    const stored = { 'kugel-stream': { voice_id: 7, dictionary_ids: [3] }, murmr: { voice: 'x' } };
    const item = JSON.stringify({ state: { settings: stored }, version });
    vi.stubGlobal('localStorage', memoryStorage([[SETTINGS_STORAGE_NAME, item]]));
    vi.resetModules();
    const { useSettings } = await import('./settings-store.ts');
    expect(useSettings.getState().settings).toEqual({ ...stored, 'kugel-stream': settings });
  },
);

it('falls back to an endpoint, a server and settings that exist, and keeps a custom server', () => {
  const page = { ...fresh, endpoint: 'gone', servers: { 'kugel-stream': 'gone' } };
  expect(selectEndpoint(page).id).toBe('kugel-stream');
  expect(selectServerId(page)).toBe('local');
  expect(selectSettings(page)).toEqual(selectEndpoint(page).initialSettings);
  expect(selectServerId({ ...page, servers: { 'kugel-stream': CUSTOM_SERVER } })).toBe(CUSTOM_SERVER);
});
