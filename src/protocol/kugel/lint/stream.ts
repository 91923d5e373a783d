import { deepEqual } from '#lib/deep-equal.ts';
import { type LintClose, type Linter, type LintFrame, type LintMoment, momentOf } from '../../core/rule.ts';
import { type CheckWorld, type ConnectionCheck, createLinter } from '../../lint/linter.ts';
import { audioFormatIssues } from '../wire/audio-format.ts';
import {
  parseStreamMessage,
  type StreamClientMessage,
  type StreamConfig,
  streamSettings,
} from '../wire/stream-client.ts';
import { Billing, PriceBook } from './billing.ts';
import { knownFields, readClientFrame, reportIssues } from './client.ts';
import { LanguageAdvice } from './language.ts';
import { KUGEL_RULES, type KugelRuleId } from './rules.ts';
import { ServerReader } from './server.ts';
import { SessionBook } from './session.ts';
import { turnSettings } from './turn.ts';
import { TurnBook } from './turns.ts';

/** The linter of `/ws/tts/stream`. */
export function openStreamLinter(): Linter {
  const prices = new PriceBook();
  return createLinter(KUGEL_RULES, (world) => new StreamCheck(world, prices));
}

const FIELDS = knownFields(
  streamSettings.map(({ field }) => field),
  ['close', 'end_session'],
);

class StreamCheck implements ConnectionCheck {
  turns = 0;
  readonly #world: CheckWorld<KugelRuleId>;
  readonly #reader: ServerReader;
  readonly #session: SessionBook;
  readonly #book: TurnBook;
  /** Sticky; a turn takes what it finds when it begins (`facts 2.3.2`). */
  #config: StreamConfig = {};
  readonly #language: LanguageAdvice;

  constructor(world: CheckWorld<KugelRuleId>, prices: PriceBook) {
    this.#world = world;
    this.#reader = new ServerReader(world.findings, false);
    this.#session = new SessionBook(world);
    this.#language = new LanguageAdvice(world.findings);
    this.#book = new TurnBook(
      {
        ...world,
        billing: new Billing(world.findings, prices),
        began: (at) => this.#began(at),
      },
      null,
      true,
    );
  }

  get isBusy(): boolean {
    return this.#book.unfinished !== null;
  }

  opened(): void {}

  sent(frame: LintFrame): void {
    const at = momentOf(frame);
    const { message } = readClientFrame(frame, this.#world.findings, FIELDS, parseStreamMessage);
    if (message && this.#mayBeTaken(message, at)) this.#accept(message, at);
    else this.#session.foreseeRefusal(null);
  }

  received(frame: LintFrame): void {
    const at = momentOf(frame);
    const read = this.#reader.read(frame);
    switch (read?.kind) {
      case 'generation_started':
        this.#book.started(read.frame, at);
        break;
      case 'audio':
        this.#book.audio(read.frame, at);
        break;
      case 'word_timestamps':
        this.#book.words(read.frame, at);
        break;
      case 'chunk_complete':
        this.#book.complete(read.frame, at);
        break;
      case 'final':
        this.#book.final(read.frame, at);
        break;
      case 'session_closed':
        this.#book.sessionClosed(read.frame, at);
        break;
      case 'warning':
        this.#book.warned(at);
        break;
      case 'interrupted': {
        const cancel = this.#session.interrupted(null, at);
        if (cancel) this.#book.interrupted(cancel.number, at);
        break;
      }
      case 'settings_updated':
        this.#session.updated(at);
        break;
      case 'error':
        if (!this.#session.error(read.frame.error_code ?? null, null, at)) this.#book.doubt(at);
        break;
    }
  }

  closed(close: LintClose): void {
    this.#session.closed(close, this.#book.unfinished);
    this.#book.over();
  }

  /** Everything that a well-formed message is refused for, as far as it can be known here. */
  #mayBeTaken({ config, text, cancel }: StreamClientMessage, at: LintMoment): boolean {
    const { findings } = this.#world;
    const { closing } = this.#session;
    if (closing && !cancel) {
      findings.report(
        'after-close-socket',
        at,
        'expected no message after close_socket but cancel, got one',
        {
          related: closing.index,
        },
      );
      return false;
    }
    const issues = audioFormatIssues(config);
    if (issues.length > 0) {
      reportIssues(issues, at, findings, null);
      return false;
    }
    const begins = !this.#book.isOpen && text !== undefined && text.trim() !== '';
    if (begins && config.voice_id === undefined && this.#config.voice_id === undefined) {
      findings.report('voice-missing', at, 'voice_id: expected one before the first text, got nothing', {
        path: 'voice_id',
      });
      return false;
    }
    return true;
  }

  #accept(message: StreamClientMessage, at: LintMoment): void {
    const { config, text, update, cancel } = message;
    const { findings } = this.#world;
    const changed = changedFields(this.#config, { ...config, ...update });
    if (this.#book.isOpen && changed.length > 0 && !cancel) {
      findings.report(
        'config-mid-turn',
        at,
        `${changed.join(', ')}: expected between turns, got it while one is open`,
        { path: changed[0] ?? '' },
      );
    }
    this.#config = merged(this.#config, config);
    if (update) {
      this.#config = { ...this.#config, ...update };
      this.#session.update(at);
    }
    if (cancel) {
      if (!this.#book.isBusy) {
        findings.report('cancel-nothing', at, 'cancel: expected a turn to cancel, got none');
      }
      this.#book.cancel(this.#session.cancel(null, at));
    }
    if (text !== undefined && text !== '') this.#book.text(text, at, () => turnSettings(this.#config));
    if (message.flush || message.close) {
      const ended = this.#book.flush(at, () => turnSettings(this.#config));
      // Official clients close in any case (`facts 2.3.15`).
      if (!ended && message.flush) {
        findings.report('flush-nothing', at, 'flush: expected text before it, got none');
      }
    }
    if (message.closeSocket) {
      if (this.#book.isOpen) this.#book.flush(at, () => turnSettings(this.#config));
      this.#session.closing = at;
    }
  }

  #began(at: LintMoment): void {
    this.turns += 1;
    this.#language.began(this.#config, at);
  }
}

/** Codec and rate replace one another: the newer choice counts. */
function merged(sticky: StreamConfig, config: StreamConfig): StreamConfig {
  const next = { ...sticky, ...config };
  if (config.output_format !== undefined && config.sample_rate === undefined) delete next.sample_rate;
  if (config.sample_rate !== undefined && config.output_format === undefined) delete next.output_format;
  return next;
}

const changedFields = (
  sticky: Readonly<Record<string, unknown>>,
  config: Readonly<Record<string, unknown>>,
): string[] => Object.keys(config).filter((field) => !deepEqual(config[field], sticky[field]));
