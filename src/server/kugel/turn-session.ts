import type { Parsed } from '#protocol/core/issue.ts';
import type { Fields } from '#protocol/core/json-frame.ts';
import { CLOSE_RESTARTING } from '#protocol/kugel/wire/errors.ts';
import { closeAfter, type KugelRefusal } from './access.ts';
import { KugelSession, type SessionOptions } from './kugel-session.ts';
import type { ServerTurn } from './server-turn.ts';
import { type ChunkFrame, TurnQueue } from './turn-queue.ts';

type Refusal = KugelRefusal & { request_id: string };

/** A session that speaks one queue of turns: the endpoints without contexts. */
export abstract class TurnSession<Message, Frame extends object> extends KugelSession<
  Message,
  Frame | Refusal
> {
  protected readonly queue: TurnQueue;

  constructor(options: SessionOptions, parse: (fields: Fields) => Parsed<Message>) {
    super(options, parse);
    this.queue = new TurnQueue({
      connection: options.connection,
      engine: options.engine,
      engineShare: { session: options.requestId },
      meter: options.meter,
      send: (frame) => this.sendOfChunk(frame),
      finished: (turn) => {
        this.finish(turn);
        this.closeIfDone();
      },
      // Drops this turn and all later ones without charge, and closes the socket (decision 2.12).
      failed: (error) => {
        this.dropTurns();
        this.close(closeAfter(this.failed(error)));
      },
    });
  }

  /** Sends a frame about a chunk. */
  protected abstract sendOfChunk(frame: ChunkFrame): void;
  /** Sends the end of a turn that was spoken. */
  protected abstract finish(turn: ServerTurn): void;

  gone(): void {
    this.isClosed = true;
    this.dropTurns();
  }

  goingAway(): void {
    this.closeAfterTurns(CLOSE_RESTARTING, 'restarting');
  }

  protected dropTurns(): void {
    this.queue.drop();
  }

  protected refuse(refusal: KugelRefusal): void {
    this.send({ ...refusal, request_id: this.options.requestId });
  }

  protected closeAfterTurns(code: number, reason: string): void {
    this.closeWhenDone ??= { code, reason };
    this.closeIfDone();
  }

  protected closeIfDone(): void {
    if (this.closeWhenDone && this.queue.length === 0) this.close(this.closeWhenDone);
  }
}
