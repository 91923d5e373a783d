import type { Clock } from '#lib/clock.ts';
import type { Settings } from '#protocol/core/endpoint.ts';
import { ONLY_CONTEXT } from '#protocol/core/speech-event.ts';
import type { ChatStreamer } from '#text/chat/stream-chat.ts';
import type { SimulationProfile } from '#text/simulated-model.ts';
import type { TextOrigin } from '#trace/user-actions.ts';
import type { Command, LineSource, ScriptLine } from '../commands.ts';
import type { SessionPlayback } from '../playback/session-playback.ts';
import type { Recorder } from '../recorder/recorder.ts';
import type { Conversation } from '../turns/conversation.ts';
import { LiveAnswer } from '../turns/live-answer.ts';
import type { Asked, SessionTurn } from '../turns/session-turn.ts';
import { LiveModelSource } from './live-model-source.ts';
import type { Models } from './models.ts';
import type { Outbox } from './outbox.ts';
import { SimulatedModelSource, type Tokenizer } from './simulated-model-source.ts';

export interface SpeakingParts {
  clock: Clock;
  conversation: Conversation;
  models: Models;
  outbox: Outbox;
  playback: SessionPlayback;
  recorder: Recorder;
}

/** Turns text into turns in the outbox: whole, as typed, from a model, or line by line of a script. */
export class Speaking {
  readonly #parts: SpeakingParts;
  readonly #tokenize: Tokenizer;
  readonly #stream: ChatStreamer;

  constructor(parts: SpeakingParts, tokenize: Tokenizer, stream: ChatStreamer) {
    this.#parts = parts;
    this.#tokenize = tokenize;
    this.#stream = stream;
  }

  speak(text: string): void {
    this.#parts.playback.stopRepeat();
    if (text.trim() === '') return;
    this.#parts.models.stop(null);
    // Text that was said before and not flushed is a turn of its own.
    this.endText();
    this.say(text, 'whole');
    this.endText();
  }

  say(text: string, origin: TextOrigin): void {
    this.#say(ONLY_CONTEXT, text, () => this.#begin(ONLY_CONTEXT, origin));
  }

  /** Ends the text of every open turn, except lines that a model is still writing. */
  endText(kind?: 'endTurn'): void {
    const { outbox } = this.#parts;
    for (const turn of this.#open) outbox.endText(turn, kind);
    outbox.send();
  }

  /** Speaks the text so far of every open turn, except lines that a model is still writing. */
  flush(): void {
    const { outbox } = this.#parts;
    for (const turn of this.#open) outbox.flush(turn);
    outbox.send();
  }

  get #open(): readonly SessionTurn[] {
    const { conversation, models } = this.#parts;
    return conversation.inFlight.filter(
      (turn) => !turn.textEnded && turn.text !== '' && !models.isWriting(turn),
    );
  }

  /** Asks a live model, and speaks the answer as it comes. The turn begins at once, so that the wait is seen. */
  ask({ request, question, context, chat }: Extract<Command, { type: 'ask' }>): void {
    const { clock, conversation, models, outbox, playback, recorder } = this.#parts;
    playback.stopRepeat();
    models.stop(null);
    this.endText();
    recorder.hide(chat.key);
    const answer = new LiveAnswer(request, recorder.text(question), chat.model, clock.nowMs());
    const begin = (): SessionTurn => this.#begin(context, 'live', { answer });
    const first = begin();
    const end = (state: 'done' | 'stopped' | 'failed'): void => {
      conversation.endAnswer(answer, state, clock.nowMs());
    };
    models.write(context, {
      turn: null,
      source: new LiveModelSource(this.#stream, chat),
      // A server may repeat the key that it was given.
      say: (token) => this.#say(context, recorder.text(token), begin),
      done: () => {
        end('done');
        this.#endAnswer(context);
      },
      failed: () => {
        end('failed');
        if (first.text === '' && !first.isOver) conversation.fail(first, clock.nowMs());
        this.#endAnswer(context);
      },
      stopped: () => {
        end('stopped');
        // Other text must not join the turn of an answer.
        if (first.text === '') outbox.cancelUnsent((turn) => turn === first);
      },
      abandoned: () => end('stopped'),
    });
    outbox.connect(first);
    outbox.send();
  }

  /** Adds text to the open turn of its context, or to one that it begins. */
  #say(context: string, piece: string, begin: () => SessionTurn): void {
    const { conversation, outbox } = this.#parts;
    const text = outbox.sayable(context, piece);
    if (text === '') return;
    const turn = conversation.turnFor(context, text, begin);
    if (!turn) return;
    outbox.say(turn, text);
    outbox.connect(turn);
    outbox.send();
  }

  /** Ends the text of an answer. The voice speaks the tokens that came. */
  #endAnswer(context: string): void {
    const { conversation, outbox } = this.#parts;
    const turn = conversation.openTurn(context);
    if (turn?.asked.answer && turn.text !== '') outbox.endText(turn);
    outbox.send();
  }

