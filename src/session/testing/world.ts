import { Mixer } from '#player/mixer.worklet.ts';
import type { TrackPort } from '#player/worklet-messages.ts';
import type { Handshake } from '#protocol/core/address.ts';
import type { Endpoint, Settings } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { describedMessages } from '#protocol/described-messages.test-helper.ts';
import { endpointOf } from '#protocol/registry.ts';
import { exampleVoice } from '#protocol/testing/example-voice.ts';
import type { ChatStreamer } from '#text/chat/stream-chat.ts';
import type { SessionCommand } from '../commands.ts';
import type { SessionEnvironment, SocketHandlers } from '../link.ts';
import type { EnvelopePart } from '../playback/envelopes.ts';
import { EndpointSession, type EndpointSessionOptions } from '../session.ts';
import { type Mark, reportedTurn, type SessionUpdate, type TurnView } from '../views.ts';

/** A scripted connection: records the sent frames, and plays the server. */
export class ScriptedSocket {
  readonly address: string;
  readonly protocols: readonly string[];
  /** The sent frames as they are. */
  readonly frames: Frame[] = [];
  /** The sent frames, with JSON parsed. */
  readonly sent: unknown[] = [];
  closedWith: number | null = null;
  isOpen = false;
  readonly #handlers: SocketHandlers;

  constructor({ url, protocols }: Handshake, handlers: SocketHandlers) {
    this.address = url;
    this.protocols = protocols;
    this.#handlers = handlers;
  }

  open(): void {
    this.isOpen = true;
    this.#handlers.opened();
  }

  /** Delivers one frame from the server. */
  say(frame: unknown): void {
    this.#handlers.received(
      typeof frame === 'string' || frame instanceof Uint8Array ? (frame as Frame) : JSON.stringify(frame),
    );
  }

  close(code: number, reason = ''): void {
    this.isOpen = false;
    this.#handlers.closed(code, reason);
  }
}

/** Fails the run from outside the session, because sessions survive what a socket throws. */
function checkDescribed({ id }: Endpoint, frame: Frame): void {
  if (describedMessages(id).client(frame)) return;
  const error = new Error(`No description of ${id} has the sent message ${frame}`);
  queueMicrotask(() => {
    throw error;
  });
}

interface Timer {
  atMs: number;
  task: () => void;
}

/** With this rate, a quantum of 128 samples lasts 8 ms. */
const RATE = 16_000;
const QUANTUM = 128;

/** Clock, sockets and audio thread under the control of a test, around a real session and a real player. */
export class World {
  /** Wall time. It starts away from 0, so that a missing time is never equal to a valid one. */
  nowMs = 1_000_000;
  readonly sockets: ScriptedSocket[] = [];
  /** The merged reports, as the page has them. */
  readonly seen: SessionUpdate = {};
  readonly turns = new Map<number, TurnView>();
  /** All marks reported so far. */
  readonly marks: Mark[] = [];
  readonly envelopes: EnvelopePart[] = [];
  readonly updatesMs: number[] = [];
  readonly session: EndpointSession;
  readonly environment: SessionEnvironment;
  readonly endpoint: Endpoint;
  /** A voice as the endpoint's settings name it. */
  readonly voice: Settings;
  /** Of the connection: a voice, and what its address decides about the audio. */
  readonly settings: Settings;
  /** Samples that left the player. */
  heard: number[] = [];
  /** Open tracks of the output. */
  readonly openTracks = new Set<string>();
  refuseSockets: Error | null = null;
  /** Whether the test sends messages or settings that no client of the endpoint sends. Others must be described. */
  sendsNonsense = false;
  #timers: Timer[] = [];
  #host: Mixer | null = null;
  #frame = 0;
  #startedMs = 0;
  /** Since when the audio clock stands still; null while it runs. */
  #stillMs: number | null = null;

  constructor(
    tokens: (text: string) => Promise<string[]> = async (text) => text.split(/(?<= )/),
    endpoint: Endpoint = endpointOf(null),
    /** Opens another session in place of a live one. */
    open: (options: EndpointSessionOptions) => EndpointSession = (options) => new EndpointSession(options),
    chat?: ChatStreamer,
    /** Its session has its target. */
    isAimed = false,
  ) {
    this.endpoint = endpoint;
    const inAddress = endpoint.settings.flatMap(({ place, field }) => (place === 'query' ? [field] : []));
    const initial = Object.entries(endpoint.initialSettings);
    const voice = initial.filter(([field]) => field.startsWith('voice'));
    this.voice = voice.length > 0 ? Object.fromEntries(voice) : exampleVoice(endpoint);
    this.settings = {
      ...Object.fromEntries(initial.filter(([field]) => inAddress.includes(field))),
      ...this.voice,
    };
    this.environment = {
      nowMs: () => this.nowMs,
      after: (delayMs, task) => {
        const timer = { atMs: this.nowMs + delayMs, task };
        this.#timers.push(timer);
        return () => {
          this.#timers = this.#timers.filter((other) => other !== timer);
        };
      },
      initiate: (act) => act(),
      openSocket: (handshake, handlers) => {
        if (this.refuseSockets) throw this.refuseSockets;
        const socket = new ScriptedSocket(handshake, handlers);
        this.sockets.push(socket);
        return {
          send: (frame) => {
            if (!this.sendsNonsense) checkDescribed(endpoint, frame);
            socket.frames.push(frame);
            socket.sent.push(typeof frame === 'string' ? parsed(frame) : frame);
          },
          close: (code) => {
            socket.closedWith = code;
            socket.isOpen = false;
          },
        };
      },
    };
    const report = (update: SessionUpdate): void => {
      this.updatesMs.push(this.nowMs);
      const posted = structuredClone(update);
      Object.assign(this.seen, posted);
      this.marks.push(...(posted.marks ?? []));
      this.envelopes.push(...(posted.envelopes ?? []));
      for (const turn of posted.turns ?? [])
        this.turns.set(turn.id, reportedTurn(this.turns.get(turn.id), turn));
    };
    this.session = open({
      environment: this.environment,
      report,
      tokens,
      ...(chat ? { chat } : {}),
      openTracks: () => ({
        open: (track) => {
          const [near, far] = portPair();
          this.#host?.open(track, far);
          this.openTracks.add(track);
          return near;
        },
        close: (track) => {
          this.#host?.handle({ type: 'close', track });
          this.openTracks.delete(track);
        },
        end: () => {},
      }),
    });
    if (isAimed) return;
    this.do({
      type: 'target',
      target: { endpoint: this.endpoint.id, base: 'ws://server/prefix', key: 'ka_canary_1234' },
      settings: this.settings,
    });
  }

