import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Engine, ORDINARY_SPEECH } from '../engine.ts';
import { createEspeakEngine } from '../espeak/espeak-engine.ts';
import { loadEspeak } from '../espeak/espeak-module.ts';
import { describedVoice } from './voice-description.ts';

const RATE_HZ = 8000;
const TEXT = 'Good morning. The weather will be fine all along the river.';

let engine: Engine;
beforeAll(async () => {
  engine = await createEspeakEngine({ threads: 1 });
});
afterAll(() => engine.close());

async function say(description: string, text = TEXT, language = 'en'): Promise<Float32Array> {
  const blocks = engine.synthesize(
    {
      ...ORDINARY_SPEECH,
      ...describedVoice(description, language),
      text,
      sampleRate: RATE_HZ,
      session: 'test',
    },
    new AbortController().signal,
  );
  const samples: number[] = [];
  for await (const block of blocks) samples.push(...block.samples);
  return Float32Array.from(samples);
}

const FRAME = 400;
const STEP = 400;
/** 470 down to 55 Hz. */
const LAGS = { shortest: 17, longest: 145 };

interface Frame {
  /** 1 for a wave that repeats exactly, near 0 for noise. */
  readonly harmonicity: number;
  readonly pitchHz: number;
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

function correlation(samples: Float32Array, at: number, lag: number): number {
  let xy = 0;
  let xx = 1;
  let yy = 1;
  for (let i = at; i < at + FRAME; i += 1) {
    const x = samples[i] ?? 0;
    const y = samples[i + lag] ?? 0;
    xy += x * y;
    xx += x * x;
    yy += y * y;
  }
  return xy / Math.sqrt(xx * yy);
}

/** The loud frames of a recording, each with its best period: the shortest one that is nearly as good as any. */
function framesOf(samples: Float32Array): Frame[] {
  const starts: { at: number; energy: number }[] = [];
  for (let at = 0; at + FRAME + LAGS.longest < samples.length; at += STEP) {
    starts.push({ at, energy: samples.slice(at, at + FRAME).reduce((sum, s) => sum + s * s, 0) });
  }
  const loudest = Math.max(...starts.map(({ energy }) => energy));
  return starts
    .filter(({ energy }) => energy > loudest / 100)
    .map(({ at }) => {
      const all: number[] = [];
      for (let lag = LAGS.shortest; lag <= LAGS.longest; lag += 1) all.push(correlation(samples, at, lag));
      const harmonicity = Math.max(...all);
      const place = all.findIndex(
        (value, i) =>
          value > 0.85 * harmonicity &&
          value >= (all[i - 1] ?? 1) &&
          value >= (all[i + 1] ?? Number.NEGATIVE_INFINITY),
      );
      return { harmonicity, pitchHz: RATE_HZ / (LAGS.shortest + Math.max(0, place)) };
    });
}

function pitchesHz(samples: Float32Array): number[] {
  return framesOf(samples)
    .filter(({ harmonicity }) => harmonicity > 0.7)
    .map(({ pitchHz }) => pitchHz)
    .sort((a, b) => a - b);
}

const pitchHz = (samples: Float32Array) => median(pitchesHz(samples));
const harmonicity = (samples: Float32Array) => median(framesOf(samples).map((frame) => frame.harmonicity));
/** Between the tenth and the ninetieth of a hundred frames, in semitones. */
function spread(samples: Float32Array): number {
  const all = pitchesHz(samples);
  const at = (share: number) => all[Math.floor(share * all.length)] ?? 1;
  return 12 * Math.log2(at(0.9) / at(0.1));
}

describe('descriptions that differ are heard to differ', () => {
  it('men, women and children lie in the order of their throats', async () => {
    const pitches: number[] = [];
    for (const who of ['deep old man', 'middle-aged woman', 'bright young girl']) {
      pitches.push(pitchHz(await say(who)));
    }
    expect(pitches[0]).toBeGreaterThan(55);
    expect(pitches[0]).toBeLessThan(110);
    expect(pitches.at(-1)).toBeGreaterThan(280);
    for (const [i, pitch] of pitches.slice(1).entries())
      expect(pitch / (pitches[i] ?? 0)).toBeGreaterThan(1.15);
  });

  it('deep and high differ within one body', async () => {
    expect(pitchHz(await say('high old woman')) / pitchHz(await say('deep old woman'))).toBeGreaterThan(1.5);
  });

  it('monotone is flat, excited is not', async () => {
    const monotone = spread(await say('monotone middle-aged woman'));
    const excited = spread(await say('excited middle-aged woman'));
    expect(monotone).toBeLessThan(3);
    expect(excited - monotone).toBeGreaterThan(1.5);
  });

  it('a whisper has hardly any tone, a gravelly voice less than a clear one', async () => {
    const clear = harmonicity(await say('woman'));
    expect(clear).toBeGreaterThan(0.85);
    expect(harmonicity(await say('gravelly woman'))).toBeLessThan(clear - 0.1);
    expect(harmonicity(await say('whispering woman'))).toBeLessThan(0.6);
  });

  it('a described voice speaks the ten languages', async () => {
    for (const language of ['en', 'es', 'pt', 'de', 'fr', 'it', 'zh', 'ja', 'ko', 'ru']) {
      const samples = await say('British woman with a German accent', '7', language);
      expect(samples.length, language).toBeGreaterThan(750);
    }
  });
});

describe('with espeak itself', async () => {
  const loaded = await loadEspeak();
  if (!loaded.ok) throw new Error(loaded.reason);
  const { espeak } = loaded;

  function phonemes(espeakVoice: string, text: string): string {
    expect(espeak.set_voice(espeakVoice)).toBe(0);
    const ids: string[] = [];
    espeak.synthesize(text, (_, events) => {
      for (const { type, id } of events) if (type === 'phoneme' && typeof id === 'string') ids.push(id);
      return false;
    });
    return ids.join('');
  }

  it.each([
    ['German accent', 'The weather', /zə.*vˈ.z/],
    ['French accent', 'The house this', /^z[^h]*aʊszis/],
    ['Spanish accent', 'very', /b/],
    ['Russian accent', 'his house', /x.*x/],
    ['Italian accent', 'think this', /t.*d/],
    ['Indian', 'think wine', /t̪.*v/],
    ['Japanese', 'light', /ɾ/],
    ['British', 'Robert', /ɒ/],
    ['Scottish', 'good', /ʉ/],
  ])('%s: “%s” sounds %s', (description, text, expected) => {
    const { accents } = describedVoice(`${description} man`, 'en').voice.espeak;
    expect(phonemes(`${accents.en}+vw-man-1-clear`, text)).toMatch(expected);
  });
});
