import type { Endpoint } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import type { StepReader } from '#record/client-steps.ts';
import { withoutNamedSecrets } from '#record/named-secrets.ts';
import type { ClientDifference } from './client-difference.ts';
import { ClientIds } from './client-ids.ts';
import { Lane, type SentStep } from './lane.ts';
import { type LaneKey, type LaneMark, type RecordedStep, type ServedScript, stepAt } from './script.ts';

interface Options {
  endpoint: Endpoint;
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
  readonly #lanes: ReadonlyMap<LaneKey, Lane>;
  /** Of contexts that the recording does not have. */
  readonly #beside: Lane;
  /** Compares frames; null where their meaning is compared. */
  readonly #frames: Lane | null;

  constructor({ endpoint, script, strict, reader, isAgain, differs }: Options) {
    const sent = script.events.filter(({ direction }) => direction === 'out');
    const frames = () =>
      sent.map(({ payload, index, atUs }) => ({ ...frameStep(payload), entry: index, atUs }));
    const differsInMeaning = strict ? () => {} : differs;
    this.#script = script;
    this.#isAgain = isAgain;
    this.#reader = reader;
    this.#ids = new ClientIds(endpoint.clientIds, script.sent);
    this.#frames = strict ? new Lane(frames(), differs) : null;
    this.#beside = new Lane([], differsInMeaning);
    this.#lanes = new Map(
      [...script.steps].map(([key, steps]) => [key, new Lane(steps, differsInMeaning, isAgain)]),
    );
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
    return this.#lanes.get(key) ?? this.#beside;
  }

  hasReached(mark: LaneMark): boolean {
    // Settings of the connection are in effect.
    const isSetting = this.#isAgain && mark.lane === null && stepAt(this.#script, mark)?.kind === 'settings';
    return isSetting || this.laneOf(mark.lane).hasReached(mark);
  }

  /** The client has sent all that was recorded. */
  get isComplete(): boolean {
    return (this.#frames ? [this.#frames] : [...this.#lanes.values()]).every((lane) => lane.isComplete);
  }

  /** The client does not send the rest of the turns that a cancel of all contexts abandons. @param entry of the recorded cancel */
  abandon(entry: number): void {
    for (const lane of this.#lanes.values()) lane.abandon(entry);
  }

  /** The client sends nothing more. @param isCut its leaving abandons speech, as a cancel does */
  end(isCut: boolean): void {
    for (const lane of [...this.#lanes.values(), this.#beside]) lane.end(isCut);
    this.#frames?.end(false);
  }

  /** A recorded frame with the ids of the client. */
  withItsIds(frame: Frame): Frame {
    return this.#ids.ofClient(frame);
  }
}

/** A whole frame as one step, without keys. */
function frameStep(frame: Frame): SentStep {
  const value = typeof frame === 'string' ? withoutNamedSecrets(frame) : [...frame];
  return { kind: 'message', context: null, text: '', value, under: [], message: 0, atMs: 0 };
}
