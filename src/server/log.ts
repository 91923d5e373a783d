import { pino } from 'pino';

type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** The part of pino that the server uses. Fields never hold text, keys or addresses with a query. */
export interface Log {
  info: Write;
  warn: Write;
  error: Write;
  /** Returns a log that adds these fields to every line. */
  child(fields: Readonly<Record<string, unknown>>): Log;
}

/** Destination of lines, so that tests can read them. */
export interface LogTarget {
  write(line: string): void;
}

/** Writes one JSON object a line to stderr. Only the ready line goes to stdout. */
export const createLog = (
  level: string,
  target: LogTarget = pino.destination({ dest: 2, sync: true }),
): Log => pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, target);

const FRAME = /^\s+at /;

/** Kind and place of a fault. Never its message, which may repeat a text or a key. */
export const faultFields = (error: unknown): Readonly<Record<string, unknown>> =>
  error instanceof Error
    ? { error: error.name, at: (error.stack ?? '').split('\n').filter((line) => FRAME.test(line)) }
    : { error: typeof error };
