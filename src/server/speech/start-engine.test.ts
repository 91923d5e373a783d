import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readEnvironment, StartError } from '../environment.ts';
import { createLog } from '../log.ts';
import { ORDINARY_SPEECH } from './engine.ts';
import { refusal, type ScriptedServer, startScriptedServer } from './openai/scripted-server.test-helper.ts';
import { type StartedEngine, startEngine } from './start-engine.ts';
import { LOCAL_CATALOGUE } from './voices/voice-catalogue.ts';

let directory: string;
let server: ScriptedServer;
let logged: string[];
const started: StartedEngine[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'voicewire-voices-'));
  server = await startScriptedServer();
  logged = [];
});

afterEach(async () => {
  await Promise.all(started.splice(0).map(({ engine }) => engine.close()));
  await server.stop();
  await rm(directory, { recursive: true });
});

/** @param voices content of the voices file; none without it */
async function start(engine: string, voices?: unknown): Promise<StartedEngine> {
  const path = join(directory, 'voices.json');
  if (voices !== undefined)
    await writeFile(path, typeof voices === 'string' ? voices : JSON.stringify(voices));
  const { engine: settings } = readEnvironment({
    VOICEWIRE_ENGINE: engine,
    VOICEWIRE_OPENAI_URL: server.settings().url.href,
    VOICEWIRE_VOICES: voices === undefined ? '' : path,
  });
  const one = await startEngine(settings, createLog('trace', { write: (line) => logged.push(line) }));
  started.push(one);
  return one;
}

async function speak({ engine, catalogue }: StartedEngine, handle: string, text = 'Hello.'): Promise<number> {
  const voice = catalogue.find(handle);
  if (!voice) throw new Error(`no voice ${handle}`);
  let samples = 0;
  const request = { ...ORDINARY_SPEECH, text, voice, session: 'test' };
  for await (const block of engine.synthesize(request, new AbortController().signal))
    samples += block.samples.length;
  return samples;
}

const spokenBy = () => server.exchanges.map(({ body }) => body.voice);

describe('VOICEWIRE_ENGINE=openai', () => {
  it('keeps the voices of the catalogue, spoken by those of the server, and adds these', async () => {
    const one = await start('openai');
    const { catalogue } = one;
    // A voice has the same number at every start.
    expect((await start('openai')).catalogue.all).toEqual(catalogue.all);
    expect(catalogue.all.length).toBe(LOCAL_CATALOGUE.all.length + 6);
    expect(catalogue.find(1071)).toEqual(LOCAL_CATALOGUE.find(1071));
    expect(catalogue.find('dora')).toMatchObject({ name: 'Dora', sex: 'female', languages: ['de'] });
    expect(new Set(catalogue.all.map(({ id }) => id)).size).toBe(catalogue.all.length);
    expect(await speak(one, 'dora')).toBeGreaterThan(0);
    expect(await speak(one, 'hans')).toBeGreaterThan(0);
    expect(spokenBy()).toEqual(['dora', 'dirk']);
    const hans = catalogue.find('hans');
    expect(hans && catalogue.described(hans.description, hans)).toBe(`${hans?.description} (openai: dirk)`);
  });

  it('voices of a list with names of the catalogue, numbers and blanks have handles of their own', async () => {
    await server.stop();
    server = await startScriptedServer({ voices: ['marta', '1071', 'two words', 'two  words'] });
    const one = await start('openai');
    expect(one.catalogue.all.slice(LOCAL_CATALOGUE.all.length).map(({ handle }) => handle)).toEqual([
      'openai-marta',
      'openai-1071',
      'two-words',
    ]);
    for (const handle of ['openai-marta', 'openai-1071', 'two-words']) await speak(one, handle);
    expect(spokenBy()).toEqual(['marta', '1071', 'two words']);
  });

  it('a server without a list ends the start with what to do, and needs none with a file', async () => {
    await server.stop();
    server = await startScriptedServer({ voices: null });
    const ended = start('openai');
    await expect(ended).rejects.toThrow(StartError);
    await expect(ended).rejects.toThrow(
      /^[^\n]+cannot be listed: [^\n]*status 404\. Name them in a file: VOICEWIRE_VOICES\.$/,
    );
    const one = await start('openai', [
      'alloy',
      { voice: 'nova', name: 'Nova', sex: 'female', languages: ['en', 'de'] },
    ]);
    expect(one.catalogue.find('nova')).toMatchObject({
      name: 'Nova',
      sex: 'female',
      languages: ['en', 'de'],
    });
    await speak(one, 'alloy');
    await speak(one, 'marta');
    expect(spokenBy()).toEqual(['alloy', 'nova']);
  });
});

