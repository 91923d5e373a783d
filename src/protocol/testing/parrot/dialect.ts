import type { AudioFormat } from '../../core/audio-format.ts';
import { CLOSE_CODES } from '../../core/close-meaning.ts';
import type { Dialect, DialectTraits, Intent } from '../../core/endpoint.ts';
import type { Frame } from '../../core/frame.ts';
import { type Fields, malformed, parseFields, readFrame } from '../../core/json-frame.ts';
import { ONLY_CONTEXT, type SpeechEvent, type SpokenWord } from '../../core/speech-event.ts';
import { SERVER_FRAMES, serverKindOf } from './frames.ts';
import { WordJoiner } from './words.ts';

const TRAITS: DialectTraits = {
  turnEnd: 'connection',
  confirmsOpening: false,
  cancel: 'confirmed',
  idleMs: null,
  maxAgeMs: null,
  budgets: [],
};

const IN_TURN = { context: ONLY_CONTEXT, chunk: 0 } as const;
const NO_TOTALS = { audioSeconds: null, textChunks: null, audioFrames: null };

/** Contexts so far, of all connections. */
let made = 0;

/** One connection, and thereby one turn, which is a single chunk. */
export class ParrotDialect implements Dialect {
  readonly traits = TRAITS;
  readonly #format: AudioFormat;
  readonly #words = new WordJoiner();
  /** The id in the client's frames; null before any text. */
  #id: string | null = null;
  #hasEndedText = false;
  /** The id in the server's frames. It is another one where this side is repeated from a recording. */
  #answered: string | null = null;
  #isAnnounced = false;
  #isOver = false;

  constructor(format: AudioFormat) {
    this.#format = format;
  }

  encode(intent: Intent): Frame[] {
    switch (intent.kind) {
      case 'say': {
        if (this.#id === null || this.#hasEndedText) {
          made += 1;
          this.#id = `t${made}`;
          this.#hasEndedText = false;
        }
        return this.#frame({ text: intent.text });
      }
      case 'flush':
        return this.#frame({ flush: true });
      case 'endTurn':
        this.#hasEndedText = true;
        return this.#frame({ end: true });
      case 'cancel':
        return this.#frame({ cancel: true, played_ms: Math.round(intent.playedMs ?? 0) });
      // Settings are in the address, and only the server closes the connection.
      case 'open':
      case 'openContext':
      case 'closeContext':
      case 'keepAlive':
      case 'update':
      case 'disconnect':
        return [];
    }
  }

  follow(intent: Intent): void {
    this.encode(intent);
  }

  decode(frame: Frame): SpeechEvent[] {
    if (typeof frame !== 'string') return this.#audio(frame);
    const read = parseFields(frame);
    return 'fields' in read
      ? this.#read(read.fields)
      : [malformed(`expected a JSON object, got ${read.excerpt}`)];
  }

  closed(code: number): SpeechEvent[] {
    const hasTurn = this.#id !== null || this.#isAnnounced;
    if (code !== CLOSE_CODES.normal || !hasTurn || this.#isOver) return [];
    this.#isOver = true;
    return [
      ...this.#wordsOf(this.#words.end()),
      { type: 'chunkCompleted', ...IN_TURN, audioSeconds: null, generationMs: null },
      { type: 'audioEnded', context: ONLY_CONTEXT, totals: NO_TOTALS },
      { type: 'turnEnded', context: ONLY_CONTEXT, totals: NO_TOTALS, usage: null },
    ];
  }

  #frame(fields: Fields): Frame[] {
    return this.#id === null ? [] : [JSON.stringify({ id: this.#id, ...fields })];
  }

  #read(fields: Fields): SpeechEvent[] {
    switch (serverKindOf(fields)) {
      case 'characters': {
        const read = readFrame(SERVER_FRAMES.characters, fields);
        if ('problem' in read) return [malformed(read.problem)];
        return this.#answer(read.frame.id, () => {
          const words = this.#words.add(read.frame);
          return [{ ...this.#announced(), ...read.rest }, ...this.#wordsOf(words)];
        });
      }
      case 'cancelled': {
        const read = readFrame(SERVER_FRAMES.cancelled, fields);
        if ('problem' in read) return [malformed(read.problem)];
        return this.#answer(read.frame.id, () => {
          this.#isOver = true;
          return [{ type: 'interrupted', context: null, heard: read.frame.heard, ...read.rest }];
        });
      }
      case 'error': {
        const read = readFrame(SERVER_FRAMES.error, fields);
        if ('problem' in read) return [malformed(read.problem)];
        const { error: name, message } = read.frame;
        return [
          { type: 'error', context: ONLY_CONTEXT, message, name, code: null, requestId: null, ...read.rest },
        ];
      }
      case null:
        return [{ type: 'unknown', frame: fields }];
    }
  }

  /** Only frames of one context can come on a connection. */
  #answer(id: string, eventsOf: () => SpeechEvent[]): SpeechEvent[] {
    this.#answered ??= id;
    return id === this.#answered ? eventsOf() : [malformed(`id: expected ${this.#answered}, got ${id}`)];
  }

  #audio(bytes: Uint8Array): SpeechEvent[] {
    const announced = this.#isAnnounced ? [] : [this.#announced()];
    const payload = { bytes };
    return [
      ...announced,
      { type: 'audio', ...IN_TURN, ...this.#format, index: null, samples: null, payload },
    ];
  }

  /** The chunk with its text so far, which grows with each frame of characters. */
  #announced(): SpeechEvent & { type: 'chunkStarted' } {
    this.#isAnnounced = true;
    return { type: 'chunkStarted', ...IN_TURN, text: this.#words.text || null, inferred: true };
  }

  #wordsOf(words: readonly SpokenWord[]): SpeechEvent[] {
    return words.length === 0 ? [] : [{ type: 'words', ...IN_TURN, words }];
  }
}
