import { addAll, smallest } from '#lib/collections/arrays.ts';
import { madeOnce } from '#lib/collections/maps.ts';
import type { Dialect, Endpoint } from '#protocol/core/endpoint.ts';
import { type ClientStep, isCut, StepReader } from '#record/client-steps.ts';
import { closeOf, isClose, openingOf, reopen } from '#record/entry-decoder.ts';
import type { RecordEntry } from '#record/record.ts';

/** A context; null for the whole connection. */
export type LaneKey = string | null;

/** How far a client has come in a context: to the end of a step, or in a text behind so many characters. */
export interface LaneMark {
  lane: LaneKey;
  step: number;
  chars: number;
}

export const stepAt = ({ steps }: ServedScript, { lane, step }: LaneMark): RecordedStep | undefined =>
  steps.get(lane)?.[step];

/** A recorded step. Texts that follow each other are one. */
export interface RecordedStep extends ClientStep {
  /** Number of its first entry in the recording. */
  entry: number;
  atUs: number;
  /** Of a step that abandons speech. */
  cut?: RecordedCut;
}

export interface RecordedCut {
  /** The first step, in its context, of the turns that it abandons. */
  fromStep: number;
  /** Frames of the server before it. */
  framesBefore: number;
  /** The frame that confirms it; null where none was recorded. */
  confirmation: ScriptEvent | null;
}

/** A frame of the server, its close of the connection, or a frame of the client. */
export interface ScriptEvent extends RecordEntry {
  /** Of a client's frame: what follows waits until the client has come so far. */
  marks: readonly LaneMark[];
}

/** Types of events with which a turn is over. */
const ENDS: ReadonlySet<string> = new Set(['turnEnded', 'interrupted', 'contextClosed', 'error']);

/** Further cancels count as unconfirmed. */
const MAX_UNCONFIRMED = 100;

/** One recorded connection, as the server has to play it. It takes the entries in their order. */
export class ServedScript {
  /** Without its key; empty where it was not recorded. */
  address = '';
  openedUs: number;
  /** The client's first message; null for none. */
  opening: readonly ClientStep[] | null = null;
  /** In the order in which they are played, without keep-alives. */
  readonly events: ScriptEvent[] = [];
  readonly steps = new Map<LaneKey, RecordedStep[]>();
  /** Where the text of a turn begins. */
  readonly turnStarts = new Map<number, LaneMark>();
  /** All frames of the client in their order, also keep-alives. */
  readonly sent: RecordEntry['payload'][] = [];
  /** The recording ends before the connection. */
  isOpen = true;
  /** Its last turn has no end. */
  isCutOff = false;
  readonly #reader: StepReader;
  readonly #dialect: Dialect;
  #frames = 0;
  /** Cancels without a confirmation so far, oldest first. */
  #unconfirmed: { step: ClientStep; cut: RecordedCut; ask: ScriptEvent }[] = [];
  /** Where the text of the turns without an end begins. */
  readonly #open = new Map<number, LaneMark>();

  /** @param openedUs where the recording does not say it */
  constructor(endpoint: Endpoint, openedUs: number) {
    this.#reader = new StepReader(endpoint);
    this.#dialect = reopen(endpoint, null);
    this.openedUs = openedUs;
  }

  take(entry: RecordEntry): void {
    const { direction, kind, payload, atUs } = entry;
    if (direction === 'out') this.#sent(entry);
    else if (direction === 'in') this.#received({ ...entry, marks: [] });
    else if (isClose(entry)) {
      this.isOpen = false;
      const { asked, left } = closeOf(payload);
      const isRequested = [...this.steps.values()].some((steps) => steps.at(-1)?.kind === 'disconnect');
      // A client ends its own connection itself.
      if (!left && (!asked || isRequested)) this.events.push({ ...entry, marks: [] });
    } else if (kind === 'opened') this.openedUs = atUs;
    else this.address = openingOf(entry)?.address ?? this.address;
  }

  #sent(entry: RecordEntry): void {
    this.sent.push(entry.payload);
    const steps = this.#reader.read(entry.payload);
    if (steps.length === 0) return;
    this.opening ??= steps;
    const ask = { ...entry, marks: steps.map((step) => this.#add(step, entry)) };
    this.events.push(ask);
    for (const { step, lane } of ask.marks) {
      const own = this.steps.get(lane)?.[step];
      if (!own || !isCut(own)) continue;
      const open = [...this.#open.values()].filter((start) => start.lane === lane);
      const fromStep = smallest(
        open.map((start) => start.step),
        step,
      );
      own.cut = { fromStep, framesBefore: this.#frames, confirmation: null };
      this.#unconfirmed = [...this.#unconfirmed, { step: own, cut: own.cut, ask }].slice(-MAX_UNCONFIRMED);
    }
  }

  /** Joins a text with the one before it. @returns where the step ends */
  #add(step: ClientStep, { index: entry, atUs, turn }: RecordEntry): LaneMark {
    const { context: lane, kind, text } = step;
    const own = madeOnce(this.steps, lane, () => []);
    const last = own.at(-1);
    if (kind === 'say' && last?.kind === 'say') last.text += text;
    else own.push({ ...step, entry, atUs });
    const mark = { lane, step: own.length - 1, chars: own.at(-1)?.text.length ?? 0 };
    if (turn !== null && kind === 'say' && !this.turnStarts.has(turn)) {
      const start = { ...mark, chars: mark.chars - text.length + 1 };
      this.turnStarts.set(turn, start);
      this.#open.set(turn, start);
    }
    return mark;
  }

  #received(frame: ScriptEvent): void {
    const { turn, context } = frame;
    const types = this.#typesOf(frame);
    const cancelEnd = this.#dialect.traits.cancel === 'unconfirmed' ? 'turnEnded' : 'interrupted';
    const answered = this.#unconfirmed.find(
      ({ step }) =>
        types.includes(step.kind === 'cancel' ? cancelEnd : 'contextClosed') &&
        (step.context === null || context === null || step.context === context),
    );
    if (answered) {
      const { cut, ask } = answered;
      cut.confirmation = frame;
      this.#unconfirmed = this.#unconfirmed.filter((one) => one !== answered);
      for (const [abandoned, { lane }] of this.#open) {
        if (answered.step.context === null || answered.step.context === lane) this.#open.delete(abandoned);
      }
      // Frames that were on their way are sent before a cancel that comes late.
      if (ask.marks.length === 1) addAll(this.events, this.events.splice(this.events.lastIndexOf(ask), 1));
    }
    this.#frames += 1;
    this.events.push(frame);
    if (turn === null) return;
    const isEnd = types.some((type) => ENDS.has(type));
    this.isCutOff = !isEnd;
    if (isEnd) this.#open.delete(turn);
  }

  /** The end of a turn may share its frame with the event that names it. */
  #typesOf({ kind, payload }: ScriptEvent): string[] {
    return kind === 'audio' ? [kind] : [kind, ...this.#dialect.decode(payload).map(({ type }) => type)];
  }
}
