import { isHighSurrogate } from '#lib/text/halves.ts';
import type { Intent, Settings } from '#protocol/core/endpoint.ts';
import type { TextOrigin } from '#trace/user-actions.ts';
import type { Connections } from '../connections.ts';
import type { Link, SessionEnvironment } from '../link.ts';
import type { Publisher } from '../publisher.ts';
import type { Route } from '../route.ts';
import type { Conversation } from '../turns/conversation.ts';
import { type Asked, type SessionTurn, UNASKED } from '../turns/session-turn.ts';
import { Budgets } from './budgets.ts';
import { type CancelOptions, Cancels } from './cancels.ts';
import type { Contexts } from './contexts.ts';
import { planSettings, voiceIn } from './settings-plan.ts';
import { WholeCharacters } from './whole-characters.ts';

/** Something to be sent for a turn. */
type OfTurn = { turn: SessionTurn } & ({ kind: 'say'; text: string } | { kind: 'flush' | 'endTurn' });

/** Something to be sent for a turn, or behind everything that was to be sent on its context. */
type Outgoing = OfTurn | { turn: null; kind: 'closeContext'; context: string };

/** News of an outbox for its session. */
export interface OutboxEvents {
  /** Text joined a turn. */
  written(turn: SessionTurn, text: string): void;
  /** A flush or the end of a text went out, which the server answers. */
  ended(): void;
}

export interface OutboxOptions extends Omit<CancelOptions, 'overdue'> {
  events: OutboxEvents;
}

/** The queue of everything to be sent. It waits for the connection, for contexts that open or close, and for cancels. */
export class Outbox {
  readonly cancels: Cancels;
  readonly #characters = new WholeCharacters();
  readonly #network: SessionEnvironment;
  readonly #connections: Connections;
  readonly #contexts: Contexts;
  readonly #conversation: Conversation;
  readonly #isSilent: () => boolean;
  readonly #publisher: Publisher;
  readonly #events: OutboxEvents;
  readonly #budgets = new WeakMap<Link, Budgets>();
  #items: Outgoing[] = [];

  constructor(options: OutboxOptions) {
    this.#network = options.network;
    this.#connections = options.connections;
    this.#contexts = options.contexts;
    this.#conversation = options.conversation;
    this.#isSilent = options.isSilent;
    this.#publisher = options.publisher;
    this.#events = options.events;
    this.cancels = new Cancels({ ...options, overdue: () => this.send() });
  }

