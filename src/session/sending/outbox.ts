import type { Frame, Settings } from '#protocol/core/endpoint.ts';
import { isSecretName, KEY_MARK } from '#record/named-secrets.ts';
import type { SessionParts } from '../session.ts';
import type { Turn } from '../turns/turn.ts';
import { planSettings, voiceIn } from './settings-plan.ts';

/** The server confirms a cancel in a round trip. Waiting longer would look like a hang. */
const INTERRUPT_WAIT_MS = 2000;

/** Something to be sent: for a turn, or behind everything that was to be sent on its context. */
type Outgoing =
  | { turn: Turn; kind: 'say'; text: string }
  | { turn: Turn; kind: 'flush' | 'endTurn' }
  | { turn: null; kind: 'closeContext'; context: string };

/** The queue of everything to be sent. It waits for the connection, for contexts that open or close, and for cancels. */
export class Outbox {
  readonly #parts: SessionParts;
  #items: Outgoing[] = [];
  /** The settings that the server holds on this connection; null before any went out. */
  #sent: Settings | null = null;
  /** Frames written by hand before the connection was ready. */
  #frames: Frame[] = [];
  /** Timers of unconfirmed cancels, by context; null: a cancel of all contexts. */
  readonly #interruptTimers = new Map<string | null, () => void>();
  /** Turns that ended by a change of connection, until the next one is ready. */
  #replaced: { turns: readonly Turn[]; atMs: number } | null = null;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  get hasUnsentTurns(): boolean {
    return this.#items.some(({ turn }) => turn !== null && !turn.sent && !turn.isOver);
  }

  /** Queues text in parts that fit into a frame. */
  say(turn: Turn, text: string): void {
    turn.write(text);
    this.#parts.playback.prepare(turn);
    for (const part of splitText(text, this.#parts.connection.endpoint.limits.textChars)) {
      this.#items.push({ turn, kind: 'say', text: part });
    }
    this.#parts.publisher.turnChanged(turn);
  }

  endText(turn: Turn, kind: 'flush' | 'endTurn'): void {
    turn.textEnded = true;
    this.#items.push({ turn, kind });
  }

  /** Ends the context once everything that waits for it has gone out. */
  closeContext(context: string): void {
    this.#items.push({ turn: null, kind: 'closeContext', context });
  }

  /** Sends a frame written by hand, also while the server drains or the endpoint waits, because its answer may matter. */
  sendByHand(frame: Frame): void {
    if (this.#parts.connection.takesFrames) {
      this.sentByHand();
      this.#parts.connection.send(withKey(frame, this.#parts.connection.key), { kind: 'sent' });
      return;
    }
    this.#frames.push(frame);
    this.#parts.connection.open();
  }

  /** Hears the answer of a frame written by hand, unless a cancel may still be confirmed. */
  sentByHand(): void {
    if (this.#interruptTimers.size === 0) this.#parts.conversation.stopAwaitingInterrupt(null);
  }

  /** @param context null: all contexts */
  cancel(context: string | null, turn: Turn | null): void {
    this.#parts.connection.sendIntent({ kind: 'cancel', context }, turn);
    if (context !== null) this.#parts.contexts.touched(context);
    this.#parts.conversation.cancelSent();
  }

  awaitInterrupt(context: string | null): void {
    this.#interruptTimers.get(context)?.();
    const cancelTimer = this.#parts.network.after(INTERRUPT_WAIT_MS, () => {
      this.#interruptTimers.delete(context);
      this.#interruptOverdue();
    });
    this.#interruptTimers.set(context, cancelTimer);
  }

  /** Stops waiting for confirmations of cancels whose turns have gone. */
  settleInterrupts(): void {
    for (const [context, cancelTimer] of this.#interruptTimers) {
      if (this.#parts.conversation.awaitsInterrupt(context)) continue;
      cancelTimer();
      this.#interruptTimers.delete(context);
    }
  }

  /** Ends turns by a new connection, where the protocol has no cancel. */
  replaceConnection(turns: readonly Turn[]): void {
    this.#replaced = { turns, atMs: this.#parts.network.nowMs() };
    this.#parts.connection.renew();
  }

  opened(): void {
    this.#configure(this.#parts.connection.openingSettings);
  }

  /** @param keepsUnsent unsent turns and frames wait for the next connection */
  disconnected(keepsUnsent: boolean): void {
    this.#sent = null;
    this.#items = this.#items.filter(({ turn }) => turn !== null);
    if (keepsUnsent) return;
    this.#replaced = null;
    this.#frames = [];
  }

  dropEnded(): void {
    this.#items = this.#items.filter(({ turn }) => !turn?.isOver);
  }

  /** Returns the voice of the context's next turn. @param settings of a connection without contexts */
  voiceOf(context: string, settings: Settings = this.#parts.connection.wanted): string | number | null {
    const { endpoint } = this.#parts.connection;
    return endpoint.contexts
      ? voiceIn(this.#parts.contexts.speaker(context)?.settings ?? {}, endpoint.contexts.settings)
      : voiceIn(settings, endpoint.settings);
  }

  /** Sends all that may be sent now. An item that waits on one context delays no other context. */
  send(): void {
    this.#sendFirst();
    this.dropEnded();
    const blocked = new Set<string>();
    for (let at = 0; this.#parts.connection.isReady; ) {
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
  }

  /** Marks text, or the end of it, that went out in the last frame. @param chars length of the text; 0 for an end */
  noteSent(turn: Turn, kind: 'say' | 'flush' | 'endTurn', chars: number): void {
    this.#parts.publisher.mark(kind === 'say' ? 'text' : 'flush', this.#parts.network.nowMs(), {
      context: turn.context,
      turn: turn.id,
      amount: chars,
      frame: this.#parts.recorder.lastNumber,
    });
    this.#parts.publisher.turnChanged(turn);
  }

  /** Ends the waits for a new connection once it is ready. */
  #sendFirst(): void {
    if (!this.#parts.connection.isReady) return;
    if (this.#replaced) {
      for (const turn of this.#replaced.turns) {
        turn.reconnectMs = this.#parts.network.nowMs() - (turn.bargeIn?.pressedMs ?? this.#replaced.atMs);
        this.#parts.publisher.turnChanged(turn);
      }
      this.#replaced = null;
    }
    const frames = this.#frames;
    this.#frames = [];
    for (const frame of frames) this.sendByHand(frame);
  }

  #mayGo({ turn }: Outgoing): boolean {
    if (turn === null) return true;
    if (!turn.sent && !this.#prepare(turn)) return false;
    const { context } = turn;
    const isInterrupted = this.#interruptTimers.has(context) || this.#interruptTimers.has(null);
    return !isInterrupted && this.#parts.contexts.mayTakeText(context, turn.sent);
  }

  /** Makes the server hold the wanted settings before a turn's first text. Returns false while it does not. */
  #prepare(turn: Turn): boolean {
    const plan = planSettings(this.#sent, this.#parts.connection.wanted, this.#parts.connection.endpoint);
    if (plan.kind === 'reconnect') {
      // A change of connection would cut off turns that are being spoken.
      if (!this.#parts.conversation.isBusy(null)) this.#parts.connection.renew();
      return false;
    }
    if (plan.kind === 'send') this.#configure(plan.settings);
    turn.voice = this.voiceOf(turn.context);
    return true;
  }

  #configure(settings: Settings): void {
    this.#sent = settings;
    this.#parts.connection.sendIntent({ kind: 'open', settings });
  }

  #sendItem(item: Outgoing): void {
    const { turn } = item;
    if (turn === null) {
      this.#parts.contexts.close(item.context, false);
      return;
    }
    const { context } = turn;
    const atMs = this.#parts.network.nowMs();
    if (item.kind === 'say') {
      const { text } = item;
      this.#parts.conversation.stopAwaitingInterrupt(context);
      const opens = this.#parts.contexts.settingsToOpen(context);
      turn.textSent(text, atMs);
      this.#parts.connection.sendIntent({ kind: 'say', context, text, ...(opens ? { opens } : {}) }, turn);
    } else {
      turn.endText(atMs);
      this.#parts.connection.sendIntent({ kind: item.kind, context }, turn);
      this.#parts.quiet.asked();
    }
    this.#parts.contexts.touched(context);
    this.noteSent(turn, item.kind, item.kind === 'say' ? item.text.length : 0);
  }

  #interruptOverdue(): void {
    this.#parts.publisher.problem({
      turn: null,
      severity: 'warning',
      title: 'The cancel was not confirmed',
      detail: `The server did not answer within ${INTERRUPT_WAIT_MS / 1000} s.`,
      remedy:
        'Old speech stays silent until you speak again. Disconnect first if it must not come back then.',
    });
    this.send();
  }
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
