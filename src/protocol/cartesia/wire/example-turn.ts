import { EXAMPLE_AUDIO } from '../../core/example-audio.ts';
import type { Frame } from '../../core/frame.ts';
import { chunkFrame, doneFrame, timestampsFrame } from './server-frames.ts';

const { frames: FRAMES, frameMs, base64 } = EXAMPLE_AUDIO;

export function cartesiaExample(text: string, context: string): Frame[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const seconds = (FRAMES * frameMs) / 1000 / Math.max(1, words.length);
  const start = words.map((_, at) => at * seconds);
  const timed = { words, start, end: start.map((from) => from + seconds) };
  const audio = Array.from({ length: FRAMES }, () => chunkFrame(context, base64, frameMs));
  return [timestampsFrame(context, timed), ...audio, doneFrame(context)].map((frame) =>
    JSON.stringify(frame),
  );
}
