import { bytesFromSamples, FULL_SCALE } from '#lib/pcm.ts';
import { seededRandom } from '#lib/statistics/random.ts';
import type { NewEntry } from '#trace/entry.ts';
import { newEntry } from './world.ts';

/** Recordings of `/ws/tts/stream` with speech made by code, for the rules of sound. */

export const RATE = 24_000;
const FRAME = RATE / 10;
const WORD_S = 0.3;
const PAUSE_S = 0.2;
const TEXT = 'One syllable here and then some more words. At last the end of it is said.';
/** Words before the pause in the middle of the turn. */
const IN_FIRST_SENTENCE = 8;

export interface SpokenWordPart {
  word: string;
  from: number;
  to: number;
}

/** A turn before it becomes frames. */
export interface MadeTurn {
  samples: Int16Array;
  words: SpokenWordPart[];
  frameSamples: number[];
  statedSeconds: number;
  text: string;
  /** Another chunk of the same turn. */
  next?: MadeTurn;
}

/** A voice: harmonics of 120 Hz with two formants, and the least noise of a room. */
function voice(samples: Int16Array, from: number, to: number, random: () => number): void {
  for (let at = from; at < to; at += 1) {
    const edge = Math.min(1, (at - from) / 480, (to - at) / 480);
    let wave = 0.02 * (random() - 0.5);
    for (let harmonic = 1; harmonic <= 80; harmonic += 1) {
      const hz = 120 * harmonic;
      const formants = 1 / (1 + ((hz - 600) / 400) ** 2) + 0.4 / (1 + ((hz - 1800) / 600) ** 2) + 0.02;
      wave += formants * Math.sin((2 * Math.PI * hz * at) / RATE + harmonic ** 2);
    }
    samples[at] = Math.round(0.05 * FULL_SCALE * edge * wave);
  }
}

/** A good turn of two sentences with a pause between them, and its words. */
export function spokenTurn(): MadeTurn {
  const random = seededRandom(1);
  const all = TEXT.split(' ');
  const pauseAt = IN_FIRST_SENTENCE;
  const length = Math.round((0.1 + all.length * WORD_S + PAUSE_S + 0.1) * RATE);
  const samples = new Int16Array(length);
  const words = all.map((word, index) => {
    const from = Math.round((0.1 + index * WORD_S + (index >= pauseAt ? PAUSE_S : 0)) * RATE);
    const to = from + Math.round(WORD_S * RATE);
    voice(samples, from, to, random);
    return { word, from, to };
  });
  const frameSamples = Array.from({ length: Math.ceil(length / FRAME) }, (_, at) =>
    Math.min(FRAME, length - at * FRAME),
  );
  return { samples, words, frameSamples, statedSeconds: length / RATE, text: TEXT };
}

const frame = (direction: 'in' | 'out', kind: string, value: object): Partial<NewEntry> => ({
  direction,
  kind,
  payload: JSON.stringify(value),
});

const ms = (samples: number): number => Math.round((1000 * samples) / RATE);

/** The entries of turns, one after the other on one connection. */
export function recordingOf(
  turns: readonly MadeTurn[],
  usage = { cost_cents: 1, currency: 'eur' },
): NewEntry[] {
  const opening: Partial<NewEntry> = {
    direction: 'connection',
    opcode: 'none',
    kind: 'opening',
    payload: '{}',
  };
  const entries = turns.flatMap((turn, index) => {
    const chunks = turn.next ? [turn, turn.next] : [turn];
    const count = chunks.reduce((sum, { frameSamples }) => sum + frameSamples.length, 0);
    const statedSeconds = chunks.reduce((sum, chunk) => sum + chunk.statedSeconds, 0);
    const totals = {
      total_audio_seconds: statedSeconds,
      total_text_chunks: chunks.length,
      total_audio_chunks: count,
    };
    const text = chunks.map((chunk) => chunk.text).join(' ');
    const parts = [
      frame('out', 'say', { text }),
      frame('out', 'flush', { flush: true }),
      ...chunks.flatMap((chunk, id) => chunkEntries(chunk, id, id * turn.frameSamples.length)),
      frame('in', 'audioEnded', { final: true, ...totals }),
      frame('in', 'turnEnded', {
        session_closed: true,
        ...totals,
        usage: { audio_seconds: statedSeconds, characters: text.length, model_id: 'kugel-3', ...usage },
      }),
    ];
    return parts.map((part) => ({ ...part, turn: index + 1 }));
  });
  return [opening, ...entries].map((entry, index) => newEntry({ atUs: index * 1000, ...entry }));
}

function chunkEntries(
  { samples, words, frameSamples, statedSeconds, text }: MadeTurn,
  id: number,
  firstIdx: number,
): Partial<NewEntry>[] {
  let at = 0;
  let char = 0;
  const audio = frameSamples.map((count, index) => {
    const part = bytesFromSamples(samples.slice(at, at + count));
    at += count;
    const base64 = Buffer.from(part).toString('base64');
    const head = { enc: 'pcm_s16le', idx: firstIdx + index, sr: RATE, samples: count, chunk_id: id };
    return { ...frame('in', 'audio', { audio: base64, ...head }), chunk: id };
  });
  const timed = words.map(({ word, from, to }) => {
    const start = text.indexOf(word, char);
    char = start + word.length;
    return { word, start_ms: ms(from), end_ms: ms(to), char_start: start, char_end: char, score: 1 };
  });
  return [
    frame('in', 'chunkStarted', { generation_started: true, chunk_id: id, text }),
    ...audio,
    frame('in', 'words', { word_timestamps: timed, chunk_id: id }),
    frame('in', 'chunkCompleted', {
      chunk_complete: true,
      chunk_id: id,
      audio_seconds: statedSeconds,
      gen_ms: 5,
    }),
  ];
}
