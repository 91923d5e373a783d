import type { Endpoint, PageEndpointId } from '../core/endpoint.ts';
import { serversOf } from '../core/servers.ts';
import { EXAMPLE_VOICES } from './vendor.ts';
import { KEY_PARAMETER, TOKEN } from './wire/keys.ts';
import { languageOf } from './wire/models.ts';
import { audioFormatOf, DEFAULT_OUTPUT } from './wire/output-format.ts';
import {
  MAX_CONTEXTS,
  ofSpeaker,
  RESERVED_FIELDS,
  sessionSettingIssues,
  sessionSettings,
  speakerSettingIssues,
} from './wire/settings.ts';
import { LATEST_VERSION } from './wire/versions.ts';

/** Cartesia `/tts/websocket`: one context a turn on one socket, all settings in every message. */
export const cartesia: Endpoint<PageEndpointId> = {
  id: 'cartesia',
  title: 'Cartesia',
  vendor: 'Cartesia',
  path: '/tts/websocket',
  keyPlace: { in: 'query', name: KEY_PARAMETER, token: TOKEN },
  localPrefix: '/cartesia',
  addressVariables: ['CARTESIA_BASE_URL'],
  servers: serversOf({ id: 'cloud', title: 'Cartesia cloud', base: 'wss://api.cartesia.ai' }),
  settings: sessionSettings,
  initialSettings: {
    cartesia_version: LATEST_VERSION,
    ...DEFAULT_OUTPUT,
    add_timestamps: true,
    use_normalized_timestamps: false,
  },
  exampleVoices: EXAMPLE_VOICES,
  reservedFields: RESERVED_FIELDS,
  // A connection has one format here.
  fixedSettings: ['encoding', 'sample_rate'],
  clientIds: ['context_id'],
  contexts: {
    max: MAX_CONTEXTS,
    // A speaker lasts: the time-out is that of one turn (X3).
    idleMs: () => null,
    settings: ofSpeaker,
    checkSettings: speakerSettingIssues,
  },
  flushEndsTurn: false,
  // No frame has the cost of a turn (R7).
  billing: 'none',
  // Ours: the vendor names no limit.
  limits: { textChars: 5000, idleTurnMs: null },
  // Nothing of the vendor.
  reconnectDelaysMs: [1000, 2000, 4000, 8000, 16_000],
  retriesAfterErrors: false,
  checkSettings: sessionSettingIssues,
  languageValue: (code) => languageOf(code) ?? undefined,
  audioFormat: audioFormatOf,
};
