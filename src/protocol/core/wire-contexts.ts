import type { WithUnknown } from './json-frame.ts';
import type { SpeechEvent } from './speech-event.ts';

/**
 * Contexts on the wire where each takes one turn. A speaker of the page lasts, and each of its turns takes a context of its
 * own.
 */

/** Behind the name of a speaker. */
const COUNTED = /^(.*)~\d+$/s;

/** The id of a speaker's context: the name alone for the first one, unless it looks counted itself. */
export const wireIdOf = (speaker: string, count: number): string =>
  count === 1 && !COUNTED.test(speaker) ? speaker : `${speaker}~${count}`;

/** The inverse of {@link wireIdOf}. A context of another client is a speaker of its own. */
export const speakerOf = (contextId: string): string => COUNTED.exec(contextId)?.[1] ?? contextId;

export interface WireContext<Reader> {
  id: string;
  readonly speaker: string;
  readonly reader: Reader;
  /** Its text has ended. */
  isClosed: boolean;
  isCancelled: boolean;
  /** The server has sent something of it. */
  isAnswered: boolean;
  /** Its text was sent by another, so that its id on the wire may be another one. */
  readonly isFollowed: boolean;
  /** Its speaker speaks in another context, so its frames are dropped. */
  isLeft: boolean;
}

/** Left contexts of a speaker that are remembered, because the server may never end them. */
const MAX_LEFT = 8;

export interface WireIds {
  /** The id of a speaker's context, in the form of {@link wireIdOf}. */
  idOf: (speaker: string, count: number) => string;
  /** The id of a context that is over may name another one. */
  areReused: boolean;
}

/** The contexts of one connection that the server has not ended. */
export class WireContexts<Reader> {
  readonly #read: (speaker: string) => Reader;
  readonly #ids: WireIds;
  readonly #all = new Map<string, WireContext<Reader>>();
  /** Ids that name no other context. */
  readonly #used = new Set<string>();

  constructor(read: (speaker: string) => Reader, ids: WireIds) {
    this.#read = read;
    this.#ids = ids;
  }

  get all(): WireContext<Reader>[] {
    return [...this.#all.values()];
  }

  get(id: string): WireContext<Reader> | undefined {
    return this.#all.get(id);
  }

  of(speaker: string): WireContext<Reader>[] {
    return this.all.filter((context) => context.speaker === speaker);
  }

  /** The context that takes text of a speaker. */
  open(speaker: string): WireContext<Reader> | undefined {
    return this.of(speaker).find(({ isClosed, isCancelled, isLeft }) => !isClosed && !isCancelled && !isLeft);
  }

  /** Those that a cancel concerns. @param speaker null for all */
  running(speaker: string | null): WireContext<Reader>[] {
    return this.all.filter((context) => !context.isLeft && (speaker === null || context.speaker === speaker));
  }

  /** Begins the speaker's next context. */
  begin(speaker: string, isFollowed = false): WireContext<Reader> {
    const { idOf } = this.#ids;
    const left = this.of(speaker).filter(({ isLeft }) => isLeft);
    for (const context of left.slice(0, -MAX_LEFT)) this.end(context);
    let count = 1;
    while (this.#all.has(idOf(speaker, count)) || this.#used.has(idOf(speaker, count))) count += 1;
    return this.#add(idOf(speaker, count), speaker, isFollowed);
  }

  /**
   * The context of a frame of the server, and the older ones of its speaker, which are over with the first frame of the next.
   * Frames that cross may give one that was only followed another number.
   * @param ends the frame is the last one of its context, which is forgotten
   * @returns null for a context that was left or is over
   */
  answered(id: string, ends: boolean): { context: WireContext<Reader>; older: WireContext<Reader>[] } | null {
    const context = this.#all.get(id) ?? this.#named(id);
    context.isAnswered = true;
    const { isLeft } = context;
    const older = isLeft ? [] : this.#leaveOlder(context);
    if (ends) this.end(context);
    return isLeft ? null : { context, older };
  }

  /** A speaker without a context is closed, until it speaks again. */
  closed(
    { speaker: context }: WireContext<Reader>,
    timedOut: boolean,
    rest: WithUnknown = {},
  ): SpeechEvent[] {
    if (this.of(context).some(({ isLeft }) => !isLeft)) return [];
    return [{ type: 'contextClosed', context, usage: null, timedOut, ...rest }];
  }

  end({ id }: WireContext<Reader>): void {
    this.#all.delete(id);
  }

  #leaveOlder(context: WireContext<Reader>): WireContext<Reader>[] {
    const all = this.of(context.speaker);
    const older = all.slice(0, all.indexOf(context)).filter(({ isLeft }) => !isLeft);
    for (const each of older) each.isLeft = true;
    return older;
  }

  #named(id: string): WireContext<Reader> {
    const speaker = speakerOf(id);
    if (this.#used.has(id)) return { ...this.#made(id, speaker), isLeft: true };
    const followed = this.of(speaker).find((each) => each.isFollowed && !each.isAnswered && !each.isLeft);
    // Nobody asked for it, so no text joins it and nothing waits for it.
    if (!followed) return Object.assign(this.#add(id, speaker, true), { isClosed: true, isCancelled: true });
    this.#all.delete(followed.id);
    followed.id = id;
    this.#all.set(id, followed);
    return followed;
  }

  #add(id: string, speaker: string, isFollowed: boolean): WireContext<Reader> {
    const context = { ...this.#made(id, speaker), isFollowed };
    this.#all.set(id, context);
    if (!this.#ids.areReused) this.#used.add(id);
    return context;
  }

  #made(id: string, speaker: string): WireContext<Reader> {
    const reader = this.#read(speaker);
    const flags = { isClosed: false, isCancelled: false, isAnswered: false, isFollowed: true, isLeft: false };
    return { id, speaker, reader, ...flags };
  }
}
