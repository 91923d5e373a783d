import type { ConnectionView } from '#session/views.ts';
import type { BadgeTone } from '../../ui/badge.tsx';

export interface ConnectionWords {
  word: string;
  tone: BadgeTone;
  /** Duration of the handshake, or the meaning of the close code. */
  note: string | null;
}

/** Network state behind the connection. */
export interface Surroundings {
  online: boolean;
  /** A recording is shown. Its connection is past, and nothing is connected. */
  replayed: boolean;
}

/** Returns a word and a tone for the connection. For a replay, the note describes the recorded connection. */
export function connectionWords(
  connection: ConnectionView,
  { online, replayed }: Surroundings,
): ConnectionWords {
  if (!replayed) return liveWords(connection, online);
  // The current network says nothing about a recorded connection.
  const { word } = liveWords(connection, true);
  return { word: 'Replay', tone: 'neutral', note: `recorded: ${word.toLowerCase()}` };
}

function liveWords(connection: ConnectionView, online: boolean): ConnectionWords {
  const { state, handshakeMs, close, retry } = connection;
  switch (state) {
    case 'open':
      return {
        word: 'Connected',
        tone: 'live',
        note: handshakeMs === null ? null : `handshake ${Math.round(handshakeMs)} ms`,
      };
    case 'connecting':
      return { word: 'Connecting', tone: 'waiting', note: null };
    case 'closing':
      return { word: 'Closing', tone: 'waiting', note: null };
    case 'retrying':
      return {
        word: 'Reconnecting',
        tone: 'waiting',
        note: retry ? `try ${retry.attempt} of ${retry.of}` : null,
      };
    case 'failed':
      return {
        word: online ? 'Failed' : 'Offline',
        tone: 'failed',
        note: close ? `${close.code} ${close.name}` : null,
      };
    case 'closed':
      return {
        word: 'Closed',
        tone: 'neutral',
        note: close && close.code !== 1000 ? `${close.code} ${close.name}` : null,
      };
    case 'idle':
      return { word: online ? 'Not connected' : 'Offline', tone: online ? 'neutral' : 'failed', note: null };
  }
}
