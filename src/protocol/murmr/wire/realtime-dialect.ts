import { knownSum } from '#lib/statistics/known-sum.ts';
import { cutBase64 } from '../../core/cut-base64.ts';
import type { Dialect, DialectTraits, Intent, Settings } from '../../core/endpoint.ts';
import type { Frame } from '../../core/frame.ts';
import {
  type Fields,
  fieldsOf,
  malformed,
  parseBounded,
  parseFields,
  readTyped,
  type TypedFrame,
  unknownOf,
  type WithUnknown,
  without,
} from '../../core/json-frame.ts';
import { type AudioPayload, ONLY_CONTEXT, type SpeechEvent } from '../../core/speech-event.ts';
import { AUTH_FAILED, AUTH_TIMEOUT, errorName, INVALID_MESSAGE, SERVER_ERROR } from './errors.ts';
import { GenerationBuffer } from './generation-buffer.ts';
import { isPlainChunk, REALTIME_FRAMES, type RealtimeFrame } from './server-frames.ts';
import { SAMPLE_RATE } from './settings.ts';

/** One cut of the server's buffer: a chunk with its own audio and its own `done` (murmr-turn-1). */
interface Generation {
  /** Counts from 0 in each turn. */
  id: number;
  /** Null where the server's cuts differ from its rules. */
  text: string | null;
  started: boolean;
}

/** Text up to a flush. */
interface FlushedText {
  generations: number;
  /** Generations without `done`, oldest first. */
  pending: Generation[];
  flushed: boolean;
  done: number;
  characters: number;
  /** Sums of the server's figures; null once one was missing. */
  audioMs: number | null;
  audioFrames: number | null;
}

const FLUSH = '{"type":"flush"}';
const PING = '{"type":"ping"}';
const BINARY_MODE = '{"type":"binary_mode"}';

/**
 * Errors before a close, or about a message. After any other error, also with an undocumented code, the socket stays open
 * and the server skips the next generation (murmr-error-2).
 */
const KEEPS_GENERATION: ReadonlySet<number | null> = new Set([
  AUTH_TIMEOUT,
  AUTH_FAILED,
  INVALID_MESSAGE,
  SERVER_ERROR,
]);

/** A barge-in closes the connection. No idle time, age or budget of a connection is documented. */
const TRAITS: DialectTraits = {
  turnEnd: 'frame',
  cancel: 'none',
  confirmsOpening: false,
  idleMs: null,
  maxAgeMs: null,
  budgets: [],
};

/**
 * The client's side of `/v1/realtime`. Frames identify neither generations nor turns, and none marks a start. Generations
 * arrive in order, one `done` each, cut by known rules. This side keeps the server's buffer and counts along, so it knows
 * the text of each generation and the last one of a turn.
 *
 * The server does not answer a flush without text (murmr-turn-3). A ping after it brings the pong that ends such a turn.
 */
export class RealtimeDialect implements Dialect {
  readonly traits = TRAITS;
  readonly #key: string;
  readonly #buffer = new GenerationBuffer();
  /** Oldest first; the last one may be open. */
  #turns: FlushedText[] = [];
  #binaryMode: 'off' | 'wanted' | 'asked' = 'off';
  #replies: Frame[] = [];
  #isAcknowledged = false;

  constructor(key: string) {
    this.#key = key;
  }

  /** Text may be sent earlier, but the vendor's clients wait for the acknowledgement (murmr-connect-7). */
  get isReady(): boolean {
    return this.#isAcknowledged;
  }

