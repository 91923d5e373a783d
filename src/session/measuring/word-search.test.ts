import { afterEach, describe, expect, it, vi } from 'vitest';
import { encodeBase64 } from '#lib/base64.ts';
import { bytesFromSamples } from '#lib/pcm.ts';
import { createResampler } from '#lib/resample.ts';
import { seededRandom } from '#lib/statistics/random.ts';
import { writtenWords } from '#lib/text/words.ts';
import { MAX_REFERENCE_CHARS, type ReferenceAnswer } from '#protocol/reference-messages.ts';
import { type FoundWords, fetchReference, type ReferenceSource, WordSearches } from './word-search.ts';

const HZ = 8000;
const WORD_MS = 250;

/** A sound for each word: a tone that its letters decide, which fades in and out. */
function spoken(text: string): { samples: Int16Array; answer: ReferenceAnswer } {
  const places = writtenWords(text);
  const length = (WORD_MS * HZ) / 1000;
  const samples = new Int16Array(length * places.length);
  for (const [word, { start, end }] of places.entries()) {
    const letters = [...text.slice(start, end)].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
    const random = seededRandom(letters);
    const tones = [300 + 500 * random(), 1000 + 1000 * random(), 2200 + 1200 * random()];
    for (let at = 0; at < length; at += 1) {
      const value = tones.reduce((sum, hz) => sum + Math.sin((2 * Math.PI * hz * at) / HZ), 0);
      samples[word * length + at] = 3000 * value * Math.sin((Math.PI * at) / length);
    }
  }
  const words = places.map(({ start, end }, at) => ({
    startMs: at * WORD_MS,
    endMs: (at + 1) * WORD_MS,
    charStart: start,
    charEnd: end,
  }));
  return { samples, answer: { samples: encodeBase64(bytesFromSamples(samples)), words } };
}

const asked: string[] = [];
const source: ReferenceSource = async ({ text }) => {
  asked.push(text);
  return spoken(text).answer;
};

/** Posts a text with its sound at twice the rate. @param part samples that are posted at once, half a second */
async function search(
  text: string,
  from: ReferenceSource = source,
  isWhole = true,
  part = HZ,
): Promise<FoundWords[]> {
  const found: FoundWords[] = [];
  const searches = new WordSearches(from, (words) => found.push(words));
  const resampler = createResampler(HZ, 2 * HZ);
  const { samples } = spoken(text);
  const sound = Int16Array.from([...resampler.push(Float32Array.from(samples)), ...resampler.end()]);
  const message = { kind: 'sound', turn: 3, chunk: 1, text, language: null, sampleRate: 2 * HZ } as const;
  for (let at = 0; at < sound.length; at += part) {
    searches.take({
      ...message,
      samples: sound.slice(at, at + part),
      isWhole: isWhole && at + part >= sound.length,
    });
    await new Promise(setImmediate);
  }
  searches.take({ kind: 'over', turn: 3 });
  return found;
}

const TEXT = 'The quick brown fox jumps over that lazy dog, and nobody wanted to go home.';

describe('words of a chunk', () => {
  it('are found while its sound comes, and all of them at its end', async () => {
    const found = await search(TEXT);
    const counts = found.map(({ words }) => words.length);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(found.slice(0, -1).some(({ words }) => words.length > 3)).toBe(true);
    expect(found.map(({ isWhole }) => isWhole)).toEqual(counts.map((_, at) => at === counts.length - 1));
    const last = found.at(-1);
    expect(last).toMatchObject({ turn: 3, chunk: 1, text: TEXT });
    expect(last?.words.map(({ word }) => word)).toEqual(
      writtenWords(TEXT).map(({ start, end }) => TEXT.slice(start, end)),
    );
    for (const [at, { startMs }] of (last?.words ?? []).entries())
      expect(Math.abs(startMs - at * WORD_MS)).toBeLessThan(40);
  });

  it('have a reference in parts, where the text is longer than one may be', async () => {
    const text = `${TEXT} `.repeat(9).trim();
    asked.length = 0;
    const { words, isWhole } = (await search(text, source, true, 100 * HZ)).at(-1) ?? {};
    expect(isWhole).toBe(true);
    expect(asked.length).toBe(2);
    for (const part of asked) expect(part.length).toBeLessThanOrEqual(MAX_REFERENCE_CHARS);
    expect(asked.join('')).toBe(text);
    for (const { word, charStart, charEnd } of words ?? []) expect(text.slice(charStart, charEnd)).toBe(word);
    expect(words).toHaveLength(writtenWords(text).length);
  });

  it('are not searched where no reference can be had, and the server is asked only once that has none', async () => {
    let asks = 0;
    const none: ReferenceSource = async () => {
      asks += 1;
      return null;
    };
    expect(await search(TEXT, none)).toEqual([]);
    expect(asks).toBe(1);
  });

  it('are not searched where their reference fails, which is not requested again', async () => {
    let asks = 0;
    const failing: ReferenceSource = () => {
      asks += 1;
      return Promise.reject(new Error('no network'));
    };
    expect(await search(TEXT, failing)).toEqual([]);
    expect(asks).toBe(1);
  });

  it('are found behind the end of its turn, where the reference comes late', async () => {
    let arrive = (): void => {};
    const late: ReferenceSource = ({ text }) =>
      new Promise((resolve) => {
        arrive = () => resolve(spoken(text).answer);
      });
    const found = await search(TEXT, late);
    expect(found).toEqual([]);
    arrive();
    await new Promise(setImmediate);
    expect(found).toMatchObject([{ isWhole: true }]);
  });

  it('that was cut off are known up to where they are sure', async () => {
    const found = await search(TEXT, source, false);
    expect(found.every(({ isWhole }) => !isWhole)).toBe(true);
    expect(found.at(-1)?.words.length).toBeLessThan(writtenWords(TEXT).length);
  });
});

describe('a reference of the server', () => {
  afterEach(() => vi.unstubAllGlobals());

  it.each([
    ['of another host of the page', new Response('Not found', { status: 404 })],
    ['of a server without espeak', new Response('This server has no espeak.', { status: 501 })],
    [
      'of a host with one page for all paths',
      new Response('<html>', { headers: { 'Content-Type': 'text/html' } }),
    ],
  ])('is null in the answer %s', async (_, response) => {
    vi.stubGlobal('fetch', async () => response);
    expect(await fetchReference({ text: TEXT, language: null })).toBeNull();
  });

  it('fails for one text alone while the server is busy', async () => {
    vi.stubGlobal('fetch', async () => new Response('The speech engine is busy.', { status: 503 }));
    await expect(fetchReference({ text: TEXT, language: null })).rejects.toThrow('busy');
  });
});
