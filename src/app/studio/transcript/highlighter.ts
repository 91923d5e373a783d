import type { HeardPlace } from '../../session-client/played.ts';
import { positionAt, stateOf, type TranscriptWord, type WordPosition } from './words.ts';

/** The words of one turn, and the elements of those on the page that is shown. */
export interface LitTurn {
  turn: number;
  sampleRate: number;
  words: readonly TranscriptWord[];
  /** Elements of consecutive words from `firstWord` on. */
  wordNodes: readonly HTMLElement[];
  firstWord: number;
  /** Called when another word becomes the current one, which may have no element. */
  onMoved: (word: number) => void;
}

interface Furthest extends WordPosition {
  replay: number | null;
}

/**
 * Lights words by writing `data-state` on their elements without React. A frame costs one write per changed word.
 */
export class Highlighter {
  readonly #turns = new Map<number, { lit: LitTurn; shown: WordPosition | null }>();
  /** By turn, the furthest place of its last hearing. A new layout of the turn keeps it. */
  readonly #furthest = new Map<number, Furthest>();
  readonly #onCurrent: (node: HTMLElement) => void;

  /** @param onCurrent called with each element that becomes the current one */
  constructor(onCurrent: (node: HTMLElement) => void) {
    this.#onCurrent = onCurrent;
  }

  /** Adds a turn; its elements get their state at the next `paint`. Returns the function that removes it. */
  register(lit: LitTurn): () => void {
    this.#turns.set(lit.turn, { lit, shown: null });
    return () => {
      if (this.#turns.get(lit.turn)?.lit === lit) this.#turns.delete(lit.turn);
    };
  }

  get turns(): Iterable<number> {
    return this.#turns.keys();
  }

  /** Forgets how far turns were lit. Another session uses the same ids for other turns. */
  forget(): void {
    this.#furthest.clear();
  }

  /**
   * Moves a turn's light to a place. Within one hearing it never goes back, although estimated word times stretch while
   * a turn is heard.
   * @param over nothing of the turn plays
   */
  paint(turn: number, { sample, replay }: HeardPlace, over: boolean): void {
    const entry = this.#turns.get(turn);
    if (!entry) return;
    const { lit, shown } = entry;
    const reached = this.#forwards(turn, replay, placeAt(lit, sample, over));
    const position = over ? withoutCurrent(reached) : reached;
    if (shown && shown.spoken === position.spoken && shown.current === position.current) return;
    const from = shown ? Math.min(reach(shown), reach(position)) : 0;
    const to = shown ? Math.max(reach(shown), reach(position)) + 1 : lit.words.length;
    const end = Math.min(to, lit.firstWord + lit.wordNodes.length);
    for (let index = Math.max(from, lit.firstWord); index < end; index += 1) {
      const node = lit.wordNodes[index - lit.firstWord];
      const state = stateOf(index, position);
      // After a new layout, most words have their state already.
      if (node && node.dataset.state !== state) node.dataset.state = state;
    }
    const { current } = position;
    if (current !== null && current !== shown?.current) {
      const node = lit.wordNodes[current - lit.firstWord];
      if (node) this.#onCurrent(node);
      lit.onMoved(current);
    }
    entry.shown = position;
  }

  #forwards(turn: number, replay: number | null, position: WordPosition): WordPosition {
    const furthest = this.#furthest.get(turn);
    if (furthest?.replay === replay && orderOf(furthest) > orderOf(position)) return furthest;
    this.#furthest.set(turn, { ...position, replay });
    return position;
  }
}

function placeAt({ words, sampleRate }: LitTurn, sample: number, over: boolean): WordPosition {
  const position = positionAt(words, sample, sampleRate);
  return over ? withoutCurrent(position) : position;
}

/** Counts the current word as spoken. */
const withoutCurrent = (position: WordPosition): WordPosition =>
  position.current === null ? position : { spoken: position.current + 1, current: null };

const reach = (position: WordPosition): number => position.current ?? position.spoken;

/** Returns a rank that grows as the light moves on. A current word ranks below the same word spoken. */
const orderOf = (position: WordPosition): number =>
  position.current === null ? position.spoken : position.current + 0.5;
