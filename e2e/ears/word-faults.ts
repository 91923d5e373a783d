import { runsOf } from '#recordings/sound/turn-sound.ts';
import {
  change,
  chunkSamples,
  type FaultKind,
  heardWords,
  type Inject,
  laidOut,
  pauses,
  silence,
  WHOLE,
  wordsOf,
} from './fault-tools.ts';
import { cut, type DecodedTurn } from './turn.ts';

/** Words in a row that are found in the sound and compared: no number is, nor a word beside one. */
const COMPARED_WORDS = 3;

/** Whether so many words move by the whole time. No time is before the start of its chunk. */
function isTelling(turn: DecodedTurn, byMs: number): boolean {
  const words = wordsOf(turn).map(({ chunk, index }) => chunk.words[index]);
  const isNumber = (at: number): boolean => /\p{N}/u.test(words[at]?.word ?? '');
  const moves = (at: number): boolean =>
    (words[at]?.startMs ?? 0) + byMs >= 0 && ![at - 1, at, at + 1].some(isNumber);
  return runsOf(words.length, moves, COMPARED_WORDS).length > 0;
}

/** Moves the times of all words. */
const wordsMoved =
  (sign: 1 | -1): Inject =>
  (turn, { between }) => {
    // One word of ten is found more than 50 ms beside its place, and the rule allows 150 ms.
    const byMs = sign * between(200, 500);
    if (!isTelling(turn, byMs)) return null;
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
      const word = oneOf(heardWords(turn, 0.15));
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
