import type { Endpoint } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { type ClientStep, isCut, StepReader } from '#record/client-steps.ts';
import { closeOf, isClose, openingOf, type RecordedClose } from '#record/entry-decoder.ts';
import type { NewEntry } from '#record/record.ts';
import type { LaneMark, RecordedStep } from './lane.ts';

/** A context; null for the whole connection. */
export type LaneKey = string | null;

type Marks = readonly (LaneMark & { lane: LaneKey })[];

/** A cancel, or the immediate close of a context. */
export interface RecordedCut {
  /** Frames of the server before it. */
  framesBefore: number;
  entry: number;
  /** The frame that confirms it; null where none was recorded. */
  confirmation: FrameEvent | null;
}

/** What follows waits until the client has come so far. */
export interface AskEvent {
  kind: 'ask';
  entry: number;
  atUs: number;
  marks: Marks;
}

/** A frame of the server. */
export interface FrameEvent {
  kind: 'frame';
  entry: number;
  atUs: number;
  frame: Frame;
  /** Type of its speech event. */
  type: string;
  turn: number | null;
  context: string | null;
  audioMs: number;
}

/** The end of the connection. */
export interface CloseEvent {
  kind: 'close';
  entry: number;
  atUs: number;
  close: RecordedClose;
}

export type ScriptEvent = AskEvent | FrameEvent | CloseEvent;

/** One recorded connection, as the server has to play it. */
export interface ServedScript {
  /** Address without its key; empty where it was not recorded. */
  address: string;
  openedUs: number;
  /** In the order in which they are played. */
  events: readonly ScriptEvent[];
  steps: ReadonlyMap<LaneKey, readonly RecordedStep[]>;
  /** All steps of all contexts, in their order. */
  cuts: ReadonlyMap<RecordedStep, RecordedCut>;
  /** Where the text of a turn begins. */
  turnStarts: ReadonlyMap<number, LaneMark & { lane: LaneKey }>;
  /** Its last turn has no end. */
  isCutOff: boolean;
  /** Frames of the client, without keep-alives. */
  sent: readonly { frame: Frame; entry: number; atUs: number }[];
}

/** Reads the entries of one connection, in their order. */
export function readScript(
  endpoint: Endpoint,
  entries: readonly (NewEntry & { index: number })[],
): ServedScript {
  const reader = new StepReader(endpoint);
  const steps = new Map<LaneKey, RecordedStep[]>();
  const cuts = new Map<RecordedStep, RecordedCut>();
  const turnStarts = new Map<number, LaneMark & { lane: LaneKey }>();
  const sent: { frame: Frame; entry: number; atUs: number }[] = [];
  const events: ScriptEvent[] = [];
  const asked = new Map<RecordedStep, AskEvent>();
  let address = '';
  let openedUs = entries[0]?.atUs ?? 0;
  let framesBefore = 0;

  /** Joins a text with the one before it. */
  const add = (
    step: ClientStep,
    entry: number,
    atUs: number,
  ): { step: RecordedStep; mark: LaneMark & { lane: LaneKey } } => {
    const lane = step.context;
    const own = steps.get(lane) ?? [];
    steps.set(lane, own);
    const last = own.at(-1);
    if (step.kind === 'say' && last?.kind === 'say') {
      last.text += step.text;
      return { step: last, mark: { lane, step: own.length - 1, chars: last.text.length } };
    }
    const added = { ...step, entry, atUs };
    own.push(added);
    return { step: added, mark: { lane, step: own.length - 1, chars: step.text.length } };
  };

  for (const { index: entry, atUs, direction, kind, payload, turn, context, audioMs } of entries) {
    if (direction === 'in') {
      framesBefore += 1;
      events.push({
        kind: 'frame',
        entry,
        atUs,
        frame: payload,
        type: kind,
        turn,
        context,
        audioMs: audioMs ?? 0,
      });
    } else if (direction === 'out') {
      const added = reader.read(payload).map((step) => ({ own: step, ...add(step, entry, atUs) }));
      if (added.length === 0) continue;
      sent.push({ frame: payload, entry, atUs });
      const ask: AskEvent = { kind: 'ask', entry, atUs, marks: added.map(({ mark }) => mark) };
      events.push(ask);
      for (const { own, step, mark } of added) {
        if (isCut(step)) {
          cuts.set(step, { framesBefore, entry, confirmation: null });
          asked.set(step, ask);
        }
        const begins = turn !== null && step.kind === 'say' && !turnStarts.has(turn);
        if (begins) turnStarts.set(turn, { ...mark, chars: mark.chars - own.text.length + 1 });
      }
    } else if (direction === 'connection') {
      address = openingOf({ direction, kind, payload })?.address ?? address;
      if (kind === 'opened') openedUs = atUs;
      if (isClose({ direction, kind })) events.push({ kind: 'close', entry, atUs, close: closeOf(payload) });
    }
  }

  for (const [step, cut] of cuts) {
    const confirmation = confirmationOf(step, cut.entry, events, cuts);
    if (!confirmation) continue;
    cut.confirmation = confirmation;
    // Frames that were on their way are sent before a cancel that comes late.
    const ask = asked.get(step);
    if (!ask || ask.marks.length > 1) continue;
    events.splice(events.indexOf(ask), 1);
    events.splice(events.indexOf(confirmation), 0, ask);
  }
  return { address, openedUs, events, steps, cuts, turnStarts, isCutOff: isCutOff(events), sent };
}

function confirmationOf(
  { kind, context }: ClientStep,
  entry: number,
  events: readonly ScriptEvent[],
  cuts: ReadonlyMap<RecordedStep, RecordedCut>,
): FrameEvent | null {
  const type = kind === 'cancel' ? 'interrupted' : 'contextClosed';
  const used = new Set([...cuts.values()].map(({ confirmation }) => confirmation));
  const isAnswer = (event: ScriptEvent): event is FrameEvent =>
    event.kind === 'frame' &&
    event.entry > entry &&
    event.type === type &&
    (context === null || event.context === null || event.context === context) &&
    !used.has(event);
  return events.find(isAnswer) ?? null;
}

const ENDS: ReadonlySet<string> = new Set(['turnEnded', 'interrupted', 'contextClosed', 'error']);

function isCutOff(events: readonly ScriptEvent[]): boolean {
  const ofTurns = events.filter((event) => event.kind === 'frame' && event.turn !== null) as FrameEvent[];
  const last = ofTurns.at(-1)?.turn;
  return last !== undefined && !ofTurns.some(({ turn, type }) => turn === last && ENDS.has(type));
}
