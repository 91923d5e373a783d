import { afterEach, expect, it, vi } from 'vitest';
import { cartesiaCatalogue } from './catalogue.ts';

const BASE = 'http://localhost:4000/cartesia';

afterEach(() => void vi.unstubAllGlobals());

it.each([
  ['by the last voice', false],
  ['by the next page', true],
])('voices are read page by page: %s', async (_, isNamed) => {
  const asked: [string | null, unknown][] = [];
  vi.stubGlobal('fetch', async (url: string, { headers }: RequestInit) => {
    const after = new URL(url).searchParams.get('starting_after');
    asked.push([after, headers]);
    const id = after === null ? 'a' : 'b';
    const voice = {
      id,
      name: `Voice ${id}`,
      language: 'en',
      gender: 'feminine',
      preview_file_url: 'https://other.test/a',
    };
    const more = after === null;
    return Response.json({ data: [voice], has_more: more, ...(isNamed && more ? { next_page: 'n' } : {}) });
  });
  const voices = await cartesiaCatalogue.voices({ base: BASE, key: 'sk_1' });
  const headers = { Authorization: 'Bearer sk_1', 'Cartesia-Version': '2026-08-14' };
  expect(asked).toEqual([
    [null, headers],
    [isNamed ? 'n' : 'a', headers],
  ]);
  expect(voices).toMatchObject([
    { id: 'a', name: 'Voice a', sex: 'female', languages: ['en'], sampleUrl: null },
    { id: 'b' },
  ]);
});
