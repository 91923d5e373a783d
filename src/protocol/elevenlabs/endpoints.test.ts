import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { handshakeOf, keylessAddress, readAddress } from '../core/address.ts';
import type { Settings } from '../core/endpoint.ts';
import { elevenLabsMulti, elevenLabsStream } from './endpoints.ts';
import { elevenLabsCatalogue } from './wire/catalogue.ts';
import { parseStreamMessage } from './wire/client-frames.ts';
import { firstMessage } from './wire/stream-dialect.ts';

const BASE = 'ws://server/elevenlabs';

describe.each([elevenLabsStream, elevenLabsMulti])('an address of $id', (endpoint) => {
  const initial = { voice_id: 'EXAVITQu4vr4xnSDxMaL', ...endpoint.initialSettings };

  it('has voice and format in their places, and a single-use token, but no key', () => {
    const address = keylessAddress(endpoint, BASE, initial);
    expect(address).toBe(
      `${BASE}${endpoint.path.replace('{voice_id}', initial.voice_id)}?model_id=eleven_flash_v2_5&output_format=pcm_24000&inactivity_timeout=180`,
    );
    expect(handshakeOf(endpoint, address, 'sk_1').url).toBe(address);
    expect(handshakeOf(endpoint, address, 'sutkn_1').url).toBe(`${address}&single_use_token=sutkn_1`);
  });

  it('is read back', () => {
    const settings = fc.record(
      {
        voice_id: fc.stringMatching(/^[\w-]{1,20}$/),
        model_id: fc.constantFrom('eleven_flash_v2_5', 'eleven_multilingual_v2'),
        output_format: fc.constantFrom('pcm_16000', 'mp3_44100_128', 'opus_48000_32'),
        language_code: fc.constantFrom('en', 'no'),
        seed: fc.nat(),
        inactivity_timeout: fc.integer({ min: 1, max: 180 }),
        ...Object.fromEntries(
          ['enable_logging', 'auto_mode', 'sync_alignment', 'enable_ssml_parsing'].map((field) => [
            field,
            fc.boolean(),
          ]),
        ),
      },
      { requiredKeys: ['voice_id'] },
    );
    fc.assert(
      fc.property(settings, (wanted: Settings) => {
        const address = keylessAddress(endpoint, BASE, { ...wanted, stability: 1 });
        expect(readAddress(endpoint, `${address}${address.includes('?') ? '&' : '?'}other=1`)).toEqual({
          base: BASE,
          settings: wanted,
        });
        const issues = [
          ...endpoint.checkSettings(wanted),
          ...(endpoint.contexts?.checkSettings(wanted) ?? []),
        ];
        expect(issues).toEqual([]);
      }),
    );
  });
});

it('settings of messages are read back from the first message', () => {
  const settings: Settings = {
    stability: 0.2,
    similarity_boost: 0,
    use_speaker_boost: false,
    speed: 1.2,
    chunk_length_schedule: [50, 500],
    pronunciation_dictionary_locators: 'a:1, b:2',
  };
  const read = parseStreamMessage(JSON.parse(firstMessage(settings, 'sk_1')));
  expect(read).toMatchObject({ ok: true, value: { text: ' ', settings, key: 'sk_1' } });
});

describe('the format of the audio', () => {
  it.each<[unknown, object]>([
    ['pcm_24000', { encoding: 'pcm_s16le', sampleRate: 24_000 }],
    ['ulaw_8000', { encoding: 'mulaw', sampleRate: 8000 }],
    ['alaw_8000', { encoding: 'alaw', sampleRate: 8000 }],
    ['mp3_22050_32', { encoding: 'mp3', sampleRate: 22_050 }],
    ['opus_48000_64', { encoding: 'opus', sampleRate: 48_000 }],
    [undefined, { encoding: 'mp3', sampleRate: 44_100 }],
    ['flac_1', { encoding: 'mp3', sampleRate: 44_100 }],
  ])('of %s', (output_format, format) => {
    expect(elevenLabsStream.audioFormat(output_format === undefined ? {} : { output_format })).toEqual(
      format,
    );
  });
});

describe('the catalogue', () => {
  afterEach(() => void vi.unstubAllGlobals());

  /** Pages of one voice each. The last one has no token. */
  function answering(count: number) {
    const asked: [string, unknown][] = [];
    vi.stubGlobal('fetch', async (url: string, { headers }: RequestInit) => {
      const page = Number(new URL(url).searchParams.get('next_page_token') ?? 0);
      asked.push([url.replace(/^.*\/v2/, '/v2'), headers]);
      const voice = {
        voice_id: `v${page}`,
        name: `Voice ${page}`,
        labels: { gender: 'female', age: 'young', language: 'en', description: 'calm' },
        preview_url: page === 0 ? 'https://storage.example/a.mp3' : '/elevenlabs/preview/a.mp3',
        ...(page === 1 ? { verified_languages: [{ language: 'de' }, { language: 'de' }] } : {}),
      };
      const more = page + 1 < count;
      return Response.json({
        voices: [voice],
        has_more: more,
        next_page_token: more ? String(page + 1) : null,
      });
    });
    return asked;
  }
  const voices = (key: string) => elevenLabsCatalogue.voices({ base: 'https://server/elevenlabs', key });

  it('has the voices of all pages', async () => {
    const asked = answering(2);
    expect(await voices('sk_1')).toEqual([
      {
        ...{ id: 'v0', name: 'Voice 0', description: 'calm', sex: 'female', age: 'young' },
        languages: ['en'],
        // On a host that the page may not load from.
        sampleUrl: null,
      },
      {
        ...{ id: 'v1', name: 'Voice 1', description: 'calm', sex: 'female', age: 'young' },
        languages: ['de'],
        sampleUrl: 'https://server/elevenlabs/preview/a.mp3',
      },
    ]);
    const headers = { 'xi-api-key': 'sk_1' };
    expect(asked).toEqual([
      ['/v2/voices?page_size=100', headers],
      ['/v2/voices?page_size=100&next_page_token=1', headers],
    ]);
  });

  it('offers models of the server that speak on these sockets, and takes them', async () => {
    const models = [
      { model_id: 'eleven_flash_v2_5', can_do_text_to_speech: true },
      { model_id: 'eleven_flash_v9', can_do_text_to_speech: true },
      { model_id: 'eleven_sts_v2', can_do_text_to_speech: false },
      { model_id: 'eleven_v3', can_do_text_to_speech: true },
    ];
    vi.stubGlobal('fetch', async () => Response.json(models));
    const offered = await elevenLabsCatalogue.offered?.({ base: 'https://server', key: 'sk_1' });
    expect(offered).toEqual(
      ['eleven_flash_v2_5', 'eleven_flash_v9'].map((id) => ({ field: 'model_id', id })),
    );
    expect(elevenLabsStream.checkSettings({ model_id: 'eleven_flash_v9' })).toEqual([]);
    expect(elevenLabsStream.checkSettings({ model_id: 'a b' })).toHaveLength(1);
  });

  it('has an end, and is not asked for with a single-use token', async () => {
    const asked = answering(1000);
    expect((await voices('sutkn_1')).length).toBe(20);
    expect(asked.map(([, headers]) => headers)).toEqual(asked.map(() => ({})));
  });
});
