import { remember } from '#lib/collections/maps.ts';
import type { PcmStore } from '#player/pcm-store.ts';
import type { Settings } from '#protocol/core/endpoint.ts';
import { languageSetting, wordTimesSetting } from '#protocol/core/settings.ts';
import { languageCodeOf } from '#protocol/core/text-language.ts';
import { endpointOf } from '#protocol/registry.ts';
import type { Chunk } from '#trace/chunks.ts';
import { type MeasuredRecord, measuredWords } from '#trace/player-entry.ts';
import { mayHaveReferences } from '#trace/words/text-search.ts';
import type { SessionTurn } from '../turns/session-turn.ts';
import type { FoundWords, SoundMessage } from './word-search.ts';

/** Where words are searched, beside the session's thread. */
export interface WordSearcher {
  post(message: SoundMessage): void;
}

/**
 * Opens a searcher; null where there are no references.
 * @param found may be called at any time, also about turns that are over
 */
export type OpenWordSearcher = (found: (words: FoundWords) => void) => WordSearcher | null;

/** Searches in a worker of its own, which starts with the first sound that needs it. */
export const searchInWorker: OpenWordSearcher = (found) => {
  if (!mayHaveReferences()) return null;
  const worker = new Worker(new URL('./words.worker.ts', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data }: MessageEvent<FoundWords>) => found(data);
  return {
    post: (message) => worker.postMessage(message, message.kind === 'sound' ? [message.samples.buffer] : []),
  };
};

/** Sound is posted in parts of this length. */
const PART_S = 0.25;

/** Turns whose last words may still be found. */
const MAX_TURNS = 20;

/** What was posted of a chunk. */
interface Posted {
  samples: number;
  isWhole: boolean;
}

interface Options {
  /** Null to leave the estimates. */
  open: OpenWordSearcher | null;
  storeOf(turn: SessionTurn): PcmStore | undefined;
  /** Words of the turn were found. `isFinal`: all of the chunk. */
  found(turn: SessionTurn, words: FoundWords): void;
}

/**
 * Has the words of chunks searched in their sound: while it arrives where the server sends no times of them, or else once it
 * is complete, to compare them with its times.
 */
export class MeasuredWords {
  readonly #options: Options;
  #searcher: WordSearcher | null = null;
  /** By id, the turns with what was posted of each chunk. */
  readonly #turns = new Map<
    number,
    { turn: SessionTurn; language: string | null; chunks: Map<number, Posted> }
  >();

  constructor(options: Options) {
    this.#options = options;
  }

  /** The chunk of a turn has got audio, or is complete. @param shared settings of its connection */
  received(turn: SessionTurn, chunkId: number, shared: Settings): void {
    const chunk = turn.chunks.findLast(({ id }) => id === chunkId);
    if (!chunk) return;
    const { settings: described, contexts } = endpointOf(turn.endpoint);
    const all = [...described, ...(contexts?.settings ?? [])];
    const chosen = (field = ''): unknown => turn.asked.settings[field] ?? shared[field];
    const language = chosen(languageSetting(all)?.field);
    const known = this.#turns.get(turn.id);
    if (!known) {
      const code = typeof language === 'string' ? languageCodeOf(language) : null;
      remember(this.#turns, turn.id, { turn, language: code, chunks: new Map() }, MAX_TURNS);
    }
    const isWhole = chunk.completedMs !== null;
    // The server sends requested ones behind the audio.
    const isWanted = chunk.wordSource === 'server' ? isWhole : chosen(wordTimesSetting(all)?.field) !== true;
    if (isWanted) this.#post(turn, chunk, isWhole);
  }

  /** Nothing more of the turn will come. */
  ended(turn: SessionTurn): void {
    const { chunks } = this.#turns.get(turn.id) ?? {};
    if (!chunks) return;
    const isWhole = turn.state === 'ended';
    for (const chunk of turn.chunks) this.#post(turn, chunk, isWhole || chunk.completedMs !== null, true);
    if ([...chunks.values()].some((posted) => !posted.isWhole))
      this.#searcher?.post({ kind: 'over', turn: turn.id });
  }

  /** The recording that is replayed has the words of a chunk. */
  recorded(id: number, record: MeasuredRecord): void {
    const turn = this.#turns.get(id)?.turn;
    const text = turn?.chunks.find((chunk) => chunk.id === record.chunk)?.text ?? null;
    const words = measuredWords(record, text);
    if (text !== null && words)
      this.#found({ turn: id, chunk: record.chunk, text, words, isFinal: true, by: record.by });
  }

  /** The session goes to another server. Words of earlier turns are no longer wanted. */
  leave(): void {
    for (const id of this.#turns.keys()) this.#searcher?.post({ kind: 'over', turn: id });
    this.#turns.clear();
  }

  #post(
    turn: SessionTurn,
    { id, text, cutChars, startSample, samples }: Readonly<Chunk>,
    isWhole: boolean,
    isLast = isWhole,
  ): void {
    const { chunks, language = null } = this.#turns.get(turn.id) ?? {};
    const store = this.#options.storeOf(turn);
    const before = chunks?.get(id);
    const from = before?.samples ?? 0;
    if (!this.#options.open || !chunks || !store || !text || cutChars > 0 || samples === 0 || before?.isWhole)
      return;
    if (!isLast && samples - from < PART_S * store.sampleRate) return;
    this.#searcher ??= this.#options.open((found) => this.#found(found));
    this.#searcher?.post({
      kind: 'sound',
      turn: turn.id,
      chunk: id,
      text,
      language,
      sampleRate: store.sampleRate,
      samples: store.slice(startSample + from, startSample + samples),
      isWhole,
    });
    chunks.set(id, { samples, isWhole });
  }

  #found(found: FoundWords): void {
    const turn = this.#turns.get(found.turn)?.turn;
    if (turn?.measured(found)) this.#options.found(turn, found);
  }
}
