import type { DialectTraits, Intent, Settings } from '../../core/endpoint.ts';
import { type TextTurn, usageOf } from '../../core/flushed-turns.ts';
import type { Frame } from '../../core/frame.ts';
import { type Fields, readTyped, type TypedFrame } from '../../core/json-frame.ts';
import type { SpeechEvent } from '../../core/speech-event.ts';
import { errorEvent, FLUSH, SpokenDialect, warningEvent } from './dialect.ts';
import type { FluxWarning } from './errors.ts';
import { type Request, Requests } from './requests.ts';
import { FLUX_FRAMES, readWarning, type SentFluxFrame, speechFigures } from './server-frames.ts';
import { FLUX_IDLE_MS, MAX_AGE_MS } from './settings.ts';

const TRAITS: DialectTraits = {
  turnEnd: 'frame',
  cancel: 'confirmed',
  confirmsOpening: false,
  idleMs: FLUX_IDLE_MS,
  maxAgeMs: MAX_AGE_MS,
  budgets: [],
};

const INTERRUPT = '{"type":"Interrupt"}';
/** Limits what waits for an answer, which may never come. */
const MAX_HELD = 300;

/**
 * The client's side of one connection to `/v2/speak`. An interrupt ends the active turn alone, and is refused where that has
 * no audio yet, so each cancelled turn that the server still begins is interrupted in its turn.
 */
export class FluxDialect extends SpokenDialect {
  readonly traits = TRAITS;
  /** Cancelled by this side, and not interrupted yet. */
  readonly #toInterrupt = new Set<TextTurn>();
  readonly #requests = new Requests<Request<TextTurn>>();
  /** An Interrupt of another client without an answer, and all behind it, because the answer decides their turns. */
  readonly #held: Intent[] = [];
  /** Text of the cancelled turns that was heard, by the server. */
  #heard: string | undefined;
  /** Audio and billed characters of the turns that were interrupted. */
  #audioMs = 0;
  #characters = 0;
  readonly #replies: Frame[] = [];
  /** Audio since the session began, before the active turn, by the server's count. */
  #beforeMs = 0;
  /** The active turn; empty between turns. */
  #speechId = '';
  #speed: unknown;

  protected flush(): void {
    const turn = this.turns.open;
    this.#requests.sent({ isInterrupt: false, turn });
    if (turn) turn.isFlushed = true;
  }

  protected cancel(playedMs: number | undefined): Frame[] {
    for (const turn of this.turns.cancel()) this.#toInterrupt.add(turn);
    return this.#interrupt() ? [interruptFrame(this.#beforeMs, playedMs)] : [];
  }