describe('VOICEWIRE_VOICES', () => {
  it('some voices are spoken by espeak, some by the server, and the catalogue shows which', async () => {
    const one = await start('espeak', [
      { handle: 'marta', voice: 'anna', parameters: { instructions: 'Calmly.', model: 'other' } },
      { handle: 'narrator', voice: 'adam', name: 'The narrator', description: 'Reads books' },
    ]);
    for (const handle of ['marta', 'narrator', 'rupert'])
      expect(await speak(one, handle, 'Hi.')).toBeGreaterThan(0);
    expect(
      server.exchanges.map(({ body: { voice, model, instructions } }) => [voice, model, instructions]),
    ).toEqual([
      ['anna', 'other', 'Calmly.'],
      ['adam', 'tts-1', undefined],
    ]);
    const shown = ['marta', 'narrator', 'rupert'].map((handle) => {
      const voice = one.catalogue.find(handle);
      return voice && one.catalogue.described(voice.description, voice);
    });
    expect(shown).toEqual([
      'Warm and clear, for assistants and narration (openai: anna)',
      'Reads books (openai: adam)',
      'Deep and calm British English, for news and guides (espeak)',
    ]);
    expect(one.catalogue.find('narrator')?.sampleText).toContain('The narrator');
  });

  it('a voice may keep espeak beside a first engine that is another, without its taking over', async () => {
    const one = await start('openai', ['anna', { handle: 'rupert', engine: 'espeak' }]);
    server.always(refusal(500, 'server_error'));
    expect(await speak(one, 'rupert')).toBeGreaterThan(0);
    await expect(speak(one, 'marta')).rejects.toThrow('the speech server refused');
  });

  it.each<[string, unknown, RegExp]>([
    ['no JSON', '{', /is no JSON/],
    ['no list', {}, /is not valid/],
    ['an unknown field', [{ voice: 'anna', pitch: 3 }], /is not valid/],
    ['an unknown sex', [{ voice: 'anna', sex: 'f' }], /is not valid/],
    ['an unknown language', [{ voice: 'anna', languages: ['xx'] }], /is not valid/],
    ['a voice that is there twice', ['anna', 'anna'], /anna is there twice/],
    ['an unknown voice of espeak', [{ handle: 'nobody', engine: 'espeak' }], /espeak has no voice nobody/],
    ['no voice of the server', [{ handle: 'marta', engine: 'espeak' }], /at least one voice of the speech/],
    ['an entry without a name', [{ name: 'Nobody' }], /expected a handle or a voice/],
  ])('%s ends the start in one line', async (_, voices, message) => {
    const ended = start('openai', voices);
    await expect(ended).rejects.toThrow(message);
    await expect(ended).rejects.toThrow(/^VOICEWIRE_VOICES[^\n]+$/);
    await expect(ended).rejects.toThrow(StartError);
  });

  it('a file that is not there, or has no server, ends the start', async () => {
    const { engine } = readEnvironment({ VOICEWIRE_VOICES: join(directory, 'none.json') });
    await expect(startEngine(engine, createLog('silent'))).rejects.toThrow(/cannot be read \(ENOENT\)/);
    await writeFile(join(directory, 'voices.json'), '["anna"]');
    const { engine: serverless } = readEnvironment({ VOICEWIRE_VOICES: join(directory, 'voices.json') });
    await expect(startEngine(serverless, createLog('silent'))).rejects.toThrow(/VOICEWIRE_OPENAI_URL/);
  });
});

it('VOICEWIRE_ENGINE=openai,espeak: espeak takes over before a text begins, and for those after it, never within one', async () => {
  const one = await start('openai,espeak');
  server.next((response) => {
    response.writeHead(200, { 'Content-Type': 'audio/pcm' });
    response.write(Buffer.alloc(9600), () => response.destroy());
  });
  await expect(speak(one, 'marta')).rejects.toThrow('cut the audio off');
  server.always(refusal(503, 'overloaded', { 'Retry-After': '30' }));
  expect(await speak(one, 'marta')).toBeGreaterThan(0);
  expect(await speak(one, 'marta')).toBeGreaterThan(0);
  expect(server.exchanges.length).toBe(2);
  expect(logged.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    'the speech server cut the audio off',
    'the speech server takes no requests for now',
    'another engine takes over',
  ]);
});
