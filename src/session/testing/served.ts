import type { DialectTraits, Endpoint, EndpointId } from '#protocol/core/endpoint.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { audioFrame, ended, finished, type ScriptedSocket, samplesOf, started, World } from './world.ts';

/** The frames of an endpoint's server, for tests of what holds for every endpoint. */
interface ServerScript {
  sampleRate: number;
  /** Accepts a connection and its first text. */
  accepts: readonly object[];
  /** Reports the beginning of a chunk; null where no frame of its own does. */
  starts: ((text: string) => object) | null;
  /** @param begins the text of the chunk that begins here; @param context as the client named it */
  audio(samples: Int16Array, begins: string | null, context: string): object | Uint8Array;
  /** Confirms a cancel; null where the protocol has none. */
  interrupted: object | null;
  ends(context: string): readonly object[];
}

const CONTEXT = { context_id: 'one' };

const base64Of = ({ buffer, byteOffset, byteLength }: Int16Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

/** Without the format, which the address decides. The first frame of a chunk has its characters. */
const elevenLabs = (inContext: (context: string) => object): ServerScript => ({
  sampleRate: 24_000,
  accepts: [],
  starts: null,
  audio: (samples, begins, context) => ({
    audio: base64Of(samples),
    isFinal: null,
    alignment: begins && {
      chars: [...begins],
      charStartTimesMs: [...begins].map((_, at) => 10 * at),
      charDurationsMs: [...begins].map(() => 10),
    },
    ...inContext(context),
  }),
  interrupted: null,
  ends: (context) => [{ audio: null, isFinal: true, ...inContext(context) }],
});

const bytesOf = (samples: Int16Array): Uint8Array =>
  new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength).slice();

const SPEECH_ID = 'dg_sp_000000000001';
const figures = {
  speech_id: SPEECH_ID,
  audio_duration_ms: 200,
  input_character_count: 12,
  billable_character_count: 12,
  controls_applied: { pronunciations_applied: 0, breaks_applied: 0, pronunciation_warnings: 0 },
};

const SERVERS: Readonly<Record<EndpointId, ServerScript>> = {
  'kugel-stream': {
    sampleRate: 16_000,
    accepts: [],
    starts: started,
    audio: (samples) => audioFrame(samples),
    interrupted: { interrupted: true },
    ends: () => [finished, ended()],
  },
  'kugel-multi': {
    sampleRate: 16_000,
    accepts: [{ context_created: true, ...CONTEXT }],
    starts: (text) => ({ ...started(text), ...CONTEXT }),
    audio: (samples) => ({ ...audioFrame(samples), ...CONTEXT }),
    interrupted: { interrupted: true },
    ends: () => [{ final: true, ...CONTEXT }],
  },
  'kugel-tts': {
    sampleRate: 16_000,
    accepts: [],
    starts: null,
    audio: (samples) => audioFrame(samples),
    interrupted: { interrupted: true },
    ends: () => [{ final: true }],
  },
  murmr: {
    sampleRate: 24_000,
    accepts: [{ type: 'config_ack', session_id: 's' }],
    starts: null,
    audio: (samples) => ({
      type: 'audio',
      chunk: base64Of(samples),
      sample_rate: 24_000,
      format: 'pcm_s16le',
    }),
    interrupted: null,
    ends: () => [{ type: 'done', total_chunks: 1, duration_ms: 200, first_chunk_latency_ms: 120 }],
  },
  'elevenlabs-stream': elevenLabs(() => ({})),
  'elevenlabs-multi': elevenLabs((contextId) => ({ contextId })),
  deepgram: {
    sampleRate: 24_000,
    accepts: [{ type: 'Metadata', request_id: 'r', model_name: 'm', model_version: 'v', model_uuid: 'u' }],
    starts: null,
    audio: bytesOf,
    interrupted: { type: 'Cleared', sequence_id: 0 },
    ends: () => [{ type: 'Flushed', sequence_id: 0 }],
  },
  'deepgram-flux': {
    sampleRate: 24_000,
    accepts: [{ type: 'Connected', request_id: 'r', model_name: 'm', model_version: 'v', model_uuids: [] }],
    starts: () => ({ type: 'SpeechStarted', speech_id: SPEECH_ID }),
    audio: bytesOf,
    interrupted: { type: 'SpeechInterrupted', audio_played_ms: 100, metadata: figures },
    ends: () => [
      { type: 'Flushed', speech_id: SPEECH_ID },
      { type: 'SpeechMetadata', ...figures },
    ],
  },
  cartesia: {
    sampleRate: 24_000,
    accepts: [],
    starts: null,
    audio: (samples, _, context) => ({
      ...{ type: 'chunk', context_id: context, status_code: 206, done: false, step_time: 5 },
      data: base64Of(samples),
    }),
    interrupted: null,
    ends: (context) => [{ type: 'done', context_id: context, status_code: 206, done: true }],
  },
};

