import { madeOnce } from '#lib/collections/maps.ts';
import { PcmStore } from '#player/pcm-store.ts';
import type { SpeechEvent, SpokenWord } from '#protocol/core/speech-event.ts';
import { endpointNamed } from '#protocol/registry.ts';
import { isClose } from './connection.ts';
import type { NewEntry } from './entry.ts';
import { type HeardRecord, type PlayerRecord, playerRecordOf } from './player-entry.ts';
import { mainEvent } from './recorded-event.ts';
import { Trace } from './trace.ts';
import { joinedWords } from './word-timings.ts';

/** Limits of the sound in one file, because an imported recording may claim any amount. */
export interface SoundLimits {
  samples: number;
  /** Turns, or parts of turns with another rate. */
  pieces: number;
}

export const SOUND_LIMITS: SoundLimits = {
  // Sound is held whole, once as samples and once as the file: half a gigabyte each, three hours at 24 kHz.
  samples: 2 ** 28,
  // Even the smallest piece takes 128 KiB.
  pieces: 2 ** 14,
};

/** @param sampleRate of the sound, in Hz @throws Error above the limit */
export function checkLength(
  what: keyof SoundLimits,
  count: number,
  limits: SoundLimits,
  sampleRate: number,
): void {
  const most = limits[what];
  if (count <= most) return;
  const much =
    what === 'samples'
      ? `more than ${most.toLocaleString('en')} samples, as many as in ${(most / sampleRate / 3600).toFixed(1)} hours at ${sampleRate / 1000} kHz`
      : `of more than ${most.toLocaleString('en')} turns`;
  throw new Error(
    `This is more sound than one file may hold: ${much}. A smaller part of the recording may fit.`,
  );
}

export interface RecordedChunk {
  id: number;
  text: string | null;
  /** With the server's times; null where it sent none. */
  words: readonly SpokenWord[] | null;
  /** Its first sample in the turn's audio, and how many it has. */
  startSample: number;
  samples: number;
  isComplete: boolean;
  /** As measured by the server; null where it reports none. */
  generationMs: number | null;
  /** Length of its audio as the server says; null where it does not. */
  statedSeconds: number | null;
}

/**
 * One turn of a recording, rebuilt from its frames in order by the rules of the player: half a sample is carried over to
 * the next frame, a faulty frame adds nothing, and the turn has the rate of its first audio.
 */
export class RecordedTurn {
  readonly id: number | null;
  readonly context: string | null;
  /** The last record of the player; null where it has none. */
  heard: HeardRecord | null = null;
  /** The heard text of an interrupted turn, as the server says; null where it does not. */
  heardByServer: string | null = null;
  /** The lengths of underruns in samples, by the missing sample. */
  readonly silences = new Map<number, number>();
  readonly #chunks = new Map<number, RecordedChunk>();
  readonly #stores = new Map<number, PcmStore>();
  #audio: PcmStore | null = null;
  readonly #newStore: (sampleRate: number) => PcmStore;

  constructor(
    id: number | null = null,
    context: string | null = null,
    newStore = (sampleRate: number): PcmStore => new PcmStore(sampleRate),
  ) {
    this.id = id;
    this.context = context;
    this.#newStore = newStore;
  }

  /** Its samples; null before the first audio. */
  get audio(): PcmStore | null {
    return this.#audio;
  }

  /** Also the audio of other rates, which is not heard, each rate in a store of its own. */
  get stores(): readonly PcmStore[] {
    return [...this.#stores.values()];
  }

  get samples(): number {
    return this.#audio?.length ?? 0;
  }

  /** In the order of their first frames. */
  get chunks(): readonly Readonly<RecordedChunk>[] {
    return [...this.#chunks.values()];
  }

  /**
   * @param events of one received frame
   * @param stored the chunk of the frame in the recording, which wins, because a dialect that was not told of all frames
   *   may count otherwise; null where none is stored
   * @returns the samples that the frame added to any store, and why not all of its audio is in {@link audio}
   */
  async take(
    events: readonly SpeechEvent[],
    stored: number | null = null,
  ): Promise<{ samples: number; problem: string | null }> {
    const main = mainEvent(events);
    const counted = main && 'chunk' in main ? main.chunk : null;
    let samples = 0;
    let problem: string | null = null;
    for (const event of events) {
      if (!isSpeech(event)) continue;
      const chunk = this.#chunk(event.chunk === counted ? (stored ?? counted) : event.chunk);
      if (event.type === 'chunkStarted') chunk.text = event.text;
      else if (event.type === 'words') chunk.words = joinedWords(chunk.words, event.words, chunk.text);
      else if (event.type === 'chunkCompleted') {
        chunk.isComplete = true;
        chunk.generationMs = event.generationMs;
        chunk.statedSeconds = event.audioSeconds;
      } else if (event.type === 'audio') {
        const { sampleRate, payload, encoding } = event;
        const store = madeOnce(this.#stores, sampleRate, () => this.#newStore(sampleRate));
        const result = await store.appendWhenReady(payload, encoding);
        if ('problem' in result) {
          problem = result.problem;
          continue;
        }
        samples += result.samples;
        this.#audio ??= store;
        if (this.#audio !== store) {
          problem = `The turn began at ${this.#audio.sampleRate} Hz, this audio frame is at ${sampleRate} Hz.`;
          continue;
        }
        // A chunk may be announced while audio of the one before it still arrives.
        if (chunk.samples === 0) chunk.startSample = store.length - result.samples;
        chunk.samples += result.samples;
      }
    }
    return { samples, problem };
  }

  /** Releases the decoders of compressed audio. */
  close(): void {
    for (const store of this.stores) store.close();
  }

  played(record: PlayerRecord): void {
    if (record.kind === 'heard') this.heard = record;
    else if (record.end === 'resumed') this.silences.set(record.sample, record.samples);
  }

  #chunk(id: number): RecordedChunk {
    return madeOnce(this.#chunks, id, () => ({
      id,
      text: null,
      words: null,
      startSample: this.samples,
      samples: 0,
      isComplete: false,
      generationMs: null,
      statedSeconds: null,
    }));
  }
}

