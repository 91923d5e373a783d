import {
  CAPTURE_PATH,
  type CaptureMessage,
  captureAccessSchema,
  captureMessageSchema,
  type PageMessage,
} from '#trace/capture-messages.ts';

export interface CaptureHandlers {
  received(message: CaptureMessage): void;
  /** Always the last call. @param isOff the server captures nothing, so another try is pointless */
  ended(isOff: boolean): void;
}

export interface CaptureSocket {
  send(message: PageMessage): void;
}

/** Connects to the capture of the server that served this page. */
export function openCaptureSocket(handlers: CaptureHandlers): CaptureSocket {
  let socket: WebSocket | null = null;
  const open = (token: string): void => {
    const address = new URL(`${CAPTURE_PATH}?token=${encodeURIComponent(token)}`, location.origin);
    address.protocol = address.protocol.replace('http', 'ws');
    socket = new WebSocket(address);
    socket.onmessage = ({ data }: MessageEvent<string>) => {
      const message = captureMessageSchema.safeParse(JSON.parse(data));
      // A server of another version may send more kinds of messages.
      if (message.success) handlers.received(message.data);
    };
    socket.onclose = () => handlers.ended(false);
  };
  tokenOfServer().then(
    (token) => (token === null ? handlers.ended(true) : open(token)),
    () => handlers.ended(false),
  );
  return { send: (message) => socket?.send(JSON.stringify(message)) };
}

/** Null where the server captures nothing. @throws where it does not answer */
async function tokenOfServer(): Promise<string | null> {
  const answer = await fetch(new URL(CAPTURE_PATH, location.origin));
  // While it starts or shuts down, a server of this page answers with 503.
  if (answer.status >= 500) throw new Error(`The server answered ${answer.status}.`);
  if (!answer.ok) return null;
  return captureAccessSchema.parse(await answer.json()).token;
}
