import { deepEqual } from '#lib/deep-equal.ts';
import { type ClientStep, isCut, stepWords } from '#trace/client-steps.ts';
import { type ClientDifference, clientPlace, recordedPlace } from './client-difference.ts';
import type { LaneMark, RecordedStep } from './script.ts';
import { MAX_BESIDE_CHARS, MIN_BEGINNING_CHARS, TypedText } from './typed-text.ts';

/** A step of the client. */
export interface SentStep extends ClientStep {
  /** Number of its message on the connection, from 1. */
  message: number;
  /** Since the connection was opened. */
  atMs: number;
}

/** Recorded steps that the search for a match looks ahead, so that one missing step is one difference. */
const LOOK_AHEAD = 8;
/** Steps beside the recording that are kept. */
const MAX_BESIDE = 100;

/**
 * Compares what a client asks for in one context with the recorded steps, in their order, and knows how far it has come.
 * A cancel that comes at another moment than the recorded one is no difference, nor is the text around it that was sent or
 * not sent for this reason.
 */
export class Lane {
  readonly #recorded: readonly RecordedStep[];
  readonly #report: (difference: ClientDifference) => void;
  /** The first recorded step that is not complete. */
  #at = 0;
  /** Sent of the text at that place. */
  readonly #typed = new TypedText();
  #typedFirst: SentStep | null = null;
  /** Text beside the recording that may go on. */
  #extraText: SentStep | null = null;
  #abandonedEntry = -1;
  #cut = { step: 0, chars: 0 };
  #allCuts = 0;
  /** The next step, from the one at that place on, that is no part of a turn. */
  #nextOther = 0;
  /** Steps in front of a recorded cancel that has not come. */
  #beforeCut: SentStep[] = [];
  /** Settings from before are in effect, so that none are expected first. */
  #isAgain: boolean;

  constructor(
    recorded: readonly RecordedStep[],
    report: (difference: ClientDifference) => void,
    isAgain = false,
  ) {
    this.#recorded = recorded;
    this.#report = report;
    this.#isAgain = isAgain;
  }

  hasReached({ step, chars }: Pick<LaneMark, 'step' | 'chars'>): boolean {
    return this.#at > step || (this.#at === step && chars > 0 && this.#typed.length >= chars);
  }

  /** Remembers how far the client has come at a cancel. */
  cut(): void {
    this.#cut = { step: this.#at, chars: this.#typed.length };
  }

