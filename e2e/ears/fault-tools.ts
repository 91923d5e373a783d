import { FULL_SCALE } from '#lib/pcm.ts';
import type { SoundRuleId } from '#recordings/sound/sound-rules.ts';
import type { NewEntry } from '#trace/entry.ts';
import { isAudible, isQuiet, speechAt } from './levels.ts';
import { type Chunk, cut, type DecodedTurn, samplesOf } from './turn.ts';

/**
 * The place of a fault in the sound of its turn. A seam is a point, at which a finding has to begin or to end. Silence may
 * be found together with the quiet sound beside it.
 */
export interface FaultPlace {
  fromS: number;
  toS: number;
  isSeam?: true;
  /** The same with the quiet sound beside it. */
  quiet?: { fromS: number; toS: number };
}

/** A recording with one fault in one turn. */
export interface Faulted {
  entries: readonly NewEntry[];
  turn: number;
  /** Null where the fault is in the whole turn. */
  place: FaultPlace | null;
}

/** Numbers of one case. */
export interface Chance {
  random: () => number;
  between: (least: number, most: number) => number;
  oneOf: <T>(values: readonly T[]) => T | undefined;
}

/** Puts the fault into a decoded turn; null where the turn has no room for it. */
export type Injected = FaultPlace | 'whole' | null;
export type Inject = (turn: DecodedTurn, chance: Chance) => Injected | Promise<Injected>;

export interface FaultKind {
  /** Changes one decoded turn. */
  inject?: Inject;
  /** Changes several turns of the session. */
  injectSession?: (turn: DecodedTurn, chance: Chance) => Faulted | null;
  /** The fault is found where one of these rules reports it. */
  found: readonly SoundRuleId[];
  /** The place has to be right within 30 ms. */
  isPlaced?: true;
  /** Only where the wire carries 16-bit samples. */
  isOfBytes?: true;
  /** The other turns of the session stay. */
  isOfSession?: true;
}

export const WHOLE = 'whole' as const;

/** Samples below −50 dBFS: none at all, or noise. */
export function silence(samples: number, { random }: Chance): Int16Array {
  const peak = random() < 0.5 ? 0 : FULL_SCALE * 10 ** (-(58 + 20 * random()) / 20);
  return Int16Array.from({ length: samples }, () => Math.round(peak * (2 * random() - 1)));
}

export const clamp = (value: number): number =>
  Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, Math.round(value)));

/** The chunks of a turn with their first samples. */
export function laidOut({ chunks }: DecodedTurn): { chunk: Chunk; start: number; samples: number }[] {
  let start = 0;
  return chunks.map((chunk) => {
    const samples = chunk.frames.reduce((sum, { length }) => sum + length, 0);
    const laid = { chunk, start, samples };
    start += samples;
    return laid;
  });
}

export const chunkSamples = (chunk: Chunk): Int16Array => samplesOf({ chunks: [chunk] });

/** Puts samples into a chunk, and moves the times of later words. */
export function insert(turn: DecodedTurn, chunk: Chunk, at: number, added: Int16Array): void {
  const samples = chunkSamples(chunk);
  const whole = new Int16Array(samples.length + added.length);
  whole.set(samples.subarray(0, at));
  whole.set(added, at);
  whole.set(samples.subarray(at), at + added.length);
  chunk.frames = cut(whole, chunk.frames);
  const atMs = (1000 * at) / turn.format.sampleRate;
  const byMs = (1000 * added.length) / turn.format.sampleRate;
  turn.retimes.set(chunk.id, (startMs, endMs) => ({
    startMs: startMs >= atMs - 1 ? startMs + byMs : startMs,
    endMs: endMs > atMs + 1 ? endMs + byMs : endMs,
  }));
}

/** Changes the samples of a range in place. */
export function change(
  turn: DecodedTurn,
  from: number,
  to: number,
  next: (sample: number, at: number) => number,
): void {
  let start = 0;
  for (const { frames } of turn.chunks) {
    for (const frame of frames) {
      for (let at = Math.max(from - start, 0); at < Math.min(frame.length, to - start); at += 1) {
        frame[at] = clamp(next(frame[at] ?? 0, start + at));
      }
      start += frame.length;
    }
  }
}

/** A range of silence with the silence around it, and with the quiet sound around that. */
export function silentPlace(turn: DecodedTurn, from: number, to: number): FaultPlace {
  const { sampleRate } = turn.format;
  const samples = samplesOf(turn);
  const widened = (isMore: (sample: number | undefined) => boolean) => {
    let first = from;
    let last = to;
    while (first > 0 && isMore(samples[first - 1])) first -= 1;
    while (last < samples.length && isMore(samples[last])) last += 1;
    return { fromS: first / sampleRate, toS: last / sampleRate };
  };
  return { ...widened((sample) => !isAudible(sample)), quiet: widened(isQuiet) };
}

/** The largest difference between neighbouring samples around a place. */
export function largestStep(samples: Int16Array, place: number, around: number): number {
  let largest = 0;
  for (
    let at = Math.max(1, Math.round(place - around));
    at < Math.min(samples.length, place + around);
    at += 1
  )
    largest = Math.max(largest, Math.abs((samples[at] ?? 0) - (samples[at - 1] ?? 0)));
  return largest;
}

/** Seams between two frames within speech, with room for a stretch on both sides. */
export function seams(turn: DecodedTurn, roomS: number): { chunk: Chunk; frame: number; at: number }[] {
  const samples = samplesOf(turn);
  const { sampleRate } = turn.format;
  let at = 0;
  return turn.chunks.flatMap((chunk) =>
    chunk.frames.flatMap((frame, index) => {
      const seam = { chunk, frame: index, at };
      at += frame.length;
      const room = roomS * sampleRate;
      // Frames of two chunks have a pause between them.
      if (index === 0 || frame.length < room) return [];
      return speechAt(samples, seam.at - room, seam.at, sampleRate) &&
        speechAt(samples, seam.at, seam.at + room, sampleRate)
        ? [seam]
        : [];
    }),
  );
}

export interface PlacedWord {
  chunk: Chunk;
  index: number;
  from: number;
  to: number;
}

/** Words with their samples in the turn. */
export function wordsOf(turn: DecodedTurn): PlacedWord[] {
  const perMs = turn.format.sampleRate / 1000;
  return laidOut(turn).flatMap(({ chunk, start }) =>
    chunk.words.map(({ startMs, endMs }, index) => ({
      chunk,
      index,
      from: start + Math.round(startMs * perMs),
      to: start + Math.round(endMs * perMs),
    })),
  );
}

/** Words that are heard at their time. */
export function heardWords(turn: DecodedTurn, leastS = 0.12): PlacedWord[] {
  const samples = samplesOf(turn);
  const least = leastS * turn.format.sampleRate;
  return wordsOf(turn).filter(
    ({ from, to }) => to - from >= least && speechAt(samples, from, to, turn.format.sampleRate),
  );
}

/** Silences of at least `leastS` in a turn. */
export function pauses(turn: DecodedTurn, leastS: number): { from: number; to: number }[] {
  const samples = samplesOf(turn);
  const found: { from: number; to: number }[] = [];
  let from = 0;
  for (let at = 0; at <= samples.length; at += 1) {
    if (at < samples.length && !isAudible(samples[at])) continue;
    if (at - from >= leastS * turn.format.sampleRate) found.push({ from, to: at });
    from = at + 1;
  }
  return found;
}
