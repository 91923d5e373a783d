import { deepEqual } from '#lib/deep-equal.ts';
import type { Parsed } from '../../core/issue.ts';
import type { Fields } from '../../core/json-frame.ts';
import type { Linter } from '../../core/rule.ts';
import type { CheckWorld } from '../../lint/check.ts';
import { ConnectionsLinter } from '../../lint/linter.ts';
import { applyRules, type FrameRules, reportIssues } from '../../lint/message.ts';
import type { ErrorName } from '../wire/errors.ts';
import { type KUGEL_FRAMES, type Marker, STREAM_MARKERS, TTS_MARKERS } from '../wire/server-frames.ts';
import { audioFormatIssues, selectionIssues } from '../wire/settings.ts';
import {
  mergeConfig,
  parseStreamMessage,
  parseTtsMessage,
  type StreamClientMessage,
  type StreamConfig,
  streamClientFrame,
  ttsClientFrame,
} from '../wire/stream-client.ts';
import { readClientFrame, readServerFrame } from './messages.ts';
import { KUGEL_RULES, type KugelRuleId } from './rules.ts';
import { SessionCheck } from './session.ts';
import { PriceBook, type TurnSettings, turnSettings } from './turn.ts';
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
  fields: new Set(Object.keys(streamClientFrame.shape)),
  markers: STREAM_MARKERS,
};
const TTS: Protocol = {
  kind: 'request',
  parse: parseTtsMessage,
  fields: new Set(Object.keys(ttsClientFrame.shape)),
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

class StreamCheck extends SessionCheck {
  /** Sticky. A turn uses the values at its beginning (kugel-turn-4). A request has its own. */
  protected settings: StreamConfig = {};
  readonly #book: TurnCheck;
  readonly #protocol: Protocol;
  /** The start of each request's settings. */
  #updates: StreamConfig = {};
  /** The server did not find a voice. Which one it has now is unknown until a frame names another. */
  #isVoiceDoubtful = false;

  readonly #frameRules: FrameRules<typeof KUGEL_FRAMES> = {
    final: (frame) => {
      if (this.#isRequest) this.#book.billed(frame, 'final');
      else this.#book.final(frame);
    },
    session_closed: (frame) => this.#book.billed(frame, 'session_closed'),
    warning: () => this.#book.warned(),
    interrupted: () => {
      const cancel = this.cancelAnswered(null);
      if (cancel) this.#book.interrupted(cancel.number);
    },
    settings_updated: () => this.updateAnswered(),
    error: ({ error_code: name }) => this.#failed(name ?? null),
  };

  constructor(world: CheckWorld<KugelRuleId>, prices: PriceBook, protocol: Protocol) {
    super(world, prices);
    this.#protocol = protocol;
    this.#book = new TurnCheck(this, null, protocol.kind);
  }

  get #isRequest(): boolean {
    return this.#protocol.kind === 'request';
  }

  get turnSettings(): TurnSettings {
    return turnSettings(this.settings, this.#isRequest || this.areSettingsKnown);
  }

  get isBusy(): boolean {
    return this.#book.unfinished !== null;
  }

  sent(fields: Fields | null): void {
    const { fields: known, parse } = this.#protocol;
    const message = fields && readClientFrame(fields, this, known, parse);
    if (this.#isRequest) this.settings = this.#updates;
    if (message && this.#mayBeTaken(message)) this.#accept(message);
    else this.foreseeRefusal(null);
  }

  received(fields: Fields | null): void {
    const read = fields && readServerFrame(fields, this, this.#protocol.markers);
    if (!read) return;
    applyRules(this.#frameRules, read.kind, read.frame);
    this.#book.chunk(read);
  }

  override closed(code: number): void {
    this.judgeClose(code, this.#book.unfinished);
  }

  #failed(name: string | null): void {
    if (this.errorForeseen(name, null)) return;
    if (name === NOT_FOUND) this.#isVoiceDoubtful = true;
    if (this.#isRequest) this.#book.refused();
    else this.#book.doubt();
  }

  /** Whether the server accepts a well-formed message, as far as the linter can know. Reports every refusal. */
  #mayBeTaken({ config, text, cancel }: StreamClientMessage): boolean {
    if (this.refusesAfterClose(cancel)) return false;
    const issues = [...audioFormatIssues(config), ...selectionIssues({ ...this.settings, ...config })];
    reportIssues('client-shape', issues, this);
    if (issues.length > 0) return false;
    const begins = !this.#book.isOpen && text !== undefined && text.trim() !== '';
    if (!begins || config.voice_id !== undefined || this.settings.voice_id !== undefined) return true;
    this.report('voice-missing', 'expected one before the first text, got nothing', 'voice_id');
    return false;
  }

  #accept(message: StreamClientMessage): void {
    const { config, text, update, cancel } = message;
    const changed = changedFields(this.settings, { ...config, ...update });
    if (this.#book.isOpen && changed.length > 0 && !cancel) {
      const found = `${changed.join(', ')}: expected between turns, got it while one is open`;
      this.report('config-mid-turn', found, { path: changed[0] ?? '' });
    }
    this.settings = mergeConfig(this.settings, config);
    if (config.voice_id !== undefined) this.#isVoiceDoubtful = false;
    if (update) {
      this.settings = { ...this.settings, ...update };
      this.#updates = { ...this.#updates, ...update };
      this.updateSent();
    }
    if (cancel) {
      if (!this.#book.isBusy) this.report('cancel-nothing', 'cancel: expected a turn to cancel, got none');
      this.#book.cancel(this.cancelSent(null));
    }
    if (text !== undefined && text !== '') this.#book.text(text, !this.#isVoiceDoubtful);
    if (message.flush || message.close) {
      const ended = this.#book.flush();
      // Official clients close in any case.
      if (!ended && message.flush) this.report('flush-nothing', 'flush: expected text before it, got none');
    }
    if (message.closeSocket) {
      if (this.#book.isOpen) this.#book.flush();
      this.closing = this.now;
    }
  }
}

const changedFields = (
  sticky: Readonly<Record<string, unknown>>,
  config: Readonly<Record<string, unknown>>,
): string[] => Object.keys(config).filter((field) => !deepEqual(config[field], sticky[field]));
