import type { Clock } from '#lib/clock.ts';
import { addAll } from '#lib/collections/arrays.ts';
import type {
  ChunkCompleteFrame,
  GenerationStartedFrame,
  WordTimestampsFrame,
} from '#protocol/kugel/wire/server-frames.ts';
import type { WordTiming } from '../speech/engine.ts';
import { roundedSeconds, type ServerTurn } from './server-turn.ts';
import type { SessionOptions } from './store.ts';

/** Longest time that first audio is delayed. */
const MAX_HOLD_MS = 100;

/** A turn without audio yet, as its barrier sees it. */
export interface StartingTurn {
  /** Announces first audio. Resolves when it may be sent. */
  ready(): Promise<void>;
  /** Leaves the group without audio. */
  leave(): void;
}

interface Group {
  /** Turns without audio yet. */
  waiting: number;
  /** Turns whose first audio is delayed. */
  held: (() => void)[];
  isOff: boolean;
  stopTimer: () => void;
}

/**
 * Aligns the first audio of contexts of one connection that begin together. A few engine threads serve all of them, so
 * the last of twenty would start many times later than the first. The first audio of a group is delayed until half
 * of the group has audio, so the slowest waits about twice as long as the fastest. A context that begins alone, with one
 * other, or while others speak is not delayed.
 */
export class StartBarrier {
  readonly #clock: Clock;
  #group: Group | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  enter(): StartingTurn {
    const group = this.#group ?? { waiting: 0, held: [], isOff: false, stopTimer: () => {} };
    this.#group = group;
    group.waiting += 1;
    let isWaiting = true;
    const leave = (): void => {
      if (!isWaiting) return;
      isWaiting = false;
      group.waiting -= 1;
      this.#startIfDue(group);
    };
    return {
      leave,
      ready: () => {
        if (group.isOff || !isWaiting) {
          leave();
          return Promise.resolve();
        }
        return new Promise((resolve) => {
          if (group.held.length === 0) {
            group.stopTimer = this.#clock.after(MAX_HOLD_MS, () => this.#start(group));
          }
          group.held.push(resolve);
          leave();
        });
      },
    };
  }

  #startIfDue(group: Group): void {
    if (group.held.length >= group.waiting) this.#start(group);
  }

  #start(group: Group): void {
    group.isOff = true;
    group.stopTimer();
    if (this.#group === group) this.#group = null;
    for (const begin of group.held) begin();
    group.held = [];
  }
}

export type ChunkFrame = GenerationStartedFrame | WordTimestampsFrame | ChunkCompleteFrame;

interface QueueOptions {
  session: SessionOptions;
  /** The number of the context on its connection. */
  context?: string;
  /** Sends a frame about a chunk. Audio frames go straight to the connection. */
  send: (frame: ChunkFrame) => void;
  /** Shared by the queues of a connection that begin together. */
  startBarrier?: StartBarrier;
  /** Called after each chunk. */
  spoken?: () => void;
  /** Called when an ended turn was spoken and has left the queue. */
  finished: (turn: ServerTurn) => void;
  /** Called when generation failed. The turn is still in the queue. */
  failed: (error: unknown) => void;
}

/**
 * Speaks turns one after the other in the order in which they began. Only the last one may be open for text.
 */
export class TurnQueue {
  readonly #options: QueueOptions;
  #turns: ServerTurn[] = [];
  #speaking = false;
  #cancelStaleTimer: () => void = () => {};

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** The turn that accepts text. */
  get open(): ServerTurn | undefined {
    const last = this.#turns.at(-1);
    return last?.ended ? undefined : last;
  }

  /** Turns that are not finished. */
  get length(): number {
    return this.#turns.length;
  }

  get unspokenCharacters(): number {
    return this.#turns.reduce((sum, turn) => sum + turn.unspokenCharacters, 0);
  }

  /** A chunk is spoken or ready. */
  get isBusy(): boolean {
    return this.#speaking || this.#isReady();
  }

  /** Appends a turn. The previous one must have ended. */
  begin(turn: ServerTurn): void {
    this.#turns.push(turn);
  }

