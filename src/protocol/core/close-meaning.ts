import type { CloseMeaning, Endpoint } from './endpoint.ts';

/** Codes of RFC 6455, with the same meaning at every vendor. */
const GENERAL: Readonly<Record<number, CloseMeaning>> = {
  1000: {
    name: 'NORMAL',
    meaning: 'The connection ended as asked.',
    remedy: 'Speak opens a new one.',
    mayReconnect: false,
  },
  1001: {
    name: 'GOING_AWAY',
    meaning: 'The server is shutting down.',
    remedy: 'It reconnects by itself.',
    mayReconnect: true,
  },
  1006: {
    name: 'ABNORMAL',
    meaning: 'The connection broke without a goodbye, or the server cannot be reached.',
    remedy: 'Check that the server runs and that its address is right.',
    mayReconnect: true,
  },
  1008: {
    name: 'POLICY',
    meaning: 'The server refused to go on with this connection.',
    remedy: 'See the reason it gave.',
    mayReconnect: false,
  },
  1009: {
    name: 'TOO_BIG',
    meaning: 'A message was larger than the server takes.',
    remedy: 'Send less text at once.',
    mayReconnect: false,
  },
  1011: {
    name: 'SERVER_ERROR',
    meaning: 'The server ran into an error.',
    remedy: 'It reconnects by itself.',
    mayReconnect: true,
  },
  1012: {
    name: 'RESTARTING',
    meaning: 'The server is restarting.',
    remedy: 'It reconnects by itself.',
    mayReconnect: true,
  },
  1013: {
    name: 'DRAINING',
    meaning: 'The server takes no new work at the moment.',
    remedy: 'It reconnects by itself.',
    mayReconnect: true,
  },
};

/** Explains close codes by the endpoint's own meanings first, then by the general ones. */
export const explainCloseWith =
  (meanings: Readonly<Record<number, CloseMeaning>>): Endpoint['explainClose'] =>
  (code, reason) => {
    const known = meanings[code] ?? GENERAL[code];
    if (!known) {
      return {
        name: String(code),
        meaning: reason === '' ? 'The server closed the connection without saying why.' : reason,
        remedy: 'Try again; the code is not among the documented ones.',
        mayReconnect: false,
      };
    }
    return reason === '' || code >= 4000
      ? known
      : { ...known, meaning: `${known.meaning} It said: ${reason}` };
  };
