import type { Endpoint } from '../endpoint.ts';
import { MAX_BUFFER_CHARS } from './buffering.ts';
import { murmrCatalogue } from './catalogue.ts';
import { realtimeSettings, settingsIssues } from './client-frames.ts';
import { explainClose, explainError } from './errors.ts';
import { SAMPLE_RATE } from './server-frames.ts';
import { RealtimeWire } from './wire.ts';

const PATH = '/v1/realtime';

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
  initialSettings: { voice_description: 'A warm, friendly woman, calm and clear', language: 'English' },
  // No message switches binary audio off again (`facts 6.1`).
  fixedSettings: ['binary_mode'],
  contexts: null,
  billing: 'none',
  limits: { textChars: MAX_BUFFER_CHARS, idleTurnMs: null },
  can: { cancel: false, wordTimings: false, updateSettings: true },
  // The vendor's schedule (`facts 6.3.19`), whose cap of 30 s five tries do not reach.
  reconnectDelaysMs: [1000, 2000, 4000, 8000, 16_000],
  checkSettings: settingsIssues,
  audioFormat: () => ({ encoding: 'pcm_s16le', sampleRate: SAMPLE_RATE }),
  // The key travels in the config message alone (`facts 6`).
  address: (base) => `${base}${PATH}`,
  openWire: (key) => new RealtimeWire(key),
  explainClose,
  explainError,
  catalogue: murmrCatalogue,
};
