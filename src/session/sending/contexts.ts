import type { Clock } from '#lib/clock.ts';
import { smallest } from '#lib/collections/arrays.ts';
import { deepEqual } from '#lib/deep-equal.ts';
import type { ContextRules, Endpoint, Intent, Settings } from '#protocol/core/endpoint.ts';
import type { Usage } from '#protocol/core/speech-event.ts';
import { keptUsage } from '#trace/chunks.ts';
import type { Speaker } from '../commands.ts';
import type { Connections } from '../connections.ts';
import { DOUBTFUL_MS, type Link } from '../link.ts';
import type { Publisher } from '../publisher.ts';
import type { Carried, Route } from '../route.ts';
import type { Conversation } from '../turns/conversation.ts';
import type { SessionTurn } from '../turns/session-turn.ts';
import type { ContextBill } from '../turns/totals.ts';
import type { ContextView, Mark } from '../views.ts';

/** A server need not confirm an opening. Waiting longer would look like a hang. */
const OPENING_WAIT_MS = 1500;

/** Share of the idle time after which a context is kept alive. It leaves room for a late timer. */
const KEEP_ALIVE_AT = 0.7;

interface Context extends Omit<ContextView, 'idleAtMs'> {
  /** When a frame was last sent or received on it. */
  activeMs: number;
  settings: Settings;
  /** The connection that it was opened on. */
  link: Link;
  /** Opened again while it may still have been open, so that a close may belong to its earlier life. */
  mayCloseBefore: boolean;
  callOffWait: () => void;
}

export interface ContextOptions {
  network: Clock;
  connections: Connections;
  conversation: Conversation;
  publisher: Publisher;
  events: ContextEvents;
}

/** News of contexts for their session. */
export interface ContextEvents {
  /** It opens, with the next text or without. */
  opening(context: string): void;
  /** The server takes text of it. */
  opened(context: string): void;
  /** The server has closed or refused it. */
  ended(context: string): void;
}

/** The contexts of an endpoint that has several, and their bills over all connections. Elsewhere it passes all text. */
export class Contexts {
  readonly #network: Clock;
  readonly #connections: Connections;
  readonly #conversation: Conversation;
  readonly #publisher: Publisher;
  readonly #events: ContextEvents;
  readonly #contexts = new Map<string, Context>();
  /** Bills of contexts on earlier endpoints and servers. */
  #oldBills: ContextBill[] = [];
  /** Contexts to open as soon as there is a connection. */
  readonly #wanted = new Set<string>();
  #rules: ContextRules | null = null;
  #callOffKeepAlive = (): void => {};

  constructor({ network, connections, conversation, publisher, events }: ContextOptions) {
    this.#network = network;
    this.#connections = connections;
    this.#conversation = conversation;
    this.#publisher = publisher;
    this.#events = events;
  }

  /** Starts on another endpoint or server. Only the bills of the last one are kept. */
  speakWith({ contexts }: Endpoint): void {
    this.#wanted.clear();
    this.#oldBills = [...this.bills];
    this.#contexts.clear();
    this.#rules = contexts;
    this.#changed();
  }

