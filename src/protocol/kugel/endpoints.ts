import type { Endpoint, EndpointsOf } from '../core/endpoint.ts';
import { serversOf } from '../core/servers.ts';
import {
  audioFormatOf,
  contextSettingIssues,
  contextSettings,
  IDLE_CONTEXT_MS,
  IDLE_TURN_MS,
  MAX_CONTEXTS,
  MAX_TEXT_CHARS,
  PROJECT_ID,
  sessionSettingIssues,
  sessionSettings,
  streamConfigIssues,
  streamSettings,
  ttsSettings,
} from './wire/settings.ts';

declare module '../core/endpoint.ts' {
  interface EndpointIds {
    'kugel-stream': 'page';
    'kugel-multi': 'page';
    'kugel-tts': 'others';
  }
}

const EXAMPLE_VOICES: Endpoint['exampleVoices'] = {
  Marta: '1071',
  Rupert: '1072',
  Hans: '268',
  Lena: '1073',
  Grace: '1075',
  Walter: '1076',
  Fiona: '1077',
  Miles: '1078',
  Robin: '1079',
  Camille: '1101',
  Etienne: '1102',
  Lucia: '1103',
  Giulia: '1105',
  Enzo: '1106',
  Thiago: '1108',
  Sanne: '1109',
  Pieter: '1110',
  Zofia: '1111',
  Elsa: '1112',
  Aino: '1115',
  Arjun: '1125',
};

/** The common part of the KugelAudio endpoints. */
const COMMON = {
  vendor: 'KugelAudio',
  localPrefix: '/kugel',
  // Of its SDK and its tests (kugel-connect-9).
  addressVariables: ['KUGELAUDIO_API_URL', 'KUGELAUDIO_BASE_URL'],
  // Browsers cannot set headers.
  keyPlace: { in: 'query', name: 'api_key' },
  servers: serversOf(
    { id: 'cloud', title: 'KugelAudio cloud', base: 'wss://api.kugelaudio.com' },
    { id: 'eu', title: 'KugelAudio cloud, EU', base: 'wss://api.eu.kugelaudio.com' },
  ),
  exampleVoices: EXAMPLE_VOICES,
  addedSettings: { project_id: PROJECT_ID },
  reservedFields: ['api_key'],
  // The vendor asks for 1 s after a restart (kugel-close-10); later tries double.
  reconnectDelaysMs: [1000, 2000, 4000, 8000, 16_000],
  flushEndsTurn: true,
  retriesAfterErrors: false,
  languageValue: (code: string) => code,
  audioFormat: audioFormatOf,
} satisfies Partial<Endpoint>;

/** KugelAudio `/ws/tts/stream`: one voice, streamed text, turns on one socket. */
export const kugelStream: Endpoint<'kugel-stream'> = {
  ...COMMON,
  id: 'kugel-stream',
  usedBy: 'page',
  title: 'KugelAudio stream',
  path: '/ws/tts/stream',
  settings: streamSettings,
  initialSettings: { voice_id: 1071, language: 'en', word_timestamps: true, ...COMMON.addedSettings },
  fixedSettings: [],
  clientIds: [],
  contexts: null,
  billing: 'turn',
  limits: { textChars: MAX_TEXT_CHARS, idleTurnMs: IDLE_TURN_MS },
  checkSettings: streamConfigIssues,
};

/** KugelAudio `/ws/tts/multi`: up to twenty contexts on one socket, each with its own voice, text and turns. */
const kugelMulti: Endpoint<'kugel-multi'> = {
  ...COMMON,
  id: 'kugel-multi',
  usedBy: 'page',
  title: 'KugelAudio multi',
  path: '/ws/tts/multi',
  settings: sessionSettings,
  initialSettings: { language: 'en', word_timestamps: true, ...COMMON.addedSettings },
  // `output_format` is set once, and with it the rate (kugel-audio-7).
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

/** KugelAudio `/ws/tts`: requests with their whole text, one after the other on one socket. */
const kugelTts: Endpoint<'kugel-tts'> = {
  ...kugelStream,
  id: 'kugel-tts',
  usedBy: 'others',
  title: 'KugelAudio requests',
  path: '/ws/tts',
  settings: ttsSettings,
  limits: { ...kugelStream.limits, idleTurnMs: null },
};

export const kugelEndpoints: EndpointsOf<'kugel'> = {
  'kugel-stream': kugelStream,
  'kugel-multi': kugelMulti,
  'kugel-tts': kugelTts,
};
