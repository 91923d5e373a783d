import { StartError } from '#server/environment.ts';
import { EngineMissingError } from '#server/speech/espeak/espeak-engine.ts';

/** Returns one line for an error that a person can mend; undefined for a fault. */
export const startProblem = (error: unknown): string | undefined =>
  error instanceof StartError || error instanceof EngineMissingError
    ? error.message.replaceAll('\n', ' ')
    : undefined;
