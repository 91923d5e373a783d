import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { writtenWords } from '#lib/text/words.ts';
import {
  type Engine,
  ORDINARY_SPEECH,
  type PhonemeTiming,
  type SpeechRequest,
  type WordTiming,
} from '../engine.ts';
import { type Language, SPOKEN_LANGUAGES } from '../languages.ts';
import { VOICES } from '../voices/voices.ts';
import { createEspeakEngine } from './espeak-engine.ts';
import { loadEspeak } from './espeak-module.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await createEspeakEngine({ threads: 2 });
});
afterAll(() => engine.close());

const request = (text: string, change: Partial<SpeechRequest> = {}): SpeechRequest => ({
  ...ORDINARY_SPEECH,
  text,
  voice: VOICES[0],
  sampleRate: 8000,
  session: 'test',
  ...change,
});

async function speak(text: string, change?: Partial<SpeechRequest>) {
  const words: WordTiming[] = [];
  const samples: number[] = [];
  const { sampleRate } = request(text, change);
  for await (const block of engine.synthesize(request(text, change), new AbortController().signal)) {
    expect(block.samples.length).toBeGreaterThan(0);
    samples.push(...block.samples);
    words.push(...block.words);
    expect(words.at(-1)?.endMs ?? 0).toBeLessThanOrEqual((samples.length * 1000) / sampleRate);
  }
  return { words, samples, audioMs: (samples.length * 1000) / sampleRate };
}

const loudest = (samples: readonly number[]) => samples.reduce((max, s) => Math.max(max, Math.abs(s)), 0);

describe('the first sound', () => {
  it.each([
    ['Six.', 0],
    ['Peter.', 0],
    ['Apples are red.', 0],
    ['<break time="500ms"/> Six.', 12_000],
  ])('of %s is at the very beginning, or behind the break that was written', async (text, from) => {
    const { samples } = await speak(text, { sampleRate: 24_000 });
    const firstSound = samples.findIndex((sample) => sample !== 0);
    expect(firstSound).toBeGreaterThanOrEqual(from);
    expect(firstSound).toBeLessThan(from + 24);
  });
});

describe('a script that the language cannot read', () => {
  it.each([
    ['ar', 'مرحبا بالعالم كيف حالك'],
    ['el', 'Καλημέρα κόσμε'],
    ['ru', 'Привет мир, как дела?'],
    ['ur', 'آپ کیسے ہیں؟ میں ٹھیک ہوں۔'],
    ['he', 'שלום עולם'],
    ['th', 'สวัสดีครับ'],
    ['zh', '今天天气很好。'],
    ['ja', 'これはてすとです。'],
  ])('is spoken in words, as in %s: %s', async (own, text) => {
    const { audioMs } = await speak(text, { language: own });
    const { audioMs: undetected } = await speak(text);
    expect(undetected).toBeLessThan(audioMs * 1.2 + 100);
    for (const language of ['en', 'hi', 'vi']) {
      const foreign = await speak(text, { language });
      expect(foreign.audioMs).toBeLessThan(audioMs * 1.3 + 300);
      expect(foreign.words.map(({ charStart, charEnd }) => ({ start: charStart, end: charEnd }))).toEqual(
        writtenWords(text),
      );
    }
  });

  it.each<[Language, Language, string]>([
    ['ar', 'ur', 'یہ کتاب بہت اچھی ہے۔'],
    ['ar', 'fa', 'پنج چیز گرم'],
    ['uk', 'ru', 'рыба и сыр'],
  ])('is no script but letters: %s for %s', async (language, own, text) => {
    const { audioMs } = await speak(text, { language: own });
    expect((await speak(text, { language })).audioMs).toBeLessThan(audioMs * 1.3 + 300);
  });

  it('does not change the accent of the words behind it', async () => {
    const { words } = await speak('I say мир today, hello.', { language: 'en' });
    expect(words.map(({ word }) => word)).toEqual(['I', 'say', 'мир', 'today', 'hello']);
  });
});

