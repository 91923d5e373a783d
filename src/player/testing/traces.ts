import { seededRandom } from '#lib/statistics/random.ts';

/**
 * Arrivals of audio as networks and servers make them, played to any player on a virtual clock, quantum by quantum, and
 * its output compared with the source sample by sample. No device, no scheduling: what comes out is logic alone.
 */

export const TRACE_RATE = 24_000;
export const QUANTUM = 128;

/** A player under test. */
export interface TracePlayer {
  /** Samples arrive, at the time of the quantum about to be rendered. */
  deliver(samples: Int16Array): void;
  /** Nothing more will come in this turn. */
  end(): void;
  /** Barge-in; `deliver` may follow at the same time. */
  clear(): void;
  /** Renders the next quantum into `output`, which is all zero before. */
  render(output: Float32Array<ArrayBuffer>): void;
}

type TraceEvent = { atMs: number } & (
  | { kind: 'audio'; turn: number; from: number; to: number }
  | { kind: 'end' }
  | { kind: 'clear' }
);

export interface ArrivalTrace {
  name: string;
  /** In order of time; the first audio arrives at 0. */
  events: readonly TraceEvent[];
  /** Source samples of each turn. A clear ends one, and the next begins. */
  turns: readonly Int16Array[];
}

export interface TraceResult {
  /** From the first audio frame to the first sample of it that is heard; Infinity when none is. */
  startMs: number;
  /** Breaks between samples of one turn, and the time that they take. */
  gaps: number;
  gapMs: number;
  /** Samples of turns that nobody cleared, never played unchanged and in order. */
  lost: number;
  /** Samples played again. */
  repeated: number;
  /** Samples of a turn played after the clear that ended it. */
  stale: number;
  /** For the turn after a clear: from its arrival to its first sample; null without a clear. */
  restartMs: number | null;
}

/** Noise in which no stretch is like another and no sample is near zero, so that every place in it is known. */
export function marked(samples: number, seed: number): Int16Array {
  const random = seededRandom(seed);
  return Int16Array.from({ length: samples }, () => {
    const value = Math.floor(random() * 60_000) - 30_000;
    return value < 0 ? value - 1000 : value + 1000;
  });
}

/** Splits into frames of that size, the last one shorter. */
function frames(length: number, size: number): { from: number; to: number }[] {
  return Array.from({ length: Math.ceil(length / size) }, (_, i) => ({
    from: i * size,
    to: Math.min(length, (i + 1) * size),
  }));
}

/** One turn, frame k arriving at `arrivalMs(k)`, complete with its last frame. */
function oneTurn(
  name: string,
  length: number,
  frameSize: number,
  arrivalMs: (k: number) => number,
  seed: number,
): ArrivalTrace {
  const parts = frames(length, frameSize);
  let latest = Number.NEGATIVE_INFINITY;
  // A socket keeps the order: a frame that is late holds up those behind it.
  const times = parts.map((_, k) => {
    latest = Math.max(latest, arrivalMs(k));
    return latest;
  });
  const firstMs = times[0] ?? 0;
  const events: TraceEvent[] = parts.map((part, k) => ({
    atMs: (times[k] ?? 0) - firstMs,
    kind: 'audio',
    turn: 0,
    ...part,
  }));
  events.push({ atMs: latest - firstMs, kind: 'end' });
  return { name, events, turns: [marked(length, seed)] };
}

const MS = TRACE_RATE / 1000;

const about = (ms: number, random: () => number) => (random() * 2 - 1) * ms;

/** One turn of two seconds there at once, cleared after half a second by another turn of one second. */
function bargeIn(seed: number): ArrivalTrace {
  const turns = [marked(2000 * MS, seed), marked(1000 * MS, seed + 1)];
  const burst = (turn: number, atMs: number): TraceEvent[] =>
    frames(turns[turn]?.length ?? 0, 200 * MS).map((part) => ({ atMs, kind: 'audio', turn, ...part }));
  return {
    name: 'g. barge-in, new audio in the same tick',
    events: [...burst(0, 0), { atMs: 500, kind: 'clear' }, ...burst(1, 500), { atMs: 500, kind: 'end' }],
    turns,
  };
}

/** The traces of the comparison, each made from a seed: those with chance in them come out differently for every one. */
export const TRACES = {
  a: (seed: number): ArrivalTrace => {
    const random = seededRandom(seed);
    const late = (k: number) => k * 198 + about(80, random);
    return oneTurn('a. 200 ms every 198 ms ± 80 ms', 6000 * MS, 200 * MS, late, seed);
  },
  b: (seed: number): ArrivalTrace => {
    const random = seededRandom(seed);
    return oneTurn(
      'b. 20 ms every 20 ms ± 15 ms',
      4000 * MS,
      20 * MS,
      (k) => k * 20 + about(15, random),
      seed,
    );
  },
  c: (seed: number): ArrivalTrace => {
    const stalling = (k: number) => k * 100 + (k >= 8 ? 1500 : 0);
    return oneTurn('c. 2 × real time, one stall of 1.5 s', 6000 * MS, 200 * MS, stalling, seed);
  },
  d: (seed: number): ArrivalTrace => oneTurn('d. 2 × real time', 6000 * MS, 200 * MS, (k) => k * 100, seed),
  e: (seed: number): ArrivalTrace =>
    oneTurn('e. a tail of 13 samples', 72_077, 200 * MS, (k) => k * 100, seed),
  f: (seed: number): ArrivalTrace =>
    oneTurn('f. 60 s within 0.6 s', 60_000 * MS, 200 * MS, (k) => k * 2, seed),
  g: bargeIn,
};

