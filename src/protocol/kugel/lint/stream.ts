import { deepEqual } from '#lib/deep-equal.ts';
import type { Parsed } from '../../core/issue.ts';
import type { Fields } from '../../core/json-frame.ts';
import { type LintClose, type Linter, type LintFrame, type LintMoment, momentOf } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import { type CheckWorld, type ConnectionCheck, ConnectionsLinter } from '../../lint/linter.ts';
import { audioFormatIssues } from '../wire/audio-format.ts';
import type { ErrorName } from '../wire/errors.ts';
import { selectionIssues } from '../wire/generation.ts';
import type { Marker } from '../wire/server-frames.ts';
import {
  mergeConfig,
  parseStreamMessage,
  STREAM_FIELDS,
  type StreamClientMessage,
  type StreamConfig,
} from '../wire/stream-client.ts';
import { streamSettings, ttsSettings } from '../wire/stream-settings.ts';
import { parseTtsMessage } from '../wire/tts-client.ts';
import { PriceBook } from './billing.ts';
import { knownFields, readClientFrame, reportRefusal } from './client.ts';
import { KUGEL_RULES, type KugelRuleId } from './rules.ts';
import { ServerReader, STREAM_MARKERS, TTS_MARKERS } from './server.ts';
import { SessionBook } from './session.ts';
import { type TurnSettings, turnSettings } from './turn.ts';
import { TurnCheck, type TurnKind } from './turns.ts';

/** The endpoints without contexts. A message of `/ws/tts` is one of the stream that ends its turn. */
interface Protocol {
  kind: TurnKind;
  parse: (fields: Fields) => Parsed<StreamClientMessage>;
  /** Known fields of client frames. */
  fields: ReadonlySet<string>;
  markers: ReadonlySet<Marker>;
}

const NOT_FOUND: ErrorName = 'NOT_FOUND';

const STREAM: Protocol = {
  kind: 'stream',
  parse: parseStreamMessage,
  fields: knownFields(streamSettings, ['close', 'end_session']),
  markers: STREAM_MARKERS,
};
const TTS: Protocol = {
  kind: 'request',
  parse: parseTtsMessage,
  fields: new Set([...knownFields(ttsSettings, [])].filter((field) => !STREAM_FIELDS.has(field))),
  markers: TTS_MARKERS,
};

const linterOf = (protocol: Protocol) => (): Linter => {
  const prices = new PriceBook();
  return new ConnectionsLinter(KUGEL_RULES, (world) => new StreamCheck(world, prices, protocol));
};

/** The linter of `/ws/tts/stream`. */
export const openStreamLinter = linterOf(STREAM);
/** The linter of `/ws/tts`. */
export const openTtsLinter = linterOf(TTS);

class StreamCheck implements ConnectionCheck {
  readonly #findings: Findings<KugelRuleId>;
  readonly #reader: ServerReader;
  readonly #session: SessionBook;
  readonly #book: TurnCheck;
  readonly #protocol: Protocol;
  /** Sticky. A turn uses the values at its beginning (`facts 2.3.2`). A request has its own (`facts 4`). */
  #config: StreamConfig = {};
  /** The start of each request's settings. */
  #updates: StreamConfig = {};
  /** The server did not find a voice. Which one it has now is unknown until a frame names another. */
  #isVoiceDoubtful = false;

  constructor(world: CheckWorld<KugelRuleId>, prices: PriceBook, protocol: Protocol) {
    this.#findings = world.findings;
    this.#protocol = protocol;
    this.#reader = new ServerReader(world.findings, protocol.markers);
    this.#session = new SessionBook(world, prices, () => this.#config);
    this.#book = new TurnCheck(this.#session.turnWorld, null, protocol.kind);
  }

