import { addAll } from '#lib/collections/arrays.ts';
import type { Dialect, Protocol, VendorFailures } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { parseFields } from '#protocol/core/json-frame.ts';
import { type AudioEvent, ONLY_CONTEXT, type SpeechEvent } from '#protocol/core/speech-event.ts';
import { type Fault, faultNumber } from '#protocol/faults/fault-spec.ts';
import { type FaultName, faultKind } from '#protocol/faults/fault-table.ts';
import { type SilencedFrame, WordDropper, withAudio } from './word-dropper.ts';

/** Something that happens to the client, after everything before it. */
export interface Step {
  action:
    | { kind: 'send'; frame: Frame }
    | { kind: 'close'; code: number; reason: string }
    | { kind: 'reset' | 'fall silent' | 'nothing' };
  /** Faults that are injected with the action. */
  injected: readonly Fault[];
  /** The line stands still for this time before the action. */
  holdMs: number;
  /** The action is delayed by this time, and later steps overtake it. */
  lateMs: number;
}

export interface ScriptOptions {
  faults: readonly Fault[];
  /** Decodes the frames of the server. */
  dialect: Dialect;
  protocol: Pick<Protocol, 'failures' | 'readIntents'>;
  /** Close of a server that restarts. */
  restart: { code: number; reason: string };
}

type Action = Step['action'];

/** Events of a frame with nothing but words. */
const OF_WORDS: ReadonlySet<SpeechEvent['type']> = new Set(['words', 'chunkStarted', 'chunkCompleted']);

/** Replaces the frames of one server by what faults make of them. */
export class FaultScript {
  readonly #options: ScriptOptions;
  readonly #words: WordDropper;
  #audioFrames = 0;
  #chunks = 0;
  /** Contexts and numbers of chunks that an error replaces. */
  readonly #dropped = new Set<string>();
  /** An audio frame that waits for the next one. */
  #kept: { steps: Step[]; fault: Fault } | null = null;
  #isOver = false;

  constructor(options: ScriptOptions) {
    this.#options = options;
    this.#words = new WordDropper(options.faults);
  }

  /** The client gets nothing more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Follows a message of the client, which may choose the format of the audio. */
  follow(message: string): void {
    const { protocol, dialect } = this.#options;
    for (const intent of protocol.readIntents(message)) dialect.follow?.(intent);
  }

