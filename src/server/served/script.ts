import { madeOnce } from '#lib/collections/maps.ts';
import type { Dialect, Endpoint } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { parseBounded } from '#protocol/core/json-frame.ts';
import { type ClientStep, isCut, StepReader } from '#trace/client-steps.ts';
import { closeOf, isClose, openingOf, type RecordedClose, reopen } from '#trace/connection.ts';
import type { RecordEntry } from '#trace/entry.ts';
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

const NO_MARKS: readonly LaneMark[] = [];

/** A frame of the server, its close of the connection, or a frame of the client. Copies no payload, which may be on disk. */
export class ScriptEvent {
  readonly #entry: RecordEntry;
  /** Of a client's frame: what follows waits until the client has come so far. */
  readonly marks: readonly LaneMark[];

  constructor(entry: RecordEntry, marks = NO_MARKS) {
    this.#entry = entry;
    this.marks = marks;
  }

  get index(): number {
    return this.#entry.index;
  }

  get atUs(): number {
    return this.#entry.atUs;
  }

  get direction(): RecordEntry['direction'] {
    return this.#entry.direction;
  }

  get turn(): number | null {
    return this.#entry.turn;
  }

  get context(): string | null {
    return this.#entry.context;
  }

  get audioMs(): number | null {
    return this.#entry.audioMs;
  }

  get payload(): Frame {
    return this.#entry.payload;
  }
}

/** Types of events with which a turn is over. */
const ENDS: ReadonlySet<string> = new Set(['turnEnded', 'interrupted', 'contextClosed', 'error']);

/** Further cancels count as unconfirmed. */
const MAX_UNCONFIRMED = 100;

/** What is known while entries are taken. */
interface Reading {
  reader: StepReader;
  /** Told of nothing that was sent, so that each end counts, also one that the client no longer waits for. */
  dialect: Dialect;
  /** Cancels without a confirmation so far, oldest first, with the places of their frames. */
  unconfirmed: { step: ClientStep; cut: RecordedCut; ask: ScriptEvent; place: number }[];
  open: OpenTurns;
  /** Contexts whose last step asks for the end of the connection. */
  leaving: Set<LaneKey>;
}

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
  /** Null once all entries are taken: a recording may have very many connections. */
  #reading: Reading | null;
  /** With a gap in place of an event that was moved. */
  #placed: (ScriptEvent | null)[] = [];
  #events: readonly ScriptEvent[] | null = null;
  #frameSteps: readonly RecordedStep[] | null = null;
  #played: PlayedFrames | null = null;
  #frames = 0;
  /** @param openedUs where the recording does not say it */
  constructor(endpoint: Endpoint, openedUs: number) {
    this.#reading = {
      reader: new StepReader(endpoint),
      dialect: reopen(endpoint, null),
      unconfirmed: [],
      open: new OpenTurns(),
      leaving: new Set(),
    };
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
    const reading = this.#reading;
    if (!reading) throw new Error('The recording of a connection is over.');
    const { direction, kind, atUs } = entry;
    this.#events = null;
    this.#frameSteps = null;
    this.#played = null;
    if (direction === 'out') this.#sent(entry, reading);
    else if (direction === 'in') this.#received(entry, reading);
    else if (isClose(entry)) {
      this.isOpen = false;
      const { asked, left } = closeOf(entry.payload);
      // A client ends its own connection itself.
      if (!left && (!asked || reading.leaving.size > 0)) this.#placed.push(new ScriptEvent(entry));
    } else if (kind === 'opened') this.openedUs = atUs;
    else this.address = openingOf(entry)?.address ?? this.address;
  }

  #sent(entry: RecordEntry, reading: Reading): void {
    const { payload } = entry;
    this.ids.learn(payload);
    const steps = reading.reader.read(payload);
    if (steps.length === 0) return;
    this.opening ??= steps;
    const ask = new ScriptEvent(
      entry,
      steps.map((step) => this.#add(step, entry, reading)),
    );
    const place = this.#placed.push(ask) - 1;
    for (const { step, lane } of ask.marks) {
      const own = this.steps.get(lane)?.[step];
      if (!own || !isCut(own)) continue;
      const fromStep = Math.min(step, reading.open.firstStep(lane) ?? step);
      own.cut = { fromStep, framesBefore: this.#frames, confirmation: null };
      reading.unconfirmed.push({ step: own, cut: own.cut, ask, place });
      if (reading.unconfirmed.length > MAX_UNCONFIRMED) reading.unconfirmed.shift();
    }
  }

  /** Joins a text with the one before it. @returns where the step ends */
  #add(step: ClientStep, { index: entry, atUs, turn }: RecordEntry, { open, leaving }: Reading): LaneMark {
    const { context: lane, kind, text } = step;
    const own = madeOnce(this.steps, lane, () => []);
    const last = own.at(-1);
    if (kind === 'say' && last?.kind === 'say') last.text += text;
    else own.push({ ...step, entry, atUs });
    if (kind === 'disconnect') leaving.add(lane);
    else leaving.delete(lane);
    const mark = { lane, step: own.length - 1, chars: own.at(-1)?.text.length ?? 0 };
    if (turn !== null && kind === 'say' && !this.turnStarts.has(turn)) {
      const start = { ...mark, chars: mark.chars - text.length + 1 };
      this.turnStarts.set(turn, start);
      open.begin(turn, start, entry);
    }
    return mark;
  }

  #received(entry: RecordEntry, reading: Reading): void {
    const { turn, context } = entry;
    const types = typesOf(entry, reading.dialect);
    const frame = new ScriptEvent(entry);
    const cancelEnd = reading.dialect.traits.cancel === 'unconfirmed' ? 'turnEnded' : 'interrupted';
    const answered = reading.unconfirmed.find(
      ({ step }) =>
        types.includes(step.kind === 'cancel' ? cancelEnd : 'contextClosed') &&
        (step.context === null || context === null || step.context === context),
    );
    if (answered) {
      const { cut, ask } = answered;
      cut.confirmation = frame;
      reading.unconfirmed = reading.unconfirmed.filter((one) => one !== answered);
      reading.open.endAll(answered.step.context, ask.index);
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
    if (isEnd) reading.open.end(turn);
  }

  /** No further entry follows. */
  end(): void {
    this.#reading = null;
  }
}

