import { encodeBase64 } from '#lib/base64.ts';
import { bytesFromSamples } from '#lib/pcm.ts';
import type { NewEntry } from '#trace/entry.ts';
import { RATE } from '../../testing/spoken-turn.ts';

/** The audio of a frame, and its place. */
interface Audio {
  turn?: number;
  context?: string;
  chunk?: number;
  sr?: number;
  enc?: string;
  /** Samples of PCM, or the bytes of any encoding. */
  of: readonly number[] | Uint8Array;
}

const NOTES = { connection: 1, chunk: 0, audioMs: null, gapUs: 1, atUs: 0 };

/** An audio frame of `/ws/tts/multi`, without the bytes of its entry. */
export function audioEntry({ turn = 1, context = 'a', chunk = 0, sr = RATE, enc = 'pcm_s16le', of }: Audio) {
  const audio = encodeBase64(of instanceof Uint8Array ? of : bytesFromSamples(Int16Array.from(of)));
  return {
    ...NOTES,
    direction: 'in' as const,
    opcode: 'text' as const,
    kind: 'audio',
    turn,
    context,
    chunk,
    payload: JSON.stringify({ audio, enc, idx: 0, sr, samples: 0, chunk_id: chunk, context_id: context }),
  };
}

/** An entry of the player about a turn. */
export const playerEntry = (kind: string, record: object, place: Partial<NewEntry> = {}) => ({
  ...NOTES,
  turn: 1,
  context: 'a',
  ...place,
  direction: 'player' as const,
  opcode: 'none' as const,
  kind,
  payload: JSON.stringify(record),
});
