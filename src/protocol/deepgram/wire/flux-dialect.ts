import type { AudioFormat } from '../../core/audio-format.ts';
import type { Dialect, DialectTraits, Intent, Settings } from '../../core/endpoint.ts';
import type { Frame } from '../../core/frame.ts';
import type { TypedFrame } from '../../core/json-frame.ts';
import { ONLY_CONTEXT, type SpeechEvent } from '../../core/speech-event.ts';
import { FLUX_IDLE_MS, MAX_AGE_MS } from './client-frames.ts';
import { decodeWith, errorEvent } from './decode.ts';
import type { FluxWarning } from './errors.ts';
import { FLUX_FRAMES, readWarning, type SentFluxFrame } from './server-frames.ts';
import { CLOSE, FLUSH, speakFrame } from './speak-dialect.ts';
import { type SpokenTurn, SpokenTurns } from './turns.ts';

const TRAITS: DialectTraits = {
  turnEnd: 'frame',
  cancel: 'confirmed',
  confirmsOpening: false,
  idleMs: FLUX_IDLE_MS,
  maxAgeMs: MAX_AGE_MS,
  budgets: [],
};

const INTERRUPT = '{"type":"Interrupt"}';

/**
 * The client's side of one connection to `/v2/speak`. An interrupt ends the active turn alone, and is refused where that has
 * no audio yet, so each cancelled turn that the server still begins is interrupted in its turn.
 */
export class FluxDialect implements Dialect {
  readonly traits = TRAITS;
  readonly #turns: SpokenTurns;
  /** Cancelled by this side, and not interrupted yet. */
  readonly #toInterrupt = new Set<SpokenTurn>();
  /** The one whose interrupt went out. */
  #asked: SpokenTurn | null = null;
  /** Interrupts of others without an answer. */
  #followed = 0;
  /** Text of the cancelled turns that was heard, by the server. */
  #heard: string | undefined;
  readonly #replies: Frame[] = [];
  /** Audio since the session began, before the active turn, by the server's count. */
  #beforeMs = 0;
  /** The active turn; null between turns. */
  #speechId: string | null = null;
  #speed: unknown;

  constructor(format: AudioFormat) {
    this.#turns = new SpokenTurns(format);
  }

