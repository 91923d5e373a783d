import { describeIssues, shown } from '../../core/issue.ts';
import type { Fields } from '../../core/json-frame.ts';
import type { Linter, LintMoment } from '../../core/rule.ts';
import { Check, type CheckWorld, isOfVendor, isRefusingClose } from '../../lint/check.ts';
import { SECOND_US } from '../../lint/clock.ts';
import { ConnectionCheck, ConnectionsLinter } from '../../lint/linter.ts';
import {
  applyRules,
  audioBytes,
  type FrameRules,
  readTypedFrame,
  reportHalf,
  undocumentedFields,
} from '../../lint/message.ts';
import { FlushAdvice } from '../../lint/sent-text.ts';
import {
  CLIENT_FRAMES,
  type ClientMessage,
  type ConfigMessage,
  parseClientFields,
} from '../wire/client-frames.ts';
import { ALL_SLOTS_OCCUPIED, AUTH_TIMEOUT, RATE_LIMITED } from '../wire/errors.ts';
import { GenerationBuffer } from '../wire/generation-buffer.ts';
import {
  type AnyRealtimeFrame,
  isPlainChunk,
  REALTIME_FRAMES,
  type RealtimeFrame,
} from '../wire/server-frames.ts';
import { LANGUAGE_NAMES, MAX_BUFFER_CHARS, SAMPLE_RATE } from '../wire/settings.ts';
import { GenerationSums, SpokenBound } from './generation.ts';
import { MURMR_RULES, type MurmrRuleId } from './rules.ts';

/** The linter of `/v1/realtime`. */
export const openRealtimeLinter = (): Linter =>
  new ConnectionsLinter(MURMR_RULES, (world) => new RealtimeCheck(world));

/** Errors that leave the socket open (murmr-error-2). */
const STAYING: readonly unknown[] = [RATE_LIMITED, ALL_SLOTS_OCCUPIED];
const CONFIG_US = 10 * SECOND_US;
const CONFIG_SOON_US = 8 * SECOND_US;
/** Acknowledgements leave at once. */
const ACK_US = 5 * SECOND_US;
/** First audio takes half a second (murmr-limit-3), after the queue. */
const SPEECH_US = 30 * SECOND_US;
const MINUTE_US = 60 * SECOND_US;
const GENERATIONS_PER_MINUTE = 100;

/** Types of the frames that answer one message each. */
type AnswerType = 'config_ack' | 'binary_mode_ack' | 'pong';

/** Messages of one kind without an answer so far. */
class Unanswered extends Check<MurmrRuleId> {
  readonly #answer: AnswerType;
  #count = 0;
  #firstAt: LintMoment | null = null;
  readonly #late = this.deadline(ACK_US, (time) => {
    const message = `expected ${this.#answer} within ${time}, got none`;
    this.report('answer-absent', message, { at: this.#firstAt });
  });

  constructor(world: CheckWorld<MurmrRuleId>, answer: AnswerType) {
    super(world);
    this.#answer = answer;
  }

  sent(): void {
    if (this.#count === 0) {
      this.#firstAt = this.now;
      this.#late.start();
    }
    this.#count += 1;
  }

  answered(): void {
    if (this.#count === 0) {
      this.report('answer-unasked', `expected ${this.#answer} only as an answer, got it`, 'type');
      return;
    }
    this.#count -= 1;
    if (this.#count === 0) this.rest();
    else this.#late.start();
  }
}

class RealtimeCheck extends ConnectionCheck<MurmrRuleId> {
  turns = 0;
  readonly #buffer = new GenerationBuffer();
  readonly #bound = new SpokenBound();
  readonly #sums = new GenerationSums(this);
  readonly #flushes = new FlushAdvice(this);
  readonly #answers: Readonly<Record<AnswerType, Unanswered>> = {
    config_ack: new Unanswered(this.world, 'config_ack'),
    binary_mode_ack: new Unanswered(this.world, 'binary_mode_ack'),
    pong: new Unanswered(this.world, 'pong'),
  };
  readonly #configSoon = this.deadline(CONFIG_SOON_US, (time) => this.#missConfig('config-late', time));
  readonly #configLate = this.deadline(CONFIG_US, (time) => this.#missConfig('config-too-late', time));
  readonly #speechAbsent = this.deadline(SPEECH_US, (time) => {
    const message = `expected the speech of what was flushed, got nothing for ${time}`;
    this.report('answer-absent', message, { at: this.#flushed });
  });
  readonly #openedAt = this.now;
  #config: { key: string; at: LintMoment } | null = null;
  #isAcknowledged = false;
  #isBinary = false;
  /** The last flush with text, until the server sends anything. */
  #flushed: LintMoment | null = null;
  /** The last text that may be unspoken. */
  #unspoken: LintMoment | null = null;
  #isTurnOpen = false;
  /** Pending generations by the rules of the buffer. */
  #foreseen = 0;
  #isStrayReported = false;
  /** End times of the last generations, oldest first. */
  readonly #doneUs: number[] = [];
  #lastErrorCode: number | null = null;
  /** When the last error came, where it ends the connection. */
  #endingAt: LintMoment | null = null;