  do(command: SessionCommand): void {
    this.session.handle(command);
  }

  /** The newest connection. */
  get socket(): ScriptedSocket {
    const socket = this.sockets.at(-1);
    if (!socket) throw new Error('The session has opened no connection.');
    return socket;
  }

  get timers(): number {
    return this.#timers.length;
  }

  /** Connects and gives the connection. */
  connect(): ScriptedSocket {
    this.do({ type: 'connect' });
    this.socket.open();
    this.advance(1);
    return this.socket;
  }

  turn(id: number): TurnView {
    const turn = this.turns.get(id);
    if (!turn) throw new Error(`No turn ${id} was reported.`);
    return turn;
  }

  get problems(): string[] {
    return (this.seen.problems ?? []).map((problem) => `${problem.title}: ${problem.detail}`);
  }

  /** Attaches an audio thread that follows the test's clock. */
  attachPlayer(sampleRate = RATE): void {
    const [near] = portPair();
    this.#host = new Mixer();
    this.#frame = 0;
    this.#startedMs = this.nowMs;
    // The fake port has only the members that both ends use.
    this.do({ type: 'attachPlayer', port: near as MessagePort, sampleRate });
    this.do({ type: 'anchor', anchor: { contextTimeS: 0, wallMs: this.nowMs, outputLatencyMs: 0 } });
    this.#sampleRate = sampleRate;
  }

  #sampleRate = RATE;

  /** Stops the audio clock, without a word to the session, or lets it go on with the next quantum. */
  setStill(isStill: boolean): void {
    if (this.#stillMs !== null) this.#startedMs += this.nowMs - this.#stillMs;
    this.#stillMs = isStill ? this.nowMs : null;
  }

  advance(ms: number): void {
    const endMs = this.nowMs + ms;
    for (;;) {
      const timer = this.#timers.reduce<Timer | null>(
        (first, other) => (first && first.atMs <= other.atMs ? first : other),
        null,
      );
      const isRunning = this.#host && this.#stillMs === null;
      const quantumMs = isRunning
        ? this.#startedMs + ((this.#frame + QUANTUM) / this.#sampleRate) * 1000
        : Number.POSITIVE_INFINITY;
      const nextMs = Math.min(timer?.atMs ?? Number.POSITIVE_INFINITY, quantumMs);
      if (nextMs > endMs) break;
      this.nowMs = Math.max(this.nowMs, nextMs);
      if (timer && timer.atMs <= quantumMs) {
        this.#timers = this.#timers.filter((other) => other !== timer);
        timer.task();
      } else this.#render();
    }
    this.nowMs = endMs;
  }

  /** Advances the clock in steps, between which promises resolve. */
  async advanceSettled(ms: number, stepMs = 50): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      await settled();
      this.advance(stepMs);
    }
  }

  #render(): void {
    const output = new Float32Array(QUANTUM);
    this.#host?.process(output, new Float32Array(output.length), this.#frame);
    this.#frame += QUANTUM;
    this.heard.push(...output);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Lets all promises resolve that depend on no timer. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Returns two connected ports that deliver copies at once. */
function portPair(): [TrackPort, TrackPort] {
  const port = (other: () => TrackPort): TrackPort => ({
    onmessage: null,
    postMessage: (data) => other().onmessage?.({ data: structuredClone(data) } as MessageEvent),
    close() {},
  });
  const near: TrackPort = port(() => far);
  const far: TrackPort = port(() => near);
  return [near, far];
}

/** Returns a loud constant, so that every sample is audible and shows its origin. */
export const samplesOf = (ms: number, value = 8000, rate = RATE): Int16Array =>
  new Int16Array((ms * rate) / 1000).fill(value);

export const audioFrame = (samples: Int16Array, idx = 0, chunkId = 0, rate = RATE): object => ({
  audio: Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).toString('base64'),
  enc: 'pcm_s16le',
  idx,
  sr: rate,
  samples: samples.length,
  chunk_id: chunkId,
});

export const started = (text: string, chunkId = 0): object => ({
  generation_started: true,
  chunk_id: chunkId,
  text,
});
export const completed = (chunkId = 0, seconds = 0.2): object => ({
  chunk_complete: true,
  chunk_id: chunkId,
  audio_seconds: seconds,
  gen_ms: 20,
});

export const ended = (seconds = 0.2, costCents: number | null = 0.02): object => ({
  session_closed: true,
  total_audio_seconds: seconds,
  total_text_chunks: 1,
  total_audio_chunks: 1,
  usage: {
    audio_seconds: seconds,
    characters: 12,
    ...(costCents === null
      ? { cost_cents: null, cost_unavailable: true }
      : { cost_cents: costCents, currency: 'eur' }),
    model_id: 'kugel-3',
  },
});

export const finished = { final: true };