  encode(intent: Intent): Frame[] {
    switch (intent.kind) {
      case 'say':
        this.#turns.say(intent.text);
        return [speakFrame(intent.text)];
      case 'flush':
      case 'endTurn':
        this.#turns.flush();
        return [FLUSH];
      case 'cancel': {
        for (const turn of this.#turns.cancel()) this.#toInterrupt.add(turn);
        const frame = interruptFrame(this.#beforeMs, intent.playedMs);
        return this.#interrupt() ? [frame] : [];
      }
      case 'open':
      case 'update':
        return this.#configure(intent.settings);
      // A browser can send no ping (`facts-deepgram 5.4`).
      case 'keepAlive':
        return ['{"type":"Configure"}'];
      case 'disconnect':
        return [CLOSE];
      case 'openContext':
      case 'closeContext':
        return [];
    }
  }

  follow(intent: Intent): void {
    if (intent.kind === 'cancel') {
      // Whoever sent it looks after it.
      this.#turns.cancel();
      this.#followed += 1;
    } else this.encode(intent);
  }

  confirm(what: 'cancel' | 'closeContext'): Frame[] {
    const interrupted: SentFluxFrame = {
      type: 'SpeechInterrupted',
      audio_played_ms: this.#beforeMs,
      metadata: {
        speech_id: this.#speechId ?? '',
        audio_duration_ms: 0,
        input_character_count: 0,
        billable_character_count: 0,
        controls_applied: { pronunciations_applied: 0, breaks_applied: 0, pronunciation_warnings: 0 },
      },
    };
    return what === 'cancel' ? [JSON.stringify(interrupted)] : [];
  }

  replies(): Frame[] {
    return this.#replies.splice(0);
  }

  decode(frame: Frame): SpeechEvent[] {
    return decodeWith(FLUX_FRAMES, frame, {
      audio: (bytes) => {
        const events = this.#turns.audio(bytes);
        this.#interruptNext();
        return events;
      },
      text: (read) => this.#read(read),
    });
  }

  #read({ type, frame, rest }: TypedFrame<typeof FLUX_FRAMES>): SpeechEvent[] {
    switch (type) {
      case 'SpeechStarted':
        this.#speechId = frame.speech_id;
        return this.#turns.announce(false, rest);
      case 'SpeechMetadata': {
        const [active] = this.#turns.all;
        const wasCancelled = active !== undefined && this.#toInterrupt.delete(active);
        this.#speechId = null;
        this.#beforeMs += frame.audio_duration_ms;
        return [
          ...this.#turns.end(frame.audio_duration_ms, frame.billable_character_count, rest),
          // An interrupt that comes too late has an answer as well, a warning or the end of a later turn.
          ...(wasCancelled && this.#asked === null ? this.#interrupted({}) : []),
        ];
      }
      case 'SpeechInterrupted': {
        this.#speechId = null;
        this.#beforeMs = frame.audio_played_ms;
        this.#followed = Math.max(0, this.#followed - 1);
        if (frame.text_spoken !== undefined) this.#heard = (this.#heard ?? '') + frame.text_spoken;
        this.#dropFirst();
        return this.#interrupted(rest);
      }
      case 'Warning': {
        const { code, words } = readWarning(frame);
        const message = code === null ? words : `${code}: ${words}`;
        const warning: SpeechEvent = {
          type: 'warning',
          context: ONLY_CONTEXT,
          message,
          endsTurn: false,
          ...rest,
        };
        return [warning, ...this.#refused(code)];
      }
      case 'ConfigureSuccess':
        return [{ type: 'settingsUpdated', settings: frame.applied, ...rest }];
      case 'ConfigureFailure':
        return [
          {
            type: 'error',
            context: null,
            message: frame.description,
            name: frame.code,
            code: null,
            requestId: null,
            ends: 'nothing',
            ...rest,
          },
        ];
      case 'SessionMetadata':
        return [{ type: 'sessionEnded', audioSeconds: frame.total_audio_duration_ms / 1000, ...rest }];
      case 'Error':
        return [errorEvent(frame, rest)];
      case 'Connected':
      case 'Flushed':
        return [];
    }
  }

  /** The server did not interrupt, or had nothing to flush (`facts-deepgram 5.3`). */
  #refused(code: string | null): SpeechEvent[] {
    switch (code as FluxWarning) {
      case 'NO_ACTIVE_SPEECH':
        if (this.#asked === null && this.#turns.all[0]?.text === '') this.#dropFirst();
        else if (this.#asked !== null || this.#followed > 0) {
          // The turn ended before the interrupt came.
          this.#followed = 0;
          return this.#interrupted({});
        }
        return [];
      case 'NO_AUDIO_GENERATED':
        // Its first audio asks again. Without an end, later text would join it.
        if (this.#asked && !this.#asked.isFlushed) {
          this.#asked.isFlushed = true;
          this.#replies.push(FLUSH);
        }
        this.#asked = null;
        return [];
      case 'INVALID_INTERRUPT_OFFSET':
        if (this.#asked) this.#replies.push(INTERRUPT);
        return [];
      default:
        return [];
    }
  }

  /** Whether the interrupt of the active turn is to go out. */
  #interrupt(): boolean {
    const [active] = this.#turns.all;
    if (!active || this.#asked || !this.#toInterrupt.has(active)) return false;
    this.#asked = active;
    return true;
  }

  #interruptNext(): void {
    if (this.#interrupt()) this.#replies.push(INTERRUPT);
  }

  #dropFirst(): void {
    const [first] = this.#turns.all;
    if (!first) return;
    this.#toInterrupt.delete(first);
    this.#turns.drop([first]);
  }

  /** Nothing that was cancelled is spoken any more, or the next one of it will be. */
  #interrupted(rest: object): SpeechEvent[] {
    this.#asked = null;
    if (this.#toInterrupt.size > 0) return [];
    const heard = this.#heard;
    this.#heard = undefined;
    return [{ type: 'interrupted', context: null, ...(heard === undefined ? {} : { heard }), ...rest }];
  }

  /** Settings of the address are not in it. */
  #configure({ speed }: Settings): Frame[] {
    if (speed === this.#speed) return [];
    this.#speed = speed;
    return [JSON.stringify({ type: 'Configure', speed: speed ?? 1 })];
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
