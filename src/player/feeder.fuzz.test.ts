import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bytesFromSamples } from '#lib/pcm.ts';
import { seededRandom } from '#lib/statistics/random.ts';
import { Feeder } from './feeder.ts';
import { Mixer } from './mixer.worklet.ts';
import { openSink, type Transport } from './ring.ts';
import { portPair } from './testing/port-pair.ts';

const QUANTUM = 128;
const RATE = 24_000;
/** Over messages, the status is as old as this. */
const REPORT_QUANTA = 4;
/** The stream's count passes the end of 32 bits. */
const START_POSITION = 2 ** 31 - 1500;

type Step =
  | { kind: 'begin' | 'beginHeld' | 'complete' | 'clear' | 'detach' | 'attach' }
  | { kind: 'receive' | 'listen'; count: number }
  | { kind: 'hold' | 'release' | 'late'; of: number };

const plain = (weight: number, kind: 'begin' | 'beginHeld' | 'complete' | 'clear' | 'detach' | 'attach') => ({
  weight,
  arbitrary: fc.constant<Step>({ kind }),
});
const counted = (weight: number, kind: 'receive' | 'listen', max: number) => ({
  weight,
  arbitrary: fc.record({ kind: fc.constant(kind), count: fc.integer({ min: 1, max }) }),
});
const addressed = (weight: number, kind: 'hold' | 'release' | 'late') => ({
  weight,
  arbitrary: fc.record({ kind: fc.constant(kind), of: fc.nat(5) }),
});

const STEPS = fc.array<Step>(
  fc.oneof(
    plain(4, 'begin'),
    plain(3, 'beginHeld'),
    plain(3, 'complete'),
    plain(1, 'clear'),
    plain(2, 'detach'),
    plain(3, 'attach'),
    counted(8, 'receive', 900),
    counted(8, 'listen', 3),
    addressed(4, 'hold'),
    addressed(4, 'release'),
    addressed(1, 'late'),
  ),
  { maxLength: 60, size: 'max' },
);

/** Samples of a turn that are heard in one go. Audio behind its end is a part of its own. */
interface Part {
  turn: number;
  samples: number[];
}

/** The audio to be heard by the rules: a queue of parts, and held parts. */
class Model {
  line: Part[] = [];
  held: Part[] = [];
  readonly holds = new Set<number>();
  heard = 0;

  get samples(): number[] {
    return this.line.flatMap(({ samples }) => samples);
  }

  add(part: Part): void {
    (this.holds.has(part.turn) ? this.held : this.line).push(part);
  }

  /** Whether it can be held; it is then. */
  hold(turn: number): boolean {
    if (this.holds.has(turn)) return true;
    let position = 0;
    for (const part of this.line) {
      if (part.turn === turn && this.heard > position) return false;
      position += part.samples.length;
    }
    this.holds.add(turn);
    this.held.push(...this.line.filter((part) => part.turn === turn));
    this.line = this.line.filter((part) => part.turn !== turn);
    return true;
  }

  release(turn: number): void {
    if (!this.holds.delete(turn)) return;
    this.line.push(...this.held.filter((part) => part.turn === turn));
    this.held = this.held.filter((part) => part.turn !== turn);
  }

  /** Keeps only heard samples. */
  clear(): void {
    this.line = [{ turn: -1, samples: this.samples.slice(0, this.heard) }];
    this.held = [];
    this.holds.clear();
  }
}

/** A player, its audio thread and its model, driven side by side. */
function run(transport: Transport, steps: readonly Step[]): void {
  const random = seededRandom(steps.length);
  /** Never zero, which is silence, and so quiet that no glide is put before or behind anything. */
  const quiet = (count: number) => Array.from({ length: count }, () => 1 + Math.floor(random() * 63));
  const player = new Feeder();
  const host = new Mixer();
  const model = new Model();
  const heard: number[] = [];
  const left = new Float32Array(QUANTUM);
  const right = new Float32Array(QUANTUM);
  /** Turns that were not cleared, oldest first; the last one is spoken while `part` is not null. */
  let turns: number[] = [];
  let part: Part | null = null;
  let nextTurn = 0;
  let frame = 0;

  const listen = (reports: number) => {
    for (let quantum = 0; quantum < reports * REPORT_QUANTA; quantum += 1) {
      host.process(left, right, frame);
      frame += QUANTUM;
      for (const value of left) if (value !== 0) heard.push(value * 32_768);
      if ((quantum + 1) % REPORT_QUANTA === 0) player.poll();
    }
    const before = model.heard;
    model.heard = heard.length;
    // Joined, because long lists are compared slowly.
    expect(heard.slice(before).join()).toBe(model.samples.slice(before, heard.length).join());
  };
  const receive = (turn: number, samples: number[]) =>
    player.receive(
      turn,
      { bytes: bytesFromSamples(Int16Array.from(samples)) },
      'pcm_s16le',
      RATE,
      frame / 24,
    );
  const begin = (turn: number): Part => {
    const samples = quiet(300);
    const part = { turn, samples };
    model.add(part);
    receive(turn, samples);
    return part;
  };
  const attach = () => {
    const [worklet, worker] = portPair();
    host.open('only', worklet);
    player.attach(openSink(worker, { transport, capacity: 2048, startPosition: START_POSITION }), RATE);
  };

  for (const step of steps) {
    const turn = 'of' in step ? turns[turns.length - 1 - step.of] : turns.at(-1);
    switch (step.kind) {
      case 'begin':
      case 'beginHeld':
        nextTurn += 1;
        turns.push(nextTurn);
        if (step.kind === 'beginHeld')
          expect([player.hold(nextTurn), model.hold(nextTurn)]).toEqual([true, true]);
        part = begin(nextTurn);
        break;
      case 'receive': {
        if (!part) break;
        const samples = quiet(step.count);
        part.samples.push(...samples);
        receive(part.turn, samples);
        break;
      }
      case 'complete':
        if (part) player.complete(part.turn);
        part = null;
        break;
      case 'late':
        if (turn !== undefined && part?.turn !== turn) part = begin(turn);
        break;
      case 'hold':
        if (turn !== undefined) expect(player.hold(turn)).toBe(model.hold(turn));
        break;
      case 'release':
        if (turn === undefined) break;
        player.release(turn);
        model.release(turn);
        break;
      case 'clear':
        player.clear();
        model.clear();
        turns = [];
        part = null;
        break;
      case 'listen':
        listen(step.count);
        break;
      case 'detach':
        player.detach();
        host.handle({ type: 'close', track: 'only' });
        break;
      case 'attach':
        attach();
        break;
    }
  }
  if (part) player.complete(part.turn);
  for (const turn of turns) {
    player.release(turn);
    model.release(turn);
  }
  attach();
  listen(Math.ceil(model.samples.length / QUANTUM / REPORT_QUANTA) + 40);
  expect(heard.length).toBe(model.samples.length);
  expect(player.waitingSamples).toBe(0);
}

it.each<Transport>(['shared', 'message'])(
  'plays every sample that is not cleared once and in order, over %s, for any steps',
  (transport) => {
    fc.assert(
      fc.property(STEPS, (steps) => run(transport, steps)),
      { numRuns: 60 },
    );
  },
);
