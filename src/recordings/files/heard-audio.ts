import type { RecordEntry } from '#record/record.ts';
import { type HeardRecord, playerRecordOf } from '../format/player-entry.ts';
import {
  byContext,
  checkLength,
  type ReceivedAudio,
  ReceivedAudioCollector,
  SOUND_LIMITS,
  type SoundLimits,
} from './received-audio.ts';

interface Heard {
  context: string | null;
  record: HeardRecord;
}

/**
 * Collects the heard audio of a recording from its entries, added in their order. Entries of the player name the received
 * samples that left the speakers, and the silence of underruns. Samples that were heard twice are contained twice. Turns
 * without such an entry are left out.
 */
export class HeardAudioCollector {
  readonly #received: ReceivedAudioCollector;
  /** By turn, in the order in which they ended. */
  readonly #heard = new Map<number, Heard>();
  /** By turn: the missing sample, and the length of the silence in samples. */
  readonly #silences = new Map<number, Map<number, number>>();
  readonly #limits: SoundLimits;

  /** @param endpoint its registry name; an unknown one has no audio */
  constructor(endpoint: string, limits = SOUND_LIMITS) {
    this.#received = new ReceivedAudioCollector(endpoint, limits);
    this.#limits = limits;
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
  turns(): ReceivedAudio[] {
    return this.#plans().map(({ turn, ...plan }) => ({ ...this.#made([plan]), turn }));
  }

  /**
   * All turns of a context, end to end: the pauses between them are left out.
   * @throws Error where one of them is too long
   */
  contexts(): ReceivedAudio[] {
    return byContext(this.#plans(), ({ sampleRate }) => sampleRate).map((plans) => ({
      ...this.#made(plans),
      turn: null,
    }));
  }

  #plans(): Plan[] {
    const received = new Map(
      this.#received.turns().map((audio) => [`${audio.turn} ${audio.sampleRate}`, audio]),
    );
    return [...this.#heard]
      .toSorted(([, a], [, b]) => startOf(a) - startOf(b))
      .flatMap(([turn, { context, record }]) => {
        const audio = received.get(`${turn} ${record.sampleRate}`);
        if (!audio) return [];
        const { sampleRate, samples } = audio;
        const pieces = piecesOf(samples, record, this.#silences.get(turn));
        const length = pieces.reduce((sum, { silent, sound }) => sum + silent + sound.length, 0);
        return length === 0 ? [] : [{ turn, context, sampleRate, pieces, length }];
      });
  }

  #made(plans: readonly Omit<Plan, 'turn'>[]): Omit<ReceivedAudio, 'turn'> {
    const { context = null, sampleRate = 0 } = plans[0] ?? {};
    const length = plans.reduce((sum, plan) => sum + plan.length, 0);
    checkLength('samples', length, this.#limits, sampleRate);
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

/** Silence in samples, and the heard samples behind it as a view. */
interface PlannedPiece {
  silent: number;
  sound: Int16Array<ArrayBuffer>;
}

/** The heard audio of a turn, as views. It is copied only once its length was checked, because a file may claim any. */
interface Plan {
  turn: number;
  context: string | null;
  sampleRate: number;
  pieces: readonly PlannedPiece[];
  length: number;
}

const startOf = ({ record }: Heard): number => record.spans[0]?.atUs ?? Number.POSITIVE_INFINITY;

function piecesOf(
  received: Int16Array<ArrayBuffer>,
  { spans }: HeardRecord,
  silences: ReadonlyMap<number, number> = new Map(),
): PlannedPiece[] {
  return spans.map(({ sample, count }) => {
    const silent = silences.get(sample) ?? 0;
    return {
      silent: silent <= MAX_SILENCE_SAMPLES ? silent : 0,
      sound: received.subarray(sample, sample + count),
    };
  });
}

/** Ten minutes at 48 kHz, because a file may claim any length. */
const MAX_SILENCE_SAMPLES = 600 * 48_000;