  encode(intent: Intent): Frame[] {
    switch (intent.kind) {
      case 'open':
      case 'update':
        return [this.#config(intent.settings)];
      case 'say':
        return this.#say(intent.text);
      case 'flush':
      case 'endTurn':
        return this.#flush();
      case 'keepAlive':
        return [PING];
      // The protocol has none of these. A barge-in closes the connection and opens another.
      case 'cancel':
      case 'openContext':
      case 'closeContext':
      case 'disconnect':
        return [];
    }
  }

  follow(intent: Intent): void {
    this.encode(intent);
  }

  decode(frame: Frame): SpeechEvent[] {
    if (typeof frame !== 'string') return this.#audio({ bytes: frame }, SAMPLE_RATE);
    const cut = cutBase64(frame, 'chunk');
    if (cut && isPlainChunk(cut.rest)) {
      return this.#audio({ base64: cut.base64 }, SAMPLE_RATE, unknownOf(REALTIME_FRAMES.audio, cut.rest));
    }
    const read = parseFields(frame);
    return 'fields' in read
      ? this.#read(read.fields)
      : [malformed(`expected a JSON object, got ${read.excerpt}`)];
  }

  replies(): Frame[] {
    const due = this.#replies;
    this.#replies = [];
    return due;
  }

  /** Settings may be any JSON from a person. They must not replace the type or the key. */
  #config({ binary_mode, type: _type, api_key: _key, ...settings }: Settings): string {
    if (binary_mode === true && this.#binaryMode === 'off') this.#binaryMode = 'wanted';
    return JSON.stringify({ type: 'config', api_key: this.#key, ...settings });
  }

  /**
   * A frame ends where its text completes a generation. A server that checks its buffer once a frame then cuts like one
   * that checks it once a character, and no frame overflows it.
   */
  #say(text: string): Frame[] {
    const sent: Frame[] = [];
    const turn = this.#openTurn();
    for (let from = 0; from < text.length; ) {
      const { to, generation } = this.#buffer.feed(text, from);
      if (generation !== null) foresee(turn, generation);
      sent.push(JSON.stringify({ type: 'text', text: text.slice(from, to) }));
      from = to;
    }
    return sent;
  }

  #flush(): Frame[] {
    const turn = this.#openTurn();
    const generation = this.#buffer.flush();
    if (generation !== null) foresee(turn, generation);
    turn.flushed = true;
    return this.#turns[0] && isOver(this.#turns[0]) ? [FLUSH, PING] : [FLUSH];
  }

  #openTurn(): FlushedText {
    const last = this.#turns.at(-1);
    return last && !last.flushed ? last : this.#begin(false);
  }

