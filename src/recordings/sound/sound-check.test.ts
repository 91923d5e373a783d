import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeG711 } from '#lib/g711.ts';
import { bytesFromSamples, FULL_SCALE } from '#lib/pcm.ts';
import { createResampler } from '#lib/resample.ts';
import { seededRandom } from '#lib/statistics/random.ts';
import { wavHeader } from '#lib/wav.ts';
import type { Finding } from '#protocol/core/rule.ts';
import type { NewEntry } from '#trace/entry.ts';
import { measuredRecord } from '#trace/player-entry.ts';
import type { ReferenceSource } from '#trace/words/text-search.ts';
import { toneSamples, toneSpeech } from '#trace/words/tone-speech.test-helper.ts';
import { type MadeTurn, RATE, recordingOf, spokenTurn } from '../testing/spoken-turn.ts';
import { newEntry } from '../testing/world.ts';
import { SoundCheck } from './sound-check.ts';
import type { SoundRuleId } from './sound-rules.ts';
import { syllables } from './syllables.ts';

const noReference: ReferenceSource = async () => null;
const tones: ReferenceSource = async ({ text }) => toneSpeech(text).answer;

async function findingsOf(
  entries: readonly NewEntry[],
  endpoint = 'kugel-stream',
  reference = noReference,
): Promise<Finding[]> {
  const check = new SoundCheck(endpoint, reference);
  const found: Finding[] = [];
  for (const [index, entry] of entries.entries()) found.push(...(await check.take(entry, index)));
  return [...found, ...(await check.end())];
}

const findings = (
  turns: readonly MadeTurn[],
  endpoint?: string,
  reference?: ReferenceSource,
): Promise<Finding[]> => findingsOf(recordingOf(turns), endpoint, reference);

const NUMBERED = Array.from({ length: 1000 }, (_, id) => id);

const good = spokenTurn();
const at = (s: number): number => Math.round(s * RATE);

/** Changes samples from a place on. */
const changed = (from: number, to: number, next: (sample: number, at: number) => number): MadeTurn => ({
  ...good,
  samples: good.samples.map((sample, index) => (index >= from && index < to ? next(sample, index) : sample)),
});

/** Puts samples between others. Words behind them move, and the frames stay whole. */
function inserted(place: number, added: Int16Array): MadeTurn {
  const samples = new Int16Array(good.samples.length + added.length);
  samples.set(good.samples.subarray(0, place));
  samples.set(added, place);
  samples.set(good.samples.subarray(place), place + added.length);
  const words = good.words.map(({ word, from, to }) => {
    const by = from >= place ? added.length : 0;
    return { word, from: from + by, to: to + by };
  });
  const frameSamples = Array.from({ length: Math.ceil(samples.length / 2400) }, (_, index) =>
    Math.min(2400, samples.length - 2400 * index),
  );
  return { ...good, samples, words, frameSamples, statedSeconds: samples.length / RATE };
}

/** A turn in which every word has a sound of its own. @param late by which the times of words are off, by their number */
function toneTurn(
  late = (_word: number): number => 0,
  text = 'Every word of this sentence has another sound, so that all are found in it again.',
): MadeTurn {
  const samples = toneSamples(text, RATE);
  const placed = toneSpeech(text).answer.words.map(({ startMs, endMs, charStart, charEnd }, index) => ({
    word: text.slice(charStart, charEnd),
    from: at(startMs / 1000 + late(index)),
    to: at(endMs / 1000 + late(index)),
  }));
  return {
    samples,
    words: placed,
    frameSamples: [samples.length],
    statedSeconds: samples.length / RATE,
    text,
  };
}

const inRate = (factor: number): MadeTurn => {
  const resampler = createResampler(RATE, RATE * factor);
  const output = [...resampler.push(Float32Array.from(good.samples)), ...resampler.end()];
  const samples = Int16Array.from(output, Math.round);
  return {
    ...good,
    samples,
    words: [],
    frameSamples: [samples.length],
    statedSeconds: samples.length / RATE,
  };
};

/** A frame without its first 80 ms. */
function skipped(): MadeTurn {
  const place = 2400 * 12;
  const samples = Int16Array.from([
    ...good.samples.subarray(0, place),
    ...good.samples.subarray(place + at(0.08)),
  ]);
  const frameSamples = good.frameSamples.map((count, index) => (index === 12 ? count - at(0.08) : count));
  return { ...good, samples, frameSamples };
}