/** The end of a turn may share its frame with the event that names it. */
function typesOf(entry: RecordEntry, dialect: Dialect): string[] {
  const { kind } = entry;
  if (kind === 'audio') return [kind];
  const { payload } = entry;
  return isReadable(payload) ? [kind, ...dialect.decode(payload).map(({ type }) => type)] : [kind];
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

/** A whole frame as one step. */
export const frameStep = (value: Frame): ClientStep => ({
  kind: 'message',
  context: null,
  text: '',
  value,
  under: [],
});

/** Where a turn of a context began. */
interface TurnStart {
  step: number;
  /** Number of its first entry. */
  entry: number;
  isOpen: boolean;
}

/** The turns without an end, by context in the order of their beginning. */
class OpenTurns {
  readonly #byTurn = new Map<number, TurnStart>();
  readonly #byLane = new Map<LaneKey, { starts: TurnStart[]; first: number }>();

  begin(turn: number, { lane, step }: LaneMark, entry: number): void {
    const start = { step, entry, isOpen: true };
    this.#byTurn.set(turn, start);
    madeOnce(this.#byLane, lane, () => ({ starts: [], first: 0 })).starts.push(start);
  }

  end(turn: number): void {
    const start = this.#byTurn.get(turn);
    if (start) start.isOpen = false;
    this.#byTurn.delete(turn);
  }

  /** Ends the turns that began before an entry. @param lane null for all contexts */
  endAll(lane: LaneKey, before: number): void {
    for (const key of lane === null ? [...this.#byLane.keys()] : [lane]) {
      const own = this.#byLane.get(key);
      if (!own) continue;
      while ((own.starts[own.first]?.entry ?? before) < before) own.first += 1;
      if (own.first === own.starts.length) this.#byLane.delete(key);
    }
  }

  /** The step with which the oldest open turn of a context begins; null without one. */
  firstStep(lane: LaneKey): number | null {
    const own = this.#byLane.get(lane);
    if (!own) return null;
    while (own.starts[own.first]?.isOpen === false) own.first += 1;
    return own.starts[own.first]?.step ?? null;
  }
}
