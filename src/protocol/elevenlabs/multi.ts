import type { Endpoint, PageEndpointId } from '../core/endpoint.ts';
import { elevenLabsVendor, INITIAL_ADDRESS } from './vendor.ts';
import { multiFrameIssues } from './wire/client-frames.ts';
import { readMultiIntents } from './wire/intents.ts';
import { accountKey } from './wire/keys.ts';
import { MAX_CONTEXTS, MultiDialect } from './wire/multi-dialect.ts';
import { audioFormatOf } from './wire/output-format.ts';
import {
  IDLE_SECONDS,
  multiSettingIssues,
  multiSettings,
  speakerSettingIssues,
  speakerSettings,
} from './wire/settings.ts';
import { multiTemplates } from './wire/templates.ts';

/** ElevenLabs `multi-stream-input`: up to five contexts on one socket, all in the voice of its address. */
export const elevenLabsMulti: Endpoint<PageEndpointId> = {
  ...elevenLabsVendor,
  id: 'elevenlabs-multi',
  title: 'ElevenLabs multi',
  path: '/v1/text-to-speech/{voice_id}/multi-stream-input',
  settings: multiSettings,
  initialSettings: INITIAL_ADDRESS,
  fixedSettings: [],
  contexts: {
    max: MAX_CONTEXTS,
    idleMs: 1000 * IDLE_SECONDS.default,
    settings: speakerSettings,
    checkSettings: speakerSettingIssues,
  },
  checkSettings: multiSettingIssues,
  open: (options) =>
    new MultiDialect(
      options.settings,
      accountKey(options.key),
      options.format ?? audioFormatOf(options.settings),
    ),
  readIntents: readMultiIntents,
  templates: multiTemplates,
  checkFrame: multiFrameIssues,
};
