import { afterEach, describe, expect, it, vi } from 'vitest';
import { murmrCatalogue } from './catalogue.ts';

afterEach(() => vi.unstubAllGlobals());

/** What goes out, and what comes back for it. */
function answering(reply: () => Response | Promise<Response>) {
  const fetch = vi.fn((_url: string, _options: RequestInit) => Promise.resolve().then(reply));
  vi.stubGlobal('fetch', fetch);
  return fetch;
}

const voices = (key = 'murmr_sk_live_x', signal?: AbortSignal) =>
  murmrCatalogue.voices({ base: 'https://server/murmr', key, ...(signal ? { signal } : {}) });

/** One voice (murmr-http-5). */
const VOICE = {
  id: 'voice_abc123',
  name: 'Ada',
  description: 'A calm alto',
  language: 'en',
  language_name: 'English',
  audio_preview_url: null,
  created_at: '2026-03-10T00:00:00Z',
};

const listing = (...saved: object[]): Response =>
  Response.json({ voices: saved, saved_count: saved.length, saved_limit: 50, total: saved.length });

describe('saved voices', () => {
  it('are asked for with the key in the header, and with none where there is none', async () => {
    const fetch = answering(() => listing());
    await voices();
    await voices('');
    expect(fetch.mock.calls).toEqual([
      ['https://server/murmr/v1/voices', { headers: { Authorization: 'Bearer murmr_sk_live_x' } }],
      ['https://server/murmr/v1/voices', { headers: {} }],
    ]);
  });

  it('bring their prompt, without which the id is not taken', async () => {
    answering(() => listing({ ...VOICE, prompt_data: 'QUJD', audio_preview_url: '/murmr/preview/ada.wav' }));
    expect(await voices()).toEqual([
      {
        id: 'voice_abc123',
        settings: { voice_clone_prompt: 'QUJD' },
        name: 'Ada',
        description: 'A calm alto',
        sex: null,
        age: null,
        languages: ['en'],
        sampleUrl: 'https://server/murmr/preview/ada.wav',
      },
    ]);
  });

  it('without a prompt are left out, because they cannot be used', async () => {
    answering(() => listing(VOICE, { ...VOICE, prompt_data: null }, { ...VOICE, prompt_data: '' }));
    expect(await voices()).toEqual([]);
  });

  it.each<[string, object, object]>([
    ['a language by name, as its code', { language: 'German' }, { languages: ['de'] }],
    ['a language by code', { language: 'de' }, { languages: ['de'] }],
    ['an unknown language as it is', { language: 'Klingon' }, { languages: ['Klingon'] }],
    [
      'a sample on a foreign host',
      { audio_preview_url: 'https://h/x.mp3' },
      { sampleUrl: 'https://h/x.mp3' },
    ],
    ['a sample by path', { audio_preview_url: 'p/x.mp3' }, { sampleUrl: 'https://server/murmr/p/x.mp3' }],
    [
      'no sample where its address is none',
      { audio_preview_url: 'https://[' },
      { name: 'Ada', sampleUrl: null },
    ],
  ])('have %s', async (_, fields, voice) => {
    answering(() => listing({ ...VOICE, prompt_data: 'QUJD', ...fields }));
    expect(await voices()).toMatchObject([voice]);
  });

  it('may leave out all but id and name', async () => {
    answering(() => listing({ id: 'v', name: 'Bo', prompt_data: 'QUJD' }));
    expect(await voices()).toMatchObject([{ name: 'Bo', description: '', languages: [], sampleUrl: null }]);
  });
});

describe('faults are explained in words', () => {
  it.each([
    ['no server', () => Promise.reject(new TypeError('Failed to fetch')), /did not answer/],
    ['a refused key', () => Response.json({ error: 'no' }, { status: 401 }), /does not accept this key/],
    ['another status', () => new Response('', { status: 503 }), /status 503/],
    ['no JSON', () => new Response('<html>'), /does not understand/],
    ['other JSON', () => Response.json({ voices: [{ name: 7 }] }), /does not understand/],
  ])('%s', async (_, reply, words) => {
    answering(reply);
    const failure = voices();
    await expect(failure).rejects.toMatchObject({ name: 'CatalogueError' });
    await expect(failure).rejects.toThrow(words);
  });

  it('but not that nobody waits for it any more', async () => {
    const reason = new DOMException('gone', 'AbortError');
    answering(() => Promise.reject(reason));
    await expect(voices('', AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
