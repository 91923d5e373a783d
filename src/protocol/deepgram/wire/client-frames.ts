import { frameCheck, parserOf, typedFrames } from '../../core/json-frame.ts';
import { z } from '../../core/zod.ts';

/** Messages of clients, by `type`. */

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
