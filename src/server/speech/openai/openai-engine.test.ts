import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bytesFromSamples } from '#lib/pcm.ts';
import { writtenWords } from '#lib/text/words.ts';
import { encodeWav, wavHeader } from '#lib/wav.ts';
import { createLog } from '../../log.ts';
import { EngineBusyError, ORDINARY_SPEECH, type SpeechRequest, type WordTiming } from '../engine.ts';
import { VOICES } from '../voices/voices.ts';
import { OpenAiEngine } from './openai-engine.ts';
import {
  answer,
  captioned,
  drained,
  refusal,
  SCRIPTED_RATE,
  type Script,
  type ScriptedServer,
  speakPcm,
  spokenTone,
  startScriptedServer,
} from './scripted-server.test-helper.ts';
import type { SpeechServerSettings } from './speech-server.ts';

/** The engine against a real HTTP server that behaves like the documented ones, and unlike them. */

const KEY = 'sk-canary-0123456789';
const TEXT = 'Good morning, all of you. It is nine.';

let server: ScriptedServer;
let logged: string[];
const engines: OpenAiEngine[] = [];

beforeEach(async () => {
  logged = [];
  server = await startScriptedServer();
});

afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
  await server.stop();
  expect(logged.join('')).not.toMatch(/canary|morning/);
});

function createEngine(change: Partial<SpeechServerSettings> = {}, patienceMs = 2000): OpenAiEngine {
  const engine = new OpenAiEngine({
    settings: server.settings({ key: KEY, ...change }),
    voiceFor: () => ({ name: 'anna', sex: 'female', languages: ['en'], parameters: {} }),
    log: createLog('trace', { write: (line) => logged.push(line) }),
    patienceMs,
  });
  engines.push(engine);
  return engine;
}

const request = (text: string, change: Partial<SpeechRequest> = {}): SpeechRequest => ({
  ...ORDINARY_SPEECH,
  text,
  voice: VOICES[0],
  session: 'test',
  ...change,
});

async function hear(engine: OpenAiEngine, spoken: SpeechRequest, signal = new AbortController().signal) {
  const samples: number[] = [];
  const words: WordTiming[] = [];
  for await (const block of engine.synthesize(spoken, signal)) {
    expect(block.samples.length).toBeGreaterThan(0);
    for (const sample of block.samples) samples.push(sample);
    words.push(...block.words);
    expect(words.at(-1)?.endMs ?? 0).toBeLessThanOrEqual((samples.length * 1000) / spoken.sampleRate);
  }
  return { samples, words };
}

const lines = () => logged.map((line) => JSON.parse(line) as { msg: string; forMs?: number });
const messages = () => lines().map(({ msg }) => msg);
const SPEECH_S = spokenTone(TEXT).samples.length / SCRIPTED_RATE;

/** Time limits of the engine pass when the test advances them. */
const holdTime = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
afterEach(() => vi.useRealTimers());

/** So many requests have arrived. */
async function arrived(count = 1): Promise<void> {
  while (server.exchanges.length < count) await setImmediate();
}

const typed =
  (type: string, body: Uint8Array): Script =>
  (response) =>
    void response.writeHead(200, { 'Content-Type': type }).end(body);
const endlessly =
  (part: string | Uint8Array, type = 'audio/pcm', head: Uint8Array = new Uint8Array(0)): Script =>
  async (response) => {
    response.writeHead(200, { 'Content-Type': type }).write(head);
    while (!response.destroyed) {
      if (response.write(part)) await setImmediate();
      else await drained(response);
    }
  };
const endless = endlessly(Buffer.alloc(48_000));

