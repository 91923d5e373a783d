import type { AudioEvent } from '#protocol/core/speech-event.ts';
import type { Problem } from '../views.ts';

/** What is wrong with an audio frame, in words. */
export type AudioFinding = Pick<Problem, 'severity' | 'title' | 'detail' | 'remedy'>;

/** What came of putting a frame's audio to its turn. */
type Taken = { samples: number } | { problem: string };

/** A frame of which nothing could be used, or one that was used and is strange; null where all is well. */
export function findingOf(event: AudioEvent, taken: Taken): AudioFinding | null {
  if ('problem' in taken) {
    return {
      severity: 'error',
      title: 'Audio that cannot be played',
      detail: `${nameOf(event)}: ${taken.problem}`,
      remedy: 'The frame was left out and the rest is played. The server needs correcting.',
    };
  }
  const bytes = byteCount(event);
  // Where a protocol counts no samples, its frames are pieces of a stream of bytes and may end anywhere.
  if (event.samples !== null && event.encoding === 'pcm_s16le' && bytes % 2 === 1) {
    return {
      severity: 'warning',
      title: 'An audio frame ends in the middle of a sample',
      detail: `${nameOf(event)}: expected two bytes a sample, got ${bytes} bytes.`,
      remedy: 'The next frame completes the sample, so nothing is lost.',
    };
  }
  // A frame that begins with the half sample of the one before it may hold one more than it names.
  const inside = event.encoding === 'pcm_s16le' ? bytes / 2 : bytes;
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

/** Of base64 that was decoded, so that its length and padding can be relied on but for white space. */
function byteCount({ payload }: AudioEvent): number {
  if ('bytes' in payload) return payload.bytes.byteLength;
  const { base64 } = payload;
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.floor((base64.length * 3) / 4) - padding;
}
