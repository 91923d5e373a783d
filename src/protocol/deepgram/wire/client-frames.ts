import { frameCheck, parserOf, typedFrames } from '../../core/json-frame.ts';
import { z } from '../../core/zod.ts';

/** Messages of clients, by `type` (`facts-deepgram 3.1`, 5.1). */

const speak = { text: z.string() };

export const SPEAK_MESSAGES = typedFrames({ Speak: speak, Flush: {}, Clear: {}, Close: {} });

export const FLUX_MESSAGES = {
  ...typedFrames({ Speak: speak, Flush: {}, Configure: { speed: z.optional(z.number()) }, Close: {} }),
  // The vendor refuses unknown fields of this message alone.
  Interrupt: z.strictObject({
    type: z.literal('Interrupt'),
    /** Audio that was played since the session began. */
    playback_offset: z.optional(
      z.strictObject({ type: z.literal('time_ms'), value: z.int().check(z.nonnegative()) }),
    ),
  }),
} as const;

export type SpeakMessage = z.output<(typeof SPEAK_MESSAGES)[keyof typeof SPEAK_MESSAGES]>;
export type FluxMessage = z.output<(typeof FLUX_MESSAGES)[keyof typeof FLUX_MESSAGES]>;

/** Validates a message of `/v1/speak`. Ignores unknown fields. */
export const parseSpeakMessage = parserOf(SPEAK_MESSAGES);
/** Validates a message of `/v2/speak`. */
export const parseFluxMessage = parserOf(FLUX_MESSAGES);

export const speakFrameIssues = frameCheck(parseSpeakMessage);
export const fluxFrameIssues = frameCheck(parseFluxMessage);

/** Of one Speak, and of calls (`facts-deepgram 3.6`). `/v2/speak` names none for calls; ours is the same. */
export const MAX_TEXT_CHARS = 2000;
/** Of one Speak of `/v2/speak`. Ours. */
export const MAX_FLUX_TEXT_CHARS = 10_000;
/** Limits of `/v1/speak` within {@link WINDOW_MS} (`facts-deepgram 3.6`). */
export const MAX_WINDOW_CHARS = 2400;
export const MAX_WINDOW_FLUSHES = 20;
export const WINDOW_MS = 60_000;
/** Life of a socket (`facts-deepgram 3.6`, 5.4). */
export const MAX_AGE_MS = 3_600_000;
/** `/v2/speak` closes after this long without a message (`facts-deepgram 5.4`). */
export const FLUX_IDLE_MS = 60_000;
