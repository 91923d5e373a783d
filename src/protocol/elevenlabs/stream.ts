import type { Endpoint, PageEndpointId } from '../core/endpoint.ts';
import { elevenLabsVendor, INITIAL_ADDRESS, INITIAL_VOICE } from './vendor.ts';
import { streamFrameIssues } from './wire/client-frames.ts';
import { readStreamIntents } from './wire/intents.ts';
import { accountKey } from './wire/keys.ts';
import { audioFormatOf } from './wire/output-format.ts';
import { MESSAGE_SETTINGS, streamSettingIssues, streamSettings } from './wire/settings.ts';
import { StreamDialect } from './wire/stream-dialect.ts';
import { streamTemplates } from './wire/templates.ts';

/** ElevenLabs `stream-input`: one turn a connection, characters instead of words. */
export const elevenLabsStream: Endpoint<PageEndpointId> = {
  ...elevenLabsVendor,
  id: 'elevenlabs-stream',
  title: 'ElevenLabs stream',
  path: '/v1/text-to-speech/{voice_id}/stream-input',
  settings: streamSettings,
  initialSettings: { ...INITIAL_VOICE, ...INITIAL_ADDRESS },
  fixedSettings: MESSAGE_SETTINGS.map(({ field }) => field),
  contexts: null,
  checkSettings: streamSettingIssues,
  open: (options) =>
    new StreamDialect(
      options.settings,
      accountKey(options.key),
      options.format ?? audioFormatOf(options.settings),
    ),
  readIntents: readStreamIntents,
  templates: streamTemplates,
  checkFrame: streamFrameIssues,
};
