import { deepEqual } from '#lib/deep-equal.ts';
import type { ContextRules, Endpoint, Intent, Settings } from '#protocol/core/endpoint.ts';
import type { Usage } from '#protocol/core/speech-event.ts';
import type { SessionEnvironment } from '../environment.ts';
import type { Speaker } from '../messages.ts';
import type { Marks } from '../turns/marks.ts';
import type { ContextView } from '../views.ts';

/** A server need not confirm an opening; text held back for longer would look like a hang. */
const OPENING_WAIT_MS = 1500;

/** Part of the idle time after which a context that is wanted open is kept alive, early enough for a late timer. */
const KEEP_ALIVE_AT = 0.7;

/** This close to its idle end a context may be gone before a frame arrives, so the frame can open it again. */
const DOUBTFUL_MS = 1000;

interface Context {
  readonly id: string;
  state: ContextView['state'];
  sinceMs: number;
  /** When anything was last sent or received on it. */
  activeMs: number;
  /** What it was opened with. */
  settings: Settings;
  keepAlives: number;
  billed: Usage | null;
  unbilledSeconds: number;
  unknownCosts: number;
  /** It was opened again while it may have been open still, so that a close may be about its life before. */
  mayCloseBefore: boolean;
  callOffWait: () => void;
}

/** What is known of the charges of a context, over all its openings. */
export type Bill = Pick<ContextView, 'billed' | 'unknownCosts'>;

export interface ContextsHandlers {
  send(intent: Intent): void;
  /** A turn of it is under way, so that it is not idle. */
  isBusy(context: string): boolean;
  changed(): void;
  /** It is closed. */
  ended(context: string): void;
  /** Text that waited for the context may go now. */
  settled(): void;
}

/**
 * The contexts of an endpoint that has several: which are open on the present connection, what keeps them open, and
 * what they were billed over all connections. On an endpoint with a single context it is empty, and lets all text pass.
 */
export class Contexts {
  readonly #environment: SessionEnvironment;
  readonly #marks: Marks;
  readonly #handlers: ContextsHandlers;
  readonly #contexts = new Map<string, Context>();
  /** Of contexts that are not known any more. */
  #oldBills: Bill[] = [];
  #rules: ContextRules | null = null;
  #speakers: ReadonlyMap<string, Speaker> = new Map();
  #callOffKeepAlive = (): void => {};

  constructor(environment: SessionEnvironment, marks: Marks, handlers: ContextsHandlers) {
    this.#environment = environment;
    this.#marks = marks;
    this.#handlers = handlers;
  }

  /** Another endpoint or server: nothing that was known holds any more, but for what it has cost. */
  speakWith({ contexts }: Endpoint): void {
    this.disconnected();
    this.#oldBills = [...this.bills];
    this.#contexts.clear();
    this.#rules = contexts;
    this.#handlers.changed();
  }

