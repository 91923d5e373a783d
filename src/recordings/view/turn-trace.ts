import { PcmStore } from '#player/pcm-store.ts';
import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import type { RecordHead } from '#record/record.ts';
import { type HeardRecord, playerRecordOf } from '../format/player-entry.ts';
import type { FrameIndex } from '../store/frame-index.ts';
import { GrowingNumbers } from '../store/growing.ts';
import { addMatches } from './filter.ts';
import type { EntryReader, FrameReader } from './frame-reader.ts';

/** The samples that an audio frame added to its turn. */
export interface TracedFrame {
  index: number;
  chunk: number | null;
  /** First of its samples in the turn's audio, and how many. */
  sample: number;
  count: number;
  /** Why it could not be decoded, and added nothing. */
  problem: string | null;
}

/** A word with its place in the turn's audio. */
export interface TracedWord {
  chunk: number;
  /** Its place in the chunk, counted from 0. */
  word: number;
  text: string;
  sample: number;
  count: number;
}

/**
 * The samples of one recorded turn, decoded by the rules of the player: half a sample is carried over to the next frame,
 * and frames of another rate are left out. The counts are therefore exact. A live turn is decoded as it grows.
 */
export class TurnTrace {
  readonly turn: number;
  readonly #index: FrameIndex;
  readonly #reader: EntryReader;
  readonly #decoder: FrameReader;
  readonly #frames: TracedFrame[] = [];
  readonly #places = new Map<number, TracedFrame>();
  readonly #chunkStarts = new Map<number, number>();
  readonly #words = new Map<number, Extract<SpeechEvent, { type: 'words' }>['words']>();
  #store: PcmStore | null = null;
  #heard: HeardRecord | null = null;
  #scanned = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(turn: number, index: FrameIndex, reader: EntryReader, decoder: FrameReader) {
    this.turn = turn;
    this.#index = index;
    this.#reader = reader;
    this.#decoder = decoder;
  }

  /** In Hz; null before the first audio. */
  get sampleRate(): number | null {
    return this.#store?.sampleRate ?? null;
  }

  get samples(): number {
    return this.#store?.length ?? 0;
  }

  /** The player's record of the turn; null if the recording has none. */
  get heard(): HeardRecord | null {
    return this.#heard;
  }

  get words(): readonly TracedWord[] {
    const rate = this.sampleRate;
    if (rate === null) return [];
    return [...this.#words].flatMap(([chunk, words]) => {
      const start = this.#chunkStarts.get(chunk);
      if (start === undefined) return [];
      const at = (ms: number): number => start + Math.round((ms * rate) / 1000);
      return words.map(({ word: text, startMs, endMs }, word) => ({
        chunk,
        word,
        text,
        sample: at(startMs),
        count: Math.max(0, at(endMs) - at(startMs)),
      }));
    });
  }

  frame(index: number): TracedFrame | undefined {
    return this.#places.get(index);
  }

  /** The frame that carries a sample; undefined where none does. */
  frameAt(sample: number): TracedFrame | undefined {
    return this.#frames.find((frame) => sample >= frame.sample && sample < frame.sample + frame.count);
  }

  slice(from: number, to: number): Int16Array<ArrayBuffer> {
    return this.#store?.slice(from, to) ?? new Int16Array(0);
  }

  update(): Promise<void> {
    this.#last = this.#last.then(() => this.#takeIn());
    return this.#last;
  }

  async #takeIn(): Promise<void> {
    const { length } = this.#index;
    const fresh = new GrowingNumbers();
    addMatches({ turns: [this.turn] }, this.#index, this.#scanned, length, fresh);
    this.#scanned = length;
    for (let at = 0; at < fresh.length; at += 1) {
      const head = this.#index.head(fresh.at(at));
      const isHeard = head.direction === 'player' && head.kind === 'heard';
      const isSpoken = head.direction === 'in' && (head.kind === 'audio' || head.kind === 'words');
      if (!isHeard && !isSpoken) continue;
      if (isHeard) {
        const record = playerRecordOf(await this.#reader.entry(head.index));
        if (record?.kind === 'heard') this.#heard = record;
      } else await this.#take(head, await this.#decoder.events(head.index));
    }
  }

  async #take(head: RecordHead, events: readonly SpeechEvent[] | null): Promise<void> {
    if (head.kind === 'audio') await this.#takeAudio(head, events);
    for (const event of events ?? []) {
      if (event.type === 'words') this.#words.set(event.chunk, event.words);
    }
  }

  async #takeAudio({ index, chunk }: RecordHead, events: readonly SpeechEvent[] | null): Promise<void> {
    const sample = this.samples;
    let problem = events === null ? 'The payload was not kept.' : null;
    for (const event of events ?? []) {
      if (event.type !== 'audio') continue;
      const store = this.#store ?? new PcmStore(event.sampleRate);
      if (store.sampleRate !== event.sampleRate) {
        problem = `The turn began at ${store.sampleRate} Hz, this audio frame is at ${event.sampleRate} Hz.`;
        continue;
      }
      const result = await store.appendWhenReady(event.payload, event.encoding);
      if ('problem' in result) problem = result.problem;
      else this.#store = store;
    }
    const frame = { index, chunk, sample, count: this.samples - sample, problem };
    this.#frames.push(frame);
    this.#places.set(index, frame);
    if (chunk !== null && !this.#chunkStarts.has(chunk)) this.#chunkStarts.set(chunk, sample);
  }
}
