import type { TypedFrame } from '../../core/json-frame.ts';
import type { Linter, LintMoment } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import { type CheckWorld, ConnectionsLinter } from '../../lint/linter.ts';
import { deepgram } from '../speak.ts';
import {
  MAX_TEXT_CHARS,
  MAX_WINDOW_CHARS,
  MAX_WINDOW_FLUSHES,
  parseSpeakMessage,
  type SpeakMessage,
  WINDOW_MS,
} from '../wire/client-frames.ts';
import { EXCESSIVE_FLUSH } from '../wire/errors.ts';
import { readWarning, SPEAK_FRAMES } from '../wire/server-frames.ts';
import { SPEAK_RULES, type SpeakRuleId } from './rules.ts';
import { type RefusedMessage, SocketCheck, type SocketKind } from './socket.ts';

const SOCKET: SocketKind<SpeakMessage, typeof SPEAK_FRAMES> = {
  endpoint: deepgram,
  family: 'aura',
  parse: parseSpeakMessage,
  frames: SPEAK_FRAMES,
  greeting: 'Metadata',
  hints: {
    Reset: 'its name is Clear',
    KeepAlive: 'a ping of the WebSocket keeps it alive',
    Interrupt: 'it is Clear here',
    Configure: 'the address has the settings here',
  },
};

/** The linter of `/v1/speak`. */
export function openDeepgramLinter(): Linter {
  const refused: RefusedMessage = { last: null };
  return new ConnectionsLinter(SPEAK_RULES, (world) => new SpeakCheck(world, refused));
}

/** Limits the followed turns, because a recording has no end. */
const MAX_FOLLOWED = 256;

/** The text between two flushes. */
interface SpeakTurn {
  /** Its last message. */
  at: LintMoment;
  hasText: boolean;
  /** Of letters or digits, so that audio follows. */
  isSpeakable: boolean;
  isFlushed: boolean;
  /** The Clear that drops it. */
  clear: LintMoment | null;
  bytes: number;
}

/** Only the order says which turn an answer belongs to. */
class SpeakCheck extends SocketCheck<SpeakMessage, typeof SPEAK_FRAMES> {
  readonly #findings: Findings<SpeakRuleId>;
  readonly #characters = new Window(MAX_WINDOW_CHARS);
  readonly #flushes = new Window(MAX_WINDOW_FLUSHES);
  /** Without an answer, oldest first. */
  #turns: SpeakTurn[] = [];
  /** Each Clear without an answer. */
  readonly #clears: LintMoment[] = [];
  #number = -1;

  constructor(world: CheckWorld<SpeakRuleId>, refused: RefusedMessage) {
    super(world, SOCKET, refused);
    this.#findings = world.findings;
  }

  protected get unfinished(): LintMoment | null {
    return this.#turns.find(({ hasText, clear }) => hasText && !clear)?.at ?? null;
  }

  protected get owed(): LintMoment | null {
    const turn = this.#turns.find(({ isFlushed, isSpeakable, clear }) => isFlushed && isSpeakable && !clear);
    return this.#clears[0] ?? turn?.at ?? null;
  }

  protected message(message: SpeakMessage, at: LintMoment): void {
    if (message.type === 'Speak') this.#say(message.text, at);
    else if (message.type === 'Flush') {
      const { total, isOver } = this.#flushes.add(1, at);
      if (isOver) this.#findings.report('too-many-flushes', at, beyond(MAX_WINDOW_FLUSHES, total), 'type');
      Object.assign(this.#open(at), { isFlushed: true, at });
    } else if (message.type === 'Clear') {
      for (const turn of this.#turns) turn.clear ??= at;
      if (this.#clears.length < MAX_FOLLOWED) this.#clears.push(at);
    }
  }

  protected audio(bytes: number, at: LintMoment): void {
    const turn = this.#turns.find(({ hasText }) => hasText);
    if (turn) turn.bytes += bytes;
    else this.#findings.once('speech-unasked', at, 'expected nothing before more text is sent, got audio');
  }

  protected frame(read: TypedFrame<typeof SPEAK_FRAMES>, at: LintMoment): void {
    if (read.type === 'Flushed') this.#flushed(read.frame.sequence_id, at);
    else if (read.type === 'Cleared') {
      const asked = this.#clears.shift();
      if (!asked) this.#findings.report('answer-unasked', at, 'expected a Clear before it, got none');
      else this.#turns = this.#turns.filter(({ clear }) => clear !== asked);
    } else if (read.type === 'Warning' && readWarning(read.frame).code === EXCESSIVE_FLUSH) this.#unflush();
  }

  #say(text: string, at: LintMoment): void {
    const turn = this.#open(at);
    turn.at = at;
    turn.hasText ||= text !== '';
    turn.isSpeakable ||= /[\p{L}\p{N}]/u.test(text);
    const { length } = text;
    const { total, isOver } = this.#characters.add(length, at);
    if (length > MAX_TEXT_CHARS) {
      const message = `expected at most ${MAX_TEXT_CHARS} characters, got ${length}`;
      this.#findings.report('text-too-long', at, message, 'text');
    } else if (isOver)
      this.#findings.once('too-many-characters', at, beyond(MAX_WINDOW_CHARS, total), 'text');
  }

  #flushed(number: number, at: LintMoment): void {
    // A server may answer an empty Flush or not (`facts-deepgram 3.4.5`).
    const spoken = this.#turns.findIndex(({ bytes }) => bytes > 0);
    this.#turns = this.#turns.filter(({ hasText }, place) => hasText || place > spoken);
    const [turn] = this.#turns;
    if (turn?.isFlushed) {
      this.#turns.shift();
      if (!turn.clear) this.checkSamples(turn.bytes, at);
    } else this.#findings.report('answer-unasked', at, 'expected a Flush before it, got none');
    if (number <= this.#number) {
      const message = `expected more than ${this.#number}, got ${number}`;
      this.#findings.report('numbers-backwards', at, message, 'sequence_id');
    }
    this.#number = number;
  }

  /** The last Flush was refused, so its text waits for the next one. */
  #unflush(): void {
    const place = this.#turns.findLastIndex(({ isFlushed, clear }) => isFlushed && !clear);
    const turn = this.#turns[place];
    const later = this.#turns[place + 1] ?? turn;
    if (!turn || !later) return;
    turn.hasText ||= later.hasText;
    turn.isSpeakable ||= later.isSpeakable;
    turn.isFlushed = false;
    this.#turns.splice(place + 1, 1);
  }

  /** The turn that takes text. */
  #open(at: LintMoment): SpeakTurn {
    const last = this.#turns.at(-1);
    if (last && !last.isFlushed && !last.clear) return last;
    const turn = { at, hasText: false, isSpeakable: false, isFlushed: false, clear: null, bytes: 0 };
    this.#turns.push(turn);
    if (this.#turns.length > MAX_FOLLOWED) this.#turns.shift();
    return turn;
  }
}

/** What was sent within the time of a limit. An amount beyond the limit does not count. */
class Window {
  readonly #limit: number;
  #sent: { atUs: number; amount: number }[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(amount: number, { atUs }: LintMoment): { total: number; isOver: boolean } {
    this.#sent = this.#sent.filter((each) => each.atUs > atUs - WINDOW_MS * 1000);
    const total = this.#sent.reduce((sum, each) => sum + each.amount, amount);
    const isOver = total > this.#limit;
    if (!isOver && amount > 0) this.#sent.push({ atUs, amount });
    return { total, isOver };
  }
}

const beyond = (limit: number, found: number): string =>
  `expected at most ${limit} within ${WINDOW_MS / 1000} s, got ${found}`;
