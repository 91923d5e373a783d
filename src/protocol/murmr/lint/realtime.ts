import { shown } from '../../core/issue.ts';
import { type LintClose, type Linter, type LintFrame, type LintMoment, momentOf } from '../../core/rule.ts';
import type { Deadline } from '../../lint/deadlines.ts';
import type { Details } from '../../lint/findings.ts';
import { FlushAdvice } from '../../lint/flush-advice.ts';
import { type CheckWorld, type ConnectionCheck, createLinter } from '../../lint/linter.ts';
import { Once } from '../../lint/once.ts';
import { base64Bytes, hasLoneSurrogate } from '../../lint/payload.ts';
import { type ClientMessage, type ConfigMessage, LANGUAGE_NAMES } from '../wire/client-frames.ts';
import { ALL_SLOTS_OCCUPIED, AUTH_TIMEOUT, RATE_LIMITED } from '../wire/errors.ts';
import { GenerationBuffer, MAX_BUFFER_CHARS } from '../wire/generation-buffer.ts';
import * as frames from '../wire/server-frames.ts';
import { type Answer, WaitingForAnswer } from './answers.ts';
import { readClientMessage } from './client.ts';
import { GenerationSums } from './generation.ts';
import { MURMR_RULES, type MurmrRuleId } from './rules.ts';
import { readServerFrame, type ServerFrame } from './server.ts';
import { SpokenBound } from './spoken-bound.ts';

/** The linter of `/v1/realtime`. */
export const openRealtimeLinter = (): Linter =>
  createLinter(MURMR_RULES, (world) => new RealtimeCheck(world));

const SECOND_US = 1_000_000;
const CONFIG_US = 10 * SECOND_US;
const CONFIG_SOON_US = 8 * SECOND_US;
/** First audio takes half a second (`facts 6.5`); a queue may be in front. */
const SPEECH_US = 30 * SECOND_US;
const MINUTE_US = 60 * SECOND_US;
/** `facts 6.3.18`. */
const GENERATIONS_PER_MINUTE = 100;
type Frame<T extends ServerFrame['type']> = Extract<ServerFrame, { type: T }>['frame'];

class RealtimeCheck implements ConnectionCheck {
  turns = 0;
  readonly #world: CheckWorld<MurmrRuleId>;
  readonly #buffer = new GenerationBuffer();
  readonly #bound = new SpokenBound();
  readonly #sums: GenerationSums;
  readonly #once: Once<MurmrRuleId>;
  readonly #flushes: FlushAdvice;
  readonly #waiting: Readonly<Record<Answer, WaitingForAnswer>>;
  readonly #configSoon: Deadline;
  readonly #configLate: Deadline;
  readonly #speech: Deadline;
  #openedAt: LintMoment | null = null;
  #config: { key: string; at: LintMoment } | null = null;
  #isAcknowledged = false;
  #isBinary = false;
  /** The last flush with something to speak, while nothing has come since. */
  #flushed: LintMoment | null = null;
  /** Text was sent that is not known to be spoken. */
  #unspoken: LintMoment | null = null;
  #isTurnOpen = false;
  /** Generations that the text becomes by the seed's rules, less those that are over. */
  #foreseen = 0;
  #isStrayReported = false;
  /** When the last generations were done, oldest first. */
  readonly #doneUs: number[] = [];
  readonly #missed = new Set<MurmrRuleId>();
  #lastErrorCode: number | null = null;

  constructor(world: CheckWorld<MurmrRuleId>) {
    this.#world = world;
    const { findings } = world;
    this.#sums = new GenerationSums(findings);
    this.#once = new Once(findings);
    this.#flushes = new FlushAdvice({ report: (...found) => findings.report(...found) });
    const waiting = (answer: Answer) => new WaitingForAnswer(world, answer);
    this.#waiting = {
      config_ack: waiting('config_ack'),
      binary_mode_ack: waiting('binary_mode_ack'),
      pong: waiting('pong'),
    };
    const { deadlines } = world;
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
    const message = readClientMessage(frame, this.#world.findings);
    if (message) this.#accept(message, momentOf(frame));
  }

