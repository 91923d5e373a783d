import { describeIssue, type Issue, shown } from '../../protocol/issue.ts';
import { audioFormatIssues } from '../../protocol/kugel/audio-format.ts';
import { UPDATABLE } from '../../protocol/kugel/client-frames.ts';
import { CLOSE_AFTER, CLOSE_RESTARTING, type ErrorName } from '../../protocol/kugel/errors.ts';
import type { StreamServerFrame } from '../../protocol/kugel/server-frames.ts';
import {
  IDLE_TURN_MS,
  parseStreamMessage,
  type StreamClientMessage,
  type StreamConfig,
} from '../../protocol/kugel/stream-client.ts';
import type { Engine, WordTiming } from '../../speech/engine.ts';
import { findVoice } from '../../speech/voices.ts';
import type { Clock } from '../clock.ts';
import type { Connection, Session } from '../connection.ts';
import type { Log } from '../log.ts';
import type { Account } from './account.ts';
import { roundedSeconds, usageOf } from './billing.ts';
import { unknownDictionaries } from './dictionaries.ts';
import { StreamTurn } from './stream-turn.ts';

/** The seed's text, to the letter. */
export const IDLE_WARNING =
  'Turn ended after 5s of inactivity. Send {"flush": true} to end a turn explicitly — it lowers latency and avoids this auto-flush.';

/** Text that a session may have waiting to be spoken: some two hours of speech. */
export const MAX_UNSPOKEN_CHARS = 100_000;

/** Turns that a session may have waiting, however short: each costs some 10 KB. */
export const MAX_WAITING_TURNS = 256;

const CLOSE_NORMAL = 1000;

interface SessionOptions {
  connection: Connection;
  clock: Clock;
  engine: Engine;
  account: Account;
  /** Told in the handshake and in error frames. */
  requestId: string;
  log: Log;
}

/** A message that cannot be used, and why. It changes nothing (decision 2.11). */
interface Refusal {
  name: ErrorName;
  code: number;
  message: string;
}

/**
 * One connection to `/ws/tts/stream`. Turns are spoken one after the other in the order they began; text that comes
 * after a flush opens the next one, whether or not the one before it has been spoken (`facts 2.3.26`).
 */
export class StreamSession implements Session {
  readonly #options: SessionOptions;
  /** Sticky; a turn takes a copy when it begins, so that changes apply from the next turn on (decision 7). */
  #config: StreamConfig = {};
  #turns: StreamTurn[] = [];
  #speaking = false;
  /** What happens when the last turn is over. */
  #closeWhenDone: { code: number; reason: string } | null = null;
  #closed = false;
  #cancelStaleTimer: () => void = () => {};
  #cancelIdleTimer: () => void = () => {};

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  text(message: string): void {
    if (this.#closed) return;
    let value: unknown;
    try {
      value = JSON.parse(message);
    } catch {
      this.#refuse(invalid('expected a JSON object, got text that is no JSON'));
      return;
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.#refuse(invalid(`expected a JSON object, got ${kindOf(value)}`));
      return;
    }
    const parsed = parseStreamMessage(value);
    if (!parsed.ok) {
      this.#refuse(invalid(sentence(parsed.issues)));
      return;
    }
    const refusal = this.#check(parsed.value);
    if (refusal) this.#refuse(refusal);
    else this.#accept(parsed.value);
  }

  binary(): void {
    if (!this.#closed)
      this.#refuse(invalid('expected a text message with a JSON object, got a binary message'));
  }

  gone(): void {
    this.#closed = true;
    this.#dropTurns();
  }

  goingAway(): void {
    this.#endOpenTurn();
    this.#closeAfterTurns(CLOSE_RESTARTING, 'restarting');
  }

  /** Everything that a well-formed message can be refused for. */
  #check(message: StreamClientMessage): Refusal | null {
    const { config, text } = message;
    // A barge-in is taken until the very end.
    if (this.#closeWhenDone && !message.cancel) {
      return invalid('expected no more messages, because the connection is closing');
    }
    if (config.voice_id !== undefined && !findVoice(config.voice_id)) {
      return { name: 'NOT_FOUND', code: 404, message: `Voice not found: ${shown(config.voice_id)}` };
    }
    const unknown = unknownDictionaries(config.dictionary_ids ?? []);
    if (unknown.length > 0) {
      return invalid(
        `dictionary_ids: expected ids of this account's dictionaries, got ${unknown.join(', ')}`,
      );
    }
    const formatIssues = audioFormatIssues(config);
    if (formatIssues.length > 0) return invalid(sentence(formatIssues));
    if (text === undefined || text.trim() === '') return null;
    if (!this.#openTurn() && merged(this.#config, config).voice_id === undefined) {
      return { name: 'MISSING_VOICE_ID', code: 400, message: 'voice_id is required' };
    }
    if (!this.#openTurn() && this.#turns.length >= MAX_WAITING_TURNS) {
      return invalid(`text: expected at most ${MAX_WAITING_TURNS} turns waiting to be spoken, got one more`);
    }
    const unspoken = this.#turns.reduce((sum, turn) => sum + turn.unspokenCharacters, text.length);
    if (unspoken > MAX_UNSPOKEN_CHARS) {
      return invalid(
        `text: expected at most ${MAX_UNSPOKEN_CHARS} characters waiting to be spoken, got ${unspoken}`,
      );
    }
    return null;
  }

  /** Config first, so that it applies to the text that it came with (`facts 1.3.5`). */
  #accept(message: StreamClientMessage): void {
    const { config, text, update } = message;
    this.#config = merged(this.#config, config);
    if (update) {
      this.#config = { ...this.#config, ...update };
      this.#send({ settings_updated: true, settings: this.#settingsInEffect() });
    }
    if (message.cancel) this.#interrupt();
    if (this.#closeWhenDone) {
      this.#closeIfDone();
      return;
    }
    if (text) this.#take(text);
    if (message.flush || message.close) this.#flush();
    if (message.closeSocket) {
      this.#endOpenTurn();
      this.#closeAfterTurns(CLOSE_NORMAL, '');
    }
  }

