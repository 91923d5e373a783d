import type { Endpoint, PageEndpointId } from '../core/endpoint.ts';
import { MAX_TEXT_CHARS } from './wire/generation.ts';
import {
  contextSettingIssues,
  contextSettings,
  IDLE_CONTEXT_MS,
  MAX_CONTEXTS,
  sessionSettingIssues,
  sessionSettings,
} from './wire/multi-settings.ts';
import { kugelVendor } from './wire/vendor.ts';

/** KugelAudio `/ws/tts/multi`: up to twenty contexts on one socket, each with its own voice, text and turns. */
export const kugelMulti: Endpoint<PageEndpointId> = {
  ...kugelVendor,
  id: 'kugel-multi',
  title: 'KugelAudio multi',
  path: '/ws/tts/multi',
  settings: sessionSettings,
  initialSettings: { language: 'en', word_timestamps: true, ...kugelVendor.addedSettings },
  // The seed sets `output_format` once, and with it the rate (`facts 1.5.5`).
  fixedSettings: ['output_format', 'sample_rate'],
  clientIds: ['context_id'],
  contexts: {
    max: MAX_CONTEXTS,
    idleMs: () => IDLE_CONTEXT_MS,
    settings: contextSettings,
    checkSettings: contextSettingIssues,
  },
  billing: 'context',
  limits: { textChars: MAX_TEXT_CHARS, idleTurnMs: null },
  checkSettings: sessionSettingIssues,
};