export const sampleRateOf = (endpoint: Endpoint): number => SERVERS[endpoint.id].sampleRate;

/** Where the server speaks. */
interface Speaking {
  socket: ScriptedSocket;
  /** As the client named it. */
  context: string;
}

/** A world that speaks with any endpoint in the same way. */
export class ServedWorld extends World {
  readonly #server: ServerScript;
  readonly rate: number;
  readonly traits: DialectTraits;
  #accepted: ScriptedSocket | null = null;
  /** The text of a chunk that begins with the next audio. */
  #begins: string | null = null;

  constructor(endpoint: Endpoint) {
    super(undefined, endpoint);
    this.#server = SERVERS[endpoint.id];
    this.rate = this.#server.sampleRate;
    this.traits = protocolOf(endpoint).open({ settings: this.settings, key: '' }).traits;
    if (endpoint.contexts) {
      this.do({ type: 'speakers', speakers: [{ id: 'one', settings: this.voice, keepOpen: false }] });
    }
  }

  /** Sends one whole turn. */
  speak(text: string): void {
    if (!this.endpoint.contexts) this.do({ type: 'speak', text });
    else {
      const lines = [{ speaker: 'one', text, line: 0 }];
      this.do({ type: 'perform', lines, source: { kind: 'whole' }, closeAfter: false });
    }
  }

  /** Sends a turn that keeps its connection: without its end, where that ends the connection. */
  begin(text: string): void {
    if (this.traits.turnEnd === 'connection') this.do({ type: 'say', text, origin: 'typed' });
    else this.speak(text);
  }

  /** The accepted connection while it is open, else the newest. Another one may be opened ahead. */
  override get socket(): ScriptedSocket {
    return this.#accepted?.isOpen ? this.#accepted : super.socket;
  }

  /** The server accepts the newest connection, unless it has, and what waited for it. */
  accept(): void {
    const { socket } = this;
    if (socket === this.#accepted) return;
    this.#accepted = socket;
    if (!socket.isOpen) socket.open();
    for (const frame of this.#server.accepts) socket.say(frame);
  }

  /** Where the newest text is spoken. */
  get speaking(): Speaking {
    const { socket } = this;
    const said = socket.sent.findLast(
      (frame) => typeof frame === 'object' && frame && ('text' in frame || 'transcript' in frame),
    );
    const context = said && typeof said === 'object' && 'context_id' in said ? said.context_id : 'one';
    return { socket, context: String(context) };
  }

  /** The server speaks these samples, or ms of a loud constant. */
  say(audio: Int16Array | number, { socket, context } = this.speaking): void {
    const samples = typeof audio === 'number' ? samplesOf(audio, 8000, this.rate) : audio;
    socket.say(this.#server.audio(samples, this.#begins, context));
    this.#begins = null;
  }

  /** The server starts a chunk. */
  start(text: string): void {
    if (this.#server.starts) this.socket.say(this.#server.starts(text));
    else this.#begins = text;
  }

  end(): void {
    const { socket, context } = this.speaking;
    for (const frame of this.#server.ends(context)) socket.say(frame);
    if (this.traits.turnEnd === 'connection') socket.close(1000);
  }

  /** The server answers a cancel, if it does, or accepts the connection that replaces it. */
  confirmCancel(): void {
    if (this.#server.interrupted) this.socket.say(this.#server.interrupted);
    else if (this.traits.cancel === 'none') this.accept();
  }

  hasSent(text: string): boolean {
    return this.sockets.some(({ sent }) => JSON.stringify(sent).includes(text));
  }

  /** Whether anything is heard in the next 300 ms, after a quantum and a glide. */
  isAudible(): boolean {
    const from = this.heard.length + 128 + 64;
    this.advance(300);
    return this.heard.slice(from).some((sample) => sample !== 0);
  }
}

/** Far from silence, so that every glide at an edge is steeper than the ramp. */
const FIRST = 1000;

/** A ramp, whose samples show their places. */
export const ramp = (length: number, from = 0): Int16Array =>
  Int16Array.from({ length }, (_, at) => FIRST + from + at);

/** Returns the places of the heard samples of a ramp, in the order of hearing. Glides at edges are left out. */
export function rampPlaces(heard: readonly number[]): number[] {
  const samples = heard.map((value) => value * 32_768);
  return samples.flatMap((sample, at) =>
    sample - (samples[at - 1] ?? 0) === 1 || (samples[at + 1] ?? 0) - sample === 1 ? [sample - FIRST] : [],
  );
}

export const placesTo = (length: number): number[] => Array.from({ length }, (_, at) => at);