  /** Remembers it at a cancel of all contexts, once for each. @param cuts number of them so far */
  cutWithAll(cuts: number): void {
    if (cuts === this.#allCuts) return;
    this.#allCuts = cuts;
    this.cut();
  }

  /** Whether the client had come so far at the last cancel. */
  hadReached({ step, chars }: Pick<LaneMark, 'step' | 'chars'>): boolean {
    const { step: at, chars: typed } = this.#cut;
    return at > step || (at === step && chars > 0 && typed >= chars);
  }

  /** The client has sent all that was recorded. */
  get isComplete(): boolean {
    return this.#at >= this.#recorded.length;
  }

  /** A part of a text was sent. */
  get isTyping(): boolean {
    return this.#typed.length > 0;
  }

  /** Takes the next step. @returns the recorded step that a cancel, or any other step, matches; null for none */
  take(step: SentStep): RecordedStep | null {
    if (step.kind !== 'settings') this.#skipSettings();
    this.#isAgain = false;
    return step.kind === 'say' ? this.#say(step) : this.#match(step);
  }

  /** The client is gone. @param isCut its leaving abandons speech, as a cancel does */
  end(isCut: boolean): void {
    this.#skipSettings();
    const { text = '' } = this.#recorded[this.#at] ?? {};
    const { length } = this.#typed;
    const isCutShort = isCut && length > 0 && length < text.length && this.#typed.isBeginningOf(text);
    if (isCutShort && this.#recorded.slice(this.#at + 1).every(isEndOfText)) return;
    this.#finishText();
    this.#commit();
    this.#skipTo(this.#recorded.length);
  }

  #skipSettings(): void {
    while (this.#isAgain && this.#recorded[this.#at]?.kind === 'settings') this.#at += 1;
  }

  #say(step: SentStep): RecordedStep | null {
    const expected = this.#recorded[this.#at];
    // Contexts that the recording does not have share a lane.
    if (this.#extraText && this.#extraText.context !== step.context) this.#commit();
    const next = expected?.kind === 'say' ? this.#at : this.#nextText(this.#at, step.text);
    if (this.#extraText) this.#extraText.text = joined(this.#extraText.text, step.text);
    else if (next !== null) {
      if (next > this.#at) this.#commit();
      this.#skipTo(next);
      this.#type(step);
    } else if (expected && isCut(expected)) this.#wait(step);
    else this.#extraText = { ...step };
    return this.#recorded[this.#at] ?? null;
  }

  #type(step: SentStep): void {
    const { text } = this.#recorded[this.#at] as RecordedStep;
    this.#typed.add(step.text, text);
    this.#typedFirst ??= step;
    if (this.#typed.isBeginningOf(text)) return;
    const ahead = () => this.#recorded.slice(this.#at + 1, this.#at + 1 + LOOK_AHEAD).filter(isText);
    if (this.#typed.mayGoOn(text, ahead)) this.#goOn(step);
  }

  /** A flush between two texts is missing where the client goes on with the next one. */
  #goOn(step: SentStep): void {
    for (let typed = this.#typed.whole(); ; ) {
      const { text } = this.#recorded[this.#at] as RecordedStep;
      if (text.startsWith(typed)) return;
      const isComplete = typed.startsWith(text);
      const rest = isComplete ? typed.slice(text.length) : typed;
      const next = this.#nextText(this.#at + 1, rest);
      if (next === null) return;
      if (isComplete) this.#complete();
      this.#skipTo(next);
      this.#typed.begin(rest, this.#recorded[next]?.text ?? '');
      this.#typedFirst = { ...step, text: rest };
      typed = rest;
    }
  }

  /** A recorded text from a place on that begins with this one, or that this one begins with. */
  #nextText(from: number, sent: string): number | null {
    const near = this.#recorded.slice(from, from + LOOK_AHEAD);
    const found = near.findIndex(
      ({ kind, text }) =>
        kind === 'say' &&
        (sent.startsWith(text) || (text.startsWith(sent) && sent.length >= MIN_BEGINNING_CHARS)),
    );
    return found < 0 ? null : from + found;
  }

  #match(step: SentStep): RecordedStep | null {
    if (isCut(step)) {
      const cut = this.#cutOf(step);
      if (cut !== null) {
        this.#beforeCut = [];
        this.#extraText = null;
        this.#at = cut;
        return this.#complete();
      }
    }
    this.#finishText();
    const expected = this.#recorded[this.#at];
    if (expected && !isSame(expected, step)) {
      const near = this.#recorded.slice(this.#at + 1, this.#at + 1 + LOOK_AHEAD);
      // A flush before its text is more probably one too many.
      const isEarly = expected.kind === 'say' && isEndOfText(step);
      const found = isEarly ? -1 : near.findIndex((one) => isSame(one, step));
      if (found < 0 && isCut(expected) && isOfTurn(step)) {
        this.#wait(step);
        return null;
      }
      this.#commit();
      if (found >= 0) this.#skipTo(this.#at + 1 + found);
      else if (expected.kind === step.kind) {
        this.#report({
          kind: 'changed',
          recorded: () => stepPlace(expected),
          client: () => clientWords(step),
        });
      } else return this.#extra(step);
    } else if (!expected) {
      this.#commit();
      return this.#extra(step);
    }
    this.#commit();
    return this.#complete();
  }