  /** Turns that the server has no text of, and that wait for a connection of that route. Oldest first. */
  waitingFor(route: Route): readonly SessionTurn[] {
    return this.#conversation.waiting.filter(
      ({ asked }) => this.#connections.routeWith(asked.settings) === route,
    );
  }

  /** Connects for a turn, unless there is a connection. While it is retried, tries at once. @param turn null: the next */
  connect(turn: SessionTurn | null): void {
    if (turn) this.#connections.routeWith(turn.asked.settings)?.open();
    else this.#connections.open();
  }

  /** Returns what may be said of a piece of text now: whole characters, with those that end in it. */
  sayable(context: string, piece: string): string {
    return this.#characters.next(context, piece);
  }

  /** Drops half a character that waits for its other half. @param context null: of all */
  dropHalf(context: string | null): void {
    this.#characters.end(context);
  }

  /** Queues whole characters in parts that fit into a frame. */
  say(turn: SessionTurn, text: string): void {
    turn.write(text);
    this.#events.written(turn, text);
    this.#publisher.turnChanged(turn);
    for (const part of splitText(text, this.#connections.endpoint.limits.textChars)) {
      this.#items.push({ turn, kind: 'say', text: part });
    }
  }

  /** Speaks the text so far, which ends the turn where the endpoint has it so. */
  flush(turn: SessionTurn): void {
    if (this.#connections.endpoint.flushEndsTurn) this.endText(turn);
    else this.#items.push({ turn, kind: 'flush' });
  }

  /** @param kind of the message; one that ends no turn is not sent */
  endText(turn: SessionTurn, kind: 'flush' | 'endTurn' = 'flush'): void {
    turn.textEnded = true;
    this.#characters.end(turn.context);
    this.#items.push({ turn, kind: this.#connections.endpoint.flushEndsTurn ? kind : 'endTurn' });
  }

  /** Ends a context that is not kept open, once everything that waits for it has gone out. */
  closeContext(context: string): void {
    if (!this.#contexts.speaker(context)?.keepOpen) {
      this.#items.push({ turn: null, kind: 'closeContext', context });
    }
  }

  opened(route: Route, link: Link): void {
    this.#budgets.set(link, new Budgets(this.#network, route.budgetsOf(link), () => this.send()));
    configure(link, route.openingSettings(link));
  }

  /** @param keepsUnsent unsent turns wait for the next connection */
  disconnected(route: Route, link: Link | null, keepsUnsent: boolean): void {
    if (link) this.#budgets.get(link)?.end();
    if (!keepsUnsent) this.cancels.forgetReplaced(route);
  }

  /** Ends the session on the server, which speaks what is in flight before it closes. */
  disconnect(): void {
    this.#contexts.forgetWanted();
    if (this.#isSilent()) this.#connections.drop('nothing');
    else for (const route of this.#connections.routes) this.#disconnect(route);
  }

  #disconnect(route: Route): void {
    const { link, state } = route;
    if (state === 'connecting' || state === 'retrying') {
      const isSpare = link?.isSpare && this.waitingFor(route).length === 0;
      // Another connection may still deliver the rest of its turn.
      route.leave('nothing');
      if (!isSpare) return;
    }
    const dialect = state === 'open' ? link?.dialect : undefined;
    const frames = dialect?.encode({ kind: 'disconnect' }) ?? [];
    if (frames.length > 0) this.send();
    // Text that could not go out by now must not go out on the next connection.
    const waiting = this.waitingFor(route);
    this.cancelUnsent((turn) => waiting.includes(turn));
    // The end of the connection closes its contexts, and ends the texts whose flush could not go out.
    const isOver = ({ turn }: Outgoing): boolean => !turn || (link !== null && turn.connection === link);
    for (const { turn } of this.#items.filter(isOver)) if (turn?.flushedMs === null) turn.textEnded = false;
    this.#items = this.#items.filter((item) => !isOver(item));
    // Words that are typed meanwhile begin a turn on the next connection.
    const ended = link && this.#conversation.sent({ kind: 'disconnect' }, link, this.#network.nowMs());
    // A second press closes at once.
    if (frames.length === 0) {
      route.close();
      return;
    }
    link?.sendMade(frames, { kind: 'disconnect', turn: ended?.id ?? null });
    route.closing();
  }

  /** Cancels turns that the server has no text of. */
  cancelUnsent(isMeant?: (turn: SessionTurn) => boolean): void {
    this.#conversation.cancelUnsent(this.#network.nowMs(), isMeant);
    this.dropEnded();
  }

  dropEnded(): void {
    this.#items = this.#items.filter(({ turn }) => !turn?.isOver);
  }

  /** Begins a turn, with the settings of its speaker where it names none. */
  begin(context: string, origin: TextOrigin, beginning: Omit<Partial<Asked>, 'origin'> = {}): SessionTurn {
    const { settings = this.#connections.settingsOf(context), line = null, answer = null } = beginning;
    return this.#conversation.begin(context, { origin, line, settings, answer }, this.voiceOf(settings));
  }

  /** The settings of a turn that decide its connection; null for none. */
  settingsInAddress({ asked: { settings } }: SessionTurn): Settings | null {
    const placed = this.#connections.placedIn(settings);
    return Object.keys(placed).length > 0 ? placed : null;
  }

  /** Returns the voice of a turn. @param own settings of its context @param shared those of its connection */
  voiceOf(own: Settings, shared: Settings = this.#connections.wanted): string | null {
    const { contexts, settings } = this.#connections.endpoint;
    return contexts ? voiceIn(own, contexts.settings) : voiceIn(shared, settings);
  }

  /** Sends all that may be sent now. An item that waits on one context delays no other context. */
  send(): void {
    for (const turn of this.cancels.replaced()) this.#publisher.turnChanged(turn);
    this.dropEnded();
    for (const link of this.#connections.links) this.#budgets.get(link)?.anew();
    const blocked = new Set<string>();
    for (let at = 0, item = this.#items[0]; item; item = this.#items[at]) {
      const context = item.turn === null ? item.context : item.turn.context;
      const send = blocked.has(context) ? null : this.#sending(item);
      if (!send) {
        blocked.add(context);
        at += 1;
        continue;
      }
      this.#items.splice(at, 1);
      send();
    }
    // What waits for the end of a connection that takes no more text goes to the next one.
    for (const route of this.#connections.routes) {
      const isOver = route.link === null && route.state === 'closing';
      if (isOver && this.waitingFor(route).length > 0) this.#network.initiate(() => route.open());
    }
  }

  /** Returns the sending of an item; null while it has to wait. */
  #sending(item: Outgoing): (() => void) | null {
    if (item.turn === null) return () => this.#contexts.close(item.context, false);
    const link = this.#connections.routeWith(item.turn.asked.settings)?.ready ?? null;
    // A turn stays on the connection where it began.
    const isOther = item.turn.connection !== null && item.turn.connection !== link;
    return link && !isOther && this.#mayGo(item, link) ? () => this.#sendItem(item, link) : null;
  }

  /**
   * Notes a frame that went out, and was not queued here. Returns its turn; null for none.
   * @param own its turn, where the sender says so
   * @param settings those of the connection, where they are not the wanted ones
   */
  follow(intent: Intent, link: Link, own: SessionTurn | null, settings?: Settings): SessionTurn | null {
    const open = intent.kind === 'say' ? this.#endsLater(intent.context, link) : null;
    const turn = this.#sent(intent, link, own ?? open, settings);
    if (turn && intent.kind === 'say') this.#events.written(turn, intent.text);
    if (intent.kind === 'cancel' && this.#conversation.awaitsInterrupt(intent.context))
      this.cancels.sent(intent.context, link);
    return turn;
  }

  /** Returns the turn whose end waits here, so that the server joins more text to it; null for none. */
  #endsLater(context: string, link: Link): SessionTurn | null {
    const isOpen = ({ turn }: Outgoing): boolean =>
      turn?.context === context && turn.connection === link && turn.textEnded && turn.flushedMs === null;
    return this.#items.find(isOpen)?.turn ?? null;
  }

  /** Notes a frame that went out, and what it changes for its turn and its connection. */
  #sent(intent: Intent, link: Link, own: SessionTurn | null, settings?: Settings): SessionTurn | null {
    const context = 'context' in intent ? intent.context : null;
    const ofContext = context === null ? {} : this.#contexts.settingsOf(context);
    const asked = { ...UNASKED, settings: ofContext };
    const turn = this.#conversation.sent(intent, link, this.#network.nowMs(), own, asked);
    if (!turn) return null;
    if (intent.kind === 'say') {
      if (turn.textFrames === 1) turn.voice = this.voiceOf(ofContext, settings);
      this.#budgets.get(link)?.count('characters', intent.text.length);
      link.hasTurn = true;
      this.#mark('text', turn, intent.text.length);
    } else if (intent.kind === 'flush' || intent.kind === 'endTurn') {
      this.#budgets.get(link)?.count('flushes', 1);
      this.#mark('flush', turn, 0);
      this.#events.ended();
      if (turn.flushedMs !== null) this.#connections.routeOf(link)?.drain(link);
    }
    return turn;
  }

  #mark(kind: 'text' | 'flush', turn: SessionTurn, amount: number): void {
    const mark = { context: turn.context, turn: turn.id, amount, frame: this.#connections.lastEntry };
    this.#publisher.mark(kind, this.#network.nowMs(), mark);
    this.#publisher.turnChanged(turn);
  }

  #mayGo(item: OfTurn, link: Link): boolean {
    const { turn } = item;
    const { context } = turn;
    if (!turn.sent && (link.dialect.hasRoom?.(context) === false || !this.#prepare(link))) return false;
    if (this.cancels.blocks(context) || !this.#contexts.mayTakeText(turn, link)) return false;
    const budgets = this.#budgets.get(link);
    return item.kind === 'say'
      ? budgets?.allow('characters', item.text.length) !== false
      : budgets?.allow('flushes', 1) !== false;
  }

  /** Makes the server hold the wanted settings before a turn's first text. Returns false while it does not. */
  #prepare(link: Link): boolean {
    const route = this.#connections.routeOf(link);
    if (!route) return false;
    const isSpeaking = this.#conversation.isSpeakingOn(link);
    // The connection belongs to another turn, which may still get text.
    if (link.hasTurn && link.dialect.traits.turnEnd === 'connection') {
      if (!isSpeaking) route.drain(link);
      return false;
    }
    const plan = planSettings(link.held, route.wanted, this.#connections.endpoint);
    if (plan.kind === 'reconnect' || link.isDoubtful) {
      // A change of connection would cut off turns that are being spoken.
      if (!isSpeaking) route.renew();
      return false;
    }
    if (plan.kind === 'send') configure(link, plan.settings);
    return true;
  }

  #sendItem(item: OfTurn, link: Link): void {
    const { turn } = item;
    const { context } = turn;
    if (item.kind === 'say') {
      const { text } = item;
      const opens = this.#contexts.settingsToOpen(turn, link);
      const intent: Intent = { kind: 'say', context, text, ...(opens ? { opens } : {}) };
      link.sendIntent(intent, turn.id);
      turn.takeWaiting(text.length);
      this.#conversation.stopAwaitingInterrupt(context, link);
      this.#sent(intent, link, turn);
    } else {
      const intent: Intent = { kind: item.kind, context };
      link.sendIntent(intent, turn.id);
      this.#sent(intent, link, turn);
    }
    this.#contexts.touched(context);
  }
}

function configure(link: Link, settings: Settings): void {
  link.held = settings;
  link.sendIntent({ kind: 'open', settings });
}

/** Cuts text into parts of at most `maxChars`: after white space in the last quarter of a part, else between characters. */
function splitText(text: string, maxChars: number): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > maxChars) {
    const end = cutBefore(rest, maxChars);
    parts.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  if (rest !== '') parts.push(rest);
  return parts;
}

function cutBefore(text: string, maxChars: number): number {
  for (let end = maxChars; end > maxChars * 0.75; end -= 1) {
    if (/\s/.test(text.charAt(end - 1))) return end;
  }
  // A surrogate pair is not cut in two.
  const isHalf = isHighSurrogate(text.charCodeAt(maxChars - 1));
  return isHalf && maxChars > 1 ? maxChars - 1 : maxChars;
}
