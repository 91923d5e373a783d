import type { Endpoint } from '../endpoint.ts';
import { MAX_TEXT_CHARS } from './generation.ts';
import { openStreamLinter } from './rules-stream.ts';
import { IDLE_TURN_MS, streamConfigIssues, streamFrameIssues, streamSettings } from './stream-client.ts';
import { readStreamIntents } from './stream-intents.ts';
import { streamTemplates } from './stream-templates.ts';
import { streamWire } from './stream-wire.ts';
import { addressAt, kugelVendor } from './vendor.ts';

const PATH = '/ws/tts/stream';

/** KugelAudio `/ws/tts/stream`: one voice, text streamed in, turns on one socket. */
export const kugelStream: Endpoint = {
  ...kugelVendor,
  id: 'kugel-stream',
  title: 'KugelAudio stream',
  path: PATH,
  settings: streamSettings,
  initialSettings: { voice_id: 1071, language: 'en', word_timestamps: true },
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
  openLinter: openStreamLinter,
};
