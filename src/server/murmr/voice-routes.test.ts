import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeWav } from '#lib/wav.ts';
import { LOCAL_CATALOGUE } from '../speech/voices/voice-catalogue.ts';
import { eventsIn, type RestWorld, startRestWorld } from './rest-client.test-helper.ts';
import { firstVoices, SAVED_LIMIT } from './saved-voices.ts';
import { readPrompt } from './voice-prompt.ts';

const FIRST_VOICES = firstVoices(LOCAL_CATALOGUE);

let world: RestWorld;
let call: RestWorld['call'];

beforeEach(async () => {
  world = await startRestWorld();
  call = world.call;
});
afterEach(() => world.server.stop());

const WAV = Buffer.from(encodeWav(Int16Array.of(1, 2, 3), 24_000)).toString('base64');
/** Request of `voices.md`. */
const SAVE = {
  name: 'My Narrator',
  description: 'A warm, professional voice',
  audio: WAV,
  ref_text: 'Sample audio text here.',
  language: 'English',
};
const read = async (response: Promise<Response>) => (await response).json();
const list = () => read(call('/v1/voices'));

/** The audio of a design, as the SDK makes it of the events. */
async function design(voice_description: string): Promise<string> {
  const response = await call('/v1/voices/design/stream', { text: 'This is my sample.', voice_description });
  const events = eventsIn(await response.text()) as { chunk?: string }[];
  const bytes = Buffer.concat(events.map(({ chunk = '' }) => Buffer.from(chunk, 'base64')));
  const samples = Int16Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readInt16LE(2 * at));
  return Buffer.from(encodeWav(samples, 24_000)).toString('base64');
}

describe('7 POST /v1/voices', () => {
  it('saves a voice with the answer of the documentation', async () => {
    const response = await call('/v1/voices', SAVE);
    expect(response.status).toBe(200);
    const saved = await response.json();
    expect(saved).toEqual({
      id: expect.stringMatching(/^voice_[0-9a-f]{12}$/),
      name: 'My Narrator',
      description: 'A warm, professional voice',
      language: 'English',
      prompt_size_bytes: expect.any(Number),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      success: true,
      has_audio_preview: true,
    });
    const { voices, ...totals } = await list();
    const count = FIRST_VOICES.length + 1;
    expect(totals).toEqual({ saved_count: count, saved_limit: SAVED_LIMIT, total: count });
    const { id, name, description, language, created_at } = saved;
    expect(voices[0]).toMatchObject({ id, name, description, language, created_at });
    expect(Buffer.byteLength(voices[0].prompt_data, 'base64')).toBe(saved.prompt_size_bytes);
  });

  it('the voice speaks by its id, by its prompt and in its preview as its description does', async () => {
    const { id } = await read(call('/v1/voices', { ...SAVE, language: 'German' }));
    const [{ prompt_data, audio_preview_url }] = (await list()).voices;
    const text = '1, 2, 3';
    await (await call('/v1/audio/speech', { text, voice: id })).arrayBuffer();
    await (await call('/v1/audio/speech', { text, voice_clone_prompt: prompt_data })).arrayBuffer();
    await (await fetch(audio_preview_url)).arrayBuffer();
    const { description: voice_description } = SAVE;
    await (await call('/v1/voices/design', { text, voice_description, language: 'German' })).arrayBuffer();
    const { requests } = world.engine;
    expect(requests.map((request) => request.text)).toEqual([text, text, SAVE.ref_text, text]);
    expect(requests.map(({ language }) => language)).toEqual(Array(4).fill('de'));
    for (const { voice } of requests) expect(voice).toEqual(requests[3]?.voice);
  });

  it('audio that was designed here keeps the voice of its design', async () => {
    const audio = await design('A deep old man');
    const { id } = await read(call('/v1/voices', { ...SAVE, audio }));
    const [saved] = (await list()).voices;
    expect(saved).toMatchObject({ id, description: SAVE.description });
    expect(readPrompt(saved.prompt_data, LOCAL_CATALOGUE)).toEqual({
      voice: { description: 'A deep old man', language: 'en' },
    });
  });

  it.each([
    ['name', undefined, /^name: expected a string, got nothing$/],
    ['name', ' ', /^name: expected some text/],
    ['name', 'x'.repeat(51), /^name: expected at most 50 characters, got 51$/],
    ['description', undefined, /^description: expected a string/],
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

  it('409 at the limit of the plan, and room again after a deletion', async () => {
    for (let count = FIRST_VOICES.length; count < SAVED_LIMIT; count += 1) await call('/v1/voices', SAVE);
    const full = await call('/v1/voices', SAVE);
    expect(full.status).toBe(409);
    expect(await full.json()).toEqual({ error: expect.stringContaining('100') });
    await world.send('DELETE', `/v1/voices/${FIRST_VOICES[0]?.id}`);
    expect((await call('/v1/voices', SAVE)).status).toBe(200);
  });
});

describe('7 DELETE /v1/voices/{id}', () => {
  it('deletes a voice, whose prompt still speaks', async () => {
    const { id } = await read(call('/v1/voices', SAVE));
    const [{ prompt_data, audio_preview_url }] = (await list()).voices;
    const response = await world.send('DELETE', `/v1/voices/${id}`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ success: true, id, message: 'Voice "My Narrator" deleted' });
    expect((await list()).voices.map((voice: { id: string }) => voice.id)).not.toContain(id);
    expect((await world.send('DELETE', `/v1/voices/${id}`)).status).toBe(404);
    expect((await fetch(audio_preview_url)).status).toBe(404);
    const byId = await call('/v1/audio/speech', { text: 'Hello', voice: id });
    expect([byId.status, await byId.json()]).toEqual([404, { error: `Saved voice not found: ${id}` }]);
    const byPrompt = await call('/v1/audio/speech', { text: 'Hello', voice_clone_prompt: prompt_data });
    expect(byPrompt.status).toBe(200);
    await byPrompt.arrayBuffer();
  });
});

describe('7 POST /v1/voices/extract-embeddings', () => {
  const extract = (audio: string, more = {}) =>
    call('/v1/voices/extract-embeddings', { audio, ref_text: 'The transcript of the audio.', ...more });

  it('answers with the fields of the documentation', async () => {
    const response = await extract(WAV, { model: 'base_06b' });
    expect(response.status).toBe(200);
    const body = await response.json();
    expect(body).toEqual({
      prompt_data: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
      prompt_size_bytes: Buffer.byteLength(body.prompt_data, 'base64'),
      success: true,
    });
  });

  it('finds the voice of a design in its audio', async () => {
    const { prompt_data } = await read(extract(await design('A deep old man')));
    expect(readPrompt(prompt_data, LOCAL_CATALOGUE)).toEqual({
      voice: { description: 'A deep old man', language: 'en' },
    });
  });

  it('gives the same unknown audio the same voice, and other audio another', async () => {
    const other = Buffer.from(encodeWav(Int16Array.of(4, 5), 24_000)).toString('base64');
    const prompts = await Promise.all(
      [WAV, WAV, other].map(async (wav) => (await read(extract(wav))).prompt_data),
    );
    expect(prompts[1]).toBe(prompts[0]);
    expect(prompts[2]).not.toBe(prompts[0]);
  });

  it.each([
    [{ audio: 'AAAA' }, /^audio: expected a WAV file/],
    [{ ref_text: undefined }, /^ref_text: expected a string/],
    [{ model: 'large' }, /^model: expected one of "base", "base_06b"/],
  ])('refuses %o', async (fields, error) => {
    const response = await extract(WAV, fields);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: expect.stringMatching(error) });
  });
});
