import { madeOnce } from '#lib/collections/maps.ts';
import type { Frame } from '#protocol/core/frame.ts';
import type { StepReader } from '#trace/client-steps.ts';
import type { ClientDifference } from './client-difference.ts';
import { ClientIds } from './client-ids.ts';
import { Lane, reportUntouched, type SentStep } from './lane.ts';
import {
  frameStep,
  type LaneKey,
  type LaneMark,
  type RecordedStep,
  type ServedScript,
  stepAt,
} from './script.ts';

interface Options {
  script: ServedScript;
  /** Compares frames instead of their meaning. */
  strict: boolean;
  /** Knows the settings that are in effect. */
  reader: StepReader;
  /** The client has played the recording before on its connection. */
  isAgain: boolean;
  differs: (difference: ClientDifference) => void;
}

/** Compares what a client sends with a recorded connection, from its first message to its last one. */
export class ComparedClient {
  readonly #script: ServedScript;
  readonly #isAgain: boolean;
  readonly #reader: StepReader;
  readonly #ids: ClientIds;
  readonly #report: (difference: ClientDifference) => void;
  /** Those that the client has reached. A recording may have very many, which its clients share. */
  readonly #lanes = new Map<LaneKey, Lane>();
  /** Of contexts that the recording does not have. */
  readonly #beside: Lane;
  /** Compares frames; null where their meaning is compared. */
  readonly #frames: Lane | null;
  /** Contexts of the recording up to the first that is not complete, as far as it was looked for. */
  readonly #keys: Iterator<LaneKey>;
  #incomplete: LaneKey | undefined;
  /** The last recorded cancel of all contexts that the client has sent. */
  #abandonedEntry = -1;

  /** Cancels of all contexts that were not recorded. */
  #cuts = 0;

  constructor({ script, strict, reader, isAgain, differs }: Options) {
    this.#script = script;
    this.#isAgain = isAgain;
    this.#reader = reader;
    this.#ids = new ClientIds(script.ids);
    this.#report = strict ? () => {} : differs;
    this.#frames = strict ? new Lane(script.frameSteps, differs) : null;
    this.#beside = new Lane([], this.#report);
    this.#keys = script.steps.keys();
    this.#incomplete = this.#nextKey();
  }

  /** Reads the steps of a message, with the ids of the recording. */
  read(message: Frame, at: Pick<SentStep, 'message' | 'atMs'>): SentStep[] {
    const frame = this.#ids.recorded(message);
    const steps = this.#reader.read(frame).map((step) => ({ ...step, ...at }));
    if (steps.length > 0) this.#frames?.take({ ...frameStep(frame), ...at });
    return steps;
  }

  /** @returns the recorded step that a cancel, or any other step, matches; null for none */
  take(step: SentStep): RecordedStep | null {
    return this.laneOf(step.context).take(step);
  }

  laneOf(key: LaneKey): Lane {
    const steps = this.#script.steps.get(key);
    if (!steps) return this.#beside;
    const lane = madeOnce(this.#lanes, key, () => new Lane(steps, this.#report, this.#isAgain));
    // Before it goes on.
    lane.abandon(this.#abandonedEntry);
    lane.cutWithAll(this.#cuts);
    return lane;
  }

  hasReached(mark: LaneMark): boolean {
    // Settings of the connection are in effect.
    const isSetting = this.#isAgain && mark.lane === null && stepAt(this.#script, mark)?.kind === 'settings';
    return isSetting || this.laneOf(mark.lane).hasReached(mark);
  }

  /** The client has sent all that was recorded. */
  get isComplete(): boolean {
    if (this.#frames) return this.#frames.isComplete;
    // A complete one stays complete.
    while (this.#incomplete !== undefined && this.laneOf(this.#incomplete).isComplete)
      this.#incomplete = this.#nextKey();
    return this.#incomplete === undefined;
  }

  #nextKey(): LaneKey | undefined {
    const next = this.#keys.next();
    return next.done ? undefined : next.value;
  }

  /** The client does not send the rest of the turns that a cancel of all contexts abandons. @param entry of the recorded cancel */
  abandon(entry: number): void {
    this.#abandonedEntry = Math.max(this.#abandonedEntry, entry);
  }

  /** Remembers how far the client has come at a cancel that was not recorded. @param key null for all contexts */
  cut(key: LaneKey): void {
    // The contexts are marked before they go on.
    if (key === null) this.#cuts += 1;
    else this.laneOf(key).cut();
  }

  /** Whether the client had come so far at the last such cancel of that context. */
  hadReached(mark: LaneMark): boolean {
    return this.laneOf(mark.lane).hadReached(mark);
  }

  /** The client sends nothing more. @param isCut its leaving abandons speech, as a cancel does */
  end(isCut: boolean): void {
    for (const [key, steps] of this.#script.steps) {
      const lane = this.#lanes.get(key);
      lane?.abandon(this.#abandonedEntry);
      lane?.end(isCut);
      const untouched = { abandonedEntry: this.#abandonedEntry, isAgain: this.#isAgain };
      if (!lane) reportUntouched(steps, untouched, this.#report);
    }
    this.#beside.end(isCut);
    this.#frames?.end(false);
  }

  /** A recorded frame with the ids of the client. */
  withItsIds(frame: Frame): Frame {
    return this.#ids.ofClient(frame);
  }
}
