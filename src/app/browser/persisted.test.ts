import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from '#protocol/core/zod.ts';
import { persisted, storageSlot } from './persisted.ts';
import { memoryStorage } from './testing/memory-storage.ts';

const NAME = 'voicewire.test';
const schema = z.object({
  volume: z.catch(z.number().check(z.gte(0), z.lte(1)), 1),
  theme: z.catch(z.enum(['light', 'dark']), 'light'),
});
const openStore = () => persisted(NAME, schema, () => ({ open: false }));

const blocked = (): never => {
  throw new DOMException('Access is denied.', 'SecurityError');
};

afterEach(() => vi.unstubAllGlobals());

const stubStorage = (text?: string): Storage => {
  const storage = memoryStorage(text === undefined ? [] : [[NAME, text]]);
  vi.stubGlobal('localStorage', storage);
  return storage;
};

describe('persisted', () => {
  it('restores schema fields on the next load and stores nothing else', () => {
    const storage = stubStorage();
    openStore().setState({ volume: 0.5, open: true });
    expect(JSON.parse(storage.getItem(NAME) ?? '')).toEqual({
      state: { volume: 0.5, theme: 'light' },
      version: 2,
    });
    expect(openStore().getState()).toEqual({ volume: 0.5, theme: 'light', open: false });
  });

  it.each([0, 1, 2, 7, undefined])('restores what version %j stored, field by field', (version) => {
    stubStorage(JSON.stringify({ state: { volume: 40, theme: 'dark', gone: 1 }, version }));
    expect(openStore().getState()).toEqual({ volume: 1, theme: 'dark', open: false });
  });

  it.each(['', '{', 'null', '[]', '7', '{}', '{"state":7}', '{"state":null,"version":"x"}'])(
    'starts with the defaults when storage holds %j',
    (text) => {
      stubStorage(text);
      expect(openStore().getState()).toEqual({ volume: 1, theme: 'light', open: false });
    },
  );

  it('works in memory when the browser blocks its storage', () => {
    vi.stubGlobal('localStorage', { getItem: blocked, setItem: blocked, removeItem: blocked });
    const store = openStore();
    store.setState({ theme: 'dark' });
    expect(store.getState()).toEqual({ volume: 1, theme: 'dark', open: false });
  });
});

describe('storageSlot', () => {
  it('returns null for a value that does not match its schema', () => {
    stubStorage('{"a": 1}');
    expect(storageSlot(NAME, z.record(z.string(), z.string())).load()).toBeNull();
    expect(storageSlot(NAME, z.record(z.string(), z.number())).load()).toEqual({ a: 1 });
  });

  it('never throws when reading the storage property itself is denied', () => {
    const slot = storageSlot(NAME, z.unknown(), blocked);
    expect(slot.load()).toBeNull();
    expect(() => slot.save(1)).not.toThrow();
    expect(() => slot.clear()).not.toThrow();
  });
});
