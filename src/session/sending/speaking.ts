import type { Endpoint } from '#protocol/core/endpoint.ts';
import { ONLY_CONTEXT } from '#protocol/core/speech-event.ts';
import type { TextOrigin } from '#recordings/format/user-actions.ts';
import type { SimulationProfile } from '#text/simulated-model.ts';
import type { LineSource, ScriptLine } from '../messages.ts';
import type { Conversation } from '../turns/conversation.ts';
import type { Turn } from '../turns/turn.ts';
import type { Models } from './models.ts';
import type { Outbox } from './outbox.ts';

export interface SpeakingParts {
  conversation: Conversation;
  outbox: Outbox;
  models: Models;
  endpoint(): Endpoint;
}

export interface SpeakingHandlers {
  nowMs(): number;
  /** Text is on its way, so a connection is needed. */
  connect(): void;
  /** Something may be sent now. */
  send(): void;
  begun(turn: Turn): void;
  written(turn: Turn): void;
  voiceOf(context: string): string | number | null;
  /** A line of a script, to be heard when it is its turn. */
  line(turn: Turn, interrupts: boolean): void;
  isKeptOpen(context: string): boolean;
}

/** From what a person says to turns in the outbox: whole, as typed, by a simulated model, or line by line of a script. */
export class Speaking {
  readonly #parts: SpeakingParts;
  readonly #handlers: SpeakingHandlers;

  constructor(parts: SpeakingParts, handlers: SpeakingHandlers) {
    this.#parts = parts;
    this.#handlers = handlers;
  }

  /** One whole turn. */
  speak(text: string): void {
    if (text.trim() === '') return;
    this.#parts.models.stop(null);
    // Text that was said before and not flushed is a turn of its own.
    this.endText('flush');
    this.say(text, 'whole');
    this.endText('flush');
  }

  /** Text for the open turn, or for a new one. */
  say(text: string, origin: TextOrigin): void {
    let turn = this.#parts.conversation.openTurn(ONLY_CONTEXT);
    if (!turn) {
      // White space starts no turn on the server either (facts 10.9).
      if (text.trim() === '') return;
      turn = this.#begin(ONLY_CONTEXT, origin, null);
    }
    this.#write(turn, text);
    this.#handlers.connect();
    this.#handlers.send();
  }

  /** Ends the text of every open turn, but for lines of a script that a model has not written to their end. */
  endText(kind: 'flush' | 'endTurn'): void {
    const { conversation, outbox, models } = this.#parts;
    for (const turn of conversation.inFlight) {
      if (!turn.textEnded && turn.text !== '' && !models.isWriting(turn)) outbox.endText(turn, kind);
    }
    this.#handlers.send();
  }

  simulate(text: string, profile: SimulationProfile, seed: number): void {
    if (text.trim() === '') return;
    this.#parts.models.stop(null);
    this.endText('flush');
    // The handshake is over by the time the model has its first token.
    this.#handlers.connect();
    this.#parts.models.write(ONLY_CONTEXT, {
      turn: null,
      text,
      profile,
      seed,
      say: (token) => this.say(token, 'simulated'),
      done: () => this.endText('flush'),
      abandoned: () => {},
      failed: () => {},
    });
  }

  /**
   * Lines of a script, each as a turn of its speaker and all sent as early as they are there: what is heard when is the
   * line queue's affair. With `closeAfter`, each context ends behind its last line, which is when it is billed.
   */
  perform(lines: readonly ScriptLine[], source: LineSource, closeAfter: boolean): void {
    const spoken = lines.filter(({ text }) => text.trim() !== '');
    if (spoken.length === 0) return;
    this.#handlers.connect();
    const lastOf = new Map(spoken.map((line) => [line.speaker, line]));
    // Turns first, so that they stand in the order of the script whatever their texts do.
    const turns = spoken.map((line) => [line, this.#beginLine(line, source.kind)] as const);
    for (const [line, turn] of turns) {
      const done = (): void => {
        this.#parts.outbox.endText(turn, 'flush');
        if (closeAfter && lastOf.get(line.speaker) === line) this.#closeBehind(line.speaker);
        this.#handlers.send();
      };
      if (source.kind === 'whole') {
        this.#write(turn, line.text);
        done();
      } else {
        const { profile, seed } = source;
        this.#parts.models.write(line.speaker, {
          turn,
          text: line.text,
          profile,
          // A seed of its own, or all lines would falter in the same places.
          seed: seed + line.line,
          say: (token) => {
            this.#write(turn, token);
            this.#handlers.send();
          },
          done,
          // The context ends behind its last line whatever becomes of that.
          abandoned: done,
          failed: () => this.#parts.conversation.fail(turn, this.#handlers.nowMs()),
        });
      }
    }
  }

  #beginLine({ speaker, line, interrupts }: ScriptLine, origin: TextOrigin): Turn {
    const turn = this.#begin(speaker, origin, line);
    this.#handlers.line(turn, interrupts === true);
    return turn;
  }

  #closeBehind(context: string): void {
    if (!this.#handlers.isKeptOpen(context)) this.#parts.outbox.closeContext(context);
  }

  #begin(context: string, origin: TextOrigin, line: number | null): Turn {
    const turn = this.#parts.conversation.begin(context, origin, this.#handlers.voiceOf(context), line);
    this.#handlers.begun(turn);
    return turn;
  }

  #write(turn: Turn, text: string): void {
    this.#parts.outbox.say(turn, text, this.#parts.endpoint());
    this.#handlers.written(turn);
  }
}
