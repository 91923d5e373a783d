import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equalLoudnessGains, integratedLoudness, truePeak } from './loudness.ts';

/** The published signals are stereo with equal channels. One of them alone has half the energy. */
const ONE_OF_TWO = 10 * Math.log10(0.5);

interface Tone {
  dbfs: number;
  seconds: number;
  hz?: number;
  /** Phase at the start, in degrees. */
  phase?: number;
}

function toneOf(rate: number, { dbfs, seconds, hz = 1000, phase = 0 }: Tone): Int16Array {
  const peak = 32_768 * 10 ** (dbfs / 20);
  const step = (2 * Math.PI * hz) / rate;
  const samples = new Int16Array(Math.round(seconds * rate));
  for (let at = 0; at < samples.length; at += 1) {
    const value = peak * Math.sin(step * at + (phase * Math.PI) / 180);
    samples[at] = Math.max(-32_768, Math.min(32_767, Math.round(value)));
  }
  return samples;
}

const loudnessOfTones = (rate: number, tones: readonly Tone[]): number =>
  integratedLoudness(
    tones.map((tone) => toneOf(rate, tone)),
    rate,
  ) ?? Number.NaN;

/** Largest error of a signal by rate, in LU. The shelf bends near the end of a narrow band. */
const TOLERANCES = [
  [48_000, 0.03],
  [24_000, 0.04],
  [22_050, 0.05],
  [16_000, 0.07],
  [8000, 0.22],
] as const;

describe.each(TOLERANCES)('at %i Hz', (rate, tolerance) => {
  it('BS.1770: a sine of 997 Hz at full scale in one channel reads −3.01 LKFS', () => {
    const lufs = loudnessOfTones(rate, [{ dbfs: 0, seconds: 20, hz: 997 }]);
    expect(Math.abs(lufs + 3.01)).toBeLessThanOrEqual(tolerance);
  });

  // EBU Tech 3341, minimum requirements, signals 1 to 5.
  it.each<[number, number, readonly (readonly [dbfs: number, seconds: number])[]]>([
    [1, -23, [[-23, 20]]],
    [2, -33, [[-33, 20]]],
    [
      3,
      -23,
      [
        [-36, 10],
        [-23, 60],
        [-36, 10],
      ],
    ],
    [
      4,
      -23,
      [
        [-72, 10],
        [-36, 10],
        [-23, 60],
        [-36, 10],
        [-72, 10],
      ],
    ],
    [
      5,
      -23,
      [
        [-26, 20],
        [-20, 20.1],
        [-26, 20],
      ],
    ],
  ])('Tech 3341 signal %i reads %i LUFS', (_, expected, tones) => {
    const lufs = loudnessOfTones(
      rate,
      tones.map(([dbfs, seconds]) => ({ dbfs, seconds })),
    );
    expect(Math.abs(lufs - (expected + ONE_OF_TWO))).toBeLessThanOrEqual(tolerance);
  });
});

/** Gain in dB of the filters that BS.1770 publishes for 48 kHz, without their derivation for other rates. */
function publishedGain(hz: number): number {
  const magnitude = (taps: readonly number[]) => {
    const angles = taps.map((_, at) => (2 * Math.PI * hz * at) / 48_000);
    const real = taps.reduce((sum, tap, at) => sum + tap * Math.cos(angles[at] ?? 0), 0);
    const imaginary = taps.reduce((sum, tap, at) => sum + tap * Math.sin(angles[at] ?? 0), 0);
    return Math.hypot(real, imaginary);
  };
  const shelf =
    magnitude([1.53512485958697, -2.69169618940638, 1.19839281085285]) /
    magnitude([1, -1.69065929318241, 0.73248077421585]);
  return (
    20 * Math.log10((shelf * magnitude([1, -2, 1])) / magnitude([1, -1.99004745483398, 0.99007225036621]))
  );
}

// BS.2217: tones of 25 Hz to 10 kHz, each at the level that reads −23 or −24 LKFS.
it.each([
  [25, -23],
  [25, -24],
  [100, -23],
  [100, -24],
  [500, -23],
  [500, -24],
  [1000, -23],
  [1000, -24],
  [2000, -23],
  [2000, -24],
  [10_000, -23],
  [10_000, -24],
])('BS.2217: a tone of %i Hz reads %i LKFS at every rate that carries it', (hz, expected) => {
  for (const rate of [48_000, 24_000, 22_050, 16_000].filter((one) => one > 2 * hz)) {
    // Mean square of a sine: −3.01 dB.
    const dbfs = expected + 0.691 + 10 * Math.log10(2) - publishedGain(hz);
    expect(Math.abs(loudnessOfTones(rate, [{ hz, dbfs, seconds: 20 }]) - expected)).toBeLessThanOrEqual(0.1);
  }
});

