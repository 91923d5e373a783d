import type {
  ChunkCompleteFrame,
  GenerationStartedFrame,
  WordTimestampsFrame,
} from '#protocol/kugel/wire/server-frames.ts';
import type { Connection } from '../connection.ts';
import type { Engine, WordTiming } from '../speech/engine.ts';
import { roundedSeconds } from './billing.ts';
import type { ServerTurn } from './server-turn.ts';
import type { StartingLine } from './starting-line.ts';

interface QueueOptions {
  connection: Connection;
  engine: Engine;
  /** Fairness key at the engine: queues of the same key share one place. */
  engineKey: string;
  /** Sends a frame about a chunk; audio frames go to the connection as they are. */
  send: (frame: GenerationStartedFrame | WordTimestampsFrame | ChunkCompleteFrame) => void;
  /** Where several queues of a connection begin together. */
  startingLine?: StartingLine;
  /** A chunk was spoken. */
  spoken?: () => void;
  /** All of an ended turn was spoken; it is no longer in the queue. */
  finished: (turn: ServerTurn) => void;
  /** Generation failed. The turn is still there. */
  failed: (error: unknown) => void;
}

/**
 * Turns that are spoken one after the other in the order they began. The last one may be open: text goes there, and a
 * turn that begins after it was ended waits until it has been spoken (`facts 2.3.26`).
 */
export class TurnQueue {
  readonly #options: QueueOptions;
  #turns: ServerTurn[] = [];
  #speaking = false;
  #cancelStaleTimer: () => void = () => {};

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** The turn that text belongs to now. */
  get open(): ServerTurn | undefined {
    const last = this.#turns.at(-1);
    return last?.ended ? undefined : last;
  }

  /** Turns that are not over. */
  get length(): number {
    return this.#turns.length;
  }

  get unspokenCharacters(): number {
    return this.#turns.reduce((sum, turn) => sum + turn.unspokenCharacters, 0);
  }

  /** Something is being spoken or about to be. */
  get isBusy(): boolean {
    return this.#speaking || this.#isReady();
  }

  /** A turn begins; the one before it has ended. */
  begin(turn: ServerTurn): void {
    this.#turns.push(turn);
  }

  /** Text for the open turn. */
  add(text: string): void {
    const turn = this.open;
    if (!turn) return;
    this.#cancelStaleTimer();
    if (turn.add(text)) {
      this.#cancelStaleTimer = this.#options.connection.clock.after(turn.flushTimeoutMs, () => {
        turn.goStale();
        this.#run();
      });
    }
    this.#run();
  }

  /** The open turn gets no more text. */
  endOpen(): void {
    const turn = this.open;
    if (!turn) return;
    this.#cancelStaleTimer();
    turn.end();
    this.#run();
  }

  /** Stops and forgets the turn that is first, whether or not it has ended; those behind it are spoken. */
  dropFirst(): void {
    const first = this.#turns[0];
    if (!first) return;
    if (first === this.open) this.#cancelStaleTimer();
    this.#turns.shift();
    first.abort.abort();
  }

  /** Stops and forgets everything. @returns the turns as they were left */
  drop(): readonly ServerTurn[] {
    this.#cancelStaleTimer();
    const dropped = this.#turns;
    this.#turns = [];
    for (const turn of dropped) turn.abort.abort();
    return dropped;
  }

  /** Speaks whatever is ready, turn by turn. Only one run is under way at a time. */
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
        this.#options.finished(turn);
      }
    }
  }

  /** One chunk, in the order of `facts 2.3.30`. */
  async #speakChunk(turn: ServerTurn, text: string): Promise<void> {
    const { connection, engine, engineKey, send, startingLine, spoken, failed } = this.#options;
    const { clock } = connection;
    const starter = turn.textChunks === 0 ? startingLine?.enter() : undefined;
    const chunkId = turn.textChunks;
    const isLive = () => !turn.abort.signal.aborted;
    turn.textChunks += 1;
    send({ generation_started: true, chunk_id: chunkId, text });
    const startedMs = clock.nowMs();
    let waitedMs = 0;
    let samples = 0;
    const words: WordTiming[] = [];
    try {
      for await (const block of engine.synthesize(turn.request(text, engineKey), turn.abort.signal)) {
        if (!isLive()) return;
        const waitFromMs = clock.nowMs();
        if (samples === 0) await starter?.ready();
        if (!isLive()) return;
        samples += block.samples.length;
        words.push(...block.words);
        for (const frame of turn.framer.push(block.samples, chunkId)) connection.send(frame);
        await connection.drained();
        waitedMs += clock.nowMs() - waitFromMs;
      }
    } catch (error) {
      if (isLive()) failed(error);
      return;
    } finally {
      starter?.leave();
    }
    if (!isLive()) return;
    const rest = turn.framer.end(chunkId);
    if (rest !== null) connection.send(rest);
    turn.samples += samples;
    const audioSeconds = samples / turn.format.sampleRate;
    if (turn.wordTimestamps && words.length > 0) {
      send({ word_timestamps: words.map((word) => wordFrame(word, audioSeconds)), chunk_id: chunkId });
    }
    send({
      chunk_complete: true,
      chunk_id: chunkId,
      audio_seconds: roundedSeconds(audioSeconds),
      // Time that the client was waited for is not the generation's.
      gen_ms: Math.round(clock.nowMs() - startedMs - waitedMs),
    });
    spoken?.();
  }
}

/** Whole milliseconds that end no later than the audio (decision 6). */
function wordFrame(word: WordTiming, audioSeconds: number) {
  const endOfAudioMs = Math.floor(audioSeconds * 1000);
  return {
    word: word.word,
    start_ms: Math.min(word.startMs, endOfAudioMs),
    end_ms: Math.min(word.endMs, endOfAudioMs),
    char_start: word.charStart,
    char_end: word.charEnd,
    score: 1,
  };
}
