import { madeOnce } from '#lib/collections/maps.ts';
import { deepEqual } from '#lib/deep-equal.ts';
import type { RecorderMessage } from '#recordings/recordings.ts';
import type { RecordingStart } from '#recordings/store/live-recording.ts';
import { RecordingWorld } from '#recordings/testing/world.ts';
import type { TurnView } from '#session/views.ts';
import type { Chunk } from '#trace/chunks.ts';
import { openingOf } from '#trace/connection.ts';
import type { NewEntry } from '#trace/entry.ts';
import { EntryLinter } from '#trace/entry-linter.ts';
import { RecordedSpeech, type RecordedTurn } from '#trace/recorded-speech.ts';
import { Broken } from '../fuzz-part.ts';
import { captured } from './captured.ts';
import { checkFiles } from './file-agreement.ts';
import { checkRecording } from './recording-check.ts';

/** Compares the turns that a session recorded with those that a reader of the same frames finds. */
export class Agreement {
  readonly #recordings: { start: RecordingStart; entries: NewEntry[] }[] = [];

  take(message: RecorderMessage): void {
    if (message.type === 'begin') this.#recordings.push({ start: message.start, entries: [] });
    if (message.type === 'entries') this.#recordings.at(-1)?.entries.push(...message.entries);
  }

  /**
   * @param turns those of the session
   * @throws Broken where two frames share a turn for one of them only, where the reader finds no turn of a received frame, or
   *   where a turn has another text, times of sending, chunks or bill in the session, its recording, or the frames alone; and
   *   where an entry is not kept, or is another one in a file
   */
  async check(turns: ReadonlyMap<number, TurnView>): Promise<void> {
    for (const { start, entries } of this.#recordings) {
      if (entries.length === 0) continue;
      const { endpoint, address, startedAtMs } = start;
      await checkTurns(endpoint, entries, turns, startedAtMs);
      const connections = new Map<number, NewEntry[]>();
      for (const entry of entries) {
        if (entry.direction !== 'player') madeOnce(connections, entry.connection, () => []).push(entry);
      }
      for (const own of connections.values()) await checkCapture(endpoint, address, own);
      const world = new RecordingWorld({ hasDatabase: false });
      world.begin(start);
      world.record(entries);
      const findings = await checkRecording(world);
      await checkFiles(world, entries, findings);
    }
  }
}

async function checkTurns(
  endpoint: string,
  entries: readonly NewEntry[],
  turns: ReadonlyMap<number, TurnView>,
  startedAtMs: number,
): Promise<void> {
  const usOf = (ms: number | null) => (ms === null ? null : Math.round((ms - startedAtMs) * 1000));
  const speech = new RecordedSpeech(endpoint, null);
  for (const entry of entries) await speech.add(entry);
  const isEndOfMore = ({ direction, kind, turn }: NewEntry): boolean =>
    turn === null && (direction === 'out' || kind === 'disconnected');
  const endsOfMore = new Set(entries.filter(isEndOfMore).map(({ atUs }) => atUs));
  for (const recorded of speech.turns) {
    recorded.sound.close();
    const { turn } = recorded.place;
    if (turn === null) continue;
    const live = turns.get(turn);
    if (!live) throw new Broken(`turn ${turn}: expected it in the session, got it in the recording alone`);
    const { text, textFrames, firstTextMs, flushedMs, cutChars } = live;
    // A session keeps the begin of a long text, of a turn as of a chunk.
    const sentText = cutChars > 0 ? recorded.sentText.slice(0, text.length) : recorded.sentText;
    const cut = new Set(live.chunks.filter((chunk) => chunk.cutChars > 0).map(({ id }) => id));
    const isWhole = ({ id }: Readonly<Chunk>) => !cut.has(id);
    // Behind it is text that waits.
    const sent = { text: text.slice(0, sentText.length), textFrames, firstTextUs: usOf(firstTextMs) };
    const read = { text: sentText, textFrames: recorded.textFrames, firstTextUs: usIn(recorded.firstTextMs) };
    checkSame(`what was sent of turn ${turn}`, read, sent);
    // A frame that ends several texts names no turn, and a close in place of a frame is none.
    const flushedUs = usOf(flushedMs);
    if (recorded.flushedMs !== null || flushedUs === null || !endsOfMore.has(flushedUs))
      checkSame(`the flush of turn ${turn}`, usIn(recorded.flushedMs), flushedUs);
    // Frames that came after their turn was dropped are in the recording alone.
    if (live.state === 'cancelled' || live.lateFrames > 0) continue;
    const bill = typeof live.usage === 'object' ? live.usage : null;
    if (live.state === 'ended') checkSame(`the bill of turn ${turn}`, recorded.bill, bill);
    checkSame(
      `the chunks of turn ${turn}`,
      heardChunks(recorded.chunks.filter(isWhole), usIn),
      heardChunks(live.chunks.filter(isWhole), usOf),
    );
  }
}

function checkSame(what: string, found: unknown, expected: unknown): void {
  if (!deepEqual(found, expected))
    throw new Broken(
      `${what}: expected ${JSON.stringify(expected)}, as the session has it, got ${JSON.stringify(found)}`,
    );
}

/** Of a time in ms of a recording. */
const usIn = (ms: number | null) => (ms === null ? null : Math.round(ms * 1000));

