import { groupBy } from '#lib/collections/maps.ts';
import type { PcmStore } from '#player/pcm-store.ts';
import { checkLength, type RecordedTurn, SOUND_LIMITS } from '#trace/recorded-speech.ts';

/** The sound of turns end to end. */
export interface RecordedSound {
  /** In Hz. */
  sampleRate: number;
  samples: Int16Array<ArrayBuffer>;
}

/** Samples of a turn, behind a silence of some samples. */
interface Piece {
  silent: number;
  store: PcmStore;
  from: number;
  to: number;
}

/**
 * Returns what was received of turns, whether or not it was heard, by rate.
 * @throws Error where there is too much of it
 */
export const receivedSound = (turns: readonly RecordedTurn[], limits = SOUND_LIMITS): RecordedSound[] =>
  joined(
    turns.flatMap(({ sound }) =>
      sound.stores.map((store) => ({ silent: 0, store, from: 0, to: store.length })),
    ),
    limits,
  );

/**
 * Returns what was heard of turns in the order of hearing, by rate. Entries of the player name the received samples that
 * left the speakers, and the silence of underruns; the pauses between turns are left out. Samples that were heard twice are
 * contained twice. Turns without such an entry are left out.
 * @throws Error where there is too much of it
 */
export function heardSound(turns: readonly RecordedTurn[], limits = SOUND_LIMITS): RecordedSound[] {
  const inOrder = turns.toSorted((a, b) => heardFrom(a) - heardFrom(b));
  return joined(inOrder.flatMap(heardPieces), limits);
}

const heardFrom = ({ heard }: RecordedTurn): number => heard?.spans[0]?.atUs ?? Number.POSITIVE_INFINITY;

/** Ten minutes at 48 kHz, because a file may claim any length. */
const MAX_SILENCE_SAMPLES = 600 * 48_000;

function heardPieces({ heard, sound: { stores }, silences }: RecordedTurn): Piece[] {
  const store = stores.find(({ sampleRate }) => sampleRate === heard?.sampleRate);
  if (!heard || !store) return [];
  return heard.spans.map(({ sample, count }) => {
    const silent = silences.get(sample) ?? 0;
    return {
      silent: silent <= MAX_SILENCE_SAMPLES ? silent : 0,
      store,
      from: Math.min(sample, store.length),
      to: Math.min(sample + count, store.length),
    };
  });
}

/** Puts pieces of each rate end to end. They are copied only once their length was checked, because a file may claim any. */
function joined(pieces: readonly Piece[], limits: typeof SOUND_LIMITS): RecordedSound[] {
  const byRate = groupBy(pieces, ({ store }) => store.sampleRate);
  return [...byRate].flatMap(([sampleRate, own]) => {
    const length = own.reduce((sum, { silent, from, to }) => sum + silent + to - from, 0);
    checkLength('samples', length, limits, sampleRate);
    if (length === 0) return [];
    const samples = new Int16Array(length);
    let at = 0;
    for (const { silent, store, from, to } of own) {
      samples.set(store.slice(from, to), at + silent);
      at += silent + to - from;
    }
    return [{ sampleRate, samples }];
  });
}
