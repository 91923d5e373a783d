import type { Clock } from '#lib/clock.ts';
import type { Intent, Settings } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { isSecretName, KEY_MARK } from '#record/named-secrets.ts';
import type { Connections } from '../connections.ts';
import type { Link } from '../link.ts';
import type { Conversation } from '../turns/conversation.ts';
import type { Turn } from '../turns/turn.ts';
import { Budgets } from './budgets.ts';
import type { Contexts } from './contexts.ts';
import { planSettings, voiceIn } from './settings-plan.ts';

/** The server confirms a cancel in a round trip. Waiting longer would look like a hang. */
export const INTERRUPT_WAIT_MS = 2000;

/** Something to be sent: for a turn, or behind everything that was to be sent on its context. */
type Outgoing =
  | { turn: Turn; kind: 'say'; text: string }
  | { turn: Turn; kind: 'flush' | 'endTurn' }
  | { turn: null; kind: 'closeContext'; context: string };

/** News of an outbox for its session. */
export interface OutboxEvents {
  /** Text joined a turn. */
  written(turn: Turn, text: string): void;
  /** Text, or the end of it, went out. @param chars length of the text; 0 for an end */
  sent(turn: Turn, kind: 'say' | 'flush' | 'endTurn', chars: number, entry: number | undefined): void;
  changed(turn: Turn): void;
  /** The server did not confirm a cancel. */
  overdue(): void;
}

export interface OutboxOptions {
  network: Clock;
  /** In a replay nothing is sent by the session itself. */
  isReplay: boolean;
  connection: Connections;
  contexts: Contexts;
  conversation: Conversation;
  /** The connection may be half open. */
  isSilent: () => boolean;
  events: OutboxEvents;
}

/** The queue of everything to be sent. It waits for the connection, for contexts that open or close, and for cancels. */
export class Outbox {
  readonly #network: Clock;
  readonly #isReplay: boolean;
  readonly #connection: Connections;
  readonly #contexts: Contexts;
  readonly #conversation: Conversation;
  readonly #isSilent: () => boolean;
  readonly #events: OutboxEvents;
  readonly #budgets: Budgets;
  #items: Outgoing[] = [];
  /** The settings that the server holds on this connection; null before any went out. */
  #sent: Settings | null = null;
  /** Frames written by hand before the connection was ready. */
  #frames: Frame[] = [];
  /** Timers of unconfirmed cancels, by context; null: a cancel of all contexts. */
  readonly #interruptTimers = new Map<string | null, () => void>();
  /** Turns that ended by a change of connection, until the next one is ready. */
  #replaced: { turns: readonly Turn[]; atMs: number } | null = null;

  constructor(options: OutboxOptions) {
    this.#network = options.network;
    this.#isReplay = options.isReplay;
    this.#connection = options.connection;
    this.#contexts = options.contexts;
    this.#conversation = options.conversation;
    this.#isSilent = options.isSilent;
    this.#events = options.events;
    this.#budgets = new Budgets(options.network, () => this.send());
  }

  get hasUnsentTurns(): boolean {
    return this.#items.some(({ turn }) => turn !== null && !turn.sent && !turn.isOver);
  }

  /** Connects, unless there is a connection. While it is retried, tries at once. */
  connect(): void {
    this.#connection.open();
  }

