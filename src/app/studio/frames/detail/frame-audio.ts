import { PcmStore } from '#player/pcm-store.ts';
import type { AudioFormat } from '#protocol/core/endpoint.ts';
import type { AudioPayload } from '#protocol/core/speech-event.ts';
import type { ShownEntry } from '#recordings/store/payload-reader.ts';
import { frameDecoder } from '#recordings/view/audio-of-entry.ts';

/** Sound that one frame carries, or why it could not be decoded. */
export type FrameAudio = { format: AudioFormat; samples: Int16Array<ArrayBuffer> } | { problem: string };

/** Assumed format of binary frames. */
export const BINARY_AUDIO: AudioFormat = { encoding: 'pcm_s16le', sampleRate: 24_000 };

/**
 * Returns the sound in a frame, whatever endpoint the page is on; null where it carries none.
 * @param binary the format of binary frames, which do not name theirs
 */
export function frameAudio(
  { direction, kind, payload }: Pick<ShownEntry, 'direction' | 'kind' | 'payload'>,
  binary: AudioFormat = BINARY_AUDIO,
): FrameAudio | null {
  if (direction !== 'in' || payload === null) return null;
  if (typeof payload !== 'string') return kind === 'audio' ? decoded({ bytes: payload }, binary) : null;
  const event = frameDecoder(null)(payload).find(({ type }) => type === 'audio');
  return event?.type === 'audio' ? decoded(event.payload, event) : null;
}

function decoded(payload: AudioPayload, { encoding, sampleRate }: AudioFormat): FrameAudio {
  const store = new PcmStore(sampleRate);
  const result = store.appendPayload(payload, encoding);
  return 'problem' in result ? result : { format: { encoding, sampleRate }, samples: store.slice() };
}