  #begin(flushed: boolean): FlushedText {
    const turn = { generations: 0, pending: [], flushed, done: 0, characters: 0, audioMs: 0, audioFrames: 0 };
    this.#turns.push(turn);
    return turn;
  }

  #read(fields: Fields): SpeechEvent[] {
    const read = readTyped(REALTIME_FRAMES, fields);
    return 'event' in read ? [read.event] : this.#heard(read);
  }

  #heard({ type, frame, rest }: TypedFrame<typeof REALTIME_FRAMES>): SpeechEvent[] {
    switch (type) {
      case 'audio':
        return this.#audio({ base64: frame.chunk }, frame.sample_rate, rest);
      case 'done':
        return this.#done(frame, rest);
      case 'error':
        return this.#error(frame, rest);
      case 'pong':
        return this.#endTurns();
      case 'config_ack':
        this.#isAcknowledged = true;
        if (this.#binaryMode === 'wanted') {
          this.#binaryMode = 'asked';
          this.#replies.push(BINARY_MODE);
        }
        return [];
      case 'binary_mode_ack':
        return [];
    }
  }

  #audio(payload: AudioPayload, sampleRate: number, rest: WithUnknown = {}): SpeechEvent[] {
    const ended = this.#endTurns();
    const { generation } = this.#current();
    return [
      ...ended,
      ...started(generation),
      {
        type: 'audio',
        context: ONLY_CONTEXT,
        chunk: generation.id,
        index: null,
        encoding: 'pcm_s16le',
        sampleRate,
        samples: null,
        payload,
        ...rest,
      },
    ];
  }

  #done(frame: RealtimeFrame<'done'>, rest: WithUnknown): SpeechEvent[] {
    const ended = this.#endTurns();
    const { turn, generation } = this.#current();
    const { total_chunks = null, duration_ms = null, first_chunk_latency_ms = null } = frame;
    turn.pending.shift();
    turn.done += 1;
    turn.characters += generation.text?.length ?? 0;
    turn.audioMs = knownSum(turn.audioMs, duration_ms);
    turn.audioFrames = knownSum(turn.audioFrames, total_chunks);
    return [
      ...ended,
      ...started(generation),
      {
        type: 'chunkCompleted',
        context: ONLY_CONTEXT,
        chunk: generation.id,
        audioSeconds: duration_ms === null ? null : duration_ms / 1000,
        generationMs: null,
        figures: { firstAudioMs: first_chunk_latency_ms, audioMs: duration_ms, audioFrames: total_chunks },
        ...rest,
      },
      ...this.#endTurns(),
    ];
  }

  #error(frame: RealtimeFrame<'error'>, rest: WithUnknown): SpeechEvent[] {
    const code = frame.code ?? null;
    const ended = this.#endTurns();
    const skipped = KEEPS_GENERATION.has(code) ? undefined : this.#turns[0]?.pending.shift();
    return [
      ...ended,
      {
        type: 'error',
        context: null,
        message: frame.message,
        name: errorName(code),
        code,
        requestId: null,
        ...(skipped ? { chunk: skipped.id } : {}),
        ...(code === INVALID_MESSAGE ? { isRefusal: true } : {}),
        ...rest,
      },
      ...this.#endTurns(),
    ];
  }

  /** The turn and the generation that are being spoken. */
  #current(): { turn: FlushedText; generation: Generation } {
    // Unrequested speech becomes a turn of its own, so that it is heard and ends.
    const turn = this.#turns[0] ?? this.#begin(true);
    return { turn, generation: turn.pending[0] ?? foresee(turn, null) };
  }

  /** The ends of the oldest complete turns. */
  #endTurns(): SpeechEvent[] {
    const events: SpeechEvent[] = [];
    for (let turn = this.#turns[0]; turn && isOver(turn); turn = this.#turns[0]) {
      this.#turns.shift();
      const audioSeconds = turn.audioMs === null ? null : turn.audioMs / 1000;
      events.push({
        type: 'turnEnded',
        context: ONLY_CONTEXT,
        totals: { audioSeconds, textChunks: turn.done, audioFrames: turn.audioFrames },
        usage: {
          audioSeconds,
          characters: turn.characters,
          costCents: null,
          currency: null,
          modelId: null,
        },
      });
    }
    return events;
  }
}

const isOver = ({ flushed, pending }: FlushedText): boolean => flushed && pending.length === 0;

function foresee(turn: FlushedText, text: string | null): Generation {
  const generation = { id: turn.generations, text, started: false };
  turn.generations += 1;
  turn.pending.push(generation);
  return generation;
}

function started(generation: Generation): SpeechEvent[] {
  if (generation.started) return [];
  generation.started = true;
  const { id, text } = generation;
  return [{ type: 'chunkStarted', context: ONLY_CONTEXT, chunk: id, text, inferred: true }];
}

/** Fields of `config` that are not settings. */
const RESERVED: ReadonlySet<string> = new Set(['type', 'api_key']);

/** The intent of a client's message. `binary_mode` has none, because it is a setting of the page. */
export function readRealtimeIntents(frame: Frame): Intent[] {
  const fields = fieldsOf(frame, parseBounded);
  switch (fields?.type) {
    case 'config':
      return [{ kind: 'open', settings: without(fields, RESERVED) }];
    case 'text':
      return typeof fields.text === 'string'
        ? [{ kind: 'say', context: ONLY_CONTEXT, text: fields.text }]
        : [];
    case 'flush':
      return [{ kind: 'flush', context: ONLY_CONTEXT }];
    case 'ping':
      return [{ kind: 'keepAlive', context: ONLY_CONTEXT }];
    default:
      return [];
  }
}
