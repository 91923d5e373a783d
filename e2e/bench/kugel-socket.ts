import { WebSocket } from 'ws';
import type { LocalServer } from './local-server.ts';

/** Some 12 s of speech in two sentences. */
export const TEXT =
  'The quick brown fox jumps over the lazy dog and runs along the river, past the old mill, and through the wooden fence. ' +
  'Nobody saw where it went after that, but the dog told the story for years. ';

/** A socket that is open, at `/ws/tts/stream` or `/ws/tts/multi`. */
export async function openKugelSocket(server: LocalServer, endpoint: 'stream' | 'multi'): Promise<WebSocket> {
  const socket = new WebSocket(`${server.ws}/kugel/ws/tts/${endpoint}?api_key=local`, {
    perMessageDeflate: false,
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return socket;
}
