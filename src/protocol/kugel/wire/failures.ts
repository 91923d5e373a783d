import type { VendorFailures } from '../../core/endpoint.ts';
import { ONLY_CONTEXT } from '../../core/speech-event.ts';
import { CLOSE_AFTER, ERROR_NAMES, type ErrorName, errorNumbers } from './errors.ts';

/** Errors of `facts 1.8` and the figures of `facts 1.6`, `2.2`, `4`. */
export const kugelFailures: VendorFailures = {
  errors: ERROR_NAMES,
  overloaded: 'MODEL_UNAVAILABLE',
  error(name, context) {
    const close = CLOSE_AFTER[name as ErrorName];
    return {
      frame: JSON.stringify({
        error: `${name}, a fault on purpose`,
        error_code: name,
        code: errorNumbers(name)?.[0],
        ...(context === ONLY_CONTEXT ? {} : { context_id: context }),
      }),
      close: close === undefined ? null : { code: close, reason: name },
    };
  },
  words: 'ownFrames',
  totals: [
    'total_audio_seconds',
    'total_text_chunks',
    'total_audio_chunks',
    'chunks',
    'total_samples',
    'dur_ms',
    'audio_seconds',
    'characters',
    'cost_cents',
  ],
};
