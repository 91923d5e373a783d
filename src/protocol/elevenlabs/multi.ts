import type { Endpoint, PageEndpointId } from '../core/endpoint.ts';
import { elevenLabsVendor, INITIAL_ADDRESS } from './vendor.ts';
import {
  idleMsOf,
  MAX_CONTEXTS,
  multiSettingIssues,
  multiSettings,
  ofSpeaker,
  speakerSettingIssues,
} from './wire/settings.ts';

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
    idleMs: idleMsOf,
    settings: ofSpeaker,
    checkSettings: speakerSettingIssues,
  },
  checkSettings: multiSettingIssues,
};
