import type { DialectTraits, Endpoint, EndpointId } from '#protocol/core/endpoint.ts';
import { audioFrame, ended, finished, type ScriptedSocket, samplesOf, started, World } from './world.ts';

/** The frames of an endpoint's server, for tests of what holds for every endpoint. */
interface ServerScript {
  sampleRate: number;
  /** Accepts a connection and its first text. */
  accepts: readonly object[];
  /** Reports the beginning of a chunk; null where the protocol does not. */
  starts: ((text: string) => object) | null;
  /** With fields of its first audio frame. */
  startsWithAudio?: true;
  audio(samples: Int16Array): object;
  /** Confirms a cancel; null where the protocol has none. */
  interrupted: object | null;
  ends: readonly object[];
}

const CONTEXT = { context_id: 'one' };
const FINAL = { audio: null, isFinal: true };

const base64Of = ({ buffer, byteOffset, byteLength }: Int16Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

/** ElevenLabs names neither chunk nor format, and the characters of each segment. */
const elevenLabs = (final: object | null): ServerScript => ({
  sampleRate: 24_000,
  accepts: [],
  startsWithAudio: true,
  starts: (text) => ({
    alignment: {
      chars: [...text],
      charStartTimesMs: [...text].map((_, at) => at),
      charDurationsMs: [...text].map(() => 1),
    },
  }),
  audio: (samples) => ({ audio: base64Of(samples), isFinal: null }),
  interrupted: final,
  ends: [FINAL],
});

const SERVERS: Readonly<Record<EndpointId, ServerScript>> = {
  'kugel-stream': {
    sampleRate: 16_000,
    accepts: [],
    starts: started,
    audio: (samples) => audioFrame(samples),
    interrupted: { interrupted: true },
    ends: [finished, ended()],
  },
  'kugel-multi': {
    sampleRate: 16_000,
    accepts: [{ context_created: true, ...CONTEXT }],
    starts: (text) => ({ ...started(text), ...CONTEXT }),
    audio: (samples) => ({ ...audioFrame(samples), ...CONTEXT }),
    interrupted: { interrupted: true },
    ends: [{ final: true, ...CONTEXT }],
  },
  'kugel-tts': {
    sampleRate: 16_000,
    accepts: [],
    starts: null,
    audio: (samples) => audioFrame(samples),
    interrupted: { interrupted: true },
    ends: [{ final: true }],
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
    ends: [{ type: 'done', total_chunks: 1, duration_ms: 200, first_chunk_latency_ms: 120 }],
  },
  'elevenlabs-stream': elevenLabs(null),
  'elevenlabs-multi': elevenLabs(FINAL),
};

export const sampleRateOf = (endpoint: Endpoint): number => SERVERS[endpoint.id].sampleRate;

/** A world that speaks with any endpoint in the same way. */
export class ServedWorld extends World {
  readonly #server: ServerScript;
  readonly rate: number;
  readonly #traits: DialectTraits;
  #accepted: ScriptedSocket | null = null;
  /** The name of the present turn, where each turn has its own. */
  #turn = {};
  #startFields = {};

  constructor(endpoint: Endpoint) {
    super(undefined, endpoint);
    this.#traits = endpoint.open({ settings: this.addressed, key: '' }).traits;
    this.#server = SERVERS[endpoint.id];
    this.rate = this.#server.sampleRate;
    if (endpoint.contexts) {
      this.do({ type: 'speakers', speakers: [{ id: 'one', settings: {}, keepOpen: false }] });
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

  /** Sends one whole turn, but for its end where that would leave its connection to it. */
  begin(text: string): void {
    if (this.#traits.turnEnd === 'frame') this.speak(text);
    else this.do({ type: 'say', text, origin: 'typed' });
  }

  /** Speaks on the connection that the last turn has left, or on the one that was opened ahead. */
  speakNext(text: string): void {
    this.speak(text);
    if (!super.socket.isOpen) this.accept();
  }

  /** A text waits until the server has answered the cancel before it, or accepted another connection. */
  get waitsForCancel(): boolean {
    return this.#traits.cancel !== 'unconfirmed';
  }

  /** The accepted connection while it is open, else the newest. Another one may be opened ahead. */
  override get socket(): ScriptedSocket {
    return this.#accepted?.isOpen ? this.#accepted : super.socket;
  }

  /** The server accepts the connection and what waited for it. */
  accept(): void {
    this.#accepted = super.socket;
    this.#accepted.open();
    for (const frame of this.#server.accepts) this.#accepted.say(frame);
    this.#goOn();
  }

  /** From here on, the server speaks the turn that was sent last. */
  #goOn(): void {
    if (this.endpoint.id !== 'elevenlabs-multi') return;
    const { context_id: contextId } = (this.socket.sent.at(-1) ?? {}) as { context_id?: string };
    this.#turn = { contextId };
  }

  /** The server speaks these samples, or ms of a loud constant. */
  say(audio: Int16Array | number, socket = this.socket): void {
    const samples = typeof audio === 'number' ? samplesOf(audio, 8000, this.rate) : audio;
    socket.say({ ...this.#server.audio(samples), ...this.#startFields, ...this.#turn });
    this.#startFields = {};
  }

  /** The server starts a chunk. */
  start(text: string): void {
    const { starts, startsWithAudio } = this.#server;
    if (starts && startsWithAudio) this.#startFields = starts(text);
    else if (starts) this.socket.say(starts(text));
  }

  end(): void {
    const { socket } = this;
    for (const frame of this.#server.ends) socket.say({ ...frame, ...this.#turn });
    if (this.#traits.turnEnd === 'connection') socket.close(1000);
  }

  /** The server answers a cancel, or accepts the connection that replaces it. */
  confirmCancel(): void {
    const { interrupted } = this.#server;
    if (interrupted) {
      this.socket.say({ ...interrupted, ...this.#turn });
      this.#goOn();
    } else this.accept();
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
