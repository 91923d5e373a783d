import { shown } from '../../core/issue.ts';
import { type LintClose, type Linter, type LintFrame, type LintMoment, momentOf } from '../../core/rule.ts';
import { type CheckWorld, type ConnectionCheck, createLinter } from '../../lint/linter.ts';
import { audioFormatIssues } from '../wire/audio-format.ts';
import type { ErrorName } from '../wire/errors.ts';
import {
  contextSettings,
  IDLE_CONTEXT_MS,
  MAX_CONTEXTS,
  type MultiClientMessage,
  parseMultiMessage,
  type SessionConfig,
  sessionSettings,
} from '../wire/multi-client.ts';
import { Billing, PriceBook } from './billing.ts';
import { knownFields, readClientFrame, reportIssues } from './client.ts';
import { ContextCheck, isWithin, rangeText, type SecondsRange } from './context.ts';
import { ContextIds } from './context-ids.ts';
import { LanguageAdvice } from './language.ts';
import { KUGEL_RULES, type KugelRuleId } from './rules.ts';
import { type ServerFrame, ServerReader } from './server.ts';
import { SessionBook } from './session.ts';
import { type TurnSettings, turnSettings } from './turn.ts';
import type { TurnWorld } from './turns.ts';
import { adviseOnVoice } from './voice-settings.ts';

/** The linter of `/ws/tts/multi`. */
export function openMultiLinter(): Linter {
  const prices = new PriceBook();
  return createLinter(KUGEL_RULES, (world) => new MultiCheck(world, prices));
}

const SETTINGS = [...sessionSettings, ...contextSettings].map(({ field }) => field);
const FIELDS = knownFields(SETTINGS, [
  'context_id',
  'voice_settings',
  'close_context',
  'immediate',
  'inactivity_timeout',
]);
/** Contexts that are followed, against a recording without end. */
const MAX_FOLLOWED = 64;

const TOO_MANY: ErrorName = 'TOO_MANY_CONTEXTS';

class MultiCheck implements ConnectionCheck {
  turns = 0;
  readonly #world: CheckWorld<KugelRuleId>;
  readonly #turnWorld: TurnWorld;
  readonly #reader: ServerReader;
  readonly #session: SessionBook;
  /** The live ones, those that are closing among them. */
  readonly #contexts = new Map<string, ContextCheck>();
  /** Closed at once, and their id opened again before they were heard to be over. */
  readonly #leaving = new Map<string, ContextCheck>();
  readonly #ids: ContextIds;
  #settings: SessionConfig = {};
  #idleMs = IDLE_CONTEXT_MS;
  /** Of all contexts that ended, and of those since the last `session_closed`. */
  #seconds: SecondsRange = { low: 0, high: 0 };
  #secondsSince: SecondsRange = { low: 0, high: 0 };
  readonly #language: LanguageAdvice;

