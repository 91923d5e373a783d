import { wordList } from '#lib/word-list.ts';
import { shown } from '../../core/issue.ts';
import { type LintClose, type Linter, type LintFrame, type LintMoment, momentOf } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import { type CheckWorld, type ConnectionCheck, ConnectionsLinter } from '../../lint/linter.ts';
import { audioFormatIssues } from '../wire/audio-format.ts';
import type { ErrorName } from '../wire/errors.ts';
import { selectionIssues } from '../wire/generation.ts';
import {
  type MultiClientMessage,
  opensContext,
  parseMultiMessage,
  type SessionConfig,
} from '../wire/multi-client.ts';
import { contextSettings, IDLE_CONTEXT_MS, MAX_CONTEXTS, sessionSettings } from '../wire/multi-settings.ts';
import { PriceBook } from './billing.ts';
import { adviseOnVoice, knownFields, readClientFrame, reportRefusal } from './client.ts';
import { ContextCheck, isWithin, type SecondsRange, secondsRangeText } from './context.ts';
import { ContextIds } from './context-ids.ts';
import { KUGEL_RULES, type KugelRuleId } from './rules.ts';
import { MULTI_MARKERS, type ServerFrame, ServerReader } from './server.ts';
import { SessionBook } from './session.ts';
import { type TurnSettings, turnSettings } from './turn.ts';

/** The linter of `/ws/tts/multi`. */
export function openMultiLinter(): Linter {
  const prices = new PriceBook();
  return new ConnectionsLinter(KUGEL_RULES, (world) => new MultiCheck(world, prices));
}

const FIELDS = knownFields(
  [...sessionSettings, ...contextSettings],
  wordList('context_id voice_settings close_context immediate inactivity_timeout'),
);
/** Limits the followed contexts, because a recording has no end. */
const MAX_FOLLOWED = 64;

const TOO_MANY: ErrorName = 'TOO_MANY_CONTEXTS';

class MultiCheck implements ConnectionCheck {
  readonly #findings: Findings<KugelRuleId>;
  readonly #reader: ServerReader;
  readonly #session: SessionBook;
  /** Live contexts, closing ones included. */
  readonly #contexts = new Map<string, ContextCheck>();
  /** Contexts that were closed at once and whose id opened again before their end arrived. */
  readonly #leaving = new Map<string, ContextCheck>();
  readonly #ids: ContextIds;
  #settings: SessionConfig = {};
  #idleMs = IDLE_CONTEXT_MS;
  /** Of all ended contexts, and of those since the last `session_closed`. */
  #seconds: SecondsRange = { low: 0, high: 0 };
  #secondsSince: SecondsRange = { low: 0, high: 0 };

  constructor(world: CheckWorld<KugelRuleId>, prices: PriceBook) {
    this.#findings = world.findings;
    this.#reader = new ServerReader(world.findings, MULTI_MARKERS);
    this.#session = new SessionBook(world, prices, () => this.#settings);
    this.#ids = new ContextIds(world.findings);
  }

  get turns(): number {
    return this.#session.turns;
  }

