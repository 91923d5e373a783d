import type { Endpoint, Intent, Settings } from '../protocol/endpoint.ts';
import { planConfig } from './config-plan.ts';
import { splitText } from './split-text.ts';
import type { Turn } from './turn.ts';

/** Something to be sent for a turn. */
type Outgoing = { turn: Turn; kind: 'say'; text: string } | { turn: Turn; kind: 'flush' | 'endTurn' };

export interface OutboxHandlers {
  /** The moment of sending. */
  nowMs(): number;
  /** Whether anything may go out now. */
  isOpen(): boolean;
  /** Turns are being spoken, for which a new connection has to wait. */
  isBusy(): boolean;
  send(intent: Intent): void;
  /** The wanted settings need a connection that knows nothing of the present ones. */
  renew(): void;
  changed(turn: Turn): void;
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
    return this.#items.some(({ turn }) => !turn.sent && !turn.isOver);
  }

  say(turn: Turn, text: string, { limits }: Endpoint): void {
    turn.write(text);
    for (const part of splitText(text, limits.textChars)) this.#items.push({ turn, kind: 'say', text: part });
  }

  endText(turn: Turn, kind: 'flush' | 'endTurn'): void {
    turn.textEnded = true;
    this.#items.push({ turn, kind });
  }

  /** A new connection, which begins with the config. */
  begin(): void {
    this.#configure(this.wanted);
  }

  /** The connection is gone. */
  forgetConnection(): void {
    this.#sent = null;
  }

  /** Nothing of turns that are over is sent any more. */
  dropEnded(): void {
    this.#items = this.#items.filter(({ turn }) => !turn.isOver);
  }

  /** Sends what may be sent now; called whenever something that it waits for may have happened. */
  send(endpoint: Endpoint): void {
    this.dropEnded();
    for (let item = this.#items[0]; item && this.#handlers.isOpen(); item = this.#items[0]) {
      if (!item.turn.sent && !this.#prepare(item.turn, endpoint)) return;
      this.#items.shift();
      this.#sendItem(item);
    }
  }

  /** Sees to it that the server holds to the wanted settings before a turn's first text. False: not yet. */
  #prepare(turn: Turn, endpoint: Endpoint): boolean {
    const plan = planConfig(this.#sent, this.wanted, endpoint.settings);
    if (plan.kind === 'reconnect') {
      // A turn that is being spoken is not given up for it.
      if (!this.#handlers.isBusy()) this.#handlers.renew();
      return false;
    }
    if (plan.kind === 'send') this.#configure(plan.settings);
    turn.voice = voiceOf(this.wanted, endpoint);
    return true;
  }

  #configure(settings: Settings): void {
    this.#sent = settings;
    this.#handlers.send({ kind: 'open', settings });
  }

  #sendItem(item: Outgoing): void {
    const { turn } = item;
    const { context } = turn;
    const atMs = this.#handlers.nowMs();
    if (item.kind === 'say') {
      turn.textSent(item.text, atMs);
      this.#handlers.send({ kind: 'say', context, text: item.text });
    } else {
      turn.endText(atMs);
      this.#handlers.send({ kind: item.kind, context });
    }
    this.#handlers.changed(turn);
  }
}

/** The voice that these settings choose; null where they choose none. */
export function voiceOf(settings: Settings, endpoint: Endpoint): string | number | null {
  const field = endpoint.settings.find((setting) => setting.control.kind === 'voice')?.field;
  const voice = field === undefined ? null : settings[field];
  return typeof voice === 'string' || typeof voice === 'number' ? voice : null;
}
