import { afterEach, describe, expect, it, vi } from 'vitest';
import { writtenWords } from '#lib/text/words.ts';
import { MAX_REFERENCE_CHARS } from '#protocol/reference-messages.ts';
import { fetchReference, type ReferenceSource } from '#trace/words/text-search.ts';
import { HZ, toneSamples, toneSpeech, WORD_MS } from '#trace/words/tone-speech.test-helper.ts';
import { type FoundWords, WordSearches } from './word-search.ts';

const asked: string[] = [];
const source: ReferenceSource = async ({ text }) => {
  asked.push(text);
  return toneSpeech(text).answer;
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
  const sound = toneSamples(text, 2 * HZ);
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
    expect(found.map(({ isFinal }) => isFinal)).toEqual(counts.map((_, at) => at === counts.length - 1));
    const last = found.at(-1);
    expect(last).toMatchObject({ turn: 3, chunk: 1, text: TEXT });
    expect(last?.words.map(({ word }) => word)).toEqual(
      writtenWords(TEXT).map(({ start, end }) => TEXT.slice(start, end)),
    );
    for (const [at, { startMs }] of (last?.words ?? []).entries())
      expect(Math.abs(startMs - at * WORD_MS)).toBeLessThan(40);
  });

  it('have a reference in parts, where the text is longer than one may be', async () => {
    const text = Array.from({ length: 9 }, (_, at) => TEXT.replace('fox', `fo${'x'.repeat(at)}`)).join(' ');
    asked.length = 0;
    const { words, isFinal } = (await search(text, source, true, 100 * HZ)).at(-1) ?? {};
    expect(isFinal).toBe(true);
    expect(asked.length).toBe(3);
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
        arrive = () => resolve(toneSpeech(text).answer);
      });
    const found = await search(TEXT, late);
    expect(found).toEqual([]);
    arrive();
    await new Promise(setImmediate);
    expect(found).toMatchObject([{ isFinal: true }]);
  });

  it('of a text that grows are searched in sound that is posted once, with a reference of its new part alone', async () => {
    const first = Array.from({ length: 3 }, () => TEXT).join(' ');
    const text = `${first} ${TEXT} ${TEXT}`;
    const found: FoundWords[] = [];
    asked.length = 0;
    const searches = new WordSearches(source, (words) => found.push(words));
    const { samples } = toneSpeech(text);
    for (const [at, part] of [first, text, text].entries()) {
      const sound = samples.slice(
        (at * samples.length) / 4,
        at === 2 ? undefined : ((at + 1) * samples.length) / 4,
      );
      const chunk = { turn: 1, chunk: 0, text: part, language: null, sampleRate: HZ };
      searches.take({ kind: 'sound', ...chunk, samples: sound, isWhole: at === 2 });
      await new Promise(setImmediate);
    }
    expect(asked).toEqual([first, text.slice(first.length)]);
    expect(found.at(-1)).toMatchObject({ text, isFinal: true });
    expect(found.at(-1)?.words).toHaveLength(writtenWords(text).length);
    for (const [at, { startMs }] of (found.at(-1)?.words ?? []).entries())
      expect(Math.abs(startMs - at * WORD_MS)).toBeLessThan(60);
  });

  it('that was cut off are known up to where they are sure', async () => {
    const found = await search(TEXT, source, false);
    expect(found.map(({ isFinal }) => isFinal)).toEqual(found.map((_, at) => at === found.length - 1));
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

  it('is not requested on a static host, where no worker starts for it', async () => {
    vi.resetModules();
    vi.stubGlobal('fetch', () => Promise.reject(new Error('requested')));
    const search = await import('#trace/words/text-search.ts');
    const { searchInWorker } = await import('./measured-words.ts');
    search.leaveReferences();
    expect(await search.fetchReference({ text: TEXT, language: null })).toBeNull();
    expect(searchInWorker(() => {})).toBeNull();
  });

  it('fails for one text alone while the server is busy', async () => {
    vi.stubGlobal('fetch', async () => new Response('The speech engine is busy.', { status: 503 }));
    await expect(fetchReference({ text: TEXT, language: null })).rejects.toThrow('busy');
  });
});
