import { decodeBase64 } from '#lib/base64.ts';
import type { Frame } from './frame.ts';

/** The audio of an example turn: frames of one constant sample, which is not silence. */
export const EXAMPLE_AUDIO = {
  frames: 12,
  frameMs: 50,
  /** Of all frames. */
  durationMs: 600,
  sampleRate: 24_000,
  /** Samples of one frame. */
  samples: 1200,
  /** One frame of signed 16 bit samples, each 4096. */
  base64: 'ABAAEAAQ'.repeat(400),
} as const;

/** One frame after the other of an example turn. */
export const exampleFrames = <T>(frameAt: (at: number) => T): T[] =>
  Array.from({ length: EXAMPLE_AUDIO.frames }, (_, at) => frameAt(at));

/** The audio of one frame. */
export function exampleBytes(): Uint8Array<ArrayBuffer> {
  const decoded = decodeBase64(EXAMPLE_AUDIO.base64);
  return 'bytes' in decoded ? decoded.bytes : new Uint8Array();
}

/** The frames as a server sends them. */
export const sentFrames = (frames: readonly (object | Uint8Array<ArrayBuffer>)[]): Frame[] =>
  frames.map((frame) => (frame instanceof Uint8Array ? frame : JSON.stringify(frame)));
