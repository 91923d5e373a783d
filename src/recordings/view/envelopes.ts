import type { Frame } from '#protocol/core/endpoint.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import type { FrameIndex } from '../store/frame-index.ts';
import { type EntryReader, frameDecoder } from './audio-of-entry.ts';
import { ENVELOPE_COLUMNS, type Envelope, envelopeOf, loudnessOf } from './envelope.ts';

/** An audio entry, or the run of audio entries from there to `last`. */
export interface EnvelopePlace {
  first: number;
  last: number;
}

/**
 * The tiny waveform of a row. Of a run with more frames than a waveform has columns, each column is one frame out of as
 * many: a run of thousands costs no more than one of dozens. Null where nothing can be decoded.
 */
export async function envelopeAt(
  { first, last }: EnvelopePlace,
  index: FrameIndex,
  reader: EntryReader,
  endpoint: string,
): Promise<Envelope | null> {
  const decode = frameDecoder(ENDPOINTS.find(({ id }) => id === endpoint) ?? null);
  const chosen = audioBetween(first, last, index);
  const payloads: Frame[] = [];
  for (const entry of chosen.indexes) {
    const { payload } = await reader.entry(entry);
    if (payload !== null) payloads.push(payload);
  }
  const frames = payloads.map(decode);
  return chosen.isWhole ? envelopeOf(frames) : loudnessOf(frames);
}

function audioBetween(
  first: number,
  last: number,
  index: FrameIndex,
): { indexes: number[]; isWhole: boolean } {
  if (!index.has(first) || !index.has(last)) return { indexes: [], isWhole: true };
  const alike: number[] = [];
  for (let entry = first; entry <= last; entry += 1) {
    if (index.isSameAudio(entry, first)) alike.push(entry);
  }
  if (alike.length <= ENVELOPE_COLUMNS) return { indexes: alike, isWhole: true };
  const indexes = Array.from({ length: ENVELOPE_COLUMNS }, (_, column) => {
    const at = Math.floor(((column + 0.5) * alike.length) / ENVELOPE_COLUMNS);
    return alike[at] ?? first;
  });
  return { indexes, isWhole: false };
}
