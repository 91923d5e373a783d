import type { Endpoint, PageEndpointId } from '../core/endpoint.ts';
import { MAX_TEXT_CHARS } from './wire/generation.ts';
import { IDLE_TURN_MS, streamConfigIssues, streamSettings } from './wire/stream-settings.ts';
import { kugelVendor } from './wire/vendor.ts';

/** KugelAudio `/ws/tts/stream`: one voice, streamed text, turns on one socket. */
export const kugelStream: Endpoint<PageEndpointId> = {
  ...kugelVendor,
  id: 'kugel-stream',
  title: 'KugelAudio stream',
  path: '/ws/tts/stream',
  settings: streamSettings,
  initialSettings: { voice_id: 1071, language: 'en', word_timestamps: true, ...kugelVendor.addedSettings },
  fixedSettings: [],
  clientIds: [],
  contexts: null,
  billing: 'turn',
  limits: { textChars: MAX_TEXT_CHARS, idleTurnMs: IDLE_TURN_MS },
  checkSettings: streamConfigIssues,
};