describe('word timings of real speech', () => {
  it.each([
    ['en', 'Hello, “it’s” 12.50 — that is $3,000 on 3rd May. Next: ok?'],
    ['en', 'Nice 😀 work 👍🏽 — “well-done” (really)… a < b & c > d [[x]] <b>bold</b>.'],
    ['en', 'One <break time="500ms"/> two <spell>AB12-X</spell> <prosody rate="slow">four</prosody>.'],
    ['en', 'You say /təˈmeɪtoʊ/, I say /təˈmɑːtoʊ/; 1/2 and/or both.'],
    ['de', 'Am 3. Mai um 14:30 Uhr kostet’s „nur“ 5,99 €.'],
    ['ja', 'これは、てすとです。カタカナ と 漢字。'],
    ['zh', '你好，世界。我有3个苹果！'],
    ['th', 'สวัสดีครับ ผมชื่อสมชาย'],
    ['hi', 'नमस्ते दुनिया। आज 12 मई है।'],
    ['ar', 'مرحبا، بالعالم 15 مرة.'],
    ['ko', '안녕하세요, 세계! 3월 1일.'],
  ])('%s: %s', async (language, text) => {
    const { words } = await speak(text, { language });
    const blanked = text.replace(/<\/?[a-z][^<>]*>/g, (tag) => ' '.repeat(tag.length));
    expect(words.map(({ charStart, charEnd }) => ({ start: charStart, end: charEnd }))).toEqual(
      writtenWords(blanked),
    );
    let last = 0;
    for (const { word, startMs, endMs, charStart, charEnd } of words) {
      expect(word).toBe(text.slice(charStart, charEnd));
      expect(startMs).toBeGreaterThanOrEqual(last);
      expect(endMs).toBeGreaterThan(startMs);
      last = endMs;
    }
  });

  it('lie where the sound is', async () => {
    const { words, samples } = await speak('Alpha <break time="500ms"/> omega', { sampleRate: 16000 });
    const [first, second] = words;
    const level = (fromMs = 0, toMs = 0) => loudest(samples.slice(fromMs * 16, toMs * 16));
    expect(level(first?.startMs, first?.endMs)).toBeGreaterThan(3000);
    expect(level((first?.endMs ?? 0) + 60, (second?.startMs ?? 0) - 5)).toBeLessThan(800);
    expect(level(second?.startMs, second?.endMs)).toBeGreaterThan(3000);
  });
});

describe('phonemes of real speech', () => {
  const phonemesOf = async (text: string, hasPhonemes = true) => {
    const all: PhonemeTiming[] = [];
    let samples = 0;
    const signal = new AbortController().signal;
    for await (const block of engine.synthesize(request(text, { hasPhonemes }), signal)) {
      samples += block.samples.length;
      all.push(...(block.phonemes ?? []));
    }
    return { all, audioMs: samples / 8 };
  };

  it.each([
    ['Six.', /^sˈɪks$/],
    ['Good day. Six!', /^ɡ.*d.*sˈɪks$/],
  ])('of %s follow each other within its audio', async (text, expected) => {
    const { all, audioMs } = await phonemesOf(text);
    expect(all.map(({ phoneme }) => phoneme).join('')).toMatch(expected);
    for (const [at, { startMs, endMs }] of all.entries()) {
      expect(startMs).toBeGreaterThanOrEqual(all[at - 1]?.endMs ?? 0);
      expect(endMs).toBeGreaterThan(startMs);
      expect(endMs).toBeLessThanOrEqual(audioMs);
    }
  });

  it('are there only where they are asked for', async () => {
    expect((await phonemesOf('Six.', false)).all).toEqual([]);
  });
});

