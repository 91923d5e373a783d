import { WebSocket } from 'ws';
import type { LocalServer } from './local-server.ts';

/** Where a server listens. */
type ServerAddress = Pick<LocalServer, 'ws'>;

/** Some 12 s of speech in two sentences. */
export const TEXT =
  'The quick brown fox jumps over the lazy dog and runs along the river, past the old mill, and through the wooden fence. ' +
  'Nobody saw where it went after that, but the dog told the story for years. ';

/** A socket that is open, at `/ws/tts/stream` or `/ws/tts/multi`. */
export const openKugelSocket = ({ ws }: ServerAddress, endpoint: 'stream' | 'multi'): Promise<WebSocket> =>
  openSocket(`${ws}/kugel/ws/tts/${endpoint}?api_key=local`);

/** A socket that is open. */
export async function openSocket(address: string): Promise<WebSocket> {
  const socket = new WebSocket(address, { perMessageDeflate: false });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return socket;
}

/** The times of one turn, seen from the client. */
export interface TurnFigures {
  /** From sending text and flush to the first audio frame. */
  firstAudioMs: number;
  /** From sending to `final`. */
  totalMs: number;
  audioSeconds: number;
}

/** A socket at `/ws/tts/stream` with its voice set. */
export async function openSpeaker(server: ServerAddress, voice: number): Promise<WebSocket> {
  const socket = await openKugelSocket(server, 'stream');
  socket.send(JSON.stringify({ voice_id: voice, language: 'en' }));
  return socket;
}

/** Speaks a text and resolves at the end of its turn. */
export function speakTurn(socket: WebSocket, text: string): Promise<TurnFigures> {
  return new Promise((resolve, reject) => {
    const sentMs = performance.now();
    let firstAudioMs = Number.NaN;
    const done = (error: Error | null, figures?: TurnFigures) => {
      socket.off('message', onMessage);
      socket.off('close', onClose);
      if (figures) resolve(figures);
      else reject(error);
    };
    const onClose = (code: number) => done(new Error(`The server closed with ${code}.`));
    const onMessage = (data: Buffer) => {
      // The client shares two cores with the server: audio is recognised by its first bytes and not parsed.
      if (data.length > 1000) {
        if (Number.isNaN(firstAudioMs)) firstAudioMs = performance.now() - sentMs;
        return;
      }
      const frame = JSON.parse(String(data)) as Record<string, unknown>;
      if (typeof frame.error === 'string') done(new Error(frame.error));
      if (frame.audio && Number.isNaN(firstAudioMs)) firstAudioMs = performance.now() - sentMs;
      if (frame.session_closed) {
        done(null, {
          firstAudioMs,
          totalMs: performance.now() - sentMs,
          audioSeconds: Number(frame.total_audio_seconds),
        });
      }
    };
    socket.on('message', onMessage);
    socket.once('close', onClose);
    socket.send(JSON.stringify({ text, flush: true }));
  });
}
