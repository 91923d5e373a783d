import { maxDecodedBytes } from '../../lib/base64.ts';
import type { Endpoint, Frame } from '../../protocol/endpoint.ts';
import { ENDPOINTS } from '../../protocol/registry.ts';
import type { AudioEvent, SpeechEvent } from '../../protocol/speech-event.ts';

/** What a frame from the server is, as the recorder notes it: told anew where no recorder was there. */
export interface FrameNotes {
  kind: string;
  context: string | null;
  chunk: number | null;
  audioMs: number | null;
}

/** The endpoint that is served at this address, by its path; null where it is none of ours. */
export function endpointAt(address: string): Endpoint | null {
  let path: string;
  try {
    path = new URL(address).pathname;
  } catch {
    return null;
  }
  return ENDPOINTS.find((endpoint) => path.endsWith(endpoint.path)) ?? null;
}

/** Reads frames of one connection in order. */
export function noteReader(endpoint: Endpoint | null): (frame: Frame) => FrameNotes {
  const wire = endpoint?.openWire();
  return (frame) => {
    const [event] = wire?.decode(frame) ?? [];
    if (!event) return { kind: 'unknown', context: null, chunk: null, audioMs: null };
    return {
      kind: event.type,
      context: endpoint?.contexts && 'context' in event ? event.context : null,
      chunk: 'chunk' in event ? event.chunk : null,
      audioMs: event.type === 'audio' ? audioMsOf(event) : null,
    };
  };
}

const audioMsOf = (event: AudioEvent): number => {
  const samples = event.samples ?? Math.floor(payloadBytes(event) / (event.encoding === 'pcm_s16le' ? 2 : 1));
  return (samples / event.sampleRate) * 1000;
};

const payloadBytes = ({ payload }: Extract<SpeechEvent, { type: 'audio' }>): number =>
  'bytes' in payload ? payload.bytes.length : maxDecodedBytes(payload.base64.replace(/=+$/, '').length);
