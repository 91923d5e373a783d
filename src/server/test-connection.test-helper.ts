import type { Clock } from '#lib/clock.ts';
import type { Connection } from './connection.ts';

/** A connection whose client keeps up and hears nothing, apart from the deeds that a test gives. */
export const testConnection = (clock: Clock, deeds: Partial<Connection> = {}): Connection => ({
  clock,
  // A rejection stays unhandled, which fails the test run.
  background: (work) => void work(),
  send: () => {},
  close: () => {},
  reset: () => {},
  drained: async () => {},
  pause: () => {},
  resume: () => {},
  silence: () => {},
  ...deeds,
});
