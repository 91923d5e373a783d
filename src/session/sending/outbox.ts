import type { Endpoint, Intent, Settings } from '#protocol/core/endpoint.ts';
import type { Setting } from '#protocol/core/settings.ts';
import type { Turn } from '../turns/turn.ts';
import { planConfig } from './config-plan.ts';
import { splitText } from './split-text.ts';

/** Something to be sent: for a turn, or behind everything that was to be sent on its context. */
type Outgoing =
  | { turn: Turn; kind: 'say'; text: string }
  | { turn: Turn; kind: 'flush' | 'endTurn' }
  | { turn: null; kind: 'closeContext'; context: string };

export interface OutboxHandlers {
  /** The moment of sending. */
  nowMs(): number;
  /** Whether anything may go out now. */
  isOpen(): boolean;
  /** Whether text of that turn may go out on its context now. */
  mayTakeText(turn: Turn): boolean;
  /** What the context has to be opened with by the text that goes out now; undefined where it is open. */
  settingsToOpen(context: string): Settings | undefined;
  /** The voice that a turn of that context is spoken with. */
  voiceOf(context: string): string | number | null;
  closeContext(context: string): void;
  /** Turns are being spoken, for which a new connection has to wait. */
  isBusy(): boolean;
  /** @param turn the one that it is sent for; null where it is for none */
  send(intent: Intent, turn: Turn | null): void;
  /** The wanted settings need a connection that knows nothing of the present ones. */
  renew(): void;
  /** Something of a turn has gone out. `chars`: of text. */
  sent(turn: Turn, kind: 'say' | 'flush' | 'endTurn', chars: number): void;
}

/** What is to be sent, in order, and what the server holds to. It waits where it must, and then sends all it can. */
export class Outbox {
  /** What a person wants now; a turn is spoken under what is wanted when its first text goes out. */
  wanted: Settings = {};
  readonly #handlers: OutboxHandlers;
  #items: Outgoing[] = [];
  /** What the server holds to on this connection; null before any config went out. */
  #sent: Settings | null = null;

  constructor(handlers: OutboxHandlers) {
    this.#handlers = handlers;
  }

  /** Whole turns wait, of which the server knows nothing. */
  get hasUnsentTurns(): boolean {
    return this.#items.some(({ turn }) => turn !== null && !turn.sent && !turn.isOver);
  }

  say(turn: Turn, text: string, { limits }: Endpoint): void {
    turn.write(text);
    for (const part of splitText(text, limits.textChars)) this.#items.push({ turn, kind: 'say', text: part });
  }

  endText(turn: Turn, kind: 'flush' | 'endTurn'): void {
    turn.textEnded = true;
    this.#items.push({ turn, kind });
  }

  /** Ends the context once everything that waits for it has gone out. */
  closeContext(context: string): void {
    this.#items.push({ turn: null, kind: 'closeContext', context });
  }

  /** A new connection, which begins with the config. */
  begin(): void {
    this.#configure(this.wanted);
  }

  /** The connection is gone. */
  forgetConnection(): void {
    this.#sent = null;
    this.#items = this.#items.filter(({ turn }) => turn !== null);
  }

  /** Nothing of turns that are over is sent any more. */
  dropEnded(): void {
    this.#items = this.#items.filter(({ turn }) => !turn?.isOver);
  }

  /**
   * Sends what may be sent now; called whenever something that it waits for may have happened. What is held up on one
   * context holds up nothing on another.
   */
  send(endpoint: Endpoint): void {
    this.dropEnded();
    const heldUp = new Set<string>();
    for (let at = 0; this.#handlers.isOpen(); ) {
      const item = this.#items[at];
      if (!item) return;
      const context = contextOf(item);
      if (heldUp.has(context) || !this.#mayGo(item, endpoint)) {
        heldUp.add(context);
        at += 1;
        continue;
      }
      this.#items.splice(at, 1);
      this.#sendItem(item);
    }
  }

  #mayGo({ turn }: Outgoing, endpoint: Endpoint): boolean {
    if (turn === null) return true;
    if (!turn.sent && !this.#prepare(turn, endpoint)) return false;
    return this.#handlers.mayTakeText(turn);
  }

  /** Sees to it that the server holds to the wanted settings before a turn's first text. False: not yet. */
  #prepare(turn: Turn, endpoint: Endpoint): boolean {
    const plan = planConfig(this.#sent, this.wanted, endpoint);
    if (plan.kind === 'reconnect') {
      // A turn that is being spoken is not given up for it.
      if (!this.#handlers.isBusy()) this.#handlers.renew();
      return false;
    }
    if (plan.kind === 'send') this.#configure(plan.settings);
    turn.voice = this.#handlers.voiceOf(turn.context);
    return true;
  }

  #configure(settings: Settings): void {
    this.#sent = settings;
    this.#handlers.send({ kind: 'open', settings }, null);
  }

  #sendItem(item: Outgoing): void {
    const { turn } = item;
    if (turn === null) {
      this.#handlers.closeContext(item.context);
      return;
    }
    const { context } = turn;
    const atMs = this.#handlers.nowMs();
    if (item.kind === 'say') {
      const opens = this.#handlers.settingsToOpen(context);
      turn.textSent(item.text, atMs);
      this.#handlers.send({ kind: 'say', context, text: item.text, ...(opens ? { opens } : {}) }, turn);
    } else {
      turn.endText(atMs);
      this.#handlers.send({ kind: item.kind, context }, turn);
    }
    this.#handlers.sent(turn, item.kind, item.kind === 'say' ? item.text.length : 0);
  }
}

const contextOf = (item: Outgoing): string => (item.turn === null ? item.context : item.turn.context);

/** The voice that these settings choose, or describe where they choose none; null where they do neither. */
export function voiceIn(settings: Settings, described: readonly Setting[]): string | number | null {
  for (const kind of ['voice', 'description'] as const) {
    const field = described.find((setting) => setting.control.kind === kind)?.field;
    const voice = field === undefined ? null : settings[field];
    if (typeof voice === 'string' || typeof voice === 'number') return voice;
  }
  return null;
}
