import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import type { RecordHead } from '#trace/entry.ts';
import { playerRecordOf } from '#trace/player-entry.ts';
import { RecordedTurn } from '#trace/recorded-speech.ts';
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

/** One turn of the shown recording, with the samples of each of its audio frames. A live turn is decoded as it grows. */
export class TurnTrace {
  readonly id: number;
  readonly turn: RecordedTurn;
  readonly #index: FrameIndex;
  readonly #reader: EntryReader;
  readonly #decoder: FrameReader;
  readonly #frames: TracedFrame[] = [];
  readonly #places = new Map<number, TracedFrame>();
  #scanned = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(id: number, index: FrameIndex, reader: EntryReader, decoder: FrameReader) {
    this.id = id;
    this.turn = new RecordedTurn(id);
    this.#index = index;
    this.#reader = reader;
    this.#decoder = decoder;
  }

  get words(): readonly TracedWord[] {
    const { audio, chunks } = this.turn;
    if (!audio) return [];
    return chunks.flatMap(({ id: chunk, words, startSample, samples }) => {
      if (samples === 0) return [];
      const at = (ms: number): number => startSample + Math.round((ms * audio.sampleRate) / 1000);
      return (words ?? []).map(({ word: text, startMs, endMs }, word) => ({
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

  update(): Promise<void> {
    this.#last = this.#last.then(() => this.#takeIn());
    return this.#last;
  }

  async #takeIn(): Promise<void> {
    const { length } = this.#index;
    const fresh = new GrowingNumbers();
    addMatches({ turns: [this.id] }, this.#index, this.#scanned, length, fresh);
    this.#scanned = length;
    for (let at = 0; at < fresh.length; at += 1) {
      const head = this.#index.head(fresh.at(at));
      const isHeard = head.direction === 'player' && head.kind === 'heard';
      const isSpoken = head.direction === 'in' && (head.kind === 'audio' || head.kind === 'words');
      if (!isHeard && !isSpoken) continue;
      if (isHeard) {
        const record = playerRecordOf(await this.#reader.entry(head.index));
        if (record) this.turn.played(record);
      } else await this.#take(head, await this.#decoder.events(head.index));
    }
  }

  async #take({ index, kind, chunk }: RecordHead, events: readonly SpeechEvent[] | null): Promise<void> {
    const sample = this.turn.samples;
    const { problem } = events
      ? await this.turn.take(events, chunk)
      : { problem: 'The payload was not kept.' };
    if (kind !== 'audio') return;
    const frame = { index, chunk, sample, count: this.turn.samples - sample, problem };
    this.#frames.push(frame);
    this.#places.set(index, frame);
  }
}
