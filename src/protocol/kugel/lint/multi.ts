import { remember } from '#lib/collections/maps.ts';
import { shown } from '../../core/issue.ts';
import type { Fields } from '../../core/json-frame.ts';
import type { Linter, LintMoment } from '../../core/rule.ts';
import { ConnectionsLinter } from '../../lint/linter.ts';
import { reportIssues } from '../../lint/message.ts';
import type { ErrorName } from '../wire/errors.ts';
import {
  type MultiClientMessage,
  multiClientFrame,
  opensContext,
  parseMultiMessage,
  type SessionConfig,
} from '../wire/multi-client.ts';
import { MULTI_MARKERS } from '../wire/server-frames.ts';
import { audioFormatIssues, IDLE_CONTEXT_MS, MAX_CONTEXTS, selectionIssues } from '../wire/settings.ts';
import { ContextCheck, isWithin, type SecondsRange, secondsRangeText } from './context.ts';
import {
  adviseOnVoice,
  namedContext,
  readClientFrame,
  readServerFrame,
  type ServerFrame,
} from './messages.ts';
import { KUGEL_RULES } from './rules.ts';
import { SessionCheck } from './session.ts';
import { PriceBook, type TurnSettings, turnSettings } from './turn.ts';
import { IN_TRANSIT_US } from './turns.ts';

/** The linter of `/ws/tts/multi`. */
export function openMultiLinter(): Linter {
  const prices = new PriceBook();
  return new ConnectionsLinter(KUGEL_RULES, (world) => new MultiCheck(world, prices));
}

const FIELDS: ReadonlySet<string> = new Set(Object.keys(multiClientFrame.shape));
/** Limits the followed contexts, because a recording has no end. */
const MAX_FOLLOWED = 64;

const MAX_IDS = 256;

const NEW_ID = {
  /** Its last frame where a context of it may or may not exist: text was sent while the context was closing. */
  doubted: null as LintMoment | null,
  /** The end of its last context. */
  closed: null as LintMoment | null,
  /** Closes of contexts that may be gone, which the server answers nevertheless (kugel-context-18). */
  strayCloses: 0,
  /** A frame without a context was reported. */
  isReported: false,
};

const TOO_MANY: ErrorName = 'TOO_MANY_CONTEXTS';

class MultiCheck extends SessionCheck {
  protected settings: SessionConfig = {};
  /** Live contexts, closing ones included. */
  readonly #contexts = new Map<string, ContextCheck>();
  /** Contexts that were closed at once and whose id opened again before their end arrived. */
  readonly #leaving = new Map<string, ContextCheck>();
  readonly #ids = new Map<string, typeof NEW_ID>();
  idleMs = IDLE_CONTEXT_MS;
  /** Of all ended contexts, and of those since the last `session_closed`. */
  #seconds: SecondsRange = { low: 0, high: 0 };
  #secondsSince: SecondsRange = { low: 0, high: 0 };

  get turnSettings(): TurnSettings {
    return turnSettings(this.settings, this.areSettingsKnown);
  }

