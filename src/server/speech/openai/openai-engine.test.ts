import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bytesFromSamples } from '#lib/pcm.ts';
import { encodeWav, wavHeader } from '#lib/wav.ts';
import { createLog } from '../../log.ts';
import { EngineBusyError, ORDINARY_SPEECH, type SpeechRequest, type WordTiming } from '../engine.ts';
import { writtenWords } from '../text/words.ts';
import { VOICES } from '../voices/voices.ts';
import { OpenAiEngine } from './openai-engine.ts';
import {
  answer,
  drained,
  refusal,
  SCRIPTED_RATE,
  type Script,
  type ScriptedServer,
  speakPcm,
  spokenTone,
  startScriptedServer,
  writeParts,
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

const messages = () => logged.map((line) => (JSON.parse(line) as { msg: string }).msg);

describe('a documented server', () => {
  it('speaks a text, sample for sample, however its bytes are cut', async () => {
    const { samples } = await hear(createEngine(), request('Good morning'));
    const spoken = [...spokenTone('Good morning').samples];
    expect(samples.slice(0, spoken.length)).toEqual(spoken);
    // The word times of an estimate leave behind the audio.
    expect(samples.slice(spoken.length).every((sample) => sample === 0)).toBe(true);
    expect(samples.length - spoken.length).toBeLessThanOrEqual(SCRIPTED_RATE / 100);
    expect(server.exchanges.map(({ body, headers }) => ({ body, key: headers.authorization }))).toEqual([
      {
        key: `Bearer ${KEY}`,
        body: {
          model: 'tts-1',
          input: 'Good morning',
          voice: 'anna',
          response_format: 'pcm',
          stream_format: 'audio',
        },
      },
    ]);
    expect(logged).toEqual([]);
  });

  it.each([8000, 16_000, 22_050, 24_000] as const)('is resampled to %i Hz', async (sampleRate) => {
    const { samples } = await hear(createEngine(), request(TEXT, { sampleRate }));
    const seconds = spokenTone(TEXT).samples.length / SCRIPTED_RATE;
    expect(samples.length / sampleRate).toBeCloseTo(seconds + 0.05, 1);
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
    const engine = createEngine();
    server.always(
      (response) => void response.writeHead(200, { 'Content-Type': 'audio/pcm' }).end(Buffer.alloc(960)),
    );
    await hear(engine, request(sentences.join(' ')));
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

  it('words without times are estimated from the sound: all of them, in order, near their tones', async () => {
    const { words } = await hear(createEngine(), request(TEXT));
    expect(words.map(({ charStart, charEnd }) => ({ start: charStart, end: charEnd }))).toEqual(
      writtenWords(TEXT),
    );
    const tones = spokenTone(TEXT).words;
    words.forEach((word, at) => {
      expect(word.isEstimated).toBe(true);
      expect(word.word).toBe(TEXT.slice(word.charStart, word.charEnd));
      expect(Math.abs(word.startMs - 1000 * (tones[at]?.start_time ?? 0))).toBeLessThan(120);
    });
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
    // The server has written what the buffers of the connection hold.
    await expect.poll(() => written, { timeout: 5000 }).toBeGreaterThan(0);
    let before = -1;
    await expect
      .poll(
        () => {
          const isFull = written === before;
          before = written;
          return isFull;
        },
        { interval: 200, timeout: 10_000 },
      )
      .toBe(true);
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

  it('gives the words the times of the server', async () => {
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

  it('keeps every word where the server writes numbers in full, and estimates where it has no times', async () => {
    const text = 'It costs 12.50 euros today';
    const audio = Buffer.from(bytesFromSamples(new Int16Array(2 * SCRIPTED_RATE).fill(5000))).toString(
      'base64',
    );
    const timestamps = ['It', 'costs', 'twelve', 'point', 'five', 'euros', 'today'].map((word, at) => ({
      word,
      start_time: at / 4,
      end_time: (at + 1) / 4,
    }));
    const spoken = (fields: object) =>
      answer(200, { 'Content-Type': 'application/json' }, `${JSON.stringify({ audio, ...fields })}\n`);
    server.next(spoken({ timestamps }), spoken({ timestamps: null }), spoken({ timestamps: [] }));
    const engine = createEngine();
    const { words } = await hear(engine, request(text));
    expect(words.map(({ word, startMs }) => [word, startMs])).toEqual([
      ['It', 0],
      ['costs', 250],
      ['12.50', expect.any(Number)],
      ['euros', 1250],
      ['today', 1500],
    ]);
    expect(words[2]?.startMs).toBeGreaterThan(500);
    expect(words[2]?.endMs).toBe(1250);
    for (let time = 0; time < 2; time += 1) {
      const again = await hear(engine, request(text));
      expect(again.words.map(({ isEstimated }) => isEstimated)).toEqual([true, true, true, true, true]);
    }
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
  ])('%s is named', async (_, body, message) => {
    server.next(answer(200, { 'Content-Type': 'application/json' }, body));
    await expect(hear(createEngine(), request('One.'))).rejects.toThrow(message);
    expect(messages()).toEqual([message]);
  });
});

describe('a server that sends other audio', () => {
  const wav = (rate: number) => encodeWav(spokenTone(TEXT, 'anna', 1, rate).samples, rate);
  const typed =
    (type: string, body: Uint8Array): Script =>
    (response) =>
      void response.writeHead(200, { 'Content-Type': type }).end(body);

  it.each([
    ['audio/wav', 24_000],
    ['audio/x-wav', 22_050],
    ['application/octet-stream', 44_100],
  ])('a WAV file as %s at %i Hz is read without its header', async (type, rate) => {
    server.next(typed(type, wav(rate)));
    const { samples } = await hear(createEngine(), request(TEXT));
    const spoken = spokenTone(TEXT).samples;
    const seconds = spoken.length / SCRIPTED_RATE;
    expect(samples.length / SCRIPTED_RATE).toBeCloseTo(seconds + 0.05, 1);
    const difference = [...spoken].map((sample, at) => Math.abs(sample - (samples[at] ?? 0)));
    // A resampled tone differs at its edges alone.
    expect(difference.filter((each) => each > 1500).length).toBeLessThan(spoken.length / 50);
    expect(messages()).toEqual(rate === 24_000 ? [] : ['the speech server sends audio at another rate']);
  });

  it('a WAV file of unknown length, in parts of an odd length, is read to its end', async () => {
    const { samples: spoken } = spokenTone(TEXT);
    server.next(async (response) => {
      response.writeHead(200, { 'Content-Type': 'audio/wav' });
      const header = wavHeader(0xffff_ffff, SCRIPTED_RATE);
      for (const byte of header) response.write(Uint8Array.of(byte));
      await writeParts(response, bytesFromSamples(spoken));
      response.end();
    });
    const { samples } = await hear(createEngine(), request(TEXT));
    expect(samples.slice(0, spoken.length)).toEqual([...spoken]);
  });

  it('a rate in a header is believed, and named in the log once', async () => {
    const low = bytesFromSamples(spokenTone(TEXT, 'anna', 1, 16_000).samples);
    server.next(typed('audio/pcm; rate=16000', low), typed('audio/pcm; rate=16000', low));
    const engine = createEngine();
    for (let time = 0; time < 2; time += 1) {
      const { samples } = await hear(engine, request(TEXT));
      const seconds = spokenTone(TEXT).samples.length / SCRIPTED_RATE;
      expect(samples.length / SCRIPTED_RATE).toBeCloseTo(seconds + 0.05, 1);
    }
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([
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
    ['HTML', 'text/html; charset=utf-8', Buffer.from(page), 'the speech server sent something else than PCM'],
    ['HTML named audio', 'audio/pcm', Buffer.from(page), 'the speech server sent text instead of audio'],
    [
      'JSON',
      'application/json',
      Buffer.from('{"audio":"canary"}'),
      'the speech server sent something else than PCM',
    ],
    [
      'events',
      'text/event-stream',
      Buffer.from('data: {}\n\n'),
      'the speech server sent something else than PCM',
    ],
    ['MP3', 'audio/mpeg', Buffer.alloc(4800), 'the speech server sent something else than PCM'],
    [
      'Ogg named PCM',
      'audio/pcm',
      Buffer.from('OggS'.padEnd(60, '\0')),
      'the speech server sent Ogg instead of PCM',
    ],
    ['stereo', 'audio/wav', stereo, 'the speech server sent another WAV format than 16-bit mono'],
    ['an odd rate', 'audio/wav', odd, 'the speech server sent audio at an unusual rate'],
    [
      'an odd rate in a header',
      'audio/pcm;rate=1',
      Buffer.alloc(60),
      'the speech server sent audio at an unusual rate',
    ],
    ['nothing', 'audio/pcm', Buffer.alloc(0), 'the speech server sent no audio'],
  ])('%s instead of audio is named', async (_, type, body, message) => {
    server.next(typed(type, body));
    const heard = hear(createEngine(), request('Hello.'));
    await expect(heard).rejects.toThrow(message);
    await expect(heard).rejects.not.toBeInstanceOf(EngineBusyError);
    expect(messages()).toEqual([message]);
  });
});

describe('a server that fails', () => {
  it('cut off in the middle: what was sent is heard, then the fault', async () => {
    server.next(async (response) => {
      response.writeHead(200, { 'Content-Type': 'audio/pcm' });
      await writeParts(response, bytesFromSamples(spokenTone(TEXT).samples).subarray(0, 20_000));
      response.destroy();
    });
    const samples: number[] = [];
    const reading = (async () => {
      for await (const block of createEngine().synthesize(request(TEXT), new AbortController().signal)) {
        samples.push(...block.samples);
      }
    })();
    await expect(reading).rejects.toThrow('the speech server cut the audio off');
    expect(samples.length).toBeGreaterThan(0);
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([
      { afterBytes: expect.any(Number), code: 'UND_ERR_SOCKET' },
    ]);
  });

  it.each([
    ['Content-Length', { 'Content-Length': '48000' }, new Uint8Array(0)],
    ['the header of a WAV file', {}, wavHeader(48_000, SCRIPTED_RATE)],
  ])('cut off by %s', async (_, headers, head) => {
    server.next((response) => {
      response.writeHead(200, { 'Content-Type': 'audio/wav', ...headers });
      response.write(Buffer.concat([head, Buffer.alloc(9600)]), () => {
        if ('Content-Length' in headers) response.destroy();
        else response.end();
      });
    });
    await expect(hear(createEngine(), request('Hello.'))).rejects.toThrow(
      'the speech server cut the audio off',
    );
  });

  it('never answers: busy within the time limit, and the connection is closed', async () => {
    server.next(() => {});
    await expect(hear(createEngine({ timeoutMs: 200 }), request('Hello.'))).rejects.toThrow(EngineBusyError);
    expect(messages()).toEqual(['the speech server sent nothing in time']);
    expect(await server.exchanges[0]?.closed).toBe(false);
  });

  it('stops in the middle: busy within the time limit', async () => {
    server.next((response) => {
      response.writeHead(200, { 'Content-Type': 'audio/pcm' }).write(Buffer.alloc(9600));
    });
    await expect(hear(createEngine({ timeoutMs: 200 }), request('Hello.'))).rejects.toThrow(EngineBusyError);
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([{ afterBytes: 9600, withinMs: 200 }]);
  });

  it('a reader that pauses is no silence of the server', async () => {
    const timeoutMs = 200;
    const blocks = createEngine({ timeoutMs }).synthesize(request(TEXT), new AbortController().signal);
    await blocks.next();
    const pausedMs = performance.now();
    await expect.poll(() => performance.now() - pausedMs).toBeGreaterThan(2 * timeoutMs);
    let samples = 0;
    for await (const block of blocks) samples += block.samples.length;
    expect(samples).toBeGreaterThan(20_000);
  });

  it('audio without end is given up', async () => {
    server.next(async (response) => {
      response.writeHead(200, { 'Content-Type': 'audio/pcm' });
      while (!response.destroyed) await writeParts(response, Buffer.alloc(480_000));
    });
    await expect(hear(createEngine(), request('Hi.'))).rejects.toThrow(
      'the speech server sent more audio than the text can have',
    );
    expect(await server.exchanges[0]?.closed).toBe(false);
  });

  it('cannot be reached: busy', async () => {
    const engine = createEngine();
    await server.stop();
    await expect(hear(engine, request('Hello.'))).rejects.toThrow(EngineBusyError);
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([
      { code: 'ECONNREFUSED', msg: 'the speech server cannot be reached' },
    ]);
    server = await startScriptedServer();
  });

  it('no credit is no overload', async () => {
    server.next(refusal(429, 'insufficient_quota'));
    await expect(hear(createEngine(), request('One.'))).rejects.not.toBeInstanceOf(EngineBusyError);
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
    server.next(
      answer(
        status,
        { 'Content-Type': 'application/json' },
        JSON.stringify({ error: { message: `Wrong key: ${KEY}. Text: morning`, code } }),
      ),
    );
    await expect(hear(createEngine(), request('Good morning.'))).rejects.toThrow(message);
    expect(server.exchanges.length).toBe(1);
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([{ status, code, msg: message }]);
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
    server.next(refusal(429, 'rate_limit_exceeded', { 'Retry-After': '1' }));
    const engine = createEngine();
    const startedMs = performance.now();
    const first = hear(engine, request('One.'));
    await expect.poll(() => server.exchanges.length).toBe(1);
    await server.exchanges[0]?.closed;
    await Promise.all([first, hear(engine, request('Two.', { session: 'other' }))]);
    expect(performance.now() - startedMs).toBeGreaterThan(950);
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
    expect(messages()[0]).toBe('the speech server takes no requests for now');
  });

  it('an abort ends the wait', async () => {
    server.next(refusal(503, 'overloaded', { 'Retry-After': '2' }));
    const abort = new AbortController();
    const heard = hear(createEngine(), request('One.'), abort.signal);
    await expect.poll(() => server.exchanges.length).toBe(1);
    abort.abort(new Error('barge-in'));
    await expect(heard).rejects.toThrow('barge-in');
    expect(server.exchanges.length).toBe(1);
  });
});

describe('an abort', () => {
  it.each(['before the answer', 'in the middle of it'])('%s closes the connection at once', async (when) => {
    server.next(async (response, exchange) => {
      if (when === 'before the answer') return;
      response.writeHead(200, { 'Content-Type': 'audio/pcm' });
      while (!response.destroyed) await writeParts(response, Buffer.alloc(48_000));
      await exchange.closed;
    });
    const abort = new AbortController();
    const blocks = createEngine().synthesize(request('x'.repeat(3000)), abort.signal);
    const first = blocks.next();
    await expect.poll(() => server.exchanges.length).toBe(1);
    if (when !== 'before the answer') await first;
    const abortedMs = performance.now();
    abort.abort(new Error('barge-in'));
    const rest =
      when === 'before the answer'
        ? first
        : (async () => {
            for await (const _ of blocks);
          })();
    await expect(rest).rejects.toThrow('barge-in');
    expect(await server.exchanges[0]?.closed).toBe(false);
    expect(performance.now() - abortedMs).toBeLessThan(500);
    expect(logged).toEqual([]);
  });

  it('of a reader that is not reading closes the connection as well', async () => {
    const abort = new AbortController();
    const blocks = createEngine().synthesize(request('morning '.repeat(500)), abort.signal);
    await blocks.next();
    abort.abort(new Error('barge-in'));
    expect(await server.exchanges[0]?.closed).toBe(false);
  });

  it('close ends what is running', async () => {
    const engine = createEngine();
    server.next(() => {});
    const heard = hear(engine, request('One.'));
    await expect.poll(() => server.exchanges.length).toBe(1);
    await engine.close();
    await expect(heard).rejects.toThrow('closed');
    await expect(hear(engine, request('Two.'))).rejects.toThrow('closed');
  });
});

describe('several at once', () => {
  it('sessions alternate where requests wait, whoever came first', async () => {
    const engine = createEngine({ requests: 1 });
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    server.next(async (response, exchange) => {
      await released;
      await speakPcm(response, exchange);
    });
    const say = (text: string, session: string) => hear(engine, request(text, { session, context: text }));
    const many = ['A0.', 'A1.', 'A2.', 'A3.'].map((text) => say(text, 'a'));
    await expect.poll(() => server.exchanges.length).toBe(1);
    const other = say('B.', 'b');
    release();
    await Promise.all([...many, other]);
    expect(server.exchanges.map(({ body }) => body.input)).toEqual(['A0.', 'B.', 'A1.', 'A2.', 'A3.']);
  });

  it('a reader that stalls gives its place to others', async () => {
    const engine = createEngine({ requests: 1 });
    const stalled = engine.synthesize(request('morning '.repeat(500)), new AbortController().signal);
    await stalled.next();
    const { samples } = await hear(engine, request('Two.', { session: 'other' }));
    expect(samples.length).toBeGreaterThan(1000);
    await stalled.return();
  });
});
