import type { Endpoint } from '../core/endpoint.ts';
import { kugelStream } from './stream.ts';
import { ttsSettings } from './wire/stream-settings.ts';

/** KugelAudio `/ws/tts`: requests with their whole text, one after the other on one socket. */
export const kugelTts: Endpoint = {
  ...kugelStream,
  id: 'kugel-tts',
  title: 'KugelAudio requests',
  path: '/ws/tts',
  settings: ttsSettings,
  limits: { ...kugelStream.limits, idleTurnMs: null },
};
