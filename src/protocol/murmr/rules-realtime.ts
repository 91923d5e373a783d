import type { z } from 'zod';
import { describeIssue, issuesOf, shown } from '../issue.ts';
import type { Deadline } from '../rules/deadlines.ts';
import type { Details } from '../rules/findings.ts';
import { type CheckWorld, type ConnectionCheck, createLinter } from '../rules/linter.ts';
import {
  base64Bytes,
  endsSentence,
  hasLoneSurrogate,
  MAX_MESSAGE_BYTES,
  payloadBytes,
  readObject,
} from '../rules/payload.ts';
import { type LintClose, type Linter, type LintFrame, type LintMoment, momentOf } from '../rules/rule.ts';
import { MAX_BUFFER_CHARS, TextBuffer } from './buffering.ts';
import { type ClientMessage, type ConfigMessage, LANGUAGES, parseClientMessage } from './client-frames.ts';
import { ALL_SLOTS_OCCUPIED, AUTH_TIMEOUT, RATE_LIMITED } from './errors.ts';
import { MURMR_RULES, type MurmrRuleId } from './rules.ts';
import { SpokenBound } from './rules-spoken-bound.ts';
import * as frames from './server-frames.ts';

/** The linter of `/v1/realtime`. */
export const openRealtimeLinter = (): Linter =>
  createLinter(MURMR_RULES, (world) => new RealtimeCheck(world));

const SECOND_US = 1_000_000;
const CONFIG_US = 10 * SECOND_US;
const CONFIG_SOON_US = 8 * SECOND_US;
/** Acknowledgements leave at once (`facts 6.3.2`). */
const ACK_US = 5 * SECOND_US;
/** First audio takes half a second (`facts 6.5`); a queue may be in front. */
const SPEECH_US = 30 * SECOND_US;
const SAME_REPLY_US = SECOND_US;
const TINY_CHARS = 16;
const TINY_TURNS = 3;
const TAIL_CHARS = 24;
const MINUTE_US = 60 * SECOND_US;
/** `facts 6.3.18`. */
const GENERATIONS_PER_MINUTE = 100;
const MAX_NEW_FIELDS = 64;
const MAX_ISSUES = 8;
const SAMPLE_BYTES = 2;

const SCHEMAS = {
  audio: frames.audioFrame,
  done: frames.doneFrame,
  error: frames.errorFrame,
  config_ack: frames.configAckFrame,
  binary_mode_ack: frames.binaryModeAckFrame,
  pong: frames.pongFrame,
} as const;
type Type = keyof typeof SCHEMAS;
type Read<T extends Type> = z.output<(typeof SCHEMAS)[T]>;

/** Fields of client messages (`facts 6.1`). */
const FIELDS: Readonly<Record<ClientMessage['type'], ReadonlySet<string>>> = {
  config: new Set(['type', 'api_key', 'voice_description', 'voice', 'voice_clone_prompt', 'language']),
  text: new Set(['type', 'text']),
  flush: new Set(['type']),
  binary_mode: new Set(['type', 'enabled']),
  ping: new Set(['type']),
};

/** Messages that are answered one by one, by the answer's type. */
type Answer = 'config_ack' | 'binary_mode_ack' | 'pong';

class RealtimeCheck implements ConnectionCheck {
  turns = 0;
  readonly #world: CheckWorld<MurmrRuleId>;
  readonly #buffer = new TextBuffer();
  readonly #bound = new SpokenBound();
  readonly #waiting: Readonly<Record<Answer, Waiting>>;
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
  /** Audio since the last `done`. */
  #audioFrames = 0;
  #audioBytes = 0;
  #isStrayReported = false;
  /** Some of it could not be read, so that nothing is counted. */
  #isIncomplete = false;
  #tail = '';
  #turnChars = 0;
  #before: { at: LintMoment; tail: string; chars: number } | null = null;
  #tinyTurns = 0;
  /** When the last generations were done, oldest first. */
  readonly #doneUs: number[] = [];
  readonly #told = new Set<string>();
  #lastErrorCode: number | null = null;

