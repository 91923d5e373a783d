import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ChatBody {
  model: string;
  messages: { role: string; content: string }[];
  stream: boolean;
}

/** Answers one request of chat completions. */
export type ChatReply = (to: ServerResponse, body: ChatBody) => void | Promise<void>;

/** A model server that says exactly what a test wants, over real HTTP. */
export interface ChatServer {
  base: string;
  requests: { authorization: string | undefined; body: ChatBody }[];
  /** Answers the next requests. */
  reply: ChatReply;
  /** Answers the next requests for the list of models. */
  list: (to: ServerResponse) => void;
  /** Requests whose connection the client has ended before the answer was complete. */
  aborted: number;
  close(): Promise<void>;
}

export async function startChatServer(reply: ChatReply): Promise<ChatServer> {
  const http = createServer((request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Allow-Headers', '*, Authorization');
    response.setHeader('Access-Control-Expose-Headers', 'Retry-After');
    if (request.method === 'OPTIONS') {
      response.end();
      return;
    }
    if (request.method === 'GET') {
      server.list(response);
      return;
    }
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => {
      text += part;
    });
    response.on('close', () => {
      if (!response.writableFinished) server.aborted += 1;
    });
    request.on('end', () => {
      const body = JSON.parse(text) as ChatBody;
      server.requests.push({ authorization: request.headers.authorization, body });
      void server.reply(response, body);
    });
  });
  await new Promise<void>((ready) => http.listen(0, '127.0.0.1', ready));
  const { port } = http.address() as AddressInfo;
  const server: ChatServer = {
    base: `http://127.0.0.1:${port}/v1`,
    requests: [],
    reply,
    list: (to) => to.end('{"data":[{"id":"scripted"}]}'),
    aborted: 0,
    async close() {
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
    },
  };
  return server;
}

/** The data of an event with one piece of an answer. */
export const chatChunk = (content: string | null, finish: string | null = null): string =>
  JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    model: 'scripted',
    choices: [{ index: 0, delta: content === null ? {} : { content }, finish_reason: finish }],
  });

export const chatEvent = (data: string): string => `data: ${data}\n\n`;

export function openStream(to: ServerResponse): void {
  to.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
}

/** Answers with these tokens, as a server does that behaves well. */
export const tokensReply =
  (...tokens: readonly string[]): ChatReply =>
  (to) => {
    openStream(to);
    for (const token of tokens) to.write(chatEvent(chatChunk(token)));
    to.write(chatEvent(chatChunk(null, 'stop')));
    to.end(chatEvent('[DONE]'));
  };
