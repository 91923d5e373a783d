import { madeOnce, remember } from '#lib/collections/maps.ts';
import { decoders } from '#player/decoders.ts';
import { PcmStore } from '#player/pcm-store.ts';
import type { Intent } from '#protocol/core/endpoint.ts';
import { type AudioEvent, ONLY_CONTEXT, type SpeechEvent } from '#protocol/core/speech-event.ts';
import { TextScript } from '#protocol/lint/text-script.ts';
import { endpointNamed } from '#protocol/registry.ts';
import { NO_LIMITS } from './chunks.ts';
import { isClose, KEPT_CONNECTIONS, openingOf } from './connection.ts';
import type { NewEntry } from './entry.ts';
import { type HeardRecord, measuredWords, type PlayerRecord, playerRecordOf } from './player-entry.ts';
import { mainEvent } from './recorded-event.ts';
import { type Decoded, Trace } from './trace.ts';
import { Turn } from './turn.ts';
import { type ReferenceSource, searchText } from './words/text-search.ts';

/** Limits of the sound in one file, because an imported recording may claim any amount. */
export interface SoundLimits {
  samples: number;
  /** Turns, or parts of turns with another rate. */
  pieces: number;
}

export const SOUND_LIMITS: SoundLimits = {
  // Sound is held whole, once as samples and once as the file: half a gigabyte each, three hours at 24 kHz.
  samples: 2 ** 28,
  // Even the smallest piece takes 32 KiB.
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

/**
 * The samples of a turn, decoded by the rules of the player: half a sample is carried over to the next frame, a faulty frame
 * adds nothing, and the turn has the rate of its first audio.
 */
export class DecodedSound {
  readonly #stores = new Map<number, PcmStore>();
  readonly #newStore: (sampleRate: number) => PcmStore;
  #audio: PcmStore | null = null;

  constructor(newStore = (sampleRate: number): PcmStore => new PcmStore(sampleRate)) {
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

  /** The sound of frames by themselves, with why some of it is missing. */
  static async of(
    events: readonly SpeechEvent[],
  ): Promise<{ audio: PcmStore | null; problem: string | null }> {
    const sound = new DecodedSound();
    let problem: string | null = null;
    for (const event of events) {
      if (event.type !== 'audio') continue;
      while (!decoders.isReady(event.encoding)) await decoders.ready(event.encoding);
      problem = sound.add(event).problem ?? problem;
    }
    sound.close();
    return { audio: sound.audio, problem };
  }

  /**
   * Adds an audio frame, once its decoder is ready.
   * @returns the samples that the frame added to any store, those in {@link audio}, and why these are not all
   */
  add({ sampleRate, payload, encoding }: AudioEvent): {
    added: number;
    samples: number;
    problem: string | null;
  } {
    const store = madeOnce(this.#stores, sampleRate, () => this.#newStore(sampleRate));
    const result = store.appendPayload(payload, encoding);
    if ('problem' in result) return { added: 0, samples: 0, problem: result.problem };
    const added = result.samples;
    this.#audio ??= store;
    if (this.#audio === store) return { added, samples: added, problem: null };
    const problem = `The turn began at ${this.#audio.sampleRate} Hz, this audio frame is at ${sampleRate} Hz.`;
    return { added, samples: 0, problem };
  }

  /** Releases the decoders of compressed audio. */
  close(): void {
    for (const store of this.stores) store.close();
  }
}

/** An audio frame of a turn. Samples are counted from the first of the turn. */
export interface TurnFrame {
  /** Of its entry. */
  index: number;
  atUs: number;
  chunk: number | null;
  sample: number;
  /** The samples that it added. */
  count: number;
  /** Why it could not be decoded, and added nothing. */
  problem: string | null;
}

/** The turn and the context of an entry, by which its turn is found. */
export type NotedPlace = Pick<NewEntry, 'turn' | 'context'>;

/** One turn of a recording, rebuilt from its frames in order, with its samples and what was recorded of the player. */
export class RecordedTurn extends Turn {
  /** The turn and context of its entries. */
  readonly place: NotedPlace;
  readonly sound: DecodedSound;
  /** The last record of the player; null where it has none. */
  heard: HeardRecord | null = null;
  /** The heard text of an interrupted turn, as the server says; null where it does not. */
  heardByServer: string | null = null;
  /** As the client asked for it; null for that of the text. */
  language: string | null = null;
  /** The lengths of underruns in samples, by the missing sample. */
  readonly silences = new Map<number, number>();
  readonly #frames: TurnFrame[] = [];

  constructor(place: NotedPlace, sound = new DecodedSound()) {
    super(place.turn ?? 0, place.context ?? ONLY_CONTEXT, NO_LIMITS);
    this.place = place;
    this.sound = sound;
  }

  /** Its audio frames in order. */
  get frames(): readonly TurnFrame[] {
    return this.#frames;
  }

  /** The frame that carries a sample; undefined where none does. */
  frameAt(sample: number): TurnFrame | undefined {
    return this.#frames.find((frame) => sample >= frame.sample && sample < frame.sample + frame.count);
  }

  /**
   * Adds a frame whose decoders are ready.
   * @param events of one received frame
   * @param head its entry, whose chunk wins, because a dialect that was not told of all frames may count otherwise
   * @param index by which a reader of {@link frames} finds the entry
   * @returns the samples that the frame added to any store
   */
  read(
    events: readonly SpeechEvent[],
    { chunk: stored, atUs }: Pick<NewEntry, 'chunk' | 'atUs'>,
    index = 0,
  ): number {
    const main = mainEvent(events);
    const counted = main && 'chunk' in main ? main.chunk : null;
    const atMs = atUs / 1000;
    const first = this.samples;
    let samplesRead = 0;
    let frame: TurnFrame | null = null;
    for (const event of events) {
      if (event.type === 'turnEnded') {
        this.take(event, atMs);
        this.end('ended', atMs);
      }
      if (!isSpeech(event)) continue;
      const chunk = event.chunk === counted ? (stored ?? event.chunk) : event.chunk;
      this.take({ ...event, chunk }, atMs);
      if (event.type !== 'audio') continue;
      const { added, samples, problem } = this.sound.add(event);
      this.decoded({ chunk, sampleRate: event.sampleRate, samples, arrivedMs: atMs });
      samplesRead += added;
      frame ??= { index, atUs, chunk, sample: first, count: 0, problem: null };
      frame.count += samples;
      frame.problem = problem ?? frame.problem;
    }
    if (frame) this.#frames.push(frame);
    return samplesRead;
  }

  /** Notes an audio frame whose payload was not kept. */
  missed({ chunk, atUs }: Pick<NewEntry, 'chunk' | 'atUs'>, index: number): void {
    const problem = 'The payload was not kept.';
    this.#frames.push({ index, atUs, chunk, sample: this.samples, count: 0, problem });
  }

  played(record: PlayerRecord): void {
    if (record.kind === 'heard') this.heard = record;
    else if (record.kind === 'underrun') {
      if (record.end === 'resumed') this.silences.set(record.sample, record.samples);
    } else {
      const known = this.placedChunks.find(record.chunk);
      const words = known && measuredWords(record, known.text);
      if (words) this.chunkAt(record.chunk).measured = words;
    }
  }

  /** Finds the words of its chunks in its samples that the recording does not have. None where no reference can be had. */
  async measure(source: ReferenceSource, pause: () => Promise<void>): Promise<void> {
    const audio = this.sound.audio;
    for (const { id, text, startSample, samples, completedMs, measured } of this.chunks) {
      if (!audio || !text || samples === 0 || measured) continue;
      const spoken = {
        text,
        language: this.language,
        sampleRate: audio.sampleRate,
        samples: audio.slice(startSample, startSample + samples),
        isWhole: completedMs !== null || this.state === 'ended',
      };
      // A busy server costs one chunk.
      const words = await searchText(source, spoken, pause).catch(() => undefined);
      if (words === null) return;
      if (words) this.chunkAt(id).measured = words;
    }
  }
}

type ChunkEvent = Exclude<Extract<SpeechEvent, { chunk: number }>, { type: 'error' }>;

const isSpeech = (event: SpeechEvent): event is ChunkEvent => 'chunk' in event && event.type !== 'error';

/** Frames without a turn are kept by their context. */
const keyOf = ({ turn, context }: NotedPlace): TurnKey => turn ?? JSON.stringify([context]);

type TurnKey = number | string;

/** Turns with text that have no speech so far. A client may send any number of them. */
const KEPT_UNSPOKEN = 1000;

/**
 * Rebuilds the turns of a recording from its entries in order. Which turn a frame belongs to is read, never decided: it
 * was noted when the frame was recorded, captured or imported.
 */
export class RecordedSpeech {
  readonly #trace: Trace;
  readonly #limits: SoundLimits | null;
  readonly #turns = new Map<TurnKey, RecordedTurn>();
  /** Turns that are none of the recording so far, because they have text alone. */
  readonly #unspoken = new Map<TurnKey, RecordedTurn>();
  readonly #flushEndsTurn: boolean;
  /** The languages that are asked for, by connection. */
  readonly #languages = new Map<number, TextScript>();
  /** The turn of the last speech of each connection. */
  readonly #latest = new Map<number, RecordedTurn>();
  #samples = 0;
  #pieces = 0;

  /**
   * @param endpoint its registry name; an unknown one has no speech
   * @param limits of the samples, which are only counted where this is null
   */
  constructor(endpoint: string, limits: SoundLimits | null) {
    const known = endpointNamed(endpoint);
    this.#trace = new Trace(known);
    this.#flushEndsTurn = known?.flushEndsTurn ?? true;
    this.#limits = limits;
  }

  /** In the order of their first frames. */
  get turns(): readonly RecordedTurn[] {
    return [...this.#turns.values()];
  }

  /**
   * Returns what the entry says.
   * @param index by which a reader of {@link RecordedTurn.frames} finds the entry again
   * @throws Error where there is too much sound
   */
  async add(entry: NewEntry, index = 0): Promise<Decoded> {
    const record = entry.turn === null ? null : playerRecordOf(entry);
    if (record) this.#turnAt(entry).played(record);
    const decoded = this.#trace.decode(entry);
    const { events, intents } = decoded;
    const opening = openingOf(entry);
    if (opening)
      remember(this.#languages, entry.connection, new TextScript(opening.address), KEPT_CONNECTIONS);
    if (entry.direction === 'out') this.#languages.get(entry.connection)?.sent(entry);
    for (const intent of intents) this.#sent(intent, entry);
    for (const event of events) {
      if (event.type === 'interrupted' && event.heard !== undefined && entry.turn !== null)
        this.#turnAt(entry).heardByServer ??= event.heard;
    }
    if (!events.some(isSpeech)) {
      // A turn without speech is none of a recording.
      if (events.some(({ type }) => type === 'turnEnded')) this.turnOf(entry)?.read(events, entry, index);
      return decoded;
    }
    for (const event of events)
      while (event.type === 'audio' && !decoders.isReady(event.encoding))
        await decoders.ready(event.encoding);
    // The end of a connection may complete its turn.
    const turn = (isClose(entry) && this.#latest.get(entry.connection)) || this.#turnAt(entry);
    this.#latest.set(entry.connection, turn);
    this.#samples += turn.read(events, entry, index);
    if (this.#limits) checkLength('samples', this.#samples, this.#limits, turn.sound.audio?.sampleRate ?? 0);
    return decoded;
  }

  /** Returns what an entry says whose turn is forgotten, and keeps nothing of it. */
  pass(entry: NewEntry): Decoded {
    const decoded = this.#trace.decode(entry);
    if (decoded.events.some(isSpeech)) this.#latest.delete(entry.connection);
    return decoded;
  }

  /** The turn of an entry; null before its first speech. */
  turnOf(entry: NotedPlace): RecordedTurn | null {
    return this.#turns.get(keyOf(entry)) ?? null;
  }

  /** Releases the samples of a turn, which is over. */
  forget(turn: RecordedTurn): void {
    const { stores } = turn.sound;
    turn.sound.close();
    this.#turns.delete(keyOf(turn.place));
    this.#samples -= stores.reduce((sum, { length }) => sum + length, 0);
    this.#pieces -= stores.length;
    for (const [connection, latest] of this.#latest) if (latest === turn) this.#latest.delete(connection);
  }

  #sent(intent: Intent, entry: NewEntry): void {
    // A cancel is about a turn of its own.
    if (entry.turn === null || intent.kind === 'cancel') return;
    const key = keyOf(entry);
    const turn = this.#turns.get(key) ?? this.#unspoken.get(key) ?? this.#begin(entry);
    if (!this.#turns.has(key)) remember(this.#unspoken, key, turn, KEPT_UNSPOKEN);
    turn.language ??= this.#languages.get(entry.connection)?.languageOf(entry.context) ?? null;
    turn.takeSent(intent, entry.atUs / 1000, this.#flushEndsTurn);
  }

  #turnAt(entry: NewEntry): RecordedTurn {
    const key = keyOf(entry);
    const turn = madeOnce(this.#turns, key, () => this.#unspoken.get(key) ?? this.#begin(entry));
    this.#unspoken.delete(key);
    return turn;
  }

  #begin({ turn, context }: NewEntry): RecordedTurn {
    const newStore = (sampleRate: number): PcmStore => this.#newStore(sampleRate);
    return new RecordedTurn({ turn, context }, new DecodedSound(newStore));
  }

  #newStore(sampleRate: number): PcmStore {
    if (!this.#limits) return new PcmStore(sampleRate, 'counted');
    this.#pieces += 1;
    checkLength('pieces', this.#pieces, this.#limits, sampleRate);
    return new PcmStore(sampleRate);
  }
}
