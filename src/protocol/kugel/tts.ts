import type { Endpoint } from '../core/endpoint.ts';
import { kugelStream } from './stream.ts';
import { readTtsIntents } from './wire/intents.ts';
import { ttsTemplates } from './wire/templates.ts';
import { ttsFrameIssues, ttsSettings } from './wire/tts-client.ts';
import { TtsWire } from './wire/tts-wire.ts';
import { addressAt } from './wire/vendor.ts';

const PATH = '/ws/tts';

/** KugelAudio `/ws/tts`: requests with their whole text, one after the other on one socket. */
export const kugelTts: Endpoint = {
  ...kugelStream,
  id: 'kugel-tts',
  title: 'KugelAudio requests',
  path: PATH,
  settings: ttsSettings,
  limits: { ...kugelStream.limits, idleTurnMs: null },
  address: addressAt(PATH),
  openWire: () => new TtsWire(),
  readIntents: readTtsIntents,
  templates: ttsTemplates,
  checkFrame: ttsFrameIssues,
};
