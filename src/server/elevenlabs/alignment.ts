import type { SpokenWord } from '#protocol/core/speech-event.ts';
import { isBlank } from '#protocol/elevenlabs/wire/segments.ts';
import type { Alignment } from '#protocol/elevenlabs/wire/server-frames.ts';
import type { SpokenNumber } from './spoken-numbers.ts';

/** Both alignments of a segment: the text as it was sent, and as it is spoken. */
export interface Alignments {
  alignment: Alignment;
  normalizedAlignment: Alignment;
}

/**
 * Times of characters, in whole ms, which add up to the audio (`facts-elevenlabs 4.3`). The characters of a word share its
 * time evenly, and those between two words share the gap. Of several spaces the first one takes the time.
 * @param words of the text, in order, with times from the start of the audio
 * @param numbers of the text, in order, that are spoken otherwise than written
 */
export function alignmentsOf(
  text: string,
  words: readonly SpokenWord[],
  durationMs: number,
  numbers: readonly SpokenNumber[] = [],
): Alignments {
  const chars: string[] = [];
  const starts: number[] = [];
  const spread = (part: string, fromMs: number, toMs: number): void => {
    const characters = [...part];
    const weights = characters.map((each, at): number =>
      isBlank(each) && isBlank(characters[at - 1] ?? '.') ? 0 : 1,
    );
    const whole = weights.reduce((sum, each) => sum + each, 0);
    let before = 0;
    for (const [at, character] of characters.entries()) {
      chars.push(character);
      starts.push(Math.round(fromMs + ((toMs - fromMs) * before) / Math.max(1, whole)));
      before += weights[at] ?? 0;
    }
  };
  let [at, atMs] = [0, 0];
  const timeOf = (ms: number): number => Math.min(Math.max(ms, atMs), durationMs);
  for (const word of words) {
    const startMs = timeOf(word.startMs);
    spread(text.slice(at, word.charStart), atMs, startMs);
    atMs = startMs;
    const endMs = timeOf(word.endMs);
    spread(text.slice(word.charStart, word.charEnd), startMs, endMs);
    [at, atMs] = [word.charEnd, endMs];
  }
  spread(text.slice(at), atMs, durationMs);
  return {
    // The first character has the time that the extra space has in the other one (`facts-elevenlabs 4.3.5`).
    alignment: timed(chars, [0, ...starts.slice(1)].slice(0, chars.length), durationMs),
    normalizedAlignment: spokenAlignment({ chars, starts, durationMs }, numbers),
  };
}

interface Written {
  chars: readonly string[];
  starts: readonly number[];
  durationMs: number;
}

/** The characters of a spelled number share the time of the written one (`facts-elevenlabs 4.3.6`). */
function spokenAlignment(
  { chars, starts, durationMs }: Written,
  numbers: readonly SpokenNumber[],
): Alignment {
  const [spoken, times] = [[' '], [0]];
  let [at, place] = [0, 0];
  const pass = (to: number, isSpoken: boolean): void => {
    for (; place < to && at < chars.length; at += 1) {
      const char = chars[at] ?? '';
      place += char.length;
      if (!isSpoken) continue;
      spoken.push(char);
      times.push(starts[at] ?? durationMs);
    }
  };
  for (const number of numbers) {
    pass(number.start, true);
    const startMs = starts[at] ?? durationMs;
    pass(number.end, false);
    const ms = (starts[at] ?? durationMs) - startMs;
    const letters = [...number.spoken];
    for (const [nth, letter] of letters.entries()) {
      spoken.push(letter);
      times.push(Math.round(startMs + (ms * nth) / letters.length));
    }
  }
  pass(Number.POSITIVE_INFINITY, true);
  return timed(spoken, times, durationMs);
}

const timed = (chars: readonly string[], starts: readonly number[], durationMs: number): Alignment => ({
  chars,
  charStartTimesMs: starts,
  charDurationsMs: starts.map((start, at) => (starts[at + 1] ?? durationMs) - start),
});
