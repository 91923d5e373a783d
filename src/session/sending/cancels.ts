import type { Connections } from '../connections.ts';
import type { Link, SessionEnvironment } from '../link.ts';
import type { Publisher } from '../publisher.ts';
import type { Route } from '../route.ts';
import type { Conversation } from '../turns/conversation.ts';
import type { SessionTurn } from '../turns/session-turn.ts';
import type { Contexts } from './contexts.ts';

/** The server confirms a cancel in a round trip. Waiting longer would look like a hang. */
const INTERRUPT_WAIT_MS = 2000;

export interface CancelOptions {
  network: SessionEnvironment;
  connections: Connections;
  contexts: Contexts;
  conversation: Conversation;
  publisher: Publisher;
  /** The connection may be half open. */
  isSilent: () => boolean;
  /** The server did not confirm a cancel, so that text goes out all the same. */
  overdue: () => void;
}

const UNCONFIRMED = {
  turn: null,
  severity: 'warning',
  title: 'The cancel was not confirmed',
  detail: `The server did not answer within ${INTERRUPT_WAIT_MS / 1000} s.`,
  remedy: 'Old speech stays silent until you speak again. Disconnect first if it must not come back then.',
} as const;

/** Cancels on the wire: by messages, which the server confirms, or else by another connection. */
export class Cancels {
  readonly #options: CancelOptions;
  /** Timers of unconfirmed cancels, by context; null: a cancel of all contexts. */
  readonly #timers = new Map<string | null, () => void>();
  /** Turns that ended by a change of connection, until the next one is ready. */
  readonly #replaced = new Map<Route, { turns: readonly SessionTurn[]; atMs: number }>();

  constructor(options: CancelOptions) {
    this.#options = options;
  }

  /** Any cancel may still be confirmed. */
  get isAwaited(): boolean {
    return this.#timers.size > 0;
  }

  /** A cancel of the context, or of all, may still be confirmed. Its text waits, because old speech may come before. */
  blocks(context: string): boolean {
    return this.#timers.has(context) || this.#timers.has(null);
  }

  /**
   * Cancels turns on the server.
   * @param context null: all contexts
   * @param spoken turns that the server has text of, by connection
   * @param turn the only turn that was meant; null: all of the context
   */
  send(
    context: string | null,
    spoken: ReadonlyMap<object, readonly SessionTurn[]>,
    turn: SessionTurn | null = null,
  ): void {
    this.#options.network.initiate(() => this.#send(context, spoken, turn));
  }

  #send(
    context: string | null,
    spoken: ReadonlyMap<object, readonly SessionTurn[]>,
    turn: SessionTurn | null,
  ): void {
    const { connections, contexts, conversation, isSilent } = this.#options;
    for (const link of connections.links) {
      const route = connections.routeOf(link);
      const turns = spoken.get(link);
      if (!turns || !route) continue;
      const isDraining = link !== route.link;
      if (!isDraining && !route.takesFrames) continue;
      // A silent server would not confirm a cancel either, and the next turn would follow on a dead connection.
      if (link.dialect.traits.cancel === 'none' || isSilent()) {
        // A `disconnect` on its way already ends what the server generates; nothing else does (wire-cancel-2).
        if (isDraining) route.abandon(link);
        else if (route.state === 'open') this.#replaceConnection(route, turns);
        continue;
      }
      for (const cancelled of context === null ? this.#cancelsForAll(turns) : [context]) {
        const meant = turn ?? turns.find((each) => each.context === (cancelled ?? each.context));
        const playedMs = playedMsOf(meant);
        link.sendIntent(
          { kind: 'cancel', context: cancelled, ...(playedMs === null ? {} : { playedMs }) },
          turn?.id,
        );
        if (cancelled !== null) contexts.touched(cancelled);
        conversation.cancelSent(link);
        this.sent(context, link);
      }
    }
  }

  /** Waits for the answer to a cancel that went out on a connection. */
  sent(context: string | null, link: Link): void {
    const { connections } = this.#options;
    if (link.dialect.traits.cancel === 'confirmed') this.#await(context);
    connections.routeOf(link)?.drain(link);
  }

  /** Stops waiting for confirmations of cancels whose turns have gone. */
  settle(): void {
    for (const [context, cancelTimer] of this.#timers) {
      if (this.#options.conversation.awaitsInterrupt(context)) continue;
      cancelTimer();
      this.#timers.delete(context);
    }
  }

  /** Returns the turns that ended by a change to a connection that is ready. */
  replaced(): readonly SessionTurn[] {
    const replaced = [...this.#replaced].filter(([route]) => route.ready);
    return replaced.flatMap(([route, { turns, atMs }]) => {
      this.#replaced.delete(route);
      for (const turn of turns) {
        turn.reconnectMs = this.#options.network.nowMs() - (turn.bargeIn?.pressedMs ?? atMs);
      }
      return turns;
    });
  }

  /** No connection follows. */
  forgetReplaced(route: Route): void {
    this.#replaced.delete(route);
  }

  #await(context: string | null): void {
    this.#timers.get(context)?.();
    const cancelTimer = this.#options.network.after(INTERRUPT_WAIT_MS, () => {
      this.#timers.delete(context);
      this.#options.publisher.problem(UNCONFIRMED);
      this.#options.overdue();
    });
    this.#timers.set(context, cancelTimer);
  }

  /** Ends turns by a new connection, where the protocol has no cancel. */
  #replaceConnection(route: Route, turns: readonly SessionTurn[]): void {
    this.#replaced.set(route, { turns, atMs: this.#options.network.nowMs() });
    route.renew();
  }

  /** Returns the contexts to cancel by name; null: all others. A cancel of all skips closing contexts. */
  #cancelsForAll(spoken: readonly SessionTurn[]): (string | null)[] {
    const names = [...new Set(spoken.map(({ context }) => context))];
    const closing = names.filter((context) => this.#options.contexts.isClosing(context));
    return closing.length < names.length ? [...closing, null] : closing;
  }
}

/** How much of a turn was heard; null where it had no audio. */
const playedMsOf = (turn: SessionTurn | undefined): number | null =>
  turn?.sampleRate ? Math.round((turn.heard.playedSamples / turn.sampleRate) * 1000) : null;