  add(text: string): void {
    const turn = this.open;
    if (!turn) return;
    this.#cancelStaleTimer();
    if (turn.add(text)) {
      this.#cancelStaleTimer = this.#options.session.connection.clock.after(
        turn.config.flush_timeout_ms,
        () => {
          turn.goStale();
          this.#run();
        },
      );
    }
    this.#run();
  }

  endOpen(): void {
    const turn = this.open;
    if (!turn) return;
    this.#cancelStaleTimer();
    turn.end();
    this.#run();
  }

  /** Aborts and removes the first turn. Later turns are spoken. */
  dropFirst(): void {
    const first = this.#turns[0];
    if (!first) return;
    if (first === this.open) this.#cancelStaleTimer();
    this.#turns.shift();
    cancel(first);
  }

  /** Aborts and removes all turns. @returns the removed turns */
  drop(): readonly ServerTurn[] {
    this.#cancelStaleTimer();
    const dropped = this.#turns;
    this.#turns = [];
    for (const turn of dropped) cancel(turn);
    return dropped;
  }

  /** Speaks all ready chunks. One run at a time. */
  #run(): void {
    if (this.#speaking) return;
    this.#speaking = true;
    this.#options.session.connection.background(async () => {
      try {
        await this.#speakReady();
      } finally {
        this.#speaking = false;
      }
      if (this.#isReady()) this.#run();
    });
  }

  #isReady(): boolean {
    const turn = this.#turns[0];
    return turn !== undefined && (turn.hasChunk || turn.ended);
  }

  async #speakReady(): Promise<void> {
    for (let turn = this.#turns[0]; turn && this.#isReady(); turn = this.#turns[0]) {
      const chunk = turn.takeChunk();
      if (chunk !== undefined) {
        await this.#speakChunk(turn, chunk);
      } else {
        this.#turns.shift();
        turn.meter.ended('completed', turn.sentSeconds);
        this.#options.finished(turn);
      }
    }
  }

  /** Speaks one chunk, whose frames have a fixed order (kugel-chunk-8). */
  async #speakChunk(turn: ServerTurn, text: string): Promise<void> {
    const { session, context, send, startBarrier, spoken, failed } = this.#options;
    const { connection, services, requestId, meter } = session;
    const { clock } = connection;
    const start = turn.textChunks === 0 ? startBarrier?.enter() : undefined;
    const chunkId = turn.textChunks;
    if (chunkId === 0) turn.meter = meter.turn();
    const isLive = () => !turn.abort.signal.aborted;
    turn.textChunks += 1;
    send({ generation_started: true, chunk_id: chunkId, text });
    const startedMs = clock.nowMs();
    let waitedMs = 0;
    let samples = 0;
    const words: WordTiming[] = [];
    try {
      const request = { ...turn.request(text), session: requestId, ...(context && { context }) };
      for await (const block of services.engine.synthesize(request, turn.abort.signal)) {
        if (!isLive()) return;
        const waitFromMs = clock.nowMs();
        if (samples === 0) await start?.ready();
        if (!isLive()) return;
        samples += block.samples.length;
        addAll(words, block.words);
        for (const frame of turn.framer.push(block.samples, chunkId)) {
          turn.meter.audio();
          connection.send(frame);
        }
        await connection.drained();
        waitedMs += clock.nowMs() - waitFromMs;
      }
    } catch (error) {
      if (!isLive()) return;
      turn.meter.ended('failed', turn.sentSeconds);
      failed(error);
      return;
    } finally {
      start?.leave();
    }
    if (!isLive()) return;
    const rest = turn.framer.end(chunkId);
    if (rest !== null) {
      turn.meter.audio();
      connection.send(rest);
    }
    turn.samples += samples;
    const audioSeconds = samples / turn.format.sampleRate;
    if (turn.config.word_timestamps && words.length > 0) {
      send({ word_timestamps: words.map((word) => wordFrame(word, audioSeconds)), chunk_id: chunkId });
    }
    send({
      chunk_complete: true,
      chunk_id: chunkId,
      audio_seconds: roundedSeconds(audioSeconds),
      // Excludes the time that the client did not read.
      gen_ms: Math.round(clock.nowMs() - startedMs - waitedMs),
    });
    spoken?.();
  }
}

const ESTIMATED_SCORE = 0.5;

function cancel(turn: ServerTurn): void {
  turn.meter.ended('cancelled', turn.sentSeconds);
  turn.abort.abort();
}

/** Rounds to whole milliseconds that end no later than the audio (kugel-words-5). */
function wordFrame(word: WordTiming, audioSeconds: number) {
  const endOfAudioMs = Math.floor(audioSeconds * 1000);
  return {
    word: word.word,
    start_ms: Math.min(word.startMs, endOfAudioMs),
    end_ms: Math.min(word.endMs, endOfAudioMs),
    char_start: word.charStart,
    char_end: word.charEnd,
    // A confidence, always 1 at the vendor (kugel-words-6). An estimate is worth less.
    score: word.isEstimated ? ESTIMATED_SCORE : 1,
  };
}
