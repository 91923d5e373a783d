import { exactDecodedBytes } from '#lib/base64.ts';
import { AUDIO_ENCODINGS, type AudioFormat } from '../../core/audio-format.ts';
import type { Settings } from '../../core/endpoint.ts';
import type { WithUnknown } from '../../core/json-frame.ts';
import { endOfTurn, type SpeechEvent, type SpokenWord } from '../../core/speech-event.ts';
import { placeWord } from '../../core/text-words.ts';
import type { Timed } from './server-frames.ts';
import { DEFAULT_MODEL } from './settings.ts';

/** A turn, whose chunks are counted over all its contexts. */
export interface RunningTurn {
  chunks: number;
  /** Of the texts that were spoken. */
  characters: number;
}

interface Chunk {
  id: number;
  /** In its context. */
  place: number;
  /** As it was said last. */
  text: string | null;
  /** Where its audio begins in that of the context. */
  startMs: number;
  /** Behind the last word. */
  charEnd: number;
}

/** A text that was sent, and the number of flushes before it. */
interface SentText {
  text: string;
  part: number;
}

/** The texts of a context and their speech. Frames with one `flush_id` are a chunk, by order of appearance (cartesia-chunk-2). */
export class ContextReader {
  readonly turn: RunningTurn;
  /** Settings with which the context was begun. They stay to its end (cartesia-context-10). */
  readonly settings: Settings;
  readonly #speaker: string;
  readonly #format: AudioFormat;
  readonly #chunks = new Map<number | null, Chunk>();
  #current: Chunk | null = null;
  #texts: SentText[] = [];
  #part = 0;
  /** Texts before the last audio. */
  #taken = 0;
  #audioMs = 0;

  constructor(speaker: string, settings: Settings, format: AudioFormat, turn: RunningTurn) {
    this.#speaker = speaker;
    this.settings = settings;
    this.#format = format;
    this.turn = turn;
  }

  get hasText(): boolean {
    return this.#texts.length > 0;
  }

  said(text: string): void {
    this.#texts.push({ text, part: this.#part });
    // Without a delay each text is generated on its own (cartesia-chunk-6).
    if (this.settings.max_buffer_delay_ms === 0 && text.trim() !== '') this.#part += 1;
  }