/** Other bytes in one frame, read as 16-bit samples. */
const inBytes = (change: (bytes: Buffer) => Uint8Array, { samples } = good): MadeTurn => {
  const bytes = change(Buffer.from(bytesFromSamples(samples)));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const read = Int16Array.from({ length: bytes.length >> 1 }, (_, index) => view.getInt16(2 * index, true));
  return {
    ...good,
    samples: read,
    words: [],
    frameSamples: [read.length],
    statedSeconds: read.length / RATE,
  };
};

/** Puts another channel beside samples. */
const besides = (samples: Int16Array, other: (sample: number, index: number) => number): Int16Array =>
  Int16Array.from({ length: 2 * samples.length }, (_, index) => {
    const sample = samples[index >> 1] ?? 0;
    return index % 2 === 0 ? sample : other(sample, index >> 1);
  });

/** Repeats each group of bytes. */
const doubled = (bytes: Uint8Array, size: number): Uint8Array =>
  Uint8Array.from(
    { length: 2 * bytes.length },
    (_, index) => bytes[size * Math.floor(index / (2 * size)) + (index % size)] ?? 0,
  );

/** A word in the first sentence, which follows another one at once. */
const WORD = good.words[3] as MadeTurn['words'][number];

/** Returns the turn without the sound of some words. */
function lacking(from: number, to: number): MadeTurn {
  const { samples, words: all, ...turn } = toneTurn();
  const [first, last] = [all[from]?.from ?? 0, all[to]?.from ?? samples.length];
  const left = Int16Array.from([...samples.subarray(0, first), ...samples.subarray(last)]);
  return {
    ...turn,
    samples: left,
    words: [],
    frameSamples: [left.length],
    statedSeconds: left.length / RATE,
  };
}

/** A recording that has the words of its turn. @param leastMs of a word, by its number */
function withMeasured(turn: MadeTurn, leastMs: (word: number) => number | null) {
  const words = toneSpeech(turn.text).answer.words.map((word, index) => {
    return { word: '', ...word, referenceMs: word.endMs - word.startMs, leastMs: leastMs(index) };
  });
  const payload = JSON.stringify(measuredRecord(0, turn.text, 'test', words));
  const measured = newEntry({ direction: 'player', kind: 'measured', turn: 1, chunk: 0, payload });
  const entries = recordingOf([turn]);
  const end = entries.findIndex(({ kind }) => kind === 'turnEnded');
  return entries.toSpliced(end, 0, measured);
}

/** The smallest fault of each rule: the faulty turns, and the turn and place in seconds where it is found. */
const BROKEN: Readonly<
  Record<SoundRuleId, { turns: MadeTurn[]; turn?: number; fromS?: number; toS?: number }>
> = {
  'silent-turn': { turns: [changed(0, Number.POSITIVE_INFINITY, () => 0)], fromS: 0 },
  'silent-chunk': {
    turns: [{ ...good, next: changed(0, Number.POSITIVE_INFINITY, () => 0) }],
    fromS: good.samples.length / RATE,
    toS: (2 * good.samples.length) / RATE,
  },
  'leading-silence': { turns: [inserted(0, new Int16Array(at(0.45)))], fromS: 0, toS: 0.55 },
  'trailing-silence': {
    turns: [inserted(good.samples.length, new Int16Array(at(0.75)))],
    fromS: good.samples.length / RATE - 0.1,
  },
  'dead-air': {
    turns: [inserted(WORD.from, new Int16Array(at(0.85)))],
    fromS: WORD.from / RATE,
    toS: WORD.from / RATE + 0.85,
  },
  'click-at-seam': {
    turns: [changed(2400 * 10, 2400 * 10 + 60, (sample) => sample + 0.3 * FULL_SCALE)],
    fromS: 1,
    toS: 1,
  },
  'repeat-at-seam': {
    turns: [inserted(2400 * 6, good.samples.slice(2400 * 5, 2400 * 6))],
    fromS: 0.6,
    toS: 0.7,
  },
  'skip-at-seam': { turns: [skipped()], fromS: 1.2, toS: 1.22 },
  clipping: {
    turns: [
      changed(0, Number.POSITIVE_INFINITY, (sample) =>
        Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, 20 * sample)),
      ),
    ],
  },
  'true-peak': {
    turns: [
      changed(
        at(1),
        at(1.05),
        (_, index) => 32_000 * Math.SQRT2 * Math.sin((index * Math.PI) / 2 + Math.PI / 4),
      ),
    ],
  },
  'dc-offset': {
    turns: [changed(0, Number.POSITIVE_INFINITY, (sample) => sample + 0.03 * FULL_SCALE)],
    fromS: 0,
  },
  'loudness-jump': {
    turns: [good, good, changed(0, Number.POSITIVE_INFINITY, (sample) => sample * 0.4)],
    turn: 3,
  },
  'wrong-speed': { turns: [good, good, inRate(0.5)], turn: 3 },
  'not-samples': {
    turns: [
      changed(
        0,
        Number.POSITIVE_INFINITY,
        (sample) => (((sample & 0xff) << 24) >> 16) | ((sample >> 8) & 0xff),
      ),
    ],
  },
  'two-channels': { turns: [inBytes((bytes) => doubled(bytes, 2))] },
  'file-header': {
    turns: [inBytes((bytes) => Buffer.concat([wavHeader(bytes.length, RATE), bytes]))],
    fromS: 0,
  },
  'word-in-silence': {
    turns: [changed(WORD.from, WORD.to, () => 0)],
    fromS: WORD.from / RATE,
    toS: WORD.to / RATE,
  },
  'words-off': { turns: [toneTurn(() => 0.2)], fromS: 0.2 },
  'text-missing': { turns: [lacking(6, 8)], fromS: 0.8, toS: 2.25 },
  'words-uncovered': {
    turns: [{ ...good, words: good.words.slice(0, 10) }],
    fromS: (good.words[10]?.from ?? 0) / RATE,
  },
};

