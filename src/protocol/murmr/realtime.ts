import type { Endpoint, PageEndpointId, PricePlan, PublishedWait } from '../core/endpoint.ts';
import { murmrCatalogue } from './wire/catalogue.ts';
import { protocolLanguageName, realtimeSettings, settingsIssues } from './wire/client-frames.ts';
import { explainMurmrClose, explainMurmrError } from './wire/errors.ts';
import { MAX_BUFFER_CHARS, SAMPLE_RATE } from './wire/limits.ts';

const PRICES = 'github.com/murmr-tts/docs, rate-limits.md, March 2026; a voice description is free';

/** The plans with WebSocket (`facts 7`). */
const PLANS: readonly PricePlan[] = [
  {
    id: 'realtime',
    title: 'Realtime',
    charactersPerMonth: 3_000_000,
    overageCentsPerMillion: 1200,
    currency: 'usd',
    source: PRICES,
  },
  {
    id: 'scale',
    title: 'Scale',
    charactersPerMonth: 10_000_000,
    overageCentsPerMillion: 1000,
    currency: 'usd',
    source: PRICES,
  },
];

/** `facts 6.5`. The vendor's pages disagree on the time of the server alone. */
const PUBLISHED_WAITS: readonly PublishedWait[] = [
  {
    title: 'seen by a client',
    from: 'firstText',
    leastMs: 600,
    mostMs: 700,
    includes: 'the server and the round trip over the network',
    source: 'github.com/murmr-tts/docs, voice-agents.md',
  },
  {
    title: 'server alone',
    from: 'firstText',
    leastMs: 460,
    mostMs: 550,
    includes: 'the server alone, from text received to the first audio generated',
    source: 'github.com/murmr-tts/docs, realtime.md and voice-agents.md',
  },
];

/** murmr `/v1/realtime`: typed messages, a voice in words, audio as JSON or as bytes. */
export const murmr: Endpoint<PageEndpointId> = {
  id: 'murmr',
  title: 'murmr realtime',
  vendor: 'murmr',
  path: '/v1/realtime',
  // In the config message alone (`facts 6`).
  keyPlace: { in: 'message' },
  localPrefix: '/murmr',
  addressVariables: [],
  servers: [
    { id: 'local', title: 'Local server', base: null, needsKey: false },
    { id: 'cloud', title: 'murmr cloud', base: 'wss://api.murmr.dev', needsKey: true },
    { id: 'relay', title: 'murmr cloud, relayed', base: null, path: '/relay', needsKey: true },
  ],
  localKey: 'local',
  settings: realtimeSettings,
  initialSettings: { voice_description: 'A warm, friendly woman, calm', language: 'English' },
  exampleVoices: {},
  reservedFields: ['type', 'api_key'],
  // No message switches binary audio off again (`facts 6.1`).
  fixedSettings: ['binary_mode'],
  clientIds: [],
  contexts: null,
  flushEndsTurn: true,
  billing: 'none',
  plans: PLANS,
  publishedWaits: PUBLISHED_WAITS,
  limits: { textChars: MAX_BUFFER_CHARS, idleTurnMs: null },
  // The vendor's schedule (`facts 6.3.19`). Five tries do not reach its cap of 30 s.
  reconnectDelaysMs: [1000, 2000, 4000, 8000, 16_000],
  // The close code decides (`facts 6.3.19`), and an error frame of the same code precedes it.
  retriesAfterErrors: true,
  checkSettings: settingsIssues,
  languageValue: protocolLanguageName,
  audioFormat: () => ({ encoding: 'pcm_s16le', sampleRate: SAMPLE_RATE }),
  publishedPrice: () => null,
  explainClose: explainMurmrClose,
  explainError: explainMurmrError,
  catalogue: murmrCatalogue,
};
