import { type HeardRecord, playerRecordOf } from '../recording/player-entry.ts';
import type { RecordEntry } from '../recording/record.ts';
import { type ReceivedAudio, ReceivedAudioCollector } from './received-audio.ts';

/** Audio of one turn or of one context as it left the player. */
export type HeardAudio = ReceivedAudio;

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

  /** @param endpoint its registry name; nothing is found under one that is not known */
  constructor(endpoint: string) {
    this.#received = new ReceivedAudioCollector(endpoint);
  }

  /** Audio frames that could not be read, each counted once. */
  get unreadable(): number {
    return this.#received.unreadable;
  }

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

  /** In the order in which they began to be heard. */
  turns(options: HeardOptions): HeardAudio[] {
    const received = new Map(
      this.#received.turns().map((audio) => [`${audio.turn} ${audio.sampleRate}`, audio]),
    );
    return [...this.#heard]
      .toSorted(([, a], [, b]) => startOf(a) - startOf(b))
      .flatMap(([turn, { context, record }]) => {
        const audio = received.get(`${turn} ${record.sampleRate}`);
        if (!audio) return [];
        const silences = options.withSilence ? this.#silences.get(turn) : undefined;
        const samples = samplesOf(audio.samples, record, silences ?? NO_SILENCES);
        return samples.length === 0 ? [] : [{ turn, context, sampleRate: audio.sampleRate, samples }];
      });
  }

  /** All turns of a context, end to end: the pauses between them are left out. */
  contexts(options: HeardOptions): HeardAudio[] {
    const groups = new Map<string, HeardAudio[]>();
    for (const audio of this.turns(options)) {
      const key = `${audio.sampleRate} ${audio.context ?? ''}`;
      groups.set(key, [...(groups.get(key) ?? []), audio]);
    }
    return [...groups.values()].flatMap((turns) => {
      const [first] = turns;
      return first ? [{ ...first, turn: null, samples: joined(turns.map(({ samples }) => samples)) }] : [];
    });
  }
}

const NO_SILENCES: ReadonlyMap<number, number> = new Map();

const startOf = ({ record }: Heard): number => record.spans[0]?.atUs ?? Number.POSITIVE_INFINITY;

function samplesOf(
  received: Int16Array<ArrayBuffer>,
  { spans }: HeardRecord,
  silences: ReadonlyMap<number, number>,
): Int16Array<ArrayBuffer> {
  const pieces = spans.flatMap(({ sample, count }) => {
    const silent = silences.get(sample) ?? 0;
    const samples = received.subarray(sample, sample + count);
    // Nothing says how long a silence may be that comes from a file.
    return silent > 0 && silent <= MAX_SILENCE_SAMPLES ? [new Int16Array(silent), samples] : [samples];
  });
  return joined(pieces);
}

/** Ten minutes at 48 kHz. */
const MAX_SILENCE_SAMPLES = 600 * 48_000;

function joined(pieces: readonly Int16Array[]): Int16Array<ArrayBuffer> {
  const whole = new Int16Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
