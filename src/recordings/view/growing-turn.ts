import type { RecordHead } from '#trace/entry.ts';
import { playerRecordOf } from '#trace/player-entry.ts';
import { RecordedTurn } from '#trace/recorded-speech.ts';
import type { FrameIndex } from '../store/frame-index.ts';
import { addMatches } from './filter.ts';
import type { EntryReader, FrameReader } from './frame-reader.ts';

/** One turn of the shown recording, rebuilt as far as that has grown. */
export class GrowingTurn {
  readonly turn: RecordedTurn;
  readonly #id: number;
  readonly #index: FrameIndex;
  readonly #reader: EntryReader;
  readonly #decoder: FrameReader;
  #scanned = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(id: number, index: FrameIndex, reader: EntryReader, decoder: FrameReader) {
    this.#id = id;
    this.turn = new RecordedTurn({ turn: id, context: null });
    this.#index = index;
    this.#reader = reader;
    this.#decoder = decoder;
  }

  update(): Promise<void> {
    this.#last = this.#last.then(() => this.#takeIn());
    return this.#last;
  }

  async #takeIn(): Promise<void> {
    const { length } = this.#index;
    const fresh: number[] = [];
    addMatches({ turns: [this.#id] }, this.#index, this.#scanned, length, fresh);
    this.#scanned = length;
    for (const entry of fresh) await this.#take(this.#index.head(entry));
  }

  async #take(head: RecordHead): Promise<void> {
    const { index, direction, kind } = head;
    if (direction === 'player' && kind === 'heard') {
      const record = playerRecordOf(await this.#reader.entry(index));
      if (record) this.turn.played(record);
    } else if (direction === 'in' && (kind === 'audio' || kind === 'words' || kind === 'chunkStarted')) {
      const events = await this.#decoder.events(index);
      if (events) await this.turn.read(events, head, index);
      else if (kind === 'audio') this.turn.missed(head, index);
    }
  }
}
