/** A reason to end, in words for the person who called. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Exit codes: everything is good, something was found, nothing could be done, a client differs from a recording. */
export const EXIT = { good: 0, found: 1, unusable: 2, differs: 3 } as const;

/** Runs a command and ends the process with its code. Reasons of people get one line, faults their place. */
export function runCommand(run: () => Promise<number>): void {
  run().then(
    (code) => {
      process.exitCode = code;
    },
    (error: unknown) => {
      const words = error instanceof CommandError ? error.message : (error as Error).stack;
      process.stderr.write(`${words}\n`);
      process.exitCode = EXIT.unusable;
    },
  );
}
