import { remember } from '#lib/collections/maps.ts';
import type { Linter, LintMoment } from '../../core/rule.ts';
import { SECOND_US } from '../../lint/deadlines.ts';
import { ConnectionsLinter } from '../../lint/linter.ts';
import type { KnownFrame } from '../../lint/message.ts';
import { deepgramFlux } from '../flux.ts';
import { FLUX_IDLE_MS, FLUX_MESSAGES, type FluxMessage } from '../wire/client-frames.ts';
import type { ErrorCode } from '../wire/errors.ts';
import { type Request, Requests } from '../wire/requests.ts';
import { FLUX_FRAMES, readWarning, type SpeechFigures } from '../wire/server-frames.ts';
import { speedFault } from '../wire/settings.ts';
import { FLUX_SPEED } from './address.ts';
import { FLUX_RULES, type FluxRuleId } from './rules.ts';
import { type AskedTurn, SocketCheck, type SocketKind } from './socket.ts';

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

type Read = KnownFrame<typeof FLUX_FRAMES>;
type Frame<T extends Read['type']> = Extract<Read, { type: T }>['frame'];

/** Of `facts-deepgram 12` B32. */
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

  protected message(message: FluxMessage, at: LintMoment): void {
    this.#sentAt = at;
    if (message.type === 'Flush') {
      const turn = this.asked.open;
      this.#flushes += 1;
      this.#requests.sent({ isInterrupt: false, turn, at, hasOffset: false });
      if (turn) Object.assign(turn, { isFlushed: true, at });
    } else if (message.type === 'Interrupt') this.#interrupt(message.playback_offset?.value ?? null, at);
    else if (message.type === 'Configure' && message.speed !== undefined && speedFault(message.speed)) {
      const fault = `expected ${FLUX_SPEED}, got ${message.speed}`;
      this.findings.report('setting-refused', at, fault, 'speed');
    }
  }

  protected audio(bytes: number, at: LintMoment): void {
    if (this.#speech) this.#speech.bytes += bytes;
    else this.findings.once('speech-unasked', at, 'expected SpeechStarted before it, got audio');
  }

  protected frame(read: Read, at: LintMoment): void {
    switch (read.type) {
      case 'SpeechStarted':
        if (this.#speech) {
          const message = 'expected the end of the turn before, got another turn';
          this.findings.report('turn-overlap', at, message);
          this.#end();
        }
        this.#speech = { id: read.frame.speech_id, bytes: 0, isFlushed: false };
        remember(this.#ids, this.#speech.id, false, MAX_KEPT);
        break;
      case 'Flushed':
        this.#answerFlush(read.frame.speech_id, at);
        break;
      case 'SpeechMetadata':
        this.#finish(read.frame, at);
        break;
      case 'SpeechInterrupted':
        this.#answerInterrupt(read.frame, at);
        break;
      case 'SessionMetadata':
        this.#checkSums(read.frame, at);
        break;
      case 'Warning':
        this.#refused(readWarning(read.frame).code);
        break;
      case 'Error':
        if (read.frame.code === IDLE_ERROR && !(at.atUs - (this.#sentAt?.atUs ?? 0) < IDLE_US)) {
          const message = 'expected a message or a ping within 60 s, got none';
          this.findings.report('idle-too-long', this.#sentAt ?? at, message, { atUs: at.atUs });
        }
        break;
      default:
    }
  }

  protected override left(at: LintMoment): void {
    const details = { related: this.unfinished };
    if (!this.#speech?.isFlushed) super.left(at);
    else this.findings.report('ended-at-flushed', at, 'expected SpeechMetadata before it, got none', details);
  }

  #interrupt(offsetMs: number | null, at: LintMoment): void {
    const report = (id: FluxRuleId, message: string, field?: string) =>
      this.findings.report(id, at, message, field);
    const heardMs = this.#speech ? this.sizes && this.#speech.bytes / this.sizes.perMs : 0;
    const { open, all } = this.asked;
    if (this.cancel) {
      report('interrupt-ignored', 'expected the answer to the one before, got none yet');
    } else if (!this.unfinished) report('interrupt-ignored', 'expected an open turn, got none');
    else if (offsetMs === null && heardMs !== null && heardMs >= HEARD_MS) {
      const message = 'expected what was played, got nothing';
      this.findings.once('interrupt-without-offset', at, message, 'playback_offset');
    }
    // Later text belongs to another turn, unless the open one has yet to begin.
    const turn = all.length === 1 ? open : undefined;
    if (turn) turn.isCancelled = true;
    this.#requests.sent({ isInterrupt: true, turn, at, hasOffset: offsetMs !== null });
    if (offsetMs === null) return;
    const mostMs = heardMs === null ? Number.POSITIVE_INFINITY : Math.ceil(this.#sums.audioMs + heardMs);
    const isTooSmall = offsetMs <= this.#offsetMs;
    if (!isTooSmall && offsetMs <= mostMs + TOLERATED_MS) this.#offsetMs = offsetMs;
    else {
      const expected = isTooSmall ? `more than ${this.#offsetMs}` : `at most ${mostMs} ms of audio`;
      report('offset-wrong', `expected ${expected}, got ${offsetMs}`, 'playback_offset.value');
    }
  }

  #answerFlush(id: string, at: LintMoment): void {
    // A Close flushes as well.
    if (this.#flushes === 0 && !this.hasClosed) {
      this.findings.report('answer-unasked', at, 'expected a Flush before it, got none');
    }
    this.#flushes = Math.max(0, this.#flushes - 1);
    if (id === this.#speech?.id) this.#speech.isFlushed = true;
    // It may come before its turn begins, and after the end (`facts-deepgram 5.2.9`).
    else if (!this.#ids.has(id) && !this.asked.all.some(({ isFlushed }) => isFlushed))
      this.#checkId(id, 'speech_id', at);
  }

  #finish(figures: Frame<'SpeechMetadata'>, at: LintMoment): void {
    const { audio_duration_ms: durationMs, speech_id: id } = figures;
    this.#checkId(id, 'speech_id', at);
    if (this.#ids.get(id) === true) return;
    if (this.#speech) {
      const { bytes } = this.#speech;
      this.checkSamples(bytes, at);
      const heardMs = this.sizes ? Math.round(bytes / this.sizes.perMs) : durationMs;
      if (Math.abs(heardMs - durationMs) > TOLERATED_MS) {
        const message = `expected ${heardMs} as in the audio, got ${durationMs}`;
        this.findings.report('duration-audio', at, message, 'audio_duration_ms');
      }
    }
    this.#add(figures, this.#sums.audioMs + durationMs);
    this.#end(this.asked.all[0]);
  }

  #answerInterrupt(frame: Frame<'SpeechInterrupted'>, at: LintMoment): void {
    const { audio_played_ms: playedMs, metadata, text_spoken: spoken } = frame;
    const asked = this.#requests.answered(null);
    const [turn] = this.asked.all;
    if (!asked) this.findings.report('answer-unasked', at, 'expected an Interrupt before it, got none');
    else if (asked.hasOffset !== (spoken !== undefined)) {
      const message = `expected ${asked.hasOffset ? 'one' : 'none'}, got ${asked.hasOffset ? 'none' : 'one'}`;
      this.findings.report('spoken-text', at, message, { field: 'text_spoken', related: asked.at });
    }
    this.#checkId(metadata.speech_id, 'metadata.speech_id', at);
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
  #checkId(id: string, path: string, at: LintMoment): void {
    if (this.#ids.get(id) === false) return;
    const found = this.#ids.has(id) ? 'that of a turn that is over' : 'another';
    this.findings.once('speech-id-unknown', at, `expected that of an open turn, got ${found}`, path);
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

  #checkSums(frame: Frame<'SessionMetadata'>, at: LintMoment): void {
    const check = (path: string, found: number, expected: number, tolerated: number) => {
      if (Math.abs(found - expected) <= tolerated) return;
      this.findings.report('session-totals', at, `expected ${expected} as in the turns, got ${found}`, path);
    };
    const { audioMs, input, billable } = this.#sums;
    check('total_audio_duration_ms', frame.total_audio_duration_ms, audioMs, TOLERATED_MS);
    check('total_input_character_count', frame.total_input_character_count, input, 0);
    check('total_billable_character_count', frame.total_billable_character_count, billable, 0);
  }
}