  /** Everyone who may speak. Contexts of those who are not among them any more are closed. */
  set speakers(speakers: readonly Speaker[]) {
    this.#speakers = new Map(speakers.map((speaker) => [speaker.id, speaker]));
    for (const { id } of this.#contexts.values()) this.#closeOrphan(id);
    this.#planKeepAlive();
    this.#handlers.changed();
  }

  speaker(id: string): Speaker | undefined {
    return this.#speakers.get(id);
  }

  /** Frames of a context that is not open belong to nobody any more (`facts 3.3.18`). */
  isClosed(id: string): boolean {
    return this.#rules !== null && !this.isLive(id);
  }

  /** The server holds it, or is about to. */
  isLive(id: string): boolean {
    const state = this.#contexts.get(id)?.state;
    return state === 'open' || state === 'opening' || state === 'closing';
  }

  /** Open now, and wanted open. */
  get keptOpen(): readonly string[] {
    return [...this.#contexts.values()].filter((context) => this.#isKeptOpen(context)).map(({ id }) => id);
  }

  /** It was asked to close, and the server speaks what is left. */
  isClosing(id: string): boolean {
    return this.#contexts.get(id)?.state === 'closing';
  }

  /**
   * Whether text of that context may go out. One that is open under other settings than its speaker has now is closed
   * first, since they hold for its whole life, unless its turn has begun.
   */
  mayTakeText(id: string, turnHasBegun: boolean): boolean {
    if (!this.#rules) return true;
    const context = this.#contexts.get(id);
    if (context?.state === 'opening' || context?.state === 'closing') return false;
    if (context?.state !== 'open' || turnHasBegun) return true;
    if (deepEqual(context.settings, this.#settingsOf(id))) return true;
    if (!this.#handlers.isBusy(id)) this.close(id, false);
    return false;
  }

  /** What text that goes out now has to open its context with; undefined where it is open. */
  settingsToOpen(id: string): Settings | undefined {
    if (!this.#rules) return undefined;
    const context = this.#contexts.get(id);
    if (context?.state === 'open' && !this.#isDoubtful(context)) return undefined;
    const settings = this.#settingsOf(id);
    this.#opening(id, settings);
    return settings;
  }

  /** What went out in its time opened it under these settings. */
  openedThen(id: string, settings: Settings): void {
    if (!this.#rules) return;
    this.#speakers = new Map(this.#speakers).set(id, { id, settings, keepOpen: false });
    this.#opening(id, settings);
  }

  /** Opens it without speaking. */
  open(id: string): void {
    if (!this.#rules || !this.isClosed(id)) return;
    const settings = this.#settingsOf(id);
    this.#opening(id, settings);
    this.#handlers.send({ kind: 'openContext', context: id, settings });
  }

  close(id: string, immediate: boolean): void {
    const context = this.#contexts.get(id);
    if (context?.state !== 'open' && !(immediate && context?.state === 'closing')) return;
    this.#enter(context, 'closing');
    this.#handlers.send({ kind: 'closeContext', context: id, immediate });
    this.#marks.add('closeSent', this.#environment.nowMs(), { context: id });
  }

  /** A frame went out or came in. */
  touched(id: string): void {
    const context = this.#contexts.get(id);
    if (!context) return;
    context.activeMs = this.#environment.nowMs();
    this.#handlers.changed();
  }

  /** The server has confirmed that it is there, by saying so or by speaking. */
  opened(id: string): void {
    const context = this.#contexts.get(id);
    if (context?.state !== 'opening') return;
    this.#enter(context, 'open');
    this.#marks.add('opened', this.#environment.nowMs(), { context: id });
    this.#handlers.settled();
    this.#closeOrphan(id);
  }

  /** The server would not open it. False where it was open already, so that the error is about something else. */
  refused(id: string): boolean {
    const context = this.#contexts.get(id);
    if (context?.state !== 'opening') return false;
    this.#enter(context, 'refused');
    this.#marks.add('refused', this.#environment.nowMs(), { context: id });
    return true;
  }

  received(id: string, audioSeconds: number): void {
    const context = this.#contexts.get(id);
    if (context) context.unbilledSeconds += audioSeconds;
  }

  /** False where that was its life before, and it is being opened again: what was sent since belongs to the new one. */
  closed(id: string, usage: Usage | null): boolean {
    const context = this.#contexts.get(id);
    if (!context || context.state === 'closed') return true;
    this.#bill(context, usage);
    this.#marks.add('closed', this.#environment.nowMs(), { context: id });
    if (context.state === 'opening' && context.mayCloseBefore) {
      context.mayCloseBefore = false;
      this.#handlers.changed();
      return false;
    }
    this.#enter(context, 'closed');
    return true;
  }

  /** The connection is gone, and what it had not billed will never be told. */
  disconnected(): void {
    for (const context of this.#contexts.values()) {
      if (context.state === 'closed' || context.state === 'refused') continue;
      this.#bill(context, null);
      this.#enter(context, 'closed');
    }
  }

  /** Of all contexts that there were, on any endpoint and server. */
  get bills(): readonly Bill[] {
    const bills = [...this.#contexts.values()].map(({ billed, unknownCosts }) => ({ billed, unknownCosts }));
    return [...this.#oldBills, ...bills];
  }

  view(): readonly ContextView[] {
    return [...this.#contexts.values()].map((context) => ({
      id: context.id,
      state: context.state,
      sinceMs: context.sinceMs,
      idleAtMs: this.#isKeptOpen(context) ? null : this.#idleAtMs(context),
      keepAlives: context.keepAlives,
      billed: context.billed,
      unbilledSeconds: context.unbilledSeconds,
      unknownCosts: context.unknownCosts,
    }));
  }

  /** Nobody speaks on it any more. One that is being opened is closed when it is open. */
  #closeOrphan(id: string): void {
    if (!this.#speakers.has(id)) this.close(id, false);
  }

  #settingsOf(id: string): Settings {
    return this.#speakers.get(id)?.settings ?? {};
  }

  #opening(id: string, settings: Settings): void {
    const nowMs = this.#environment.nowMs();
    let context = this.#contexts.get(id);
    if (!context) {
      context = {
        id,
        state: 'opening',
        sinceMs: nowMs,
        activeMs: nowMs,
        settings,
        keepAlives: 0,
        billed: null,
        unbilledSeconds: 0,
        unknownCosts: 0,
        mayCloseBefore: false,
        callOffWait: () => {},
      };
      this.#contexts.set(id, context);
    }
    context.settings = settings;
    context.activeMs = nowMs;
    context.mayCloseBefore = context.state === 'open';
    this.#enter(context, 'opening');
    context.callOffWait = this.#environment.after(OPENING_WAIT_MS, () => this.opened(id));
  }

  #enter(context: Context, state: ContextView['state']): void {
    context.callOffWait();
    context.callOffWait = () => {};
    context.state = state;
    context.sinceMs = this.#environment.nowMs();
    this.#planKeepAlive();
    this.#handlers.changed();
    if (state === 'closed') this.#handlers.ended(context.id);
  }

  #bill(context: Context, usage: Usage | null): void {
    const { billed } = context;
    if (usage ? usage.costCents === null : context.unbilledSeconds > 0) context.unknownCosts += 1;
    context.unbilledSeconds = 0;
    if (!usage) return;
    context.billed = {
      audioSeconds: sum(billed?.audioSeconds, usage.audioSeconds),
      characters: sum(billed?.characters, usage.characters),
      costCents: sum(billed?.costCents, usage.costCents),
      currency: usage.currency ?? billed?.currency ?? null,
      modelId: usage.modelId ?? billed?.modelId ?? null,
    };
  }

  #idleAtMs(context: Context): number | null {
    if (!this.#rules || context.state !== 'open' || this.#handlers.isBusy(context.id)) return null;
    return context.activeMs + this.#rules.idleMs;
  }

  #isDoubtful(context: Context): boolean {
    const idleAtMs = this.#idleAtMs(context);
    return idleAtMs !== null && this.#environment.nowMs() > idleAtMs - DOUBTFUL_MS;
  }

  #isKeptOpen({ id, state }: Context): boolean {
    return state === 'open' && this.#speakers.get(id)?.keepOpen === true;
  }

  /**
   * One timer for all of them, which looks again where something has happened since it was set. It is on the worker's
   * clock, because a page in the background may be throttled to one a minute.
   */
  #planKeepAlive(): void {
    this.#callOffKeepAlive();
    this.#callOffKeepAlive = () => {};
    const { idleMs } = this.#rules ?? {};
    if (idleMs === undefined) return;
    const kept = [...this.#contexts.values()].filter((context) => this.#isKeptOpen(context));
    if (kept.length === 0) return;
    const dueMs = Math.min(...kept.map(({ activeMs }) => activeMs)) + idleMs * KEEP_ALIVE_AT;
    this.#callOffKeepAlive = this.#environment.after(Math.max(0, dueMs - this.#environment.nowMs()), () =>
      this.#keepAlive(idleMs),
    );
  }

  #keepAlive(idleMs: number): void {
    const nowMs = this.#environment.nowMs();
    for (const context of this.#contexts.values()) {
      // What falls due within a moment goes along, so that a cast is kept by one timer and not by twenty.
      const isDue = nowMs >= context.activeMs + idleMs * (KEEP_ALIVE_AT - 0.1);
      if (!isDue || !this.#isKeptOpen(context)) continue;
      this.#handlers.send({ kind: 'keepAlive', context: context.id });
      context.activeMs = nowMs;
      context.keepAlives += 1;
      this.#marks.add('keepAlive', nowMs, { context: context.id });
    }
    this.#planKeepAlive();
    this.#handlers.changed();
  }
}

const sum = (a: number | null | undefined, b: number | null): number | null =>
  a === null || a === undefined ? b : a + (b ?? 0);