  simulate(text: string, profile: SimulationProfile, seed: number): void {
    const { models, outbox, playback } = this.#parts;
    playback.stopRepeat();
    if (text.trim() === '') return;
    models.stop(null);
    this.endText();
    // The handshake runs during the model's time to first token.
    outbox.connect(null);
    models.write(ONLY_CONTEXT, {
      turn: null,
      source: this.#simulated(text, profile, seed),
      say: (token) => this.say(token, 'simulated'),
      done: () => this.endText(),
    });
  }

  /** Speaks lines of a script, each as a turn. With `closeAfter`, each context ends behind its last line. */
  perform(lines: readonly ScriptLine[], source: LineSource, closeAfter: boolean): void {
    const { conversation, outbox, models, playback } = this.#parts;
    playback.stopRepeat();
    const spoken = lines.filter(({ text }) => text.trim() !== '');
    if (spoken.length === 0) return;
    const lastOf = new Map(spoken.map((line) => [line.speaker, line]));
    // All turns begin before any text, so that they keep the order of the script.
    const turns = spoken.map((line) => [line, this.#beginLine(line, source.kind)] as const);
    for (const [line, begun] of turns) {
      let turn = begun;
      const done = (): void => {
        outbox.endText(turn);
        if (closeAfter && lastOf.get(line.speaker) === line) outbox.closeContext(line.speaker);
        outbox.send();
      };
      if (source.kind === 'whole') {
        outbox.say(turn, outbox.sayable(line.speaker, line.text));
        done();
      } else {
        const { profile, seed } = source;
        models.write(line.speaker, {
          turn,
          // With one seed, all lines would pause in the same places.
          source: this.#simulated(line.text, profile, seed + line.line),
          say: (token) => {
            const text = outbox.sayable(line.speaker, token);
            if (text === '') return;
            // The server may have ended the turn by itself, so the rest of the line is another one.
            const isRest = turn.state === 'ended';
            if (isRest) turn = this.#beginLine(line, source.kind, turn.asked.settings);
            outbox.say(turn, text);
            if (isRest) outbox.connect(turn);
            outbox.send();
          },
          done,
          // The context ends behind its last line, also where that is abandoned.
          abandoned: done,
          failed: () => conversation.fail(turn, this.#parts.clock.nowMs()),
        });
      }
    }
    // A failure loses all lines of a connection at once.
    for (const [, turn] of turns) if (!turn.isOver) outbox.connect(turn);
  }

  #simulated(text: string, profile: SimulationProfile, seed: number): SimulatedModelSource {
    return new SimulatedModelSource(this.#parts.clock, this.#tokenize, { text, profile, seed });
  }

  #beginLine(spoken: ScriptLine, origin: TextOrigin, settings?: Settings): SessionTurn {
    const { speaker, line, interrupts = false } = spoken;
    const { playback, recorder } = this.#parts;
    const turn = this.#begin(speaker, origin, { line, ...(settings && { settings }) });
    const action = {
      turn: turn.id,
      context: turn.context || null,
      interrupts,
      ...playback.listening,
    };
    recorder.acted({ kind: 'line', ...action }, this.#parts.clock.nowMs());
    playback.addLine(turn, interrupts);
    return turn;
  }

  #begin(context: string, origin: TextOrigin, beginning?: Omit<Partial<Asked>, 'origin'>): SessionTurn {
    const { outbox, recorder } = this.#parts;
    const turn = outbox.begin(context, origin, beginning);
    const { id } = turn;
    const { answer, line } = turn.asked;
    const asked = answer && { question: answer.question, model: answer.model };
    const settings = outbox.settingsInAddress(turn);
    const decides = settings && { settings };
    const action = { turn: id, context: context || null, origin, line, ...asked, ...decides };
    recorder.acted({ kind: 'begun', ...action }, this.#parts.clock.nowMs());
    return turn;
  }
}