  received(frame: LintFrame): void {
    const at = momentOf(frame);
    if (typeof frame.payload !== 'string') {
      if (!this.#isBinary) {
        this.#report('binary-unasked', at, 'expected binary_mode_ack before binary audio, got none');
      }
      this.#audio(frame.payload.byteLength, at);
      return;
    }
    const read = readServerFrame(frame.payload, at, this.#world.findings, this.#once);
    if (read.type !== null) this.#read(read, at);
    else if (read.of === 'audio' || read.of === 'done') this.#sums.lose();
  }

  closed({ code, ...at }: LintClose): void {
    if (code === ALL_SLOTS_OCCUPIED) {
      this.#report('error-code-closes', at, `expected the socket to stay open, got close code ${code}`);
    } else if (code >= 4000 && code !== this.#lastErrorCode) {
      this.#report('close-unexplained', at, `expected an error with code ${code} before it, got none`);
    }
    if (code === AUTH_TIMEOUT) this.#missConfig('config-too-late', CONFIG_US, at.atUs);
    if (this.#unspoken) {
      this.#report('turn-cut-off', at, 'expected all text to be spoken before it, got the end', {
        related: this.#unspoken.index,
      });
    }
    for (const waiting of Object.values(this.#waiting)) waiting.clear();
    for (const deadline of [this.#configSoon, this.#configLate, this.#speech]) deadline.clear();
  }

  #accept(message: ClientMessage, at: LintMoment): void {
    if (message.type !== 'config' && !this.#config) {
      this.#report('config-first', at, `type: expected config as the first message, got ${message.type}`, {
        path: 'type',
      });
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
          this.#report('binary-mode-early', at, 'binary_mode: expected it after config_ack, got it before');
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
      // The keys themselves are nothing to repeat.
      this.#report('config-key', at, 'api_key: expected the key of the first config, got another one', {
        path: 'api_key',
        related: this.#config.at.index,
      });
      return;
    }
    this.#config ??= { key: config.api_key, at };
    this.#configSoon.clear();
    this.#configLate.clear();
    this.#waiting.config_ack.expect(at);
    if (language === undefined) {
      this.#once.report(
        'language-missing',
        at,
        'language: expected a name such as English, got nothing',
        'language',
      );
    } else if (!LANGUAGE_NAMES.some((name) => name === language)) {
      this.#report(
        'language-unknown',
        at,
        `language: expected one of ${LANGUAGE_NAMES.join(', ')}, got ${shown(language)}`,
        { path: 'language' },
      );
    }
    if (config.voice_description !== undefined && config.voice_clone_prompt !== undefined) {
      this.#report('voice-twice', at, 'voice_description: expected none beside a saved voice, got one', {
        path: 'voice_description',
      });
    }
  }

  #say(text: string, at: LintMoment): void {
    if (text === '') {
      this.#report('text-empty', at, 'text: expected at least one character, got none', { path: 'text' });
      return;
    }
    const before = this.#buffer.length;
    const generations = this.#buffer.add(text);
    if (generations === null) {
      this.#report(
        'buffer-overflow',
        at,
        `text: expected at most ${MAX_BUFFER_CHARS - before} characters more, got ${text.length}`,
        { path: 'text' },
      );
      return;
    }
    if (hasLoneSurrogate(text)) {
      this.#report('lone-surrogate', at, 'text: expected whole characters, got half of one', {
        path: 'text',
      });
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
      this.#report('flush-nothing', at, 'flush: expected text in the buffer, got none');
      return;
    }
    this.#foreseen += 1;
    this.#flushed = at;
    this.#speech.set(at.atUs + SPEECH_US);
  }

  #read({ type, frame }: ServerFrame, at: LintMoment): void {
    if (!this.#isAcknowledged && type !== 'config_ack' && type !== 'error') {
      this.#once.report('config-ack-missing', at, `expected config_ack first, got ${type}`);
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

  #jsonAudio({ chunk, sample_rate }: Frame<'audio'>, at: LintMoment): void {
    if (this.#isBinary) {
      this.#once.report('json-audio-in-binary-mode', at, 'type: expected binary audio, got JSON', 'type');
    } else {
      this.#once.report('base64-audio', at, 'chunk: expected bytes, by binary_mode, got base64', 'chunk');
    }
    this.#checkRate(sample_rate, at);
    const bytes = base64Bytes(chunk);
    if (bytes === null) {
      this.#sums.lose();
      this.#report('audio-base64', at, 'chunk: expected base64, got something else', { path: 'chunk' });
    }
    this.#audio(bytes ?? 0, at);
  }

  #checkRate(rate: number, at: LintMoment): void {
    if (rate === frames.SAMPLE_RATE) return;
    this.#once.report(
      'wrong-rate',
      at,
      `sample_rate: expected ${frames.SAMPLE_RATE}, got ${rate}`,
      'sample_rate',
    );
  }

  #audio(bytes: number, at: LintMoment): void {
    this.#heard(at);
    this.#checkWanted('audio', at);
    this.#sums.audio(bytes);
  }

  #done(frame: Frame<'done'>, at: LintMoment): void {
    this.#heard(at);
    this.#checkWanted('done', at);
    this.#sums.done(frame, at);
    this.#generationOver();
    this.#countGeneration(at);
  }

  #error({ code }: Frame<'error'>, at: LintMoment): void {
    this.#lastErrorCode = code ?? null;
    if (typeof code !== 'number') {
      this.#report('error-incomplete', at, 'code: expected it in every error, got nothing', { path: 'code' });
    }
    this.#heard(at);
    if (code === RATE_LIMITED || code === ALL_SLOTS_OCCUPIED) this.#generationOver();
  }

  #generationOver(): void {
    this.#bound.done();
    this.#foreseen -= 1;
    if (this.#foreseen <= 0 && this.#buffer.length === 0) this.#unspoken = null;
  }

  /** Something of the speech that is waited for came. */
  #heard(at: LintMoment): void {
    if (this.#flushed && at.atUs >= this.#flushed.atUs) {
      this.#flushed = null;
      this.#speech.clear();
    }
  }

  /** All that was sent can only become so many generations. */
  #checkWanted(type: string, at: LintMoment): void {
    if (!this.#bound.isSpoken || this.#isStrayReported) return;
    this.#isStrayReported = true;
    this.#report('no-generation', at, `expected nothing before more text is sent, got ${type}`);
  }

  #countGeneration(at: LintMoment): void {
    this.#doneUs.push(at.atUs);
    if (this.#doneUs.length <= GENERATIONS_PER_MINUTE) return;
    const first = this.#doneUs.shift() ?? 0;
    if (at.atUs - first > MINUTE_US) return;
    this.#once.report(
      'rate-near',
      at,
      `expected at most ${GENERATIONS_PER_MINUTE} generations in a minute, got more`,
    );
  }

  #missConfig(id: 'config-late' | 'config-too-late', afterUs: number, atUs: number): void {
    if (!this.#openedAt || this.#config) return;
    if (this.#missed.has(id)) return;
    this.#missed.add(id);
    this.#report(id, this.#openedAt, `expected config, got none for ${afterUs / SECOND_US} s`, { atUs });
  }

  #missSpeech(atUs: number): void {
    if (!this.#flushed) return;
    const message = `expected the speech of what was flushed, got nothing for ${SPEECH_US / SECOND_US} s`;
    this.#report('answer-absent', this.#flushed, message, { atUs });
  }

  #report(id: MurmrRuleId, at: LintMoment, message: string, details: Details = {}): void {
    this.#world.findings.report(id, at, message, details);
  }
}
