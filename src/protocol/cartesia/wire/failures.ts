import type { VendorFailures } from '../../core/endpoint.ts';
import { ONLY_CONTEXT } from '../../core/speech-event.ts';
import { ERROR_NAMES, type ErrorName, errorFields, errorText, statusOf } from './errors.ts';
import { LATEST_VERSION } from './versions.ts';

/** Frames have no totals, and no error closes the connection (E5). */
export const cartesiaFailures: VendorFailures = {
  errors: ERROR_NAMES,
  overloaded: 'concurrency_limited',
  error(name, context) {
    const error = { name: name as ErrorName, message: `${name}, a fault on purpose` };
    const frame = {
      type: 'error',
      ...(context === ONLY_CONTEXT ? {} : { context_id: context }),
      status_code: statusOf(error.name, LATEST_VERSION),
      done: true,
      // In both shapes, because a fault does not know the version of its connection (E1, E2).
      error: errorText(error),
      ...errorFields(error, 'a-fault-on-purpose'),
    };
    return { frame: JSON.stringify(frame), close: null };
  },
  words: 'ownFrames',
  totals: [],
};