describe('what is audible', () => {
  it.each(['', '  \n', '...', '<b></b>', '—!?', '\u0000', '<spell></spell>'])(
    '%j gives no audio',
    async (text) => {
      expect((await speak(text)).samples).toEqual([]);
    },
  );

  it('a break alone is exactly its silence', async () => {
    expect((await speak('<break time="400ms"/>')).samples).toEqual(new Array(3200).fill(0));
  });

  it('all four rates carry the same speech', async () => {
    const lengths: number[] = [];
    for (const sampleRate of [8000, 16000, 22050, 24000] as const) {
      lengths.push((await speak('The same words at another rate.', { sampleRate })).audioMs);
    }
    expect(Math.max(...lengths) / Math.min(...lengths)).toBeLessThan(1.03);
  });

  it('speed, prosody, language, normalisation and dictionary change what is heard', async () => {
    const text = 'In 1984 the final version was sent.';
    const lengthOf = async (...said: Parameters<typeof speak>) => (await speak(...said)).audioMs;
    const normal = await lengthOf(text);
    expect(await lengthOf(text, { speed: 0.8 })).toBeGreaterThan(normal * 1.1);
    expect(await lengthOf(text, { speed: 1.2 })).toBeLessThan(normal * 0.95);
    expect(await lengthOf(`<prosody rate="slow">${text}</prosody>`)).toBeGreaterThan(normal * 1.1);
    expect(await lengthOf('1984', { language: 'de' })).not.toBeCloseTo(await lengthOf('1984'), -1);
    const digits = '1234567890';
    expect(await lengthOf(digits, { normalize: false })).toBeLessThan((await lengthOf(digits)) * 0.8);
    const pronunciations = [{ word: 'sent', replacement: 'sent by registered mail', caseSensitive: false }];
    expect(await lengthOf(text, { pronunciations })).toBeGreaterThan(normal + 500);
  });
});

describe('inline IPA', () => {
  it('is what the IPA of a dictionary entry sounds like, with the word as written', async () => {
    const ipa = 'ˌɪntəˈnæʃənəl';
    const pronunciations = [{ word: 'Kugel', replacement: 'no', ipa, caseSensitive: false }];
    const spoken = `The /${ipa}/ rolls.`;
    const entry = await speak('The Kugel rolls.', { pronunciations });
    expect(Math.abs(entry.audioMs - (await speak(spoken)).audioMs)).toBeLessThan(1);
    expect(Math.abs(entry.audioMs - (await speak('The no rolls.')).audioMs)).toBeGreaterThan(200);
    expect(entry.words.map(({ charStart, charEnd }) => [charStart, charEnd])).toEqual([
      [0, 3],
      [4, 9],
      [10, 15],
    ]);
  });

  it('is said as one word, not spelled', async () => {
    const [word, ipa] = [await speak('tomato'), await speak('/təˈmeɪtoʊ/')];
    expect(ipa.audioMs / word.audioMs).toBeGreaterThan(0.8);
    expect(ipa.audioMs / word.audioMs).toBeLessThan(1.25);
  });

  it.each(SPOKEN_LANGUAGES)('has a sound for every sign in %s', async (language) => {
    // Vowels are what languages lack; a word of one that is not said lasts as long as its consonant, 120 ms at most.
    const vowels = 'ɑ ɒ ɔ ʊ ʌ ɜː ɪ ɛ y ø œ ɑ̃ œ̃ ɔɪ'.split(' ');
    const { words } = await speak(vowels.map((vowel) => `/pˈ${vowel}/`).join(', '), { language });
    expect(words).toHaveLength(vowels.length);
    for (const { word, startMs, endMs } of words) expect(endMs - startMs, word).toBeGreaterThan(135);
  });
});

it('speaks the same request with the same samples on a new engine and after other texts', async () => {
  const text = 'I say мир today, and hello. Then 12.50 more, doesn’t it? <spell>AB</spell>';
  const other = await createEspeakEngine({ threads: 1 });
  onTestFinished(() => other.close());
  const samplesOf = async (by: Engine, change?: Partial<SpeechRequest>) => {
    const blocks: Int16Array[] = [];
    for await (const block of by.synthesize(request(text, change), new AbortController().signal))
      blocks.push(block.samples);
    return Buffer.concat(blocks.map(({ buffer }) => Buffer.from(buffer)));
  };
  const first = await samplesOf(other, { language: 'en' });
  for (const [at, language] of (['de', 'ru', 'zh', 'vi', undefined] as const).entries()) {
    await samplesOf(other, { language, voice: VOICES[at + 1] ?? VOICES[0], speed: 0.8 + at / 10 });
    expect((await samplesOf(other, { language: 'en' })).equals(first)).toBe(true);
  }
  await samplesOf(engine, { language: 'hi' });
  expect((await samplesOf(engine, { language: 'en' })).equals(first)).toBe(true);
});

