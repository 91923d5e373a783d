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
  /** Its speaker speaks in another context, so its frames are dropped. */
  isLeft: boolean;
}

/** Left contexts of a speaker that are remembered, because the server may never end them. */
const MAX_LEFT = 8;

/** The contexts of one connection that the server has not ended. */
export class WireContexts<Reader> {
  readonly #read: (speaker: string) => Reader;
  readonly #reusesIds: boolean;
  readonly #all = new Map<string, WireContext<Reader>>();
  /** Contexts that each speaker has begun. */
  readonly #counts = new Map<string, number>();

  /** @param reusesIds a free id may name another context */
  constructor(read: (speaker: string) => Reader, { reusesIds }: { reusesIds: boolean }) {
    this.#read = read;
    this.#reusesIds = reusesIds;
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
  begin(speaker: string): WireContext<Reader> {
    const left = this.of(speaker).filter(({ isLeft }) => isLeft);
    for (const context of left.slice(0, -MAX_LEFT)) this.end(context);
    let count = this.#reusesIds ? 1 : (this.#counts.get(speaker) ?? 0) + 1;
    while (this.#all.has(wireIdOf(speaker, count))) count += 1;
    this.#counts.set(speaker, count);
    return this.#add(wireIdOf(speaker, count), speaker);
  }

  /** The context of a frame of the server: frames that cross may give one that was only followed another number. */
  answered(id: string): WireContext<Reader> {
    const context = this.#all.get(id) ?? this.#named(id);
    context.isAnswered = true;
    return context;
  }

  /** Leaves the older contexts of a speaker, which are over with the first frame of the next. Returns those not left before. */
  leaveOlder(context: WireContext<Reader>): WireContext<Reader>[] {
    const all = this.of(context.speaker);
    const older = all.slice(0, all.indexOf(context)).filter(({ isLeft }) => !isLeft);
    for (const each of older) each.isLeft = true;
    return older;
  }

  end({ id }: WireContext<Reader>): void {
    this.#all.delete(id);
  }

  #named(id: string): WireContext<Reader> {
    const speaker = speakerOf(id);
    const followed = this.of(speaker).find(({ isAnswered, isLeft }) => !isAnswered && !isLeft);
    if (!followed) return this.#add(id, speaker);
    this.#all.delete(followed.id);
    followed.id = id;
    this.#all.set(id, followed);
    return followed;
  }

  #add(id: string, speaker: string): WireContext<Reader> {
    const context = {
      id,
      speaker,
      reader: this.#read(speaker),
      isClosed: false,
      isCancelled: false,
      isAnswered: false,
      isLeft: false,
    };
    this.#all.set(id, context);
    return context;
  }
}
