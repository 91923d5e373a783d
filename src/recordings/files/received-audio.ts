import { PcmStore } from '#player/pcm-store.ts';
import type { AudioEvent } from '#protocol/core/speech-event.ts';
import { EntryDecoder } from '#record/entry-decoder.ts';
import type { RecordEntry } from '#record/record.ts';

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

/** Audio of one turn or one context as it was received, whether or not it was heard. */
export interface ReceivedAudio {
  /** Null for a whole context, and in recordings without turns. */
  turn: number | null;
  context: string | null;
  /** In Hz. */
  sampleRate: number;
  samples: Int16Array<ArrayBuffer>;
}

interface Piece {
  turn: number | null;
  context: string | null;
  store: PcmStore;
}

/** Collects the audio of a recording from its entries in order. A turn with several rates makes a piece for each. */
export class ReceivedAudioCollector {
  readonly #decoder: EntryDecoder;
  /** By turn, context and rate, in the order of their first audio frames. */
  readonly #pieces = new Map<string, Piece>();
  readonly #limits: SoundLimits;
  #samples = 0;

  /** @param endpoint its registry name; an unknown one has no audio */
  constructor(endpoint: string, limits = SOUND_LIMITS) {
    this.#decoder = new EntryDecoder(endpoint);
    this.#limits = limits;
  }

  /** @throws Error where there is too much of it */
  add(entry: RecordEntry): void {
    for (const event of this.#decoder.take(entry)) {
      if (event.type !== 'audio') continue;
      const result = this.#storeOf(entry, event).appendPayload(event.payload, event.encoding);
      if ('samples' in result) this.#samples += result.samples;
      checkLength('samples', this.#samples, this.#limits, event.sampleRate);
    }
  }

  /** In the order of their first audio frames. */
  turns(): ReceivedAudio[] {
    return [...this.#pieces.values()].flatMap(({ store, ...piece }) => audioOf(piece, [store]));
  }

  /** All turns of a context, end to end. */
  contexts(): ReceivedAudio[] {
    return byContext(this.#pieces.values(), ({ store }) => store.sampleRate).flatMap((pieces) =>
      audioOf(
        { turn: null, context: pieces[0]?.context ?? null },
        pieces.map(({ store }) => store),
      ),
    );
  }

  /** Every piece stays open, because turns of several contexts interleave. */
  #storeOf({ turn, context }: RecordEntry, { sampleRate }: AudioEvent): PcmStore {
    const key = JSON.stringify([turn, context, sampleRate]);
    const open = this.#pieces.get(key);
    if (open) return open.store;
    checkLength('pieces', this.#pieces.size + 1, this.#limits, sampleRate);
    const store = new PcmStore(sampleRate);
    this.#pieces.set(key, { turn, context, store });
    return store;
  }
}

/** Groups parts by context and rate, in the order of their first parts. */
export function byContext<Part extends { context: string | null }>(
  parts: Iterable<Part>,
  rateOf: (part: Part) => number,
): Part[][] {
  const groups = new Map<string, Part[]>();
  for (const part of parts) {
    const key = `${rateOf(part)} ${part.context ?? ''}`;
    const group = groups.get(key);
    if (group) group.push(part);
    else groups.set(key, [part]);
  }
  return [...groups.values()];
}

function audioOf(piece: Omit<Piece, 'store'>, stores: readonly PcmStore[]): ReceivedAudio[] {
  const [first] = stores;
  const length = stores.reduce((sum, store) => sum + store.length, 0);
  if (!first || length === 0) return [];
  const samples = new Int16Array(length);
  let at = 0;
  for (const store of stores) {
    samples.set(store.slice(), at);
    at += store.length;
  }
  return [{ ...piece, sampleRate: first.sampleRate, samples }];
}
