/**
 * Ids of contexts on the wire. A speaker of the page lasts, and each of its turns takes a context of its own, because only
 * the close of a context has an end mark (`facts-elevenlabs 3.1.3`).
 */

/** Behind the name of a speaker. */
const COUNTED = /^(.*)~\d+$/s;

/** The id of a speaker's context: the name alone for the first one, unless it looks counted itself. */
export const wireIdOf = (speaker: string, count: number): string =>
  count === 1 && !COUNTED.test(speaker) ? speaker : `${speaker}~${count}`;

/** The inverse of {@link wireIdOf}. A context of another client is a speaker of its own. */
export const speakerOf = (contextId: string): string => COUNTED.exec(contextId)?.[1] ?? contextId;
