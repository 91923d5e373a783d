import { exactDecodedBytes } from '#lib/base64.ts';
import { AUDIO_ENCODINGS } from '#protocol/core/audio-format.ts';
import type { Intent } from '#protocol/core/endpoint.ts';
import type { AudioEvent, SpeechEvent } from '#protocol/core/speech-event.ts';
import { MAX_CONTEXT_CHARS, type RecordHead } from './entry.ts';

/** The part of a {@link RecordHead} that the sender or the decoder of the frame knows. */
export type FrameNote = Pick<RecordHead, 'kind'> &
  Partial<Pick<RecordHead, 'turn' | 'context' | 'chunk' | 'audioMs'>>;

/** The note of an entry that belongs to no turn. */
export const NO_NOTE = { turn: null, context: null, chunk: null, audioMs: null } as const;

/** Kind of a received frame that is no speech event, such as an acknowledgement. */
export const UNREAD = 'unread';

/** Returns the event that names a frame in a list: audio first, because most frames carry it, then trouble. */
export function mainEvent(events: readonly SpeechEvent[]): SpeechEvent | null {
  for (const type of FIRST) {
    const found = events.find((event) => event.type === type);
    if (found) return found;
  }
  // Text may grow with any frame.
  return events.find((event) => !('isMore' in event)) ?? events[0] ?? null;
}

const FIRST: readonly SpeechEvent['type'][] = ['audio', 'error', 'malformed', 'warning'];

/**
 * Returns the turn of a frame: that of its main event. A part of a frame that breaks the protocol is of no turn, but the rest
 * may be.
 * @param turns of its events, in their order
 */
export function ownerOf<Turn>(
  main: SpeechEvent,
  events: readonly SpeechEvent[],
  turns: readonly (Turn | null)[],
): Turn | null {
  const own = turns[events.indexOf(main)] ?? null;
  return main.type === 'malformed' ? (own ?? turns.find((turn) => turn !== null) ?? null) : own;
}

/** Returns the part of an event of that turn that the recording keeps. */
export function noteOf(event: SpeechEvent, turn: { id: number } | null): Required<FrameNote> {
  return {
    kind: event.type,
    turn: turn?.id ?? null,
    context: notedContext(event),
    chunk: 'chunk' in event ? event.chunk : null,
    audioMs: event.type === 'audio' ? audioMsOf(event) : null,
  };
}

/** Returns the context of an event or an intent for its entry. */
export function notedContext(of: SpeechEvent | Intent): string | null {
  // An endpoint of one context gives it no name.
  const context = ('context' in of && of.context) || null;
  return context !== null && context.length > MAX_CONTEXT_CHARS ? null : context;
}

/** Counts the samples in the payload, and ignores the server's count. Null for compressed audio. */
function audioMsOf({ payload, encoding, sampleRate }: AudioEvent): number | null {
  const { bytesPerSample } = AUDIO_ENCODINGS[encoding];
  if (bytesPerSample === null) return null;
  const bytes = 'bytes' in payload ? payload.bytes.length : exactDecodedBytes(payload.base64);
  return (Math.floor(bytes / bytesPerSample) / sampleRate) * 1000;
}