  /** The recorded cancel that this one is: the next one, once the first turn that it abandons has begun. */
  #cutOf(step: SentStep): number | null {
    if (!this.#isFaithful) return null;
    // Kept, because a client may cancel again and again.
    if (this.#nextOther < this.#at) this.#nextOther = this.#at;
    for (; this.#nextOther < this.#recorded.length; this.#nextOther += 1)
      if (!isOfTurn(this.#recorded[this.#nextOther] as RecordedStep)) break;
    const found = this.#nextOther;
    const cut = this.#recorded[found];
    if (!cut || !isSame(cut, step)) return null;
    const { fromStep = found } = cut.cut ?? {};
    const hasBegun = this.#at > fromStep || (this.#at === fromStep && this.#typed.length > 0);
    return found === this.#at || hasBegun ? found : null;
  }

  /** The client does not send the rest of the turns that a cancel of all contexts abandons. @param entry of the recorded cancel */
  abandon(entry: number): void {
    if (entry <= this.#abandonedEntry) return;
    this.#abandonedEntry = entry;
    if (!this.#isFaithful) this.#finishText();
    for (;;) {
      const next = this.#recorded[this.#at];
      if (!next || next.entry > entry || !isOfTurn(next)) return;
      this.#complete();
    }
  }

  /** What was sent of the text at this place is as recorded. */
  get #isFaithful(): boolean {
    const { text = '' } = this.#recorded[this.#at] ?? {};
    return this.#typed.isBeginningOf(text) || this.#typed.beginsWith(text);
  }

  /** The text at this place gets no more. */
  #finishText(): void {
    const expected = this.#recorded[this.#at];
    const first = this.#typedFirst;
    if (!first || expected?.kind !== 'say') return;
    const after = this.#recorded[this.#at + 1];
    const typed = this.#typed.whole();
    const rest = typed.startsWith(expected.text) ? typed.slice(expected.text.length) : null;
    this.#complete();
    if (rest === '') return;
    if (rest !== null && after && isCut(after)) this.#beforeCut.push({ ...first, text: rest });
    else {
      const client = () => clientWords({ ...first, text: typed });
      this.#report({ kind: 'changed', recorded: () => stepPlace(expected), client });
    }
  }

  #complete(): RecordedStep | null {
    const step = this.#recorded[this.#at] ?? null;
    this.#at += 1;
    this.#typed.begin('', '');
    this.#typedFirst = null;
    return step;
  }

  #wait(step: SentStep): void {
    this.#beforeCut.push(step);
    if (this.#beforeCut.length > MAX_BESIDE || step.text.length > MAX_BESIDE_CHARS) this.#commit();
  }

  /** Reports what was sent beside the recording, once nothing can make it part of it. */
  #commit(): void {
    const beside = [...this.#beforeCut, ...(this.#extraText ? [this.#extraText] : [])];
    this.#beforeCut = [];
    this.#extraText = null;
    for (const step of beside) this.#extra(step);
  }

  #extra(step: SentStep): null {
    this.#report({ kind: 'extra', recorded: null, client: () => clientWords(step), sentMs: step.atMs });
    return null;
  }

  #skipTo(next: number): void {
    while (this.#at < next) {
      const step = this.#complete();
      if (step) this.#report({ kind: 'missing', recorded: () => stepPlace(step), client: null });
    }
  }
}

/**
 * Reports as a new lane would that is abandoned up to an entry and ends. A recording may have 100,000 contexts that its client
 * never reached, for which lanes take long to be made.
 */
export function reportUntouched(
  recorded: readonly RecordedStep[],
  { abandonedEntry, isAgain }: { abandonedEntry: number; isAgain: boolean },
  report: (difference: ClientDifference) => void,
): void {
  const isAbandoned = (step: RecordedStep) => step.entry <= abandonedEntry && isOfTurn(step);
  let at = 0;
  for (let step = recorded[at]; step && isAbandoned(step); step = recorded[at]) at += 1;
  while (isAgain && recorded[at]?.kind === 'settings') at += 1;
  for (const step of at === 0 ? recorded : recorded.slice(at))
    report({ kind: 'missing', recorded: () => stepPlace(step), client: null });
}

/** A client may send any amount. */
const joined = (text: string, more: string): string => (text.length > MAX_BESIDE_CHARS ? text : text + more);

const isSame = (a: ClientStep, b: ClientStep): boolean => a.kind === b.kind && deepEqual(a.value, b.value);

/** A client in the middle of a turn has this before it. */
export const isOfOpenTurn = (step: ClientStep): boolean => isEndOfText(step) || isCut(step);

const isText = ({ kind }: ClientStep): boolean => kind === 'say';
const isEndOfText = ({ kind }: ClientStep): boolean => kind === 'flush' || kind === 'endTurn';
const isOfTurn = (step: ClientStep): boolean => step.kind === 'say' || isEndOfText(step);

export const stepPlace = (step: RecordedStep): string =>
  recordedPlace(stepWords(step), step.entry, step.atUs);

const clientWords = (step: SentStep): string => clientPlace(stepWords(step), step.message, step.atMs);
