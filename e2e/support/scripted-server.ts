import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/**
 * A server that says exactly what a test wants, for what the real one never does: audio paced to the millisecond,
 * broken frames, sudden ends. It stands for a vendor's host at a custom address.
 */
export interface ScriptedServer {
  /** To be entered as the page's custom address. */
  base: string;
  /** Every text frame that clients sent, parsed. */
  received: Record<string, unknown>[];
  /** Requests for a connection, with the query. */
  urls: string[];
  close(): Promise<void>;
}

/** The script of a connection; `say` sends one frame. */
export type Script = (
  socket: WebSocket,
  message: Record<string, unknown>,
  say: (frame: unknown) => void,
) => void;

/** Answers every call of a page of another origin with empty catalogues. */
export const createCatalogueHost = (): Server =>
  createServer((_, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Allow-Headers', '*');
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    response.setHeader('Content-Type', 'application/json');
    response.end('{"voices":[],"total":0,"dictionaries":[],"tts":[],"data":[]}');
  });

export async function startScriptedServer(
  onMessage: Script,
  onOpen: (socket: WebSocket, count: number) => void = () => {},
): Promise<ScriptedServer> {
  const received: Record<string, unknown>[] = [];
  const urls: string[] = [];
  const http = createCatalogueHost();
  const sockets = new WebSocketServer({ server: http });
  sockets.on('connection', (socket, request) => {
    urls.push(request.url ?? '');
    onOpen(socket, urls.length);
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as Record<string, unknown>;
      received.push(message);
      onMessage(socket, message, (frame) =>
        socket.send(typeof frame === 'string' || frame instanceof Uint8Array ? frame : JSON.stringify(frame)),
      );
    });
  });
  await new Promise<void>((ready) => http.listen(0, '127.0.0.1', ready));
  const { port } = http.address() as AddressInfo;
  return {
    base: `ws://127.0.0.1:${port}`,
    received,
    urls,
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
    },
  };
}

/** A tone quantised to 16 bits, so that what is heard can be compared to the bit. Never 0 at its start. */
export function tone(samples: number, sampleRate: number): Int16Array {
  return Int16Array.from({ length: samples }, (_, index) =>
    Math.round(12_000 * Math.sin((2 * Math.PI * 440 * (index + 1)) / sampleRate)),
  );
}

/** One audio frame of `/ws/tts/stream`. */
export const audioFrame = (samples: Int16Array, idx: number, sampleRate: number, chunkId = 0): object => ({
  audio: Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).toString('base64'),
  enc: 'pcm_s16le',
  idx,
  sr: sampleRate,
  samples: samples.length,
  chunk_id: chunkId,
});
