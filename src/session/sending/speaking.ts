import { ONLY_CONTEXT } from '#protocol/core/speech-event.ts';
import type { TextOrigin } from '#recordings/format/user-actions.ts';
import type { ChatStreamer } from '#text/chat/stream-chat.ts';
import type { SimulationProfile } from '#text/simulated-model.ts';
import type { Command, LineSource, ScriptLine } from '../messages.ts';
import type { SessionParts } from '../session.ts';
import { LiveAnswer, noteQuestion, noteToken } from '../turns/live-answer.ts';
import type { Turn } from '../turns/turn.ts';
import { LiveModelSource } from './live-model-source.ts';
import { SimulatedModelSource, type Tokenizer } from './simulated-model-source.ts';

/** Turns text into turns in the outbox: whole, as typed, from a model, or line by line of a script. */
export class Speaking {
  readonly #parts: SessionParts;
  readonly #tokenize: Tokenizer;
  readonly #stream: ChatStreamer;

  constructor(parts: SessionParts, tokenize: Tokenizer, stream: ChatStreamer) {
    this.#parts = parts;
    this.#tokenize = tokenize;
    this.#stream = stream;
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

  /** Ends the text of every open turn, except lines that a model is still writing. */
  endText(kind: 'flush' | 'endTurn'): void {
    const { conversation, outbox, models } = this.#parts;
    for (const turn of conversation.inFlight) {
      if (!turn.textEnded && turn.text !== '' && !models.isWriting(turn)) outbox.endText(turn, kind);
    }
    outbox.send();
  }

  /** Asks a live model, and speaks the answer as it comes. The turn begins at once, so that the wait is seen. */
  ask({ request, question, context, chat }: Extract<Command, { type: 'ask' }>): void {
    const { connection, conversation, environment, models, outbox, playback, publisher, recorder } =
      this.#parts;
    playback.stopReplay();
    models.stop(null);
    this.endText('flush');
    recorder.hide(chat.key);
    // A server may repeat the key that it was given, maybe over several tokens.
    const clean = recorder.texts();
    connection.open();
    const answer = new LiveAnswer(request, recorder.text(question), chat.model, environment.nowMs());
    const begin = (): Turn => this.#begin(context, 'live', null, answer);
    const first = begin();
    noteQuestion(publisher, first, answer);
    const end = (state: 'done' | 'stopped' | 'failed'): void => {
      answer.end(state, environment.nowMs());
      for (const turn of conversation.turns) if (turn.answer === answer) publisher.turnChanged(turn);
    };
    models.write(context, {
      turn: null,
      source: new LiveModelSource(this.#stream, chat),
      say: (token) => {
        const turn = conversation.openTurn(context);
        // White space starts no turn on the server (facts 10.9).
        if ((turn === null || turn.text === '') && token.trim() === '') return;
        const text = clean(token);
        const speaking = turn ?? begin();
        noteToken(publisher, speaking, text, environment.nowMs());
        outbox.say(speaking, text);
        connection.open();
        outbox.send();
      },
      done: () => {
        end('done');
        this.#endAnswer(context);
      },
      failed: () => {
        end('failed');
        if (first.text === '' && !first.isOver) conversation.fail(first, environment.nowMs());
        this.#endAnswer(context);
      },
      stopped: () => {
        end('stopped');
        // Other text must not join the turn of an answer.
        if (first.text === '') conversation.cancelUnsent(environment.nowMs(), (turn) => turn === first);
      },
      abandoned: () => end('stopped'),
    });
    outbox.send();
  }

  /** Ends the text of an answer. The voice speaks the tokens that came. */
  #endAnswer(context: string): void {
    const { conversation, outbox } = this.#parts;
    const turn = conversation.openTurn(context);
    if (turn?.answer && turn.text !== '') outbox.endText(turn, 'flush');
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
      source: this.#simulated(text, profile, seed),
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
          // With one seed, all lines would pause in the same places.
          source: this.#simulated(line.text, profile, seed + line.line),
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

  #simulated(text: string, profile: SimulationProfile, seed: number): SimulatedModelSource {
    return new SimulatedModelSource(this.#parts.environment, this.#tokenize, { text, profile, seed });
  }

  #beginLine({ speaker, line, interrupts = false }: ScriptLine, origin: TextOrigin): Turn {
    const { playback, recorder } = this.#parts;
    const turn = this.#begin(speaker, origin, line);
    const action = {
      turn: turn.id,
      context: turn.context || null,
      interrupts,
      ...playback.listening,
    };
    recorder.acted({ kind: 'line', ...action }, this.#parts.environment.nowMs());
    playback.addLine(turn, interrupts);
    return turn;
  }

  #begin(context: string, origin: TextOrigin, line: number | null, answer: LiveAnswer | null = null): Turn {
    const { conversation, outbox, recorder } = this.#parts;
    const turn = conversation.begin(context, origin, outbox.voiceOf(context), line);
    turn.answer = answer;
    const asked = answer && { question: answer.question, model: answer.model };
    const action = { turn: turn.id, context: context || null, origin, line, ...asked };
    recorder.acted({ kind: 'begun', ...action }, this.#parts.environment.nowMs());
    return turn;
  }
}
