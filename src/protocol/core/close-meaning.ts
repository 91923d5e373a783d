import type { CloseMeaning, Protocol } from './endpoint.ts';

const closeMeaning =
  (mayReconnect: boolean) =>
  (name: string, meaning: string, remedy: string): CloseMeaning => ({ name, meaning, remedy, mayReconnect });
export const temporary = closeMeaning(true);
/** A retry with the same key and settings cannot succeed. */
export const permanent = closeMeaning(false);

/** Close codes (RFC 6455, 7.4.1). `none`: a close frame without a code. `abnormal`: no close frame, or never open. */
export const CLOSE_CODES = { normal: 1000, none: 1005, abnormal: 1006 } as const;

/** Codes of RFC 6455, with the same meaning at every vendor. */
const GENERAL: Readonly<Record<number, CloseMeaning>> = {
  1000: permanent('NORMAL', 'The connection ended as asked.', 'Speak opens a new one.'),
  1001: temporary('GOING_AWAY', 'The server is shutting down.', 'It reconnects by itself.'),
  1006: temporary(
    'ABNORMAL',
    'The connection broke without a goodbye, or the server cannot be reached.',
    'Check that the server runs and that its address is right.',
  ),
  1008: permanent('POLICY', 'The server refused to go on with this connection.', 'See the reason it gave.'),
  1009: permanent('TOO_BIG', 'A message was too large for the other side.', 'Send less text at once.'),
  1011: temporary('SERVER_ERROR', 'The server ran into an error.', 'It reconnects by itself.'),
  1012: temporary('RESTARTING', 'The server is restarting.', 'It reconnects by itself.'),
  1013: temporary('DRAINING', 'The server takes no new work at the moment.', 'It reconnects by itself.'),
};

/** Explains close codes by the endpoint's own meanings first, then by the general ones. */
export const explainCloseWith =
  (meanings: Readonly<Record<number, CloseMeaning>>): Protocol['explainClose'] =>
  (code, reason) => {
    const known = meanings[code] ?? GENERAL[code];
    if (!known) {
      const meaning = reason === '' ? 'The server closed the connection without saying why.' : reason;
      return permanent(String(code), meaning, 'Try again; the code is not among the documented ones.');
    }
    return reason === '' || code >= 4000
      ? known
      : { ...known, meaning: `${known.meaning} It said: ${reason}` };
  };

/** One error of a vendor. */
export interface ErrorEntry {
  remedy: string;
  /** Numbers of its frames, or statuses of answers. */
  numbers?: readonly number[];
  /** The close that follows. Without one the connection stays open. */
  close?: {
    code: number;
    meaning: string;
    mayReconnect: boolean;
    /** That of the error unless given. */
    name?: string;
    /** That of the error unless given. */
    remedy?: string;
    /** Start of the close reason, where several errors share the code. */
    begins?: string;
  };
}

/**
 * Explains the errors of a table: frames by name, or by a number that no other entry has, and closes by the beginning of their
 * reason or by their code.
 * @param others closes that no error precedes
 */
export function explainErrors(
  errors: Readonly<Record<string, ErrorEntry>>,
  others: Readonly<Record<number, CloseMeaning>> = {},
): Pick<Protocol, 'explainClose' | 'explainError'> {
  const entries = Object.entries(errors);
  const byName = new Map(entries);
  const closes = entries.flatMap(([name, { remedy, close }]) => {
    if (!close) return [];
    const { code, begins, ...meaning } = close;
    return [{ code, begins, meaning: { name, remedy, ...meaning } }];
  });
  const byCode = closes.filter(({ begins }) => begins === undefined);
  const explainOther = explainCloseWith({
    ...others,
    ...Object.fromEntries(byCode.map(({ code, meaning }) => [code, meaning])),
  });
  return {
    explainClose: (code, reason) =>
      closes.find(({ begins }) => begins !== undefined && reason.startsWith(begins))?.meaning ??
      explainOther(code, reason),
    explainError(name, number) {
      const alike = entries.filter(([, { numbers = [] }]) => numbers.some((each) => each === number));
      const known = byName.get(name ?? '') ?? (alike.length === 1 ? alike[0]?.[1] : undefined);
      return known?.remedy ?? null;
    },
  };
}
