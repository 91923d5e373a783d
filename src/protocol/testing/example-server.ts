import { encodeBase64 } from '#lib/base64.ts';
import type { Dialect, Endpoint } from '../core/endpoint.ts';
import { EXAMPLE_AUDIO } from '../core/example-audio.ts';
import type { Frame } from '../core/frame.ts';
import type { Fields } from '../core/json-frame.ts';
import { ONLY_CONTEXT, type SpeechEvent } from '../core/speech-event.ts';
import { protocolOf } from '../protocols.ts';
import { exampleVoice } from './example-voice.ts';

/** A frame before its JSON. */
export type Said = Fields | Uint8Array<ArrayBuffer>;

const saidOf = (frame: Frame): Said => (typeof frame === 'string' ? (JSON.parse(frame) as Fields) : frame);

/** The key of the audio in a frame of an example turn; null in any other frame. */
export const audioKeyOf = (frame: Fields): string | null =>
  Object.keys(frame).find((key) => frame[key] === EXAMPLE_AUDIO.base64) ?? null;

const isAudio = (frame: Said): boolean => frame instanceof Uint8Array || audioKeyOf(frame) !== null;

/** The audio of a turn. */
export interface SaidAudio {
  seconds: number;
  frames: number;
}

/** Replaces the totals of the example's audio in a frame. */
function withTotals<T>(value: T, audio: SaidAudio): T {
  const totals = new Map<unknown, number>([
    [EXAMPLE_AUDIO.durationMs, Math.round(audio.seconds * 1000)],
    [EXAMPLE_AUDIO.durationMs / 1000, audio.seconds],
    [EXAMPLE_AUDIO.frames, audio.frames],
  ]);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array || Array.isArray(value))
    return (totals.get(value) ?? value) as T;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withTotals(each, audio)])) as T;
}

const ANY_TEXT = 'Hi.';

/** The frames of a server of any endpoint, made from its example turn. */
export class ExampleServer {
  readonly sampleRate: number;
  readonly #endpoint: Endpoint;

  constructor(endpoint: Endpoint, sampleRate: number = EXAMPLE_AUDIO.sampleRate) {
    this.#endpoint = endpoint;
    this.sampleRate = sampleRate;
  }

  /** The field of frames that names their context; null where none has one. */
  get contextKey(): string | null {
    const name = 'the name of a context';
    for (const said of this.#turn(ANY_TEXT, name)) {
      const key = Object.keys(said).find((each) => (said as Fields)[each] === name);
      if (key !== undefined) return key;
    }
    return null;
  }

  /** Returns the frames that accept a connection, or a context of it, before any text is spoken. */
  accepts(of: 'connection' | 'context', context: string): Said[] {
    return this.#before(ANY_TEXT, context).flatMap(({ said, events }) => {
      const isOfContext = events.some(({ type }) => type === 'contextOpened');
      const isOther = events.some(({ type }) => type === 'chunkStarted' || type === 'words');
      return !isOther && isOfContext === (of === 'context') ? [said] : [];
    });
  }

  /** Returns the frame that reports the beginning of a chunk; null where the first audio does. */
  starts(text: string, context: string): Said | null {
    const begin = this.#before(text, context).find(({ events }) =>
      events.some(({ type }) => type === 'chunkStarted'),
    );
    return begin?.said ?? null;
  }

  /**
   * Returns a frame with these samples.
   * @param begins the text of the chunk that begins with it; null within a chunk
   * @param index its place among the frames of its chunk
   */
  audio(bytes: Uint8Array<ArrayBuffer>, context: string, begins: string | null = null, index = 0): Said {
    const all = this.#turn(begins ?? ANY_TEXT, context).filter(isAudio);
    const [first, second, third] = all;
    if (!first || first instanceof Uint8Array || !second || !third) return bytes;
    const frame = (begins === null ? second : first) as Fields;
    return Object.fromEntries(
      Object.entries(frame).map(([key, value]) => {
        if (value === EXAMPLE_AUDIO.base64) return [key, encodeBase64(bytes)];
        if (value === EXAMPLE_AUDIO.sampleRate) return [key, this.sampleRate];
        if (value === EXAMPLE_AUDIO.samples) return [key, bytes.length >> 1];
        // The number of a frame is the only field that grows by one.
        const isNumber = Number((third as Fields)[key]) - Number((second as Fields)[key]) === 1;
        return [key, isNumber ? index : value];
      }),
    );
  }

  /** Returns the frames behind the audio, without times of words, which are of another text. */
  ends(context: string, audio: SaidAudio): Said[] {
    const turn = this.#turn(ANY_TEXT, context);
    const dialect = this.#open(ANY_TEXT, context);
    const last = turn.findLastIndex(isAudio);
    return turn.flatMap((said, at) => {
      const events = dialect.decode(frameOf(said));
      // The end of a turn may complete its last word.
      const isOfWords = events.length > 0 && events.every(({ type }) => type === 'words');
      return at > last && !isOfWords ? [withTotals(said, audio)] : [];
    });
  }

  /** Returns the answer to a cancel of all; null where the server gives none. */
  confirmsCancel(): Said | null {
    const dialect = this.#open(ANY_TEXT, ONLY_CONTEXT);
    if (dialect.traits.cancel !== 'confirmed') return null;
    // Some dialects name what is spoken in it.
    for (const { said } of this.#before(ANY_TEXT, ONLY_CONTEXT)) dialect.decode(frameOf(said));
    const [frame] = dialect.confirm?.('cancel', null) ?? [];
    return frame === undefined ? null : saidOf(frame);
  }

  /** A dialect that waits for the turn. */
  #open(text: string, context: string): Dialect {
    const dialect = protocolOf(this.#endpoint).open({ settings: {}, key: '' });
    const opens = this.#endpoint.contexts ? { opens: exampleVoice(this.#endpoint) } : {};
    dialect.encode({ kind: 'open', settings: {} });
    dialect.encode({ kind: 'say', context, text, ...opens });
    dialect.encode({ kind: this.#endpoint.flushEndsTurn ? 'flush' : 'endTurn', context });
    return dialect;
  }

  #turn(text: string, context: string): Said[] {
    return protocolOf(this.#endpoint).exampleTurn(text, context).map(saidOf);
  }

  #before(text: string, context: string): { said: Said; events: SpeechEvent[] }[] {
    const turn = this.#turn(text, context);
    const dialect = this.#open(text, context);
    return turn
      .slice(0, turn.findIndex(isAudio))
      .map((said) => ({ said, events: dialect.decode(frameOf(said)) }));
  }
}

const frameOf = (said: Said): Frame => (said instanceof Uint8Array ? said : JSON.stringify(said));
