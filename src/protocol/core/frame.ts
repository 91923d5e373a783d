/** One message of a WebSocket: text, or bytes. */
export type Frame = string | Uint8Array<ArrayBuffer>;

/**
 * Replaces the key in templates and in recorded frames. The session worker inserts the key when a frame leaves, so that
 * the page never holds a frame with a key.
 */
export const KEY_PLACEHOLDER = '[key]';

/** A client message that a person can edit and send. */
export interface FrameTemplate {
  /** Unique within the endpoint. */
  title: string;
  /** One sentence on its effect. */
  about: string;
  frame: Readonly<Record<string, unknown>>;
}

/** Returns a function that makes templates. Their frames have the type of the messages' schemas. */
export const templatesOf =
  <Message extends FrameTemplate['frame']>() =>
  (title: string, about: string, frame: Message): FrameTemplate => ({ title, about, frame });
