import { PcmStore } from '#player/pcm-store.ts';
import type { AudioFormat } from '#protocol/core/endpoint.ts';
import type { AudioEvent, AudioPayload } from '#protocol/core/speech-event.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import type { ShownEntry } from '#recordings/store/payload-reader.ts';

/** Sound that one frame carries, or why it could not be decoded. */
export type FrameAudio = { format: AudioFormat; samples: Int16Array<ArrayBuffer> } | { problem: string };

/** What bytes are that say nothing of themselves. */
export const BINARY_AUDIO: AudioFormat = { encoding: 'pcm_s16le', sampleRate: 24_000 };

/**
 * The sound in a frame, by what the frame says of itself: a text frame as the first endpoint reads it that finds audio in
 * it, so that a frame of a recording is decoded whatever endpoint the page is on. Null where the frame carries none.
 * @param binary the format of binary frames, which do not name theirs
 */
export function frameAudio(
  { direction, kind, payload }: Pick<ShownEntry, 'direction' | 'kind' | 'payload'>,
  binary: AudioFormat = BINARY_AUDIO,
): FrameAudio | null {
  if (direction !== 'in' || payload === null) return null;
  if (typeof payload !== 'string') return kind === 'audio' ? decoded({ bytes: payload }, binary) : null;
  for (const endpoint of ENDPOINTS) {
    const event = endpoint.openWire('').decode(payload).find(isAudio);
    if (event) return decoded(event.payload, event);
  }
  return null;
}

const isAudio = (event: { type: string }): event is AudioEvent => event.type === 'audio';

function decoded(payload: AudioPayload, { encoding, sampleRate }: AudioFormat): FrameAudio {
  const store = new PcmStore(sampleRate);
  const result = store.appendPayload(payload, encoding);
  return 'problem' in result ? result : { format: { encoding, sampleRate }, samples: store.slice() };
}