  /** Settings of the address are not in it. */
  protected configure({ speed }: Settings): Frame[] {
    if (speed === this.#speed) return [];
    this.#speed = speed;
    return [JSON.stringify({ type: 'Configure', speed: speed ?? 1 })];
  }

  // A browser can send no ping. This message changes nothing, and counts as activity (deepgram-message-16).
  protected keepAlive = (): Frame[] => ['{"type":"Configure"}'];

  override follow(intent: Intent): void {
    if (!this.hasClosed) this.#follow(intent);
  }

  confirm(what: 'cancel' | 'closeContext'): Frame[] {
    const interrupted: SentFluxFrame = {
      type: 'SpeechInterrupted',
      audio_played_ms: this.#beforeMs,
      metadata: speechFigures(this.#speechId, 0, 0),
    };
    return what === 'cancel' ? [JSON.stringify(interrupted)] : [];
  }

  replies(): Frame[] {
    return this.#replies.splice(0);
  }

  override decode(frame: Frame): SpeechEvent[] {
    const events = super.decode(frame);
    if (typeof frame !== 'string' && this.#interrupt()) this.#replies.push(INTERRUPT);
    return events;
  }

  protected read(fields: Fields): SpeechEvent[] {
    const read = readTyped(FLUX_FRAMES, fields);
    return 'event' in read ? [read.event] : this.#read(read);
  }

  #read({ type, frame, rest }: TypedFrame<typeof FLUX_FRAMES>): SpeechEvent[] {
    const [active] = this.turns.all;
    switch (type) {
      case 'SpeechStarted':
        this.#speechId = frame.speech_id;
        // Readers of intents know no turn of white space, which has no audio.
        return active?.text.trim() === '' ? [] : this.turns.announce(false, rest);
      case 'SpeechMetadata': {
        const wasCancelled = active !== undefined && this.#toInterrupt.delete(active);
        this.#speechId = '';
        this.#beforeMs += frame.audio_duration_ms;
        const ended = this.turns.end(frame.audio_duration_ms, frame.billable_character_count, rest);
        this.#requests.keep(this.turns.all);
        return [
          ...ended,
          // An interrupt that comes too late has an answer as well, a warning or the end of a later turn.
          ...(wasCancelled && !this.#hasAsked ? this.#interrupted({}) : []),
        ];
      }
      case 'SpeechInterrupted': {
        this.#speechId = '';
        this.#beforeMs = frame.audio_played_ms;
        const asked = this.#requests.answered(null);
        if (frame.text_spoken !== undefined) this.#heard = (this.#heard ?? '') + frame.text_spoken;
        this.#audioMs += frame.metadata.audio_duration_ms;
        this.#characters += frame.metadata.billable_character_count;
        if (active) {
          this.#toInterrupt.delete(active);
          this.turns.drop(active);
        }
        if (!asked || asked.turn) return this.#interrupted(rest);
        this.#followHeld();
        // Speech that nobody asked for has no text, and is a turn all the same.
        const isNone = active?.announced === null && active.text.trim() === '';
        return this.#interrupted({ ends: isNone ? 'nothing' : 'first', ...rest });
      }
      case 'Warning':
        return [warningEvent(frame, rest), ...this.#refused(readWarning(frame).code)];
      case 'ConfigureSuccess':
        return [{ type: 'settingsUpdated', settings: frame.applied, ...rest }];
      case 'ConfigureFailure':
        return [errorEvent(frame, rest, 'nothing')];
      case 'SessionMetadata':
        return [{ type: 'sessionEnded', audioSeconds: frame.total_audio_duration_ms / 1000, ...rest }];
      case 'Error':
        return [errorEvent(frame, rest)];
      case 'Connected':
      case 'Flushed':
        return [];
    }
  }

  /** The server did not interrupt, or had nothing to flush. */
  #refused(code: string | null): SpeechEvent[] {
    const { isInterrupt, turn } = this.#requests.answered(code) ?? {};
    if (isInterrupt && !turn) this.#followHeld();
    // The turn ended before the interrupt came.
    if (code === ('NO_ACTIVE_SPEECH' satisfies FluxWarning)) return isInterrupt ? this.#interrupted({}) : [];
    if (!turn) return isInterrupt ? this.#interrupted({ ends: 'nothing' }) : [];
    if (code === ('INVALID_INTERRUPT_OFFSET' satisfies FluxWarning)) {
      this.#requests.sent({ isInterrupt: true, turn });
      this.#replies.push(INTERRUPT);
    } else if (code === ('NO_AUDIO_GENERATED' satisfies FluxWarning) && !turn.isFlushed) {
      // Its first audio asks again. Without an end, later text would join it.
      turn.isFlushed = true;
      this.#replies.push(FLUSH);
    }
    return [];
  }

  #follow(intent: Intent): void {
    const isInterrupt = intent.kind === 'cancel';
    const isFree = this.#held.length === 0;
    if (isInterrupt && isFree) this.#requests.sent({ isInterrupt });
    if (intent.kind === 'disconnect' || (isFree && !isInterrupt)) this.encode(intent);
    else if (this.#held.length < MAX_HELD) this.#held.push(intent);
  }

  #followHeld(): void {
    for (const intent of this.#held.splice(0).slice(1)) this.#follow(intent);
  }

  /** An interrupt of this side has no answer yet. */
  get #hasAsked(): boolean {
    return this.#requests.interrupts.some(({ turn }) => turn);
  }

  /** Whether the interrupt of the active turn is to go out. */
  #interrupt(): boolean {
    const [turn] = this.turns.all;
    if (!turn || this.#hasAsked || !this.#toInterrupt.has(turn)) return false;
    this.#requests.sent({ isInterrupt: true, turn });
    return true;
  }

  /** Nothing that was cancelled is spoken any more, or the next one of it will be. */
  #interrupted(rest: object): SpeechEvent[] {
    if (this.#toInterrupt.size > 0) return [];
    const usage = usageOf(this.#audioMs / 1000, this.#characters);
    const told = this.#heard === undefined ? {} : { heard: this.#heard };
    const counted = this.#characters === 0 ? {} : { usage };
    [this.#heard, this.#audioMs, this.#characters] = [undefined, 0, 0];
    return [{ type: 'interrupted', context: null, ...told, ...counted, ...rest }];
  }
}

/** @param playedMs of the active turn. Without any, the server takes what it has made as heard. */
const interruptFrame = (beforeMs: number, playedMs = 0): string =>
  playedMs > 0
    ? JSON.stringify({
        type: 'Interrupt',
        playback_offset: { type: 'time_ms', value: Math.max(beforeMs + 1, Math.round(beforeMs + playedMs)) },
      })
    : INTERRUPT;
