import type { AudioFormat } from './audio-format.ts';
import type { WithUnknown } from './json-frame.ts';
import {
  type AudioPayload,
  ONLY_CONTEXT,
  type SpeechEvent,
  type TurnTotals,
  type Usage,
} from './speech-event.ts';

/** Turns of a connection without contexts. A flush ends the text of each, and the server speaks them in their order. */

/** The text between two flushes. */
export interface FlushedTurn {
  isFlushed: boolean;
  /** Later text belongs to another turn. */
  isCancelled: boolean;
}

export const NEW_TURN = { isFlushed: false, isCancelled: false } as const satisfies FlushedTurn;

/** The turns of one connection without an end, oldest first. Audio names nothing, so it belongs to the oldest. */
export abstract class FlushedTurns<T extends FlushedTurn> {
  all: T[] = [];

  protected abstract create(): T;
  /** Adds the text of `later` to `turn`. */
  protected abstract join(turn: T, later: T): void;

  /** The turn that takes text. */
  get open(): T | undefined {
    const last = this.all.at(-1);
    return last && !last.isFlushed && !last.isCancelled ? last : undefined;
  }

  /** Returns the turn that takes text. Begins one where there is none. */
  take(): T {
    const { open = this.create() } = this;
    if (this.all.at(-1) !== open) this.all.push(open);
    return open;
  }

  /** Cancels all turns so far, and returns them. */
  cancel(): readonly T[] {
    for (const turn of this.all) turn.isCancelled = true;
    return [...this.all];
  }

  drop(...turns: readonly T[]): void {
    this.all = this.all.filter((turn) => !turns.includes(turn));
  }

  /** Takes back the last flush, which the server refused. Its text waits for the next one. */
  unflush(): void {
    const turn = this.all.findLast(({ isFlushed, isCancelled }) => isFlushed && !isCancelled);
    if (turn) this.reopen(turn);
  }

  /** Lets a turn take text again, and joins the turn behind it. */
  reopen(turn: T): void {
    const later = this.all[this.all.indexOf(turn) + 1];
    Object.assign(turn, NEW_TURN);
    if (!later) return;
    this.join(turn, later);
    turn.isFlushed = later.isFlushed;
    this.drop(later);
  }
}

/** A turn that is one chunk, with its text. */
export interface TextTurn extends FlushedTurn {
  text: string;
  /** Its text as announced; null before. */
  announced: string | null;
}

const IN_CHUNK = { context: ONLY_CONTEXT, chunk: 0 } as const;

/** The turns of a dialect, which makes their events. */
export class TextTurns extends FlushedTurns<TextTurn> {
  readonly #format: AudioFormat;

  constructor(format: AudioFormat) {
    super();
    this.#format = format;
  }

  protected create = (): TextTurn => ({ ...NEW_TURN, text: '', announced: null });

  protected join(turn: TextTurn, later: TextTurn): void {
    turn.text += later.text;
  }

  /**
   * Returns the event that begins the oldest turn or adds to its text; none for no change. Unrequested speech begins a turn as
   * well.
   * @param isInferred no frame announced it
   */
  announce(isInferred: boolean, rest: WithUnknown = {}): SpeechEvent[] {
    const turn = this.all[0] ?? this.take();
    const { text, announced } = turn;
    if (announced === text) return [];
    turn.announced = text;
    const begun = { type: 'chunkStarted', ...IN_CHUNK, text: text === '' ? null : text } as const;
    const grown = announced === null ? {} : ({ isMore: true } as const);
    return [{ ...begun, ...(isInferred ? { inferred: true } : {}), ...grown, ...rest }];
  }

  /** Returns the events of audio of the oldest turn. */
  audio(payload: AudioPayload, rest: WithUnknown = {}): SpeechEvent[] {
    return [
      ...this.announce(true),
      { type: 'audio', ...IN_CHUNK, ...this.#format, index: null, samples: null, payload, ...rest },
    ];
  }

  /**
   * Ends the oldest turn, and returns the events of its end.
   * @param audioMs by the server; null where it says none
   * @param characters that are billed; null for those of its text
   */
  end(audioMs: number | null, characters: number | null, rest: WithUnknown = {}): SpeechEvent[] {
    const turn = this.all[0];
    const hasChunk = turn !== undefined && turn.announced !== null;
    const grown = hasChunk ? this.announce(true) : [];
    this.all.shift();
    const audioSeconds = audioMs === null ? null : audioMs / 1000;
    const totals: TurnTotals = { audioSeconds, textChunks: null, audioFrames: null };
    const billed = characters ?? turn?.text.length ?? null;
    const usage = usageOf(audioSeconds, billed);
    const completed = { type: 'chunkCompleted', ...IN_CHUNK, audioSeconds, generationMs: null } as const;
    return [
      ...grown,
      ...(hasChunk ? [completed] : []),
      { type: 'audioEnded', context: ONLY_CONTEXT, totals },
      { type: 'turnEnded', context: ONLY_CONTEXT, totals, usage, ...rest },
    ];
  }
}

export const usageOf = (audioSeconds: number | null, characters: number | null): Usage => ({
  audioSeconds,
  characters,
  costCents: null,
  currency: null,
  modelId: null,
});