  constructor(world: CheckWorld<MurmrRuleId>) {
    this.#world = world;
    const waiting = (answer: Answer) => new Waiting(world, answer);
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
    const at = momentOf(frame);
    if (typeof frame.payload !== 'string') {
      const { byteLength } = frame.payload;
      this.#report('binary-message', at, `expected a text message, got ${byteLength} bytes of binary`);
      return;
    }
    const bytes = payloadBytes(frame.payload);
    if (bytes > MAX_MESSAGE_BYTES) {
      this.#report('message-too-big', at, `expected at most ${MAX_MESSAGE_BYTES} bytes, got ${bytes}`);
      return;
    }
    const read = readObject(frame.payload);
    if ('problem' in read) {
      this.#report('not-json', at, read.problem);
      return;
    }
    const parsed = parseClientMessage(frame.payload);
    if (!parsed.ok) {
      const path = /^[\w.]+(?=: )/.exec(parsed.problem)?.[0];
      this.#report('client-shape', at, parsed.problem, path === undefined ? {} : { path });
      return;
    }
    this.#adviseOnFields(parsed.value, read.value, at);
    this.#accept(parsed.value, at);
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
    const read = readObject(frame.payload);
    if ('problem' in read) {
      this.#report('not-json', at, read.problem);
      return;
    }
    this.#read(read.value as Readonly<Record<string, unknown>>, at);
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
      this.#once(
        'language-missing',
        at,
        'language: expected a name such as English, got nothing',
        'language',
      );
    } else if (!LANGUAGES.some((name) => name === language)) {
      this.#report(
        'language-unknown',
        at,
        `language: expected one of ${LANGUAGES.join(', ')}, got ${shown(language)}`,
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
      this.#adviseOnCut(text, at);
      this.#tail = '';
      this.#turnChars = 0;
    }
    this.#unspoken = at;
    this.#turnChars += text.length;
    this.#tail = (this.#tail + text.slice(-TAIL_CHARS)).slice(-TAIL_CHARS);
  }

  #flush(at: LintMoment): void {
    const hasText = this.#buffer.flush() !== null;
    this.#bound.flush();
    if (this.#isTurnOpen) this.#before = { at, tail: this.#tail, chars: this.#turnChars };
    this.#isTurnOpen = false;
    if (!hasText) {
      this.#report('flush-nothing', at, 'flush: expected text in the buffer, got none');
      return;
    }
    this.#foreseen += 1;
    this.#flushed = at;
    this.#speech.set(at.atUs + SPEECH_US);
  }

  #read(value: Readonly<Record<string, unknown>>, at: LintMoment): void {
    const { type } = value;
    if (typeof type !== 'string' || !isType(type)) {
      this.#report(
        'unknown-kind',
        at,
        `type: expected one of ${Object.keys(SCHEMAS).join(', ')}, got ${shown(type)}`,
        { path: 'type' },
      );
      return;
    }
    const schema = SCHEMAS[type];
    // Nearly all frames are audio, and looking at the fields is much cheaper than the validator.
    const isPlainAudio =
      type === 'audio' &&
      typeof value.chunk === 'string' &&
      value.sample_rate === frames.SAMPLE_RATE &&
      value.format === 'pcm_s16le';
    const parsed = isPlainAudio ? null : schema.safeParse(value);
    if (parsed && !parsed.success) {
      if (type === 'audio' || type === 'done') this.#isIncomplete = true;
      for (const issue of issuesOf(parsed.error, value).slice(0, MAX_ISSUES)) {
        this.#report('server-shape', at, describeIssue(issue), { path: issue.path });
      }
      return;
    }
    for (const field in value) {
      if (Object.hasOwn(schema.shape, field)) continue;
      const name = field.slice(0, 64);
      this.#once(
        'new-field',
        at,
        `${type}: expected only known fields, got ${name}`,
        name,
        `${type}.${name}`,
      );
    }
    const frame = parsed ? parsed.data : value;
    if (!this.#isAcknowledged && type !== 'config_ack' && type !== 'error') {
      this.#once('config-ack-missing', at, `expected config_ack first, got ${type}`);
    }
    switch (type) {
      case 'audio':
        this.#jsonAudio(frame as Read<'audio'>, at);
        break;
      case 'done':
        this.#done(frame as Read<'done'>, at);
        break;
      case 'error':
        this.#error(frame as Read<'error'>, at);
        break;
      case 'config_ack':
        this.#isAcknowledged = true;
        this.#waiting.config_ack.answered(at);
        break;
      case 'binary_mode_ack':
        this.#isBinary = true;
        this.#waiting.binary_mode_ack.answered(at);
        this.#checkRate((frame as Read<'binary_mode_ack'>).sample_rate, at);
        break;
      case 'pong':
        this.#waiting.pong.answered(at);
        break;
    }
  }

  #jsonAudio({ chunk, sample_rate }: Read<'audio'>, at: LintMoment): void {
    if (this.#isBinary) {
      this.#once('json-audio-in-binary-mode', at, 'type: expected binary audio, got JSON', 'type');
    } else {
      this.#once('base64-audio', at, 'chunk: expected bytes, by binary_mode, got base64', 'chunk');
    }
    this.#checkRate(sample_rate, at);
    const bytes = base64Bytes(chunk);
    if (bytes === null) {
      this.#isIncomplete = true;
      this.#report('audio-base64', at, 'chunk: expected base64, got something else', { path: 'chunk' });
    }
    this.#audio(bytes ?? 0, at);
  }

  #checkRate(rate: number, at: LintMoment): void {
    if (rate === frames.SAMPLE_RATE) return;
    this.#once('wrong-rate', at, `sample_rate: expected ${frames.SAMPLE_RATE}, got ${rate}`, 'sample_rate');
  }

  #audio(bytes: number, at: LintMoment): void {
    this.#heard(at);
    this.#checkWanted('audio', at);
    this.#audioFrames += 1;
    this.#audioBytes += bytes;
  }

  #done({ total_chunks: total, duration_ms: durationMs }: Read<'done'>, at: LintMoment): void {
    this.#heard(at);
    this.#checkWanted('done', at);
    const heardMs = (this.#audioBytes / SAMPLE_BYTES / frames.SAMPLE_RATE) * 1000;
    if (!this.#isIncomplete) {
      if (typeof total === 'number' && total !== this.#audioFrames) {
        this.#report(
          'total-chunks',
          at,
          `total_chunks: expected ${this.#audioFrames}, which is what came, got ${total}`,
          { path: 'total_chunks' },
        );
      } else if (typeof durationMs === 'number' && Math.abs(durationMs - heardMs) > 1) {
        this.#report(
          'duration-differs',
          at,
          `duration_ms: expected ${Math.round(heardMs)}, the length of what came, got ${durationMs}`,
          { path: 'duration_ms' },
        );
      }
      if (this.#audioBytes % SAMPLE_BYTES !== 0) {
        this.#report('odd-bytes', at, `expected whole samples, got ${this.#audioBytes} bytes`);
      }
    }
    this.#audioFrames = 0;
    this.#audioBytes = 0;
    this.#isIncomplete = false;
    this.#generationOver();
    this.#countGeneration(at);
  }

  #error({ code }: Read<'error'>, at: LintMoment): void {
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
    this.#once(
      'rate-near',
      at,
      `expected at most ${GENERATIONS_PER_MINUTE} generations in a minute, got more`,
    );
  }

  #adviseOnFields(message: ClientMessage, value: object, at: LintMoment): void {
    const known = FIELDS[message.type];
    for (const field of Object.keys(value)
      .filter((name) => !known.has(name))
      .slice(0, MAX_ISSUES)) {
      const path = field.slice(0, 64);
      // What stands in it may be a key under a wrong name, so it is not repeated.
      this.#report(
        'unknown-field',
        at,
        `${path}: expected a documented field of ${message.type}, got another`,
        {
          path,
        },
      );
    }
  }

  /** A turn begins: advice on how the one before it was ended. */
  #adviseOnCut(text: string, at: LintMoment): void {
    const before = this.#before;
    if (!before || at.atUs - before.at.atUs > SAME_REPLY_US) {
      this.#tinyTurns = 0;
      return;
    }
    this.#tinyTurns = before.chars < TINY_CHARS ? this.#tinyTurns + 1 : 0;
    if (this.#tinyTurns === TINY_TURNS) {
      this.#report(
        'tiny-turns',
        at,
        `expected one flush at the end of the reply, got ${TINY_TURNS} in a row after fewer than ${TINY_CHARS} characters each`,
        { related: before.at.index },
      );
    } else if (!endsSentence(before.tail) && /^\s*[\p{Ll},;:)]/u.test(text)) {
      this.#report(
        'flush-mid-sentence',
        before.at,
        'expected a flush at the end of a sentence, got one before the sentence went on',
        { related: at.index, atUs: at.atUs },
      );
    }
  }

  #missConfig(id: 'config-late' | 'config-too-late', afterUs: number, atUs: number): void {
    if (!this.#openedAt || this.#config) return;
    if (this.#told.has(id)) return;
    this.#told.add(id);
    this.#report(id, this.#openedAt, `expected config, got none for ${afterUs / SECOND_US} s`, { atUs });
  }

  #missSpeech(atUs: number): void {
    if (!this.#flushed) return;
    const message = `expected the speech of what was flushed, got nothing for ${SPEECH_US / SECOND_US} s`;
    this.#report('answer-absent', this.#flushed, message, { atUs });
  }

  /** What holds for a whole connection is told once. */
  #once(id: MurmrRuleId, at: LintMoment, message: string, path?: string, key: string = id): void {
    if (this.#told.has(key) || this.#told.size >= MAX_NEW_FIELDS) return;
    this.#told.add(key);
    this.#report(id, at, message, path === undefined ? {} : { path });
  }

  #report(id: MurmrRuleId, at: LintMoment, message: string, details: Details = {}): void {
    this.#world.findings.report(id, at, message, details);
  }
}

