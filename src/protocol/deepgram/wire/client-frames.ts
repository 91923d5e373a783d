import { type Issue, issuesOf, type Parsed, shown } from '../../core/issue.ts';
import { type Fields, frameCheck } from '../../core/json-frame.ts';
import { z } from '../../core/zod.ts';

/** Messages of clients, by `type` (`facts-deepgram 3.1`, 5.1). */

const speak = z.looseObject({ type: z.literal('Speak'), text: z.string() });
const flush = z.looseObject({ type: z.literal('Flush') });
const close = z.looseObject({ type: z.literal('Close') });

const SPEAK_FRAMES = {
  Speak: speak,
  Flush: flush,
  Clear: z.looseObject({ type: z.literal('Clear') }),
  Close: close,
} as const;

const FLUX_FRAMES = {
  Speak: speak,
  Flush: flush,
  // The vendor refuses unknown fields of this message alone.
  Interrupt: z.strictObject({
    type: z.literal('Interrupt'),
    /** Audio that was played since the session began. */
    playback_offset: z.optional(
      z.strictObject({ type: z.literal('time_ms'), value: z.int().check(z.nonnegative()) }),
    ),
  }),
  Configure: z.looseObject({ type: z.literal('Configure'), speed: z.optional(z.number()) }),
  Close: close,
} as const;

export type SpeakMessage = z.output<(typeof SPEAK_FRAMES)[keyof typeof SPEAK_FRAMES]>;
export type FluxMessage = z.output<(typeof FLUX_FRAMES)[keyof typeof FLUX_FRAMES]>;

const read =
  <F extends Readonly<Record<string, z.ZodMiniType>>>(frames: F) =>
  (value: Fields): Parsed<z.output<F[keyof F]>> => {
    const { type } = value;
    const schema = typeof type === 'string' && Object.hasOwn(frames, type) ? frames[type] : undefined;
    if (!schema) {
      const issue: Issue = {
        path: 'type',
        expected: `one of ${Object.keys(frames).join(', ')}`,
        found: shown(type),
      };
      return { ok: false, issues: [issue] };
    }
    const parsed = schema.safeParse(value);
    return parsed.success
      ? { ok: true, value: parsed.data as z.output<F[keyof F]> }
      : { ok: false, issues: issuesOf(parsed.error, value) };
  };

/** Validates a message of `/v1/speak`. Ignores unknown fields. */
export const parseSpeakMessage = read(SPEAK_FRAMES);
/** Validates a message of `/v2/speak`. */
export const parseFluxMessage = read(FLUX_FRAMES);

export const speakFrameIssues = frameCheck(parseSpeakMessage);
export const fluxFrameIssues = frameCheck(parseFluxMessage);

/** Of one Speak (`facts-deepgram 3.6`). `/v2/speak` names none; ours is the same. */
export const MAX_TEXT_CHARS = 2000;
/** What `/v1/speak` takes within {@link WINDOW_MS} (`facts-deepgram 3.6`). */
export const MAX_WINDOW_CHARS = 2400;
export const MAX_WINDOW_FLUSHES = 20;
export const WINDOW_MS = 60_000;
/** Life of a socket (`facts-deepgram 3.6`, 5.4). */
export const MAX_AGE_MS = 3_600_000;
/** `/v2/speak` closes after this long without a message (`facts-deepgram 5.4`). */
export const FLUX_IDLE_MS = 60_000;
