import { remember } from '#lib/collections/maps.ts';
import type { AudioFormat } from '#protocol/core/audio-format.ts';
import type { Dialect, Endpoint } from '#protocol/core/endpoint.ts';
import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { KEPT_CONNECTIONS, openingOf, reopen } from '#trace/connection.ts';
import { DecodedSound } from '#trace/recorded-speech.ts';
import { type FrameIndex, isSameAudio } from '../store/frame-index.ts';
import type { ShownEntry } from '../store/payload-reader.ts';
import { addMatches, type Filter } from './filter.ts';

export interface EntryReader {
  entry(index: number): Promise<ShownEntry>;
}

/** The sound in one frame. */
export type FrameAudio = { format: AudioFormat; samples: Int16Array<ArrayBuffer> } | { problem: string };

/** Decodes single received frames of a recording, in any order, each as its connection was opened. */
export class FrameReader {
  readonly #index: FrameIndex;
  readonly #reader: EntryReader;
  readonly #endpoints: readonly Endpoint[];
  readonly #dialects = new Map<number, readonly Dialect[]>();
  /** The opening entry of each connection, as far as the index was scanned. */
  readonly #openings = new Map<number, number>();
  #scanned = 0;

  /** @param endpoint null for an unknown one: the first endpoint that finds audio in a frame then decodes it */
  constructor(index: FrameIndex, reader: EntryReader, endpoint: Endpoint | null) {
    this.#index = index;
    this.#reader = reader;
    this.#endpoints = endpoint ? [endpoint] : ENDPOINTS;
  }

  /** Returns the events of a received frame; null where its payload was not kept. */
  async events(entry: number): Promise<readonly SpeechEvent[] | null> {
    const { connection, payload } = await this.#reader.entry(entry);
    if (payload === null) return null;
    const dialects = this.#dialects.get(connection) ?? (await this.#reopen(connection));
    remember(this.#dialects, connection, dialects, KEPT_CONNECTIONS);
    const read = dialects.map((dialect) => dialect.decode(payload));
    return read.find((events) => events.some(({ type }) => type === 'audio')) ?? read[0] ?? [];
  }

  /** Returns the sound in a received frame; null where it carries none. */
  async audio(entry: number): Promise<FrameAudio | null> {
    const { direction, kind, opcode } = this.#index.head(entry);
    // Some endpoints read any bytes as audio.
    if (direction !== 'in' || (opcode === 'binary' && kind !== 'audio')) return null;
    const events = (await this.events(entry)) ?? [];
    const event = events.find(({ type }) => type === 'audio');
    if (event?.type !== 'audio') return null;
    const { encoding, sampleRate } = event;
    const { audio, problem } = await DecodedSound.of(events);
    if (problem !== null) return { problem };
    return { format: { encoding, sampleRate }, samples: audio?.slice() ?? new Int16Array() };
  }

  /**
   * Returns the events of a run of audio, by frame; of a long run, of `atMost` frames at equal distances.
   * @param first index of its first entry. Entries of other runs may lie between it and `last`.
   */
  async run(
    first: number,
    last: number,
    atMost: number,
  ): Promise<{ frames: (readonly SpeechEvent[])[]; isWhole: boolean }> {
    const index = this.#index;
    const entries: number[] = [];
    for (let entry = first; index.has(last) && entry <= last; entry += 1) {
      if (isSameAudio(index.head(entry), index.head(first))) entries.push(entry);
    }
    const isWhole = entries.length <= atMost;
    const frames: (readonly SpeechEvent[])[] = [];
    for (let place = 0; place < Math.min(atMost, entries.length); place += 1) {
      const at = isWhole ? place : Math.floor(((place + 0.5) * entries.length) / atMost);
      const events = await this.events(entries[at] ?? first);
      if (events) frames.push(events);
    }
    return { frames, isWhole };
  }

  async #reopen(connection: number): Promise<readonly Dialect[]> {
    const found: number[] = [];
    // The kind of a received frame in a file may be any text.
    const filter: Filter = { directions: ['connection'], kinds: ['opening'] };
    addMatches(filter, this.#index, this.#scanned, this.#index.length, found);
    this.#scanned = this.#index.length;
    for (const entry of found) this.#openings.set(this.#index.head(entry).connection, entry);
    const entry = this.#openings.get(connection);
    const opening = entry === undefined ? null : openingOf(await this.#reader.entry(entry));
    return this.#endpoints.map((endpoint) => reopen(endpoint, opening));
  }
}