describe('a documented server', () => {
  it('speaks a text, sample for sample, however its bytes are cut, with estimated words near their tones', async () => {
    const { samples, words } = await hear(createEngine(), request(TEXT));
    const spoken = spokenTone(TEXT);
    expect(samples.slice(0, spoken.samples.length)).toEqual([...spoken.samples]);
    // Behind them stands what the server left out of the pause of a sentence.
    expect(samples.slice(spoken.samples.length).every((sample) => sample === 0)).toBe(true);
    expect(samples.length - spoken.samples.length).toBeLessThanOrEqual(SCRIPTED_RATE / 15);
    expect(words).toMatchObject(
      writtenWords(TEXT).map(({ start, end }) => ({
        word: TEXT.slice(start, end),
        charStart: start,
        charEnd: end,
        isEstimated: true,
      })),
    );
    words.forEach(({ startMs }, at) => {
      expect(Math.abs(startMs - 1000 * (spoken.words[at]?.start_time ?? 0))).toBeLessThan(120);
    });
    const { body, headers } = server.exchanges[0] ?? {};
    expect(headers?.authorization).toBe(`Bearer ${KEY}`);
    expect(body).toEqual({
      model: 'tts-1',
      input: TEXT,
      voice: 'anna',
      response_format: 'pcm',
      stream_format: 'audio',
    });
    expect(logged).toEqual([]);
  });

  it.each([8000, 16_000, 22_050, 24_000] as const)('is resampled to %i Hz', async (sampleRate) => {
    const { samples } = await hear(createEngine(), request(TEXT, { sampleRate }));
    expect(samples.length / sampleRate).toBeCloseTo(SPEECH_S + 0.05, 1);
    expect(Math.max(...samples)).toBeGreaterThan(7500);
  });

  it('reads the marks of a text before the server does: pauses, spelling, pace, dictionary', async () => {
    const text = 'One <break time="400ms"/> <spell>AB</spell> <prosody rate="slow">SQL</prosody> /aɪ/ &amp;';
    const pronunciations = [{ word: 'SQL', replacement: 'sequel', ipa: 'x', caseSensitive: false }];
    await hear(createEngine(), request(text, { pronunciations, speed: 1.2 }));
    expect(server.exchanges.map(({ body }) => [body.input, body.speed])).toEqual([
      ['One', 1.2],
      ['A, B', 1.2],
      ['sequel', 0.8],
      ['/aɪ/ &amp;', 1.2],
    ]);
  });

  it('gets texts of at most 4096 characters, cut between sentences, in order', async () => {
    const sentences = Array.from({ length: 300 }, (_, at) => `This is sentence number ${at} of many.`);
    server.always(typed('audio/pcm', Buffer.alloc(960)));
    await hear(createEngine(), request(sentences.join(' ')));
    const inputs = server.exchanges.map(({ body }) => String(body.input));
    expect(inputs.length).toBe(3);
    for (const input of inputs) {
      expect(input.length).toBeLessThanOrEqual(4096);
      expect(input).toMatch(/^This.*many\.$/);
    }
    expect(inputs.join(' ')).toBe(sentences.join(' '));
  });

  it.each(['', '  \n', '...', '<b></b>'])('is not asked to speak %j', async (text) => {
    expect(await hear(createEngine(), request(text))).toEqual({ samples: [], words: [] });
    expect(server.exchanges).toEqual([]);
  });

  it('sends no faster than the blocks are read', async () => {
    let written = 0;
    server.next(async (response) => {
      response.writeHead(200, { 'Content-Type': 'audio/pcm' });
      for (; written < 600 && !response.destroyed; written += 1) {
        if (!response.write(Buffer.alloc(48_000))) await drained(response);
      }
      response.end();
    });
    const blocks = createEngine().synthesize(request('x'.repeat(2000)), new AbortController().signal);
    await blocks.next();
    // In as many rounds, a server that is not held back has written all.
    for (let round = 0; round < 3000; round += 1) await setImmediate();
    expect(written).toBeGreaterThan(0);
    expect(written).toBeLessThan(400);
    await blocks.return();
    expect(await server.exchanges[0]?.closed).toBe(false);
  });
});

