import type { Dialect, Endpoint, Settings } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { type ClientStep, isCut, StepReader } from '#record/client-steps.ts';
import { closeOf, isClose, openingOf, type RecordedClose, reopen } from '#record/entry-decoder.ts';
import type { NewEntry } from '#record/record.ts';

/** A context; null for the whole connection. */
export type LaneKey = string | null;

/** How far a client has come in a context: to the end of a step, or in a text behind so many characters. */
export interface LaneMark {
  step: number;
  chars: number;
}

type Mark = LaneMark & { lane: LaneKey };

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
  confirmation: FrameEvent | null;
}

interface PlayedAt {
  /** Number of the entry in the recording. */
  entry: number;
  atUs: number;
}

/** What follows waits until the client has come so far. */
export interface AskEvent extends PlayedAt {
  kind: 'ask';
  marks: readonly Mark[];
}

/** A frame of the server. */
export interface FrameEvent extends PlayedAt {
  kind: 'frame';
  frame: Frame;
  /** Type of its speech event. */
  type: string;
  turn: number | null;
  context: string | null;
  audioMs: number;
}

/** The end of the connection. */
export interface CloseEvent extends PlayedAt {
  kind: 'close';
  close: RecordedClose;
}

export type ScriptEvent = AskEvent | FrameEvent | CloseEvent;

/** What distinguishes one connection from others at its first message. */
export interface FirstMessage {
  settings: Settings;
  text: string;
}

export function firstMessageOf(steps: readonly ClientStep[]): FirstMessage {
  const settings = steps.map(({ kind, value }) => (kind === 'settings' ? value : {}));
  return { settings: Object.assign({}, ...settings), text: steps.map(({ text }) => text).join('') };
}

/** One recorded connection, as the server has to play it. */
export interface ServedScript {
  /** Address without its key; empty where it was not recorded. */
  address: string;
  openedUs: number;
  /** The client's first message; null for none. */
  opening: FirstMessage | null;
  /** In the order in which they are played. */
  events: readonly ScriptEvent[];
  steps: ReadonlyMap<LaneKey, readonly RecordedStep[]>;
  /** Where the text of a turn begins. */
  turnStarts: ReadonlyMap<number, Mark>;
  /** Its last turn has no end. */
  isCutOff: boolean;
  /** Frames of the client, without keep-alives. */
  sent: readonly (PlayedAt & { frame: Frame })[];
}

type IndexedEntry = NewEntry & { index: number };

/** Reads the entries of one connection, in their order. */
export function readScript(endpoint: Endpoint, entries: readonly IndexedEntry[]): ServedScript {
  const script = new ScriptReader(endpoint, entries[0]?.atUs ?? 0);
  for (const entry of entries) script.take(entry);
  return script;
}

/** Types of events with which a turn is over. */
const ENDS: ReadonlySet<string> = new Set(['turnEnded', 'interrupted', 'contextClosed', 'error']);

/** Further cancels count as unconfirmed. */
const MAX_UNCONFIRMED = 100;

class ScriptReader implements ServedScript {
  address = '';
  openedUs: number;
  opening: FirstMessage | null = null;
  readonly events: ScriptEvent[] = [];
  readonly steps = new Map<LaneKey, RecordedStep[]>();
  readonly turnStarts = new Map<number, Mark>();
  readonly sent: (PlayedAt & { frame: Frame })[] = [];
  readonly #reader: StepReader;
  readonly #dialect: Dialect;
  #frames = 0;
  /** Cancels without a confirmation so far, oldest first. */
  #unconfirmed: { step: ClientStep; cut: RecordedCut; ask: AskEvent }[] = [];
  /** Where the text of the turns without an end begins. */
  readonly #open = new Map<number, Mark>();
  #isInTurn = false;

  constructor(endpoint: Endpoint, openedUs: number) {
    this.#reader = new StepReader(endpoint);
    this.#dialect = reopen(endpoint, null);
    this.openedUs = openedUs;
  }

  get isCutOff(): boolean {
    return this.#isInTurn;
  }

  take({ index: entry, atUs, direction, kind, payload, turn, context, audioMs }: IndexedEntry): void {
    const at = { entry, atUs };
    if (direction === 'out') this.#sent({ ...at, frame: payload }, turn);
    else if (direction === 'in')
      this.#received({
        kind: 'frame',
        ...at,
        frame: payload,
        type: kind,
        turn,
        context,
        audioMs: audioMs ?? 0,
      });
    else if (isClose({ direction, kind }))
      this.events.push({ kind: 'close', ...at, close: closeOf(payload) });
    else if (kind === 'opened') this.openedUs = atUs;
    else this.address = openingOf({ direction, kind, payload })?.address ?? this.address;
  }

  #sent(sent: PlayedAt & { frame: Frame }, turn: number | null): void {
    const { frame, ...at } = sent;
    const steps = this.#reader.read(frame);
    if (steps.length === 0) return;
    this.sent.push(sent);
    this.opening ??= firstMessageOf(steps);
    const ask: AskEvent = { kind: 'ask', ...at, marks: steps.map((step) => this.#add(step, at, turn)) };
    this.events.push(ask);
    for (const { step, lane } of ask.marks) {
      const own = this.steps.get(lane)?.[step];
      if (!own || !isCut(own)) continue;
      const open = [...this.#open.values()].filter((start) => start.lane === lane);
      const fromStep = Math.min(step, ...open.map((start) => start.step));
      own.cut = { fromStep, framesBefore: this.#frames, confirmation: null };
      this.#unconfirmed = [...this.#unconfirmed, { step: own, cut: own.cut, ask }].slice(-MAX_UNCONFIRMED);
    }
  }

  /** Joins a text with the one before it. @returns where the step ends */
  #add(step: ClientStep, at: PlayedAt, turn: number | null): Mark {
    const { context: lane, kind, text } = step;
    const own = this.steps.get(lane) ?? [];
    this.steps.set(lane, own);
    const last = own.at(-1);
    if (kind === 'say' && last?.kind === 'say') last.text += text;
    else own.push({ ...step, ...at });
    const mark = { lane, step: own.length - 1, chars: own.at(-1)?.text.length ?? 0 };
    if (turn !== null && kind === 'say' && !this.turnStarts.has(turn)) {
      const start = { ...mark, chars: mark.chars - text.length + 1 };
      this.turnStarts.set(turn, start);
      this.#open.set(turn, start);
    }
    return mark;
  }

  #received(frame: FrameEvent): void {
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
      if (ask.marks.length === 1) this.events.push(...this.events.splice(this.events.lastIndexOf(ask), 1));
    }
    this.#frames += 1;
    this.events.push(frame);
    if (turn === null) return;
    const isEnd = types.some((type) => ENDS.has(type));
    this.#isInTurn = !isEnd;
    if (isEnd) this.#open.delete(turn);
  }

  /** The end of a turn may share its frame with the event that names it. */
  #typesOf({ type, frame }: FrameEvent): string[] {
    return type === 'audio' ? [type] : [type, ...this.#dialect.decode(frame).map((event) => event.type)];
  }
}
