/** Something that a client did otherwise than the recording. `waiting`: the client waits for frames that follow `recorded` only. */
export interface ClientDifference {
  kind: 'changed' | 'missing' | 'extra' | 'waiting';
  /** Return the words and place of either side, because most are counted only; null for none. */
  recorded: (() => string) | null;
  client: (() => string) | null;
  /** When the client sent its side, since its connection was opened. */
  sentMs?: number;
}

/** Names a place of the recording. @param entry its number, from 0 @param atUs since the recording began */
export const recordedPlace = (words: string, entry: number, atUs: number): string =>
  `${words} (entry ${entry}, at ${seconds(atUs / 1000)})`;

/** Names a place of a client's connection. @param message its number, from 1 @param atMs since the connection was opened */
export const clientPlace = (words: string, message: number, atMs: number): string =>
  `${words} (message ${message}, at ${seconds(atMs)})`;

const seconds = (ms: number): string => `${(ms / 1000).toFixed(3)} s`;

/** Says both sides and their places, on one line. */
export const clientDifferenceWords = ({ kind, recorded, client }: ClientDifference): string =>
  kind === 'waiting'
    ? `waiting: the client waits, and the recording goes on with ${recorded?.() ?? 'nothing'}`
    : `${kind}: recorded ${recorded?.() ?? 'nothing'}, got ${client?.() ?? 'nothing'}`;
