import { MessageChannel } from 'node:worker_threads';
import { type Clock, systemClock } from '#lib/clock.ts';
import { type CallPort, connectCalls, type Remote } from '#lib/worker-calls.ts';
import { startThread } from '../speech/threads.ts';
import { type Peer, Shares } from '../state/shares.ts';
import { type Encoder, joinedBytes } from './encoder.ts';
import type { Mp3Format, Mp3Thread } from './mp3.worker.ts';

/** Kilobits a second. */
const MP3_BITRATE = 128;
/** Samples of one step, which takes some 5 ms: whole MP3 frames. Streams alternate after each. */
const STEP_SAMPLES = 11_520;

let thread: Remote<Mp3Thread> | null = null;
let lastId = 0;

/** Returns the thread that encodes, and starts it if needed. An encoder on the event loop would block all clients. */
function mp3Thread(): Remote<Mp3Thread> {
  if (thread) return thread;
  const { port1, port2 } = new MessageChannel();
  const { calls, dispose } = connectCalls<Mp3Thread>(port1 as unknown as CallPort);
  const options = { workerData: { port: port2 }, transferList: [port2] };
  const worker = startThread(new URL('./mp3.worker.mjs', import.meta.url), options, (reason) => {
    thread = null;
    port1.close();
    dispose(`The MP3 encoder stopped: ${reason}`);
  });
  worker.unref();
  port1.unref();
  thread = calls;
  return calls;
}

/** An encoder of the thread. Its calls are answered in their order. */
class Lame {
  readonly #thread: Remote<Mp3Thread>;
  readonly #id: number;

  constructor() {
    lastId += 1;
    this.#thread = mp3Thread();
    this.#id = lastId;
  }

  get isAlive(): boolean {
    return this.#thread === thread;
  }

  begin(format: Mp3Format): Promise<void> {
    return this.#thread.begin(this.#id, format);
  }

  encode(samples: Int16Array): Promise<Uint8Array<ArrayBuffer>> {
    return this.#thread.encode(this.#id, samples);
  }

  /** Resolves with the last bytes of the stream. */
  end(): Promise<Uint8Array> {
    return this.#thread.end(this.#id);
  }

  drop(): void {
    this.#thread.drop(this.#id).catch(() => {});
  }
}

/** An encoder of the library. Each takes 2 MB, and 16 MB of addresses. */
const MAX_ENCODERS = 32;
/** An encoder stays for so long where its stream has no larger share than the one that waits, because each change is heard as a short silence. */
const LEAST_STAY_MS = 1000;
/** Encoders between two streams, because a new one costs some 10 ms. */
const MAX_SPARE = 4;

interface Waiting {
  stream: Mp3Stream;
  /** @param mayEnter false for a stream that has ended meanwhile */
  answer(mayEnter: boolean): void;
}

/** The encoders that all MP3 streams share. A stream without one waits for another stream to pause. */
export class Mp3Encoders {
  readonly #clock: Clock;
  readonly #max: number;
  /** Streams with an encoder, the one that took it last at the end. */
  readonly #holders = new Shares<Mp3Stream>();
  #waiting: Waiting[] = [];
  readonly #spare: Lame[] = [];
  #stopTimer = () => {};

  constructor(clock: Clock = systemClock, max = MAX_ENCODERS) {
    this.#clock = clock;
    this.#max = max;
  }

  /** Opens a stream, which has to be ended or released. @param bitrate in kbit/s */
  open(sampleRate: number, peer: Peer, bitrate: number = MP3_BITRATE): Encoder {
    // The thread starts while the engine speaks. Before the first stream it would only take memory.
    mp3Thread();
    return new Mp3Stream(this, { sampleRate, bitrate }, peer);
  }

  /** An encoder; null for a stream that was released before there was one. */
  async take(stream: Mp3Stream): Promise<Lame | null> {
    const mayEnter = await new Promise<boolean>((answer) => {
      this.#waiting.push({ stream, answer });
      this.admit();
    });
    if (!mayEnter) return null;
    const spare = this.#spare.pop();
    return spare?.isAlive ? spare : new Lame();
  }

  /** Notes that a stream has its encoder. */
  use(stream: Mp3Stream): void {
    this.#holders.add(stream, stream.peer);
  }

