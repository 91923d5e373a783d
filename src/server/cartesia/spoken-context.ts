import type { Generation } from '#protocol/cartesia/wire/client-frames.ts';
import { doneFrame, flushDoneFrame } from '#protocol/cartesia/wire/server-frames.ts';
import { DEFAULT_BUFFER_DELAY_MS } from '#protocol/cartesia/wire/settings.ts';
import { type ContextParts, ContextSpeech } from '../sessions/context-speech.ts';
import { TextBuffer } from '../speech/text/text-buffer.ts';
import type { Lease } from '../state/key-accounts.ts';
import { type CartesiaSpeaker, requestOf, volumeParts } from './speaker.ts';
import { SpeechFrames } from './speech-frames.ts';

/** After its last audio, a context without further text ends (cartesia-context-4). */
const EXPIRY_MS = 1000;
/** Buffered text is spoken from the first sentence end at which it has so many characters (cartesia-text-7). */
const ENOUGH_CHARS = 50;
/** Text without any boundary is cut here. */
const MAX_BUFFER_CHARS = 5000;

/** A text to speak, or an empty one, which sends `flush_done`. */
interface Spoken {
  text: string;
  flushId: number;
  speaker: CartesiaSpeaker;
}

interface Options extends ContextParts {
  id: string;
  speaker: CartesiaSpeaker;
  /** Admits the context, once; null where it is refused, which the caller has answered. */
  admit(): Promise<Lease | null>;
  /** `done` was sent. */
  finished(): void;
}

/** The text and the speech of one context, up to its `done`. */
export class SpokenContext extends ContextSpeech<Spoken, Options> {
  readonly #buffer = new TextBuffer({
    schedule: [ENOUGH_CHARS],
    autoMode: false,
    maxBufferLength: MAX_BUFFER_CHARS,
  });
  #speaker: CartesiaSpeaker;
  /** Of the last tag in the text. */
  #volume: number | null = null;
  #lease: Lease | null = null;
  /** The id of the next text. The first one is 1 (cartesia-chunk-9). */
  #flushId = 1;
  /** Text has this flush id. */
  #hasText = false;
  #sentMs = 0;
  #stopWaiting: (() => void) | null = null;
  #stopExpiry: (() => void) | null = null;

  constructor(options: Options) {
    super(options);
    this.#speaker = options.speaker;
    this.queue.open();
  }

  /** Whether these settings have the voice and the format of the first text. */
  fits({ voice, encoding, sample_rate }: CartesiaSpeaker['settings']): boolean {
    const own = this.#speaker.settings;
    return voice === own.voice && encoding === own.encoding && sample_rate === own.sample_rate;
  }

  /** Adds a text, and does as its flags say. Its other settings hold for this text on. */
  say(generation: Generation, speaker: CartesiaSpeaker): void {
    const { transcript, flush, continues } = generation;
    this.addChars(transcript);
    if (flush) this.beginTurn();
    this.isEnding = !continues;
    this.queue.feed(this.#cut(generation, speaker), transcript);
  }

  *#cut({ transcript, settings, flush, continues }: Generation, speaker: CartesiaSpeaker): Generator<void> {
    this.#speaker = speaker;
    const delayMs = settings.max_buffer_delay_ms ?? DEFAULT_BUFFER_DELAY_MS;
    const hasWords = transcript.trim() !== '';
    if (hasWords) this.#expireNever();
    for (const text of this.#buffer.cut(transcript)) {
      this.#waitNoMore();
      yield* this.#add(text);
    }
    if (hasWords && delayMs > 0) this.#await(delayMs);
    // Each text is spoken at once, and answered (cartesia-chunk-6).
    const isAlone = hasWords && delayMs === 0;
    if (isAlone || flush || !continues) yield* this.#addAll();
    if (isAlone || flush) this.#flush();
    this.rest();
  }

  /** Drops everything, and ends (cartesia-cancel-5). */
  cancel(): void {
    this.finish(doneFrame(this.options.id));
  }

  override stop(): void {
    super.stop();
    this.#waitNoMore();
    this.#expireNever();
    this.#lease?.leave();
  }

  /** Yields behind each generation, because a text may have hundreds of tags. */
  *#add(text: string): Generator<void> {
    this.#hasText = true;
    for (const { text: part, volume } of volumeParts(text, this.#volume)) {
      this.#volume = volume;
      const { settings } = this.#speaker;
      const speaker =
        volume === null ? this.#speaker : { ...this.#speaker, settings: { ...settings, volume } };
      yield this.queue.add({ text: part, flushId: this.#flushId, speaker });
    }
  }

  *#addAll(): Generator<void> {
    this.#waitNoMore();
    const rest = this.#buffer.rest();
    if (rest !== null) yield* this.#add(rest);
  }

  /** Answers behind the text so far. Without text since the last flush, they have the id of that. */
  #flush(): void {
    if (!this.#hasText) this.#flushId -= 1;
    this.queue.add({ text: '', flushId: this.#flushId, speaker: this.#speaker });
    this.#flushId += 1;
    this.#hasText = false;
  }

  /** The first text that is buffered waits for so long. */
  #await(delayMs: number): void {
    if (this.#buffer.length === 0 || this.#stopWaiting) return;
    this.#stopWaiting = this.options.connection.clock.after(delayMs, () => {
      this.#stopWaiting = null;
      this.queue.feed(this.#cutStale());
    });
  }

  *#cutStale(): Generator<void> {
    const rest = this.#buffer.stale();
    if (rest !== null) yield* this.#add(rest);
    this.rest();
  }

  #waitNoMore(): void {
    this.#stopWaiting?.();
    this.#stopWaiting = null;
  }

  #expireNever(): void {
    this.#stopExpiry?.();
    this.#stopExpiry = null;
  }

  /** Ends the context, or lets it expire, where nothing is left to speak. The clock starts with audio (cartesia-context-9). */
  protected rest(): void {
    if (this.isOver || this.isBusy || this.#stopWaiting) return;
    if (this.isEnding) this.cancel();
    else if (this.#sentMs > 0)
      this.#stopExpiry ??= this.options.connection.clock.after(EXPIRY_MS, () => this.cancel());
  }

  protected async speak({ text, flushId, speaker }: Spoken, signal: AbortSignal): Promise<void> {
    const { id: context, connection } = this.options;
    const send = (frames: Iterable<object>) => {
      for (const frame of frames) this.options.send(JSON.stringify(frame));
    };
    if (text === '') return send([flushDoneFrame(context, flushId)]);
    if (!(await this.#isAdmitted())) return;
    const nowMs = () => connection.clock.nowMs();
    const frames = new SpeechFrames({ context, flushId, text, speaker, nowMs, fromMs: this.#sentMs });
    const isWhole = await this.synthesize(requestOf(speaker, text), signal, (block) =>
      send(frames.add(block)),
    );
    if (!isWhole) return;
    send(frames.end());
    this.#sentMs += frames.durationMs;
  }

  /** A context counts from its first speech to its end. */
  async #isAdmitted(): Promise<boolean> {
    this.#lease ??= await this.options.admit();
    if (this.isOver) this.#lease?.leave();
    return !this.isOver && this.#lease !== null;
  }
}