  readonly #messageRules: FrameRules<typeof CLIENT_FRAMES> = {
    config: (message) => this.#configure(message),
    text: ({ text }) => this.#say(text),
    flush: () => this.#flush(),
    binary_mode: () => {
      if (!this.#isAcknowledged)
        this.report('binary-mode-early', 'binary_mode: expected it after config_ack, got it before');
      this.#answers.binary_mode_ack.sent();
    },
    ping: () => this.#answers.pong.sent(),
  };
  readonly #frameRules: FrameRules<typeof REALTIME_FRAMES> = {
    audio: (frame) => this.#jsonAudio(frame),
    done: (frame) => this.#done(frame),
    error: (frame) => this.#error(frame),
    config_ack: () => {
      this.#isAcknowledged = true;
      this.#answers.config_ack.answered();
    },
    binary_mode_ack: (frame) => {
      this.#isBinary = true;
      this.#answers.binary_mode_ack.answered();
      this.#checkRate(frame.sample_rate);
    },
    pong: () => this.#answers.pong.answered(),
  };

  get isBusy(): boolean {
    return this.#unspoken !== null;
  }

  override opened(): void {
    this.#configSoon.start();
    this.#configLate.start();
  }

  sent(fields: Fields | null): void {
    const message = fields && this.#read(fields);
    if (message) this.#accept(message);
  }

  override audio(bytes: number): void {
    if (!this.#isBinary)
      this.report('binary-unasked', 'expected binary_mode_ack before binary audio, got none');
    this.#audio(bytes);
  }

  received(fields: Fields | null): void {
    const read = readTypedFrame(fields, REALTIME_FRAMES, this, isPlainChunk);
    if (read.type !== null) this.#received(read);
    else if (read.of === 'audio' || read.of === 'done') this.#sums.lose();
  }

  override closed(code: number): void {
    const related = this.#unspoken;
    if (code === ALL_SLOTS_OCCUPIED)
      this.report('error-code-closes', `expected the socket to stay open, got close code ${code}`);
    else if (isOfVendor(code) && code !== this.#lastErrorCode)
      this.report('close-unexplained', `expected an error with code ${code} before it, got none`);
    if (code === AUTH_TIMEOUT) this.#missConfig('config-too-late', `${CONFIG_US / SECOND_US} s`);
    if (related && !isRefusingClose(code, this.#endingAt, related))
      this.report('turn-cut-off', 'expected all text to be spoken before it, got the end', { related });
  }

  /** Returns null for a message that the server refuses, after a report. */
  #read(fields: Fields): ClientMessage | null {
    const parsed = parseClientFields(fields);
    if (!parsed.ok) {
      const path = parsed.issues[0]?.path ?? '';
      this.report('client-shape', describeIssues(parsed.issues), { path });
      return null;
    }
    const { type } = parsed.value;
    for (const field of undocumentedFields(fields, new Set(Object.keys(CLIENT_FRAMES[type].shape)))) {
      // The value may be a key under a wrong name, so the message must not contain it.
      this.report('unknown-field', `expected a documented field of ${type}, got another`, field);
    }
    return parsed.value;
  }

  #accept(message: ClientMessage): void {
    if (message.type !== 'config' && !this.#config) {
      this.report('config-first', `expected config as the first message, got ${message.type}`, 'type');
      return;
    }
    applyRules(this.#messageRules, message.type, message);
  }

  #configure(config: ConfigMessage): void {
    const { language } = config;
    if (this.#config && this.#config.key !== config.api_key) {
      // The message must not contain the keys.
      const details = { field: 'api_key', related: this.#config.at };
      this.report('config-key', 'expected the key of the first config, got another one', details);
      return;
    }
    this.#config ??= { key: config.api_key, at: this.now };
    this.#configSoon.clear();
    this.#configLate.clear();
    this.#answers.config_ack.sent();
    if (language === undefined) {
      this.once('language-missing', 'expected a name such as English, got nothing', 'language');
    } else if (!LANGUAGE_NAMES.some((name) => name === language)) {
      const message = `expected one of ${LANGUAGE_NAMES.join(', ')}, got ${shown(language)}`;
      this.report('language-unknown', message, 'language');
    }
    if (config.voice_description !== undefined && config.voice_clone_prompt !== undefined)
      this.report('voice-twice', 'expected none beside a saved voice, got one', 'voice_description');
  }

  #say(text: string): void {
    if (text === '') {
      this.report('text-empty', 'expected at least one character, got none', 'text');
      return;
    }
    const before = this.#buffer.length;
    const generations = this.#buffer.add(text);
    if (generations === null) {
      const message = `expected at most ${MAX_BUFFER_CHARS - before} characters more, got ${text.length}`;
      this.report('buffer-overflow', message, 'text');
      return;
    }
    reportHalf(text, 'text', this);
    this.#foreseen += generations.length;
    this.#bound.text(text);
    if (text.trim() === '' && !this.#isTurnOpen) return;
    if (!this.#isTurnOpen) {
      this.#isTurnOpen = true;
      this.turns += 1;
      this.#isStrayReported = false;
      this.#flushes.began(text);
    }
    this.#unspoken = this.now;
    this.#flushes.text(text);
  }

  #flush(): void {
    const hasText = this.#buffer.flush() !== null;
    this.#bound.flush();
    if (this.#isTurnOpen) this.#flushes.flushed();
    this.#isTurnOpen = false;
    if (!hasText) {
      this.report('flush-nothing', 'flush: expected text in the buffer, got none');
      return;
    }
    this.#foreseen += 1;
    this.#flushed = this.now;
    this.#speechAbsent.start();
  }

  #received({ type, frame }: AnyRealtimeFrame): void {
    if (!this.#isAcknowledged && type !== 'config_ack' && type !== 'error')
      this.once('config-ack-missing', `expected config_ack first, got ${type}`);
    applyRules(this.#frameRules, type, frame);
  }

  #jsonAudio({ chunk, sample_rate }: RealtimeFrame<'audio'>): void {
    if (this.#isBinary) this.once('json-audio-in-binary-mode', 'expected binary audio, got JSON', 'type');
    else this.once('base64-audio', 'expected bytes, by binary_mode, got base64', 'chunk');
    this.#checkRate(sample_rate);
    const bytes = audioBytes(chunk, 'chunk', this);
    if (bytes === null) this.#sums.lose();
    this.#audio(bytes ?? 0);
  }

  #checkRate(rate: number): void {
    if (rate !== SAMPLE_RATE) this.once('wrong-rate', `expected ${SAMPLE_RATE}, got ${rate}`, 'sample_rate');
  }

  #audio(bytes: number): void {
    this.#heard();
    this.#checkWanted('audio');
    this.#sums.audio(bytes);
  }

  #done(frame: RealtimeFrame<'done'>): void {
    this.#heard();
    this.#checkWanted('done');
    this.#sums.done(frame);
    this.#generationOver();
    this.#countGeneration();
  }

  #error({ code }: RealtimeFrame<'error'>): void {
    this.#lastErrorCode = code ?? null;
    this.#endingAt = typeof code === 'number' && !STAYING.includes(code) ? this.now : null;
    if (typeof code !== 'number')
      this.report('error-incomplete', 'expected it in every error, got nothing', 'code');
    this.#heard();
    if (STAYING.includes(code)) this.#generationOver();
  }

  #generationOver(): void {
    this.#bound.done();
    this.#foreseen -= 1;
    if (this.#foreseen <= 0 && this.#buffer.length === 0) this.#unspoken = null;
  }

  /** The server sent anything, so speech is no longer missing. */
  #heard(): void {
    if (!this.#flushed || this.now.atUs < this.#flushed.atUs) return;
    this.#flushed = null;
    this.#speechAbsent.clear();
  }

  /** Reports a generation beyond the possible number for the sent text. */
  #checkWanted(type: string): void {
    if (!this.#bound.isSpoken || this.#isStrayReported) return;
    this.#isStrayReported = true;
    this.report('no-generation', `expected nothing before more text is sent, got ${type}`);
  }

  #countGeneration(): void {
    this.#doneUs.push(this.now.atUs);
    if (this.#doneUs.length <= GENERATIONS_PER_MINUTE) return;
    const first = this.#doneUs.shift() ?? 0;
    if (this.now.atUs - first > MINUTE_US) return;
    this.once('rate-near', `expected at most ${GENERATIONS_PER_MINUTE} generations in a minute, got more`);
  }

  #missConfig(id: 'config-late' | 'config-too-late', time: string): void {
    if (!this.#config) this.once(id, `expected config, got none for ${time}`, { at: this.#openedAt });
  }
}
