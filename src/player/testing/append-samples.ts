import { bytesFromSamples } from '#lib/pcm.ts';
import type { PcmStore } from '../pcm-store.ts';

export const appendSamples = (store: PcmStore, samples: Int16Array): void => {
  store.appendPayload({ bytes: bytesFromSamples(samples) }, 'pcm_s16le');
};
