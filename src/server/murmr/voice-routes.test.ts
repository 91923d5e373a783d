import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeWav } from '#lib/wav.ts';
import { murmrCatalogue } from '#protocol/murmr/wire/catalogue.ts';
import { LOCAL_CATALOGUE } from '../speech/voices/voice-catalogue.ts';
import { eventsIn, type RestWorld, startRestWorld } from './rest-client.test-helper.ts';
import { readPrompt } from './voice-choice.ts';

let world: RestWorld;
let call: RestWorld['call'];

beforeAll(async () => {
  world = await startRestWorld();
  call = world.call;
});
afterAll(() => world.server.stop());

const wavOf = (...samples: number[]): string =>
  Buffer.from(encodeWav(Int16Array.from(samples), 24_000)).toString('base64');
/** A request of the vendor's page. */
const SAVE = {
  name: 'My Narrator',
  description: 'A warm, professional voice',
  audio: wavOf(1, 2, 3),
  ref_text: 'Sample audio text here.',
  language: 'English',
};
const read = async (response: Promise<Response>) => (await response).json();
const list = () => read(call('/v1/voices'));
const remove = (id: string) => world.send('DELETE', `/v1/voices/${id}`);

/** The audio of a design, as the SDK makes it of the events. */
async function design(voice_description: string): Promise<string> {
  const response = await call('/v1/voices/design/stream', { text: 'This is my sample.', voice_description });
  const events = eventsIn(await response.text()) as { chunk?: string }[];
  const bytes = Buffer.concat(events.map(({ chunk = '' }) => Buffer.from(chunk, 'base64')));
  return wavOf(...Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readInt16LE(2 * at)));
}

describe('GET /v1/voices', () => {
  it('lists the saved voices in the shape of the vendor, first those of the catalogue', async () => {
    const response = await call('/v1/voices');
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { voices, ...totals } = await response.json();
    expect(totals).toEqual({ saved_count: 6, saved_limit: 100, total: 6 });
    expect(new Set(voices.map(({ id }: { id: string }) => id)).size).toBe(6);
    for (const voice of voices) {
      expect(voice).toEqual({
        id: expect.stringMatching(/^voice_[0-9a-f]{12}$/),
        name: expect.stringMatching(/./),
        description: expect.stringMatching(/./),
        language: voice.language_name,
        language_name: expect.stringMatching(/^[A-Z][a-z]+$/),
        audio_preview_url: `${world.server.http}/murmr/v1/voices/${voice.id}/preview.wav`,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        prompt_data: expect.any(String),
      });
      expect(readPrompt(voice.prompt_data, LOCAL_CATALOGUE)).toMatchObject({
        voice: { catalogue: { name: voice.name } },
      });
    }
  });

  it('is what the catalogue of the page reads, previews with it', async () => {
    const [voice] = await murmrCatalogue.voices({ base: `${world.server.http}/murmr`, key: 'local' });
    expect(voice).toMatchObject({ name: 'Walter', languages: ['en'] });
    const preview = await fetch(voice?.sampleUrl ?? '');
    expect(preview.headers.get('content-type')).toBe('audio/wav');
    expect(preview.headers.get('x-kugelaudio-ai-generated')).toBeNull();
    const wav = Buffer.from(await preview.arrayBuffer());
    expect([wav.toString('latin1', 0, 4), wav.readUInt32LE(24)]).toEqual(['RIFF', 24_000]);
    expect(world.engine.requests.at(-1)?.voice).toEqual(LOCAL_CATALOGUE.find('walter'));
  });

  it.each<[string, Record<string, string>]>([
    ['no key', { Authorization: '' }],
    ['a wrong key', { Authorization: 'Bearer wrong' }],
    ['a key where this vendor takes none', { Authorization: '', 'X-API-Key': 'local' }],
  ])('%s is refused with 401', async (_, headers) => {
    const response = await call('/v1/voices', undefined, headers);
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ error: expect.stringMatching(/API key/) });
  });

  it.each([
    ['/v1/voices', 'PUT', 405],
    ['/v1/audio/speech/stream', 'GET', 405],
    ['/v1/jobs/job_0123456789abcdef', 'POST', 405],
    ['/v1/voices/voice_nobody', 'DELETE', 404],
    ['/v1/voices/voice_nobody/preview.wav', 'GET', 404],
    ['/v1/nothing', 'POST', 404],
  ])('%s by %s is answered with %i', async (path, method, status) => {
    const response = await world.send(method, path);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ error: expect.any(String) });
  });
});

