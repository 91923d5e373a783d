import { EXAMPLE_AUDIO } from '../../core/example-audio.ts';
import type { Frame } from '../../core/frame.ts';
import { type Alignment, finalFrame, type SentSpeech } from './server-frames.ts';

const { frames: FRAMES, frameMs, base64 } = EXAMPLE_AUDIO;

/** @param context null for `stream-input`, whose frames name none */
export function elevenLabsExample(text: string, context: string | null): Frame[] {
  const chars = [...text];
  const durationMs = Math.floor((FRAMES * frameMs) / chars.length);
  const alignment: Alignment = {
    chars,
    charStartTimesMs: chars.map((_, at) => at * durationMs),
    charDurationsMs: chars.map(() => durationMs),
  };
  const ofContext = context === null ? {} : { contextId: context };
  const audio = Array.from({ length: FRAMES }, (_, at): SentSpeech => {
    const aligned = at === 0 ? alignment : null;
    return { audio: base64, isFinal: null, normalizedAlignment: aligned, alignment: aligned, ...ofContext };
  });
  return [...audio, finalFrame(context)].map((frame) => JSON.stringify(frame));
}
