import type { PageEndpointId } from '#protocol/core/endpoint.ts';
import { audioFrame, type ScriptedServer, startScriptedServer, tone } from './scripted-server.ts';

const RATE = 24_000;
const FRAME_MS = 100;

/** How long each stage of every turn takes, from the one before it. */
export interface Arranged {
  /** From the text to the start of generation, where the protocol reports it. */
  startedMs: number;
  /** From there to the first audio frame. */
  firstAudioMs: number;
  /** From the first audio frame to the second. All others follow at once. */
  secondAudioMs: number;
  /** At the beginning of the audio. */
  leadingSilenceMs: number;
  /** Of the whole audio, in whole frames of 100 ms. */
  audioMs: number;
}

/** When a text arrived and its first audio left, on one clock, because timers of a busy machine are late. */
interface Turned {
  textMs: number;
  firstAudioMs: number;
}

export interface DelayingServer extends ScriptedServer {
  turns: Turned[];
}

/** The differences between the protocols. */
interface Dialect {
  /** Answers at once; none for most messages. */
  answer(message: Record<string, unknown>): object | null;
  /** Answers after all earlier text is spoken. */
  answerBehind?(message: Record<string, unknown>): object | null;
  started(text: string, context: unknown): object | null;
  audio(samples: Int16Array, index: number, context: unknown): object;
  end(seconds: number, context: unknown): object[];
}

const inContext = (context: unknown): object => (context === undefined ? {} : { context_id: context });
const completed = (seconds: number): object => ({
  chunk_complete: true,
  chunk_id: 0,
  audio_seconds: seconds,
  gen_ms: 5,
});
const usage = (seconds: number): object => ({
  audio_seconds: seconds,
  characters: 12,
  cost_cents: 0.09,
  currency: 'eur',
});

const kugel = {
  started: (text: string, context: unknown) => ({
    generation_started: true,
    chunk_id: 0,
    text,
    ...inContext(context),
  }),
  audio: (samples: Int16Array, index: number, context: unknown) => ({
    ...audioFrame(samples, index, RATE),
    ...inContext(context),
  }),
};

const base64Of = ({ buffer, byteOffset, byteLength }: Int16Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

const elevenLabs: Dialect = {
  answer: () => null,
  started: () => null,
  audio: (samples, _, contextId) => ({ audio: base64Of(samples), isFinal: null, contextId }),
  end: (_, contextId) => [{ audio: null, isFinal: true, contextId }],
};

const SPEECH_ID = 'dg_sp_000000000001';

const deepgram = (end: (seconds: number) => object[], started: object | null): Dialect => ({
  answer: () => null,
  started: () => started,
  audio: ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
  end,
});

const DIALECTS: Readonly<Record<PageEndpointId, Dialect>> = {
  'kugel-stream': {
    ...kugel,
    answer: () => null,
    end: (seconds) => [
      completed(seconds),
      { final: true },
      { session_closed: true, total_audio_seconds: seconds, usage: usage(seconds) },
    ],
  },
  'kugel-multi': {
    ...kugel,
    answer: ({ voice_settings, context_id }) =>
      voice_settings === undefined ? null : { context_created: true, context_id },
    answerBehind: ({ close_context, context_id }) =>
      close_context ? { context_closed: true, context_id, usage: usage(1) } : null,
    end: (seconds, context) => [
      { ...completed(seconds), ...inContext(context) },
      { final: true, ...inContext(context) },
    ],
  },
  murmr: {
    answer: ({ type }) => {
      if (type === 'config') return { type: 'config_ack', session_id: 'delaying' };
      return type === 'ping' ? { type: 'pong' } : null;
    },
    started: () => null,
    audio: (samples) => ({
      type: 'audio',
      chunk: base64Of(samples),
      sample_rate: RATE,
      format: 'pcm_s16le',
    }),
    end: (seconds) => [
      { type: 'done', total_chunks: 1, duration_ms: seconds * 1000, first_chunk_latency_ms: 5 },
    ],
  },
  'elevenlabs-stream': elevenLabs,
  'elevenlabs-multi': elevenLabs,
  deepgram: deepgram(() => [{ type: 'Flushed', sequence_id: 0 }], null),
  'deepgram-flux': deepgram(
    (seconds) => [
      {
        ...{ type: 'SpeechMetadata', speech_id: SPEECH_ID, audio_duration_ms: seconds * 1000 },
        ...{ input_character_count: 12, billable_character_count: 12 },
        controls_applied: { pronunciations_applied: 0, breaks_applied: 0, pronunciation_warnings: 0 },
      },
    ],
    { type: 'SpeechStarted', speech_id: SPEECH_ID },
  ),
  cartesia: {
    answer: () => null,
    started: () => null,
    audio: (samples, _, context_id) => ({
      ...{ type: 'chunk', context_id, status_code: 206, done: false, step_time: 5 },
      data: base64Of(samples),
    }),
    end: (_, context_id) => [{ type: 'done', context_id, status_code: 206, done: true }],
  },
};

/** A server of one endpoint that answers every text with a tone and takes a known time for each stage of that. */
export async function startDelayingServer(
  endpoint: PageEndpointId,
  arranged: Arranged,
): Promise<DelayingServer> {
  const dialect = DIALECTS[endpoint];
  const turns: Turned[] = [];
  let speaking = Promise.resolve();
  const server = await startScriptedServer((_, message, say) => {
    const nowMs = performance.now();
    const answer = dialect.answer(message);
    if (answer) say(answer);
    // An empty context is opened with a space.
    const text = message.text ?? message.transcript;
    if (typeof text === 'string' && text.trim() !== '') {
      const turned: Turned = { textMs: nowMs, firstAudioMs: Number.NaN };
      turns.push(turned);
      speaking = speak(dialect, arranged, message, turned, say);
    }
    const behind = dialect.answerBehind?.(message);
    if (behind) void speaking.then(() => say(behind));
  });
  return { ...server, turns };
}

async function speak(
  dialect: Dialect,
  { startedMs, firstAudioMs, secondAudioMs, leadingSilenceMs, audioMs }: Arranged,
  { text, transcript, context_id }: Record<string, unknown>,
  turned: Turned,
  say: (frame: unknown) => void,
): Promise<void> {
  const samples = new Int16Array((audioMs * RATE) / 1000);
  const silence = (leadingSilenceMs * RATE) / 1000;
  samples.set(tone(samples.length - silence, RATE), silence);
  const size = (FRAME_MS * RATE) / 1000;
  const sayAudio = (index: number): void => {
    say(dialect.audio(samples.slice(index * size, (index + 1) * size), index, context_id));
  };
  await until(turned.textMs + startedMs);
  const started = dialect.started(String(text ?? transcript), context_id);
  if (started) say(started);
  await until(performance.now() + firstAudioMs);
  turned.firstAudioMs = performance.now();
  sayAudio(0);
  await until(performance.now() + secondAudioMs);
  for (let index = 1; index * size < samples.length; index += 1) sayAudio(index);
  for (const frame of dialect.end(audioMs / 1000, context_id)) say(frame);
}

const until = (ms: number): Promise<void> =>
  new Promise((done) => setTimeout(done, Math.max(0, ms - performance.now())));
