import type { Endpoint, EndpointsOf } from '../core/endpoint.ts';
import { serversOf } from '../core/servers.ts';
import {
  MAX_BUFFER_CHARS,
  protocolLanguageName,
  realtimeSettings,
  SAMPLE_RATE,
  settingsIssues,
} from './wire/settings.ts';

declare module '../core/endpoint.ts' {
  interface EndpointIds {
    murmr: 'page';
  }
}

/** murmr `/v1/realtime`: typed messages, a voice in words, audio as JSON or as bytes. */
export const murmr: Endpoint<'murmr'> = {
  id: 'murmr',
  usedBy: 'page',
  title: 'murmr realtime',
  vendor: 'murmr',
  path: '/v1/realtime',
  // OpenAI Realtime.
  hasCommonPath: true,
  // In the config message alone.
  keyPlace: { in: 'message' },
  localPrefix: '/murmr',
  addressVariables: [],
  servers: serversOf({ id: 'cloud', title: 'murmr cloud', base: 'wss://api.murmr.dev' }),
  settings: realtimeSettings,
  initialSettings: { voice_description: 'A warm, friendly woman, calm', language: 'English' },
  exampleVoices: {},
  reservedFields: ['type', 'api_key'],
  // No message switches binary audio off again.
  fixedSettings: ['binary_mode'],
  clientIds: [],
  contexts: null,
  flushEndsTurn: true,
  billing: 'none',
  limits: { textChars: MAX_BUFFER_CHARS, idleTurnMs: null },
  // The vendor's schedule (murmr-connect-6). Five tries do not reach its cap of 30 s.
  reconnectDelaysMs: [1000, 2000, 4000, 8000, 16_000],
  // The close code decides, and an error frame of the same code precedes it (murmr-error-1).
  retriesAfterErrors: true,
  checkSettings: settingsIssues,
  languageValue: protocolLanguageName,
  audioFormat: () => ({ encoding: 'pcm_s16le', sampleRate: SAMPLE_RATE }),
};

export const murmrEndpoints: EndpointsOf<'murmr'> = {
  murmr,
};
