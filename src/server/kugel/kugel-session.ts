import type { Parsed } from '#protocol/core/issue.ts';
import type { Fields } from '#protocol/core/json-frame.ts';
import { CLOSE_RESTARTING } from '#protocol/kugel/wire/errors.ts';
import { JsonSession } from '../sessions/json-session.ts';
import { closeAfter, failureOf, invalid, invalidFields, type KugelRefusal } from './access.ts';
import type { ServerTurn } from './server-turn.ts';
import type { SessionOptions } from './store.ts';
import { type ChunkFrame, TurnQueue } from './turn-queue.ts';

export const CLOSE_NORMAL = 1000;

/** The common part of the sessions: checks messages, and sends frames. */
export abstract class KugelSession<Message, Frame extends object> extends JsonSession<SessionOptions> {
  /** Every message is answered until the close. */
  protected override readonly isDeafWhenLeaving = false;
  /** Close to send once everything is spoken. */
  protected closeWhenDone: { code: number; reason: string } | null = null;

  protected abstract parse(fields: Fields): Parsed<Message>;
  /** Returns the reason to refuse a well-formed message. A refused message changes nothing. */
  protected abstract check(message: Message): KugelRefusal | null;
  protected abstract accept(message: Message): void;
  /** @param fields of the refused message, if any */
  protected abstract refuse(refusal: KugelRefusal, fields?: Fields): void;

  protected read(fields: Fields): void {
    const parsed = this.parse(fields);
    const refusal = parsed.ok ? this.check(parsed.value) : invalidFields(parsed.issues);
    if (refusal) this.refuse(refusal, fields);
    else if (parsed.ok) this.accept(parsed.value);
  }

  protected unreadable(problem: string): void {
    this.refuse(invalid(problem));
  }

  binary(): void {
    this.unreadable('expected a text message with a JSON object, got a binary message');
  }

  /** @returns the error that was sent */
  protected failed(error: unknown, fields?: Fields): KugelRefusal {
    this.logFailure(error);
    const failure = failureOf(error);
    this.refuse(failure, fields);
    return failure;
  }

  protected sendFrame(frame: Frame): void {
    if (this.isOver) return;
    if ('error_code' in frame) this.options.meter.refused(String(frame.error_code));
    this.send(JSON.stringify(frame));
  }
}

type Refusal = KugelRefusal & { request_id: string };

/** A session that speaks one queue of turns: the endpoints without contexts. */
export abstract class TurnSession<Message, Frame extends object> extends KugelSession<
  Message,
  Frame | Refusal
> {
  protected readonly queue = new TurnQueue({
    session: this.options,
    send: (frame) => this.sendOfChunk(frame),
    finished: (turn) => {
      this.finish(turn);
      this.closeIfDone();
    },
    // Drops this turn and all later ones without charge, and closes the socket.
    failed: (error) => {
      this.dropTurns();
      const { code, reason } = closeAfter(this.failed(error));
      this.close(code, reason);
    },
  });

  protected get contexts() {
    return [{ isBusy: this.queue.length > 0, stop: () => this.dropTurns() }];
  }

  /** Sends a frame about a chunk. */
  protected abstract sendOfChunk(frame: ChunkFrame): void;
  /** Sends the end of a turn that was spoken. */
  protected abstract finish(turn: ServerTurn): void;

  override goingAway(): void {
    this.closeAfterTurns(CLOSE_RESTARTING, 'restarting');
  }

  protected dropTurns(): void {
    this.queue.drop();
  }

  protected refuse(refusal: KugelRefusal): void {
    this.sendFrame({ ...refusal, request_id: this.options.requestId });
  }

  protected closeAfterTurns(code: number, reason: string): void {
    this.closeWhenDone ??= { code, reason };
    this.closeIfDone();
  }

  protected closeIfDone(): void {
    const { closeWhenDone } = this;
    if (closeWhenDone && this.queue.length === 0) this.close(closeWhenDone.code, closeWhenDone.reason);
  }
}
