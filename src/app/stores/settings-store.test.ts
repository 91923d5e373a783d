import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { restored } from '../browser/persisted.ts';
import {
  CUSTOM_SERVER,
  pageSettings,
  selectEndpoint,
  selectServerId,
  selectSettings,
} from './settings-store.ts';

const restoreSettings = (stored: unknown) => restored(pageSettings, stored);
const fresh = restoreSettings(null);

describe('pageSettings', () => {
  it.each([undefined, null, 'text', 7, [], {}])('starts with defaults when storage holds %j', (stored) => {
    expect(restoreSettings(stored)).toEqual(fresh);
  });

  it('keeps valid fields beside invalid ones', () => {
    const settings = restoreSettings({
      volume: 40,
      muted: true,
      theme: 'dark',
      setupView: 'json',
      dockHeightPx: 'tall',
      draft: 'Hi',
    });
    expect(settings).toEqual({ ...fresh, muted: true, theme: 'dark', setupView: 'json', draft: 'Hi' });
  });

  it('drops unknown fields, API keys above all', () => {
    expect(restoreSettings({ keys: { local: 'secret' }, key: 'secret' })).toEqual(fresh);
  });

  it('never throws, and restores its own result unchanged', () => {
    fc.assert(
      fc.property(fc.anything(), (stored) => {
        const once = restoreSettings(stored);
        expect(restoreSettings(once)).toEqual(once);
      }),
    );
    fc.assert(
      fc.property(
        fc.record({ simulation: fc.anything(), settings: fc.anything(), servers: fc.anything() }),
        (stored) => {
          expect(() => restoreSettings(stored)).not.toThrow();
        },
      ),
    );
  });
});

describe('choices', () => {
  it('falls back to an endpoint, a server and settings that exist', () => {
    const page = { ...fresh, endpoint: 'gone', servers: { 'kugel-stream': 'gone' } };
    expect(selectEndpoint(page).id).toBe('kugel-stream');
    expect(selectServerId(page)).toBe('local');
    expect(selectSettings(page)).toEqual(selectEndpoint(page).initialSettings);
  });

  it('keeps a custom server', () => {
    expect(selectServerId({ ...fresh, servers: { 'kugel-stream': CUSTOM_SERVER } })).toBe(CUSTOM_SERVER);
  });
});
