import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The parts of a multipart request. Repeated names keep their order. */
export interface TranscriptionRequest {
  path: string;
  headers: IncomingHttpHeaders;
  fields: readonly (readonly [name: string, value: string])[];
  file: { name: string; type: string; bytes: Uint8Array };
}

type TranscriptionReply = (to: ServerResponse, request: TranscriptionRequest) => void;

/** A transcription server that hears exactly what a test wants, over real HTTP. */
export interface TranscriptionServer {
  base: string;
  requests: TranscriptionRequest[];
  /** Requests whose answers are not complete, and the most there were at once. */
  open: number;
  mostOpen: number;
  reply: TranscriptionReply;
  close(): Promise<void>;
}

export async function startTranscriptionServer(reply: TranscriptionReply): Promise<TranscriptionServer> {
  const http = createServer(async (request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Allow-Headers', '*, Authorization');
    if (request.method !== 'POST') {
      response.end(request.method === 'GET' ? '{"data":[{"id":"scripted"}]}' : '');
      return;
    }
    server.open += 1;
    server.mostOpen = Math.max(server.mostOpen, server.open);
    response.on('close', () => {
      server.open -= 1;
    });
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    // Node's own reader of multipart forms, so that the page's form is read by the rules.
    const form = await new Response(Buffer.concat(parts), {
      headers: { 'Content-Type': request.headers['content-type'] ?? '' },
    }).formData();
    const file = form.get('file') as File;
    const received = {
      path: request.url ?? '',
      headers: request.headers,
      fields: [...form].flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value] as const] : [],
      ),
      file: { name: file.name, type: file.type, bytes: new Uint8Array(await file.arrayBuffer()) },
    };
    server.requests.push(received);
    server.reply(response, received);
  });
  await new Promise<void>((ready) => http.listen(0, '127.0.0.1', ready));
  const { port } = http.address() as AddressInfo;
  const server: TranscriptionServer = {
    base: `http://127.0.0.1:${port}/v1`,
    requests: [],
    open: 0,
    mostOpen: 0,
    reply,
    async close() {
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
    },
  };
  return server;
}

/** Answers with a value as JSON. */
export const heardReply =
  (value: unknown, status = 200): TranscriptionReply =>
  (to) => {
    to.writeHead(status, { 'Content-Type': 'application/json' });
    to.end(JSON.stringify(value));
  };