describe('the gates', () => {
  const RATE = 16_000;

  it('count nothing at −70 LUFS or below', () => {
    const tone = (lufs: number): Tone => ({ dbfs: lufs - ONE_OF_TWO, seconds: 5 });
    expect(integratedLoudness([toneOf(RATE, tone(-71))], RATE)).toBeNull();
    expect(loudnessOfTones(RATE, [tone(-69)])).toBeCloseTo(-69, 0);
  });

  it('count nothing 10 LU below the rest, so that pauses do not matter', () => {
    const loud = loudnessOfTones(RATE, [{ dbfs: -20, seconds: 20 }]);
    const paused = loudnessOfTones(RATE, [
      { dbfs: -20, seconds: 10 },
      { dbfs: -45, seconds: 20 },
      { dbfs: -20, seconds: 10 },
    ]);
    expect(Math.abs(paused - loud)).toBeLessThan(0.1);
  });

  it('leave silence without a loudness', () => {
    expect(integratedLoudness([], RATE)).toBeNull();
    expect(integratedLoudness([new Int16Array(RATE)], RATE)).toBeNull();
  });
});

it('measures a sound that is shorter than a block over its own length, from 100 ms on', () => {
  const whole = loudnessOfTones(16_000, [{ dbfs: -20, seconds: 2 }]);
  expect(loudnessOfTones(16_000, [{ dbfs: -20, seconds: 0.25 }])).toBeCloseTo(whole, 1);
  expect(integratedLoudness([toneOf(16_000, { dbfs: -20, seconds: 0.09 })], 16_000)).toBeNull();
});

const noise = fc
  .tuple(fc.integer({ min: 1, max: 0x7fff_ffff }), fc.integer({ min: 1000, max: 9000 }))
  .map(([seed, length]) => {
    let state = seed;
    return Int16Array.from({ length }, (_, at) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
      return ((state >> 15) - 32_768) * (at % 3000 < 1500 ? 0.2 : 0.01);
    });
  });

it.each([
  [[], []],
  [
    [-20, -30],
    [10 ** -0.5, 1],
  ],
  [
    [null, -20, -26],
    [1, 10 ** -0.3, 1],
  ],
  [
    [null, null],
    [1, 1],
  ],
  // A sound that is almost silent stays as it is, and the others stay audible.
  [
    [-20, -65],
    [0.1, 1],
  ],
])('equal loudness of %j by gains %j', (lufs, gains) => {
  expect(equalLoudnessGains(lufs)).toEqual(gains.map((gain) => expect.closeTo(gain, 10)));
});

describe('of any sound', () => {
  it('the boundaries of blocks have no meaning', () => {
    fc.assert(
      fc.property(noise, fc.array(fc.nat(9000), { maxLength: 8 }), (whole, cuts) => {
        const at = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length];
        const blocks = at.slice(1).map((end, index) => whole.subarray(at[index], end));
        expect(integratedLoudness(blocks, 8000)).toBe(integratedLoudness([whole], 8000));
      }),
    );
  });

  it('a gain changes loudness and true peak by its decibels', () => {
    fc.assert(
      fc.property(noise, fc.integer({ min: 2, max: 4 }), (whole, factor) => {
        const louder = whole.map((sample) => sample * factor);
        const gain = 20 * Math.log10(factor);
        const differences = [
          (integratedLoudness([louder], 8000) ?? 0) - (integratedLoudness([whole], 8000) ?? 0),
          (truePeak(louder) ?? 0) - (truePeak(whole) ?? 0),
        ];
        for (const difference of differences) expect(difference).toBeCloseTo(gain, 6);
      }),
    );
  });

  it('the true peak is at least that of the samples', () => {
    fc.assert(
      fc.property(fc.int16Array({ minLength: 1, maxLength: 200 }), (whole) => {
        const peak = Math.max(...Array.from(whole, Math.abs));
        const dbtp = truePeak(whole);
        if (peak === 0) expect(dbtp).toBeNull();
        else expect(dbtp).toBeGreaterThanOrEqual(20 * Math.log10(peak / 32_768));
        expect(truePeak(whole, (dbtp ?? -100) + 0.1)).toBeNull();
        expect(truePeak(whole, (dbtp ?? -100) - 0.1)).toBe(dbtp);
      }),
    );
  });
});

// EBU Tech 3341, minimum requirements, signals 15 to 19. The samples of 16 to 19 miss the peaks of the sine.
it.each([
  [15, 4, 0.5, 0, -6],
  [16, 4, 0.5, 45, -6],
  [17, 6, 0.5, 60, -6],
  [18, 8, 0.5, 67.5, -6],
  [19, 4, 1.41, 45, 3],
])('Tech 3341 signal %i, a sine of fs/%i, has its true peak', (_, divisor, amplitude, phase, expected) => {
  const tone: Tone = { hz: 48_000 / divisor, dbfs: 20 * Math.log10(amplitude), seconds: 1, phase };
  // An abrupt start has a higher peak of its own.
  const fadedIn = toneOf(48_000, tone).map((sample, at) => sample * Math.min(1, at / 480));
  const dbtp = truePeak(fadedIn) ?? Number.NaN;
  expect(dbtp).toBeLessThanOrEqual(expected + 0.2);
  expect(dbtp).toBeGreaterThanOrEqual(expected - 0.4);
});
