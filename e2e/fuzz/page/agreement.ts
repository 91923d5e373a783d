import { endpointOf } from '#protocol/registry.ts';
import type { RecorderMessage } from '#recordings/recordings.ts';
import type { NewEntry } from '#trace/entry.ts';
import { Trace } from '#trace/trace.ts';
import { Broken } from '../fuzz-part.ts';

/** Compares the turns that a session recorded with those that a reader of the same frames finds. */
export class Agreement {
  readonly #recordings: { endpoint: string; address: string; entries: NewEntry[] }[] = [];

  take(message: RecorderMessage): void {
    if (message.type === 'begin') this.#recordings.push({ ...message.start, entries: [] });
    if (message.type === 'entries') this.#recordings.at(-1)?.entries.push(...message.entries);
  }

  /** @throws Broken where two frames share a turn for one of them only, or the reader finds no turn of a received frame */
  check(): void {
    for (const { endpoint, address, entries } of this.#recordings) {
      const connections = new Map<number, NewEntry[]>();
      for (const entry of entries) {
        if (entry.direction !== 'in' && entry.direction !== 'out') continue;
        const frames = connections.get(entry.connection) ?? [];
        connections.set(entry.connection, frames);
        frames.push(entry);
      }
      for (const frames of connections.values()) checkConnection(endpoint, address, frames);
    }
  }
}

function checkConnection(endpoint: string, address: string, frames: readonly NewEntry[]): void {
  // The session does not read what is sent by hand.
  if (frames.some(({ kind }) => kind === 'sent')) return;
  const trace = new Trace(endpointOf(endpoint), address);
  const noteOf = new Map<number, number>();
  const turnOf = new Map<number, number>();
  /** Contexts with speech that the session drops, because it has not opened them. */
  const unsure = new Set<string | null>();
  for (const frame of frames) {
    const { direction, turn, kind, context } = frame;
    const note = trace.append(frame).note.turn;
    if (turn === null && note !== null && direction === 'in') unsure.add(context);
    if (turn === null || unsure.has(context)) continue;
    if (note === null) {
      // A session may flush its turn behind its disconnect, where the server takes no more text.
      if (direction === 'out') continue;
      throw new Broken(`expected ${kind} in turn ${turn}, as the session has it, got it in none`);
    }
    const isKnown = noteOf.has(turn) || turnOf.has(note);
    if (isKnown && (noteOf.get(turn) !== note || turnOf.get(note) !== turn))
      throw new Broken(`expected ${kind} in turn ${turn}, as the session has it, got it in another`);
    noteOf.set(turn, note);
    turnOf.set(note, turn);
  }
}
