import type { RunningServer } from './running-server.ts';
import { type Frame, SocketClient } from './socket-client.test-helper.ts';

/** One endpoint as its clients use it. */
export interface SocketEndpointCase {
  vendor: 'kugel' | 'murmr';
  path: string;
  /** Messages that come first, and the kinds of the answers to them. */
  first: (key: string) => Frame[];
  greeting: readonly string[];
  /** Messages of one turn with its text, the kinds of its frames, and the last of these. */
  turn: (text: string) => Frame[];
  kinds: readonly string[];
  end: string;
  /** Sent to end the session, and the kinds of the answers; null where a client only closes its socket. */
  leave: { message: Frame; kinds: readonly string[] } | null;
  /** A message that changes nothing, and the kind of its answer, which comes behind all that it follows. */
  question: Frame;
  answer: string;
  /** Closes of a server that is full, of one that shuts down, and of clients that come during that. */
  closes: Readonly<Record<'full' | 'ending' | 'late', { code: number; reason: string }>>;
}

const KUGEL = {
  vendor: 'kugel',
  question: { update_settings: {} },
  answer: 'settings_updated',
  closes: {
    full: { code: 1013, reason: 'too many connections' },
    ending: { code: 1012, reason: 'restarting' },
    late: { code: 1013, reason: 'the server is shutting down' },
  },
} as const;
const VOICE = { voice_id: 1071, language: 'en', word_timestamps: true };
const CHUNK = ['generation_started', 'audio', 'word_timestamps', 'chunk_complete'];

export const STREAM: SocketEndpointCase = {
  ...KUGEL,
  path: '/ws/tts/stream',
  first: () => [VOICE],
  greeting: [],
  turn: (text) => [{ text, flush: true }],
  kinds: [...CHUNK, 'final', 'session_closed'],
  end: 'session_closed',
  leave: { message: { close_socket: true }, kinds: [] },
};

/** Each turn in the same context. */
export const MULTI: SocketEndpointCase = {
  ...KUGEL,
  path: '/ws/tts/multi',
  first: () => [{ text: ' ', context_id: 'a', output_format: 'ulaw_8000', voice_settings: VOICE }],
  greeting: ['context_created'],
  turn: (text) => [{ text, context_id: 'a', flush: true }],
  kinds: [...CHUNK, 'final'],
  end: 'final',
  leave: { message: { close_socket: true }, kinds: ['final', 'context_closed', 'session_closed'] },
};

export const REQUEST: SocketEndpointCase = {
  ...KUGEL,
  path: '/ws/tts',
  first: () => [],
  greeting: [],
  turn: (text) => [{ ...VOICE, output_format: 'pcm_16000', text }],
  kinds: ['audio', 'word_timestamps', 'final'],
  end: 'final',
  leave: null,
};

export const REALTIME: SocketEndpointCase = {
  vendor: 'murmr',
  path: '/v1/realtime',
  first: (api_key) => [{ type: 'config', api_key, voice_description: 'A warm voice', language: 'English' }],
  greeting: ['config_ack'],
  turn: (text) => [{ type: 'text', text }, { type: 'flush' }],
  kinds: ['audio', 'done'],
  end: 'done',
  leave: null,
  question: { type: 'ping' },
  answer: 'pong',
  closes: {
    full: { code: 4004, reason: 'RATE_LIMITED' },
    ending: { code: 1001, reason: 'the server is shutting down' },
    late: { code: 1001, reason: 'the server is shutting down' },
  },
};

export const KUGEL_ENDPOINTS = [STREAM, MULTI, REQUEST];
export const SOCKET_ENDPOINTS = [...KUGEL_ENDPOINTS, REALTIME];

/** Connects and sends what comes first. */
export async function openClient(
  server: RunningServer,
  { vendor, path, first }: SocketEndpointCase,
  key = 'local',
): Promise<SocketClient> {
  const query = vendor === 'kugel' ? `?api_key=${key}` : '';
  return new SocketClient(`${server.ws}/${vendor}${path}${query}`).send(...first(key));
}
