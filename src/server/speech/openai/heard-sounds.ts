import { addAll } from '#lib/collections/arrays.ts';
import type { WordTiming } from '../engine.ts';
import type { WordClock } from '../text/word-clock.ts';

/** A word or a part of one in the audio of a request. */
export interface HeardSound {
  /** Offset in the text as written; undefined where the word is unknown. */
  readonly source: number | undefined;
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Reports sounds in order to a clock. Returns the timings that became final.
 * @param untilMs length of the audio so far; no time lies behind it
 */
export function reportSounds(clock: WordClock, sounds: Iterable<HeardSound>, untilMs: number): WordTiming[] {
  const timings: WordTiming[] = [];
  for (const { source, startMs, endMs } of sounds) {
    if (source === undefined) clock.unknownSound();
    else addAll(timings, clock.sound(source, Math.min(startMs, untilMs)));
    clock.pause(Math.min(endMs, untilMs));
  }
  return timings;
}
