import { FULL_SCALE, peakMagnitude } from '#lib/pcm.ts';
import type { PcmStore } from '#player/pcm-store.ts';
import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import { DecodedSound } from '#trace/recorded-speech.ts';

/** Columns of a row's waveform. */
export const ENVELOPE_COLUMNS = 24;

/** Loudness in columns of equal time: 0 to 255 on a scale of 40 dB, so that speech fills it. */
export type Envelope = Uint8Array<ArrayBuffer>;

const SPAN_DB = 40;
const LOUDEST = 255;

/** Returns the levels of the frames' audio in columns of equal time; null if there is no sample. */
export async function envelopeOf(frames: readonly (readonly SpeechEvent[])[]): Promise<Envelope | null> {
  const store = await storeOf(frames.flat());
  if (!store) return null;
  return Uint8Array.from({ length: ENVELOPE_COLUMNS }, (_, column) => {
    const from = Math.floor((column * store.length) / ENVELOPE_COLUMNS);
    const to = Math.floor(((column + 1) * store.length) / ENVELOPE_COLUMNS);
    return levelOf(peakOf(store, from, Math.max(from + 1, to)));
  });
}

/** One column for each frame. */
export async function loudnessOf(frames: readonly (readonly SpeechEvent[])[]): Promise<Envelope | null> {
  const stores = await Promise.all(frames.map(storeOf));
  if (stores.every((store) => store === null)) return null;
  return Uint8Array.from(stores, (store) => (store ? levelOf(peakOf(store, 0, store.length)) : 0));
}

async function storeOf(events: readonly SpeechEvent[]): Promise<PcmStore | null> {
  const { audio } = await DecodedSound.of(events);
  return audio?.length ? audio : null;
}

function peakOf(store: PcmStore, from: number, to: number): number {
  let peak = 0;
  for (let at = from; at < to; ) {
    const view = store.view(at, to - at);
    if (view.length === 0) break;
    peak = Math.max(peak, peakMagnitude(view));
    at += view.length;
  }
  return peak;
}

function levelOf(peak: number): number {
  if (peak === 0) return 0;
  const db = 20 * Math.log10(peak / FULL_SCALE);
  return Math.round(Math.max(0, 1 + db / SPAN_DB) * LOUDEST);
}
