/** One message of a WebSocket: text, or bytes. */
export type Frame = string | Uint8Array<ArrayBuffer>;
