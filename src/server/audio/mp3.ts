import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createEncoder } from 'wasm-media-encoders';
import { type Clock, systemClock } from '#lib/clock.ts';
import { yieldIfLong } from '#lib/loop-slice.ts';
import { FULL_SCALE } from '#lib/pcm.ts';
import { type Peer, Shares } from '../state/shares.ts';
import { type Encoder, joinedBytes } from './encoder.ts';

/** Kilobits a second. */
const MP3_BITRATE = 128;
/** Samples of one step, which takes a millisecond: whole MP3 frames. */
const STEP_SAMPLES = 2304;

type Lame = Awaited<ReturnType<typeof createEncoder<'audio/mpeg'>>>;

let compiled: Promise<WebAssembly.Module> | null = null;

/** A new encoder. All share compiled code, because the library's own function decodes and compiles it for each. */
async function createLame(): Promise<Lame> {
  compiled ??= readFile(fileURLToPath(import.meta.resolve('wasm-media-encoders/wasm/mp3'))).then((bytes) =>
    WebAssembly.compile(bytes),
  );
  return createEncoder('audio/mpeg', await compiled);
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
    return new Mp3Stream(this, { sampleRate, bitrate }, peer);
  }

  /** An encoder; null for a stream that was released before there was one. */
  async take(stream: Mp3Stream): Promise<Lame | null> {
    const mayEnter = await new Promise<boolean>((answer) => {
      this.#waiting.push({ stream, answer });
      this.admit();
    });
    return mayEnter ? (this.#spare.pop() ?? (await createLame())) : null;
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
    if (lame && this.#spare.length < MAX_SPARE) this.#spare.push(lame);
  }
}

/** One stream. It keeps its encoder between two calls, until another stream needs that. */
class Mp3Stream implements Encoder {
  readonly #encoders: Mp3Encoders;
  readonly #format: { sampleRate: number; bitrate: number };
  readonly peer: Peer;
  /** Time at which it got its encoder. */
  sinceMs = 0;
  isBusy = false;
  #isOver = false;
  #lame: Lame | null = null;
  /** The last bytes of an encoder that was taken away. */
  #rest: Uint8Array = new Uint8Array();

  constructor(encoders: Mp3Encoders, format: { sampleRate: number; bitrate: number }, peer: Peer) {
    this.#encoders = encoders;
    this.#format = format;
    this.peer = peer;
  }

  async encode(samples: Int16Array): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#isOver) return new Uint8Array();
    // Nothing needs no encoder, for which a stream may wait.
    if (samples.length === 0) return joinedBytes([this.#takeRest()]);
    const parts: Uint8Array[] = [];
    this.isBusy = true;
    try {
      const lame = this.#lame ?? (await this.#begin());
      parts.push(this.#takeRest());
      for (let at = 0; lame && at < samples.length && !this.#isOver; at += STEP_SAMPLES) {
        await yieldIfLong();
        const step = Float32Array.from(samples.subarray(at, at + STEP_SAMPLES));
        for (let index = 0; index < step.length; index += 1) step[index] = (step[index] ?? 0) / FULL_SCALE;
        // Copies, because the encoder overwrites its output.
        parts.push(lame.encode([step]).slice());
      }
    } finally {
      this.isBusy = false;
      if (this.#isOver) this.#end();
      else this.#encoders.admit();
    }
    return joinedBytes(parts);
  }

  tail(): Uint8Array<ArrayBuffer> {
    this.#encoders.give(this, this.pause());
    this.#isOver = true;
    return joinedBytes([this.#takeRest()]);
  }

  release(): void {
    this.#isOver = true;
    // Between two steps, `encode` ends it.
    if (!this.isBusy || !this.#lame) this.#end();
  }

  /** Completes the bytes so far. Later ones are those of another encoder. @returns the free one */
  pause(): Lame | null {
    const lame = this.#lame;
    if (lame) this.#rest = joinedBytes([this.#rest, lame.finalize().slice()]);
    this.#lame = null;
    return lame;
  }

  async #begin(): Promise<Lame | null> {
    const lame = await this.#encoders.take(this);
    // Its tables take as long as a slice.
    await yieldIfLong();
    // The encoder's type lists the rates of the format, which are those of the callers.
    lame?.configure({ ...this.#format, bitrate: this.#format.bitrate as 128, channels: 1 });
    this.#lame = lame;
    return lame;
  }

  #takeRest(): Uint8Array {
    const rest = this.#rest;
    this.#rest = new Uint8Array();
    return rest;
  }

  #end(): void {
    this.#encoders.give(this, this.#lame);
    this.#lame = null;
  }
}
