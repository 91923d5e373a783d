import { deepEqual } from '#lib/deep-equal.ts';
import { endpointOf } from '#protocol/registry.ts';
import type { RecorderMessage } from '#recordings/recordings.ts';
import type { TurnView } from '#session/views.ts';
import type { Chunk } from '#trace/chunks.ts';
import type { NewEntry } from '#trace/entry.ts';
import { RecordedSpeech } from '#trace/recorded-speech.ts';
import { Trace } from '#trace/trace.ts';
import { Broken } from '../fuzz-part.ts';

/** Compares the turns that a session recorded with those that a reader of the same frames finds. */
export class Agreement {
  readonly #recordings: { endpoint: string; address: string; entries: NewEntry[] }[] = [];

  take(message: RecorderMessage): void {
    if (message.type === 'begin') this.#recordings.push({ ...message.start, entries: [] });
    if (message.type === 'entries') this.#recordings.at(-1)?.entries.push(...message.entries);
  }

  /**
   * @param turns those of the session
   * @throws Broken where two frames share a turn for one of them only, where the reader finds no turn of a received frame, or
   *   where a turn has other chunks or another bill in the session, its recording, or the frames alone
   */
  async check(turns: ReadonlyMap<number, TurnView>): Promise<void> {
    for (const { endpoint, address, entries } of this.#recordings) {
      await checkTurns(endpoint, entries, turns);
      const connections = new Map<number, NewEntry[]>();
      for (const entry of entries) {
        if (entry.direction !== 'in' && entry.direction !== 'out') continue;
        const frames = connections.get(entry.connection) ?? [];
        connections.set(entry.connection, frames);
        frames.push(entry);
      }
      for (const frames of connections.values()) await checkConnection(endpoint, address, frames);
    }
  }
}

async function checkTurns(
  endpoint: string,
  entries: readonly NewEntry[],
  turns: ReadonlyMap<number, TurnView>,
): Promise<void> {
  const speech = new RecordedSpeech(endpoint, null);
  for (const entry of entries) await speech.add(entry);
  for (const recorded of speech.turns) {
    recorded.sound.close();
    const { turn } = recorded.place;
    if (turn === null) continue;
    const live = turns.get(turn);
    if (!live) throw new Broken(`turn ${turn}: expected it in the session, got it in the recording alone`);
    // Frames that came after their turn was dropped are in the recording alone.
    if (live.state === 'cancelled' || live.lateFrames > 0) continue;
    const bill = typeof live.usage === 'object' ? live.usage : null;
    if (live.state === 'ended') checkSame(`the bill of turn ${turn}`, recorded.bill, bill);
    checkSame(`the chunks of turn ${turn}`, heardChunks(recorded.chunks), heardChunks(live.chunks));
  }
}

function checkSame(what: string, found: unknown, expected: unknown): void {
  if (!deepEqual(found, expected))
    throw new Broken(
      `${what}: expected ${JSON.stringify(expected)}, as the session has it, got ${JSON.stringify(found)}`,
    );
}

/**
 * What the wire says of chunks with audio. The frame that begins a turn may complete the words of the one before, and a
 * recording has one turn a frame.
 */
const heardChunks = (chunks: readonly Readonly<Chunk>[]) =>
  chunks
    .filter(({ samples }) => samples > 0)
    .map(({ id, text, startSample, samples, words, wordsAreEstimated, generationMs }) => ({
      ...{ id, text, startSample, samples, generationMs },
      words: wordsAreEstimated ? null : words,
    }));

/** Reads the frames of a connection as a capture and an import do, which know nothing of the session's turns. */
async function checkConnection(
  endpoint: string,
  address: string,
  frames: readonly NewEntry[],
): Promise<void> {
  // The session follows what is sent by hand in its own way.
  if (frames.some(({ kind }) => kind === 'sent')) return;
  const trace = new Trace(endpointOf(endpoint), address);
  const noteOf = new Map<number, number>();
  const turnOf = new Map<number, number>();
  /** Contexts with speech that the session drops, because it has not opened them. */
  const unsure = new Set<string | null>();
  const reread = new RecordedSpeech(endpoint, null);
  const recorded = new RecordedSpeech(endpoint, null);
  /** Turns of the session of which the reader has other frames. */
  const differing = new Set<number | null>();
  for (const frame of frames) {
    const { direction, turn, kind, context } = frame;
    const read = trace.append(frame).note;
    const note = read.turn;
    await recorded.add(frame);
    await reread.add({ ...frame, ...read });
    if (direction === 'in' && (note === null || turn === null || unsure.has(context))) differing.add(turn);
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
    if (direction === 'in' && (read.kind !== kind || read.chunk !== frame.chunk))
      throw new Broken(
        `turn ${turn}: expected ${kind} of chunk ${frame.chunk}, as the session has it, got ${read.kind} of ${read.chunk}`,
      );
    noteOf.set(turn, note);
    turnOf.set(note, turn);
  }
  for (const [turn, note] of noteOf) {
    const [own, other] = [recorded, reread].map((speech, at) =>
      speech.turns.find(({ place }) => place.turn === [turn, note][at]),
    );
    if (!own || !other || differing.has(turn)) continue;
    checkSame(`the bill of turn ${turn} by its frames`, other.bill, own.bill);
    checkSame(`the chunks of turn ${turn} by its frames`, heardChunks(other.chunks), heardChunks(own.chunks));
  }
}
