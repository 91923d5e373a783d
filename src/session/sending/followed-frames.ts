import { replaceHalvesInJson } from '#lib/text/halves.ts';
import type { Intent, Settings } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { isSecretField, KEY_MARK } from '#trace/secrets/named-secrets.ts';
import type { Connections } from '../connections.ts';
import type { Link } from '../link.ts';
import type { Route } from '../route.ts';
import type { Conversation } from '../turns/conversation.ts';
import { type SessionTurn, UNASKED } from '../turns/session-turn.ts';
import type { Contexts } from './contexts.ts';
import type { Outbox } from './outbox.ts';

export interface FollowedOptions {
  connections: Connections;
  contexts: Contexts;
  conversation: Conversation;
  outbox: Outbox;
}

/** Frames that the outbox did not make, written by hand or by a recorded client, and their effect on turns. */
export class FollowedFrames {
  readonly #parts: FollowedOptions;
  /** Frames written by hand before their connection was ready. */
  #waiting: { frame: Frame; route: Route }[] = [];

  constructor(parts: FollowedOptions) {
    this.#parts = parts;
  }

  /**
   * Sends a frame written by hand, also while the server drains or the endpoint waits, because its answer may matter. Halves
   * of characters are replaced.
   */
  sendByHand(written: Frame): void {
    const { connections } = this.#parts;
    const frame = typeof written === 'string' ? replaceHalvesInJson(written) : written;
    const intents = protocolOf(connections.endpoint).readIntents(frame);
    const named = intents.find((intent) => 'context' in intent);
    const route = connections.of(named && 'context' in named ? named.context : null);
    if (!route) return;
    const { link, takesFrames } = route;
    if (!link || !takesFrames) {
      this.#waiting.push({ frame, route });
      route.open();
      return;
    }
    this.hearAnswer(link);
    const entry = link.send(withKey(frame, connections.key), { kind: 'sent' });
    for (const intent of intents) {
      link.dialect.follow?.(intent);
      const turn = this.follow(intent, null, link);
      // The text decides, because a cancel before it is about another turn.
      if (entry && turn && (entry.turn === null || intent.kind !== 'cancel')) entry.turn = turn.id;
    }
  }

  /** Sends the frames whose connection is ready. */
  sendWaiting(): void {
    const ready = this.#waiting.filter(({ route }) => route.ready);
    this.#waiting = this.#waiting.filter((each) => !ready.includes(each));
    for (const { frame } of ready) this.sendByHand(frame);
  }

  /** No connection follows. */
  dropWaiting(on: Route): void {
    this.#waiting = this.#waiting.filter(({ route }) => route !== on);
  }

  /** Hears the answer of a frame written by hand, unless a cancel may still be confirmed. */
  hearAnswer(link: Link): void {
    const { conversation, outbox } = this.#parts;
    if (!outbox.cancels.isAwaited) conversation.stopAwaitingInterrupt(null, link);
  }

  /**
   * Notes what a frame did to its turn. Returns the turn; null for none.
   * @param id number of the turn; null where the frame decides
   * @param link the connection that it was sent on
   * @param settings those that the server held, by a recording
   */
  follow(intent: Intent, id: number | null, link: Link, settings?: Settings): SessionTurn | null {
    const { contexts, outbox } = this.#parts;
    if (intent.kind === 'say' && (intent.opens || contexts.isClosed(intent.context))) {
      // The context opens first, because its settings hold the voice of the turn.
      contexts.openedBy(intent.context, intent.opens ?? {}, settings !== undefined, link);
    }
    if (intent.kind === 'cancel' || id === null) return outbox.follow(intent, link, null, settings);
    const own = this.#turnOf(intent, id);
    // A flush of nothing ends nothing.
    if (intent.kind !== 'say' && own && (!own.sent || own.flushedMs !== null)) return null;
    return outbox.follow(intent, link, own, settings);
  }

  /** The recorded turn of a frame, which wins over one whose text still waits. Text begins it. */
  #turnOf(intent: Intent, id: number): SessionTurn | null {
    const { contexts, conversation } = this.#parts;
    const known = conversation.turns.find((turn) => turn.id === id) ?? null;
    if (known || intent.kind !== 'say') return known;
    conversation.numberNext(id);
    const { context } = intent;
    return conversation.begin(context, { ...UNASKED, settings: contexts.settingsOf(context) }, null);
  }
}

/**
 * Matches each string of a JSON text in order, with the mark as its value where it is the name of a field. A string
 * without an end matches to the end of the text, so that each character is read once.
 */
const STRINGS = new RegExp(
  `"([^"\\\\]*(?:\\\\[\\s\\S][^"\\\\]*)*)(?:"(\\s{0,16}:\\s{0,16})("${KEY_MARK.replace(/[[\]]/g, '\\$&')}")|"|\\\\?$)`,
  'g',
);

/** Returns a frame with the key in place of its mark, in fields whose name marks a secret. Spoken text is unchanged. */
function withKey(frame: Frame, key: string): Frame {
  if (typeof frame !== 'string' || !frame.includes(KEY_MARK)) return frame;
  return frame.replace(STRINGS, (whole, name: string, colon?: string, mark?: string) =>
    mark !== undefined && isSecretField(name) ? `"${name}"${colon}${JSON.stringify(key)}` : whole,
  );
}
