import { type AudioEvent, ONLY_CONTEXT, type SpeechEvent } from '#protocol/core/speech-event.ts';
import { EntryDecoder } from '#record/entry-decoder.ts';
import type { RecordEntry } from '#record/record.ts';
import { samplesIn } from '#record/recorded-event.ts';
import { estimateWords, SpeechPace } from '../format/estimated-words.ts';
import type { TimedChunk, TimedTurn } from '../format/word-timings.ts';

type OpenTurn = Omit<TimedTurn, 'chunks'> & { chunks: OpenChunk[] };
type OpenChunk = { -readonly [Field in keyof TimedChunk]: TimedChunk[Field] } & {
  samples: number;
  isComplete: boolean;
};

/** Rebuilds turns and words from entries in order. Word times are the server's, or estimated as on the page. */
export class RecordedTurns {
  readonly #decoder: EntryDecoder;
  readonly #turns = new Map<number, OpenTurn>();

  /** @param endpoint its registry name; an unknown one has no turns */
  constructor(endpoint: string) {
    this.#decoder = new EntryDecoder(endpoint);
  }

  add(entry: RecordEntry): void {
    for (const event of this.#decoder.take(entry)) {
      if (entry.turn !== null) this.#take(event, entry.turn, entry.context);
    }
  }

  /** In the order of their numbers. */
  turns(): TimedTurn[] {
    const pace = new SpeechPace();
    const turns = [...this.#turns.values()].sort((a, b) => a.id - b.id);
    return turns.map((turn) => ({
      ...turn,
      chunks: turn.chunks.map((chunk) => timedChunk(chunk, turn.sampleRate ?? 0, pace)),
    }));
  }

  #take(event: SpeechEvent, id: number, context: string | null): void {
    if (!('chunk' in event) || event.type === 'error') return;
    const turn = this.#turns.get(id) ?? newTurn(id, context);
    this.#turns.set(id, turn);
    const chunk = chunkOf(turn, event.chunk);
    if (event.type === 'chunkStarted') chunk.text = event.text;
    else if (event.type === 'words') chunk.words = [...(chunk.words ?? []), ...event.words];
    else if (event.type === 'chunkCompleted') chunk.isComplete = true;
    else addAudio(turn, chunk, event);
  }
}

/** Returns a chunk with the server's word times, or with estimates of the words that its audio contains. */
function timedChunk(
  { samples, isComplete, ...chunk }: OpenChunk,
  sampleRate: number,
  pace: SpeechPace,
): TimedChunk {
  if (chunk.text === null || samples === 0) return chunk;
  const receivedMs = (samples / sampleRate) * 1000;
  if (isComplete) pace.learn(chunk.text, receivedMs);
  if (chunk.words?.length) return chunk;
  const totalMs = isComplete ? receivedMs : Math.max(receivedMs, pace.expectedMs(chunk.text));
  const words = estimateWords(chunk.text, totalMs).filter(({ endMs }) => endMs <= receivedMs);
  return { ...chunk, words, wordsAreEstimated: true };
}

const newTurn = (id: number, context: string | null): OpenTurn => ({
  id,
  context: context ?? ONLY_CONTEXT,
  chunks: [],
  sampleRate: null,
  samples: 0,
});

function chunkOf(turn: OpenTurn, id: number): OpenChunk {
  const known = turn.chunks.find((chunk) => chunk.id === id);
  if (known) return known;
  const chunk = {
    id,
    text: null,
    words: null,
    wordsAreEstimated: false,
    startSample: turn.samples,
    samples: 0,
    isComplete: false,
  };
  turn.chunks.push(chunk);
  return chunk;
}

function addAudio(turn: OpenTurn, chunk: OpenChunk, event: AudioEvent): void {
  const samples = samplesIn(event);
  if (samples === null) return;
  // A chunk may be announced while audio of the one before it still arrives.
  if (chunk.samples === 0) chunk.startSample = turn.samples;
  chunk.samples += samples;
  turn.samples += samples;
  turn.sampleRate ??= event.sampleRate;
}
