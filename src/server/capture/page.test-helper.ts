import { once } from 'node:events';
import { type ClientOptions, WebSocket } from 'ws';
import {
  type CapturedClient,
  type CapturedMessage,
  type CaptureMessage,
  captureAccessSchema,
  captureMessageSchema,
} from '#trace/capture-messages.ts';

/** A page that watches the clients of a server. */
export interface CapturePage {
  socket: WebSocket;
  /** So far. */
  messages: readonly CaptureMessage[];
  watch(client: string): void;
  /** Looks after each message until something is found. */
  until<T>(find: () => T | undefined): Promise<T>;
  /** The newest view of a client. */
  client(id: string): CapturedClient | undefined;
  clientOf(program: string): CapturedClient | undefined;
  entriesOf(id: string): CapturedMessage[];
}

/** @param http origin of the server */
export async function captureToken(http: string): Promise<string> {
  const answer = await fetch(`${http}/capture`, { headers: { 'Sec-Fetch-Site': 'same-origin' } });
  return captureAccessSchema.parse(await answer.json()).token ?? '';
}

/** @param http origin of the server */
export async function openCapturePage(http: string, options: ClientOptions = {}): Promise<CapturePage> {
  const token = await captureToken(http);
  const socket = new WebSocket(`${http.replace('http', 'ws')}/capture?token=${token}`, {
    origin: http,
    ...options,
  });
  const messages: CaptureMessage[] = [];
  let changed = () => {};
  socket.on('message', (data) => {
    messages.push(captureMessageSchema.parse(JSON.parse(String(data))));
    changed();
  });
  await once(socket, 'open');
  const newest = (is: (client: CapturedClient) => boolean) =>
    messages.flatMap((message) => (message.type === 'clients' ? message.changed : [])).findLast(is);
  return {
    socket,
    messages,
    watch: (client) => socket.send(JSON.stringify({ type: 'watch', client })),
    async until(find) {
      for (;;) {
        const found = find();
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => {
          changed = resolve;
        });
      }
    },
    client: (id) => newest((client) => client.id === id),
    clientOf: (program) => newest((client) => client.program === program),
    entriesOf: (id) =>
      messages.flatMap((message) =>
        message.type === 'entries' && message.client === id ? message.entries : [],
      ),
  };
}
