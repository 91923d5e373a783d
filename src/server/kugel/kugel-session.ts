import type { Parsed } from '#protocol/core/issue.ts';
import { type Fields, parseBounded } from '#protocol/core/json-frame.ts';
import type { Connection, Session } from '../connection.ts';
import { faultFields, type Log } from '../log.ts';
import type { EndpointMeter } from '../metrics/meter.ts';
import type { Engine } from '../speech/engine.ts';
import { type Account, invalid, type KugelRefusal } from './access.ts';
import { failureOf, invalidFields } from './refusals.ts';
import type { KugelStore } from './store.ts';

/** Collaborators of a session of any Kugel endpoint. */
export interface SessionOptions {
  connection: Connection;
  engine: Engine;
  account: Account;
  store: KugelStore;
  meter: EndpointMeter;
  /** Sent in the handshake and in error frames. */
  requestId: string;
  log: Log;
}

export const CLOSE_NORMAL = 1000;

/** The common part of the sessions: reads messages, sends frames, closes once. */
export abstract class KugelSession<Message, Frame extends object> implements Session {
  protected readonly options: SessionOptions;
  readonly #parse: (fields: Fields) => Parsed<Message>;
  /** Close to send once everything is spoken. */
  protected closeWhenDone: { code: number; reason: string } | null = null;
  protected isClosed = false;

  constructor(options: SessionOptions, parse: (fields: Fields) => Parsed<Message>) {
    this.options = options;
    this.#parse = parse;
  }

  abstract gone(): void;
  abstract goingAway(): void;
  /** Returns the reason to refuse a well-formed message. A refused message changes nothing (decision 2.11). */
  protected abstract check(message: Message): KugelRefusal | null;
  protected abstract accept(message: Message): void;
  /** @param fields of the refused message, if any */
  protected abstract refuse(refusal: KugelRefusal, fields?: Fields): void;

  text(message: string): void {
    if (this.isClosed) return;
    const read = parseBounded(message);
    if (!('fields' in read)) {
      this.refuse(invalid(`expected a JSON object, got ${read.kind}`));
      return;
    }
    const parsed = this.#parse(read.fields);
    const refusal = parsed.ok ? this.check(parsed.value) : invalidFields(parsed.issues);
    if (refusal) this.refuse(refusal, read.fields);
    else if (parsed.ok) this.accept(parsed.value);
  }

  binary(): void {
    if (this.isClosed) return;
    this.refuse(invalid('expected a text message with a JSON object, got a binary message'));
  }

  /** Logs the kind of an engine failure, never the text. @returns the error that was sent */
  protected failed(error: unknown, fields?: Fields): KugelRefusal {
    const { log, requestId } = this.options;
    log.error({ requestId, ...faultFields(error) }, 'generation failed');
    const failure = failureOf(error);
    this.refuse(failure, fields);
    return failure;
  }

  protected close({ code, reason }: { code: number; reason: string }): void {
    if (this.isClosed) return;
    this.gone();
    this.options.connection.close(code, reason);
  }

  protected send(frame: Frame): void {
    if (this.isClosed) return;
    if ('error_code' in frame) this.options.meter.refused(String(frame.error_code));
    this.options.connection.send(JSON.stringify(frame));
  }
}
