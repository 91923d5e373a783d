/** A step, call or connection of the recording. */
export interface RecordedPlace {
  words: string;
  /** Number of its first entry in the recording, from 0. */
  entry: number;
  /** Since the recording began. */
  atMs: number;
}

/** A step, call or connection of the client. */
export interface ClientPlace {
  words: string;
  /** Number of its first message on the connection, from 1; null for a connection or a call. */
  message: number | null;
  /** Since its connection was opened. */
  atMs: number;
}

/**
 * Something that a client did otherwise than the recording. `order`: sent earlier or later than recorded. `waiting`: the client waits
 * for frames that follow `recorded` only.
 */
export interface ClientDifference {
  kind: 'changed' | 'missing' | 'extra' | 'order' | 'waiting';
  recorded: RecordedPlace | null;
  client: ClientPlace | null;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(3)} s`;

/** Says both sides and their places, on one line. */
export function clientDifferenceWords({ kind, recorded, client }: ClientDifference): string {
  const expected = recorded && `${recorded.words} (entry ${recorded.entry}, at ${seconds(recorded.atMs)})`;
  const got =
    client &&
    (client.message === null
      ? client.words
      : `${client.words} (message ${client.message}, at ${seconds(client.atMs)})`);
  switch (kind) {
    case 'waiting':
      return `waiting: the client waits, and the recording goes on with ${expected ?? 'nothing'}`;
    case 'order':
      return `order: recorded ${expected}, sent elsewhere as ${got}`;
    default:
      return `${kind}: recorded ${expected ?? 'nothing'}, got ${got ?? 'nothing'}`;
  }
}