describe('the rules of sound', () => {
  it('find nothing in a good turn, on its own or among others', async () => {
    expect(await findings([good, good, good])).toEqual([]);
  });

  it.each(Object.entries(BROKEN))('%s is found at its place', async (id, { turns, turn = 1, fromS, toS }) => {
    const reference = ['words-off', 'text-missing'].includes(id) ? tones : noReference;
    const found = (await findings(turns, undefined, reference)).filter((finding) => finding.id === id);
    expect(found).toHaveLength(1);
    expect(found[0]?.sound?.turn).toBe(turn);
    if (fromS !== undefined) expect(found[0]?.sound?.fromS).toBeCloseTo(fromS, 1);
    if (toS !== undefined) expect(found[0]?.sound?.toS).toBeCloseTo(toS, 1);
  });

  it.each([
    ['{"update_settings":{"speed":1.2}}', 0],
    ['{"update_settings":{}}', 1],
    [JSON.stringify({ update_settings: { unknown: 1 } }), 1],
    [JSON.stringify({ update_settings: Object.fromEntries(NUMBERED.map((id) => [`field${id}`, id])) }), 1],
  ])('compare the speed of turns with the same settings only: %.60s', async (payload, count) => {
    const entries = recordingOf([good, good, inRate(0.7)]);
    const third = entries.findIndex(({ turn }) => turn === 3);
    entries.splice(third, 0, newEntry({ direction: 'out', kind: 'update', payload }));
    expect((await findingsOf(entries)).filter(({ id }) => id === 'wrong-speed')).toHaveLength(count);
  });

  /** An entry of context `c`. */
  const ofContext = (turn: number, direction: 'in' | 'out', kind: string, fields: object): NewEntry =>
    newEntry({
      ...{ direction, kind, turn, context: 'c', chunk: kind === 'audio' ? 0 : null },
      payload: JSON.stringify({ ...fields, [idOf(direction)]: 'c' }),
    });
  const idOf = (direction: string): string => (direction === 'in' ? 'contextId' : 'context_id');
  const FAST = { voice_settings: { speed: 1.2 } };

  /** A turn of `multi-stream-input`. */
  const elevenLabsTurn = (turn: number, { samples, text }: MadeTurn, settings = {}): NewEntry[] => [
    ofContext(turn, 'out', 'say', { text, ...settings }),
    ofContext(turn, 'out', 'flush', { flush: true }),
    ofContext(turn, 'out', 'endTurn', { close_context: true }),
    ofContext(turn, 'in', 'audio', {
      audio: Buffer.from(bytesFromSamples(samples)).toString('base64'),
      isFinal: null,
    }),
    ofContext(turn, 'in', 'turnEnded', { audio: null, isFinal: true }),
  ];

  it.each([
    ['a cancelled turn', {}, FAST, 1],
    ['a turn that has ended', FAST, FAST, 0],
  ])(
    'compare a turn with the settings of its own context, not with those of %s',
    async (_, own, before, count) => {
      const address = 'wss://host/v1/text-to-speech/any/multi-stream-input?output_format=pcm_24000';
      const format = { encoding: 'pcm_s16le', sampleRate: RATE };
      const entries = [
        newEntry({ direction: 'connection', kind: 'opening', payload: JSON.stringify({ address, format }) }),
        ...[1, 2, 3].flatMap((turn) => elevenLabsTurn(turn, good)),
        ofContext(4, 'out', 'say', { text: good.text, ...before }),
        ofContext(4, 'out', 'cancel', { close_context: true }),
        ofContext(4, 'in', 'turnEnded', { audio: null, isFinal: true }),
        ...elevenLabsTurn(5, inRate(0.7), own),
      ];
      const found = (await findingsOf(entries, 'elevenlabs-multi')).filter(({ id }) => id === 'wrong-speed');
      expect(found).toHaveLength(count);
    },
  );

  it.each([
    ['the server has closed', { context_closed: true }, 1],
    ['is still open', { context_created: true }, 0],
  ])('compare a turn with the settings of a context that %s', async (_, answer, count) => {
    const entries = recordingOf([good, good, good, inRate(0.7)]).flatMap((entry) => {
      const isEnd = entry.kind === 'turnEnded';
      const fields = JSON.parse(entry.payload as string);
      const payload = JSON.stringify({ ...(isEnd ? { final: true } : fields), context_id: 'c' });
      return entry.kind === 'opening' ? [entry] : [{ ...entry, context: 'c', payload }];
    });
    const opening = newEntry({
      ...{ direction: 'out', kind: 'openContext', context: 'c' },
      payload: '{"text":" ","context_id":"c","voice_settings":{"speed":1.2}}',
    });
    const answered = newEntry({
      ...opening,
      direction: 'in',
      payload: JSON.stringify({ ...answer, context_id: 'c' }),
    });
    entries.splice(
      entries.findIndex(({ turn }) => turn === 4),
      0,
      opening,
      answered,
    );
    const found = (await findingsOf(entries, 'kugel-multi')).filter(({ id }) => id === 'wrong-speed');
    expect(found).toHaveLength(count);
  });

  it('stay right behind more connections and contexts than are known', async () => {
    const many = NUMBERED.flatMap((id) => {
      const opening = newEntry({
        direction: 'connection',
        kind: 'opening',
        connection: id + 2,
        payload: '{}',
      });
      const text = { text: 'Hi.', voice_settings: { voice_id: id } };
      return [opening, { ...ofContext(100 + id, 'out', 'say', text), connection: id + 2 }];
    });
    const [first, ...turns] = recordingOf([good, good, inRate(0.7)]);
    const found = await findingsOf(first ? [first, ...many, ...turns] : []);
    expect(found.filter(({ id }) => id === 'wrong-speed')).toHaveLength(1);
  });

  /** The good turn at a low rate, where speech has little band left. */
  const narrow = { ...good, samples: inRate(1 / 3).samples };

  it.each([
    ['µ-law', 'not-samples', (samples: Int16Array) => encodeG711('mulaw', samples)],
    ['A-law', 'not-samples', (samples: Int16Array) => encodeG711('alaw', samples)],
    [
      'swapped bytes',
      'not-samples',
      (samples: Int16Array) => Buffer.from(bytesFromSamples(samples)).swap16(),
    ],
    [
      'a byte too many',
      'not-samples',
      (samples: Int16Array) => Buffer.concat([Buffer.of(7), bytesFromSamples(samples)]),
    ],
    [
      'the same in both channels',
      'two-channels',
      (samples: Int16Array) => doubled(bytesFromSamples(samples), 2),
    ],
    [
      'silence in one channel',
      'two-channels',
      (samples: Int16Array) => bytesFromSamples(besides(samples, () => 0)),
    ],
  ])('find %s under the name of 16-bit PCM with one channel', async (_, id, encoded) => {
    for (const turn of [good, narrow]) {
      const found = await findings([inBytes(() => encoded(turn.samples), turn)]);
      expect(found.map((finding) => finding.id)).toEqual([id]);
    }
  });

  it('find another voice in each channel under the name of one', async () => {
    const other = (_: number, index: number) => good.samples[(index + 30_000) % good.samples.length] ?? 0;
    const found = await findings([inBytes(() => bytesFromSamples(besides(good.samples, other)))]);
    expect(found.map(({ id }) => id)).toEqual(['two-channels']);
  });

  it('find silence, and no other reading of its noise, where most of a turn is silent', async () => {
    const random = seededRandom(1);
    const quiet = Int16Array.from({ length: 9 * good.samples.length }, () => Math.round(8 * random() - 4));
    expect((await findings([inserted(0, quiet)])).map(({ id }) => id)).toEqual(['leading-silence']);
  });

  it('find words whose times drift, none that are near, and judge none without a reference', async () => {
    const drifting = toneTurn((word) => -0.03 * word);
    const [found, ...others] = (await findings([drifting], undefined, tones)).filter(
      ({ id }) => id === 'words-off',
    );
    expect(others).toEqual([]);
    expect(found?.message).toMatch(
      /^expected words at their sound, got \d+ words in a row that run \d+ ms and drift to 4\d\d ms ahead$/,
    );
    for (const near of [toneTurn(), toneTurn(() => 0.1), toneTurn((word) => (word === 4 ? 0.4 : 0))])
      expect((await findings([near], undefined, tones)).map(({ id }) => id)).not.toContain('words-off');
    expect((await findings([drifting])).map(({ id }) => id)).not.toContain('words-off');
  });

  it('find words that are off by as much behind those whose times would be before the first sample', async () => {
    const early = toneTurn(
      (word) => Math.max(-0.64, -0.16 * word ** 1.5),
      'Seven words are enough for this.',
    );
    const found = (await findings([early], undefined, tones)).filter(({ id }) => id === 'words-off');
    expect(found).toMatchObject([{ message: expect.stringMatching(/ run 6\d\d ms ahead$/) }]);
  });

  it('name the words that a stretch may have lost, though each word has its time', async () => {
    const entries = withMeasured(toneTurn(), (word) => (word === 6 ? 260 : 500));
    expect(await findingsOf(entries)).toMatchObject([
      { id: 'text-missing', message: expect.stringContaining('"another sound"') },
    ]);
    expect(await findingsOf(withMeasured(toneTurn(), () => 280))).toEqual([]);
  });

  it('take the words that the recording has of a turn, and search no others in its sound', async () => {
    const drifting = toneTurn((word) => -0.03 * word);
    const entries = withMeasured(drifting, () => null);
    const asked: string[] = [];
    const found = await findingsOf(entries, undefined, async ({ text }) => {
      asked.push(text);
      return null;
    });
    expect(found).toMatchObject([{ id: 'words-off', sound: { turn: 1, fromS: 6 * (0.25 - 0.03) } }]);
    expect(asked).toEqual([]);
  });

  it('search the words of a turn only where enough of them, or of their times, are there', async () => {
    const askedFor = async (turn: MadeTurn) => {
      const asked: string[] = [];
      await findings([turn], undefined, async ({ text }) => {
        asked.push(text);
        return null;
      });
      return asked;
    };
    const text = 'The boats went out today';
    const few = toneTurn(undefined, text);
    expect(await askedFor({ ...few, words: [] })).toEqual([]);
    expect(await askedFor({ ...few, words: few.words.slice(0, 2) })).toEqual([]);
    expect(await askedFor({ ...few, words: few.words.slice(0, 3) })).toEqual([text]);
    const enough = toneTurn(undefined, `${text} again`);
    expect(await askedFor({ ...enough, words: [] })).toEqual([enough.text]);
  });

  it('name a tail that is possibly missing, and nothing of a turn that was cut off or is whole', async () => {
    const missing = async (turn: MadeTurn) =>
      (await findings([turn], undefined, tones)).filter(({ id }) => id === 'text-missing');
    expect(await missing(lacking(13, 16))).toMatchObject([{ message: expect.stringContaining('it again') }]);
    expect(await missing(toneTurn())).toEqual([]);
    const entries = recordingOf([lacking(13, 16)]).filter(
      ({ kind }) => !['audioEnded', 'turnEnded'].includes(kind),
    );
    const cut = await findingsOf(entries, undefined, tones);
    expect(cut.map(({ id }) => id)).not.toContain('text-missing');
  });

  it('count small kana with the syllable before them', () => {
    expect(syllables('きょう、ティーを')).toEqual(syllables('きう、テーを'));
  });

  const QUESTION = 'Is there anything else?';

  it('expect no pace of a short text with silent letters', async () => {
    const short = { ...good, text: QUESTION, words: [], frameSamples: [at(1.37)], statedSeconds: 1.37 };
    const found = await findings([good, good, { ...short, samples: good.samples.slice(0, at(1.37)) }]);
    expect(found.filter(({ id }) => id === 'wrong-speed')).toEqual([]);
  });

  it('expect no sound of a tag that has times', async () => {
    const silent = changed(WORD.from, WORD.to, () => 0);
    const tagged = (text: string) => text.replace(` ${WORD.word} `, ' <b/> ');
    const tag = { ...WORD, word: '<b/>' };
    const turn = {
      ...silent,
      text: tagged(good.text),
      words: good.words.map((word) => (word === WORD ? tag : word)),
    };
    expect((await findings([turn])).filter(({ id }) => id === 'word-in-silence')).toEqual([]);
  });

  it('find dead air between any two words of a sentence, within 30 ms, and say what it cost', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.double({ min: 0.82, max: 2, noNaN: true }),
        async (index, lengthS) => {
          const place = good.words[index]?.from ?? 0;
          const [found, ...others] = (await findings([inserted(place, new Int16Array(at(lengthS)))])).filter(
            ({ id }) => id === 'dead-air',
          );
          expect(others).toEqual([]);
          expect(Math.abs((found?.sound?.fromS ?? 0) - place / RATE)).toBeLessThan(0.03);
          expect(Math.abs((found?.sound?.toS ?? 0) - place / RATE - lengthS)).toBeLessThan(0.03);
          expect(found?.message).toMatch(/of the bill of €0\.0100$/);
        },
      ),
      { numRuns: 10 },
    );
  });

  it('expect no end of a turn that was cut off, and hear nothing at an unknown endpoint', async () => {
    const check = new SoundCheck('kugel-stream', noReference);
    const entries = recordingOf([inserted(good.samples.length, new Int16Array(at(2)))]);
    for (const [index, entry] of entries.slice(0, -4).entries())
      expect(await check.take(entry, index)).toEqual([]);
    expect(await check.end()).toEqual([]);
    // Half of the speech of a cancelled turn is not twice as fast.
    const entries3 = recordingOf([good, good, good]);
    const half = entries3.findIndex(({ turn, kind }) => turn === 3 && kind === 'audio') + 20;
    const cancel = newEntry({ direction: 'out', kind: 'cancel', turn: 3, payload: '{"cancel":true}' });
    const cancelled = entries3.filter(
      (entry, index) => index < half || entry.kind === 'turnEnded' || entry.turn !== 3,
    );
    cancelled.splice(half, 0, cancel);
    const other = new SoundCheck('kugel-stream', noReference);
    for (const [index, entry] of cancelled.entries()) expect(await other.take(entry, index)).toEqual([]);
    expect(await findings([inserted(0, new Int16Array(at(1)))], 'nobody')).toEqual([]);
  });
});

