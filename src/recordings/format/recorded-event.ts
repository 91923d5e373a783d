import type { AudioEvent, SpeechEvent } from '#protocol/core/speech-event.ts';
import type { RecordHead } from './record.ts';

/** What a frame is, as its sender or decoder says; see {@link RecordHead}. */
export type FrameNote = Pick<RecordHead, 'kind'> &
  Partial<Pick<RecordHead, 'turn' | 'context' | 'chunk' | 'audioMs'>>;

/**
 * Of all that one frame says, what a list of frames names it by: audio before anything else, since it is by far most
 * of what is in it, and trouble before what is as it should be.
 */
export function mainEvent(events: readonly SpeechEvent[]): SpeechEvent | null {
  for (const type of FIRST) {
    const found = events.find((event) => event.type === type);
    if (found) return found;
  }
  return events[0] ?? null;
}

const FIRST: readonly SpeechEvent['type'][] = ['audio', 'error', 'malformed', 'warning'];

/** Returns the part of an event of that turn that the recording keeps. */
export function noteOf(event: SpeechEvent, turn: { id: number } | null): FrameNote {
  return {
    kind: event.type,
    turn: turn?.id ?? null,
    // An endpoint of one context gives it no name.
    context: ('context' in event && event.context) || null,
    chunk: 'chunk' in event ? event.chunk : null,
    audioMs: event.type === 'audio' ? (samplesIn(event) / event.sampleRate) * 1000 : null,
  };
}

/** Counts the samples in the payload, and ignores the server's count. */
export function samplesIn({ payload, encoding }: AudioEvent): number {
  const bytes = 'bytes' in payload ? payload.bytes.length : decodedBytes(payload.base64);
  return Math.floor(bytes / (encoding === 'pcm_s16le' ? 2 : 1));
}

/** Of base64 that is well-formed. */
function decodedBytes(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.floor((base64.length * 3) / 4) - padding;
}
