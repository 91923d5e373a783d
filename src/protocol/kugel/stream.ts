import type { Endpoint } from '../endpoint.ts';
import { audioFormatOf } from './audio-format.ts';
import { kugelCatalogue } from './catalogue.ts';
import { explainClose, explainError } from './errors.ts';
import { MAX_TEXT_CHARS } from './generation.ts';
import { IDLE_TURN_MS, streamConfigIssues, streamSettings } from './stream-client.ts';
import { streamWire } from './stream-wire.ts';

/** KugelAudio `/ws/tts/stream`: one voice, text streamed in, turns on one socket. */
export const kugelStream: Endpoint = {
  id: 'kugel-stream',
  title: 'KugelAudio stream',
  vendor: 'KugelAudio',
  path: '/ws/tts/stream',
  localPrefix: '/kugel',
  servers: [
    { id: 'local', title: 'Local server', base: null, needsKey: false },
    { id: 'cloud', title: 'KugelAudio cloud', base: 'wss://api.kugelaudio.com', needsKey: true },
    { id: 'eu', title: 'KugelAudio cloud, EU', base: 'wss://api.eu.kugelaudio.com', needsKey: true },
  ],
  localKey: 'local',
  settings: streamSettings,
  initialSettings: { voice_id: 1071, language: 'en', word_timestamps: true },
  fixedSettings: [],
  contexts: null,
  billing: 'turn',
  limits: { textChars: MAX_TEXT_CHARS, idleTurnMs: IDLE_TURN_MS },
  can: { cancel: true, wordTimings: true, updateSettings: true },
  // The vendor asks for 1 s after a restart (`facts 1.8`); later tries double.
  reconnectDelaysMs: [1000, 2000, 4000, 8000, 16_000],
  checkSettings: streamConfigIssues,
  audioFormat: audioFormatOf,
  address: (base, key) => `${base}/ws/tts/stream?api_key=${encodeURIComponent(key)}`,
  openWire: () => streamWire,
  explainClose,
  explainError,
  catalogue: kugelCatalogue,
};
