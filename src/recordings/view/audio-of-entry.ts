import type { Endpoint, Frame, Wire } from '#protocol/core/endpoint.ts';
import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import type { ShownEntry } from '../store/payload-reader.ts';

/** Where entries come from with their payloads. */
export interface EntryReader {
  entry(index: number): Promise<ShownEntry>;
}

/**
 * Reads the server's frames of one turn in order. Of an endpoint that is not known, each frame is read as the first
 * endpoint does that finds audio in it.
 */
export function frameDecoder(endpoint: Endpoint | null): (frame: Frame) => SpeechEvent[] {
  const wires: Wire[] = (endpoint ? [endpoint] : ENDPOINTS).map((candidate) => candidate.openWire(''));
  return (frame) => {
    const read = wires.map((wire) => wire.decode(frame));
    return read.find((events) => events.some(({ type }) => type === 'audio')) ?? read[0] ?? [];
  };
}
