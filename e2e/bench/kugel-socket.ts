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

/** Of speech in 16 bits, in Hz. */
const SAMPLE_RATE = 24_000;
/** The server rounds the seconds of a turn to milliseconds. */
const ROUNDED_SAMPLES = SAMPLE_RATE / 2000;
/** Each audio frame begins so, with base64 behind it. */
const AUDIO = Buffer.from('{"audio":"');

/** The client shares two cores with the server: audio is measured and not parsed. */
const samplesIn = (frame: Buffer): number =>
  Buffer.byteLength(frame.toString('latin1', AUDIO.length, frame.indexOf('"', AUDIO.length)), 'base64') / 2;

/** Speaks a text and resolves at the end of its turn. Rejects where samples of it are missing. */
export function speakTurn(socket: WebSocket, text: string): Promise<TurnFigures> {
  return new Promise((resolve, reject) => {
    const sentMs = performance.now();
    let firstAudioMs = Number.NaN;
    let samples = 0;
    const done = (error: Error | null, figures?: TurnFigures) => {
      socket.off('message', onMessage);
      socket.off('close', onClose);
      if (figures) resolve(figures);
      else reject(error);
    };
    const onClose = (code: number) => done(new Error(`The server closed with ${code}.`));
    const onMessage = (data: Buffer) => {
      if (data.subarray(0, AUDIO.length).equals(AUDIO)) {
        if (samples === 0) firstAudioMs = performance.now() - sentMs;
        samples += samplesIn(data);
        return;
      }
      const frame = JSON.parse(String(data)) as Record<string, unknown>;
      if (typeof frame.error === 'string') done(new Error(frame.error));
      if (!frame.session_closed) return;
      const audioSeconds = Number(frame.total_audio_seconds);
      const missing = Math.round(audioSeconds * SAMPLE_RATE) - samples;
      if (Math.abs(missing) > ROUNDED_SAMPLES)
        done(new Error(`expected all samples, got ${missing} too few`));
      done(null, { firstAudioMs, totalMs: performance.now() - sentMs, audioSeconds });
    };
    socket.on('message', onMessage);
    socket.once('close', onClose);
    socket.send(JSON.stringify({ text, flush: true }));
  });
}
