import { hasHalf } from '#lib/text/halves.ts';
import { shown } from '../../core/issue.ts';
import { type LintClose, type Linter, type LintFrame, type LintMoment, momentOf } from '../../core/rule.ts';
import { type Deadline, SECOND_US } from '../../lint/deadlines.ts';
import type { Findings } from '../../lint/findings.ts';
import { FlushAdvice } from '../../lint/flush-advice.ts';
import { type CheckWorld, type ConnectionCheck, ConnectionsLinter } from '../../lint/linter.ts';
import { readTypedFrame } from '../../lint/message.ts';
import { base64Bytes } from '../../lint/payload.ts';
import { isOfVendor, isRefusingClose } from '../../lint/refusals.ts';
import type { ClientMessage, ConfigMessage } from '../wire/client-frames.ts';
import { ALL_SLOTS_OCCUPIED, AUTH_TIMEOUT, RATE_LIMITED } from '../wire/errors.ts';
import { GenerationBuffer } from '../wire/generation-buffer.ts';
import { MAX_BUFFER_CHARS, SAMPLE_RATE } from '../wire/limits.ts';
import {
  type AnyRealtimeFrame,
  isPlainChunk,
  REALTIME_FRAMES,
  type RealtimeFrame,
} from '../wire/server-frames.ts';
import { LANGUAGE_NAMES } from '../wire/settings.ts';
import { type AnswerType, WaitingForAnswer } from './answers.ts';
import { readClientMessage } from './client.ts';
import { GenerationSums } from './generation.ts';
import { MURMR_RULES, type MurmrRuleId } from './rules.ts';
import { SpokenBound } from './spoken-bound.ts';

/** The linter of `/v1/realtime`. */
export const openRealtimeLinter = (): Linter =>
  new ConnectionsLinter(MURMR_RULES, (world) => new RealtimeCheck(world));

/** Errors that leave the socket open (`facts 6.3.7`, 6.3.8). */
const STAYING: readonly unknown[] = [RATE_LIMITED, ALL_SLOTS_OCCUPIED];
const CONFIG_US = 10 * SECOND_US;
const CONFIG_SOON_US = 8 * SECOND_US;
/** First audio takes half a second (`facts 6.5`), after the queue. */
const SPEECH_US = 30 * SECOND_US;
const MINUTE_US = 60 * SECOND_US;
/** `facts 6.3.18`. */
const GENERATIONS_PER_MINUTE = 100;

class RealtimeCheck implements ConnectionCheck {
  turns = 0;
  readonly #findings: Findings<MurmrRuleId>;
  readonly #buffer = new GenerationBuffer();
  readonly #bound = new SpokenBound();
  readonly #sums: GenerationSums;
  readonly #flushes: FlushAdvice;
  readonly #waiting: Readonly<Record<AnswerType, WaitingForAnswer>>;
  readonly #configSoon: Deadline;
  readonly #configLate: Deadline;
  readonly #speech: Deadline;
  #openedAt: LintMoment | null = null;
  #config: { key: string; at: LintMoment } | null = null;
  #isAcknowledged = false;
  #isBinary = false;
  /** The last flush with text, until the server sends anything. */
  #flushed: LintMoment | null = null;
  /** The last text that may be unspoken. */
  #unspoken: LintMoment | null = null;
  #isTurnOpen = false;
  /** Pending generations by the seed's buffer rules. */
  #foreseen = 0;
  #isStrayReported = false;
  /** End times of the last generations, oldest first. */
  readonly #doneUs: number[] = [];
  #lastErrorCode: number | null = null;
  /** When the last error came, where it ends the connection. */
  #endingAt: LintMoment | null = null;

