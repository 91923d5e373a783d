import { remember } from '#lib/collections/maps.ts';
import type { Linter, LintMoment } from '../../core/rule.ts';
import type { z } from '../../core/zod.ts';
import { SECOND_US } from '../../lint/clock.ts';
import { ConnectionsLinter } from '../../lint/linter.ts';
import type { FrameRules } from '../../lint/message.ts';
import { deepgramFlux } from '../endpoints.ts';
import { FLUX_MESSAGES, type FluxMessage } from '../wire/client-frames.ts';
import type { ErrorCode } from '../wire/errors.ts';
import { type Request, Requests } from '../wire/requests.ts';
import { FLUX_FRAMES, readWarning, type SpeechFigures } from '../wire/server-frames.ts';
import { FLUX_IDLE_MS, speedFault } from '../wire/settings.ts';
import { FLUX_RULES, type FluxRuleId } from './rules.ts';
import { type AskedTurn, FLUX_SPEED, SocketCheck, type SocketKind } from './socket.ts';

const SOCKET: SocketKind<typeof FLUX_FRAMES> = {
  endpoint: deepgramFlux,
  family: 'flux',
  messages: FLUX_MESSAGES,
  frames: FLUX_FRAMES,
  greeting: 'Connected',
  hints: {
    Clear: 'it is Interrupt here',
    Reset: 'it is Interrupt here',
    KeepAlive: 'a ping of the WebSocket, or Configure, keeps it alive',
  },
};

/** The linter of `/v2/speak`. */
export function openDeepgramFluxLinter(): Linter {
  const refused = { last: null };
  return new ConnectionsLinter(FLUX_RULES, (world) => new FluxCheck(world, SOCKET, refused));
}

type Frame<T extends keyof typeof FLUX_FRAMES> = z.output<(typeof FLUX_FRAMES)[T]>;

/** Two counts of one duration may differ by this much (deepgram-audio-9). */
const TOLERATED_MS = 50;
/** The network adds time, and the time-out is the server's. */
const IDLE_US = FLUX_IDLE_MS * 1000 - SECOND_US;
/** A player that has as much audio has played some. */
const HEARD_MS = 1000;
/** Limits what is remembered, because a recording has no end. */
const MAX_KEPT = 64;

const IDLE_ERROR: ErrorCode = 'NET-0004';

interface Asked extends Request<AskedTurn> {
  at: LintMoment;
  hasOffset: boolean;
}

class FluxCheck extends SocketCheck<typeof FLUX_FRAMES, FluxMessage, FluxRuleId> {
  /** The active turn. */
  #speech: { id: string; bytes: number; isFlushed: boolean } | null = null;
  /** Ids of turns, and whether they are over. */
  readonly #ids = new Map<string, boolean>();
  /** The last message. */
  #sentAt: LintMoment | null = null;
  /** Flushes without a Flushed. An interrupted turn may have none. */
  #flushes = 0;
  readonly #requests = new Requests<Asked>();
  /** The next offset is larger. */
  #offsetMs = -1;
  /** Of the turns that are over. */
  readonly #sums = { audioMs: 0, input: 0, billable: 0 };

