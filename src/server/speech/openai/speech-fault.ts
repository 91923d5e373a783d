/** Fields of a log line. They never hold a text or a key. */
export type FaultFields = Readonly<Record<string, string | number>>;

/** A speech server did not do what OpenAI documents. The message names it without text, key or address. */
export class SpeechFault extends Error {
  override readonly name = 'SpeechFault';
  readonly fields: FaultFields;
  /** A later request may succeed: the server is overloaded, down or too slow. */
  readonly isPassing: boolean;

  constructor(message: string, fields: FaultFields = {}, isPassing = false) {
    super(message);
    this.fields = fields;
    this.isPassing = isPassing;
  }
}
