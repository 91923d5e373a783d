import type { Linter, LintMoment } from '../../core/rule.ts';
import { TimeWindow } from '../../core/time-window.ts';
import { ConnectionsLinter } from '../../lint/linter.ts';
import type { FrameRules } from '../../lint/message.ts';
import { deepgram } from '../endpoints.ts';
import { SPEAK_MESSAGES, type SpeakMessage } from '../wire/client-frames.ts';
import { EXCESSIVE_FLUSH } from '../wire/errors.ts';
import { readWarning, SPEAK_FRAMES } from '../wire/server-frames.ts';
import { MAX_TEXT_CHARS, MAX_WINDOW_CHARS, MAX_WINDOW_FLUSHES, WINDOW_MS } from '../wire/settings.ts';
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

  protected message(message: SpeakMessage): void {
    const within = (limit: number, found: number) =>
      `expected at most ${limit} within ${WINDOW_MS / 1000} s, got ${found}`;
    const atMs = this.now.atUs / 1000;
    if (message.type === 'Speak') {
      const { length } = message.text;
      const total = this.#characters.take(length, atMs);
      if (length > MAX_TEXT_CHARS) {
        const found = `expected at most ${MAX_TEXT_CHARS} characters, got ${length}`;
        this.report('text-too-long', found, 'text');
      } else if (total > MAX_WINDOW_CHARS)
        this.once('too-many-characters', within(MAX_WINDOW_CHARS, total), 'text');
    } else if (message.type === 'Flush') {
      const total = this.#flushes.take(1, atMs);
      if (total > MAX_WINDOW_FLUSHES)
        this.report('too-many-flushes', within(MAX_WINDOW_FLUSHES, total), 'type');
      this.asked.at(this.now).isFlushed = true;
    } else if (message.type === 'Clear') {
      const turns = this.asked.all.filter(({ isCancelled }) => !isCancelled);
      this.asked.cancel();
      if (this.#clears.length < MAX_FOLLOWED) this.#clears.push({ at: this.now, turns });
    }
  }

  protected heard(bytes: number): void {
    const turn = this.asked.all.find(({ hasText }) => hasText);
    if (turn) turn.bytes += bytes;
    else this.once('speech-unasked', 'expected nothing before more text is sent, got audio');
  }

  protected readonly frameRules: FrameRules<typeof SPEAK_FRAMES> = {
    Flushed: ({ sequence_id: number }) => this.#flushed(number),
    Cleared: () => {
      const clear = this.#clears.shift();
      if (clear) this.asked.drop(...clear.turns);
      else this.report('answer-unasked', 'expected a Clear before it, got none');
    },
    Warning: (frame) => {
      if (readWarning(frame).code === EXCESSIVE_FLUSH) this.asked.unflush();
    },
  };

  #flushed(number: number): void {
    const { asked } = this;
    // A server may answer an empty Flush or not (deepgram-turn-14).
    const spoken = asked.all.findIndex(({ bytes }) => bytes > 0);
    asked.all = asked.all.filter(({ hasText }, place) => hasText || place > spoken);
    const [turn] = asked.all;
    if (turn?.isFlushed) {
      asked.drop(turn);
      if (!turn.isCancelled) this.checkSamples(turn.bytes);
    } else this.report('answer-unasked', 'expected a Flush before it, got none');
    if (number <= this.#number) {
      const message = `expected more than ${this.#number}, got ${number}`;
      this.report('numbers-backwards', message, 'sequence_id');
    }
    this.#number = number;
  }
}
