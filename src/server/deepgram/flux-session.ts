import { randomBytes } from 'node:crypto';
import { type FluxMessage, parseFluxMessage } from '#protocol/deepgram/wire/client-frames.ts';
import { FLUX_WARNINGS, type FluxWarning, type socketError } from '#protocol/deepgram/wire/errors.ts';
import {
  type SentFluxFrame,
  type SpeechFigures,
  speechFigures,
} from '#protocol/deepgram/wire/server-frames.ts';
import { FLUX_IDLE_MS, MAX_FLUX_TEXT_CHARS } from '#protocol/deepgram/wire/settings.ts';
import { MAX_SPOKEN_TURN_CHARS } from '../sessions/context-speech.ts';
import type { SpeakTurn } from '../sessions/speak-turn.ts';
import { isSpeakable } from '../speech/text/words.ts';
import { speedProblem } from './address.ts';
import { heldControl, spokenPart } from './flux-text.ts';
import { DeepgramSession, type SpeakSessionOptions } from './session.ts';

/** The figures of a turn. */
interface Counts {
  id: string;
  inputChars: number;
  billableChars: number;
}

/** One connection to `/v2/speak`. Turns have ids, figures and an interrupt. */
export class FluxSession extends DeepgramSession<FluxMessage, SentFluxFrame> {
  readonly #counts = new Map<SpeakTurn, Counts>();
  readonly #total = { inputChars: 0, billableChars: 0 };
  /** Audio of the ended turns; of an interrupted one, what was played (deepgram-cancel-9). */
  #totalMs = 0;
  #hasAudio = false;
  /** The beginning of an inline control, because borders of messages mean nothing (deepgram-text-2). */
  #held = '';
  /** The last place of an interrupt, which the next one must pass. */
  #interruptedMs = -1;
  readonly #idle = this.idleTimer(
    FLUX_IDLE_MS,
    () => false,
    () => this.fail('NET-0004'),
  );

  constructor(options: SpeakSessionOptions) {
    super(options);
    const { model, uuid } = this.identity;
    this.sendFrame({ type: 'Connected', ...model, model_uuids: [uuid] });
  }

  protected parse = parseFluxMessage;

  protected unreadable(): void {
    this.fail('MESSAGE-0000');
  }

  override text(message: string): void {
    super.text(message);
    this.pinged();
  }

  /** A ping resets the time as a message does, a pong does not (deepgram-limit-13). */
  pinged(): void {
    if (this.isClosing) this.#idle.stop();
    else this.#idle.touch();
  }

  protected accept(message: Exclude<FluxMessage, { type: 'Close' }>): void {
    if (message.type === 'Speak') this.#speak(message.text);
    else if (message.type === 'Flush') this.#flush();
    else if (message.type === 'Interrupt') this.#interrupt(message.playback_offset?.value);
    else this.#configure(message.speed);
  }

  protected override started(turn: SpeakTurn): void {
    this.sendFrame({ type: 'SpeechStarted', speech_id: this.#countsOf(turn).id });
  }

  /** Sends `Flushed` just before the last audio (deepgram-turn-16). */
  protected override beforeLast(turn: SpeakTurn): void {
    if (turn.isFlushed) this.sendFrame({ type: 'Flushed', speech_id: this.#countsOf(turn).id });
  }

  protected ended(turn: SpeakTurn): void {
    const { durationMs } = turn;
    if (durationMs === 0 && !isSpeakable(turn.text)) this.#warn('NO_SYNTHESIZABLE_TEXT');
    this.#hasAudio ||= durationMs > 0;
    this.#totalMs += durationMs;
    this.sendFrame({ type: 'SpeechMetadata', ...this.#figures(turn, durationMs) });
  }

  protected override leaving(): void {
    this.sendFrame({
      type: 'SessionMetadata',
      total_audio_duration_ms: this.#totalMs,
      total_input_character_count: this.#total.inputChars,
      total_billable_character_count: this.#total.billableChars,
    });
  }

  protected override reportError({ code, description }: ReturnType<typeof socketError>): void {
    this.sendFrame({ type: 'Error', code, description });
  }

  protected override endText(): void {
    const rest = this.#held;
    this.#held = '';
    if (rest !== '') this.#say(rest, 0);
  }

  #speak(text: string): void {
    if (text.length > MAX_FLUX_TEXT_CHARS) {
      this.failTooLong('One Speak', MAX_FLUX_TEXT_CHARS);
      return;
    }
    const { ready, held } = heldControl(this.#held + text);
    this.#held = held;
    this.#say(ready, text.length);
  }

  #say(text: string, inputChars: number): void {
    const part = spokenPart(text);
    if (!part) {
      this.fail('DATA-0002');
      return;
    }
    if (part.hadMarkup) this.#warn('INPUT_MARKUP_STRIPPED');
    const turn = this.openTurn ?? this.begin();
    if (turn.isTooLongWith(part.text)) {
      this.failTooLong('One turn', MAX_SPOKEN_TURN_CHARS);
      return;
    }
    for (const counts of [this.#countsOf(turn), this.#total]) {
      counts.inputChars += inputChars;
      counts.billableChars += part.text.length;
    }
    turn.say(part.text);
  }

  #flush(): void {
    const turn = this.openTurn;
    if (!turn) {
      this.#warn('NO_ACTIVE_SPEECH');
      return;
    }
    this.endText();
    turn.isFlushed = true;
    turn.end();
  }

  /** @param offsetMs audio that the client has played since the session began */
  #interrupt(offsetMs: number | undefined): void {
    const turn = this.current;
    this.#hasAudio ||= turn !== undefined && turn.durationMs > 0;
    if (!turn || !this.#hasAudio) {
      this.#warn(turn ? 'NO_AUDIO_GENERATED' : 'NO_ACTIVE_SPEECH');
      return;
    }
    if (offsetMs !== undefined && offsetMs <= this.#interruptedMs) {
      this.#warn('INVALID_INTERRUPT_OFFSET');
      return;
    }
    if (turn === this.openTurn) this.#held = '';
    const madeMs = this.#totalMs + turn.durationMs;
    const playedMs = Math.min(offsetMs ?? madeMs, madeMs);
    const ofTurnMs = Math.max(0, playedMs - this.#totalMs);
    const { spoken, remaining } = turn.heardBy(ofTurnMs);
    const metadata = this.#figures(turn, ofTurnMs);
    // The client has dropped what it had of former turns as well (deepgram-end-6).
    this.#totalMs = playedMs;
    this.#interruptedMs = playedMs;
    this.drop([turn]);
    this.sendFrame({
      type: 'SpeechInterrupted',
      audio_played_ms: playedMs,
      ...(offsetMs === undefined ? {} : { text_spoken: spoken, text_remaining: remaining }),
      metadata,
    });
    this.proceed();
  }

  #configure(speed: number | undefined): void {
    const { speaker } = this.options;
    const problem = speed === undefined ? null : speedProblem(speed);
    if (problem) {
      this.sendFrame({ type: 'ConfigureFailure', field: 'speed', value: speed, ...problem });
      return;
    }
    // From the next piece of text on.
    speaker.speed = speed ?? speaker.speed;
    const applied = speaker.speed === undefined ? {} : { speed: speaker.speed };
    this.sendFrame({ type: 'ConfigureSuccess', applied });
  }

  #countsOf(turn: SpeakTurn): Counts {
    const id = `dg_sp_${randomBytes(6).toString('hex')}`;
    const counts = this.#counts.get(turn) ?? { id, inputChars: 0, billableChars: 0 };
    this.#counts.set(turn, counts);
    return counts;
  }

  /** Figures of a turn that is over. */
  #figures(turn: SpeakTurn, audio_duration_ms: number): SpeechFigures {
    const { id, inputChars, billableChars } = this.#countsOf(turn);
    this.#counts.delete(turn);
    return speechFigures(id, audio_duration_ms, inputChars, billableChars);
  }

  #warn(code: FluxWarning): void {
    this.sendFrame({ type: 'Warning', code, description: FLUX_WARNINGS[code] });
  }
}