describe('POST and DELETE /v1/voices', () => {
  it('saves a voice with the answer of the documentation, which speaks until it is deleted', async () => {
    const saved = await read(call('/v1/voices', { ...SAVE, language: 'German' }));
    expect(saved).toEqual({
      id: expect.stringMatching(/^voice_[0-9a-f]{12}$/),
      name: 'My Narrator',
      description: 'A warm, professional voice',
      language: 'German',
      prompt_size_bytes: expect.any(Number),
      created_at: '1970-01-01T00:00:00.000Z',
      success: true,
      has_audio_preview: true,
    });
    const { id, name, description, language, created_at } = saved;
    const { voices, ...totals } = await list();
    expect(totals).toEqual({ saved_count: 7, saved_limit: 100, total: 7 });
    expect(voices[0]).toMatchObject({ id, name, description, language, created_at });
    const { prompt_data, audio_preview_url } = voices[0];
    expect(Buffer.byteLength(prompt_data, 'base64')).toBe(saved.prompt_size_bytes);

    // By its id, by its prompt and in its preview it speaks as its description does.
    const text = '1, 2, 3';
    world.engine.requests.length = 0;
    await (await call('/v1/audio/speech', { text, voice: id })).arrayBuffer();
    await (await call('/v1/audio/speech', { text, voice_clone_prompt: prompt_data })).arrayBuffer();
    await (await fetch(audio_preview_url)).arrayBuffer();
    const designed = { text, voice_description: description, language: 'German' };
    await (await call('/v1/voices/design', designed)).arrayBuffer();
    const { requests } = world.engine;
    expect(requests.map((request) => request.text)).toEqual([text, text, SAVE.ref_text, text]);
    const spoken = { language: 'de', voice: requests[3]?.voice };
    expect(requests).toMatchObject(Array(4).fill(spoken));

    const deleted = await remove(id);
    expect(deleted.status).toBe(200);
    expect(await deleted.json()).toEqual({ success: true, id, message: 'Voice "My Narrator" deleted' });
    expect((await list()).total).toBe(6);
    expect((await remove(id)).status).toBe(404);
    expect((await fetch(audio_preview_url)).status).toBe(404);
    const byId = await call('/v1/audio/speech', { text, voice: id });
    expect([byId.status, await byId.json()]).toEqual([404, { error: `Saved voice not found: ${id}` }]);
    const byPrompt = await call('/v1/audio/speech', { text, voice_clone_prompt: prompt_data });
    expect(byPrompt.status).toBe(200);
    await byPrompt.arrayBuffer();
  });

  it('answers 409 at the limit of the plan', async () => {
    const full = await startRestWorld();
    const { saved_count: saved, saved_limit: limit } = await read(full.call('/v1/voices'));
    for (let count = saved; count < limit; count += 1)
      expect((await full.call('/v1/voices', SAVE)).status).toBe(200);
    const refused = await full.call('/v1/voices', SAVE);
    expect([refused.status, await refused.json()]).toEqual([409, { error: expect.stringContaining('100') }]);
    const [{ id }] = (await read(full.call('/v1/voices'))).voices;
    await full.send('DELETE', `/v1/voices/${id}`);
    expect((await full.call('/v1/voices', SAVE)).status).toBe(200);
    await full.server.stop();
  });

  it.each([
    ['name', undefined, /^name: expected a string, got nothing$/],
    ['name', ' ', /^name: expected some text/],
    ['name', 'x'.repeat(51), /^name: expected at most 50 characters, got 51$/],
    ['description', 'x'.repeat(501), /^description: expected at most 500/],
    ['ref_text', '', /^ref_text: expected some text/],
    ['audio', undefined, /^audio: expected a string/],
    ['audio', 'no base64!', /^audio: Not base64/],
    ['audio', '', /^audio: expected a WAV file in base64, got 0 bytes/],
    ['audio', 'SUQzAAAA', /^audio: expected a WAV file in base64, got 6 bytes of something else$/],
  ])('refuses %s of %j', async (field, value, error) => {
    const response = await call('/v1/voices', { ...SAVE, [field]: value });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: expect.stringMatching(error) });
  });
});

describe('POST /v1/voices/extract-embeddings', () => {
  const extract = (audio: string, more = {}) =>
    call('/v1/voices/extract-embeddings', { audio, ref_text: 'The transcript of the audio.', ...more });

  it('answers with the fields of the documentation; the same audio has the same voice, other audio another', async () => {
    const [body, again, other] = await Promise.all([
      read(extract(wavOf(1, 2, 3), { model: 'base_06b' })),
      read(extract(wavOf(1, 2, 3))),
      read(extract(wavOf(4, 5))),
    ]);
    expect(body).toEqual({
      prompt_data: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
      prompt_size_bytes: Buffer.byteLength(body.prompt_data, 'base64'),
      success: true,
    });
    expect(again).toEqual(body);
    expect(other.prompt_data).not.toBe(body.prompt_data);
  });

  it('audio that was designed here keeps the voice of its design, saved or extracted', async () => {
    const audio = await design('A deep old man');
    const { prompt_data: extracted } = await read(extract(audio));
    const { id } = await read(call('/v1/voices', { ...SAVE, audio }));
    const [saved] = (await list()).voices;
    expect(saved).toMatchObject({ id, description: SAVE.description });
    for (const prompt of [extracted, saved.prompt_data]) {
      expect(readPrompt(prompt, LOCAL_CATALOGUE)).toEqual({
        voice: { description: 'A deep old man', language: 'en' },
      });
    }
    await remove(id);
  });

  it('refuses another model', async () => {
    const response = await extract(SAVE.audio, { model: 'large' });
    const error = expect.stringMatching(/^model: expected one of "base", "base_06b"/);
    expect([response.status, await response.json()]).toEqual([400, { error }]);
  });
});
