import type { Frame } from '../../core/frame.ts';
import { charactersFrame } from './frames.ts';

/** Samples of a frame of MPEG-2 layer III. */
const SAMPLES = 576;
const FRAMES = 25;

export function parrotExample(text: string): Frame[] {
  const silence = new Uint8Array(192);
  // 64 kbit/s, 24 kHz, one channel.
  silence.set([0xff, 0xf3, 0x84, 0xc4]);
  const characterMs = (FRAMES * SAMPLES) / 24 / [...text].length;
  return [charactersFrame('t1', text, 0, characterMs), ...Array.from({ length: FRAMES }, () => silence)];
}
