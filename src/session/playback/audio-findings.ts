import { exactDecodedBytes } from '#lib/base64.ts';
import { AUDIO_ENCODINGS } from '#protocol/core/audio-format.ts';
import type { AudioEvent } from '#protocol/core/speech-event.ts';
import type { Problem } from '../views.ts';

export type AudioFinding = Pick<Problem, 'severity' | 'title' | 'detail' | 'remedy'>;

type Taken = { samples: number } | { problem: string };

/** Returns the fault of a frame that could not be used or breaks its own figures; null for a good frame. */
export function findingOf(event: AudioEvent, taken: Taken): AudioFinding | null {
  if ('problem' in taken) {
    return {
      severity: 'error',
      title: 'Audio that cannot be played',
      detail: `${nameOf(event)}: ${taken.problem}`,
      remedy: 'The frame was left out and the rest is played. The server needs correcting.',
    };
  }
  const { payload } = event;
  const { bytesPerSample } = AUDIO_ENCODINGS[event.encoding];
  // The samples of compressed bytes cannot be counted, and those of one frame may come with the next.
  if (bytesPerSample === null) return null;
  const bytes = 'bytes' in payload ? payload.bytes.length : exactDecodedBytes(payload.base64);
  // In protocols without sample counts, frames are pieces of a byte stream and may end anywhere.
  if (event.samples !== null && bytes % bytesPerSample !== 0) {
    return {
      severity: 'warning',
      title: 'An audio frame ends in the middle of a sample',
      detail: `${nameOf(event)}: expected ${bytesPerSample} bytes a sample, got ${bytes} bytes.`,
      remedy: 'The next frame completes the sample, or this sample is left out.',
    };
  }
  // A frame that begins with a part of the sample before may hold one sample more than it names.
  const inside = bytes / bytesPerSample;
  if (event.samples !== null && event.samples !== inside && event.samples !== taken.samples) {
    return {
      severity: 'warning',
      title: 'An audio frame does not hold the samples it names',
      detail: `${nameOf(event)}: it names ${event.samples} and holds ${taken.samples}.`,
      remedy: 'What it holds is played.',
    };
  }
  return null;
}

const nameOf = ({ index, chunk }: AudioEvent): string =>
  index === null ? `Audio of chunk ${chunk}` : `Audio frame ${index} of chunk ${chunk}`;