  constructor(world: CheckWorld<MurmrRuleId>) {
    const { findings, deadlines } = world;
    this.#findings = findings;
    this.#sums = new GenerationSums(findings);
    this.#flushes = new FlushAdvice(findings.report);
    const waiting = (answer: AnswerType) => new WaitingForAnswer(world, answer);
    this.#waiting = {
      config_ack: waiting('config_ack'),
      binary_mode_ack: waiting('binary_mode_ack'),
      pong: waiting('pong'),
    };
    this.#configSoon = deadlines.create((atUs) => this.#missConfig('config-late', CONFIG_SOON_US, atUs));
    this.#configLate = deadlines.create((atUs) => this.#missConfig('config-too-late', CONFIG_US, atUs));
    this.#speech = deadlines.create((atUs) => this.#missSpeech(atUs));
  }

  get isBusy(): boolean {
    return this.#unspoken !== null;
  }

  opened(at: LintMoment): void {
    this.#openedAt = at;
    this.#configSoon.set(at.atUs + CONFIG_SOON_US);
    this.#configLate.set(at.atUs + CONFIG_US);
  }

  sent(frame: LintFrame): void {
    const message = readClientMessage(frame, this.#findings);
    if (message) this.#accept(message, momentOf(frame));
  }

  received(frame: LintFrame): void {
    const at = momentOf(frame);
    if (typeof frame.payload !== 'string') {
      if (!this.#isBinary) {
        this.#findings.report('binary-unasked', at, 'expected binary_mode_ack before binary audio, got none');
      }
      this.#audio(frame.payload.byteLength, at);
      return;
    }
    const read = readTypedFrame(frame, REALTIME_FRAMES, this.#findings, isPlainChunk);
    if (read.type !== null) this.#read(read, at);
    else if (read.of === 'audio' || read.of === 'done') this.#sums.lose();
  }

  closed({ code, ...at }: LintClose): void {
    if (code === ALL_SLOTS_OCCUPIED) {
      const message = `expected the socket to stay open, got close code ${code}`;
      this.#findings.report('error-code-closes', at, message);
    } else if (isOfVendor(code) && code !== this.#lastErrorCode) {
      const message = `expected an error with code ${code} before it, got none`;
      this.#findings.report('close-unexplained', at, message);
    }
    if (code === AUTH_TIMEOUT) this.#missConfig('config-too-late', CONFIG_US, at.atUs);
    if (this.#unspoken && !isRefusingClose(code, this.#endingAt, this.#unspoken)) {
      this.#findings.report('turn-cut-off', at, 'expected all text to be spoken before it, got the end', {
        related: this.#unspoken,
      });
    }
    for (const waiting of Object.values(this.#waiting)) waiting.clear();
    for (const deadline of [this.#configSoon, this.#configLate, this.#speech]) deadline.clear();
  }

  #accept(message: ClientMessage, at: LintMoment): void {
    if (message.type !== 'config' && !this.#config) {
      const text = `expected config as the first message, got ${message.type}`;
      this.#findings.report('config-first', at, text, 'type');
      return;
    }
    switch (message.type) {
      case 'config':
        this.#configure(message, at);
        break;
      case 'text':
        this.#say(message.text, at);
        break;
      case 'flush':
        this.#flush(at);
        break;
      case 'binary_mode':
        if (!this.#isAcknowledged) {
          const message = 'binary_mode: expected it after config_ack, got it before';
          this.#findings.report('binary-mode-early', at, message);
        }
        this.#waiting.binary_mode_ack.expect(at);
        break;
      case 'ping':
        this.#waiting.pong.expect(at);
        break;
    }
  }

  #configure(config: ConfigMessage, at: LintMoment): void {
    const { language } = config;
    if (this.#config && this.#config.key !== config.api_key) {
      // The message must not contain the keys.
      this.#findings.report('config-key', at, 'expected the key of the first config, got another one', {
        field: 'api_key',
        related: this.#config.at,
      });
      return;
    }
    this.#config ??= { key: config.api_key, at };
    this.#configSoon.clear();
    this.#configLate.clear();
    this.#waiting.config_ack.expect(at);
    if (language === undefined) {
      this.#findings.once('language-missing', at, 'expected a name such as English, got nothing', 'language');
    } else if (!LANGUAGE_NAMES.some((name) => name === language)) {
      const message = `expected one of ${LANGUAGE_NAMES.join(', ')}, got ${shown(language)}`;
      this.#findings.report('language-unknown', at, message, 'language');
    }
    if (config.voice_description !== undefined && config.voice_clone_prompt !== undefined) {
      const message = 'expected none beside a saved voice, got one';
      this.#findings.report('voice-twice', at, message, 'voice_description');
    }
  }

  #say(text: string, at: LintMoment): void {
    if (text === '') {
      this.#findings.report('text-empty', at, 'expected at least one character, got none', 'text');
      return;
    }
    const before = this.#buffer.length;
    const generations = this.#buffer.add(text);
    if (generations === null) {
      const message = `expected at most ${MAX_BUFFER_CHARS - before} characters more, got ${text.length}`;
      this.#findings.report('buffer-overflow', at, message, 'text');
      return;
    }
    if (hasHalf(text)) {
      this.#findings.report('lone-surrogate', at, 'expected whole characters, got half of one', 'text');
    }
    this.#foreseen += generations.length;
    this.#bound.text(text);
    if (text.trim() === '' && !this.#isTurnOpen) return;
    if (!this.#isTurnOpen) {
      this.#isTurnOpen = true;
      this.turns += 1;
      this.#isStrayReported = false;
      this.#flushes.began(text, at);
    }
    this.#unspoken = at;
    this.#flushes.text(text);
  }

  #flush(at: LintMoment): void {
    const hasText = this.#buffer.flush() !== null;
    this.#bound.flush();
    if (this.#isTurnOpen) this.#flushes.flushed(at);
    this.#isTurnOpen = false;
    if (!hasText) {
      this.#findings.report('flush-nothing', at, 'flush: expected text in the buffer, got none');
      return;
    }
    this.#foreseen += 1;
    this.#flushed = at;
    this.#speech.set(at.atUs + SPEECH_US);
  }

  #read({ type, frame }: AnyRealtimeFrame, at: LintMoment): void {
    if (!this.#isAcknowledged && type !== 'config_ack' && type !== 'error') {
      this.#findings.once('config-ack-missing', at, `expected config_ack first, got ${type}`);
    }
    switch (type) {
      case 'audio':
        this.#jsonAudio(frame, at);
        break;
      case 'done':
        this.#done(frame, at);
        break;
      case 'error':
        this.#error(frame, at);
        break;
      case 'config_ack':
        this.#isAcknowledged = true;
        this.#waiting.config_ack.answered(at);
        break;
      case 'binary_mode_ack':
        this.#isBinary = true;
        this.#waiting.binary_mode_ack.answered(at);
        this.#checkRate(frame.sample_rate, at);
        break;
      case 'pong':
        this.#waiting.pong.answered(at);
        break;
    }
  }

  #jsonAudio({ chunk, sample_rate }: RealtimeFrame<'audio'>, at: LintMoment): void {
    if (this.#isBinary) {
      this.#findings.once('json-audio-in-binary-mode', at, 'expected binary audio, got JSON', 'type');
    } else {
      this.#findings.once('base64-audio', at, 'expected bytes, by binary_mode, got base64', 'chunk');
    }
    this.#checkRate(sample_rate, at);
    const bytes = base64Bytes(chunk);
    if (bytes === null) {
      this.#sums.lose();
      this.#findings.report('audio-base64', at, 'expected base64, got something else', 'chunk');
    }
    this.#audio(bytes ?? 0, at);
  }

  #checkRate(rate: number, at: LintMoment): void {
    if (rate === SAMPLE_RATE) return;
    this.#findings.once('wrong-rate', at, `expected ${SAMPLE_RATE}, got ${rate}`, 'sample_rate');
  }

  #audio(bytes: number, at: LintMoment): void {
    this.#heard(at);
    this.#checkWanted('audio', at);
    this.#sums.audio(bytes);
  }

  #done(frame: RealtimeFrame<'done'>, at: LintMoment): void {
    this.#heard(at);
    this.#checkWanted('done', at);
    this.#sums.done(frame, at);
    this.#generationOver();
    this.#countGeneration(at);
  }

  #error({ code }: RealtimeFrame<'error'>, at: LintMoment): void {
    this.#lastErrorCode = code ?? null;
    this.#endingAt = typeof code === 'number' && !STAYING.includes(code) ? at : null;
    if (typeof code !== 'number') {
      this.#findings.report('error-incomplete', at, 'expected it in every error, got nothing', 'code');
    }
    this.#heard(at);
    if (STAYING.includes(code)) this.#generationOver();
  }

  #generationOver(): void {
    this.#bound.done();
    this.#foreseen -= 1;
    if (this.#foreseen <= 0 && this.#buffer.length === 0) this.#unspoken = null;
  }

  /** The server sent anything, so speech is no longer missing. */
  #heard(at: LintMoment): void {
    if (this.#flushed && at.atUs >= this.#flushed.atUs) {
      this.#flushed = null;
      this.#speech.clear();
    }
  }

  /** Reports a generation beyond the possible number for the sent text. */
  #checkWanted(type: string, at: LintMoment): void {
    if (!this.#bound.isSpoken || this.#isStrayReported) return;
    this.#isStrayReported = true;
    this.#findings.report('no-generation', at, `expected nothing before more text is sent, got ${type}`);
  }

  #countGeneration(at: LintMoment): void {
    this.#doneUs.push(at.atUs);
    if (this.#doneUs.length <= GENERATIONS_PER_MINUTE) return;
    const first = this.#doneUs.shift() ?? 0;
    if (at.atUs - first > MINUTE_US) return;
    const message = `expected at most ${GENERATIONS_PER_MINUTE} generations in a minute, got more`;
    this.#findings.once('rate-near', at, message);
  }

  #missConfig(id: 'config-late' | 'config-too-late', afterUs: number, atUs: number): void {
    if (!this.#openedAt || this.#config) return;
    const message = `expected config, got none for ${afterUs / SECOND_US} s`;
    this.#findings.once(id, this.#openedAt, message, { atUs });
  }

  #missSpeech(atUs: number): void {
    if (!this.#flushed) return;
    const message = `expected the speech of what was flushed, got nothing for ${SPEECH_US / SECOND_US} s`;
    this.#findings.report('answer-absent', this.#flushed, message, { atUs });
  }
}
