import type { Connection } from '../connection.ts';
import type { Log } from '../log.ts';
import type { Engine } from '../speech/engine.ts';
import type { Account } from './access.ts';

/** What a session of any Kugel endpoint works with. */
export interface SessionOptions {
  connection: Connection;
  engine: Engine;
  account: Account;
  /** Told in the handshake and in error frames. */
  requestId: string;
  log: Log;
}

export const CLOSE_NORMAL = 1000;

/** Notes that the engine failed: what kind of error it was, never what was to be spoken. */
export const logFailure = ({ log, requestId }: SessionOptions, error: unknown): void =>
  log.error({ requestId, error: error instanceof Error ? error.name : typeof error }, 'generation failed');
