import { once } from 'node:events';
import { WebSocket } from 'ws';

/** Another program on the server: a plain WebSocket client with a `User-Agent`. */
export interface Program {
  readonly frames: readonly Record<string, unknown>[];
  say(message: object): void;
  /** Resolves with the first frame that has this field, also one that came before. */
  frame(field: string): Promise<Record<string, unknown>>;
  close(): Promise<void>;
  /** Ends it without a close frame. */
  crash(): void;
}

export async function startProgram(
  baseURL: string,
  { path, name, headers = {} }: { path: string; name: string; headers?: Record<string, string> },
): Promise<Program> {
  const address = baseURL.replace(/^http/, 'ws') + path;
  const socket = new WebSocket(address, { headers: { 'User-Agent': name, ...headers } });
  const frames: Record<string, unknown>[] = [];
  let arrived = () => {};
  socket.on('message', (data) => {
    frames.push(JSON.parse(String(data)));
    arrived();
  });
  await once(socket, 'open');
  return {
    frames,
    say: (message) => socket.send(JSON.stringify(message)),
    async frame(field) {
      for (;;) {
        const found = frames.find((frame) => field in frame);
        if (found) return found;
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
    },
    async close() {
      const closed = once(socket, 'close');
      socket.close(1000);
      await closed;
    },
    crash: () => socket.terminate(),
  };
}

/** The samples of all audio frames, as the player plays them. */
export function samplesIn(frames: Program['frames']): Float32Array {
  const parts = frames.flatMap(({ audio, chunk = audio }) =>
    typeof chunk === 'string' ? [Buffer.from(chunk, 'base64')] : [],
  );
  const bytes = Buffer.concat(parts);
  return Float32Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readInt16LE(at * 2) / 32_768);
}
