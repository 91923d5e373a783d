import { finalFrame } from '#protocol/elevenlabs/wire/server-frames.ts';
import type { Encoder } from '../audio/encoder.ts';
import { type ContextParts, ContextSpeech } from '../sessions/context-speech.ts';
import { TextBuffer } from '../speech/text/text-buffer.ts';
import type { Peer } from '../state/shares.ts';
import type { ChargedLease } from './access.ts';
import { SegmentCutter, type SpokenSegment } from './segment-cutter.ts';
import { requestOf, scheduleOf, type VoiceSpeaker } from './speaker.ts';
import { spokenNumbersOf } from './spoken-numbers.ts';

/** Text that `try_trigger_generation` needs (elevenlabs-chunk-2). */
const TRIGGER_CHARS = 50;
/** Text without any boundary is cut here (elevenlabs-chunk-7). */
const MAX_BUFFER_CHARS = 5000;
/**
 * A segment goes out in one frame, and the largest frame that was seen has 6 s (elevenlabs-chunk-8). On a slow machine, a
 * client hears the beginning of a longer text after `patienceMs`.
 */
const WHOLE = { longestMs: 6000, patienceMs: 300 };
/** With `sync_alignment`, each frame is a segment of the words that are ready (elevenlabs-words-11). */
const SYNC = { longestMs: 0, patienceMs: 0 };
/** The end of a segment, which comes in a frame of its own (elevenlabs-chunk-9). */
const TAIL_MS = 20;

interface Options extends ContextParts {
  /** Null for the one whose frames name none. */
  id: string | null;
  speaker: VoiceSpeaker;
  peer: Peer;
  /** Admits a generation; null where it is refused, which the caller has answered. */
  start(text: string): Promise<ChargedLease | null>;
  /** The final frame was sent. */
  finished(): void;
}

/** The text and the speech of one context, up to its final frame. */
export class SpokenContext extends ContextSpeech<{ text: string }, Options> {
  readonly id: string | null;
  readonly #buffer: TextBuffer;
  readonly #autoMode: boolean;
  readonly #limits: typeof WHOLE;
  #encoder: Encoder | null = null;
  /** White space at the beginning is not spoken, and neither is it after white space. */
  #endsInSpace = true;
  /** Ended without a request. */
  isSilent = false;
  /** The final frame is sent, or waits for the last bytes of the encoder. */
  #isEnded = false;

