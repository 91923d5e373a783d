import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../statistics/random.ts';
import { ANALYSED_HZ } from './mel-bands.ts';
import { type FoundSpan, SoundWords, type SpokenSpan, STRETCH_MS } from './sound-words.ts';

const RUNS = { numRuns: 5 };
const NO_PAUSE = { speed: 1, pitchHz: 110, pauses: new Map<number, number>() };

/** Sound of words of some syllables each, whose resonances the seed chooses, with the time of each word. */
function speech(
  seed: number,
  count: number,
  { speed, pitchHz, pauses }: Partial<typeof NO_PAUSE> & typeof NO_PAUSE = NO_PAUSE,
): { samples: Float32Array; words: SpokenSpan[] } {
  const random = seededRandom(seed);
  const samples: number[] = [];
  const words: SpokenSpan[] = [];
  const ms = (): number => (1000 * samples.length) / ANALYSED_HZ;
  for (let word = 0; word < count; word += 1) {
    for (let at = ((pauses.get(word) ?? 0) * ANALYSED_HZ) / 1000; at > 0; at -= 1) samples.push(0);
    const startMs = ms();
    for (let syllable = 1 + Math.floor(random() * 3); syllable > 0; syllable -= 1) {
      const [first, second] = [250 + 600 * random(), 1000 + 2000 * random()];
      const length = Math.round(((0.09 + 0.12 * random()) * ANALYSED_HZ) / speed);
      const near = (hz: number, resonance: number): number => 1 / (1 + ((hz - resonance) / 90) ** 2);
      const partials: { hz: number; height: number }[] = [];
      for (let hz = pitchHz; hz < 3600; hz += pitchHz)
        partials.push({ hz, height: near(hz, first) + near(hz, second) });
      const loud = partials.filter(({ height }) => height > 0.02);
      for (let at = 0; at < length; at += 1) {
        const angle = (2 * Math.PI * samples.length) / ANALYSED_HZ;
        const value = loud.reduce((sum, { hz, height }) => sum + height * Math.sin(hz * angle), 0);
        samples.push(0.1 * value * Math.sin((Math.PI * (at + 1)) / (length + 1)) ** 0.3);
      }
    }
    words.push({ startMs, endMs: ms() });
  }
  return { samples: Float32Array.from(samples), words };
}

function measured(
  reference: ReturnType<typeof speech>,
  samples: Float32Array,
  cuts: readonly number[] = [],
): readonly FoundSpan[] {
  const words = new SoundWords();
  words.addReference(reference.samples, reference.words);
  let from = 0;
  for (const cut of cuts) {
    words.addSound(samples.subarray(from, from + cut));
    words.measure(false);
    from += cut;
  }
  words.addSound(samples.subarray(from));
  return words.measure(true);
}

const farthest = (found: readonly SpokenSpan[], expected: readonly SpokenSpan[]): number => {
  expect(found).toHaveLength(expected.length);
  return Math.max(...expected.map(({ startMs }, at) => Math.abs((found[at]?.startMs ?? 0) - startMs)));
};

