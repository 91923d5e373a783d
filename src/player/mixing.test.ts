import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Mixer } from './mixer.worklet.ts';
import { openSink, type RingSink, type Transport } from './ring.ts';
import { type StereoGains, stereoGains } from './stereo-gains.ts';
import { portPair } from './testing/port-pair.ts';
import { marked } from './testing/traces.ts';

const QUANTUM = 128;
const GLIDE_SAMPLES = 64;
const FULL_SCALE = 32_768;
const CENTRE: StereoGains = [1, 1];

/** An audio thread whose channels are kept from its first frame on. */
function setUp(transport: Transport) {
  const host = new Mixer();
  const channels: [number[], number[]] = [[], []];
  let frame = 0;
  return {
    channels,
    open(track: string, samples?: Int16Array): RingSink {
      const [worklet, worker] = portPair();
      host.open(track, worklet);
      const sink = openSink(worker, { transport, capacity: 2 ** 14 });
      if (samples) {
        sink.write(samples);
        sink.end();
      }
      return sink;
    },
    close: (track: string) => host.handle({ type: 'close', track }),
    halt: (track: string) => host.handle({ type: 'halt', track, epoch: 0 }),
    gain: (track: string, gains: StereoGains) => host.handle({ type: 'gain', track, gains }),
    render(quanta: number): void {
      const [left, right] = [new Float32Array(QUANTUM), new Float32Array(QUANTUM)];
      for (let i = 0; i < quanta; i += 1) {
        host.process(left, right, frame);
        frame += QUANTUM;
        channels[0].push(...left);
        channels[1].push(...right);
      }
    },
  };
}

/** A stream that is heard from an audio frame on, at a gain for each channel. */
interface Stream {
  samples: Int16Array;
  fromFrame: number;
  gains: StereoGains;
}

/** The expected channels: the sum of the streams in the order of their tracks, clipped at full scale. */
function mixOf(streams: readonly Stream[], frames: number): [number[], number[]] {
  const channel = (side: 0 | 1): number[] => {
    const sums = new Float32Array(frames);
    for (const { samples, fromFrame, gains } of streams) {
      samples.forEach((sample, i) => {
        sums[fromFrame + i] = (sums[fromFrame + i] ?? 0) + sample * (gains[side] / FULL_SCALE);
      });
    }
    return [...sums.map((sum) => Math.max(-1, Math.min(1, sum)))];
  };
  return [channel(0), channel(1)];
}

/** Noise that is quiet at both ends, so that nothing is put before or behind it. */
function noise(count: number, seed: number, level = 1): Int16Array {
  const samples = marked(count, seed).map((sample) => sample * level);
  samples[0] = 1;
  samples[count - 1] = -1;
  return samples;
}

/** Whole quanta, one sample more or less, and other lengths. */
const lengths = fc.oneof(fc.integer({ min: 2, max: 900 }), fc.constantFrom(127, 128, 129, 383, 384, 385));
const unit = fc.double({ min: 0, max: 1, noNaN: true });
const place = fc.record({ volume: unit, position: fc.double({ min: -1, max: 1, noNaN: true }) });
const PLANS = fc.array(
  fc.record({
    seed: fc.integer(),
    length: lengths,
    level: fc.constantFrom(1, 0.5, 0.02),
    atQuantum: fc.nat(4),
    place: fc.oneof(place, fc.constant({ volume: 1, position: 0 })),
  }),
  { minLength: 1, maxLength: 20, size: 'max' },
);

