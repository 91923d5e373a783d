import { FULL_SCALE } from '#lib/pcm.ts';
import { createResampler } from '#lib/resample.ts';
import type { NewEntry } from '#record/record.ts';
import type { SoundRuleId } from '#recordings/sound/sound-rules.ts';
import { openMp3 } from '#server/audio/audio-file.ts';
import type { CleanSession } from './corpus.ts';
import { isAudible, isQuiet, speechAt } from './levels.ts';
import { type Chunk, cut, decodeTurn, samplesOf, type Turn, turnsOf, writeTurn } from './turn.ts';

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
interface Chance {
  random: () => number;
  between: (least: number, most: number) => number;
  oneOf: <T>(values: readonly T[]) => T | undefined;
}

/** Puts the fault into a decoded turn; null where the turn has no room for it. */
type Injected = FaultPlace | 'whole' | null;
type Inject = (turn: Turn, chance: Chance) => Injected | Promise<Injected>;

interface FaultKind {
  inject: Inject;
  /** The fault is found where one of these rules reports it. */
  found: readonly SoundRuleId[];
  /** The place has to be right within 30 ms. */
  isPlaced?: true;
  /** Only where the wire carries 16-bit samples. */
  isOfBytes?: true;
  /** The other turns of the session stay. */
  isOfSession?: true;
}

const WHOLE = 'whole' as const;

/** Samples below −50 dBFS: none at all, or noise. */
function silence(samples: number, { random }: Chance): Int16Array {
  const peak = random() < 0.5 ? 0 : FULL_SCALE * 10 ** (-(58 + 20 * random()) / 20);
  return Int16Array.from({ length: samples }, () => Math.round(peak * (2 * random() - 1)));
}

/** By how much one turn differs from the others of its session. */
const JUMP_DB = { least: 8, most: 14 };

const clamp = (value: number): number => Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, Math.round(value)));

/** The chunks of a turn with their first samples. */
function laidOut({ chunks }: Turn): { chunk: Chunk; start: number; samples: number }[] {
  let start = 0;
  return chunks.map((chunk) => {
    const samples = chunk.frames.reduce((sum, { length }) => sum + length, 0);
    const laid = { chunk, start, samples };
    start += samples;
    return laid;
  });
}

const chunkSamples = (chunk: Chunk): Int16Array => samplesOf({ chunks: [chunk] });