  flushed(): void {
    if (this.#texts.at(-1)?.part === this.#part) this.#part += 1;
  }

  audio(base64: string, flushId: number | null, rest: WithUnknown): SpeechEvent[] {
    const began = this.#enter(flushId);
    if (base64 === '') return began.events.map((event) => ({ ...event, ...rest }));
    const { bytesPerSample } = AUDIO_ENCODINGS[this.#format.encoding];
    this.#audioMs += (1000 * exactDecodedBytes(base64)) / (bytesPerSample ?? 1) / this.#format.sampleRate;
    this.#taken = this.#texts.length;
    const place = { context: this.#speaker, chunk: began.chunk.id };
    return [
      ...began.events,
      { type: 'audio', ...place, index: null, ...this.#format, samples: null, payload: { base64 }, ...rest },
    ];
  }

  /** Times count from the start of the context (cartesia-words-2). */
  words(
    words: readonly string[],
    { start, end }: Timed,
    flushId: number | null,
    rest: WithUnknown,
  ): SpeechEvent[] {
    if (words.length === 0) return [];
    const { chunk, events } = this.#enter(flushId);
    const placed = words.map((word, at): SpokenWord => {
      const place = placeWord(chunk.text, word, chunk.charEnd);
      chunk.charEnd = place.charEnd;
      return { word, startMs: msIn(chunk, start[at]), endMs: msIn(chunk, end[at]), ...place };
    });
    return [...events, { type: 'words', context: this.#speaker, chunk: chunk.id, words: placed, ...rest }];
  }

  /** Times count from the start of the context. */
  phonemes(
    phonemes: readonly string[],
    { start, end }: Timed,
    flushId: number | null,
    rest: WithUnknown,
  ): SpeechEvent[] {
    if (phonemes.length === 0) return [];
    const { chunk, events } = this.#enter(flushId);
    const placed = phonemes.map((phoneme, at) => ({
      phoneme,
      startMs: msIn(chunk, start[at]),
      endMs: msIn(chunk, end[at]),
    }));
    return [
      ...events,
      { type: 'phonemes', context: this.#speaker, chunk: chunk.id, phonemes: placed, ...rest },
    ];
  }

  /** The texts that the server has not taken: one that it had taken would have made audio. They are said no more. */
  takeUnspoken(): string {
    const unspoken = this.#audioMs > 0 ? this.#texts.splice(this.#taken) : [];
    return unspoken.map(({ text }) => text).join('');
  }

  /** The end of the context, within its turn. */
  leave(rest: WithUnknown = {}): SpeechEvent[] {
    this.turn.characters += this.#textFrom(0)?.length ?? 0;
    const current = this.#current;
    return current ? this.#completed(current, this.#textFrom(current.place), rest) : [];
  }

  /** The end of the turn. */
  end(rest: WithUnknown = {}): SpeechEvent[] {
    const left = this.leave();
    const { characters } = this.turn;
    const modelId = typeof this.settings.model_id === 'string' ? this.settings.model_id : DEFAULT_MODEL;
    // No frame has the cost, and a credit is about a character (cartesia-bill-1).
    const usage = { audioSeconds: null, characters, costCents: null, currency: null, modelId };
    return [...left, ...endOfTurn(this.#speaker, characters > 0 ? usage : null, rest)];
  }

  /** The chunk of a frame, and the events of its beginning. A frame without an id belongs to the current one. */
  #enter(flushId: number | null): { chunk: Chunk; events: SpeechEvent[] } {
    const known = this.#chunks.get(flushId) ?? (flushId === null ? this.#current : null);
    if (known) return { chunk: known, events: this.#grow(known, this.#textOf(known.place)) };
    const place = this.#chunks.size;
    const chunk: Chunk = { id: this.turn.chunks, place, text: null, startMs: this.#audioMs, charEnd: 0 };
    this.turn.chunks += 1;
    this.#chunks.set(flushId, chunk);
    chunk.text = this.#textOf(place);
    const before = this.#current;
    this.#current = chunk;
    const completed = before ? this.#completed(before, this.#textOf(before.place)) : [];
    return { chunk, events: [...completed, this.#started(chunk)] };
  }

  /** Without ids, all text is that of one chunk. */
  #textOf(place: number): string | null {
    return this.#chunks.size === 1 && this.#chunks.has(null)
      ? this.#textFrom(0)
      : this.#textFrom(place, place);
  }

  /** The texts of some parts; null for none. */
  #textFrom(first: number, last = Number.POSITIVE_INFINITY): string | null {
    const texts = this.#texts.filter(({ part }) => part >= first && part <= last);
    return texts.length === 0 ? null : texts.map(({ text }) => text).join('');
  }

  /** The rest of its text, and its end. */
  #completed(chunk: Chunk, text: string | null, rest: WithUnknown = {}): SpeechEvent[] {
    const unsaid = { audioSeconds: null, generationMs: null };
    return [
      ...this.#grow(chunk, text),
      { type: 'chunkCompleted', ...this.#placeOf(chunk), ...unsaid, ...rest },
    ];
  }

  #grow(chunk: Chunk, text: string | null): SpeechEvent[] {
    // White space alone says nothing, and may come with the end of the turn.
    if (text === null || text.trimEnd() === chunk.text?.trimEnd()) return [];
    chunk.text = text;
    return [{ ...this.#started(chunk), isMore: true }];
  }

  #started(chunk: Chunk): Extract<SpeechEvent, { type: 'chunkStarted' }> {
    return { type: 'chunkStarted', ...this.#placeOf(chunk), text: chunk.text, inferred: true };
  }

  #placeOf({ id }: Chunk): { context: string; chunk: number } {
    return { context: this.#speaker, chunk: id };
  }
}

/** A time of the context in ms of a chunk. */
const msIn = ({ startMs }: { startMs: number }, seconds = 0): number => Math.max(0, 1000 * seconds - startMs);