  protected override get unfinished(): LintMoment | undefined {
    return super.unfinished ?? (this.#speech && this.#sentAt) ?? undefined;
  }

  protected get cancel(): LintMoment | undefined {
    return this.#requests.interrupts[0]?.at;
  }

  protected message(message: FluxMessage): void {
    const at = this.now;
    this.#sentAt = at;
    if (message.type === 'Flush') {
      const turn = this.asked.open;
      this.#flushes += 1;
      this.#requests.sent({ isInterrupt: false, turn, at, hasOffset: false });
      if (turn) Object.assign(turn, { isFlushed: true, at });
    } else if (message.type === 'Interrupt') this.#interrupt(message.playback_offset?.value ?? null);
    else if (message.type === 'Configure' && message.speed !== undefined && speedFault(message.speed)) {
      const fault = `expected ${FLUX_SPEED}, got ${message.speed}`;
      this.report('setting-refused', fault, 'speed');
    }
  }

  protected heard(bytes: number): void {
    if (this.#speech) this.#speech.bytes += bytes;
    else this.once('speech-unasked', 'expected SpeechStarted before it, got audio');
  }

  protected readonly frameRules: FrameRules<typeof FLUX_FRAMES> = {
    SpeechStarted: ({ speech_id: id }) => {
      if (this.#speech) {
        this.report('turn-overlap', 'expected the end of the turn before, got another turn');
        this.#end();
      }
      this.#speech = { id, bytes: 0, isFlushed: false };
      remember(this.#ids, id, false, MAX_KEPT);
    },
    Flushed: ({ speech_id: id }) => this.#answerFlush(id),
    SpeechMetadata: (frame) => this.#finish(frame),
    SpeechInterrupted: (frame) => this.#answerInterrupt(frame),
    SessionMetadata: (frame) => this.#checkSums(frame),
    Warning: (frame) => this.#refused(readWarning(frame).code),
    Error: ({ code }) => {
      if (code !== IDLE_ERROR || this.now.atUs - (this.#sentAt?.atUs ?? 0) < IDLE_US) return;
      const message = 'expected a message or a ping within 60 s, got none';
      this.report('idle-too-long', message, { at: this.#sentAt });
    },
  };

  protected override left(): void {
    const details = { related: this.unfinished };
    if (!this.#speech?.isFlushed) super.left();
    else this.report('ended-at-flushed', 'expected SpeechMetadata before it, got none', details);
  }

  #interrupt(offsetMs: number | null): void {
    const heardMs = this.#speech ? this.sizes && this.#speech.bytes / this.sizes.perMs : 0;
    const { open, all } = this.asked;
    if (this.cancel) {
      this.report('interrupt-ignored', 'expected the answer to the one before, got none yet');
    } else if (!this.unfinished) this.report('interrupt-ignored', 'expected an open turn, got none');
    else if (offsetMs === null && heardMs !== null && heardMs >= HEARD_MS) {
      const message = 'expected what was played, got nothing';
      this.once('interrupt-without-offset', message, 'playback_offset');
    }
    // Later text belongs to another turn, unless the open one has yet to begin.
    const turn = all.length === 1 ? open : undefined;
    if (turn) turn.isCancelled = true;
    this.#requests.sent({ isInterrupt: true, turn, at: this.now, hasOffset: offsetMs !== null });
    if (offsetMs === null) return;
    const mostMs = heardMs === null ? Number.POSITIVE_INFINITY : Math.ceil(this.#sums.audioMs + heardMs);
    const isTooSmall = offsetMs <= this.#offsetMs;
    if (!isTooSmall && offsetMs <= mostMs + TOLERATED_MS) this.#offsetMs = offsetMs;
    else {
      const expected = isTooSmall ? `more than ${this.#offsetMs}` : `at most ${mostMs} ms of audio`;
      this.report('offset-wrong', `expected ${expected}, got ${offsetMs}`, 'playback_offset.value');
    }
  }

  #answerFlush(id: string): void {
    // A Close flushes as well.
    if (this.#flushes === 0 && !this.isDeaf) {
      this.report('answer-unasked', 'expected a Flush before it, got none');
    }
    this.#flushes = Math.max(0, this.#flushes - 1);
    if (id === this.#speech?.id) this.#speech.isFlushed = true;
    // Sources place Flushed before its turn and after it (deepgram-turn-11).
    else if (!this.#ids.has(id) && !this.asked.all.some(({ isFlushed }) => isFlushed))
      this.#checkId(id, 'speech_id');
  }

  #finish(figures: Frame<'SpeechMetadata'>): void {
    const { audio_duration_ms: durationMs, speech_id: id } = figures;
    this.#checkId(id, 'speech_id');
    if (this.#ids.get(id) === true) return;
    if (this.#speech) {
      const { bytes } = this.#speech;
      this.checkSamples(bytes);
      const heardMs = this.sizes ? Math.round(bytes / this.sizes.perMs) : durationMs;
      if (Math.abs(heardMs - durationMs) > TOLERATED_MS) {
        const message = `expected ${heardMs} as in the audio, got ${durationMs}`;
        this.report('duration-audio', message, 'audio_duration_ms');
      }
    }
    this.#add(figures, this.#sums.audioMs + durationMs);
    this.#end(this.asked.all[0]);
  }

  #answerInterrupt(frame: Frame<'SpeechInterrupted'>): void {
    const { audio_played_ms: playedMs, metadata, text_spoken: spoken } = frame;
    const asked = this.#requests.answered(null);
    const [turn] = this.asked.all;
    if (!asked) this.report('answer-unasked', 'expected an Interrupt before it, got none');
    else if (asked.hasOffset !== (spoken !== undefined)) {
      const message = `expected ${asked.hasOffset ? 'one' : 'none'}, got ${asked.hasOffset ? 'none' : 'one'}`;
      this.report('spoken-text', message, { field: 'text_spoken', related: asked.at });
    }
    this.#checkId(metadata.speech_id, 'metadata.speech_id');
    this.#offsetMs = Math.max(this.#offsetMs, playedMs);
    this.#add(metadata, playedMs);
    // Later messages are those of another turn.
    this.#end(asked && turn && turn.at.index > asked.at.index ? undefined : turn);
  }

  /** A Flush or an Interrupt had no effect. */
  #refused(code: string | null): void {
    const { isInterrupt, turn } = this.#requests.answered(code) ?? {};
    if (!turn) return;
    if (!isInterrupt) this.asked.drop(turn);
    else if (this.asked.all.includes(turn)) {
      this.asked.reopen(turn);
      this.#requests.keep(this.asked.all);
    }
  }

  /** An id of the frame must be that of a turn without an end. */
  #checkId(id: string, path: string): void {
    if (this.#ids.get(id) === false) return;
    const found = this.#ids.has(id) ? 'that of a turn that is over' : 'another';
    this.once('speech-id-unknown', `expected that of an open turn, got ${found}`, path);
  }

  #add(figures: SpeechFigures, audioMs: number): void {
    this.#sums.audioMs = audioMs;
    this.#sums.input += figures.input_character_count;
    this.#sums.billable += figures.billable_character_count;
  }

  /** The active turn is over. @param turn what was asked of it */
  #end(turn?: AskedTurn): void {
    if (turn) this.asked.drop(turn);
    this.#requests.keep(this.asked.all);
    if (this.#speech) remember(this.#ids, this.#speech.id, true, MAX_KEPT);
    this.#speech = null;
  }

  #checkSums(frame: Frame<'SessionMetadata'>): void {
    const check = (path: string, found: number, expected: number, tolerated: number) => {
      if (Math.abs(found - expected) <= tolerated) return;
      this.report('session-totals', `expected ${expected} as in the turns, got ${found}`, path);
    };
    const { audioMs, input, billable } = this.#sums;
    check('total_audio_duration_ms', frame.total_audio_duration_ms, audioMs, TOLERATED_MS);
    check('total_input_character_count', frame.total_input_character_count, input, 0);
    check('total_billable_character_count', frame.total_billable_character_count, billable, 0);
  }
}
