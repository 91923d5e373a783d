import { markedWords } from '#lib/text/words.ts';
import { FrameCutter } from '../audio/frame-cutter.ts';
import type { SpeechRequest, WordTiming } from '../speech/engine.ts';
import { TextBuffer } from '../speech/text/text-buffer.ts';
import { type ContextParts, ContextSpeech } from './context-speech.ts';

interface Options extends ContextParts {
  /** Length of an audio frame, in seconds. */
  frameSeconds: number;
  /** Text without the end of a sentence is cut here. */
  maxBufferLength: number;
  encode(samples: Int16Array): string | Uint8Array;
  /** Words whose times are final, in ms of the turn's audio. Absent where the endpoint sends none. */
  timed?(words: readonly WordTiming[], startMs: number): void;
  /** The engine's request for a text of this turn. */
  request(text: string): Omit<SpeechRequest, 'session'>;
  /** The text is over, and all of its audio but one frame was sent. */
  beforeLast(): void;
  /** Everything of it was sent. */
  finished(): void;
}

/** A piece of a turn's text; the last one is empty and ends the turn. */
interface Piece {
  text: string;
  /** Where it begins in the text of the turn. */
  at: number;
  isEnd: boolean;
}

/** The text between two flushes, and its speech. */
export class SpeakTurn extends ContextSpeech<Piece, Options> {
  /** A sentence is spoken once white space follows it, and the rest at the flush. */
  readonly #buffer = new TextBuffer({
    schedule: [1],
    autoMode: true,
    maxBufferLength: this.options.maxBufferLength,
    waitsForSpace: true,
  });
  #queuedChars = 0;
  #sampleRate = 0;
  #samples = 0;
  #isAnnounced = false;
  /** Ends of the words that are spoken, in ms of the turn's audio and characters of its text. */
  readonly #words: { endMs: number; charEnd: number }[] = [];
  text = '';
  /** A flush ended it. */
  isFlushed = false;

  /** Of the audio that was sent. */
  get durationMs(): number {
    return this.#samples === 0 ? 0 : Math.round((this.#samples * 1000) / this.#sampleRate);
  }

  /** Its turn has come. */
  open(): void {
    this.queue.open();
  }

  say(text: string): void {
    this.text += text;
    this.addChars(text);
    this.queue.feed(this.#cut(text), text);
  }

  /** Speaks the rest, then ends. */
  end(): void {
    this.isEnding = true;
    this.queue.feed(this.#cutEnd());
  }

  /** The text that was heard after so much of the audio, and the rest. A word counts from its end on. */
  heardBy(ms: number): { spoken: string; remaining: string } {
    const end = this.#words.findLast(({ endMs }) => endMs <= ms)?.charEnd ?? 0;
    // With the marks and spaces behind the word.
    const marked = markedWords(this.text).find((word) => word.end >= end)?.end ?? end;
    const at = end === 0 ? 0 : marked + (/^\s*/.exec(this.text.slice(marked))?.[0].length ?? 0);
    return { spoken: this.text.slice(0, at), remaining: this.text.slice(at) };
  }

  *#cut(text: string): Generator<void> {
    for (const ready of this.#buffer.cut(text)) yield this.#add(ready);
  }

  *#cutEnd(): Generator<void> {
    const rest = this.#buffer.rest();
    if (rest !== null) yield this.#add(rest);
    this.queue.add({ text: '', at: this.text.length, isEnd: true });
  }

  #add(text: string): void {
    this.queue.add({ text, at: this.#queuedChars, isEnd: false });
    this.#queuedChars += text.length;
  }

  #announceEnd(): void {
    if (!this.#isAnnounced) this.options.beforeLast();
    this.#isAnnounced = true;
  }

  protected rest(): void {}

  protected async speak(piece: Piece, signal: AbortSignal): Promise<void> {
    if (!piece.isEnd) return this.#speak(piece, signal);
    this.#announceEnd();
    // A long row of empty turns must not end within one another.
    await null;
    if (!signal.aborted) this.options.finished();
  }

  async #speak({ text, at }: Piece, signal: AbortSignal): Promise<void> {
    const { connection, encode, request, frameSeconds, timed } = this.options;
    const spoken = request(text);
    this.#sampleRate = spoken.sampleRate;
    const length = spoken.sampleRate * frameSeconds;
    const cutter = new FrameCutter(spoken.sampleRate, { first: length, others: length });
    const startMs = this.durationMs;
    let last: Int16Array | null = null;
    const send = (frame: Int16Array) => {
      this.#samples += frame.length;
      connection.send(encode(frame));
    };
    const isWhole = await this.synthesize(spoken, signal, ({ samples, words }) => {
      if (words.length > 0) timed?.(words, startMs);
      for (const { endMs, charEnd } of words)
        this.#words.push({ endMs: startMs + endMs, charEnd: at + charEnd });
      for (const frame of cutter.push(samples)) {
        if (last) send(last);
        last = frame.slice();
      }
    });
    if (!isWhole) return;
    const rest = cutter.end();
    if (last && rest) send(last);
    last = rest ?? last;
    // The end of the turn waits behind this piece.
    if (this.isEnding && this.queue.length === 2) this.#announceEnd();
    if (last) send(last);
  }
}