/**
 * What the wire says of chunks with audio, and when their text was sent. The frame that begins a turn may complete the words of
 * the one before, and a recording has one turn a frame.
 */
const heardChunks = (chunks: readonly Readonly<Chunk>[], usOf: typeof usIn) =>
  chunks
    .filter(({ samples }) => samples > 0)
    .map(({ id, text, startSample, samples, words, wordSource, generationMs, sentMs }) => ({
      ...{ id, text, startSample, samples, generationMs, sentUs: usOf(sentMs) },
      words: wordSource === 'server' ? words : null,
    }));

/** Compares the entries of a connection with a capture of the same frames, which knows nothing of the session's turns. */
async function checkCapture(endpoint: string, address: string, entries: readonly NewEntry[]): Promise<void> {
  const opening = entries.map((entry) => openingOf(entry)).find((found) => found !== null);
  const capture = await captured(endpoint, opening?.address ?? address, entries);
  if (!capture) throw new Broken('expected a capture of the connection, got none');
  const { findings } = capture.client;
  const linted = lintedOf(endpoint, entries);
  checkSame('the findings of its capture', lintedOf(endpoint, capture.entries), linted);
  const listed = findings.violations + findings.warnings + findings.advice;
  checkSame('the number of findings in the list of clients', listed, linted.length);
  const reads = capture.entries.filter(isFrame);
  const reread = new RecordedSpeech(endpoint, null);
  for (const entry of capture.entries) await reread.add(entry);
  const recorded = new RecordedSpeech(endpoint, null);
  const firstUs = entries[0]?.atUs ?? 0;
  for (const entry of entries) await recorded.add({ ...entry, atUs: entry.atUs - firstUs });
  const noteOf = new Map<number, number>();
  const turnOf = new Map<number, number>();
  /** Contexts with speech that the session drops, because it has not opened them. */
  const unsure = new Set<string | null>();
  let isLost = false;
  /** Turns of the session to which the reader assigns other received frames. */
  const differing = new Set<number | null>();
  for (const [at, { direction, turn, kind, context, chunk, payload }] of entries.filter(isFrame).entries()) {
    const read = reads[at];
    if (!read) throw new Broken(`expected ${kind} in its capture, got none`);
    checkSame(`the payload of ${kind} in its capture`, read.payload, payload);
    const note = read.turn;
    // An error of the connection ends a turn of any context, also of one that the session has not opened.
    isLost ||= unsure.size > 0 && kind === 'error' && context === null;
    const isUnsure = isLost || unsure.has(context);
    if (isLost || (direction === 'in' && (note === null || turn === null || isUnsure))) differing.add(turn);
    if (turn === null && note !== null && direction === 'in') unsure.add(context);
    if (turn === null || isUnsure || unsure.has(context)) continue;
    if (note === null)
      throw new Broken(`expected ${kind} in turn ${turn}, as the session has it, got it in none`);
    const isKnown = noteOf.has(turn) || turnOf.has(note);
    if (isKnown && (noteOf.get(turn) !== note || turnOf.get(note) !== turn))
      throw new Broken(`expected ${kind} in turn ${turn}, as the session has it, got it in another`);
    if (direction === 'in' && (read.kind !== kind || read.chunk !== chunk))
      throw new Broken(
        `turn ${turn}: expected ${kind} of chunk ${chunk}, as the session has it, got ${read.kind} of ${read.chunk}`,
      );
    noteOf.set(turn, note);
    turnOf.set(note, turn);
  }
  const [ownTurns, otherTurns] = [turnsByNumber(recorded), turnsByNumber(reread)];
  for (const [turn, note] of noteOf) {
    const [own, other] = [ownTurns.get(turn), otherTurns.get(note)];
    if (!own || !other || differing.has(turn)) continue;
    const chunksOf = ({ chunks }: RecordedTurn) => heardChunks(chunks, usIn);
    const sentOf = ({ sentText, textFrames, firstTextMs, flushedMs }: RecordedTurn) => ({
      ...{ sentText, textFrames, firstTextMs, flushedMs },
    });
    checkSame(`the bill of turn ${turn} by its frames`, other.bill, own.bill);
    checkSame(`what was sent of turn ${turn} by its frames`, sentOf(other), sentOf(own));
    checkSame(`the chunks of turn ${turn} by its frames`, chunksOf(other), chunksOf(own));
  }
}

/** Returns what the rules find, by the number of frames before it. */
function lintedOf(endpoint: string, entries: readonly NewEntry[]): [frames: number, finding: string][] {
  const linter = new EntryLinter(endpoint);
  let frames = 0;
  const framesBefore = entries.map((entry) => (isFrame(entry) ? frames++ : frames));
  return entries
    .flatMap((entry, index) => linter.take({ ...entry, index }, entry.payload))
    .map(({ frame, id, message }) => [framesBefore[frame] ?? 0, `${id}: ${message}`]);
}

const isFrame = ({ direction }: NewEntry): boolean => direction === 'in' || direction === 'out';

const turnsByNumber = ({ turns }: RecordedSpeech): ReadonlyMap<number | null, RecordedTurn> =>
  new Map(turns.map((turn) => [turn.place.turn, turn]));
