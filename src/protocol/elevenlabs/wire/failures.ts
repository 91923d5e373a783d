import type { VendorFailures } from '../../core/endpoint.ts';
import { ONLY_CONTEXT } from '../../core/speech-event.ts';
import { ERROR_NAMES, type ErrorName, errorFrame } from './errors.ts';

/** Errors of `facts-elevenlabs 5.1`. Frames have no totals. */
export const elevenLabsFailures: VendorFailures = {
  errors: ERROR_NAMES,
  overloaded: 'internal_error',
  error(name, context) {
    const reason = `${name}, a fault on purpose`;
    const frame = errorFrame(name as ErrorName, reason, context === ONLY_CONTEXT ? null : context);
    return { frame: JSON.stringify(frame), close: { code: frame.code, reason } };
  },
  words: ['alignment', 'normalizedAlignment'],
  totals: [],
};
