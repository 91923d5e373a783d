import type { Dialect, Frame } from '#protocol/core/endpoint.ts';
import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import type { ShownEntry } from '../store/payload-reader.ts';

export interface EntryReader {
  entry(index: number): Promise<ShownEntry>;
}

/** Decodes received frames in order. For an unknown endpoint, the first endpoint that finds audio in a frame decodes it. */
export function frameDecoder(endpoint: string | null): (frame: Frame) => SpeechEvent[] {
  const known = ENDPOINTS.filter(({ id }) => id === endpoint);
  const dialects: Dialect[] = (known.length > 0 ? known : ENDPOINTS).map((candidate) =>
    candidate.open({ settings: {}, key: '' }),
  );
  return (frame) => {
    const read = dialects.map((dialect) => dialect.decode(frame));
    return read.find((events) => events.some(({ type }) => type === 'audio')) ?? read[0] ?? [];
  };
}
