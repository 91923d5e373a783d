import type { Endpoint, Plan } from '../endpoint.ts';
import { MAX_BUFFER_CHARS } from './buffering.ts';
import { murmrCatalogue } from './catalogue.ts';
import { clientFrameIssues, LANGUAGES, realtimeSettings, settingsIssues } from './client-frames.ts';
import { explainClose, explainError } from './errors.ts';
import { openRealtimeLinter } from './rules-realtime.ts';
import { SAMPLE_RATE } from './server-frames.ts';
import { realtimeTemplates } from './templates.ts';
import { RealtimeWire } from './wire.ts';

const PATH = '/v1/realtime';

/** Those that have WebSocket (`facts 7`); a voice description costs nothing. */
const PLANS: readonly Plan[] = [
  {
    id: 'realtime',
    title: 'Realtime',
    charactersPerMonth: 3_000_000,
    overageCentsPerMillion: 1200,
    currency: 'usd',
  },
  {
    id: 'scale',
    title: 'Scale',
    charactersPerMonth: 10_000_000,
    overageCentsPerMillion: 1000,
    currency: 'usd',
  },
];

const languageNames = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/** The protocol has names for languages, in English (seed). */
const languageNamed = (code: string): string | undefined =>
  LANGUAGES.find((name) => name === languageNames.of(code));

/** murmr `/v1/realtime`: typed messages, a voice in words, audio as JSON or as bytes. */
export const murmr: Endpoint = {
  id: 'murmr',
  title: 'murmr realtime',
  vendor: 'murmr',
  path: PATH,
  localPrefix: '/murmr',
  servers: [
    { id: 'local', title: 'Local server', base: null, needsKey: false },
    { id: 'cloud', title: 'murmr cloud', base: 'wss://api.murmr.dev', needsKey: true },
  ],
  localKey: 'local',
  settings: realtimeSettings,
  initialSettings: { voice_description: 'A warm, friendly woman, calm', language: 'English' },
  reservedFields: ['type', 'api_key'],
  // No message switches binary audio off again (`facts 6.1`).
  fixedSettings: ['binary_mode'],
  contexts: null,
  billing: 'none',
  plans: PLANS,
  limits: { textChars: MAX_BUFFER_CHARS, idleTurnMs: null },
  can: { cancel: false, wordTimings: false, updateSettings: true },
  // The vendor's schedule (`facts 6.3.19`), whose cap of 30 s five tries do not reach.
  reconnectDelaysMs: [1000, 2000, 4000, 8000, 16_000],
  // Whatever the close code; it is what decides (`facts 6.3.19`), and an error with the same code comes before it.
  retriesAfterErrors: true,
  checkSettings: settingsIssues,
  languageValue: languageNamed,
  audioFormat: () => ({ encoding: 'pcm_s16le', sampleRate: SAMPLE_RATE }),
  publishedPrice: () => null,
  // The key travels in the config message alone (`facts 6`).
  address: (base) => `${base}${PATH}`,
  openWire: (key) => new RealtimeWire(key),
  templates: realtimeTemplates,
  checkFrame: clientFrameIssues,
  openLinter: openRealtimeLinter,
  explainClose,
  explainError,
  catalogue: murmrCatalogue,
};