  get isBusy(): boolean {
    return [...this.#contexts.values()].some(({ book }) => book.unfinished !== null);
  }

  /** Older ones of an id first. */
  get #all(): ContextCheck[] {
    return [...this.#leaving.values(), ...this.#contexts.values()];
  }

  sent(fields: Fields | null): void {
    const context = namedContext(fields);
    const message = fields && readClientFrame(fields, this, FIELDS, parseMultiMessage);
    if (!message || !this.#mayBeTaken(message)) {
      this.foreseeRefusal(context);
      return;
    }
    adviseOnVoice(fields?.voice_settings, this.in(context));
    this.#accept(message);
  }

  received(fields: Fields | null): void {
    const read = fields && readServerFrame(fields, this, MULTI_MARKERS);
    if (!read) return;
    const { kind, frame, context } = read;
    if (kind === 'session_closed') this.#sessionClosed(frame.total_audio_seconds);
    else if (kind === 'interrupted') this.#interrupted(context);
    else if (kind === 'settings_updated') this.updateAnswered();
    else if (kind === 'error') this.#failed(context, frame.error_code ?? null);
    else if (kind !== 'warning') this.#ofContext(read);
  }

  override closed(code: number): void {
    const unfinished = this.#all.flatMap(({ book }) => book.unfinished ?? []);
    this.judgeClose(code, unfinished[0] ?? null);
  }

  /** Whether the server accepts a well-formed message, as far as the linter can know. Reports every refusal. */
  #mayBeTaken(message: MultiClientMessage): boolean {
    const { contextId, session, cancel, closeContext } = message;
    if (this.refusesAfterClose(cancel || closeContext === 'now')) return false;
    const first = this.areSettingsKnown ? this.settings.output_format : undefined;
    const requested = session.output_format;
    if (first !== undefined && requested !== undefined && requested !== first) {
      const found = `expected ${first}, which was set before, got ${requested}`;
      this.report('format-set-once', found, 'output_format');
      return false;
    }
    const merged = { ...this.settings, ...session };
    const format = this.areSettingsKnown ? merged : session;
    const issues = [...audioFormatIssues(format), ...selectionIssues(merged)];
    reportIssues('client-shape', issues, this.in(contextId ?? null));
    return issues.length === 0 && (contextId === undefined || this.#mayAddress(contextId, message));
  }

  #mayAddress(id: string, message: MultiClientMessage): boolean {
    const { text = '', flush, voice } = message;
    if (this.#ids.get(id)?.doubted) {
      this.#doubt(id);
      return true;
    }
    const check = this.in(id);
    const context = this.#meant(id, message);
    const speaks = text.trim() !== '';
    if (!context) {
      if (!opensContext(message)) {
        if (!flush) return true;
        const found = `flush: expected the id of a live context, got ${shown(id)}`;
        check.report('context-unknown', found, { path: 'context_id', related: this.#idOf(id).closed });
        return false;
      }
      // A closing context may be gone already.
      const live = [...this.#contexts.values()].filter(({ closing }) => !closing).length;
      if (live >= MAX_CONTEXTS) {
        const found = `expected at most ${MAX_CONTEXTS} live contexts, got one more`;
        check.report('too-many-contexts', found, 'context_id');
        return false;
      }
    } else if (context.closing && opensContext(message)) {
      // This opens it again if it is over already; otherwise the server refuses it.
      this.#doubt(id);
      if (!speaks || voice) return true;
      const found = 'expected a context that takes text, got one that is closing';
      check.report('text-while-closing', found, { field: 'text', related: context.asked });
      return false;
    }
    const hasVoice = context ? context.hasVoice : voice?.voice_id !== undefined;
    if (!speaks || hasVoice) return true;
    const found =
      'expected one when the context is opened, got nothing; a voice at the top level gives it none';
    check.report('voice-missing', found, { field: 'voice_settings.voice_id', related: context?.asked });
    return false;
  }

  #accept(message: MultiClientMessage): void {
    const { contextId, session, update, inactivityTimeoutMs, closeSocket } = message;
    this.settings = { ...this.settings, ...session };
    this.idleMs = inactivityTimeoutMs ?? this.idleMs;
    if (update) this.updateSent();
    if (update?.language !== undefined) this.settings.language = update.language;
    if (update?.normalize !== undefined) this.settings.normalize = update.normalize;
    if (message.cancel) this.#cancel(contextId ?? null);
    if (contextId !== undefined) this.#address(contextId, message);
    if (!closeSocket || this.closing) return;
    this.closing = this.now;
    for (const context of this.#contexts.values()) context.close(false);
  }

  #cancel(id: string | null): void {
    const meant = [...this.#contexts.values()].filter((context) =>
      id === null ? !context.closing || this.closing : context.id === id,
    );
    if (!meant.some(({ book }) => book.isBusy))
      this.report('cancel-nothing', 'cancel: expected a turn to cancel, got none', { context: id });
    const number = this.cancelSent(id);
    for (const context of meant) context.cancel(number);
  }

  /** The context that a frame addresses. A frame that opens the id again does not address a context closed at once. */
  #meant(id: string, message: MultiClientMessage): ContextCheck | undefined {
    const context = this.#contexts.get(id);
    return context?.closing === 'now' && opensContext(message) ? undefined : context;
  }

  #address(id: string, message: MultiClientMessage): void {
    const { text, flush, closeContext, cancel } = message;
    if (this.#ids.get(id)?.doubted) {
      // The closing context of that id, if it still lives, ends without final.
      if (closeContext === 'now') this.#contexts.get(id)?.close(true);
      return;
    }
    let context = this.#meant(id, message);
    if (!context && opensContext(message)) {
      if (this.#leaving.has(id) && this.#contexts.has(id)) {
        // Three contexts of one id cannot be told apart. The frames of the first come before those of the others.
        this.#forget(id);
        this.#doubt(id);
        return;
      }
      context = this.#create(id, message);
    }
    if (!context) {
      if (closeContext) this.#idOf(id).strayCloses += 1;
      else if (text === '' && !flush && !cancel) {
        const details = { context: id, related: this.#idOf(id).closed };
        this.report('keep-alive-late', 'text: expected a live context to keep, got none', details);
      }
      return;
    }
    context.sentUnits += text?.length ?? 0;
    context.touch();
    if (!context.closing) {
      if (text) context.say(text);
      if (flush && !context.book.flush())
        context.report('flush-nothing', 'flush: expected text before it, got none');
    }
    if (!closeContext) return;
    // The context may be gone when the second close arrives. The server then answers that one too.
    if (context.closing) this.#idOf(id).strayCloses += 1;
    context.close(closeContext === 'now');
  }

  #create(id: string, { voice }: MultiClientMessage): ContextCheck {
    const context = new ContextCheck(this, id, voice?.voice_id !== undefined);
    const before = this.#contexts.get(id);
    if (before) this.#leaving.set(id, before);
    this.#contexts.set(id, context);
    this.#idOf(id).isReported = false;
    const [oldest] = this.#contexts.keys();
    if (this.#contexts.size > MAX_FOLLOWED && oldest !== undefined) this.#forget(oldest);
    return context;
  }

  /** No frame of this context is checked any more. */
  #forget(id: string): void {
    this.#contexts.get(id)?.over();
    this.#contexts.delete(id);
  }

