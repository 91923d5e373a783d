import { performance } from 'node:perf_hooks';
import { AnalysedSamples } from '#lib/alignment/analysed-samples.ts';
import { SoundWords, type SpokenSpan } from '#lib/alignment/sound-words.ts';
import { percentile } from '#lib/statistics/percentiles.ts';
import type { Engine } from '#server/speech/engine.ts';
import { createEspeakEngine } from '#server/speech/espeak/espeak-engine.ts';
import { type ReferenceSpeech, speakReference } from '#server/speech/reference-speech.ts';
import { estimateWords } from '#trace/estimated-words.ts';
import { ms, printTable } from './table.ts';
import { FLITE_VOICES, speakFlite } from './words/flite.ts';
import { CONDITIONS, readHumanWords, type TimedSound } from './words/sound.ts';
import { benchTexts } from './words/texts.ts';

interface Figures {
  measured: number[];
  estimated: number[];
  soundS: number;
  measuredS: number;
}

type References = (text: string) => Promise<ReferenceSpeech>;

/**
 * Errors of measured and of estimated word starts: of the voices of another engine, whose word times are exact, and of
 * human speech. @param humanFolder null to leave that out
 */
export async function benchWords(humanFolder: string | null): Promise<void> {
  const engine = await createEspeakEngine();
  try {
    const references = referencesOf(engine);
    const other: TimedSound[] = [];
    for (const text of benchTexts()) {
      for (const voice of FLITE_VOICES) {
        const spoken = await speakFlite(text, voice);
        if (spoken) other.push(spoken);
      }
    }
    const human = humanFolder === null ? [] : await readHumanWords(humanFolder);
    const rows: Record<string, string>[] = [];
    for (const [who, sounds] of [
      ['another engine', other],
      ['human', human],
    ] as const) {
      if (sounds.length === 0) continue;
      for (const [condition, change] of Object.entries(CONDITIONS)) {
        const figures: Figures = { measured: [], estimated: [], soundS: 0, measuredS: 0 };
        for (const sound of sounds) await compare(await change(sound), references, figures);
        rows.push(...rowsOf(`${who}, ${condition}`, figures));
      }
    }
    printTable(
      'Word times from the sound',
      'Errors of word starts. CPU: time of the measuring for each second of sound, without the reference.',
      rows,
    );
  } finally {
    await engine.close();
  }
}

function referencesOf(engine: Engine): References {
  const spoken = new Map<string, ReferenceSpeech>();
  return async (text) => {
    const known = spoken.get(text);
    if (known) return known;
    const speech = await speakReference(engine, { text, language: 'en' }, new AbortController().signal);
    spoken.set(text, speech);
    return speech;
  };
}

async function compare(sound: TimedSound, references: References, figures: Figures): Promise<void> {
  const { text, words, samples, sampleRate } = sound;
  const reference = await references(text);
  const soundMs = (1000 * samples.length) / sampleRate;
  const startedMs = performance.now();
  const measured = measure(sound, reference);
  figures.measuredS += (performance.now() - startedMs) / 1000;
  figures.soundS += soundMs / 1000;
  const estimated = estimateWords(text, soundMs);
  for (const { start, startMs } of words) {
    const place = reference.words.findIndex(({ charStart }) => charStart === start);
    const [found, guessed] = [measured[place], estimated.find(({ charStart }) => charStart === start)];
    if (Number.isNaN(startMs) || !found || !guessed) continue;
    figures.measured.push(Math.abs(found.startMs - startMs));
    figures.estimated.push(Math.abs(guessed.startMs - startMs));
  }
}

function measure(sound: TimedSound, reference: ReferenceSpeech): readonly SpokenSpan[] {
  const found = new SoundWords();
  found.addReference(new AnalysedSamples(8000).push(reference.samples), reference.words);
  const analysed = new AnalysedSamples(sound.sampleRate);
  found.addSound(analysed.push(sound.samples));
  found.addSound(analysed.end());
  return found.measure(true);
}

const rowsOf = (name: string, { measured, estimated, soundS, measuredS }: Figures) =>
  [
    { name: 'measured', errors: measured, cpu: `${((1000 * measuredS) / soundS).toFixed(1)} ms` },
    { name: 'estimated', errors: estimated, cpu: '' },
  ].map(({ name: method, errors, cpu }) => {
    const within = (mostMs: number): string =>
      `${((100 * errors.filter((error) => error <= mostMs).length) / errors.length).toFixed(0)} %`;
    return {
      sound: name,
      words: `${errors.length}`,
      times: method,
      median: ms(percentile(errors, 0.5)),
      p90: ms(percentile(errors, 0.9)),
      '≤ 50 ms': within(50),
      '≤ 150 ms': within(150),
      CPU: cpu,
    };
  });
