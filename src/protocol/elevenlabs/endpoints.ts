import type { Endpoint, EndpointsOf } from '../core/endpoint.ts';
import { serversOf } from '../core/servers.ts';
import {
  audioFormatOf,
  idleMsOf,
  LANGUAGES,
  MAX_CONTEXTS,
  MAX_TEXT_CHARS,
  MESSAGE_SETTINGS,
  multiSettingIssues,
  multiSettings,
  ofSpeaker,
  RESERVED_FIELDS,
  speakerSettingIssues,
  streamSettingIssues,
  streamSettings,
  TOKEN,
} from './wire/settings.ts';

declare module '../core/endpoint.ts' {
  interface EndpointIds {
    'elevenlabs-stream': 'page';
    'elevenlabs-multi': 'page';
  }
}

/** Public voices of the vendor. The local server speaks in voices of its own under their ids, so that scenes work at both. */
const EXAMPLE_VOICES: Endpoint['exampleVoices'] = {
  Marta: 'hpp4J3VqNfWAUOO0d1Us',
  Rupert: 'JBFqnCBsd6RMkjVDRZzb',
  Hans: 'onwK4e9ZLuTAKqWW03F9',
  Lena: 'FGY2WhTYpPnrIDTdsKH5',
  Grace: 'EXAVITQu4vr4xnSDxMaL',
  Walter: 'pqHfZKP75CvOlQylNhV4',
  Fiona: 'Xb7hH8MSUJpSbSDYk0k2',
  Miles: 'bIHbv24MWmeRgasZH58o',
  Robin: 'SAz9YHcvj6GT2YYXdXww',
  Camille: 'XB0fDUnXU5powFXDhCwa',
  Etienne: 'N2lVS1w4EtoT3dr4eOWO',
  Lucia: 'pFZP5JQG7iQjIQuC4Bku',
  Giulia: 'XrExE9yKIg1WjnnlVkGX',
  Enzo: 'iP95p4xoKVk53GoZ742B',
  Thiago: 'TX3LPaxmHKxFdv7VOQHJ',
  Sanne: 'cgSgspJ2msm6clMCkdW9',
  Pieter: 'cjVigY5qzO86Huf0OWal',
  Zofia: '9BWtsMINqrJLrRacOk9x',
  Elsa: '21m00Tcm4TlvDq8ikWAM',
  Aino: 'AZnzlk1XvdvUeBnXmlld',
  Arjun: 'nPczCjzI2devNBz1zQrb',
};

/** The address's settings to begin with. A format is always named, because the vendor's default is MP3. */
const INITIAL_ADDRESS = {
  model_id: 'eleven_flash_v2_5',
  output_format: 'pcm_24000',
  // An idle connection would be closed after 20 s.
  inactivity_timeout: 180,
} as const;

/** A cloud that keeps data in one place. */
const residency = (id: string, place: string) => ({
  id,
  title: `ElevenLabs residency, ${place}`,
  base: `wss://api.${id}.residency.elevenlabs.io`,
});

/** The common part of both sockets. */
const COMMON = {
  vendor: 'ElevenLabs',
  localPrefix: '/elevenlabs',
  addressVariables: ['ELEVENLABS_BASE_URL'],
  // Browsers cannot set headers.
  keyPlace: { in: 'message', token: TOKEN },
  servers: serversOf(
    { id: 'cloud', title: 'ElevenLabs cloud', base: 'wss://api.elevenlabs.io' },
    { id: 'us', title: 'ElevenLabs cloud, US', base: 'wss://api.us.elevenlabs.io' },
    residency('eu', 'EU'),
    residency('in', 'India'),
    residency('sg', 'Singapore'),
  ),
  exampleVoices: EXAMPLE_VOICES,
  reservedFields: RESERVED_FIELDS,
  clientIds: ['context_id', 'contextId'],
  flushEndsTurn: false,
  // No frame has the cost of a turn.
  billing: 'none',
  limits: { textChars: MAX_TEXT_CHARS, idleTurnMs: null },
  // Nothing of the vendor.
  reconnectDelaysMs: [1000, 2000, 4000, 8000, 16_000],
  retriesAfterErrors: false,
  languageValue: (code: string) => (LANGUAGES.some((known) => known === code) ? code : undefined),
  audioFormat: audioFormatOf,
} satisfies Partial<Endpoint>;

/** ElevenLabs `stream-input`: one turn a connection, characters instead of words. */
export const elevenLabsStream: Endpoint<'elevenlabs-stream'> = {
  ...COMMON,
  id: 'elevenlabs-stream',
  usedBy: 'page',
  title: 'ElevenLabs stream',
  path: '/v1/text-to-speech/{voice_id}/stream-input',
  settings: streamSettings,
  initialSettings: { voice_id: EXAMPLE_VOICES.Grace, ...INITIAL_ADDRESS },
  fixedSettings: MESSAGE_SETTINGS.map(({ field }) => field),
  contexts: null,
  checkSettings: streamSettingIssues,
};

/** ElevenLabs `multi-stream-input`: up to five contexts on one socket, all in the voice of its address. */
export const elevenLabsMulti: Endpoint<'elevenlabs-multi'> = {
  ...COMMON,
  id: 'elevenlabs-multi',
  usedBy: 'page',
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

export const elevenLabsEndpoints: EndpointsOf<'elevenlabs'> = {
  'elevenlabs-stream': elevenLabsStream,
  'elevenlabs-multi': elevenLabsMulti,
};
