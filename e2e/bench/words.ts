import { percentile } from '#lib/statistics/percentiles.ts';
import { openReferences } from '#server/speech/reference-speech.ts';
import { estimateWords } from '#trace/words/estimated-words.ts';
import { type ReferenceSource, TextSearch } from '#trace/words/text-search.ts';
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

/**
 * Errors of measured and of estimated word starts: of the voices of another engine, whose word times are exact, and of
 * human speech. @param humanFolder null to leave that out
 */
export async function benchWords(humanFolder: string | null): Promise<void> {
  const references = openReferences();
  try {
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
      ['flite', other],
      ['human', human],
    ] as const) {
      if (sounds.length === 0) continue;
      for (const [condition, change] of Object.entries(CONDITIONS)) {
        const figures: Figures = { measured: [], estimated: [], soundS: 0, measuredS: 0 };
        for (const sound of sounds) await compare(await change(sound), references.source, figures);
        rows.push(rowOf(`${who}, ${condition}`, figures));
      }
    }
    printTable(
      'Word times from the sound',
      'Errors of word starts. CPU: time of the measuring for each second of sound, without the reference.',
      rows,
    );
  } finally {
    await references.close();
  }
}

async function compare(sound: TimedSound, source: ReferenceSource, figures: Figures): Promise<void> {
  const { text, words, samples, sampleRate } = sound;
  const soundMs = (1000 * samples.length) / sampleRate;
  // Threads of espeak are idle once it has spoken.
  await new TextSearch(source, 'en', sampleRate).read(text);
  const search = new TextSearch(source, 'en', sampleRate);
  const before = process.cpuUsage();
  await search.read(text);
  search.add(samples);
  search.end();
  const measured = search.measure(true);
  const { user, system } = process.cpuUsage(before);
  figures.measuredS += (user + system) / 1e6;
  figures.soundS += soundMs / 1000;
  const estimated = estimateWords(text, soundMs);
  for (const { start, startMs } of words) {
    const isAt = ({ charStart }: { charStart: number }): boolean => charStart === start;
    const [found, guessed] = [measured.find(isAt), estimated.find(isAt)];
    if (Number.isNaN(startMs) || !found || !guessed) continue;
    figures.measured.push(Math.abs(found.startMs - startMs));
    figures.estimated.push(Math.abs(guessed.startMs - startMs));
  }
}

/** A row of the table of `docs/measures.md`. */
function rowOf(name: string, { measured, estimated, soundS, measuredS }: Figures): Record<string, string> {
  const figuresOf = (errors: readonly number[]): string => {
    const within = (mostMs: number): string =>
      `${((100 * errors.filter((error) => error <= mostMs).length) / errors.length).toFixed(0)} %`;
    return [ms(percentile(errors, 0.5)), ms(percentile(errors, 0.9)), within(50), within(150)].join(', ');
  };
  return {
    sound: name,
    words: measured.length.toLocaleString('en'),
    'measured: median, p90, ≤ 50 ms, ≤ 150 ms': figuresOf(measured),
    estimated: figuresOf(estimated),
    CPU: `${((1000 * measuredS) / soundS).toFixed(0)} ms`,
  };
}
