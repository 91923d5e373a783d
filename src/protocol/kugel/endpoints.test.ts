import { afterEach, describe, expect, it, vi } from 'vitest';
import { handshakeOf, keylessAddress } from '../core/address.ts';
import { kugelEndpoints, kugelStream } from './endpoints.ts';
import { protocols } from './protocols.ts';
import { kugelCatalogue } from './wire/catalogue.ts';

const { 'kugel-multi': kugelMulti } = kugelEndpoints;

const { publishedPrice } = protocols['kugel-stream'];

describe('publishedPrice', () => {
  it.each([
    { model: undefined, eurPerMinute: 0.07 },
    { model: 'kugel-3', eurPerMinute: 0.07 },
    { model: 'kugel-2-turbo', eurPerMinute: 0.035 },
  ])('a minute of $model costs EUR $eurPerMinute', ({ model, eurPerMinute }) => {
    const price = publishedPrice(model === undefined ? {} : { model_id: model });
    expect(((price?.centsPerSecond ?? 0) * 60) / 100).toBeCloseTo(eurPerMinute, 12);
    expect(price?.currency).toBe('eur');
  });

  it('is unknown for an unlisted model', () => {
    expect(publishedPrice({ model_id: 'kugel-1' })).toBeNull();
  });
});

describe('the catalogue', () => {
  afterEach(() => void vi.unstubAllGlobals());

  it('5 has each dictionary with the project that a selection of it needs', async () => {
    const rows = [
      { id: 7, name: 'Brands', project_id: 42 },
      { id: 8, name: 'Names', project_id: null },
    ];
    vi.stubGlobal('fetch', async () => Response.json({ dictionaries: rows }));
    const list = await kugelCatalogue.dictionaries({ base: 'https://server/kugel', key: 'k' });
    expect(list).toMatchObject([
      { id: '7', settings: { project_id: 42 } },
      { id: '8', settings: {} },
    ]);
  });

  it.each([
    ['in pages', 100, ['', '100', '200']],
    ['at once', 250, ['']],
  ])('5 has each voice once of a server that lists them %s', async (_, most, expected) => {
    const asked: string[] = [];
    vi.stubGlobal('fetch', async (address: string | URL) => {
      const { searchParams } = new URL(address);
      const offset = Number(searchParams.get('offset'));
      asked.push(searchParams.get('offset') ?? '');
      const count = Math.min(most, 250 - offset);
      const voices = Array.from({ length: count }, (_, at) => ({ id: offset + at, name: 'A' }));
      return Response.json({ voices, total: 250 });
    });
    const list = await kugelCatalogue.voices({ base: 'https://server/kugel', key: 'k' });
    expect(new Set(list.map(({ id }) => id)).size).toBe(250);
    expect(list).toHaveLength(250);
    expect(asked).toEqual(expected);
  });
});

describe('the endpoints', () => {
  it('have these addresses and limits', () => {
    for (const [endpoint, path] of [
      [kugelStream, 'ws://h/kugel/ws/tts/stream'],
      [kugelMulti, 'ws://h/kugel/ws/tts/multi'],
    ] as const) {
      const address = keylessAddress(endpoint, 'ws://h/kugel', { voice_id: 1071 });
      expect(address).toBe(path);
      expect(handshakeOf(endpoint, address, 'a&b')).toEqual({ url: `${path}?api_key=a%26b`, protocols: [] });
    }
    expect(kugelStream).toMatchObject({ contexts: null, limits: { textChars: 10_000, idleTurnMs: 5000 } });
    expect(kugelMulti).toMatchObject({
      contexts: { max: 20 },
      limits: { textChars: 10_000, idleTurnMs: null },
    });
    expect(kugelMulti.contexts?.idleMs({})).toBe(20_000);
  });
});
