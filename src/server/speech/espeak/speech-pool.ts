import { setImmediate } from 'node:timers/promises';
import { type Engine, EngineClosedError, type SpeechBlock, type SpeechRequest } from '../engine.ts';
import { type Candidate, isUrgent, Turns } from '../fairness.ts';
import { pieceLength } from '../text/pieces.ts';
import { type UnreadAudio, Utterance } from './utterance.ts';
import type { SpeakJob, WorkerMessage } from './worker-messages.ts';

/** A thread that says one piece at a time. */
export interface PieceWorker {
  speak(job: SpeakJob): void;
  /** Stops this job if it is still running; its `done` follows. */
  cancel(job: number): void;
  /** Returns whether this job had not begun. Then nothing follows of it. */
  takeBack(job: number): boolean;
  terminate(): Promise<void>;
}

/** Callbacks of a worker. `exited` is the last one. */
export interface PieceWorkerListener {
  message(message: WorkerMessage): void;
  exited(reason: string): void;
}

export type StartPieceWorker = (listener: PieceWorkerListener) => PieceWorker;

/** Reason why the pool cannot start: the engine is missing or broken. */
export type PoolFailure = { readonly missing: boolean; readonly reason: string };

/** Consecutive failed starts after which a thread is given up. */
const MAX_FAILED_STARTS = 3;
/** A piece takes less than a second. A thread that sends nothing of one for this long hangs, and is replaced. */
const MAX_SILENT_MS = 15_000;

/** Job numbers are positive Int32 values, because a shared flag holds them. */
const LAST_JOB = 0x7fffffff;

/** Maximum pieces of a thread. */
const MAX_TASKS = 2;

/** Maximum waits for further requests of the same moment; twenty contexts of a connection begin together. */
const MAX_GATHER_ROUNDS = 24;

interface Task {
  readonly job: number;
  readonly utterance: Utterance;
}

interface Slot {
  worker: PieceWorker | undefined;
  ready: boolean;
  failedStarts: number;
  /** The current and the next piece. A thread that had to request its next piece would idle under load. */
  tasks: readonly Task[];
  watchdog: NodeJS.Timeout | undefined;
}

interface Waiting extends Candidate {
  readonly utterance: Utterance;
}

/** Shares a few threads among any number of requests, piece by piece. */
export class SpeechPool implements Engine {
  readonly #start: StartPieceWorker;
  readonly #gathers: boolean;
  readonly #slots: Slot[] = [];
  readonly #utterances = new Set<Utterance>();
  readonly #turns = new Turns();
  readonly #unread: UnreadAudio = { bytes: 0 };
  #lastJob = 0;
  /** Requests so far. */
  #requests = 0;
  #closed = false;
  #unusable: string | undefined;
  #settleStart: (failure: PoolFailure | undefined) => void = () => {};
  /** Resolves once every thread is ready, or with the failure. */
  readonly started: Promise<PoolFailure | undefined>;

  /**
   * @param gathers waits for the requests of the same moment before the first piece of a request
   */
  constructor(threads: number, start: StartPieceWorker, gathers = true) {
    this.#start = start;
    this.#gathers = gathers;
    this.started = new Promise((resolve) => {
      this.#settleStart = resolve;
    });
    for (let i = 0; i < threads; i += 1) {
      const slot: Slot = { worker: undefined, ready: false, failedStarts: 0, tasks: [], watchdog: undefined };
      this.#slots.push(slot);
      this.#startWorker(slot);
    }
  }