type ChunkEvent = Exclude<Extract<SpeechEvent, { chunk: number }>, { type: 'error' }>;

const isSpeech = (event: SpeechEvent): event is ChunkEvent => 'chunk' in event && event.type !== 'error';

/** Frames without a turn are kept by their context. */
const keyOf = ({ turn, context }: Pick<NewEntry, 'turn' | 'context'>): TurnKey =>
  turn ?? JSON.stringify([context]);

type TurnKey = number | string;

/**
 * Rebuilds the turns of a recording from its entries in order. Which turn a frame belongs to is read, never decided: it
 * was noted when the frame was recorded, captured or imported.
 */
export class RecordedSpeech {
  readonly #trace: Trace;
  readonly #limits: SoundLimits | null;
  readonly #turns = new Map<TurnKey, RecordedTurn>();
  /** The turn of the last speech of each connection. */
  readonly #latest = new Map<number, RecordedTurn>();
  #samples = 0;
  #pieces = 0;

  /**
   * @param endpoint its registry name; an unknown one has no speech
   * @param limits of the samples, which are only counted where this is null
   */
  constructor(endpoint: string, limits: SoundLimits | null) {
    this.#trace = new Trace(endpointNamed(endpoint));
    this.#limits = limits;
  }

  /** In the order of their first frames. */
  get turns(): readonly RecordedTurn[] {
    return [...this.#turns.values()];
  }

  /** Returns the events of the entry. @throws Error where there is too much sound */
  async add(entry: NewEntry): Promise<readonly SpeechEvent[]> {
    const record = entry.turn === null ? null : playerRecordOf(entry);
    if (record) this.#turnAt(entry).played(record);
    const events = this.#trace.decode(entry);
    for (const event of events) {
      if (event.type === 'interrupted' && event.heard !== undefined && entry.turn !== null)
        this.#turnAt(entry).heardByServer ??= event.heard;
    }
    if (!events.some(isSpeech)) return events;
    // The end of a connection may complete its turn.
    const turn = (isClose(entry) && this.#latest.get(entry.connection)) || this.#turnAt(entry);
    this.#latest.set(entry.connection, turn);
    this.#samples += (await turn.take(events, entry.chunk)).samples;
    if (this.#limits) checkLength('samples', this.#samples, this.#limits, turn.audio?.sampleRate ?? 0);
    return events;
  }

  /** Returns the events of an entry whose turn is forgotten, and keeps nothing of it: each store begins with a large block. */
  pass(entry: NewEntry): readonly SpeechEvent[] {
    const events = this.#trace.decode(entry);
    if (events.some(isSpeech)) this.#latest.delete(entry.connection);
    return events;
  }

  /** The turn of an entry; null before its first speech. */
  turnOf(entry: Pick<NewEntry, 'turn' | 'context'>): RecordedTurn | null {
    return this.#turns.get(keyOf(entry)) ?? null;
  }

  /** Releases the samples of a turn, which is over. */
  forget(turn: RecordedTurn): void {
    turn.close();
    this.#turns.delete(keyOf({ turn: turn.id, context: turn.context }));
    this.#samples -= turn.stores.reduce((sum, { length }) => sum + length, 0);
    this.#pieces -= turn.stores.length;
    for (const [connection, latest] of this.#latest) if (latest === turn) this.#latest.delete(connection);
  }

  #turnAt(entry: NewEntry): RecordedTurn {
    const { turn: id, context } = entry;
    const newStore = (sampleRate: number): PcmStore => this.#newStore(sampleRate);
    return madeOnce(this.#turns, keyOf(entry), () => new RecordedTurn(id, context, newStore));
  }

  #newStore(sampleRate: number): PcmStore {
    if (!this.#limits) return new PcmStore(sampleRate, 'counted');
    this.#pieces += 1;
    checkLength('pieces', this.#pieces, this.#limits, sampleRate);
    return new PcmStore(sampleRate);
  }
}
