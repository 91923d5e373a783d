import {
  change,
  type FaultKind,
  insert,
  laidOut,
  silence,
  silentPlace,
  WHOLE,
  wordsOf,
} from './fault-tools.ts';
import { speechAt } from './levels.ts';
import { samplesOf } from './turn.ts';

/** Silence in place of speech. */
export const SILENCE_FAULTS = {
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
} as const satisfies Record<string, FaultKind>;
