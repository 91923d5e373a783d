import { remember } from '#lib/remember.ts';
import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import type { FrameIndex } from '../store/frame-index.ts';
import { ENVELOPE_COLUMNS, type Envelope, envelopeOf, loudnessOf } from './envelope.ts';
import type { ListRow } from './frame-list.ts';
import type { EntryReader, FrameReader } from './frame-reader.ts';
import { summaryOf } from './summary.ts';

/** The part of a row that comes from payloads; null where there is none, or it was not read. */
export interface RowContent {
  /** Of a single entry. */
  summary: string | null;
  /** Of received audio. */
  envelope: Envelope | null;
}

export type ShownRow = ListRow & RowContent;

export interface RowsAnswer {
  layout: number;
  rows: readonly ShownRow[];
  /** The rows include their readable contents. */
  hasContents: boolean;
  /** Why some contents could not be read. */
  problem: string | null;
}

export const NO_CONTENT: RowContent = { summary: null, envelope: null };

const MAX_SUMMARIES = 4096;
const MAX_ENVELOPES = 2048;

/** Reads and caches the contents of rows of one recording. */
export class RowContents {
  readonly #index: FrameIndex;
  readonly #reader: EntryReader;
  readonly #decoder: FrameReader;
  readonly #summaries = new Map<number, string>();
  /** By row. A run that has grown since ends with another entry. */
  readonly #envelopes = new Map<string, { last: number; envelope: Envelope | null }>();

  constructor(index: FrameIndex, reader: EntryReader, decoder: FrameReader) {
    this.#index = index;
    this.#reader = reader;
    this.#decoder = decoder;
  }

  /** @param failed called with the reason where a payload cannot be read, which leaves that content null */
  async read(row: ListRow, failed: (error: unknown) => void): Promise<RowContent> {
    const orNull = <Content>(content: Promise<Content>): Promise<Content | null> =>
      content.catch((error) => {
        failed(error);
        return null;
      });
    if (row.type === 'run') {
      const { first, last } = row;
      return {
        summary: null,
        envelope: await orNull(this.#envelope(`run ${first.index}`, first.index, last)),
      };
    }
    const { index, kind, direction } = row.head;
    const isReceivedAudio = kind === 'audio' && direction === 'in';
    return {
      summary: await orNull(this.#summary(row)),
      envelope: isReceivedAudio ? await orNull(this.#envelope(String(index), index, index)) : null,
    };
  }

  async #summary({ head }: Extract<ListRow, { type: 'entry' }>): Promise<string> {
    const { index } = head;
    let summary = this.#summaries.get(index);
    // The head of an audio entry says enough, so its payload is not read.
    summary ??= summaryOf(
      head.audioMs === null ? await this.#reader.entry(index) : { ...head, payload: null },
    );
    remember(this.#summaries, index, summary, MAX_SUMMARIES);
    return summary;
  }

  async #envelope(row: string, first: number, last: number): Promise<Envelope | null> {
    const known = this.#envelopes.get(row);
    const envelope = known?.last === last ? known.envelope : await this.#decodeEnvelope(first, last);
    remember(this.#envelopes, row, { last, envelope }, MAX_ENVELOPES);
    return envelope;
  }

  /** Returns the waveform of a run; null where nothing can be decoded. Of a long run, one frame a column is decoded. */
  async #decodeEnvelope(first: number, last: number): Promise<Envelope | null> {
    const { indexes, isWhole } = sampleAudio(first, last, this.#index);
    const frames: (readonly SpeechEvent[])[] = [];
    for (const entry of indexes) {
      const events = await this.#decoder.events(entry);
      if (events) frames.push(events);
    }
    return isWhole ? envelopeOf(frames) : loudnessOf(frames);
  }
}

function sampleAudio(
  first: number,
  last: number,
  index: FrameIndex,
): { indexes: number[]; isWhole: boolean } {
  if (!index.has(first) || !index.has(last)) return { indexes: [], isWhole: true };
  const alike: number[] = [];
  for (let entry = first; entry <= last; entry += 1) {
    if (index.isSameAudio(entry, first)) alike.push(entry);
  }
  if (alike.length <= ENVELOPE_COLUMNS) return { indexes: alike, isWhole: true };
  const indexes = Array.from({ length: ENVELOPE_COLUMNS }, (_, column) => {
    const at = Math.floor(((column + 0.5) * alike.length) / ENVELOPE_COLUMNS);
    return alike[at] ?? first;
  });
  return { indexes, isWhole: false };
}
