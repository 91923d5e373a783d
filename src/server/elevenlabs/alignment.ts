import type { SpokenWord } from '#protocol/core/speech-event.ts';
import { isBlank } from '#protocol/elevenlabs/wire/segments.ts';
import type { Alignment } from '#protocol/elevenlabs/wire/server-frames.ts';

/** Both alignments of a segment: the text as it was sent, and as it is spoken. */
export interface Alignments {
  alignment: Alignment;
  normalizedAlignment: Alignment;
}

/**
 * Times of characters, in whole ms, which add up to the audio (`facts-elevenlabs 4.3`). The characters of a word share its
 * time evenly, and those between two words share the gap. Of several spaces the first one takes the time.
 * @param words of the text, in order, with times from the start of the audio
 */
export function alignmentsOf(text: string, words: readonly SpokenWord[], durationMs: number): Alignments {
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
    normalizedAlignment: timed([' ', ...chars], [0, ...starts], durationMs),
  };
}

const timed = (chars: readonly string[], starts: readonly number[], durationMs: number): Alignment => ({
  chars,
  charStartTimesMs: starts,
  charDurationsMs: starts.map((start, at) => (starts[at + 1] ?? durationMs) - start),
});
