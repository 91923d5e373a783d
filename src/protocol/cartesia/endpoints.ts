import type { Endpoint, EndpointsOf } from '../core/endpoint.ts';
import { serversOf } from '../core/servers.ts';
import {
  audioFormatOf,
  DEFAULT_OUTPUT,
  KEY_PARAMETER,
  LATEST_VERSION,
  languageOf,
  MAX_CONTEXTS,
  ofSpeaker,
  RESERVED_FIELDS,
  sessionSettingIssues,
  sessionSettings,
  speakerSettingIssues,
  TOKEN,
} from './wire/settings.ts';

declare module '../core/endpoint.ts' {
  interface EndpointIds {
    cartesia: 'page';
  }
}

/** Public voices of the vendor (cartesia-voice-1). The local server speaks in voices of its own under their ids, so that scenes work at both. */
const PUBLIC_VOICES = {
  Marta: 'e07c00bc-4134-4eae-9ea4-1a55fb45746b',
  Rupert: 'd46abd1d-2d02-43e8-819f-51fb652c1c61',
  Lena: '6ccbfb76-1fc6-48f7-b71d-91ac6298247b',
  Grace: 'f786b574-daa5-4673-aa0c-cbe3e8534c02',
  Fiona: '71a7ad14-091c-4e8e-a314-022ece01c121',
  Miles: 'a0e99841-438c-4a64-b679-ae501e7d6091',
  Robin: '83ae58a1-7e97-4b94-b03f-e4cc0a10d8af',
  Sanne: 'db6b0ed5-d5d3-463d-ae85-518a07d3c2b4',
};

/** Ids of local voices alone: the SHA-256 of the handle in the form of a UUID. */
const LOCAL_VOICES = {
  Hans: '6428a8fb-bb0e-1205-28bb-604a66787102',
  Walter: '4748d4c8-02a7-75e8-db9a-23ec58f0986c',
  Camille: '3f56e90b-04e7-a4b5-0e3e-c2446c13055e',
  Etienne: '1a30ed96-1f81-b1d8-6bad-52343c93e738',
  Lucia: '6326e0e8-cfda-ab9a-f830-26a0620bafd0',
  Giulia: 'e4c2eed8-a6df-0147-2656-31e9ff25b70f',
  Enzo: '605306b8-3fe5-4de0-ab93-73e98b9fd30d',
  Thiago: '35e097c2-592e-6f1f-6095-6fda568e9058',
  Pieter: '1c4fe399-2988-ec78-446b-04675686adf0',
  Zofia: '77a5669d-1fa6-b1b6-4a4e-b95d8ec93bfd',
  Elsa: 'a1f47897-7aa8-f3ff-e657-5f9437c6da37',
  Aino: 'aa784452-c614-9f95-6fed-b4cdab8e1511',
  Arjun: 'fa4f7155-e110-eac1-64bd-a0f36b5d43f0',
};

export const EXAMPLE_VOICES: Endpoint['exampleVoices'] = { ...PUBLIC_VOICES, ...LOCAL_VOICES };

/** Cartesia `/tts/websocket`: one context a turn on one socket, all settings in every message. */
export const cartesia: Endpoint<'cartesia'> = {
  id: 'cartesia',
  usedBy: 'page',
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
    // A speaker lasts: the time-out is that of one turn.
    idleMs: () => null,
    settings: ofSpeaker,
    checkSettings: speakerSettingIssues,
  },
  flushEndsTurn: false,
  // No frame has the cost of a turn.
  billing: 'none',
  // The vendor names no limit (cartesia-limit-9).
  limits: { textChars: 5000, idleTurnMs: null },
  // Nothing of the vendor.
  reconnectDelaysMs: [1000, 2000, 4000, 8000, 16_000],
  retriesAfterErrors: false,
  checkSettings: sessionSettingIssues,
  languageValue: (code) => languageOf(code) ?? undefined,
  audioFormat: audioFormatOf,
};

export const cartesiaEndpoints: EndpointsOf<'cartesia'> = {
  cartesia,
};
