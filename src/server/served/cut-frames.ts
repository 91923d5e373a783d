import type { ComparedClient } from './compared-client.ts';
import type { LaneKey, RecordedStep, ScriptEvent, ServedScript } from './script.ts';

/**
 * Frames that are not played at their place: cut off by a cancel, or sent before. It keeps what the client did, not the frames,
 * which may be very many.
 */
export class CutFrames {
  readonly #script: ServedScript;
  readonly #client: ComparedClient;
  readonly #sent = new Set<ScriptEvent>();
  /** By context, null for all: frames of turns with a smaller number are cut off by a recorded cancel. */
  readonly #before = new Map<LaneKey, number>();
  #largestBefore = 0;
  /** Contexts, null for all, with a cancel that was not recorded, in which turns without a beginning are cut off. */
  readonly #unrecorded = new Set<LaneKey>();
  /** By list of events: its first place that is neither played nor cut off. */
  readonly #places = new Map<readonly number[], number>();

  constructor(script: ServedScript, client: ComparedClient) {
    this.#script = script;
    this.#client = client;
  }

  /** Whether a frame is not played. */
  has(event: ScriptEvent): boolean {
    const { turn, context, index } = event;
    if (this.#sent.has(event)) return true;
    if (turn === null) return false;
    const before = context === null ? this.#largestBefore : (this.#before.get(context) ?? 0);
    if (index < before || index < (this.#before.get(null) ?? 0)) return true;
    if (this.#unrecorded.size === 0) return false;
    const start = this.#script.turnStarts.get(turn);
    if (start) return this.#client.hadReached(start);
    return context === null || this.#unrecorded.has(null) || this.#unrecorded.has(context);
  }

  /** Cuts off the frames of turns before a number. @param context null for all */
  cutBefore(context: LaneKey, index: number): void {
    this.#before.set(context, Math.max(index, this.#before.get(context) ?? 0));
    this.#largestBefore = Math.max(this.#largestBefore, index);
  }

  /** Cuts off the turns that the client has begun. @param context null for all */
  cutBegun(context: LaneKey): void {
    this.#unrecorded.add(context);
    this.#client.cut(context);
  }

  /** Marks a frame as sent. */
  send(event: ScriptEvent): void {
    this.#sent.add(event);
  }

  /** Whether frames of turns in front of a recorded cancel are still to be sent. @param at the event that is played */
  isBehind(context: LaneKey, { entry }: RecordedStep, at: number): boolean {
    const { ofTurns, allTurns } = this.#script.played;
    const lists = context === null ? [allTurns] : [ofTurns.get(context), ofTurns.get(null)];
    return lists.some((list) => list !== undefined && this.#nextIn(list, at) < entry);
  }

  /** The number of the next frame of a list. Each place is looked at once. */
  #nextIn(list: readonly number[], at: number): number {
    const { events } = this.#script;
    for (let place = this.#places.get(list) ?? 0; ; place += 1) {
      const event = events[list[place] ?? events.length];
      if (event && ((list[place] ?? 0) < at || this.has(event))) continue;
      this.#places.set(list, place);
      return event?.index ?? Number.POSITIVE_INFINITY;
    }
  }

  /** Number of frames from a place on that are still to be sent. */
  leftFrom(at: number): number {
    const { events, played } = this.#script;
    const all = (played.before[events.length] ?? 0) - (played.before[at] ?? 0);
    if (this.#sent.size + this.#before.size + this.#unrecorded.size === 0) return all;
    let cut = 0;
    for (let each = at; each < events.length; each += 1) {
      const event = events[each];
      if (event?.direction === 'in' && this.has(event)) cut += 1;
    }
    return all - cut;
  }
}
