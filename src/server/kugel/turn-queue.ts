import { addAll } from '#lib/collections/arrays.ts';
import type {
  ChunkCompleteFrame,
  GenerationStartedFrame,
  WordTimestampsFrame,
} from '#protocol/kugel/wire/server-frames.ts';
import type { Connection } from '../connection.ts';
import type { EndpointMeter } from '../metrics/meter.ts';
import type { Engine, SpeechRequest, WordTiming } from '../speech/engine.ts';
import { roundedSeconds } from './billing.ts';
import type { ServerTurn } from './server-turn.ts';
import type { StartBarrier } from './start-barrier.ts';

export type ChunkFrame = GenerationStartedFrame | WordTimestampsFrame | ChunkCompleteFrame;

interface QueueOptions {
  connection: Connection;
  engine: Engine;
  engineShare: Pick<SpeechRequest, 'session' | 'context'>;
  meter: EndpointMeter;
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
 * Speaks turns one after the other in the order in which they began. Only the last one may be open for text
 * (`facts 2.3.26`).
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
      this.#cancelStaleTimer = this.#options.connection.clock.after(turn.config.flush_timeout_ms, () => {
        turn.goStale();
        this.#run();
      });
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
    this.#options.connection.background(async () => {
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

  /** Speaks one chunk; order of frames as in `facts 2.3.30`. */
  async #speakChunk(turn: ServerTurn, text: string): Promise<void> {
    const { connection, engine, engineShare, meter, send, startBarrier, spoken, failed } = this.#options;
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
      for await (const block of engine.synthesize(
        { ...turn.request(text), ...engineShare },
        turn.abort.signal,
      )) {
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

/** Rounds to whole milliseconds that end no later than the audio (decision 6). */
function wordFrame(word: WordTiming, audioSeconds: number) {
  const endOfAudioMs = Math.floor(audioSeconds * 1000);
  return {
    word: word.word,
    start_ms: Math.min(word.startMs, endOfAudioMs),
    end_ms: Math.min(word.endMs, endOfAudioMs),
    char_start: word.charStart,
    char_end: word.charEnd,
    // A confidence, always 1 at the vendor (`facts 1.6`). An estimate is worth less.
    score: word.isEstimated ? ESTIMATED_SCORE : 1,
  };
}