  #ofContext(read: ServerFrame): void {
    const id = read.context;
    if (id === null) return;
    const context = this.#leaving.get(id) ?? this.#contexts.get(id);
    const isStrayClose = read.kind === 'context_closed' && this.#idOf(id).strayCloses > 0;
    if (!context || (!context.created && isStrayClose)) {
      this.#stray(id, read.kind);
      return;
    }
    context.heard(read.kind);
    if (read.kind === 'final') context.final();
    else if (read.kind === 'context_closed') this.#end(context, context.closed(read.frame));
    else if (read.kind === 'context_timeout') {
      // The documentation does not say whether context_closed still follows.
      this.#idOf(id).strayCloses += 1;
      this.#end(context, context.closed(null));
    } else context.book.chunk(read);
  }

  /** A frame that names the id of no live context. */
  #stray(context: string, kind: string): void {
    const id = this.#idOf(context);
    const isClose = kind === 'context_closed';
    if (isClose && id.strayCloses > 0) id.strayCloses -= 1;
    else if (id.doubted) {
      if (isClose && this.now.atUs - id.doubted.atUs > IN_TRANSIT_US) id.doubted = null;
    } else if (!id.isReported) {
      id.isReported = true;
      const { closed: related } = id;
      const message = related
        ? `expected nothing after context_closed, got ${kind}`
        : `context_id: expected a context that was opened, got ${shown(context)}`;
      const details = { context, path: 'context_id', related };
      this.report(related ? 'after-context-closed' : 'context-never-asked', message, details);
    }
  }

  /** What is remembered of an id. */
  #idOf(context: string): typeof NEW_ID {
    const known = this.#ids.get(context) ?? { ...NEW_ID };
    remember(this.#ids, context, known, MAX_IDS);
    return known;
  }

  #end(context: ContextCheck, seconds: SecondsRange): void {
    if (!this.#leaving.delete(context.id)) this.#contexts.delete(context.id);
    this.#idOf(context.id).closed = this.now;
    for (const sum of [this.#seconds, this.#secondsSince]) {
      sum.low += seconds.low;
      sum.high += seconds.high;
    }
  }

  /** From now on the frames of this id can neither be checked nor counted. */
  #doubt(id: string): void {
    this.#idOf(id).doubted = this.now;
    this.#seconds.high = Number.POSITIVE_INFINITY;
    this.#secondsSince.high = Number.POSITIVE_INFINITY;
  }

  #interrupted(id: string | null): void {
    const cancel = this.cancelAnswered(id);
    if (!cancel) return;
    for (const context of this.#all) {
      const isMeant = cancel.context === null || cancel.context === context.id;
      if (!isMeant || context.asked.index >= cancel.at.index) continue;
      context.heard('interrupted');
      context.book.interrupted(cancel.number);
    }
  }

  #failed(id: string | null, name: string | null): void {
    if (this.errorForeseen(name, id)) return;
    const context = id === null ? undefined : this.#contexts.get(id);
    if (id !== null && context && !context.created) {
      // The context was never opened, or the error is about an earlier frame of that id.
      this.#forget(id);
      if (name !== TOO_MANY) this.#doubt(id);
      return;
    }
    for (const other of context ? [context] : id === null ? this.#contexts.values() : []) {
      other.heard('error');
      other.book.doubt();
    }
  }

  #sessionClosed(told: number | undefined): void {
    const [live] = this.#contexts.values();
    if (live) {
      const message = `session_closed: expected context_closed of all contexts before it, got it while ${this.#contexts.size} live`;
      live.report('session-closed-early', message, { related: live.asked });
    } else if (told !== undefined && !isWithin(told, this.#seconds) && !isWithin(told, this.#secondsSince)) {
      const message = `expected ${secondsRangeText(this.#seconds)}, as received, got ${told}`;
      this.report('session-seconds', message, 'total_audio_seconds');
    }
    this.#secondsSince = { low: 0, high: 0 };
  }
}