  /** Sets everyone who may speak. Contexts of all others are closed. */
  set speakers(speakers: readonly Speaker[]) {
    this.#connections.speakers = new Map(speakers.map((speaker) => [speaker.id, speaker]));
    for (const { id } of this.#contexts.values()) this.#closeOrphan(id);
    this.#planKeepAlive();
    this.#changed();
  }

  speaker(id: string): Speaker | undefined {
    return this.#connections.speakers.get(id);
  }

  /** Frames of a context that is not open are dropped (wire-context-1). */
  isClosed(id: string): boolean {
    return this.#rules !== null && !this.isLive(id);
  }

  isLive(id: string): boolean {
    const state = this.#contexts.get(id)?.state;
    return state === 'open' || state === 'opening' || state === 'closing';
  }

  /** Contexts wait for a connection of that route. */
  hasWanted(route: Route): boolean {
    return [...this.#wanted].some((id) => this.#connections.of(id) === route);
  }

  forgetWanted(): void {
    this.#wanted.clear();
  }

  /** The server speaks the rest of it and then closes it. */
  isClosing(id: string): boolean {
    return this.#contexts.get(id)?.state === 'closing';
  }

  /** The settings that the context was opened with last. */
  settingsOf(id: string): Settings {
    return this.#contexts.get(id)?.settings ?? {};
  }

  /** Whether text of a turn may go out. A context with other settings is closed first, unless the turn has begun. */
  mayTakeText({ context: id, sent, asked: { settings } }: SessionTurn, link: Link): boolean {
    if (!this.#rules) return true;
    const context = this.#contexts.get(id);
    if (context?.state === 'opening' || context?.state === 'closing') return false;
    if (context?.state !== 'open' || sent) return true;
    if (context.link === link && deepEqual(context.settings, settings)) return true;
    if (!this.#conversation.isBusy(id)) this.close(id, false);
    return false;
  }

  /** Returns the settings that open the context with the next text of a turn; undefined where it is open. */
  settingsToOpen({ context: id, asked: { settings } }: SessionTurn, link: Link): Settings | undefined {
    if (!this.#rules) return undefined;
    const context = this.#contexts.get(id);
    if (context?.state === 'open' && !this.#isDoubtful(context)) return undefined;
    this.#opening(id, settings, link);
    return settings;
  }

  /**
   * Notes that a frame opened a context which the session did not make.
   * @param speaks the settings are those of its speaker from now on, as in a replay
   */
  openedBy(id: string, settings: Settings, speaks: boolean, link: Link): void {
    if (!this.#rules) return;
    const own = { ...settings, ...this.#connections.placedIn(link.settings) };
    if (speaks || !this.speaker(id)) {
      const speaker = { id, settings: own, keepOpen: false };
      this.#connections.speakers = new Map(this.#connections.speakers).set(id, speaker);
    }
    this.#opening(id, own, link);
  }

  /** Opens the context without speaking; without a connection, on the next one. */
  open(id: string): void {
    const route = this.#connections.of(id);
    if (route?.state !== 'open' || !route.link) {
      this.#wanted.add(id);
      route?.open();
      return;
    }
    if (!this.#rules || !this.isClosed(id)) return;
    const settings = this.#connections.settingsOf(id);
    const context = this.#opening(id, settings, route.link);
    // Its text opens it.
    if (!this.#send({ kind: 'openContext', context: id, settings }, context)) this.#contexts.delete(id);
    this.#changed();
  }

  openWanted(route: Route): void {
    for (const id of [...this.#wanted]) {
      if (this.#connections.of(id) !== route) continue;
      this.#wanted.delete(id);
      // A speaker who was removed has left no settings to open the context with.
      if (this.speaker(id)) this.open(id);
    }
  }

  close(id: string, immediate: boolean): void {
    const context = this.#contexts.get(id);
    if (context?.state !== 'open' && !(immediate && context?.state === 'closing')) return;
    this.#enter(context, 'closing');
    const isSent = this.#send({ kind: 'closeContext', context: id, immediate }, context);
    if (isSent) this.#mark('closeSent', id);
    // The server knows nothing of it, so it answers nothing.
    else if (!this.#conversation.isBusy(id)) this.closed(id, null);
  }

  touched(id: string): void {
    const context = this.#contexts.get(id);
    if (!context) return;
    context.activeMs = this.#network.nowMs();
    this.#changed();
  }

  /** The server has confirmed the opening, explicitly or by speaking. */
  opened(id: string): void {
    const context = this.#contexts.get(id);
    if (context?.state !== 'opening') return;
    this.#enter(context, 'open');
    this.#mark('opened', id);
    this.#events.opened(id);
    this.#closeOrphan(id);
  }

  /** The server reported an error of the context, which is a refusal while it opens. */
  refused(id: string): void {
    const context = this.#contexts.get(id);
    if (context?.state !== 'opening') return;
    this.#enter(context, 'refused');
    this.#mark('refused', id);
  }

  received(id: string, audioSeconds: number): void {
    const context = this.#contexts.get(id);
    if (context) context.unbilledSeconds += audioSeconds;
  }

  /** Returns false where the close belongs to the earlier life of a context that is being opened again. */
  closed(id: string, usage: Usage | null): boolean {
    const context = this.#contexts.get(id);
    if (!context || context.state === 'closed') return true;
    this.#bill(context, usage && keptUsage(usage));
    this.#mark('closed', id);
    if (context.state === 'opening' && context.mayCloseBefore) {
      context.mayCloseBefore = false;
      this.#changed();
      return false;
    }
    this.#enter(context, 'closed');
    return true;
  }

  /** Ends all contexts of a connection. Their unbilled audio stays unbilled, because no frame will report its charge. */
  disconnected(route: Route, link: Link | null, carried: Carried): void {
    for (const id of carried === 'nothing' ? this.#wanted : [])
      if (this.#connections.of(id) === route) this.#wanted.delete(id);
    for (const context of this.#contexts.values()) {
      if (context.link !== link) continue;
      if (carried === 'unsentAndContexts' && this.#isKeptOpen(context)) this.#wanted.add(context.id);
      if (context.state === 'closed' || context.state === 'refused') continue;
      this.#bill(context, null);
      this.#enter(context, 'closed');
    }
  }

  /** Bills of all contexts, on any endpoint and server. */
  get bills(): readonly ContextBill[] {
    const bills = [...this.#contexts.values()].map(({ billed, unknownCosts }) => ({ billed, unknownCosts }));
    return [...this.#oldBills, ...bills];
  }

  view(): readonly ContextView[] {
    return [...this.#contexts.values()].map((context) => {
      const { id, state, sinceMs, keepAlives, billed, unbilledSeconds, unknownCosts } = context;
      const idleAtMs = this.#isKeptOpen(context) ? null : this.#idleAtMs(context);
      return { id, state, sinceMs, idleAtMs, keepAlives, billed, unbilledSeconds, unknownCosts };
    });
  }

  #send(intent: Extract<Intent, { context: string }>, { link }: Context): boolean {
    const isSent = link.sendIntent(intent);
    if (isSent) this.#conversation.sent(intent, link, this.#network.nowMs());
    this.touched(intent.context);
    return isSent;
  }

  #mark(kind: Mark['kind'], context: string): void {
    this.#publisher.mark(kind, this.#network.nowMs(), { context });
  }

  #changed(): void {
    this.#publisher.changed('contexts');
  }

  /** Closes a context without a speaker. A context that is being opened is closed once it is open. */
  #closeOrphan(id: string): void {
    if (!this.speaker(id)) this.close(id, false);
  }

  #opening(id: string, settings: Settings, link: Link): Context {
    const nowMs = this.#network.nowMs();
    let context = this.#contexts.get(id);
    if (!context) {
      context = {
        id,
        state: 'opening',
        sinceMs: nowMs,
        activeMs: nowMs,
        settings,
        link,
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
    context.link = link;
    context.activeMs = nowMs;
    context.mayCloseBefore = context.state === 'open';
    this.#enter(context, 'opening');
    if (!link.dialect.traits.confirmsOpening) this.#enter(context, 'open');
    else context.callOffWait = this.#network.after(OPENING_WAIT_MS, () => this.opened(id));
    return context;
  }

  #enter(context: Context, state: ContextView['state']): void {
    context.callOffWait();
    context.callOffWait = () => {};
    context.state = state;
    context.sinceMs = this.#network.nowMs();
    this.#planKeepAlive();
    this.#changed();
    if (state === 'opening') this.#events.opening(context.id);
    if (state === 'closed' || state === 'refused') this.#events.ended(context.id);
  }

  #bill(context: Context, usage: Usage | null): void {
    const { billed } = context;
    if (usage ? usage.costCents === null : context.unbilledSeconds > 0) context.unknownCosts += 1;
    context.unbilledSeconds = 0;
    this.#publisher.changed('totals');
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
    if (!this.#rules || context.state !== 'open' || this.#conversation.isBusy(context.id)) return null;
    const idleMs = this.#rules.idleMs(this.#connections.wanted);
    return idleMs === null ? null : context.activeMs + idleMs;
  }

  /** It may close before a frame arrives, so the frame carries its settings. */
  #isDoubtful(context: Context): boolean {
    const idleAtMs = this.#idleAtMs(context);
    return idleAtMs !== null && this.#network.nowMs() > idleAtMs - DOUBTFUL_MS;
  }

  #isKeptOpen({ id, state }: Context): boolean {
    return state === 'open' && this.speaker(id)?.keepOpen === true;
  }

  /** Sets one timer for all contexts. In a worker, a browser does not throttle it while the page is hidden. */
  #planKeepAlive(): void {
    this.#callOffKeepAlive();
    this.#callOffKeepAlive = () => {};
    const idleMs = this.#rules?.idleMs(this.#connections.wanted) ?? null;
    if (idleMs === null) return;
    const kept = [...this.#contexts.values()].filter((context) => this.#isKeptOpen(context));
    if (kept.length === 0) return;
    const dueMs = smallest(kept.map(({ activeMs }) => activeMs)) + idleMs * KEEP_ALIVE_AT;
    this.#callOffKeepAlive = this.#network.after(Math.max(0, dueMs - this.#network.nowMs()), () =>
      this.#keepAlive(idleMs),
    );
  }

  #keepAlive(idleMs: number): void {
    const nowMs = this.#network.nowMs();
    for (const context of this.#contexts.values()) {
      // Contexts that fall due within a moment share one timer.
      const isDue = nowMs >= context.activeMs + idleMs * (KEEP_ALIVE_AT - 0.1);
      if (!isDue || !this.#isKeptOpen(context)) continue;
      this.#send({ kind: 'keepAlive', context: context.id }, context);
      context.activeMs = nowMs;
      context.keepAlives += 1;
      this.#mark('keepAlive', context.id);
    }
    this.#planKeepAlive();
    this.#changed();
  }
}

const sum = (a: number | null | undefined, b: number | null): number | null =>
  a === null || a === undefined ? b : a + (b ?? 0);
