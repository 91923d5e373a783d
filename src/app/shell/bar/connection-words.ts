import type { ConnectionView } from '#session/views.ts';
import type { BadgeTone } from '../../ui/badge.tsx';

export interface ConnectionWords {
  word: string;
  tone: BadgeTone;
  /** Duration of the handshake, or the meaning of the close code. */
  note: string | null;
}

/** Returns a word and a tone for the connection. For a replay or another client, the note describes their connection. */
export function connectionWords(
  connection: ConnectionView,
  { online, shown }: { online: boolean; shown: 'own' | 'replay' | 'client' },
): ConnectionWords {
  if (shown === 'own') return liveWords(connection, online);
  // The network of this page says nothing about the connection of another.
  const { word } = liveWords(connection, true);
  if (shown === 'client') return { word: 'Client', tone: 'neutral', note: word.toLowerCase() };
  return { word: 'Replay', tone: 'neutral', note: `recorded: ${word.toLowerCase()}` };
}

const WORDS: Readonly<Record<ConnectionView['state'], readonly [word: string, tone: BadgeTone]>> = {
  idle: ['Not connected', 'neutral'],
  connecting: ['Connecting', 'waiting'],
  open: ['Connected', 'live'],
  closing: ['Closing', 'waiting'],
  retrying: ['Reconnecting', 'waiting'],
  failed: ['Failed', 'failed'],
  closed: ['Closed', 'neutral'],
};

function liveWords(connection: ConnectionView, online: boolean): ConnectionWords {
  const { state } = connection;
  const isOffline = !online && (state === 'failed' || state === 'idle');
  const [word, tone] = isOffline ? (['Offline', 'failed'] as const) : WORDS[state];
  return { word, tone, note: noteOf(connection) };
}

function noteOf({ state, handshakeMs, close, retry }: ConnectionView): string | null {
  if (state === 'open' && handshakeMs !== null) return `handshake ${Math.round(handshakeMs)} ms`;
  if (state === 'retrying' && retry) return `try ${retry.attempt} of ${retry.of}`;
  const isBad = state === 'failed' || (state === 'closed' && close?.code !== 1000);
  return isBad && close ? `${close.code} ${close.name}` : null;
}