  get #isRequest(): boolean {
    return this.#protocol.kind === 'request';
  }

  get turns(): number {
    return this.#session.turns;
  }

  get isBusy(): boolean {
    return this.#book.unfinished !== null;
  }

  sent(frame: LintFrame): void {
    const at = momentOf(frame);
    const { fields, parse } = this.#protocol;
    const { message } = readClientFrame(frame, this.#findings, fields, parse);
    if (this.#isRequest) this.#config = this.#updates;
    if (message && this.#mayBeTaken(message, at)) this.#accept(message, at);
    else this.#session.foreseeRefusal(null);
  }

  received(frame: LintFrame): void {
    const at = momentOf(frame);
    const read = this.#reader.read(frame);
    if (!read) return;
    switch (read.kind) {
      case 'final':
        if (this.#isRequest) this.#book.billed(read.frame, at, 'final');
        else this.#book.final(read.frame, at);
        break;
      case 'session_closed':
        this.#book.billed(read.frame, at, 'session_closed');
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
        if (this.#session.error(read.frame.error_code ?? null, null, at)) break;
        if (read.frame.error_code === NOT_FOUND) this.#isVoiceDoubtful = true;
        if (this.#isRequest) this.#book.refused(at);
        else this.#book.doubt(at);
        break;
      default:
        this.#book.chunk(read, at);
    }
  }

  closed(close: LintClose): void {
    this.#session.closed(close, this.#book.unfinished);
    this.#book.over();
  }

  /** Whether the server accepts a well-formed message, as far as the linter can know. Reports every refusal. */
  #mayBeTaken({ config, text, cancel }: StreamClientMessage, at: LintMoment): boolean {
    if (this.#session.refusesAfterClose(at, cancel)) return false;
    const issues = [...audioFormatIssues(config), ...selectionIssues({ ...this.#config, ...config })];
    if (issues.length > 0) {
      reportRefusal(issues, at, this.#findings, null);
      return false;
    }
    const begins = !this.#book.isOpen && text !== undefined && text.trim() !== '';
    if (begins && config.voice_id === undefined && this.#config.voice_id === undefined) {
      const message = 'expected one before the first text, got nothing';
      this.#findings.report('voice-missing', at, message, 'voice_id');
      return false;
    }
    return true;
  }

  #accept(message: StreamClientMessage, at: LintMoment): void {
    const { config, text, update, cancel } = message;
    const { report } = this.#findings;
    const changed = changedFields(this.#config, { ...config, ...update });
    if (this.#book.isOpen && changed.length > 0 && !cancel) {
      const message = `${changed.join(', ')}: expected between turns, got it while one is open`;
      report('config-mid-turn', at, message, { path: changed[0] ?? '' });
    }
    this.#config = mergeConfig(this.#config, config);
    if (config.voice_id !== undefined) this.#isVoiceDoubtful = false;
    if (update) {
      this.#config = { ...this.#config, ...update };
      this.#updates = { ...this.#updates, ...update };
      this.#session.update(at);
    }
    if (cancel) {
      if (!this.#book.isBusy) {
        report('cancel-nothing', at, 'cancel: expected a turn to cancel, got none');
      }
      this.#book.cancel(this.#session.cancel(null, at));
    }
    if (text !== undefined && text !== '') {
      this.#book.text(text, at, this.#turnSettings, !this.#isVoiceDoubtful);
    }
    if (message.flush || message.close) {
      const ended = this.#book.flush(at, this.#turnSettings);
      // Official clients close in any case (`facts 2.3.15`).
      if (!ended && message.flush) {
        report('flush-nothing', at, 'flush: expected text before it, got none');
      }
    }
    if (message.closeSocket) {
      if (this.#book.isOpen) this.#book.flush(at, this.#turnSettings);
      this.#session.closing = at;
    }
  }

  readonly #turnSettings = (): TurnSettings =>
    turnSettings(this.#config, this.#isRequest || this.#session.areSettingsKnown);
}

const changedFields = (
  sticky: Readonly<Record<string, unknown>>,
  config: Readonly<Record<string, unknown>>,
): string[] => Object.keys(config).filter((field) => !deepEqual(config[field], sticky[field]));