describe.each<Transport>(['shared', 'message'])('tracks over %s', (transport) => {
  it.each([
    [30_000, 30_000, 1],
    [20_000, 12_767, 32_767 / FULL_SCALE],
    [-20_000, -12_768, -1],
    [-20_000, -12_770, -1],
    [100, -40, 60 / FULL_SCALE],
  ])('that play %d and %d at one time play %d together', (first, second, sum) => {
    const { open, render, channels } = setUp(transport);
    open('a', Int16Array.of(1, first, 1));
    open('b', Int16Array.of(1, second, 1));
    render(1);
    expect([channels[0][1], channels[1][1]]).toEqual([sum, sum]);
  });

  it('up to twenty of them, at any volume and position, are the exact sum of their streams', () => {
    fc.assert(
      fc.property(PLANS, (plan) => {
        const { open, gain, render, channels } = setUp(transport);
        const streams: Stream[] = [];
        for (let quantum = 0; quantum < 5; quantum += 1) {
          plan.forEach(({ seed, length, level, atQuantum, place: { volume, position } }, i) => {
            if (atQuantum !== quantum) return;
            const samples = noise(length, seed, level);
            const gains = stereoGains(volume, position);
            gain(`track ${i}`, gains);
            open(`track ${i}`, samples);
            streams.push({ samples, fromFrame: quantum * QUANTUM, gains });
          });
          render(1);
        }
        render(8);
        expect(channels).toEqual(mixOf(streams, 13 * QUANTUM));
      }),
      { numRuns: 30 },
    );
  });

  it.each(['close', 'halt'] as const)(
    'that end by %s in mid-stream glide out and leave the others as they are',
    (end) => {
      fc.assert(
        fc.property(fc.integer(), fc.integer({ min: 1, max: 5 }), fc.nat(3), (seed, atQuantum, which) => {
          const fixture = setUp(transport);
          const streams = [0, 1, 2, 3].map(
            (i): Stream => ({ samples: noise(1100, seed + i, 0.25), fromFrame: 0, gains: CENTRE }),
          );
          streams.forEach(({ samples }, i) => void fixture.open(`track ${i}`, samples));
          fixture.render(atQuantum);
          fixture[end](`track ${which}`);
          fixture.render(10 - atQuantum);

          const until = atQuantum * QUANTUM;
          const others = streams.filter((_, i) => i !== which);
          const all = mixOf(streams, 10 * QUANTUM)[0];
          const rest = mixOf(others, 10 * QUANTUM)[0];
          const [heard] = fixture.channels;
          expect(fixture.channels[1]).toEqual(heard);
          expect(heard.slice(0, until)).toEqual(all.slice(0, until));
          expect(heard.slice(until + GLIDE_SAMPLES)).toEqual(rest.slice(until + GLIDE_SAMPLES));
          // The rest of the glide falls evenly from the last played sample.
          const from = streams[which]?.samples[until - 1] ?? 0;
          for (let i = 0; i < GLIDE_SAMPLES; i += 1) {
            const glide = (heard[until + i] ?? 0) - (rest[until + i] ?? 0);
            const falling = from * (1 - (i + 1) / (GLIDE_SAMPLES + 1));
            // Sums of whole samples are exact in any order of the tracks.
            expect(glide * FULL_SCALE).toBe(Math.round(falling) + 0);
          }
        }),
        { numRuns: 20 },
      );
    },
  );

  it('that are opened anew under a name take the place of the one that had it, and keep its gains', () => {
    const { open, gain, render, channels } = setUp(transport);
    const [old, fresh, other] = [noise(2000, 1, 0.25), noise(300, 2, 0.25), noise(1000, 3, 0.25)];
    open('other', other);
    open('only', old);
    gain('only', [0.5, 0]);
    render(2);
    open('only', fresh);
    render(6);
    const gains: StereoGains = [0.5, 0];
    const [left, right] = mixOf(
      [
        { samples: other, fromFrame: 0, gains: CENTRE },
        { samples: fresh, fromFrame: 2 * QUANTUM, gains },
      ],
      8 * QUANTUM,
    );
    const glided = 2 * QUANTUM + GLIDE_SAMPLES;
    expect(channels[0].slice(glided)).toEqual(left.slice(glided));
    expect(channels[1].slice(glided)).toEqual(right.slice(glided));
  });

  it('have gains that were set before they were opened, from their first sample on', () => {
    const { open, gain, render, channels } = setUp(transport);
    const samples = noise(300, 1);
    gain('only', [0.25, 0.75]);
    open('only', samples);
    render(3);
    expect(channels).toEqual(mixOf([{ samples, fromFrame: 0, gains: [0.25, 0.75] }], 3 * QUANTUM));
  });
});

describe('a gain that changes', () => {
  const loud = new Int16Array(1000).fill(16_384);
  loud[0] = 1;

  it('glides from sample to sample, each channel by itself, and has arrived with the last of the glide', () => {
    const { open, gain, render, channels } = setUp('shared');
    open('only', loud);
    render(1);
    gain('only', [0.1, 1]);
    render(1);
    gain('only', [0.7, 0.3]);
    render(1);
    const [left, right] = channels.map((channel) => channel.slice(QUANTUM));
    const at = (channel: number[] | undefined, sample: number) => channel?.[sample];
    const half = (value: number) => Math.fround(value / 2);
    expect([at(left, GLIDE_SAMPLES - 1), at(left, QUANTUM - 1)]).toEqual([half(0.1), half(0.1)]);
    expect(at(left, GLIDE_SAMPLES - 2)).toBeGreaterThan(half(0.1));
    expect(right?.slice(0, QUANTUM)).toEqual(Array.from({ length: QUANTUM }, () => 0.5));
    expect([at(left, QUANTUM + GLIDE_SAMPLES - 1), at(right, QUANTUM + GLIDE_SAMPLES - 1)]).toEqual([
      half(0.7),
      half(0.3),
    ]);
    const steps = [left, right].flatMap((channel) =>
      (channel ?? []).slice(1).map((value, i) => Math.abs(value - (channel?.[i] ?? 0))),
    );
    expect(Math.max(...steps)).toBeLessThanOrEqual(0.9 / 2 / GLIDE_SAMPLES + 1e-6);
  });

  it('has arrived where the track falls silent meanwhile', () => {
    const { open, gain, render, channels } = setUp('shared');
    const sink = open('only');
    sink.write(Int16Array.from({ length: QUANTUM + 10 }, () => 1));
    sink.end();
    render(1);
    gain('only', [0, 0]);
    render(1);
    sink.write(noise(100, 1));
    sink.end();
    render(2);
    expect(channels[0].slice(2 * QUANTUM)).toEqual(Array.from({ length: 2 * QUANTUM }, () => 0));
  });
});