describe('captioned speech of Kokoro-FastAPI', () => {
  beforeEach(async () => {
    await server.stop();
    server = await startScriptedServer({ captions: true });
  });

  it.each([1, 10])('gives the words the times of the server, in lines of %i s', async (seconds) => {
    server.next(captioned(seconds * SCRIPTED_RATE));
    const engine = createEngine();
    const { words, samples } = await hear(engine, request(TEXT));
    expect(server.exchanges.map(({ path }) => path)).toEqual(['/dev/captioned_speech']);
    const { words: tones, samples: spoken } = spokenTone(TEXT);
    expect(words.map(({ word }) => word)).toEqual(tones.map(({ word }) => word));
    words.forEach((word, at) => {
      expect(word.isEstimated).toBeUndefined();
      expect(word.startMs).toBe(Math.floor(1000 * (tones[at]?.start_time ?? 0)));
    });
    expect(samples.slice(0, spoken.length)).toEqual([...spoken]);
  });

  it.each([null, []])('estimates the words where the times are %j', async (timestamps) => {
    const samples = new Int16Array(2 * SCRIPTED_RATE).fill(5000);
    const audio = Buffer.from(bytesFromSamples(samples)).toString('base64');
    const line = `${JSON.stringify({ audio, timestamps })}\n`;
    server.next(answer(200, { 'Content-Type': 'application/json' }, line));
    const { words } = await hear(createEngine(), request('It costs 12.50 euros today'));
    expect(words.map(({ isEstimated }) => isEstimated)).toEqual([true, true, true, true, true]);
  });

  it('is given up for plain speech once the path is gone', async () => {
    server.next(answer(404, {}, '{}'));
    const engine = createEngine();
    await hear(engine, request('One.'));
    await hear(engine, request('Two.'));
    expect(server.exchanges.map(({ path }) => path)).toEqual([
      '/dev/captioned_speech',
      '/v1/audio/speech',
      '/v1/audio/speech',
    ]);
  });

  it.each([
    ['no JSON', 'oops\n', 'the speech server sent captions that are no JSON'],
    ['another form', '{"audio":1}\n', 'the speech server sent captions of another form'],
    ['no base64', '{"audio":"?AAA"}', 'the speech server sent captions of another form'],
    [
      'a line without end',
      `{"audio":"${'A'.repeat(4 * 1024 * 1024)}`,
      'the speech server sent too long a line of captions',
    ],
    ['more than 1,000 empty lines', '\n'.repeat(1001), 'the speech server sent empty lines without end'],
    [
      'more captions than 100 and two for each character',
      JSON.stringify({ audio: '', timestamps: Array(109).fill(null) }),
      'the speech server sent more captions than the text can have',
    ],
  ])('%s is named', async (_, body, message) => {
    server.next(answer(200, { 'Content-Type': 'application/json' }, body));
    await expect(hear(createEngine(), request('One.'))).rejects.toThrow(message);
    expect(messages()).toEqual([message]);
  });
});

describe('a server that sends other audio', () => {
  const wav = (rate: number) => encodeWav(spokenTone(TEXT, 'anna', 1, rate).samples, rate);
  it.each([
    ['audio/wav', 24_000],
    ['audio/x-wav', 22_050],
    ['application/octet-stream', 44_100],
  ])('a WAV file as %s at %i Hz is read without its header', async (type, rate) => {
    server.next(typed(type, wav(rate)));
    const { samples } = await hear(createEngine(), request(TEXT));
    const spoken = spokenTone(TEXT).samples;
    expect(samples.length / SCRIPTED_RATE).toBeCloseTo(SPEECH_S + 0.05, 1);
    const difference = [...spoken].map((sample, at) => Math.abs(sample - (samples[at] ?? 0)));
    // A resampled tone differs at its edges alone.
    expect(difference.filter((each) => each > 1500).length).toBeLessThan(spoken.length / 50);
    expect(messages()).toEqual(rate === 24_000 ? [] : ['the speech server sends audio at another rate']);
  });

  it('a rate in a header is believed, and named in the log once', async () => {
    const low = bytesFromSamples(spokenTone(TEXT, 'anna', 1, 16_000).samples);
    server.next(typed('audio/pcm; rate=16000', low), typed('audio/pcm; rate=16000', low));
    const engine = createEngine();
    for (let time = 0; time < 2; time += 1) {
      const { samples } = await hear(engine, request(TEXT));
      expect(samples.length / SCRIPTED_RATE).toBeCloseTo(SPEECH_S + 0.05, 1);
    }
    expect(lines()).toMatchObject([
      { level: 40, hz: 16_000, expectedHz: 24_000, msg: 'the speech server sends audio at another rate' },
    ]);
  });

  it('half a sample at the end is left out, and named in the log', async () => {
    server.next(typed('audio/pcm', new Uint8Array(9601).fill(17)));
    const { samples } = await hear(createEngine(), request('Hi'));
    expect(samples.slice(0, 4800)).toEqual(new Array(4800).fill(0x1111));
    expect(messages()).toEqual(['the speech server sends half a sample at the end']);
  });

  it('a type that repeats the key is in no line', async () => {
    server.next(typed(`audio/${KEY}`, new Uint8Array(4800)));
    await hear(createEngine(), request('Hi'));
    expect(logged).toEqual([]);
  });

  const page = '<!doctype html><title>canary</title>';
  const stereo = wavHeader(4800, SCRIPTED_RATE);
  new DataView(stereo.buffer).setUint16(22, 2, true);
  const odd = wavHeader(4800, 23_456);
  it.each<[string, string, Uint8Array, string]>([
    ['HTML', 'text/html; charset=utf-8', Buffer.from(page), 'something else than PCM'],
    ['HTML named audio', 'audio/pcm', Buffer.from(page), 'text instead of audio'],
    ['MP3', 'audio/mpeg', Buffer.alloc(4800), 'something else than PCM'],
    ['Ogg named PCM', 'audio/pcm', Buffer.from('OggS'.padEnd(60, '\0')), 'Ogg instead of PCM'],
    ['stereo', 'audio/wav', stereo, 'another WAV format than 16-bit mono'],
    ['an odd rate', 'audio/wav', odd, 'audio at an unusual rate'],
    ['an odd rate in a header', 'audio/pcm;rate=1', Buffer.alloc(60), 'audio at an unusual rate'],
    ['nothing', 'audio/pcm', Buffer.alloc(0), 'no audio'],
  ])('%s instead of audio is named', async (_, type, body, what) => {
    server.next(typed(type, body));
    const heard = hear(createEngine(), request('Hello.'));
    await expect(heard).rejects.toThrow(`the speech server sent ${what}`);
    await expect(heard).rejects.not.toBeInstanceOf(EngineBusyError);
    expect(messages()).toEqual([`the speech server sent ${what}`]);
  });
});