describe('words in a sound', () => {
  it('are where they are in the reference, where the sound is the same', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 20 }), (seed, count) => {
        const said = speech(seed, count);
        expect(farthest(measured(said, said.samples), said.words)).toBeLessThan(26);
      }),
      RUNS,
    );
  });

  it('are later by as much as another voice is slower', () => {
    fc.assert(
      fc.property(fc.nat(), fc.double({ min: 0.7, max: 1.4, noNaN: true }), (seed, speed) => {
        const said = speech(seed, 15);
        const other = speech(seed, 15, { ...NO_PAUSE, speed, pitchHz: 170 });
        const found = measured(said, other.samples);
        const off = other.words.map(({ startMs }, at) => Math.abs((found[at]?.startMs ?? 0) - startMs));
        expect(off.toSorted((a, b) => a - b)[10]).toBeLessThan(50);
      }),
      RUNS,
    );
  });

  it('have the least sound of a stretch from each on, which is less before lost sound', () => {
    const said = speech(3, 15);
    const leasts = (samples: Float32Array) =>
      measured(said, samples).flatMap(({ leastMs }) => (leastMs === null ? [] : [leastMs]));
    expect(Math.min(...leasts(said.samples))).toBeGreaterThan(0.9 * STRETCH_MS);
    const { startMs = 0 } = said.words[7] ?? {};
    const [from, to] = [startMs + 50, startMs + 350].map((ms) => Math.round((ms * ANALYSED_HZ) / 1000));
    const rest = said.samples.slice(to);
    const lacking = new Float32Array([...said.samples.slice(0, from), ...rest]);
    expect(Math.min(...leasts(lacking))).toBeLessThan(0.6 * STRETCH_MS);
  });

  it('begin behind a pause, which no word reaches into', () => {
    const said = speech(3, 12);
    const other = speech(3, 12, {
      ...NO_PAUSE,
      pauses: new Map([
        [0, 500],
        [5, 700],
        [9, 400],
      ]),
    });
    const found = measured(said, other.samples);
    for (const word of [0, 5, 9])
      expect(Math.abs((found[word]?.startMs ?? 0) - (other.words[word]?.startMs ?? 0))).toBeLessThan(50);
    expect(found[4]?.endMs).toBeLessThan((other.words[4]?.endMs ?? 0) + 50);
  });

  it('are found in minutes of sound, window by window', () => {
    const said = speech(4, 100);
    const other = speech(4, 100, { ...NO_PAUSE, speed: 0.9, pitchHz: 150 });
    expect(other.samples.length / ANALYSED_HZ).toBeGreaterThan(25);
    expect(farthest(measured(said, other.samples), other.words)).toBeLessThan(60);
  });

  it('are known from the first on while the sound grows, and near where they are in the end', () => {
    const said = speech(5, 40);
    const other = speech(5, 40, { ...NO_PAUSE, speed: 1.1, pitchHz: 140 });
    const words = new SoundWords();
    words.addReference(said.samples, said.words);
    let known = 0;
    for (let at = 0; at < other.samples.length; at += ANALYSED_HZ) {
      words.addSound(other.samples.subarray(at, at + ANALYSED_HZ));
      const found = words.measure(false);
      expect(found.length).toBeGreaterThanOrEqual(known);
      known = found.length;
      expect(farthest(found, other.words.slice(0, known))).toBeLessThan(80);
    }
    expect(known).toBeGreaterThan(30);
    expect(farthest(words.measure(true), other.words)).toBeLessThan(60);
    expect(words.measure(true)).toEqual(measured(said, other.samples));
    // The sound stays where the text is replaced by itself.
    words.forgetReference();
    words.addReference(said.samples, said.words);
    expect(words.measure(true)).toEqual(measured(said, other.samples));
  });

  it('of another text follow each other within the sound', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 0, max: 30 }),
        fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 5 }),
        (seed, count, spoken, cuts) => {
          const other = speech(seed + 1, spoken).samples;
          const found = measured(speech(seed, count), other, cuts);
          for (const [at, { startMs, endMs }] of found.entries()) {
            expect(startMs).toBeGreaterThanOrEqual(found[at - 1]?.startMs ?? 0);
            expect(endMs).toBeGreaterThanOrEqual(startMs);
            expect(endMs).toBeLessThanOrEqual((1000 * other.length) / ANALYSED_HZ);
          }
        },
      ),
      RUNS,
    );
  });

  it('of silence, and of noise, are numbers', () => {
    const random = seededRandom(1);
    for (const samples of [new Float32Array(90_000), Float32Array.from({ length: 90_000 }, random)])
      for (const { startMs, endMs } of measured(speech(1, 30), samples))
        expect(startMs + endMs).toBeGreaterThan(0);
  });
});