  constructor(options: Options) {
    super(options);
    const { address, delivery } = options.speaker;
    this.id = options.id;
    this.#autoMode = address.auto_mode === true;
    this.#limits = address.sync_alignment === true ? SYNC : WHOLE;
    this.#buffer = new TextBuffer({
      schedule: this.#autoMode ? [MAX_BUFFER_CHARS] : scheduleOf(delivery),
      autoMode: false,
      maxBufferLength: MAX_BUFFER_CHARS,
    });
    this.queue.open();
  }

  /** Adds text. In auto mode it is a generation of its own, with the spaces before it. */
  say(text: string): void {
    this.addChars(text);
    this.queue.feed(this.#cut(text), text);
  }

  /** Speaks the buffer if it is long enough. */
  trigger(): void {
    this.#behindText(() => {
      if (this.#buffer.length >= TRIGGER_CHARS) this.#addRest(true);
    });
  }

  flush(): void {
    this.beginTurn();
    this.#behindText(() => this.#addRest(true));
  }

  /** Sends the final frame after all that is to be spoken. @param rest drops text that no flush has covered */
  end(rest: 'speak' | 'drop'): void {
    if (this.isEnding) return;
    this.isEnding = true;
    this.#behindText(() => {
      if (rest === 'speak') this.#addRest(true);
      this.rest();
    });
  }

  /** Ends without speech: the final frame alone. */
  silence(): void {
    this.isEnding = true;
    this.isSilent = true;
    this.queue.stop();
    this.#end();
  }

  override get isBusy(): boolean {
    return super.isBusy || (this.#isEnded && !this.isOver);
  }

  override stop(): void {
    super.stop();
    this.#encoder?.release?.();
  }

  protected rest(): void {
    if (this.isEnding && !this.isBusy) this.#end();
  }

  *#cut(text: string): Generator<void> {
    for (const ready of this.#buffer.cut(text)) yield this.#add(ready);
    if (this.#autoMode) this.#addRest(false);
  }

  /** Runs a task once the text before it is cut. */
  #behindText(task: () => void): void {
    const steps = function* () {
      yield task();
    };
    this.queue.feed(steps());
  }

  #addRest(isWhole: boolean): void {
    const rest = this.#buffer.rest();
    if (rest !== null) this.#add(rest, isWhole);
  }

  /** @param isWhole no text follows without a space, which the server adds */
  #add(text: string, isWhole = true): void {
    const begun = this.#endsInSpace ? text.trimStart() : text;
    // In auto mode, a message may end within a word.
    const isOpen = !isWhole && /[\p{L}\p{M}\p{N}]$/u.test(begun);
    const spoken = isOpen || /\s$/.test(begun) ? begun : `${begun} `;
    this.#endsInSpace = !isOpen;
    this.queue.add({ text: spoken });
  }

  protected async speak({ text }: { text: string }, signal: AbortSignal): Promise<void> {
    const { connection, speaker, start } = this.options;
    const lease = await start(text);
    if (!lease) return;
    try {
      const limits = { ...this.#limits, nowMs: () => connection.clock.nowMs() };
      const request = requestOf(speaker, text);
      const numbers = await spokenNumbersOf(request);
      const cutter = new SegmentCutter({ text, numbers }, speaker.output.sampleRate, limits);
      const isWhole = await this.synthesize(request, signal, (block) =>
        this.#send(cutter.add(block), signal),
      );
      if (isWhole) await this.#send(cutter.end(), signal);
    } catch (error) {
      if (!signal.aborted) lease.refund();
      throw error;
    } finally {
      lease.leave();
    }
  }

  /** Sends a segment. Its first frame has the alignment. */
  async #send(segment: SpokenSegment | null, signal: AbortSignal): Promise<void> {
    if (!segment || signal.aborted) return;
    const { peer, speaker } = this.options;
    const { output } = speaker;
    this.#encoder ??= output.open(peer);
    const { samples } = segment;
    const tail = this.#limits === SYNC ? 0 : (TAIL_MS * output.sampleRate) / 1000;
    const end = samples.length > tail ? samples.length - tail : samples.length;
    const [first, last] = [samples.subarray(0, end), samples.subarray(end)];
    const bytes = await this.#encoder.encode(first);
    if (signal.aborted) return;
    this.#sendAudio(bytes, segment);
    const rest = await this.#encoder.encode(last);
    if (rest.length > 0 && !signal.aborted) this.#sendAudio(rest);
  }

  #end(): void {
    if (this.isOver || this.#isEnded) return;
    this.#isEnded = true;
    const tail = this.#encoder?.tail?.();
    if (!tail) {
      this.finish(finalFrame(this.id));
      return;
    }
    const { connection, failed } = this.options;
    connection.background(() => tail.then((rest) => this.#endWith(rest)).catch(failed));
  }

  #endWith(tail: Uint8Array): void {
    if (this.isOver) return;
    if (tail.length > 0) this.#sendAudio(tail);
    this.finish(finalFrame(this.id));
    this.options.emptied();
  }

  /** Concatenates instead of calling JSON.stringify, which would scan all of the base64 for escapes. */
  #sendAudio(bytes: Uint8Array, segment?: SpokenSegment): void {
    const { normalizedAlignment = null, alignment = null } = segment ?? {};
    const ofContext = this.id === null ? {} : { contextId: this.id };
    const rest = JSON.stringify({ isFinal: null, normalizedAlignment, alignment, ...ofContext });
    this.options.send(
      `{"audio":"${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')}",${rest.slice(1)}`,
    );
  }
}
