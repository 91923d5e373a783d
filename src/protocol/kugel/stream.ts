import type { Endpoint, PageEndpointId } from '../core/endpoint.ts';
import { MAX_TEXT_CHARS } from './wire/generation.ts';
import { readStreamIntents } from './wire/intents.ts';
import { IDLE_TURN_MS, streamConfigIssues, streamFrameIssues, streamSettings } from './wire/stream-client.ts';
import { streamWire } from './wire/stream-wire.ts';
import { streamTemplates } from './wire/templates.ts';
import { addressAt, kugelVendor } from './wire/vendor.ts';

const PATH = '/ws/tts/stream';

/** KugelAudio `/ws/tts/stream`: one voice, streamed text, turns on one socket. */
export const kugelStream: Endpoint<PageEndpointId> = {
  ...kugelVendor,
  id: 'kugel-stream',
  title: 'KugelAudio stream',
  path: PATH,
  settings: streamSettings,
  initialSettings: { voice_id: 1071, language: 'en', word_timestamps: true, ...kugelVendor.addedSettings },
  fixedSettings: [],
  contexts: null,
  billing: 'turn',
  plans: [],
  limits: { textChars: MAX_TEXT_CHARS, idleTurnMs: IDLE_TURN_MS },
  checkSettings: streamConfigIssues,
  address: addressAt(PATH),
  openWire: () => streamWire,
  readIntents: readStreamIntents,
  templates: streamTemplates,
  checkFrame: streamFrameIssues,
};