  async *synthesize(
    request: SpeechRequest,
    signal: AbortSignal,
  ): AsyncGenerator<SpeechBlock, void, undefined> {
    signal.throwIfAborted();
    if (this.#closed) throw new EngineClosedError();
    if (this.#unusable !== undefined) throw new Error(this.#unusable);
    const utterance = new Utterance(request, this.#unread, () => this.#dispatch());
    const onAbort = () => this.#drop(utterance, signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#utterances.add(utterance);
    try {
      if (this.#gathers) {
        await this.#together();
        signal.throwIfAborted();
      }
      for (;;) {
        this.#dispatch();
        const block = await utterance.pull();
        signal.throwIfAborted();
        if (block === undefined) return;
        yield block;
        signal.throwIfAborted();
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#drop(utterance, new Error('the speech was abandoned'));
    }
  }

  /** Waits for the requests of the same moment, so that a first piece is not cut, or sent, as if it were alone. */
  async #together(): Promise<void> {
    this.#requests += 1;
    for (let round = 0; round < MAX_GATHER_ROUNDS; round += 1) {
      const requests = this.#requests;
      // A socket hands over one message in each round of the event loop.
      await setImmediate();
      await setImmediate();
      if (this.#requests === requests) return;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#failAll(new EngineClosedError());
    await Promise.all(this.#slots.map((slot) => slot.worker?.terminate()));
  }

  #startWorker(slot: Slot): void {
    slot.ready = false;
    slot.worker = this.#start({
      message: (message) => this.#onMessage(slot, message),
      exited: (reason) => this.#onExit(slot, reason),
    });
  }

  #onMessage(slot: Slot, message: WorkerMessage): void {
    if (message.kind === 'ready') {
      slot.ready = true;
      slot.failedStarts = 0;
      if (this.#slots.every(({ ready }) => ready)) this.#settleStart(undefined);
      this.#dispatch();
      return;
    }
    if (message.kind === 'unusable') {
      slot.failedStarts = MAX_FAILED_STARTS;
      this.#giveUp(message);
      return;
    }
    const [task] = slot.tasks;
    if (task?.job !== message.job) return;
    if (message.kind === 'block') {
      // On a busy machine, a piece may take long without a hang.
      slot.watchdog?.refresh();
      task.utterance.block(message.samples, message.sounds);
      return;
    }
    if (message.kind === 'failed') task.utterance.fail(new Error(`speech failed: ${message.reason}`));
    else task.utterance.done();
    this.#hold(slot, slot.tasks.slice(1));
    this.#dispatch();
  }

  #onExit(slot: Slot, reason: string): void {
    for (const { utterance } of slot.tasks) {
      utterance.fail(new Error(`the speech engine stopped in the middle of this text: ${reason}`));
    }
    this.#hold(slot, []);
    if (!slot.ready) slot.failedStarts += 1;
    slot.ready = false;
    slot.worker = undefined;
    if (this.#closed) return;
    if (slot.failedStarts < MAX_FAILED_STARTS) this.#startWorker(slot);
    else if (this.#slots.every(({ worker }) => worker === undefined))
      this.#giveUp({ missing: false, reason });
  }

  /** Assigns pieces to a thread and starts the watchdog of the first. */
  #hold(slot: Slot, tasks: readonly Task[]): void {
    const { worker } = slot;
    if (tasks[0] !== slot.tasks[0]) {
      clearTimeout(slot.watchdog);
      slot.watchdog = undefined;
      if (tasks.length > 0) {
        slot.watchdog = setTimeout(() => void worker?.terminate(), MAX_SILENT_MS);
        slot.watchdog.unref();
      }
    }
    slot.tasks = tasks;
  }

  #giveUp(failure: PoolFailure): void {
    this.#unusable = `the speech engine does not start: ${failure.reason}`;
    this.#failAll(new Error(this.#unusable));
    this.#settleStart(failure);
  }

  #failAll(reason: Error): void {
    for (const utterance of [...this.#utterances]) this.#drop(utterance, reason);
  }

  /** Removes a request: aborts its job and rejects its reader with the reason. */
  #drop(utterance: Utterance, reason: unknown): void {
    utterance.fail(reason);
    if (!this.#utterances.delete(utterance)) return;
    for (const { worker, tasks } of this.#slots) {
      for (const task of tasks) {
        if (task.utterance === utterance) worker?.cancel(task.job);
      }
    }
  }

  /** Assigns the next pieces by fairness, to idle threads first. */
  #dispatch(): void {
    for (;;) {
      const nowMs = performance.now();
      const waiting = [...this.#utterances]
        .filter(({ ready }) => ready)
        .map((one) => candidateOf(one, nowMs));
      const chosen = this.#turns.choose(waiting);
      if (chosen === undefined) return;
      const slot = this.#freeSlot() ?? this.#slotFor(chosen, nowMs);
      if (slot?.worker === undefined) return;
      const { utterance } = chosen;
      const held = this.#slots.reduce((sum, { tasks }) => sum + tasks.length, 0);
      const sharing = (waiting.length + held) / this.#slots.length;
      this.#lastJob = (this.#lastJob % LAST_JOB) + 1;
      const job = utterance.nextJob(this.#lastJob, pieceLength(sharing, !utterance.hasAudio));
      if (job === undefined) continue;
      this.#turns.served(utterance);
      this.#hold(slot, [...slot.tasks, { job: job.job, utterance }]);
      slot.worker.speak(job);
    }
  }

  #freeSlot(): Slot | undefined {
    const free = this.#slots.filter(({ ready, tasks }) => ready && tasks.length < MAX_TASKS);
    return free.find(({ tasks }) => tasks.length === 0) ?? free[0];
  }

  /** Takes back a piece that has not begun, where this listener may not wait for it. */
  #slotFor(chosen: Waiting, nowMs: number): Slot | undefined {
    const sessions = this.#slots.flatMap(({ tasks }) => tasks.map(({ utterance }) => utterance.session));
    const holderOf = (one: Waiting) => ({
      ...one,
      held: sessions.filter((session) => session === one.session).length,
    });
    const listener = holderOf(chosen);
    return this.#slots.find((slot) => {
      const next = slot.tasks.at(-1);
      if (!next || !isUrgent(listener, holderOf(candidateOf(next.utterance, nowMs)))) return false;
      if (!slot.worker?.takeBack(next.job)) return false;
      next.utterance.takeBack();
      this.#hold(slot, slot.tasks.slice(0, -1));
      return true;
    });
  }
}

const candidateOf = (utterance: Utterance, nowMs: number): Waiting => {
  const { session, context } = utterance;
  return { session, context, leadMs: utterance.leadMs(nowMs), utterance };
};
