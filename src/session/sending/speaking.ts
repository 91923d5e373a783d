import { ONLY_CONTEXT } from '#protocol/core/speech-event.ts';
import type { TextOrigin } from '#recordings/format/user-actions.ts';
import type { SimulationProfile } from '#text/simulated-model.ts';
import type { LineSource, ScriptLine } from '../messages.ts';
import type { SessionParts } from '../session.ts';
import type { Turn } from '../turns/turn.ts';

/** Turns text into turns in the outbox: whole, as typed, from a simulated model, or line by line of a script. */
export class Speaking {
  readonly #parts: SessionParts;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  speak(text: string): void {
    this.#parts.playback.stopReplay();
    if (text.trim() === '') return;
    this.#parts.models.stop(null);
    // Text that was said before and not flushed is a turn of its own.
    this.endText('flush');
    this.say(text, 'whole');
    this.endText('flush');
  }

  say(text: string, origin: TextOrigin): void {
    const { connection, conversation, outbox } = this.#parts;
    let turn = conversation.openTurn(ONLY_CONTEXT);
    if (!turn) {
      // White space starts no turn on the server either (facts 10.9).
      if (text.trim() === '') return;
      turn = this.#begin(ONLY_CONTEXT, origin, null);
    }
    outbox.say(turn, text);
    connection.open();
    outbox.send();
  }

  /** Ends the text of every open turn, except lines that a simulated model is still writing. */
  endText(kind: 'flush' | 'endTurn'): void {
    const { conversation, outbox, models } = this.#parts;
    for (const turn of conversation.inFlight) {
      if (!turn.textEnded && turn.text !== '' && !models.isWriting(turn)) outbox.endText(turn, kind);
    }
    outbox.send();
  }

  simulate(text: string, profile: SimulationProfile, seed: number): void {
    const { connection, models, playback } = this.#parts;
    playback.stopReplay();
    if (text.trim() === '') return;
    models.stop(null);
    this.endText('flush');
    // The handshake runs during the model's time to first token.
    connection.open();
    models.write(ONLY_CONTEXT, {
      turn: null,
      text,
      profile,
      seed,
      say: (token) => this.say(token, 'simulated'),
      done: () => this.endText('flush'),
    });
  }

  /** Speaks lines of a script, each as a turn. With `closeAfter`, each context ends behind its last line. */
  perform(lines: readonly ScriptLine[], source: LineSource, closeAfter: boolean): void {
    const { connection, contexts, conversation, outbox, models, playback } = this.#parts;
    playback.stopReplay();
    const spoken = lines.filter(({ text }) => text.trim() !== '');
    if (spoken.length === 0) return;
    connection.open();
    const lastOf = new Map(spoken.map((line) => [line.speaker, line]));
    // All turns begin before any text, so that they keep the order of the script.
    const turns = spoken.map((line) => [line, this.#beginLine(line, source.kind)] as const);
    for (const [line, turn] of turns) {
      const done = (): void => {
        outbox.endText(turn, 'flush');
        const isLast = closeAfter && lastOf.get(line.speaker) === line;
        if (isLast && !contexts.speaker(line.speaker)?.keepOpen) outbox.closeContext(line.speaker);
        outbox.send();
      };
      if (source.kind === 'whole') {
        outbox.say(turn, line.text);
        done();
      } else {
        const { profile, seed } = source;
        models.write(line.speaker, {
          turn,
          text: line.text,
          profile,
          // With one seed, all lines would pause in the same places.
          seed: seed + line.line,
          say: (token) => {
            outbox.say(turn, token);
            outbox.send();
          },
          done,
          // The context ends behind its last line, also where that is abandoned.
          abandoned: done,
          failed: () => conversation.fail(turn, this.#parts.environment.nowMs()),
        });
      }
    }
  }

  #beginLine({ speaker, line, interrupts = false }: ScriptLine, origin: TextOrigin): Turn {
    const { playback, recorder } = this.#parts;
    const turn = this.#begin(speaker, origin, line);
    const action = {
      turn: turn.id,
      context: turn.context || null,
      interrupts,
      ...playback.lineQueue.listening,
    };
    recorder.acted({ kind: 'line', ...action }, this.#parts.environment.nowMs());
    playback.lineQueue.add(turn, interrupts);
    return turn;
  }

  #begin(context: string, origin: TextOrigin, line: number | null): Turn {
    const { conversation, outbox, recorder } = this.#parts;
    const turn = conversation.begin(context, origin, outbox.voiceOf(context), line);
    const action = { turn: turn.id, context: context || null, origin, line };
    recorder.acted({ kind: 'begun', ...action }, this.#parts.environment.nowMs());
    return turn;
  }
}