  /** Takes the encoder of a stream back, and ends its waiting. */
  give(stream: Mp3Stream, lame: Lame | null): void {
    for (const each of this.#waiting) if (each.stream === stream) each.answer(false);
    this.#waiting = this.#waiting.filter((each) => each.stream !== stream);
    this.#free(stream, lame);
    this.admit();
  }

  /** Admits streams that wait, those of the smallest shares first. */
  admit(): void {
    this.#stopTimer();
    for (let next = this.#next(); next; next = this.#next()) {
      if (this.#holders.size >= this.#max && !this.#makeRoom(next.stream)) return;
      const { stream, answer } = next;
      this.#waiting = this.#waiting.filter((each) => each !== next);
      stream.sinceMs = this.#clock.nowMs();
      this.use(stream);
      answer(true);
    }
  }

  #next(): Waiting | undefined {
    const shareOf = ({ stream }: Waiting) => this.#holders.of(stream.peer);
    const [first, ...others] = this.#waiting;
    return first && others.reduce((least, each) => (shareOf(each) < shareOf(least) ? each : least), first);
  }

  /** Pauses a stream for this one. @returns false where that has to wait */
  #makeRoom({ peer }: Mp3Stream): boolean {
    const share = this.#holders.of(peer);
    const last = this.#holders.first((each) => !each.isBusy && this.#holders.of(each.peer) >= share);
    // The end of the work of a stream admits again.
    if (!last) return false;
    const leftMs = last.sinceMs + LEAST_STAY_MS - this.#clock.nowMs();
    const isEqual = this.#holders.of(last.peer) <= share + 1;
    if (isEqual && leftMs > 0) {
      this.#stopTimer = this.#clock.after(leftMs, () => this.admit());
      return false;
    }
    this.#free(last, last.pause());
    return true;
  }

  #free(stream: Mp3Stream, lame: Lame | null): void {
    this.#holders.remove(stream);
    if (!lame?.isAlive) return;
    if (this.#spare.length < MAX_SPARE) this.#spare.push(lame);
    else lame.drop();
  }
}

/** One stream. It keeps its encoder between two calls, until another stream needs that. */
class Mp3Stream implements Encoder {
  readonly #encoders: Mp3Encoders;
  readonly #format: Mp3Format;
  readonly peer: Peer;
  /** Time at which it got its encoder. */
  sinceMs = 0;
  isBusy = false;
  #isOver = false;
  #lame: Lame | null = null;
  /** The last bytes of an encoder that was taken away. */
  #rest: Promise<Uint8Array> | null = null;

  constructor(encoders: Mp3Encoders, format: Mp3Format, peer: Peer) {
    this.#encoders = encoders;
    this.#format = format;
    this.peer = peer;
  }

  async encode(samples: Int16Array): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#isOver) return new Uint8Array();
    // Nothing needs no encoder, for which a stream may wait.
    if (samples.length === 0) return joinedBytes([await this.#takeRest()]);
    const parts: Uint8Array[] = [];
    this.isBusy = true;
    try {
      const lame = this.#lame ?? (await this.#begin());
      parts.push(await this.#takeRest());
      for (let at = 0; lame && at < samples.length && !this.#isOver; at += STEP_SAMPLES)
        parts.push(await lame.encode(samples.slice(at, at + STEP_SAMPLES)));
    } finally {
      this.isBusy = false;
      if (this.#isOver) this.#end();
      else this.#encoders.admit();
    }
    return joinedBytes(parts);
  }

  async tail(): Promise<Uint8Array<ArrayBuffer>> {
    this.#encoders.give(this, this.pause());
    this.#isOver = true;
    return joinedBytes([await this.#takeRest()]);
  }

  release(): void {
    this.#isOver = true;
    // Between two steps, `encode` ends it.
    if (!this.isBusy || !this.#lame) this.#end();
  }

  /** Completes the bytes so far. Later ones are those of another encoder. @returns the free one */
  pause(): Lame | null {
    const lame = this.#lame;
    if (lame) {
      this.#rest = lame.end();
      // The stream may read it much later, or never.
      this.#rest.catch(() => {});
    }
    this.#lame = null;
    return lame;
  }

  async #begin(): Promise<Lame | null> {
    const lame = await this.#encoders.take(this);
    this.#lame = lame;
    await lame?.begin(this.#format);
    return lame;
  }

  async #takeRest(): Promise<Uint8Array> {
    const rest = this.#rest;
    this.#rest = null;
    return (await rest) ?? new Uint8Array();
  }

  #end(): void {
    this.#encoders.give(this, this.#lame);
    this.#lame = null;
  }
}
