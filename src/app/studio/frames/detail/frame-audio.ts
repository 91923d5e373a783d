import { PcmStore } from '#player/pcm-store.ts';
import type { AudioFormat } from '#protocol/core/audio-format.ts';
import type { AudioPayload } from '#protocol/core/speech-event.ts';
import type { ShownEntry } from '#recordings/store/payload-reader.ts';
import { frameDecoder } from '#recordings/view/audio-of-entry.ts';

export type FrameAudio = { format: AudioFormat; samples: Int16Array<ArrayBuffer> } | { problem: string };

/** Assumed format of binary frames, which do not name theirs. */
const BINARY_AUDIO: AudioFormat = { encoding: 'pcm_s16le', sampleRate: 24_000 };

/** Returns the sound in a frame of any endpoint; null where it carries none. */
export function frameAudio({
  direction,
  kind,
  payload,
}: Pick<ShownEntry, 'direction' | 'kind' | 'payload'>): FrameAudio | null {
  if (direction !== 'in' || payload === null) return null;
  if (typeof payload !== 'string') return kind === 'audio' ? decoded({ bytes: payload }, BINARY_AUDIO) : null;
  const event = frameDecoder(null)(payload).find(({ type }) => type === 'audio');
  return event?.type === 'audio' ? decoded(event.payload, event) : null;
}

function decoded(payload: AudioPayload, { encoding, sampleRate }: AudioFormat): FrameAudio {
  const store = new PcmStore(sampleRate);
  const result = store.appendPayload(payload, encoding);
  return 'problem' in result ? result : { format: { encoding, sampleRate }, samples: store.slice() };
}