  feed(frame: Frame): Step[] {
    if (this.#isOver) return [];
    return this.#words.feed(frame, this.#options.dialect.decode(frame)).flatMap((heard) => this.#take(heard));
  }

  #take({ frame, events, injected }: SilencedFrame): Step[] {
    if (this.#isOver) return [];
    const steps = this.#begin(events);
    if (this.#isOver || this.#isDropped(events)) return steps;
    const audio = events.find((event) => event.type === 'audio');
    if (audio) {
      const noted = injected.map((fault) => stepOf({ kind: 'nothing' }, [fault]));
      return [...steps, ...noted, ...this.#audio(frame, audio, events)];
    }
    // The last word of a turn may come with its end, and the first one of a chunk begins it.
    const isWords =
      events.some(({ type }) => type === 'words') && events.every(({ type }) => OF_WORDS.has(type));
    // Words are sent beside the audio, all other frames behind it.
    if (!isWords) addAll(steps, this.#reordered());
    return [...steps, isWords ? this.#ofWords(frame) : this.#other(frame, events)];
  }

  /** Returns what is left when the server sends nothing more. */
  end(): Step[] {
    const held = this.#words.release().flatMap((heard) => this.#take(heard));
    return [...held, ...this.#reordered()];
  }

  /** The audio frame that waits for the next one. */
  #reordered(): Step[] {
    const { steps = [] } = this.#kept ?? {};
    this.#kept = null;
    return steps;
  }

  /** Faults of chunks that begin. */
  #begin(events: readonly SpeechEvent[]): Step[] {
    const steps: Step[] = [];
    for (const event of events) {
      if (event.type !== 'chunkStarted' || event.isMore) continue;
      this.#chunks += 1;
      // Numbers begin anew in each turn, also after a chunk that was cancelled.
      this.#dropped.delete(nameOf(event));
      const fault = this.#find('error', this.#chunks);
      if (fault) {
        const context = event.context === ONLY_CONTEXT ? null : event.context;
        const { frame, close } = this.#options.protocol.failures.error(String(fault.value), context);
        this.#dropped.add(nameOf(event));
        addAll(steps, this.#reordered());
        steps.push(stepOf({ kind: 'send', frame: JSON.stringify(frame) }, [fault]));
        if (close) {
          this.#isOver = true;
          steps.push(stepOf({ kind: 'close', ...close }));
        }
      } else {
        const slow = this.#options.faults.filter(({ name }) => name === 'slow-start');
        if (slow.length > 0) addAll(steps, [...this.#reordered(), ...hold(slow)]);
      }
    }
    return steps;
  }

  #isDropped(events: readonly SpeechEvent[]): boolean {
    const own = events.filter((event) => 'chunk' in event && event.type !== 'error');
    const isDropped = own.some((event) => this.#dropped.has(nameOf(event)));
    for (const event of own) if (event.type === 'chunkCompleted') this.#dropped.delete(nameOf(event));
    return isDropped;
  }

  #audio(frame: Frame, event: AudioEvent, events: readonly SpeechEvent[]): Step[] {
    this.#audioFrames += 1;
    const here = this.#options.faults.filter(
      ({ name, at }) => at === this.#audioFrames && faultKind(name).at === 'audio frame',
    );
    const end = here.find(({ name }) => name in ENDS);
    const stalled = hold(here.filter(({ name }) => name === 'stall'));
    if (end) {
      this.#isOver = true;
      return [...this.#reordered(), ...stalled, stepOf(this.#ending(end), [end])];
    }
    const words = events.some(({ type }) => type === 'words') ? this.#wordsLost() : [];
    const steps = this.#changed(frame, event, [...words, ...here]);
    const reorder = here.find(({ name }) => name === 'reorder');
    const before = this.#kept;
    this.#kept = null;
    if (reorder) {
      // A frame that was kept goes first, and only one waits at a time.
      this.#kept = { steps, fault: reorder };
      return [...(before ? before.steps : []), ...stalled];
    }
    if (!before) return [...stalled, ...steps];
    const [first, ...others] = before.steps;
    const late = first ? [{ ...first, injected: [before.fault, ...first.injected] }, ...others] : [];
    return [...stalled, ...steps, ...late];
  }

  #ending({ name, value }: Fault): Action {
    if (name === 'close') return { kind: 'close', code: Number(value), reason: 'a fault on purpose' };
    if (name === 'going-away') return { kind: 'close', ...this.#options.restart };
    return { kind: name === 'reset' ? 'reset' : 'fall silent' };
  }

  /** One audio frame, or two. */
  #changed(frame: Frame, event: AudioEvent, here: readonly Fault[]): Step[] {
    const injected: Fault[] = [];
    let sent = frame;
    for (const fault of here) {
      const change = CHANGES[fault.name];
      if (!change) continue;
      sent = change(sent, event, this.#options.protocol.failures);
      injected.push(fault);
    }
    const step = stepOf({ kind: 'send', frame: sent }, injected);
    const again = here.filter(({ name }) => name === 'duplicate');
    return again.length > 0 ? [step, stepOf({ kind: 'send', frame: sent }, again)] : [step];
  }

  #wordsLost(): readonly Fault[] {
    return this.#options.faults.filter(({ name }) => name === 'lose-words');
  }

  #ofWords(frame: Frame): Step {
    const { faults } = this.#options;
    const lost = this.#wordsLost();
    if (lost.length > 0) return stepOf({ kind: 'nothing' }, lost);
    const late = faults.filter(({ name }) => name === 'late-words');
    return stepOf({ kind: 'send', frame }, late, { lateMs: faultNumber(late, 'late-words') });
  }

  #other(frame: Frame, events: readonly SpeechEvent[]): Step {
    const wrong = this.#options.faults.filter(({ name }) => name === 'wrong-totals');
    const changed =
      wrong.length > 0 && events.some(({ type }) => HAS_TOTALS.has(type))
        ? withWrongTotals(frame, this.#options.protocol.failures.totals)
        : frame;
    return stepOf({ kind: 'send', frame: changed }, changed === frame ? [] : wrong);
  }

  #find(name: FaultName, at: number): Fault | undefined {
    return this.#options.faults.find((fault) => fault.name === name && fault.at === at);
  }
}

const stepOf = (
  action: Action,
  injected: readonly Fault[] = [],
  { holdMs = 0, lateMs = 0 }: { holdMs?: number; lateMs?: number } = {},
): Step => ({ action, injected, holdMs, lateMs });

/** The line stands still. The faults are injected before that, not after it. */
const hold = (faults: readonly Fault[]): Step[] =>
  faults.flatMap((fault) => [
    stepOf({ kind: 'nothing' }, [fault]),
    stepOf({ kind: 'nothing' }, [], { holdMs: Number(fault.value) }),
  ]);

/** Faults in place of an audio frame, after which nothing is sent. */
const ENDS: Partial<Record<FaultName, true>> = {
  close: true,
  'going-away': true,
  reset: true,
  'half-open': true,
};

type Change = (frame: Frame, event: AudioEvent, failures: VendorFailures) => Frame;

const CHANGES: Partial<Record<FaultName, Change>> = {
  'lose-words': (frame, _, { words }) =>
    typeof words === 'string' || words === null ? frame : withoutFields(frame, words),
  'odd-byte': (frame, event) =>
    typeof frame === 'string'
      ? withAudio(frame, event, (bytes) => bytes.subarray(0, -1))
      : frame.slice(0, -1),
  'invalid-json': (frame) => (typeof frame === 'string' ? frame.slice(0, frame.length / 2) : '{'),
};

/** Chunks of different contexts have the same numbers. */
const nameOf = (event: SpeechEvent): string =>
  'chunk' in event && 'context' in event ? `${event.chunk} ${event.context}` : '';

const HAS_TOTALS: ReadonlySet<SpeechEvent['type']> = new Set([
  'chunkCompleted',
  'audioEnded',
  'turnEnded',
  'contextClosed',
  'sessionEnded',
]);

/** Sets these fields to null. */
function withoutFields(frame: Frame, names: readonly string[]): Frame {
  const read = typeof frame === 'string' ? parseFields(frame) : null;
  if (!read || !('fields' in read)) return frame;
  const present = names.filter((name) => Object.hasOwn(read.fields, name));
  return JSON.stringify({ ...read.fields, ...Object.fromEntries(present.map((name) => [name, null])) });
}

/** Returns the same frame where it has no such figure. */
function withWrongTotals(frame: Frame, names: readonly string[]): Frame {
  const read = typeof frame === 'string' ? parseFields(frame) : null;
  if (!read || !('fields' in read)) return frame;
  const text = JSON.stringify(read.fields, (name, value: unknown) =>
    names.includes(name) && typeof value === 'number' ? value * 2 + 1 : value,
  );
  return text === JSON.stringify(read.fields) ? frame : text;
}
