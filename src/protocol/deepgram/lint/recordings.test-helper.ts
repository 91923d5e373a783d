import { into, lint, out, type Step } from '../../lint/recordings.test-helper.ts';
import type { SentFluxFrame, SentSpeakFrame } from '../wire/server-frames.ts';
import { openDeepgramFluxLinter } from './flux.ts';
import { openDeepgramLinter } from './speak.ts';

/** Steps of recordings of both sockets. */

const HOST = 'wss://api.deepgram.com';
const FORMAT = 'encoding=linear16&sample_rate=24000';
export const onSpeak = (query = '', model = 'aura-2-thalia-en', format = FORMAT): Step => ({
  open: true,
  address: `${HOST}/v1/speak?model=${model}&${format}${query}`,
});
export const onFlux = (query = '', model = 'flux-alexis-en', format = FORMAT): Step => ({
  open: true,
  address: `${HOST}/v2/speak?model=${model}&${format}${query}`,
});

export const speak = (text = 'Hello there, all of you. ', ms = 10): Step => out({ type: 'Speak', text }, ms);
export const [flush, clear, close] = ['Flush', 'Clear', 'Close'].map((type) => out({ type })) as [
  Step,
  Step,
  Step,
];
export const interrupt = (value?: number): Step =>
  out({ type: 'Interrupt', ...(value === undefined ? {} : { playback_offset: { type: 'time_ms', value } }) });

const ID = '00000000-0000-4000-8000-000000000000';
const MODEL = { request_id: ID, model_name: 'example', model_version: '1' };
const fromSpeak = (frame: SentSpeakFrame, ms = 10): Step => into(frame, ms);
const fromFlux = (frame: SentFluxFrame, ms = 10): Step => into(frame, ms);

export const audio = (ms = 500, afterMs = 100): Step => into(new Uint8Array(ms * 48), afterMs);
export const metadata = fromSpeak({ type: 'Metadata', ...MODEL, model_uuid: ID });
export const flushed = (sequence_id = 0) => fromSpeak({ type: 'Flushed', sequence_id });
export const cleared = (sequence_id = 0) => fromSpeak({ type: 'Cleared', sequence_id });

export const connected = fromFlux({ type: 'Connected', ...MODEL, model_uuids: [ID] });
export const started = (speech_id = 'a') => fromFlux({ type: 'SpeechStarted', speech_id });
export const flushedOf = (speech_id = 'a') => fromFlux({ type: 'Flushed', speech_id });
export const figures = (speech_id = 'a', audio_duration_ms = 500) => ({
  speech_id,
  audio_duration_ms,
  input_character_count: 25,
  billable_character_count: 25,
  controls_applied: { pronunciations_applied: 0, breaks_applied: 0, pronunciation_warnings: 0 },
});
export const ended = (speech_id = 'a', ms = 500) =>
  fromFlux({ type: 'SpeechMetadata', ...figures(speech_id, ms) });
export const interrupted = (speech_id = 'a', audio_played_ms = 500, text_spoken?: string) =>
  fromFlux({
    type: 'SpeechInterrupted',
    audio_played_ms,
    ...(text_spoken === undefined ? {} : { text_spoken, text_remaining: '' }),
    metadata: figures(speech_id, audio_played_ms),
  });
export const sessionEnded = (ms: number, characters: number) =>
  fromFlux({
    type: 'SessionMetadata',
    total_audio_duration_ms: ms,
    total_input_character_count: characters,
    total_billable_character_count: characters,
  });
export const warned = (code: string): Step => into({ type: 'Warning', code, description: '' });

const LINTERS = { speak: openDeepgramLinter, flux: openDeepgramFluxLinter };
export const idsOn = (socket: keyof typeof LINTERS, steps: readonly Step[]): string[] =>
  lint(LINTERS[socket](), steps).map(({ id }) => id);
export const saidOn = (socket: keyof typeof LINTERS, steps: readonly Step[]): string[] =>
  lint(LINTERS[socket](), steps).map(({ id, message }) => `${id} ${message}`);