  #settingsInEffect(): Record<string, unknown> {
    return Object.fromEntries(UPDATABLE.map((key) => [key, this.#config[key] ?? null]));
  }

  /** The turn that text belongs to now. */
  #openTurn(): StreamTurn | undefined {
    const last = this.#turns.at(-1);
    return last?.ended ? undefined : last;
  }

  #take(text: string): void {
    let turn = this.#openTurn();
    if (!turn) {
      // Blank text starts no turn (`facts 10`, 9).
      const voice = findVoice(this.#config.voice_id ?? '');
      if (text.trim() === '' || !voice) return;
      turn = new StreamTurn(this.#config, voice);
      this.#turns.push(turn);
    }
    const waits = turn.add(text);
    this.#stopTimers();
    const open = turn;
    this.#cancelIdleTimer = this.#options.clock.after(IDLE_TURN_MS, () => this.#endIdle());
    if (waits) {
      this.#cancelStaleTimer = this.#options.clock.after(turn.flushTimeoutMs, () => {
        open.goStale();
        this.#run();
      });
    }
    this.#run();
  }

  #flush(): void {
    if (this.#openTurn()) this.#endOpenTurn();
    // While a turn is being drained it is what the message asks for; without any turn it is still answered, since
    // official clients wait for it (`facts 2.3.15`, decision 2).
    else if (this.#turns.length === 0) this.#answerEmptyTurn();
  }

  #endOpenTurn(): void {
    const turn = this.#openTurn();
    if (!turn) return;
    this.#stopTimers();
    turn.end();
    this.#run();
  }

