import type { VendorFailures } from '../../core/endpoint.ts';
import { ERROR_CODES, type ErrorCode, socketError } from './errors.ts';

const failuresOf = (without: readonly ErrorCode[], totals: readonly string[]): VendorFailures => ({
  errors: ERROR_CODES.filter((code) => !without.includes(code)),
  overloaded: 'NET-0000',
  error(name) {
    const { code, close, reason } = socketError(name as ErrorCode);
    const description = `${reason} A fault on purpose.`;
    return {
      frame: JSON.stringify({ type: 'Error', code, description }),
      close: { code: close, reason },
    };
  },
  words: null,
  totals,
});

/** `/v1/speak` has no message of an error, but LiveKit reads one (`facts-deepgram 3.2`). */
export const speakFailures = failuresOf(['DATA-0002', 'NET-0004'], []);
export const fluxFailures = failuresOf(
  ['DATA-0001', 'BIG-0001'],
  ['audio_duration_ms', 'input_character_count', 'billable_character_count'],
);