/** Messages of one kind that wait for their answers. */
class Waiting {
  readonly #world: CheckWorld<MurmrRuleId>;
  readonly #answer: Answer;
  readonly #deadline: Deadline;
  #count = 0;
  #first: LintMoment | null = null;

  constructor(world: CheckWorld<MurmrRuleId>, answer: Answer) {
    this.#world = world;
    this.#answer = answer;
    this.#deadline = world.deadlines.create((atUs) => {
      if (!this.#first) return;
      const message = `expected ${answer} within ${ACK_US / SECOND_US} s, got none`;
      world.findings.report('answer-absent', this.#first, message, { atUs });
    });
  }

  expect(at: LintMoment): void {
    if (this.#count === 0) {
      this.#first = at;
      this.#deadline.set(at.atUs + ACK_US);
    }
    this.#count += 1;
  }

  answered(at: LintMoment): void {
    if (this.#count === 0) {
      this.#world.findings.report(
        'answer-unasked',
        at,
        `type: expected ${this.#answer} only as an answer, got it`,
        {
          path: 'type',
        },
      );
      return;
    }
    this.#count -= 1;
    if (this.#count === 0) this.clear();
    else this.#deadline.set(at.atUs + ACK_US);
  }

  clear(): void {
    this.#deadline.clear();
    this.#first = null;
  }
}

const isType = (type: string): type is Type => Object.hasOwn(SCHEMAS, type);