describe('a server that fails', () => {
  it.each<[string, object, Uint8Array]>([
    ['the connection', {}, new Uint8Array(0)],
    ['Content-Length', { 'Content-Length': '96000' }, new Uint8Array(0)],
    ['the header of a WAV file', {}, wavHeader(96_000, SCRIPTED_RATE)],
  ])('cut off by %s: what was sent is heard, then the fault', async (by, headers, head) => {
    server.next((response) => {
      response.writeHead(200, { 'Content-Type': 'audio/wav', ...headers });
      response.write(Buffer.concat([head, Buffer.alloc(48_000, 17)]), () => {
        if (head.length === 0) response.destroy();
        else response.end();
      });
    });
    let samples = 0;
    const reading = (async () => {
      const blocks = createEngine().synthesize(request(TEXT), new AbortController().signal);
      for await (const block of blocks) samples += block.samples.length;
    })();
    await expect(reading).rejects.toThrow('the speech server cut the audio off');
    expect(samples, by).toBeGreaterThan(0);
    expect(messages()).toEqual(['the speech server cut the audio off']);
  });

  it('never answers: busy within the time limit, and the connection is closed', async () => {
    holdTime();
    server.next(() => {});
    const heard = hear(createEngine(), request('Hello.'));
    await arrived();
    vi.advanceTimersByTime(4999);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1);
    await expect(heard).rejects.toThrow(EngineBusyError);
    expect(messages()).toEqual(['the speech server sent nothing in time']);
    expect(await server.exchanges[0]?.closed).toBe(false);
  });

  it('stops in the middle: busy within the time limit', async () => {
    holdTime();
    server.next((response) => {
      response.writeHead(200, { 'Content-Type': 'audio/pcm' }).write(Buffer.alloc(9600));
    });
    const blocks = createEngine().synthesize(request('Hello.'), new AbortController().signal);
    await blocks.next();
    const rest = (async () => {
      for await (const _ of blocks);
    })();
    // The limit of the next part runs once the engine has given out all that came.
    do await setImmediate();
    while (vi.getTimerCount() === 0);
    vi.advanceTimersByTime(5000);
    await expect(rest).rejects.toThrow(EngineBusyError);
    expect(lines()).toMatchObject([{ afterBytes: 9600, withinMs: 5000 }]);
  });

  const wavHead = Buffer.concat([wavHeader(4800, SCRIPTED_RATE), Buffer.alloc(4800)]);
  it.each<[string, Script, { captions?: boolean }]>([
    ['a byte of audio now and then', endlessly('\0'), {}],
    ['bytes behind its audio', endlessly('\0', 'audio/wav', wavHead), {}],
    ['line feeds', endlessly('\n', 'application/json'), { captions: true }],
    ['captions without audio', endlessly('{"audio":""}\n', 'application/json'), { captions: true }],
  ])('sends %s: busy within the time limit', async (_, script, options) => {
    await server.stop();
    server = await startScriptedServer(options);
    holdTime();
    server.next(script);
    const startedMs = performance.now();
    let isOver = false;
    const heard = hear(createEngine(), request('Hello.')).finally(() => {
      isOver = true;
    });
    heard.catch(() => {});
    await arrived();
    while (!isOver) {
      vi.advanceTimersByTime(300);
      await setImmediate();
    }
    await expect(heard).rejects.toThrow(EngineBusyError);
    expect(messages()).toEqual(['the speech server sent too little in time']);
    expect(performance.now() - startedMs).toBeLessThan(7000);
    expect(await server.exchanges[0]?.closed).toBe(false);
  });

  it('a reader that pauses is no silence of the server', async () => {
    holdTime();
    const blocks = createEngine().synthesize(request(TEXT), new AbortController().signal);
    await blocks.next();
    vi.advanceTimersByTime(60_000);
    let samples = 0;
    for await (const block of blocks) samples += block.samples.length;
    expect(samples).toBeGreaterThan(20_000);
  });

  it('audio without end is given up', async () => {
    server.next(endless);
    await expect(hear(createEngine(), request('Hi.'))).rejects.toThrow(
      'the speech server sent more audio than the text can have',
    );
    expect(await server.exchanges[0]?.closed).toBe(false);
  });

  it('cannot be reached: busy', async () => {
    const engine = createEngine();
    await server.stop();
    await expect(hear(engine, request('Hello.'))).rejects.toThrow(EngineBusyError);
    expect(lines()).toMatchObject([{ code: 'ECONNREFUSED', msg: 'the speech server cannot be reached' }]);
    server = await startScriptedServer();
  });

  it('an idle connection that the server has closed is opened anew', async () => {
    server.next(speakPcm, (response) => void response.socket?.resetAndDestroy());
    const engine = createEngine();
    await hear(engine, request('One.'));
    await hear(engine, request('Two.'));
    expect(server.exchanges.map(({ body }) => body.input)).toEqual(['One.', 'Two.', 'Two.']);
  });

  it.each([
    [401, 'invalid_api_key', 'the speech server does not accept the key'],
    [400, 'invalid_request_error', 'the speech server does not accept the request'],
    [404, 'model_not_found', 'the speech server has no such path, model or voice'],
    [500, 'server_error', 'the speech server refused'],
    [429, 'insufficient_quota', 'the speech server has too many requests'],
  ])('%i %s fails at once, by name, without the message', async (status, code, message) => {
    const error = { message: `Wrong key: ${KEY}. Text: morning`, code };
    server.next(answer(status, { 'Content-Type': 'application/json' }, JSON.stringify({ error })));
    const heard = hear(createEngine(), request('Good morning.'));
    await expect(heard).rejects.toThrow(message);
    await expect(heard).rejects.not.toBeInstanceOf(EngineBusyError);
    expect(server.exchanges.length).toBe(1);
    expect(lines()).toMatchObject([{ status, code, msg: message }]);
  });

  it('a redirect is not followed, so that no other host gets the text', async () => {
    server.next(answer(307, { Location: 'http://127.0.0.1:9/canary' }, ''));
    await expect(hear(createEngine(), request('Hello.'))).rejects.toThrow('redirects to another address');
  });

  it('a speed that is refused is left out from then on', async () => {
    server.next(refusal(400, 'invalid_request_error'));
    const engine = createEngine();
    await hear(engine, request('One.', { speed: 1.2 }));
    await hear(engine, request('Two.', { speed: 0.8 }));
    expect(server.exchanges.map(({ body }) => body.speed)).toEqual([1.2, undefined, undefined]);
    expect(messages()).toEqual(['the speech server takes no speed, and speaks at its own']);
  });
});

