import type { Endpoint } from '../core/endpoint.ts';
import { kugelStream } from './stream.ts';
import { readTtsIntents } from './wire/intents.ts';
import { ttsTemplates } from './wire/templates.ts';
import { ttsFrameIssues, ttsSettings } from './wire/tts-client.ts';
import { TtsDialect } from './wire/tts-dialect.ts';

/** KugelAudio `/ws/tts`: requests with their whole text, one after the other on one socket. */
export const kugelTts: Endpoint = {
  ...kugelStream,
  id: 'kugel-tts',
  title: 'KugelAudio requests',
  path: '/ws/tts',
  settings: ttsSettings,
  limits: { ...kugelStream.limits, idleTurnMs: null },
  open: () => new TtsDialect(),
  readIntents: readTtsIntents,
  templates: ttsTemplates,
  checkFrame: ttsFrameIssues,
};