/** Puts samples into a chunk, and moves the times of later words. */
function insert(turn: Turn, chunk: Chunk, at: number, added: Int16Array): void {
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
function change(turn: Turn, from: number, to: number, next: (sample: number, at: number) => number): void {
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
function silentPlace(turn: Turn, from: number, to: number): FaultPlace {
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
function largestStep(samples: Int16Array, place: number, around: number): number {
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
function seams(turn: Turn, roomS: number): { chunk: Chunk; frame: number; at: number }[] {
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

interface PlacedWord {
  chunk: Chunk;
  index: number;
  from: number;
  to: number;
}

/** Words with their samples in the turn. */
function wordsOf(turn: Turn): PlacedWord[] {
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
function heardWords(turn: Turn, leastS = 0.12): PlacedWord[] {
  const samples = samplesOf(turn);
  const least = leastS * turn.format.sampleRate;
  return wordsOf(turn).filter(
    ({ from, to }) => to - from >= least && speechAt(samples, from, to, turn.format.sampleRate),
  );
}

/** Silences of at least `leastS` in a turn. */
function pauses(turn: Turn, leastS: number): { from: number; to: number }[] {
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

/** Pauses beside which word times are judged, within chunks that have words. */
function tellingPauses(turn: Turn): { chunk: Chunk; from: number; to: number }[] {
  const laid = laidOut(turn);
  return pauses(turn, 0.15).flatMap((pause) => {
    const of = laid.findLast(({ start }) => start <= pause.from);
    const isWithin = of && of.chunk.words.length > 0 && pause.to <= of.start + of.samples;
    return isWithin ? [{ chunk: of.chunk, ...pause }] : [];
  });
}

const resampled =
  (factor: number): Inject =>
  (turn, { random }) => {
    const { sampleRate } = turn.format;
    // Times of words follow the sound, or the server's own rate.
    const follow = random() < 0.5;
    for (const chunk of turn.chunks) {
      const resampler = createResampler(sampleRate, sampleRate * factor);
      const input = Float32Array.from(chunkSamples(chunk));
      const output = [...resampler.push(input), ...resampler.end()].map(clamp);
      chunk.frames = cut(Int16Array.from(output), chunk.frames);
      if (follow)
        turn.retimes.set(chunk.id, (startMs, endMs) => ({
          startMs: startMs * factor,
          endMs: endMs * factor,
        }));
    }
    return WHOLE;
  };

/** Repeats or drops a stretch at a seam. The times of words stay, as where a server's own buffer is at fault. */
const atSeam =
  (what: 'repeat' | 'skip'): Inject =>
  (turn, { between, oneOf }) => {
    const { sampleRate } = turn.format;
    const lengthS = between(0.06, 0.2);
    const seam = oneOf(seams(turn, lengthS));
    if (!seam) return null;
    const length = Math.round(lengthS * sampleRate);
    const { chunk, frame: index, at } = seam;
    const frame = chunk.frames[index];
    if (!frame) return null;
    if (what === 'skip') {
      chunk.frames[index] = frame.slice(length);
      return { fromS: at / sampleRate, toS: at / sampleRate, isSeam: true };
    }
    const again = samplesOf(turn).slice(at - length, at);
    const longer = new Int16Array(frame.length + length);
    longer.set(again);
    longer.set(frame, length);
    chunk.frames[index] = longer;
    return { fromS: at / sampleRate, toS: (at + length) / sampleRate, isSeam: true };
  };

/**
 * Whether word times leave open a pause within a chunk, and another one or the end of the turn: two of them have to agree. No
 * time is before the start of its chunk.
 */
function leavesPausesOpen(turn: Turn): boolean {
  const perMs = turn.format.sampleRate / 1000;
  const told = tellingPauses(turn);
  const open = laidOut(turn).flatMap(({ chunk, start }) =>
    chunk.words.slice(1).filter(({ startMs }, index) => {
      const gap = { from: start + (chunk.words[index]?.endMs ?? 0) * perMs, to: start + startMs * perMs };
      return told.some(({ from, to }) => Math.min(to, gap.to) - Math.max(from, gap.from) > 0.6 * (to - from));
    }),
  );
  const lastWord = wordsOf(turn).at(-1)?.to ?? 0;
  const lastSound = samplesOf(turn).findLastIndex((sample) => isAudible(sample));
  return open.length > 0 && open.length + (lastWord <= lastSound ? 1 : 0) >= 2;
}

/** Moves the times of all words. */
const wordsMoved =
  (sign: 1 | -1): Inject =>
  (turn, { between }) => {
    if (wordsOf(turn).length < 3 || !leavesPausesOpen(turn)) return null;
    const byMs = sign * between(150, 500);
    for (const { id } of turn.chunks) {
      turn.retimes.set(id, (startMs, endMs) => ({
        startMs: Math.max(0, startMs + byMs),
        endMs: Math.max(0, endMs + byMs),
      }));
    }
    return WHOLE;
  };

/** Every kind of fault, by its name on the command line. */
export const FAULT_KINDS = {
  'silent-turn': {
    found: ['silent-turn'],
    inject: (turn, chance) => {
      const length = samplesOf(turn).length;
      const silent = silence(length, chance);
      change(turn, 0, length, (_, at) => silent[at] ?? 0);
      return WHOLE;
    },
  },
  'silent-chunk': {
    found: ['silent-chunk'],
    isPlaced: true,
    inject: (turn, chance) => {
      const laid = laidOut(turn).filter(({ samples }) => samples > 0);
      const one = chance.oneOf(laid);
      if (!one || laid.length < 2) return null;
      const silent = silence(one.samples, chance);
      change(turn, one.start, one.start + one.samples, (_, at) => silent[at - one.start] ?? 0);
      const { sampleRate } = turn.format;
      return { fromS: one.start / sampleRate, toS: (one.start + one.samples) / sampleRate };
    },
  },
  'leading-silence': {
    found: ['leading-silence'],
    isPlaced: true,
    inject: (turn, chance) => {
      const [chunk] = turn.chunks;
      if (!chunk) return null;
      const samples = Math.round(chance.between(0.8, 2) * turn.format.sampleRate);
      insert(turn, chunk, 0, silence(samples, chance));
      return silentPlace(turn, 0, samples);
    },
  },
  'trailing-silence': {
    found: ['trailing-silence'],
    isPlaced: true,
    inject: (turn, chance) => {
      const last = laidOut(turn).at(-1);
      if (!last) return null;
      const samples = Math.round(chance.between(1, 3) * turn.format.sampleRate);
      insert(turn, last.chunk, last.samples, silence(samples, chance));
      const end = last.start + last.samples;
      return silentPlace(turn, end, end + samples);
    },
  },
  'dead-air': {
    found: ['dead-air'],
    isPlaced: true,
    inject: (turn, chance) => {
      const { sampleRate } = turn.format;
      const samples = samplesOf(turn);
      const near = 0.12 * sampleRate;
      // Between two words that follow at once, or without words anywhere in speech.
      const joints = wordsOf(turn).flatMap(({ chunk, index, to }) => {
        const next = chunk.words[index + 1];
        const gapMs = next ? next.startMs - (chunk.words[index]?.endMs ?? 0) : Number.POSITIVE_INFINITY;
        return gapMs < 30 ? [to] : [];
      });
      const anywhere = Array.from({ length: 20 }, () => Math.floor(chance.random() * samples.length));
      const at = chance.oneOf(
        (turn.chunks.some(({ words }) => words.length > 0) ? joints : anywhere).filter(
          (place) =>
            speechAt(samples, place - near, place, sampleRate) &&
            speechAt(samples, place, place + near, sampleRate),
        ),
      );
      const laid = laidOut(turn).findLast(({ start }) => at !== undefined && start <= at);
      if (at === undefined || !laid) return null;
      const length = Math.round(chance.between(1, 2.5) * sampleRate);
      insert(turn, laid.chunk, at - laid.start, silence(length, chance));
      return silentPlace(turn, at, at + length);
    },
  },
  'click-at-seam': {
    found: ['click-at-seam'],
    isPlaced: true,
    inject: (turn, { between, oneOf, random }) => {
      const { sampleRate } = turn.format;
      const seam = oneOf(seams(turn, 0.02));
      if (!seam) return null;
      const step = between(0.2, 0.6) * FULL_SCALE * (random() < 0.5 ? 1 : -1);
      const decay = between(0.001, 0.008) * sampleRate;
      const isHeld = random() < 0.5;
      const { at } = seam;
      // In loud speech at a low rate, neighbouring samples differ as much.
      if (Math.abs(step) < 1.5 * largestStep(samplesOf(turn), at, 0.015 * sampleRate)) return null;
      change(turn, at, at + 6 * decay, (sample, place) => {
        if (isHeld) return place - at < decay ? sample + step : sample;
        return sample + step * Math.exp(-(place - at) / decay);
      });
      return { fromS: at / sampleRate, toS: at / sampleRate, isSeam: true };
    },
  },
  'repeat-at-seam': { found: ['repeat-at-seam'], isPlaced: true, inject: atSeam('repeat') },
  'skip-at-seam': { found: ['skip-at-seam'], isPlaced: true, inject: atSeam('skip') },
  clipping: {
    found: ['clipping'],
    inject: (turn, { between }) => {
      const samples = samplesOf(turn);
      const levels = Float64Array.from(samples, Math.abs).sort();
      const level = levels[Math.floor(levels.length * (1 - between(0.01, 0.05)))] ?? 0;
      if (level === 0) return null;
      change(turn, 0, samples.length, (sample) => (sample * FULL_SCALE) / level);
      return WHOLE;
    },
  },
  'dc-offset': {
    found: ['dc-offset'],
    inject: (turn, { between, random }) => {
      const offset = between(0.03, 0.1) * FULL_SCALE * (random() < 0.5 ? 1 : -1);
      change(turn, 0, Number.POSITIVE_INFINITY, (sample) => sample + offset);
      return WHOLE;
    },
  },
  'wrong-rate-half': { found: ['wrong-speed'], isOfSession: true, inject: resampled(0.5) },
  'wrong-rate-double': { found: ['wrong-speed'], isOfSession: true, inject: resampled(2) },
  'swapped-bytes': {
    found: ['not-samples'],
    isOfBytes: true,
    inject: (turn) => {
      turn.rewrite = (frames) => frames.map((bytes) => Buffer.from(bytes).swap16());
      return WHOLE;
    },
  },
  'odd-byte': {
    found: ['not-samples'],
    isOfBytes: true,
    inject: (turn, { random }) => {
      const count = turn.chunks.flatMap(({ frames }) => frames).length;
      const from = Math.floor((random() * count) / 2);
      // Frames keep their length, so that no receiver can see where the byte is missing.
      turn.rewrite = (frames) => {
        const shifted = Buffer.concat(frames.slice(from)).subarray(1);
        let at = 0;
        return frames.map((bytes, index) => {
          if (index < from) return bytes;
          const part = shifted.subarray(at, at + bytes.length);
          at += bytes.length;
          return part.subarray(0, part.length & ~1);
        });
      };
      return WHOLE;
    },
  },
  'mp3-as-pcm': {
    found: ['not-samples'],
    isOfBytes: true,
    inject: async (turn, { oneOf }) => {
      const { sampleRate } = turn.format;
      // At a higher rate than that of its sound, the encoder fills frames with zeros.
      const kbits = sampleRate > 24_000 ? [64, 96, 128] : sampleRate > 12_000 ? [32, 48, 64] : [16, 24];
      const encoder = await openMp3(sampleRate, oneOf(kbits));
      const bytes = Buffer.concat([encoder.encode(samplesOf(turn)), encoder.tail?.() ?? new Uint8Array()]);
      const count = turn.chunks.flatMap(({ frames }) => frames).length;
      const size = 2 * Math.ceil(bytes.length / count / 2);
      turn.rewrite = (frames) =>
        frames.map((_, index) => {
          const part = bytes.subarray(index * size, (index + 1) * size);
          return part.subarray(0, part.length & ~1);
        });
      return WHOLE;
    },
  },
  'loudness-jump': {
    found: ['loudness-jump'],
    isOfSession: true,
    inject: () => WHOLE,
  },
  'word-in-silence': {
    found: ['word-in-silence'],
    inject: (turn, { oneOf }) => {
      const perMs = turn.format.sampleRate / 1000;
      const laid = laidOut(turn);
      const chosen = oneOf(
        pauses(turn, 0.2).flatMap((pause) => {
          const of = laid.findLast(({ start }) => start <= pause.from);
          if (!of || pause.to > of.start + of.samples) return [];
          const index = of.chunk.words.findLastIndex(
            ({ startMs }) => of.start + startMs * perMs < pause.from,
          );
          const word = of.chunk.words[index];
          return word ? [{ pause, of, word }] : [];
        }),
      );
      if (!chosen) return null;
      const { pause, of, word } = chosen;
      const startMs = (pause.from - of.start) / perMs + 30;
      const endMs = Math.min(startMs + word.endMs - word.startMs, (pause.to - of.start) / perMs - 30);
      // An alignment has characters in place of words, which all move into the pause.
      const span = Math.max(1, word.endMs - word.startMs);
      const moved = (ms: number): number => startMs + ((endMs - startMs) * (ms - word.startMs)) / span;
      turn.retimes.set(of.chunk.id, (from, to) =>
        from >= word.startMs && to <= word.endMs
          ? { startMs: moved(from), endMs: moved(to) }
          : { startMs: from, endMs: to },
      );
      return {
        fromS: (of.start + startMs * perMs) / turn.format.sampleRate,
        toS: (of.start + endMs * perMs) / turn.format.sampleRate,
      };
    },
  },
  'words-late': { found: ['words-off', 'word-in-silence'], inject: wordsMoved(1) },
  'words-early': { found: ['words-off', 'word-in-silence'], inject: wordsMoved(-1) },
  'words-missing': {
    found: ['words-uncovered'],
    inject: (turn) => {
      const words = wordsOf(turn);
      const first = words[Math.ceil((2 * words.length) / 3)];
      if (!first || words.length < 4) return null;
      const startMs = first.chunk.words[first.index]?.startMs ?? 0;
      const from = turn.chunks.indexOf(first.chunk);
      turn.chunks.forEach(({ id }, index) => {
        if (index < from) return;
        turn.retimes.set(id, (start, end) =>
          index === from && start < startMs ? { startMs: start, endMs: end } : null,
        );
      });
      return WHOLE;
    },
  },
  'word-silenced': {
    found: ['word-in-silence'],
    inject: (turn, chance) => {
      const word = chance.oneOf(heardWords(turn));
      // Without it, a turn of one word would be silent.
      if (!word || wordsOf(turn).length < 3) return null;
      const silent = silence(word.to - word.from, chance);
      change(turn, word.from, word.to, (_, at) => silent[at - word.from] ?? 0);
      const { sampleRate } = turn.format;
      return { fromS: word.from / sampleRate, toS: word.to / sampleRate };
    },
  },
  'word-cut': {
    found: ['words-off', 'word-in-silence', 'skip-at-seam'],
    inject: (turn, { oneOf }) => {
      const told = tellingPauses(turn);
      const word = oneOf(
        heardWords(turn, 0.15).filter(({ chunk, to }) =>
          told.some((pause) => pause.chunk === chunk && pause.from >= to - 1),
        ),
      );
      const laid = word && laidOut(turn).find(({ chunk }) => chunk === word.chunk);
      if (!word || !laid) return null;
      const samples = chunkSamples(word.chunk);
      const whole = new Int16Array(samples.length - (word.to - word.from));
      whole.set(samples.subarray(0, word.from - laid.start));
      whole.set(samples.subarray(word.to - laid.start), word.from - laid.start);
      word.chunk.frames = cut(whole, word.chunk.frames);
      const { sampleRate } = turn.format;
      return { fromS: word.from / sampleRate, toS: word.from / sampleRate };
    },
  },
} as const satisfies Record<string, FaultKind>;

export type FaultName = keyof typeof FAULT_KINDS;

export const faultKind = (name: FaultName): FaultKind => FAULT_KINDS[name];

/** Puts a fault of this kind into a random turn of a session; null where the chosen turn has no room for it. */
export async function inject(
  name: FaultName,
  session: CleanSession,
  random: () => number,
): Promise<Faulted | null> {
  const chance: Chance = {
    random,
    between: (least, most) => least + (most - least) * random(),
    oneOf: (values) => values[Math.floor(random() * values.length)],
  };
  const kind = faultKind(name);
  const id = chance.oneOf(turnsOf(session));
  const turn = id === undefined ? null : decodeTurn(session, id);
  if (!turn || (kind.isOfBytes && turn.format.encoding !== 'pcm_s16le')) return null;
  if (name === 'loudness-jump') return jumped(turn, chance);
  const place = await kind.inject(turn, chance);
  if (place === null) return null;
  return {
    entries: writeTurn(turn, kind.isOfSession !== true),
    turn: turn.id,
    place: place === WHOLE ? null : place,
  };
}

/** Makes one turn quieter, or all others, because a turn that is made louder would clip. */
function jumped({ session, id }: Turn, { between, random }: Chance): Faulted | null {
  const isQuieter = random() < 0.5;
  const gain = 10 ** (-between(JUMP_DB.least, JUMP_DB.most) / 20);
  const ids = turnsOf(session);
  if (ids.length < 3) return null;
  let changed = session;
  for (const each of ids) {
    const turn = decodeTurn(changed, each);
    if (!turn) return null;
    if ((each === id) !== isQuieter) continue;
    change(turn, 0, Number.POSITIVE_INFINITY, (sample) => sample * gain);
    changed = { ...changed, entries: writeTurn(turn, false) };
  }
  return { entries: changed.entries, turn: id, place: null };
}