it('sends the first 100 ms of a piece at once, and joins later ones', async () => {
  const lengthsMs: number[] = [];
  const spoken = request('One sentence that is not short, so that it has many blocks, and goes on.');
  for await (const { samples } of engine.synthesize(spoken, new AbortController().signal))
    lengthsMs.push(samples.length / 8);
  expect(lengthsMs[0]).toBeLessThan(130);
  expect(Math.max(...lengthsMs)).toBeGreaterThan(350);
  expect(Math.max(...lengthsMs)).toBeLessThan(550);
});

it('a long text does not hold up other sessions, and an abort ends it', async () => {
  const controller = new AbortController();
  const text = 'A sentence that goes on and on, and then some more. '.repeat(190);
  let blocks = 0;
  const reading = (async () => {
    for await (const _ of engine.synthesize(request(text, { session: 'long' }), controller.signal))
      blocks += 1;
  })();
  const others = Array.from({ length: 12 }, (_, at) => speak('Short words.', { session: `short ${at}` }));
  for (const { words } of await Promise.all(others)) expect(words.length).toBe(2);
  const before = blocks;
  controller.abort(new Error('barge-in'));
  await expect(reading).rejects.toThrow('barge-in');
  // The long text is worth some 5,000 blocks; only what was under way may have come.
  expect(blocks - before).toBeLessThanOrEqual(1);
  expect(blocks).toBeLessThan(3000);
});

it('leaves the data of the package on disk, also where it speaks', async () => {
  const { default: load } = await import('@echogarden/espeak-ng-emscripten');
  const given: ArrayBuffer[] = [];
  const watched = (options: { getPreloadedPackage?: (path: string, bytes: number) => ArrayBuffer }) => {
    const { getPreloadedPackage: original } = options;
    options.getPreloadedPackage = (path, bytes) => {
      const buffer = original?.(path, bytes) ?? new ArrayBuffer(0);
      given.push(buffer);
      return buffer;
    };
    return load(options);
  };
  const loaded = await loadEspeak(async () => ({ default: watched }));
  if (!loaded.ok) throw new Error(loaded.reason);
  let samples = 0;
  expect(loaded.espeak.set_voice('de')).toBe(0);
  loaded.espeak.synthesize('Guten Tag.', (block) => {
    samples += block?.length ?? 0;
    return false;
  });
  expect(samples).toBeGreaterThan(1000);
  expect(given.map(({ byteLength }) => byteLength)).toEqual([24_014_553]);
  expect(given.every((buffer) => Buffer.from(buffer).every((byte) => byte === 0))).toBe(true);
});

it('distinguishes a missing package from a broken one', async () => {
  const absent = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  expect(await loadEspeak(() => Promise.reject(absent))).toMatchObject({ ok: false, missing: true });
  const reason = 'no data';
  expect(await loadEspeak(() => Promise.reject(new Error(reason)))).toEqual({
    ok: false,
    missing: false,
    reason,
  });
});

// The engine's buffer of a word once cut them: 50 and 300 times x were equally long.
it.each(['x', '9', '你好'])('a long run of %s is spoken to its end', async (unit) => {
  const repeated = (times: number) => speak(unit.repeat(times));
  const short = await repeated(20);
  const long = await repeated(120);
  expect(long.audioMs / short.audioMs).toBeGreaterThan(4.8);
  for (const { startMs, endMs } of long.words) expect(endMs).toBeGreaterThan(startMs);
});
