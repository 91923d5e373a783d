import type { Frame, Intent, Settings, Wire } from '../../core/endpoint.ts';
import { ONLY_CONTEXT, type SpeechEvent } from '../../core/speech-event.ts';
import { COMMON_READERS, decodeFrame, type FrameReaders, usageIn } from './decode.ts';
import { streamWire } from './stream-wire.ts';

const { generation_started: _, chunk_complete: __, ...SHARED_READERS } = COMMON_READERS;

const READERS: FrameReaders = {
  ...SHARED_READERS,
  final: ({ dur_ms: ms, chunks = null, ...frame }, context) => ({
    type: 'turnEnded',
    context,
    totals: { audioSeconds: ms === undefined ? null : ms / 1000, textChunks: null, audioFrames: chunks },
    usage: usageIn(frame),
  }),
};

/** The client's side of `/ws/tts`. No frame reports the start or the end of a chunk, so both are inferred. */
export class TtsWire implements Wire {
  #settings: Settings = {};
  #text = '';
  /** Texts of requests that wait for their audio, oldest first. */
  #requests: string[] = [];
  /** Sent frames that the server refuses by their form. */
  #unread = 0;
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
        return streamWire.encode(intent);
      case 'disconnect':
        return [];
      case 'update':
        this.#settings = { ...this.#settings, ...intent.settings };
        return streamWire.encode(intent);
      default:
        return streamWire.encode(intent);
    }
  }

  sentUnread(): void {
    this.#unread += 1;
  }

  decode(frame: Frame): SpeechEvent[] {
    return decodeFrame(READERS, frame).flatMap((event) => this.#follow(event));
  }

  #request(): Frame[] {
    const text = this.#text;
    this.#text = '';
    if (text.trim() === '') return [];
    this.#requests.push(text);
    return [JSON.stringify({ ...this.#settings, text })];
  }

  #follow(event: SpeechEvent): SpeechEvent[] {
    switch (event.type) {
      case 'audio': {
        const { context, chunk } = event;
        if (chunk === this.#chunk) return [event];
        // The server may cut a request into several chunks, and only the first one begins with its text.
        const text = this.#chunk === null ? (this.#requests.shift() ?? null) : null;
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
        return [{ ...event, ...this.#refused() }];
      default:
        return [event];
    }
  }

  /** The server refuses a request when it arrives, so an error answers an unread frame or the newest request. */
  #refused(): { ends?: 'newest' | 'nothing' } {
    if (this.#unread === 0) return this.#requests.pop() === undefined ? {} : { ends: 'newest' };
    this.#unread -= 1;
    return { ends: 'nothing' };
  }

  #completed(): SpeechEvent[] {
    const chunk = this.#chunk;
    this.#chunk = null;
    if (chunk === null) return [];
    const unreported = { audioSeconds: null, generationMs: null };
    return [{ type: 'chunkCompleted', context: ONLY_CONTEXT, chunk, ...unreported }];
  }
}
