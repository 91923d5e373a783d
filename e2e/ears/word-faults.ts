import {
  change,
  chunkSamples,
  type FaultKind,
  heardWords,
  type Inject,
  laidOut,
  pauses,
  silence,
  tellingPauses,
  WHOLE,
  wordsOf,
} from './fault-tools.ts';
import { isAudible } from './levels.ts';
import { cut, samplesOf, type Turn } from './turn.ts';

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

/** Words that are not where their times say. */
export const WORD_FAULTS = {
  'word-in-silence-moved': {
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
  'words-off-late': { found: ['words-off', 'word-in-silence'], inject: wordsMoved(1) },
  'words-off-early': { found: ['words-off', 'word-in-silence'], inject: wordsMoved(-1) },
  'words-uncovered': {
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
  'word-in-silence-muted': {
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
  'skip-at-seam-word': {
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
