import type { Linter, LintMoment } from '../../core/rule.ts';
import { TimeWindow } from '../../core/time-window.ts';
import { ConnectionsLinter } from '../../lint/linter.ts';
import type { KnownFrame } from '../../lint/message.ts';
import { deepgram } from '../speak.ts';
import {
  MAX_TEXT_CHARS,
  MAX_WINDOW_CHARS,
  MAX_WINDOW_FLUSHES,
  SPEAK_MESSAGES,
  type SpeakMessage,
  WINDOW_MS,
} from '../wire/client-frames.ts';
import { EXCESSIVE_FLUSH } from '../wire/errors.ts';
import { readWarning, SPEAK_FRAMES } from '../wire/server-frames.ts';
import { SPEAK_RULES, type SpeakRuleId } from './rules.ts';
import { type AskedTurn, MAX_FOLLOWED, SocketCheck, type SocketKind } from './socket.ts';

const SOCKET: SocketKind<typeof SPEAK_FRAMES> = {
  endpoint: deepgram,
  family: 'aura',
  messages: SPEAK_MESSAGES,
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
  const refused = { last: null };
  return new ConnectionsLinter(SPEAK_RULES, (world) => new SpeakCheck(world, SOCKET, refused));
}

class SpeakCheck extends SocketCheck<typeof SPEAK_FRAMES, SpeakMessage, SpeakRuleId> {
  readonly #characters = new TimeWindow(MAX_WINDOW_CHARS, WINDOW_MS);
  readonly #flushes = new TimeWindow(MAX_WINDOW_FLUSHES, WINDOW_MS);
  /** Each Clear without an answer, and the turns that it drops. */
  readonly #clears: { at: LintMoment; turns: readonly AskedTurn[] }[] = [];
  #number = -1;

  protected get cancel(): LintMoment | undefined {
    return this.#clears[0]?.at;
  }

  protected message(message: SpeakMessage, at: LintMoment): void {
    const within = (limit: number, found: number) =>
      `expected at most ${limit} within ${WINDOW_MS / 1000} s, got ${found}`;
    const atMs = at.atUs / 1000;
    if (message.type === 'Speak') {
      const { length } = message.text;
      const total = this.#characters.take(length, atMs);
      if (length > MAX_TEXT_CHARS) {
        const found = `expected at most ${MAX_TEXT_CHARS} characters, got ${length}`;
        this.findings.report('text-too-long', at, found, 'text');
      } else if (total > MAX_WINDOW_CHARS)
        this.findings.once('too-many-characters', at, within(MAX_WINDOW_CHARS, total), 'text');
    } else if (message.type === 'Flush') {
      const total = this.#flushes.take(1, atMs);
      if (total > MAX_WINDOW_FLUSHES)
        this.findings.report('too-many-flushes', at, within(MAX_WINDOW_FLUSHES, total), 'type');
      this.asked.at(at).isFlushed = true;
    } else if (message.type === 'Clear') {
      const turns = this.asked.all.filter(({ isCancelled }) => !isCancelled);
      this.asked.cancel();
      if (this.#clears.length < MAX_FOLLOWED) this.#clears.push({ at, turns });
    }
  }

  protected audio(bytes: number, at: LintMoment): void {
    const turn = this.asked.all.find(({ hasText }) => hasText);
    if (turn) turn.bytes += bytes;
    else this.findings.once('speech-unasked', at, 'expected nothing before more text is sent, got audio');
  }

  protected frame(read: KnownFrame<typeof SPEAK_FRAMES>, at: LintMoment): void {
    if (read.type === 'Flushed') this.#flushed(read.frame.sequence_id, at);
    else if (read.type === 'Cleared') {
      const clear = this.#clears.shift();
      if (clear) this.asked.drop(...clear.turns);
      else this.findings.report('answer-unasked', at, 'expected a Clear before it, got none');
    } else if (read.type === 'Warning' && readWarning(read.frame).code === EXCESSIVE_FLUSH)
      this.asked.unflush();
  }

  #flushed(number: number, at: LintMoment): void {
    const { asked } = this;
    // A server may answer an empty Flush or not (`facts-deepgram 3.4.5`).
    const spoken = asked.all.findIndex(({ bytes }) => bytes > 0);
    asked.all = asked.all.filter(({ hasText }, place) => hasText || place > spoken);
    const [turn] = asked.all;
    if (turn?.isFlushed) {
      asked.drop(turn);
      if (!turn.isCancelled) this.checkSamples(turn.bytes, at);
    } else this.findings.report('answer-unasked', at, 'expected a Flush before it, got none');
    if (number <= this.#number) {
      const message = `expected more than ${this.#number}, got ${number}`;
      this.findings.report('numbers-backwards', at, message, 'sequence_id');
    }
    this.#number = number;
  }
}