describe('429 with Retry-After', () => {
  it('is respected: the text is spoken after that time, and others wait as well', async () => {
    server.next(refusal(429, 'rate_limit_exceeded', { 'retry-after-ms': '300' }));
    const engine = createEngine();
    const startedMs = performance.now();
    const first = hear(engine, request('One.'));
    await arrived();
    await server.exchanges[0]?.closed;
    await Promise.all([first, hear(engine, request('Two.', { session: 'other' }))]);
    expect(performance.now() - startedMs).toBeGreaterThan(290);
    expect(server.exchanges.length).toBe(3);
    expect(logged).toEqual([]);
  });

  it('is retried twice without a time, then the engine is busy', async () => {
    server.always(refusal(429, 'rate_limit_exceeded'));
    await expect(hear(createEngine(), request('One.'))).rejects.toThrow(EngineBusyError);
    expect(server.exchanges.length).toBe(3);
  });

  it('too long a time fails at once, and keeps later requests away', async () => {
    server.next(refusal(429, 'rate_limit_exceeded', { 'Retry-After': '120' }));
    const engine = createEngine();
    for (let time = 0; time < 2; time += 1) {
      await expect(hear(engine, request('One.'))).rejects.toThrow(EngineBusyError);
    }
    expect(server.exchanges.length).toBe(1);
    const [{ msg, forMs } = {}] = lines();
    expect(msg).toBe('the speech server takes no requests for now');
    expect(Math.ceil(Number(forMs) / 1000)).toBe(60);
  });

  it('an abort ends the wait', async () => {
    server.next(refusal(503, 'overloaded', { 'Retry-After': '2' }));
    const abort = new AbortController();
    const heard = hear(createEngine(), request('One.'), abort.signal);
    await arrived();
    abort.abort(new Error('barge-in'));
    await expect(heard).rejects.toThrow('barge-in');
    expect(server.exchanges.length).toBe(1);
  });
});

