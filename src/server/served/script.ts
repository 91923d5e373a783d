import { madeOnce } from '#lib/collections/maps.ts';
import type { Dialect, Endpoint } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { parseBounded } from '#protocol/core/json-frame.ts';
import { type ClientStep, isCut, StepReader } from '#record/client-steps.ts';
import { closeOf, isClose, openingOf, type RecordedClose, reopen } from '#record/entry-decoder.ts';
import { withoutNamedSecrets } from '#record/named-secrets.ts';
import type { RecordEntry } from '#record/record.ts';
import { RecordedIds } from './client-ids.ts';

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
  readonly steps = new Map<LaneKey, RecordedStep[]>();
  /** Where the text of a turn begins. */
  readonly turnStarts = new Map<number, LaneMark>();
  /** Of all frames of the client, also keep-alives. */
  readonly ids: RecordedIds;
  /** The recording ends before the connection. */
  isOpen = true;
  /** Its last turn has no end. */
  isCutOff = false;
  readonly #reader: StepReader;
  readonly #dialect: Dialect;
  /** With a gap in place of an event that was moved. */
  #placed: (ScriptEvent | null)[] = [];
  #events: readonly ScriptEvent[] | null = null;
  #frameSteps: readonly RecordedStep[] | null = null;
  #played: PlayedFrames | null = null;
  #frames = 0;
  /** Cancels without a confirmation so far, oldest first, with the places of their frames. */
  #unconfirmed: { step: ClientStep; cut: RecordedCut; ask: ScriptEvent; place: number }[] = [];
  readonly #open = new OpenTurns();
  /** Contexts whose last step asks for the end of the connection. */
  readonly #leaving = new Set<LaneKey>();

  /** @param openedUs where the recording does not say it */
  constructor(endpoint: Endpoint, openedUs: number) {
    this.#reader = new StepReader(endpoint);
    this.#dialect = reopen(endpoint, null);
    this.ids = new RecordedIds(endpoint.clientIds);
    this.openedUs = openedUs;
  }

  /** In the order in which they are played, without keep-alives. */
  get events(): readonly ScriptEvent[] {
    this.#events ??= this.#placed.filter((event) => event !== null);
    return this.#events;
  }

  /** The frames of the server as they are played. */
  get played(): PlayedFrames {
    this.#played ??= new PlayedFrames(this);
    return this.#played;
  }

  /** The frames of the client as they are written, for a comparison of those. */
  get frameSteps(): readonly RecordedStep[] {
    this.#frameSteps ??= this.events
      .filter(({ direction }) => direction === 'out')
      .map(({ payload, index, atUs }) => ({ ...frameStep(payload), entry: index, atUs }));
    return this.#frameSteps;
  }

  take(entry: RecordEntry): void {
    const { direction, kind, payload, atUs } = entry;
    this.#events = null;
    this.#frameSteps = null;
    this.#played = null;
    if (direction === 'out') this.#sent(entry);
    else if (direction === 'in') this.#received({ ...entry, marks: [] });
    else if (isClose(entry)) {
      this.isOpen = false;
      const { asked, left } = closeOf(payload);
      // A client ends its own connection itself.
      if (!left && (!asked || this.#leaving.size > 0)) this.#placed.push({ ...entry, marks: [] });
    } else if (kind === 'opened') this.openedUs = atUs;
    else this.address = openingOf(entry)?.address ?? this.address;
  }

  #sent(entry: RecordEntry): void {
    this.ids.learn(entry.payload);
    const steps = this.#reader.read(entry.payload);
    if (steps.length === 0) return;
    this.opening ??= steps;
    const ask = { ...entry, marks: steps.map((step) => this.#add(step, entry)) };
    const place = this.#placed.push(ask) - 1;
    for (const { step, lane } of ask.marks) {
      const own = this.steps.get(lane)?.[step];
      if (!own || !isCut(own)) continue;
      const fromStep = Math.min(step, this.#open.firstStep(lane) ?? step);
      own.cut = { fromStep, framesBefore: this.#frames, confirmation: null };
      this.#unconfirmed.push({ step: own, cut: own.cut, ask, place });
      if (this.#unconfirmed.length > MAX_UNCONFIRMED) this.#unconfirmed.shift();
    }
  }

  /** Joins a text with the one before it. @returns where the step ends */
  #add(step: ClientStep, { index: entry, atUs, turn }: RecordEntry): LaneMark {
    const { context: lane, kind, text } = step;
    const own = madeOnce(this.steps, lane, () => []);
    const last = own.at(-1);
    if (kind === 'say' && last?.kind === 'say') last.text += text;
    else own.push({ ...step, entry, atUs });
    if (kind === 'disconnect') this.#leaving.add(lane);
    else this.#leaving.delete(lane);
    const mark = { lane, step: own.length - 1, chars: own.at(-1)?.text.length ?? 0 };
    if (turn !== null && kind === 'say' && !this.turnStarts.has(turn)) {
      const start = { ...mark, chars: mark.chars - text.length + 1 };
      this.turnStarts.set(turn, start);
      this.#open.begin(turn, start);
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
      this.#open.endAll(answered.step.context);
      // Frames that were on their way are sent before a cancel that comes late.
      if (ask.marks.length === 1) {
        this.#placed[answered.place] = null;
        this.#placed.push(ask);
      }
    }
    this.#frames += 1;
    this.#placed.push(frame);
    if (turn === null) return;
    const isEnd = types.some((type) => ENDS.has(type));
    this.isCutOff = !isEnd;
    if (isEnd) this.#open.end(turn);
  }

  /** The end of a turn may share its frame with the event that names it. */
  #typesOf({ kind, payload }: ScriptEvent): string[] {
    return kind === 'audio' || !isReadable(payload)
      ? [kind]
      : [kind, ...this.#dialect.decode(payload).map(({ type }) => type)];
  }
}

/** No frame of a vendor has as many values. Larger ones take long to parse, and end no turn. */
const MAX_VALUES = 100_000;
const isReadable = (payload: Frame): boolean =>
  typeof payload !== 'string' || payload.length < MAX_VALUES || 'fields' in parseBounded(payload, MAX_VALUES);

/** Where the frames of the server are among the events. */
class PlayedFrames {
  /** For each event, the number of frames before it, and of all at the end. */
  readonly before: Uint32Array;
  /** The events of turns, all and by the context of their frames. */
  readonly allTurns: number[] = [];
  readonly ofTurns = new Map<LaneKey, number[]>();
  /** The first event with a text of the client. */
  readonly firstText: number;
  /** How the connection ends, where the server ends it. */
  readonly end: RecordedClose | null;

  constructor({ events, steps }: ServedScript) {
    this.before = new Uint32Array(events.length + 1);
    let frames = 0;
    let firstText = events.length;
    for (const [at, { direction, turn, context, marks }] of events.entries()) {
      this.before[at] = frames;
      if (direction === 'in') frames += 1;
      if (direction === 'in' && turn !== null) {
        this.allTurns.push(at);
        madeOnce(this.ofTurns, context, () => []).push(at);
      }
      const hasText = ({ lane, step }: LaneMark) => steps.get(lane)?.[step]?.kind === 'say';
      if (firstText > at && marks.some(hasText)) firstText = at;
    }
    this.before[events.length] = frames;
    this.firstText = firstText;
    const last = events.at(-1);
    this.end = last?.direction === 'connection' ? closeOf(last.payload) : null;
  }
}

/** A whole frame as one step, without keys. */
export function frameStep(frame: Frame): ClientStep {
  const value = typeof frame === 'string' ? withoutNamedSecrets(frame) : frame;
  return { kind: 'message', context: null, text: '', value, under: [] };
}

/** Where a turn of a context began. */
interface TurnStart {
  step: number;
  isOpen: boolean;
}

/** The turns without an end, by context in the order of their beginning. */
class OpenTurns {
  readonly #byTurn = new Map<number, TurnStart>();
  readonly #byLane = new Map<LaneKey, { starts: TurnStart[]; first: number }>();

  begin(turn: number, { lane, step }: LaneMark): void {
    const start = { step, isOpen: true };
    this.#byTurn.set(turn, start);
    madeOnce(this.#byLane, lane, () => ({ starts: [], first: 0 })).starts.push(start);
  }

  end(turn: number): void {
    const start = this.#byTurn.get(turn);
    if (start) start.isOpen = false;
    this.#byTurn.delete(turn);
  }

  /** @param lane null for all contexts */
  endAll(lane: LaneKey): void {
    if (lane === null) this.#byLane.clear();
    else this.#byLane.delete(lane);
  }

  /** The step with which the oldest open turn of a context begins; null without one. */
  firstStep(lane: LaneKey): number | null {
    const own = this.#byLane.get(lane);
    if (!own) return null;
    while (own.starts[own.first]?.isOpen === false) own.first += 1;
    return own.starts[own.first]?.step ?? null;
  }
}