  constructor(world: CheckWorld<KugelRuleId>, prices: PriceBook) {
    this.#world = world;
    this.#turnWorld = {
      ...world,
      billing: new Billing(world.findings, prices),
      began: (at) => this.#began(at),
    };
    this.#reader = new ServerReader(world.findings, true);
    this.#session = new SessionBook(world);
    this.#ids = new ContextIds(world.findings);
    this.#language = new LanguageAdvice(world.findings);
  }

  get isBusy(): boolean {
    return [...this.#contexts.values()].some(({ book }) => book.unfinished !== null);
  }

  opened(): void {}

  sent(frame: LintFrame): void {
    const at = momentOf(frame);
    const { message, value, context } = readClientFrame(
      frame,
      this.#world.findings,
      FIELDS,
      parseMultiMessage,
    );
    if (!message || !this.#mayBeTaken(message, at)) {
      this.#session.foreseeRefusal(context);
      return;
    }
    adviseOnVoice(value.voice_settings, context, at, this.#world.findings);
    this.#accept(message, at);
  }

  received(frame: LintFrame): void {
    const at = momentOf(frame);
    const read = this.#reader.read(frame);
    if (!read) return;
    switch (read.kind) {
      case 'session_closed':
        this.#sessionClosed(read.frame.total_audio_seconds, at);
        break;
      case 'interrupted':
        this.#interrupted(read.context, at);
        break;
      case 'settings_updated':
        this.#session.updated(at);
        break;
      case 'error':
        this.#failed(read.context, read.frame.error_code ?? null, at);
        break;
      case 'warning':
        break;
      default:
        this.#ofContext(read, at);
    }
  }

  closed(close: LintClose): void {
    let unfinished: LintMoment | null = null;
    for (const context of [...this.#leaving.values(), ...this.#contexts.values()]) {
      unfinished ??= context.book.unfinished;
      context.over();
    }
    this.#session.closed(close, unfinished);
    this.#contexts.clear();
  }

  /** Everything that a well-formed message is refused for, as far as it can be known here. */
  #mayBeTaken(message: MultiClientMessage, at: LintMoment): boolean {
    const { findings } = this.#world;
    const { contextId, session, cancel, closeContext } = message;
    const { closing } = this.#session;
    if (closing && !cancel && closeContext !== 'now') {
      findings.report(
        'after-close-socket',
        at,
        'expected no message after close_socket but a barge-in, got one',
        {
          related: closing.index,
        },
      );
      return false;
    }
    const first = this.#settings.output_format;
    const asked = session.output_format;
    if (first !== undefined && asked !== undefined && asked !== first) {
      findings.report(
        'format-set-once',
        at,
        `output_format: expected ${first}, which was set before, got ${asked}`,
        { path: 'output_format' },
      );
      return false;
    }
    const issues = audioFormatIssues({ ...this.#settings, ...session });
    if (issues.length > 0) {
      reportIssues(issues, at, findings, contextId ?? null);
      return false;
    }
    return contextId === undefined || this.#mayAddress(contextId, message, at);
  }

  #mayAddress(id: string, message: MultiClientMessage, at: LintMoment): boolean {
    const { findings } = this.#world;
    const { text = '', flush, voice } = message;
    if (this.#ids.isDoubtful(id)) {
      this.#doubt(id, at);
      return true;
    }
    const context = this.#meant(id, message);
    const speaks = text.trim() !== '';
    if (!context) {
      if (!creates(message)) {
        if (!flush) return true;
        findings.report('context-unknown', at, `flush: expected the id of a live context, got ${shown(id)}`, {
          context: id,
          path: 'context_id',
          related: this.#ids.closedAt(id)?.index ?? null,
        });
        return false;
      }
      // One that was asked to close may be gone already.
      const live = [...this.#contexts.values()].filter(({ closing }) => !closing).length;
      if (live >= MAX_CONTEXTS) {
        findings.report(
          'too-many-contexts',
          at,
          `context_id: expected at most ${MAX_CONTEXTS} live contexts, got one more`,
          { context: id, path: 'context_id' },
        );
        return false;
      }
    } else if (context.closing && creates(message)) {
      // It is over already, and this opens it again, or it is not, and this is refused.
      this.#doubt(id, at);
      if (!speaks || voice) return true;
      findings.report(
        'text-while-closing',
        at,
        'text: expected a context that takes text, got one that is closing',
        {
          context: id,
          path: 'text',
          related: context.asked.index,
        },
      );
      return false;
    }
    const hasVoice = context ? context.hasVoice : voice?.voice_id !== undefined;
    if (!speaks || hasVoice) return true;
    findings.report(
      'voice-missing',
      at,
      'voice_settings.voice_id: expected one when the context is opened, got nothing; a voice at the top level gives it none',
      { context: id, path: 'voice_settings.voice_id', related: context?.asked.index ?? null },
    );
    return false;
  }

  #accept(message: MultiClientMessage, at: LintMoment): void {
    const { contextId, session, update, inactivityTimeoutMs, closeSocket } = message;
    this.#settings = { ...this.#settings, ...session };
    this.#idleMs = inactivityTimeoutMs ?? this.#idleMs;
    if (update) this.#session.update(at);
    if (update?.language !== undefined) this.#settings.language = update.language;
    if (update?.normalize !== undefined) this.#settings.normalize = update.normalize;
    if (message.cancel) this.#cancel(contextId ?? null, at);
    if (contextId !== undefined) this.#address(contextId, message, at);
    if (!closeSocket || this.#session.closing) return;
    this.#session.closing = at;
    for (const context of this.#contexts.values()) context.close(at, false, this.#turnSettings);
  }

  #cancel(id: string | null, at: LintMoment): void {
    const meant = [...this.#contexts.values()].filter((context) =>
      id === null ? !context.closing || this.#session.closing : context.id === id,
    );
    if (!meant.some(({ book }) => book.isBusy)) {
      this.#world.findings.report('cancel-nothing', at, 'cancel: expected a turn to cancel, got none', {
        context: id,
      });
    }
    const number = this.#session.cancel(id, at);
    for (const context of meant) context.cancel(number);
  }

  /** The context that a frame addresses. One that was closed at once is over for whoever opens its id again. */
  #meant(id: string, message: MultiClientMessage): ContextCheck | undefined {
    const context = this.#contexts.get(id);
    return context?.closing === 'now' && creates(message) ? undefined : context;
  }

  #address(id: string, message: MultiClientMessage, at: LintMoment): void {
    if (this.#ids.isDoubtful(id)) return;
    const { text, flush, closeContext, cancel } = message;
    let context = this.#meant(id, message);
    if (!context && creates(message)) context = this.#create(id, message, at);
    if (!context) {
      if (closeContext) this.#ids.expectStrayClose(id);
      else if (text === '' && !flush && !cancel) {
        this.#world.findings.report(
          'keep-alive-late',
          at,
          'text: expected a live context to keep, got none',
          {
            context: id,
            related: this.#ids.closedAt(id)?.index ?? null,
          },
        );
      }
      return;
    }
    context.sentUnits += text?.length ?? 0;
    context.touch(at, this.#idleMs);
    if (!context.closing) {
      if (text) context.say(text, at, this.#turnSettings);
      if (flush && !context.flush(at, this.#turnSettings)) {
        this.#world.findings.report('flush-nothing', at, 'flush: expected text before it, got none', {
          context: id,
        });
      }
    }
    if (!closeContext) return;
    // By the time that a second close arrives, the context may be gone, and then it is answered once more.
    if (context.closing) this.#ids.expectStrayClose(id);
    context.close(at, closeContext === 'now', this.#turnSettings);
  }

  #create(id: string, { voice }: MultiClientMessage, at: LintMoment): ContextCheck {
    const context = new ContextCheck(this.#turnWorld, id, voice?.voice_id !== undefined, at);
    const before = this.#contexts.get(id);
    if (before) {
      // Three of one id at a time are not told apart.
      if (this.#leaving.has(id)) {
        before.over();
        this.#doubt(id, at);
      } else {
        this.#leaving.set(id, before);
      }
    }
    this.#contexts.set(id, context);
    this.#ids.opened(id);
    if (this.#contexts.size > MAX_FOLLOWED) {
      const [oldest] = this.#contexts.values();
      oldest?.over();
      if (oldest) this.#contexts.delete(oldest.id);
    }
    return context;
  }

  #ofContext(read: Exclude<ServerFrame, { kind: 'error' }>, at: LintMoment): void {
    const id = read.context;
    if (id === null) return;
    const context = this.#leaving.get(id) ?? this.#contexts.get(id);
    if (!context || (!context.created && read.kind === 'context_closed' && this.#ids.expectsStrayClose(id))) {
      this.#ids.stray(read.kind, id, at);
      return;
    }
    context.heard(read.kind, at, this.#idleMs);
    const { book } = context;
    switch (read.kind) {
      case 'generation_started':
        book.started(read.frame, at);
        break;
      case 'audio':
        book.audio(read.frame, at);
        break;
      case 'word_timestamps':
        book.words(read.frame, at);
        break;
      case 'chunk_complete':
        book.complete(read.frame, at);
        break;
      case 'final':
        context.final(at);
        break;
      case 'context_closed':
        this.#end(context, context.closed(read.frame, at), at);
        break;
      case 'context_timeout':
        // Whether the other frame still follows is documented nowhere (`facts 3.3.3`).
        this.#ids.expectStrayClose(id);
        this.#end(context, context.closed(null, at), at);
        break;
    }
  }

  #end(context: ContextCheck, seconds: SecondsRange, at: LintMoment): void {
    if (!this.#leaving.delete(context.id)) this.#contexts.delete(context.id);
    this.#ids.closed(context.id, at);
    for (const sum of [this.#seconds, this.#secondsSince]) {
      sum.low += seconds.low;
      sum.high += seconds.high;
    }
  }

  /** What it says from now on can neither be checked nor counted. */
  #doubt(id: string, at: LintMoment): void {
    this.#ids.doubt(id, at);
    this.#seconds.high = Number.POSITIVE_INFINITY;
    this.#secondsSince.high = Number.POSITIVE_INFINITY;
  }

  #interrupted(id: string | null, at: LintMoment): void {
    const cancel = this.#session.interrupted(id, at);
    if (!cancel) return;
    for (const context of [...this.#leaving.values(), ...this.#contexts.values()]) {
      const isMeant = cancel.context === null || cancel.context === context.id;
      if (isMeant && context.asked.index < cancel.at.index) {
        context.heard('interrupted', at, this.#idleMs);
        context.book.interrupted(cancel.number, at);
      }
    }
  }

  #failed(id: string | null, name: string | null, at: LintMoment): void {
    if (this.#session.error(name, id, at)) return;
    const context = id === null ? undefined : this.#contexts.get(id);
    if (id !== null && context && !context.created) {
      // It was not opened at all, or an earlier frame of that id is meant.
      context.over();
      this.#contexts.delete(id);
      if (name !== TOO_MANY) this.#doubt(id, at);
      return;
    }
    for (const other of context ? [context] : id === null ? this.#contexts.values() : []) {
      other.heard('error', at, this.#idleMs);
      other.book.doubt(at);
    }
  }

  #sessionClosed(told: number | undefined, at: LintMoment): void {
    const [live] = this.#contexts.values();
    if (live) {
      this.#world.findings.report(
        'session-closed-early',
        at,
        `session_closed: expected context_closed of all contexts before it, got it while ${this.#contexts.size} live`,
        { context: live.id, related: live.asked.index },
      );
    } else if (told !== undefined && !isWithin(told, this.#seconds) && !isWithin(told, this.#secondsSince)) {
      this.#world.findings.report(
        'session-seconds',
        at,
        `total_audio_seconds: expected ${rangeText(this.#seconds)}, which is what came, got ${told}`,
        { path: 'total_audio_seconds' },
      );
    }
    this.#secondsSince = { low: 0, high: 0 };
  }

  #began(at: LintMoment): void {
    this.turns += 1;
    this.#language.began(this.#settings, at);
  }

  readonly #turnSettings = (): TurnSettings => turnSettings(this.#settings);
}

/** Whether a frame opens its context where that is not live (`facts 3.3.5`, `3.3.6`). */
const creates = ({ text, voice }: MultiClientMessage): boolean =>
  (text !== undefined && text !== '') || voice !== undefined;
