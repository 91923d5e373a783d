import type { Connection } from '../connection.ts';
import { faultFields, type Log } from '../log.ts';
import type { Engine } from '../speech/engine.ts';
import type { Account } from './access.ts';

/** Collaborators of a session of any Kugel endpoint. */
export interface SessionOptions {
  connection: Connection;
  engine: Engine;
  account: Account;
  /** Sent in the handshake and in error frames. */
  requestId: string;
  log: Log;
}

export const CLOSE_NORMAL = 1000;

/** Logs the kind of an engine failure, never the text. */
export const logFailure = ({ log, requestId }: SessionOptions, error: unknown): void =>
  log.error({ requestId, ...faultFields(error) }, 'generation failed');
