import type { VendorFailures } from '../../core/endpoint.ts';
import { ALL_SLOTS_OCCUPIED, errorCode, RATE_LIMITED, REALTIME_ERRORS } from './errors.ts';

/** Errors after which the socket stays open (`facts 6.3.7`, `6.3.8`). The others are closed with their own code. */
const STAYS_OPEN: ReadonlySet<number> = new Set([RATE_LIMITED, ALL_SLOTS_OCCUPIED]);

export const murmrFailures: VendorFailures = {
  errors: REALTIME_ERRORS,
  overloaded: 'ALL_SLOTS_OCCUPIED',
  error(name) {
    const code = errorCode(name);
    return {
      frame: JSON.stringify({ type: 'error', message: `${name}, a fault on purpose`, code }),
      close: STAYS_OPEN.has(code) ? null : { code, reason: name },
    };
  },
  words: null,
  totals: ['total_chunks', 'duration_ms'],
};