  get isBusy(): boolean {
    return [...this.#contexts.values()].some(({ book }) => book.unfinished !== null);
  }

  sent(frame: LintFrame): void {
    const at = momentOf(frame);
    const { message, fields, context } = readClientFrame(frame, this.#findings, FIELDS, parseMultiMessage);
    if (!message || !this.#mayBeTaken(message, at)) {
      this.#session.foreseeRefusal(context);
      return;
    }
    adviseOnVoice(fields.voice_settings, at, this.#findings.in(context));
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

  /** Whether the server accepts a well-formed message, as far as the linter can know. Reports every refusal. */
  #mayBeTaken(message: MultiClientMessage, at: LintMoment): boolean {
    const { contextId, session, cancel, closeContext } = message;
    if (this.#session.refusesAfterClose(at, cancel || closeContext === 'now')) return false;
    const isKnown = this.#session.areSettingsKnown;
    const first = isKnown ? this.#settings.output_format : undefined;
    const requested = session.output_format;
    if (first !== undefined && requested !== undefined && requested !== first) {
      const text = `expected ${first}, which was set before, got ${requested}`;
      this.#findings.report('format-set-once', at, text, 'output_format');
      return false;
    }
    const merged = { ...this.#settings, ...session };
    const issues = [...audioFormatIssues(isKnown ? merged : session), ...selectionIssues(merged)];
    if (issues.length > 0) {
      reportRefusal(issues, at, this.#findings, contextId ?? null);
      return false;
    }
    return contextId === undefined || this.#mayAddress(contextId, message, at);
  }

  #mayAddress(id: string, message: MultiClientMessage, at: LintMoment): boolean {
    const report = this.#findings.in(id);
    const { text = '', flush, voice } = message;
    if (this.#ids.isDoubtful(id)) {
      this.#doubt(id, at);
      return true;
    }
    const context = this.#meant(id, message);
    const speaks = text.trim() !== '';
    if (!context) {
      if (!opensContext(message)) {
        if (!flush) return true;
        const message = `flush: expected the id of a live context, got ${shown(id)}`;
        report('context-unknown', at, message, { path: 'context_id', related: this.#ids.closedAt(id) });
        return false;
      }
      // A closing context may be gone already.
      const live = [...this.#contexts.values()].filter(({ closing }) => !closing).length;
      if (live >= MAX_CONTEXTS) {
        const message = `expected at most ${MAX_CONTEXTS} live contexts, got one more`;
        report('too-many-contexts', at, message, 'context_id');
        return false;
      }
    } else if (context.closing && opensContext(message)) {
      // This opens it again if it is over already; otherwise the server refuses it.
      this.#doubt(id, at);
      if (!speaks || voice) return true;
      report('text-while-closing', at, 'expected a context that takes text, got one that is closing', {
        field: 'text',
        related: context.asked,
      });
      return false;
    }
    const hasVoice = context ? context.hasVoice : voice?.voice_id !== undefined;
    if (!speaks || hasVoice) return true;
    const missing =
      'expected one when the context is opened, got nothing; a voice at the top level gives it none';
    report('voice-missing', at, missing, { field: 'voice_settings.voice_id', related: context?.asked });
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
      this.#findings.in(id)('cancel-nothing', at, 'cancel: expected a turn to cancel, got none');
    }
    const number = this.#session.cancel(id, at);
    for (const context of meant) context.cancel(number);
  }

  /** The context that a frame addresses. A frame that opens the id again does not address a context closed at once. */
  #meant(id: string, message: MultiClientMessage): ContextCheck | undefined {
    const context = this.#contexts.get(id);
    return context?.closing === 'now' && opensContext(message) ? undefined : context;
  }

  #address(id: string, message: MultiClientMessage, at: LintMoment): void {
    const { text, flush, closeContext, cancel } = message;
    if (this.#ids.isDoubtful(id)) {
      // The closing context of that id, if it still lives, ends without final.
      if (closeContext === 'now') this.#contexts.get(id)?.close(at, true, this.#turnSettings);
      return;
    }
    let context = this.#meant(id, message);
    if (!context && opensContext(message)) {
      if (this.#leaving.has(id) && this.#contexts.has(id)) {
        // Three contexts of one id cannot be told apart. The frames of the first come before those of the others.
        this.#contexts.get(id)?.over();
        this.#contexts.delete(id);
        this.#doubt(id, at);
        return;
      }
      context = this.#create(id, message, at);
    }
    if (!context) {
      if (closeContext) this.#ids.expectStrayClose(id);
      else if (text === '' && !flush && !cancel) {
        this.#findings.report('keep-alive-late', at, 'text: expected a live context to keep, got none', {
          context: id,
          related: this.#ids.closedAt(id),
        });
      }
      return;
    }
    context.sentUnits += text?.length ?? 0;
    context.touch(at, this.#idleMs);
    if (!context.closing) {
      if (text) context.say(text, at, this.#turnSettings);
      if (flush && !context.flush(at, this.#turnSettings)) {
        this.#findings.in(id)('flush-nothing', at, 'flush: expected text before it, got none');
      }
    }
    if (!closeContext) return;
    // The context may be gone when the second close arrives. The server then answers that one too.
    if (context.closing) this.#ids.expectStrayClose(id);
    context.close(at, closeContext === 'now', this.#turnSettings);
  }

  #create(id: string, { voice }: MultiClientMessage, at: LintMoment): ContextCheck {
    const context = new ContextCheck(this.#session.turnWorld, id, voice?.voice_id !== undefined, at);
    const before = this.#contexts.get(id);
    if (before) this.#leaving.set(id, before);
    this.#contexts.set(id, context);
    this.#ids.opened(id);
    if (this.#contexts.size > MAX_FOLLOWED) {
      const [oldest] = this.#contexts.values();
      oldest?.over();
      if (oldest) this.#contexts.delete(oldest.id);
    }
    return context;
  }

  #ofContext(read: ServerFrame, at: LintMoment): void {
    const id = read.context;
    if (id === null) return;
    const context = this.#leaving.get(id) ?? this.#contexts.get(id);
    if (!context || (!context.created && read.kind === 'context_closed' && this.#ids.expectsStrayClose(id))) {
      this.#ids.stray(read.kind, id, at);
      return;
    }
    context.heard(read.kind, at, this.#idleMs);
    switch (read.kind) {
      case 'final':
        context.final(at);
        break;
      case 'context_closed':
        this.#end(context, context.closed(read.frame, at), at);
        break;
      case 'context_timeout':
        // The documentation does not say whether context_closed still follows (`facts 3.3.3`).
        this.#ids.expectStrayClose(id);
        this.#end(context, context.closed(null, at), at);
        break;
      default:
        context.book.chunk(read, at);
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

  /** From now on the frames of this id can neither be checked nor counted. */
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
      // The context was never opened, or the error is about an earlier frame of that id.
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
      const message = `session_closed: expected context_closed of all contexts before it, got it while ${this.#contexts.size} live`;
      this.#findings.in(live.id)('session-closed-early', at, message, { related: live.asked });
    } else if (told !== undefined && !isWithin(told, this.#seconds) && !isWithin(told, this.#secondsSince)) {
      const message = `expected ${secondsRangeText(this.#seconds)}, which is what came, got ${told}`;
      this.#findings.report('session-seconds', at, message, 'total_audio_seconds');
    }
    this.#secondsSince = { low: 0, high: 0 };
  }

  readonly #turnSettings = (): TurnSettings => turnSettings(this.#settings, this.#session.areSettingsKnown);
}