it('judges a turn that was begun behind a cancel, whose confirmation comes later', async () => {
  const entries = recordingOf([good, changed(at(1), at(1.4), () => 0)]);
  const own = await findingsOf(entries);
  expect(own).not.toEqual([]);
  // The second turn has sound already.
  const place = entries.findIndex(({ turn, kind }) => turn === 2 && kind === 'audio') + 5;
  const second = entries.findIndex(({ turn }) => turn === 2);
  const cancel = newEntry({ direction: 'out', kind: 'cancel', turn: 1, payload: '{"cancel":true}' });
  const confirmed = newEntry({
    direction: 'in',
    kind: 'interrupted',
    turn: 1,
    payload: '{"interrupted":true}',
  });
  const first = entries.slice(0, second).filter(({ kind }) => kind !== 'turnEnded');
  const late = [...first, cancel, ...entries.slice(second, place), confirmed, ...entries.slice(place)];
  const places = (found: readonly Finding[]) =>
    found.map(({ id, sound }) => ({ id, fromS: sound?.fromS, turn: sound?.turn }));
  expect(places(await findingsOf(late))).toEqual(places(own));
});

it('finds the same behind turns that no server answers, whose number has no bound', async () => {
  const cracked = changed(at(1), at(1.4), () => 0);
  const entries = recordingOf([cracked]);
  const unanswered = Array.from({ length: 3000 }, (_, turn) =>
    newEntry({ direction: 'out', kind: 'say', turn: turn + 2, payload: '{"text":"Hello?"}' }),
  );
  const [opening, ...rest] = entries;
  const behind = await findingsOf([...(opening ? [opening] : []), ...unanswered, ...rest]);
  const alone = await findingsOf(entries);
  expect(alone.length).toBeGreaterThan(0);
  expect(behind.map(({ id, sound }) => ({ id, sound }))).toEqual(
    alone.map(({ id, sound }) => ({ id, sound })),
  );
});