describe('an abort', () => {
  it.each(['before the answer', 'in the middle of it'])('%s closes the connection at once', async (when) => {
    const isBefore = when === 'before the answer';
    server.next(isBefore ? () => {} : endless);
    const abort = new AbortController();
    const blocks = createEngine().synthesize(request('x'.repeat(3000)), abort.signal);
    const first = blocks.next();
    await arrived();
    if (!isBefore) await first;
    abort.abort(new Error('barge-in'));
    const rest = async () => {
      await first;
      for await (const _ of blocks);
    };
    await expect(rest()).rejects.toThrow('barge-in');
    expect(await server.exchanges[0]?.closed).toBe(false);
    expect(logged).toEqual([]);
  });

  it('of a reader that is not reading closes the connection as well', async () => {
    const abort = new AbortController();
    server.next(endless);
    const blocks = createEngine().synthesize(request('x'.repeat(3000)), abort.signal);
    await blocks.next();
    abort.abort(new Error('barge-in'));
    expect(await server.exchanges[0]?.closed).toBe(false);
  });

  it('close ends what is running', async () => {
    const engine = createEngine();
    server.next(() => {});
    const heard = hear(engine, request('One.'));
    await arrived();
    await engine.close();
    await expect(heard).rejects.toThrow('closed');
    await expect(hear(engine, request('Two.'))).rejects.toThrow('closed');
  });
});

describe('several at once', () => {
  it('sessions alternate where requests wait, whoever came first', async () => {
    const engine = createEngine({ requests: 1 });
    let release = () => {};
    server.next((response, exchange) => {
      release = () => void speakPcm(response, exchange);
    });
    const say = (text: string, session: string) => hear(engine, request(text, { session, context: text }));
    const many = ['A0.', 'A1.', 'A2.', 'A3.'].map((text) => say(text, 'a'));
    await arrived();
    const other = say('B.', 'b');
    release();
    await Promise.all([...many, other]);
    expect(server.exchanges.map(({ body }) => body.input)).toEqual(['A0.', 'B.', 'A1.', 'A2.', 'A3.']);
  });

  it('a reader that stalls gives its place to others', async () => {
    holdTime();
    const engine = createEngine({ requests: 1 });
    server.next(endless);
    const stalled = engine.synthesize(request('x'.repeat(3000)), new AbortController().signal);
    await stalled.next();
    vi.advanceTimersByTime(500);
    const { samples } = await hear(engine, request('Two.', { session: 'other' }));
    expect(samples.length).toBeGreaterThan(1000);
    await stalled.return();
  });
});