  /** Queues text in parts that fit into a frame. */
  say(turn: Turn, text: string): void {
    this.write(turn, text);
    for (const part of splitText(text, this.#connection.endpoint.limits.textChars)) {
      this.#items.push({ turn, kind: 'say', text: part });
    }
  }

  /** Adds text to a turn without sending it. */
  write(turn: Turn, text: string): void {
    turn.write(text);
    this.#events.written(turn, text);
  }

  /** Speaks the text so far, which ends the turn where the endpoint has it so. */
  flush(turn: Turn): void {
    if (this.#connection.traits.flushEndsTurn) this.endText(turn);
    else this.#items.push({ turn, kind: 'flush' });
  }

  /** @param kind of the message; one that ends no turn is not sent */
  endText(turn: Turn, kind: 'flush' | 'endTurn' = 'flush'): void {
    turn.textEnded = true;
    this.#items.push({ turn, kind: this.#connection.traits.flushEndsTurn ? kind : 'endTurn' });
  }

  /** Ends a context that is not kept open, once everything that waits for it has gone out. */
  closeContext(context: string): void {
    if (!this.#contexts.speaker(context)?.keepOpen) {
      this.#items.push({ turn: null, kind: 'closeContext', context });
    }
  }

  /** Sends a frame written by hand, also while the server drains or the endpoint waits, because its answer may matter. */
  sendByHand(frame: Frame): void {
    const { link, endpoint, key, takesFrames } = this.#connection;
    if (!link || !takesFrames) {
      this.#frames.push(frame);
      this.#connection.open();
      return;
    }
    this.sentByHand();
    const entry = this.#connection.send(withKey(frame, key), { kind: 'sent' });
    for (const intent of endpoint.readIntents(frame)) {
      link.dialect.follow?.(intent);
      const turn = this.followed(intent, null);
      // The text decides, because a cancel before it is about another turn.
      if (entry && turn && (entry.turn === null || intent.kind !== 'cancel')) entry.turn = turn.id;
    }
  }

  /** Hears the answer of a frame written by hand, unless a cancel may still be confirmed. */
  sentByHand(): void {
    if (this.#interruptTimers.size === 0) this.#conversation.stopAwaitingInterrupt(null);
  }

  /**
   * Notes what a frame of a recorded client did to its turn. Returns the turn; null for none.
   * @param id number of the turn; null where the frame decides
   * @param settings those that the server held
   */
  followed(intent: Intent, id: number | null, settings?: Settings): Turn | null {
    return this.#follow(this.#turnOf(intent, id), intent, settings);
  }

  #follow(turn: Turn | null, intent: Intent, settings?: Settings): Turn | null {
    if (!turn) return null;
    if (intent.kind === 'say') {
      if (!turn.sent) turn.voice = this.voiceOf(turn.context, settings);
      this.write(turn, intent.text);
      this.textSent(turn, intent.text);
      this.#budgets.count('characters', intent.text.length);
    } else if (intent.kind === 'cancel') {
      this.#conversation.cancel(intent.context, this.#network.nowMs());
      this.cancelSent(intent.context);
    } else if (
      (intent.kind === 'flush' || intent.kind === 'endTurn') &&
      turn.sent &&
      turn.flushedMs === null
    ) {
      this.flushed(turn, intent.kind);
      this.#budgets.count('flushes', 1);
      // A flush of nothing ends nothing.
    } else return null;
    return turn;
  }

  /** The turn of a message that the session did not make. Text begins one where there is none. */
  #turnOf(intent: Intent, id: number | null): Turn | null {
    const { inFlight, turns } = this.#conversation;
    const known = turns.find((turn) => turn.id === id);
    switch (intent.kind) {
      case 'cancel':
        return inFlight.find(({ context, sent }) => sent && context === (intent.context ?? context)) ?? null;
      case 'flush':
      case 'endTurn':
        return known ?? this.#conversation.openTurn(intent.context);
      case 'say': {
        const { context, opens, text } = intent;
        // The context opens first, because its settings hold the voice of the turn.
        if (opens || this.#contexts.isClosed(context))
          this.#contexts.openedBy(context, opens ?? {}, this.#isReplay);
        const open = known ?? this.#conversation.openTurn(context);
        // White space starts no turn on the server either (facts 10.9).
        if (open || text.trim() === '') return open;
        if (id !== null) this.#conversation.numberNext(id);
        return this.#conversation.begin(context, 'whole', null);
      }
      default:
        return null;
    }
  }

  /**
   * Cancels turns on the server: by messages, or else by another connection.
   * @param context null: all contexts
   * @param spoken turns that the server has text of, by connection; null for the one that takes text
   * @param turn the only turn that was meant; null: all of the context
   */
  cancel(
    context: string | null,
    spoken: ReadonlyMap<object | null, readonly Turn[]>,
    turn: Turn | null = null,
  ): void {
    if (this.#isReplay) return;
    const unstoppable: Turn[] = [];
    for (const [draining, turns] of spoken) {
      const link = (draining as Link | null) ?? this.#connection.link;
      const takesFrames = draining !== null || this.#connection.takesFrames;
      if (!link || !takesFrames) continue;
      // A silent server would not confirm a cancel either, and the next turn would follow on a dead connection.
      if (link.dialect.traits.cancel === 'none' || this.#isSilent()) {
        // A `disconnect` on its way already ends what the server generates; nothing else does (facts 6.3.17).
        if (draining !== null) this.#connection.abandon(link);
        else if (this.#connection.state === 'open') unstoppable.push(...turns);
        continue;
      }
      for (const cancelled of context === null ? this.#cancelsForAll(turns) : [context]) {
        const meant = turn ?? turns.find((each) => each.context === (cancelled ?? each.context));
        const playedMs = playedMsOf(meant);
        const intent = {
          kind: 'cancel',
          context: cancelled,
          ...(playedMs === null ? {} : { playedMs }),
        } as const;
        this.#connection.sendIntent(intent, turn?.id, link);
        if (cancelled !== null) this.#contexts.touched(cancelled);
        this.cancelSent(context, draining as Link | null);
      }
    }
    if (unstoppable.length > 0) this.#replaceConnection(unstoppable);
  }

  /** Notes that a cancel went out. @param draining the connection that still delivers; null for the one that takes text */
  cancelSent(context: string | null, draining: Link | null = null): void {
    const link = draining ?? this.#connection.link;
    if (!link) return;
    this.#conversation.cancelSent(draining);
    if (link.dialect.traits.cancel === 'confirmed') this.#awaitInterrupt(context);
    if (!draining) this.#drainBehind(link);
  }

  /** Stops waiting for confirmations of cancels whose turns have gone. */
  settleInterrupts(): void {
    for (const [context, cancelTimer] of this.#interruptTimers) {
      if (this.#conversation.awaitsInterrupt(context)) continue;
      cancelTimer();
      this.#interruptTimers.delete(context);
    }
  }

  opened(): void {
    this.#budgets.limit(this.#connection.link?.dialect.traits.budgets ?? []);
    this.#configure(this.#connection.openingSettings);
  }

  /** @param keepsUnsent unsent turns and frames wait for the next connection */
  disconnected(keepsUnsent: boolean): void {
    this.#sent = null;
    this.#items = this.#items.filter(({ turn }) => turn !== null);
    if (keepsUnsent) return;
    this.#replaced = null;
    this.#frames = [];
  }

  /** Ends the session on the server, which speaks what is in flight before it closes (facts 2.3.14). */
  disconnect(): void {
    const { state } = this.#connection;
    this.#contexts.forgetWanted();
    if (this.#isSilent()) {
      this.#connection.drop('nothing');
      return;
    }
    if (state === 'connecting' || state === 'retrying') {
      // Another connection may still deliver the rest of its turn.
      this.#connection.leave('nothing');
      return;
    }
    const frames = state === 'open' ? this.#connection.encode({ kind: 'disconnect' }) : [];
    if (frames.length > 0) this.send();
    // Text that could not go out by now must not go out on the next connection.
    this.cancelUnsent();
    // The server takes no more text of a turn. Words that are typed meanwhile begin one on the next connection.
    for (const turn of this.#conversation.inFlight) turn.textEnded = true;
    // A second press closes at once.
    if (frames.length === 0) {
      this.#connection.close();
      return;
    }
    if (!this.#isReplay) for (const frame of frames) this.#connection.send(frame, { kind: 'disconnect' });
    this.#connection.closing();
  }

  /** Cancels turns that the server has no text of. */
  cancelUnsent(isMeant?: (turn: Turn) => boolean): void {
    this.#conversation.cancelUnsent(this.#network.nowMs(), isMeant);
    this.dropEnded();
  }

  dropEnded(): void {
    this.#items = this.#items.filter(({ turn }) => !turn?.isOver);
  }

  /** Returns the voice of the context's next turn. @param settings of a connection without contexts */
  voiceOf(context: string, settings: Settings = this.#connection.wanted): string | null {
    const { contexts, settings: described } = this.#connection.endpoint;
    return contexts
      ? voiceIn(this.#contexts.speaker(context)?.settings ?? {}, contexts.settings)
      : voiceIn(settings, described);
  }

  /** Sends all that may be sent now. An item that waits on one context delays no other context. */
  send(): void {
    this.#sendFirst();
    this.dropEnded();
    this.#budgets.anew();
    const blocked = new Set<string>();
    for (let at = 0; this.#connection.isReady; ) {
      const item = this.#items[at];
      if (!item) return;
      const context = item.turn === null ? item.context : item.turn.context;
      if (blocked.has(context) || !this.#mayGo(item)) {
        blocked.add(context);
        at += 1;
        continue;
      }
      this.#items.splice(at, 1);
      this.#sendItem(item);
    }
    // What waits for the end of a connection that takes no more text goes to the next one.
    if (this.#connection.link === null && this.#connection.state === 'closing' && this.hasUnsentTurns) {
      this.#connection.open();
    }
  }

  /** Notes that text went out. */
  textSent(turn: Turn, text: string): void {
    this.#conversation.stopAwaitingInterrupt(turn.context);
    turn.textSent(text, this.#network.nowMs());
    if (this.#connection.link) this.#connection.link.hasTurn = true;
    this.#events.sent(turn, 'say', text.length, this.#connection.lastEntry);
  }

  /** Notes that a flush or the end of a text went out. */
  flushed(turn: Turn, kind: 'flush' | 'endTurn'): void {
    const ends = kind === 'endTurn' || this.#connection.traits.flushEndsTurn;
    if (ends) turn.endText(this.#network.nowMs());
    this.#events.sent(turn, kind, 0, this.#connection.lastEntry);
    if (ends && this.#connection.link) this.#drainBehind(this.#connection.link);
  }

  #awaitInterrupt(context: string | null): void {
    this.#interruptTimers.get(context)?.();
    const cancelTimer = this.#network.after(INTERRUPT_WAIT_MS, () => {
      this.#interruptTimers.delete(context);
      this.#events.overdue();
      this.send();
    });
    this.#interruptTimers.set(context, cancelTimer);
  }

  /** Ends turns by a new connection, where the protocol has no cancel. */
  #replaceConnection(turns: readonly Turn[]): void {
    this.#replaced = { turns, atMs: this.#network.nowMs() };
    this.#connection.renew();
  }

  /** Leaves a connection that takes no other turn to deliver the rest of its own. */
  #drainBehind(link: Link): void {
    if (link.dialect.traits.turnEnd !== 'connection') return;
    const isOver = !this.#conversation.isSpeaking;
    this.#connection.drain();
    this.#conversation.startDraining(link);
    this.#sent = null;
    if (isOver) this.#connection.expectClose(link);
  }

  /** Ends the waits for a new connection once it is ready. */
  #sendFirst(): void {
    if (!this.#connection.isReady) return;
    if (this.#replaced) {
      for (const turn of this.#replaced.turns) {
        turn.reconnectMs = this.#network.nowMs() - (turn.bargeIn?.pressedMs ?? this.#replaced.atMs);
        this.#events.changed(turn);
      }
      this.#replaced = null;
    }
    const frames = this.#frames;
    this.#frames = [];
    for (const frame of frames) this.sendByHand(frame);
  }

  #mayGo(item: Outgoing): boolean {
    const { turn } = item;
    if (turn === null) return true;
    if (!turn.sent && !this.#prepare(turn)) return false;
    const { context } = turn;
    const isInterrupted = this.#interruptTimers.has(context) || this.#interruptTimers.has(null);
    if (isInterrupted || !this.#contexts.mayTakeText(context, turn.sent)) return false;
    return item.kind === 'say'
      ? this.#budgets.allow('characters', item.text.length)
      : this.#budgets.allow('flushes', 1);
  }

  /** Makes the server hold the wanted settings before a turn's first text. Returns false while it does not. */
  #prepare(turn: Turn): boolean {
    const connection = this.#connection;
    const { link } = connection;
    // The connection belongs to another turn, which may still get text.
    if (link?.hasTurn && link.dialect.traits.turnEnd === 'connection') {
      if (!this.#conversation.isSpeaking) this.#drainBehind(link);
      return false;
    }
    const plan = planSettings(this.#sent, connection.wanted, connection.endpoint);
    if (plan.kind === 'reconnect' || link?.isDoubtful) {
      // A change of connection would cut off turns that are being spoken.
      if (!this.#conversation.isSpeaking) connection.renew();
      return false;
    }
    if (plan.kind === 'send') this.#configure(plan.settings);
    turn.voice = this.voiceOf(turn.context);
    return true;
  }

  #configure(settings: Settings): void {
    this.#sent = settings;
    this.#connection.sendIntent({ kind: 'open', settings });
  }

  #sendItem(item: Outgoing): void {
    const { turn } = item;
    if (turn === null) {
      this.#contexts.close(item.context, false);
      return;
    }
    const { context } = turn;
    if (item.kind === 'say') {
      const { text } = item;
      const opens = this.#contexts.settingsToOpen(context);
      this.#connection.sendIntent({ kind: 'say', context, text, ...(opens ? { opens } : {}) }, turn.id);
      this.textSent(turn, text);
    } else {
      this.#connection.sendIntent({ kind: item.kind, context }, turn.id);
      this.flushed(turn, item.kind);
    }
    this.#contexts.touched(context);
  }

  /** Returns the contexts to cancel by name; null: all others. A cancel of all skips closing contexts (`facts 3.3.22`). */
  #cancelsForAll(spoken: readonly Turn[]): (string | null)[] {
    const names = [...new Set(spoken.map(({ context }) => context))];
    const closing = names.filter((context) => this.#contexts.isClosing(context));
    return closing.length < names.length ? [...closing, null] : closing;
  }
}

/** How much of a turn was heard; null where it had no audio. */
const playedMsOf = (turn: Turn | undefined): number | null =>
  turn?.sampleRate ? Math.round((turn.playedSamples / turn.sampleRate) * 1000) : null;

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
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(maxChars - 1));
  return isHalf && maxChars > 1 ? maxChars - 1 : maxChars;
}

/**
 * Matches each string of a JSON text in order, with the mark as its value where it is the name of a field. A string
 * without an end matches to the end of the text, so that each character is read once.
 */
const STRINGS = new RegExp(
  `"([^"\\\\]*(?:\\\\[\\s\\S][^"\\\\]*)*)(?:"(\\s*:\\s*)("${KEY_MARK.replace(/[[\]]/g, '\\$&')}")|"|\\\\?$)`,
  'g',
);

/** Returns a frame with the key in place of its mark, in fields whose name marks a secret. Spoken text is unchanged. */
function withKey(frame: Frame, key: string): Frame {
  if (typeof frame !== 'string' || !frame.includes(KEY_MARK)) return frame;
  return frame.replace(STRINGS, (whole, name: string, colon?: string, mark?: string) =>
    mark !== undefined && isSecretName(name) ? `"${name}"${colon}${JSON.stringify(key)}` : whole,
  );
}
