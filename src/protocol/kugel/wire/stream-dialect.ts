import type { Dialect, DialectTraits, Intent, Settings } from '../../core/endpoint.ts';
import type { Frame } from '../../core/frame.ts';
import { ONLY_CONTEXT, type SpeechEvent } from '../../core/speech-event.ts';
import { encodeUpdate } from './client-frames.ts';
import { COMMON_READERS, decodeFrame, type FrameReaders, turnTotals, usageIn } from './decode.ts';

const READERS: FrameReaders = {
  ...COMMON_READERS,
  session_closed: (frame, context) => ({
    type: 'turnEnded',
    context,
    totals: turnTotals(frame),
    usage: usageIn(frame),
  }),
  final: (frame, context) => ({ type: 'audioEnded', context, totals: turnTotals(frame) }),
  // Its one documented use is the idle end of a turn (kugel-message-69).
  warning: (frame, context) => ({ type: 'warning', context, message: frame.warning, endsTurn: true }),
};

/** Of every KugelAudio endpoint. No idle time, age or budget of a connection is documented. */
export const kugelTraits: DialectTraits = {
  turnEnd: 'frame',
  cancel: 'confirmed',
  confirmsOpening: true,
  idleMs: null,
  maxAgeMs: null,
  budgets: [],
};

/** The client's side of `/ws/tts/stream`. It has no state, because each frame is complete in itself. */
export const streamDialect: Dialect = {
  traits: kugelTraits,
  encode,
  decode: (frame) => decodeFrame(READERS, frame),
  confirm: confirmCancel,
};

/** Of a connection with a single context. */
function confirmCancel(what: 'cancel' | 'closeContext'): Frame[] {
  return what === 'cancel' ? ['{"interrupted":true}'] : [];
}

function encode(intent: Intent): Frame[] {
  switch (intent.kind) {
    case 'open':
      return [JSON.stringify(intent.settings)];
    case 'say':
      return [JSON.stringify({ text: intent.text })];
    case 'flush':
      return ['{"flush":true}'];
    case 'cancel':
      return ['{"cancel":true}'];
    case 'endTurn':
      return ['{"close":true}'];
    case 'update':
      return [encodeUpdate(intent.settings)];
    case 'disconnect':
      return ['{"close_socket":true}'];
    case 'keepAlive':
    case 'openContext':
    case 'closeContext':
      return [];
  }
}

const { generation_started: _, chunk_complete: __, ...SHARED_READERS } = COMMON_READERS;

const TTS_READERS: FrameReaders = {
  ...SHARED_READERS,
  final: ({ dur_ms: ms, chunks = null, ...frame }, context) => ({
    type: 'turnEnded',
    context,
    totals: { audioSeconds: ms === undefined ? null : ms / 1000, textChunks: null, audioFrames: chunks },
    usage: usageIn(frame),
  }),
};

/** The client's side of `/ws/tts`. No frame reports the start or the end of a chunk, so both are inferred. */
export class TtsDialect implements Dialect {
  readonly traits = kugelTraits;
  #settings: Settings = {};
  #text = '';
  /** Requests that wait for their audio, oldest first. */
  #requests: (Settings & { text: string })[] = [];
  /** The chunk whose audio arrives. */
  #chunk: number | null = null;

  encode(intent: Intent): Frame[] {
    switch (intent.kind) {
      case 'open':
        this.#settings = intent.settings;
        return [];
      case 'say':
        this.#text += intent.text;
        return [];
      case 'flush':
      case 'endTurn':
        return this.#request();
      case 'cancel':
        this.#text = '';
        this.#requests = [];
        return streamDialect.encode(intent);
      case 'disconnect':
        return [];
      case 'update':
        this.#settings = { ...this.#settings, ...intent.settings };
        return streamDialect.encode(intent);
      default:
        return streamDialect.encode(intent);
    }
  }

  readonly confirm = confirmCancel;

  follow(intent: Intent): void {
    this.encode(intent);
  }

  decode(frame: Frame): SpeechEvent[] {
    return decodeFrame(TTS_READERS, frame).flatMap((event) => this.#follow(event));
  }

  #request(): Frame[] {
    const text = this.#text;
    this.#text = '';
    if (text.trim() === '') return [];
    const request = { ...this.#settings, text };
    this.#requests.push(request);
    return [JSON.stringify(request)];
  }

  #follow(event: SpeechEvent): SpeechEvent[] {
    switch (event.type) {
      case 'audio': {
        const { context, chunk } = event;
        if (chunk === this.#chunk) return [event];
        // The server may cut a request into several chunks, and only the first one begins with its text.
        const text = this.#chunk === null ? (this.#requests.shift()?.text ?? null) : null;
        const before = this.#completed();
        this.#chunk = chunk;
        return [...before, { type: 'chunkStarted', context, chunk, text, inferred: true }, event];
      }
      case 'turnEnded':
        if (this.#chunk === null) this.#requests.shift();
        return [...this.#completed(), event];
      case 'interrupted':
        this.#chunk = null;
        return [event];
      case 'error':
        return [{ ...event, ...this.#refused(event.name) }];
      default:
        return [event];
    }
  }

  /**
   * A server refuses at arrival. A request of valid form is refused only for what it names, and the selected dictionaries are
   * the only names whose refusal has the error of an invalid form, which otherwise answers another frame.
   */
  #refused(name: string | null): { ends?: 'newest' | 'nothing' } {
    const newest = this.#requests.at(-1);
    if (name === 'VALIDATION_ERROR' && newest?.dictionary_ids === undefined) return { ends: 'nothing' };
    if (!newest) return {};
    this.#requests.pop();
    return { ends: 'newest' };
  }

  #completed(): SpeechEvent[] {
    const chunk = this.#chunk;
    this.#chunk = null;
    if (chunk === null) return [];
    const unreported = { audioSeconds: null, generationMs: null };
    return [{ type: 'chunkCompleted', context: ONLY_CONTEXT, chunk, ...unreported }];
  }
}