/** Plays a trace to its end and half a second beyond, and compares. */
export function runTrace(trace: ArrivalTrace, player: TracePlayer): TraceResult {
  const judge = new Judge(trace);
  const output = new Float32Array(QUANTUM);
  const total = trace.turns.reduce((sum, turn) => sum + turn.length, 0);
  const lastMs = trace.events.at(-1)?.atMs ?? 0;
  const quanta = Math.ceil(((lastMs + 2000) * MS + total) / QUANTUM);
  let next = 0;
  for (let quantum = 0; quantum < quanta; quantum += 1) {
    const nowMs = (quantum * QUANTUM) / MS;
    for (let event = trace.events[next]; event && event.atMs <= nowMs; event = trace.events[next]) {
      next += 1;
      if (event.kind === 'audio') {
        player.deliver(trace.turns[event.turn]?.slice(event.from, event.to) ?? new Int16Array(0));
      } else if (event.kind === 'end') player.end();
      else {
        player.clear();
        judge.clear(nowMs);
      }
    }
    output.fill(0);
    player.render(output);
    judge.hear(output, nowMs);
  }
  return judge.result();
}

const WINDOW = 4;

/** Follows the output through the source: which sample comes next is known, so a look at one sample is mostly enough. */
class Judge {
  readonly #turns: readonly Int16Array[];
  #turn = 0;
  /** The next sample expected of the turn. */
  #at = 0;
  #played = 0;
  #lost = 0;
  #repeated = 0;
  #stale = 0;
  #startMs = Number.POSITIVE_INFINITY;
  #clearedMs: number | null = null;
  #restartMs: number | null = null;
  #gaps = 0;
  #gapSamples = 0;
  /** Samples of something else since the last one of the turn. */
  #pause = 0;
  /** The last few values, for finding a place again. */
  #recent: number[] = [];
  #stalePlace = -1;

  constructor({ turns }: ArrivalTrace) {
    this.#turns = turns;
  }

  clear(nowMs: number): void {
    this.#stalePlace = this.#at;
    this.#turn += 1;
    this.#at = 0;
    this.#played = 0;
    this.#pause = 0;
    this.#clearedMs = nowMs;
  }

  hear(output: Float32Array, nowMs: number): void {
    for (let i = 0; i < output.length; i += 1) this.#hearSample((output[i] ?? 0) * 32_768, nowMs + i / MS);
  }

  result(): TraceResult {
    const rest = (this.#turns[this.#turn]?.length ?? 0) - this.#at;
    return {
      startMs: this.#startMs,
      gaps: this.#gaps,
      gapMs: this.#gapSamples / MS,
      lost: this.#lost + rest,
      repeated: this.#repeated,
      stale: this.#stale,
      restartMs: this.#restartMs,
    };
  }

  #hearSample(value: number, nowMs: number): void {
    const source = this.#turns[this.#turn];
    this.#recent.push(value);
    if (this.#recent.length > WINDOW) this.#recent.shift();
    if (source && value === source[this.#at]) {
      this.#advance(nowMs);
      return;
    }
    if (this.#turn > 0 && value !== 0 && value === this.#turns[this.#turn - 1]?.[this.#stalePlace]) {
      this.#stale += 1;
      this.#stalePlace += 1;
    }
    this.#pause += 1;
    // A value that is no sample, as in a fade, is nowhere to be found.
    if (source && value !== 0 && Number.isInteger(value)) this.#findAgain(source, nowMs);
  }

  #advance(nowMs: number): void {
    if (this.#played === 0) {
      if (this.#clearedMs === null) this.#startMs = nowMs;
      else this.#restartMs = nowMs - this.#clearedMs;
    } else if (this.#pause > 0) {
      this.#gaps += 1;
      this.#gapSamples += this.#pause;
    }
    this.#pause = 0;
    this.#played += 1;
    this.#at += 1;
  }

  /** The player may have left out samples, or gone back: looks for the last few values in the source. */
  #findAgain(source: Int16Array, nowMs: number): void {
    if (this.#recent.length < WINDOW || this.#pause < WINDOW) return;
    const [first = 0] = this.#recent;
    for (let at = source.indexOf(first); at >= 0; at = source.indexOf(first, at + 1)) {
      if (!this.#recent.every((value, i) => value === source[at + i])) continue;
      if (at < this.#at) this.#repeated += this.#at - at;
      else this.#lost += at - this.#at;
      this.#at = at + WINDOW - 1;
      this.#pause -= WINDOW;
      this.#advance(nowMs);
      return;
    }
  }
}
