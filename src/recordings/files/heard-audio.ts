import { type HeardRecord, playerRecordOf } from '../format/player-entry.ts';
import type { RecordEntry } from '../format/record.ts';
import {
  byContext,
  checkLength,
  type ReceivedAudio,
  ReceivedAudioCollector,
  SOUND_LIMITS,
  type SoundLimits,
} from './received-audio.ts';

export interface HeardOptions {
  /** Where the player ran dry, as many samples of silence as were heard instead of the turn; left out otherwise. */
  withSilence: boolean;
}

interface Heard {
  context: string | null;
  record: HeardRecord;
}

/**
 * Collects what was heard of a recording from its entries, added in their order: the samples that were received, as the
 * player's own entries tell which of them left the speakers. What was dropped is not in it, and the few milliseconds that
 * were heard twice are there twice. A turn of which nothing tells that it was heard is not there at all.
 */
export class HeardAudioCollector {
  readonly #received: ReceivedAudioCollector;
  /** By turn, in the order in which they were over. */
  readonly #heard = new Map<number, Heard>();
  /** By turn: the sample that was missing, and how many of silence there were. */
  readonly #silences = new Map<number, Map<number, number>>();
  readonly #limits: SoundLimits;

  /**
   * @param endpoint its registry name; nothing is found under one that is not known
   * @param limits more is neither taken nor made
   */
  constructor(endpoint: string, limits = SOUND_LIMITS) {
    this.#received = new ReceivedAudioCollector(endpoint, limits);
    this.#limits = limits;
  }

  /** Audio frames that could not be read, each counted once. */
  get unreadable(): number {
    return this.#received.unreadable;
  }

  /** @throws Error where there is too much of it */
  add(entry: RecordEntry): void {
    this.#received.add(entry);
    const { turn, context } = entry;
    const record = playerRecordOf(entry);
    if (!record || turn === null) return;
    if (record.kind === 'heard') {
      this.#heard.set(turn, { context, record });
      return;
    }
    if (record.end !== 'resumed') return;
    const silences = this.#silences.get(turn) ?? new Map<number, number>();
    silences.set(record.sample, record.samples);
    this.#silences.set(turn, silences);
  }

  /**
   * In the order in which they began to be heard.
   * @throws Error where one of them is too long
   */
  turns(options: HeardOptions): ReceivedAudio[] {
    return this.#plans(options).map(({ turn, ...plan }) => ({ ...this.#made([plan]), turn }));
  }

  /**
   * All turns of a context, end to end: the pauses between them are left out.
   * @throws Error where one of them is too long
   */
  contexts(options: HeardOptions): ReceivedAudio[] {
    return byContext(this.#plans(options), ({ sampleRate }) => sampleRate).map((plans) => ({
      ...this.#made(plans),
      turn: null,
    }));
  }

  #plans({ withSilence }: HeardOptions): Plan[] {
    const received = new Map(
      this.#received.turns().map((audio) => [`${audio.turn} ${audio.sampleRate}`, audio]),
    );
    return [...this.#heard]
      .toSorted(([, a], [, b]) => startOf(a) - startOf(b))
      .flatMap(([turn, { context, record }]) => {
        const audio = received.get(`${turn} ${record.sampleRate}`);
        if (!audio) return [];
        const { sampleRate, samples } = audio;
        const silences = (withSilence && this.#silences.get(turn)) || NO_SILENCES;
        const pieces = piecesOf(samples, record, silences);
        const length = pieces.reduce((sum, { silent, sound }) => sum + silent + sound.length, 0);
        return length === 0 ? [] : [{ turn, context, sampleRate, pieces, length }];
      });
  }

  #made(plans: readonly Omit<Plan, 'turn'>[]): Omit<ReceivedAudio, 'turn'> {
    const { context = null, sampleRate = 0 } = plans[0] ?? {};
    const length = plans.reduce((sum, plan) => sum + plan.length, 0);
    checkLength('samples', length, this.#limits);
    const samples = new Int16Array(length);
    let at = 0;
    for (const { pieces } of plans) {
      for (const { silent, sound } of pieces) {
        samples.set(sound, at + silent);
        at += silent + sound.length;
      }
    }
    return { context, sampleRate, samples };
  }
}

/** Silence in samples, and what was heard behind it: a view of what was received. */
interface PlannedPiece {
  silent: number;
  sound: Int16Array<ArrayBuffer>;
}

/** What was heard of a turn, before any of it is copied: how much that is, a file from elsewhere says as it likes. */
interface Plan {
  turn: number;
  context: string | null;
  sampleRate: number;
  pieces: readonly PlannedPiece[];
  length: number;
}

const NO_SILENCES: ReadonlyMap<number, number> = new Map();

const startOf = ({ record }: Heard): number => record.spans[0]?.atUs ?? Number.POSITIVE_INFINITY;

function piecesOf(
  received: Int16Array<ArrayBuffer>,
  { spans }: HeardRecord,
  silences: ReadonlyMap<number, number>,
): PlannedPiece[] {
  return spans.map(({ sample, count }) => {
    const silent = silences.get(sample) ?? 0;
    return {
      // Nothing says how long a silence may be that comes from a file.
      silent: silent <= MAX_SILENCE_SAMPLES ? silent : 0,
      sound: received.subarray(sample, sample + count),
    };
  });
}

/** Ten minutes at 48 kHz. */
const MAX_SILENCE_SAMPLES = 600 * 48_000;
