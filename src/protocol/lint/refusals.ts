import type { LintMoment } from '../core/rule.ts';

/** Whether a close code is of the vendor's own, with which it refuses to go on. */
export const isOfVendor = (code: number): boolean => code >= 4000;

/**
 * Whether a close is a refusal, which ends its turns.
 * @param ending the last error of the server, where it ends the connection: a broken network hides the code that follows it
 * @param unfinished what the close leaves unfinished. It must not be younger than the error
 */
export const isRefusingClose = (code: number, ending: LintMoment | null, unfinished: LintMoment): boolean =>
  isOfVendor(code) || (ending !== null && ending.atUs >= unfinished.atUs);