  /** `facts 2.3.10`: warning, then what is buffered, then final, then session_closed. */
  #endIdle(): void {
    this.#send({ warning: IDLE_WARNING });
    this.#endOpenTurn();
  }

  #interrupt(): void {
    this.#dropTurns();
    this.#send({ interrupted: true });
  }

  #dropTurns(): void {
    this.#stopTimers();
    const dropped = this.#turns;
    this.#turns = [];
    for (const turn of dropped) turn.abort.abort();
  }

  #stopTimers(): void {
    this.#cancelStaleTimer();
    this.#cancelIdleTimer();
  }

  /** Speaks whatever is ready, turn by turn. Only one run is under way at a time. */
  #run(): void {
    if (this.#speaking) return;
    this.#speaking = true;
    void this.#speakReady().finally(() => {
      this.#speaking = false;
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
      if (chunk !== undefined) await this.#speakChunk(turn, chunk);
      else this.#finish(turn);
    }
  }

  /** One chunk, in the order of `facts 2.3.30`. */
  async #speakChunk(turn: StreamTurn, text: string): Promise<void> {
    const { clock, connection, engine, requestId } = this.#options;
    const chunkId = turn.textChunks;
    const isLive = () => !turn.abort.signal.aborted;
    turn.textChunks += 1;
    this.#send({ generation_started: true, chunk_id: chunkId, text });
    const startedMs = clock.now();
    let waitedMs = 0;
    let samples = 0;
    const words: WordTiming[] = [];
    try {
      for await (const block of engine.synthesize(turn.request(text, requestId), turn.abort.signal)) {
        if (!isLive()) return;
        samples += block.samples.length;
        words.push(...block.words);
        for (const frame of turn.framer.push(block.samples, chunkId)) connection.send(frame);
        const waitFromMs = clock.now();
        await connection.drained();
        waitedMs += clock.now() - waitFromMs;
      }
    } catch (error) {
      if (isLive()) this.#fail(error);
      return;
    }
    if (!isLive()) return;
    const rest = turn.framer.end(chunkId);
    if (rest !== null) connection.send(rest);
    turn.samples += samples;
    const audioSeconds = samples / turn.format.sampleRate;
    if (turn.wordTimestamps && words.length > 0) {
      this.#send({ word_timestamps: words.map((word) => wordFrame(word, audioSeconds)), chunk_id: chunkId });
    }
    this.#send({
      chunk_complete: true,
      chunk_id: chunkId,
      audio_seconds: roundedSeconds(audioSeconds),
      // Time that the client was waited for is not the generation's.
      gen_ms: Math.round(clock.now() - startedMs - waitedMs),
    });
  }

  #finish(turn: StreamTurn): void {
    this.#turns.shift();
    const audioSeconds = roundedSeconds(turn.audioSeconds);
    this.#sendTotals(audioSeconds, turn.textChunks, turn.framer.count, turn.characters, turn.modelId);
    this.#closeIfDone();
  }

  #answerEmptyTurn(): void {
    this.#sendTotals(0, 0, 0, 0, this.#config.model_id ?? 'kugel-3');
  }

  #sendTotals(
    audioSeconds: number,
    chunks: number,
    frames: number,
    characters: number,
    modelId: string,
  ): void {
    const totals = {
      total_audio_seconds: audioSeconds,
      total_text_chunks: chunks,
      total_audio_chunks: frames,
    };
    this.#send({ final: true, ...totals });
    this.#send({
      session_closed: true,
      ...totals,
      usage: usageOf(this.#options.account, { audioSeconds, characters, modelId }),
    });
  }

  /** A failure of generation ends the turn and everything behind it: nothing is charged, the socket closes (4000). */
  #fail(error: unknown): void {
    this.#options.log.error(
      { requestId: this.#options.requestId, error: error instanceof Error ? error.name : typeof error },
      'generation failed',
    );
    this.#dropTurns();
    this.#refuse({ name: 'INTERNAL_ERROR', code: 500, message: 'Audio generation failed' });
  }

  #refuse({ name, code, message }: Refusal): void {
    this.#send({ error: message, error_code: name, code, request_id: this.#options.requestId });
    const closeCode = CLOSE_AFTER[name];
    if (closeCode !== undefined) this.#close(closeCode, name);
  }

  #closeAfterTurns(code: number, reason: string): void {
    this.#closeWhenDone ??= { code, reason };
    this.#closeIfDone();
  }

  #closeIfDone(): void {
    if (this.#closeWhenDone && this.#turns.length === 0) {
      this.#close(this.#closeWhenDone.code, this.#closeWhenDone.reason);
    }
  }

  #close(code: number, reason: string): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#dropTurns();
    this.#options.connection.close(code, reason);
  }

  #send(frame: StreamServerFrame): void {
    if (!this.#closed) this.#options.connection.send(JSON.stringify(frame));
  }
}

const sentence = (issues: readonly Issue[]): string => issues.map(describeIssue).join('; ');

/** What a JSON value is that should have been an object; never what it says, which may be a text to speak. */
const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;

const invalid = (why: string): Refusal => ({
  name: 'VALIDATION_ERROR',
  code: 400,
  message: `Invalid request: ${why}`,
});

/** Sticky fields under those of a new message. Codec and rate replace one another: the newer choice counts. */
function merged(sticky: StreamConfig, config: StreamConfig): StreamConfig {
  const next = { ...sticky, ...config };
  if (config.output_format !== undefined && config.sample_rate === undefined) delete next.sample_rate;
  if (config.sample_rate !== undefined && config.output_format === undefined) delete next.output_format;
  return next;
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
