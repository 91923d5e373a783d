import type { Endpoint, Frame, Wire } from '#protocol/core/endpoint.ts';
import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import type { ShownEntry } from '../store/payload-reader.ts';

export interface EntryReader {
  entry(index: number): Promise<ShownEntry>;
}

/** Decodes received frames in order. For an unknown endpoint, the first endpoint that finds audio in a frame decodes it. */
export function frameDecoder(endpoint: Endpoint | null): (frame: Frame) => SpeechEvent[] {
  const wires: Wire[] = (endpoint ? [endpoint] : ENDPOINTS).map((candidate) => candidate.openWire(''));
  return (frame) => {
    const read = wires.map((wire) => wire.decode(frame));
    return read.find((events) => events.some(({ type }) => type === 'audio')) ?? read[0] ?? [];
  };
}
