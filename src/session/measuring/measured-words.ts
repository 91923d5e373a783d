import { remember } from '#lib/collections/maps.ts';
import type { PcmStore } from '#player/pcm-store.ts';
import type { Settings } from '#protocol/core/endpoint.ts';
import { languageSetting, wordTimesSetting } from '#protocol/core/settings.ts';
import { languageCodeOf } from '#protocol/core/text-language.ts';
import type { ReferenceRequest } from '#protocol/reference-messages.ts';
import { endpointOf } from '#protocol/registry.ts';
import type { Chunk } from '#trace/chunks.ts';
import type { SessionTurn } from '../turns/session-turn.ts';
import type { FoundWords, SoundMessage } from './word-search.ts';

/** Where words are searched, beside the session's thread. */
export interface WordSearcher {
  post(message: SoundMessage): void;
}

/** Opens a searcher. @param found may be called at any time, also about turns that are over */
export type OpenWordSearcher = (found: (words: FoundWords) => void) => WordSearcher;

/** In a worker of its own, which starts with the first sound that needs it. */
export const searchInWorker: OpenWordSearcher = (found) => {
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
  text: string;
  samples: number;
  isWhole: boolean;
}

/** Has the words of chunks searched in their sound, where the server sends no times of them. */
export class MeasuredWords {
  readonly #open: OpenWordSearcher | null;
  readonly #storeOf: (turn: SessionTurn) => PcmStore | undefined;
  readonly #changed: (turn: SessionTurn) => void;
  #searcher: WordSearcher | null = null;
  /** By id, the turns with what was posted of each chunk. */
  readonly #turns = new Map<number, { turn: SessionTurn; chunks: Map<number, Posted> }>();

  /** @param open null to leave the estimates @param changed words of the turn were found */
  constructor(
    open: OpenWordSearcher | null,
    storeOf: (turn: SessionTurn) => PcmStore | undefined,
    changed: (turn: SessionTurn) => void,
  ) {
    this.#open = open;
    this.#storeOf = storeOf;
    this.#changed = changed;
  }

  /** The chunk of a turn has got audio, or is complete. @param shared settings of its connection */
  received(turn: SessionTurn, chunkId: number, shared: Settings): void {
    const chunk = this.#open && turn.chunks.findLast(({ id }) => id === chunkId);
    if (!chunk || chunk.wordSource === 'server' || !chunk.text || chunk.cutChars > 0) return;
    const { settings: described, contexts } = endpointOf(turn.endpoint);
    const all = [...described, ...(contexts?.settings ?? [])];
    const chosen = (field = ''): unknown => turn.asked.settings[field] ?? shared[field];
    // The server sends them behind the audio.
    if (chosen(wordTimesSetting(all)?.field) === true) return;
    const language = chosen(languageSetting(all)?.field);
    this.#post(turn, chunk, {
      text: chunk.text,
      language: typeof language === 'string' ? languageCodeOf(language) : null,
    });
  }

  /** Nothing more of the turn will come. Words of complete chunks are still found. */
  ended({ id }: SessionTurn): void {
    const chunks = [...(this.#turns.get(id)?.chunks.values() ?? [])];
    if (chunks.some(({ isWhole }) => !isWhole)) this.#searcher?.post({ kind: 'over', turn: id });
  }

  #post(
    turn: SessionTurn,
    { id, startSample, samples, completedMs }: Chunk,
    { text, language }: Pick<ReferenceRequest, 'text' | 'language'>,
  ): void {
    const store = this.#storeOf(turn);
    const isWhole = completedMs !== null;
    const { chunks } = this.#turns.get(turn.id) ?? { chunks: new Map<number, Posted>() };
    const before = chunks.get(id);
    const from = before?.text === text ? before.samples : 0;
    if (!store || before?.isWhole || (!isWhole && samples - from < PART_S * store.sampleRate)) return;
    this.#searcher ??= this.#open?.((found) => this.#found(found)) ?? null;
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
    chunks.set(id, { text, samples, isWhole });
    remember(this.#turns, turn.id, { turn, chunks }, MAX_TURNS);
  }

  #found({ turn: id, chunk, text, words, isWhole }: FoundWords): void {
    const turn = this.#turns.get(id)?.turn;
    if (!turn) return;
    turn.measured(chunk, { text, words, isWhole });
    this.#changed(turn);
  }
}
