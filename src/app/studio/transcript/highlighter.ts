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

interface Furthest {
  repeat: number | null;
  /** Where in the text the light was, see `reachOf`. A new layout may divide the text into other words. */
  reach: number;
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
  paint(turn: number, { sample, repeat }: HeardPlace, over: boolean): void {
    const entry = this.#turns.get(turn);
    if (!entry) return;
    const { lit, shown } = entry;
    const reached = this.#forwards(lit, repeat, placeAt(lit, sample, over));
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

  #forwards({ turn, words }: LitTurn, repeat: number | null, position: WordPosition): WordPosition {
    const before = this.#furthest.get(turn);
    const furthest = before?.repeat === repeat ? before : { reach: 0, repeat };
    const reach = reachOf(words, position);
    if (furthest.reach > reach) return positionOf(words, furthest.reach);
    // Words without times count as spoken once their chunk is heard. Times that arrive later replace that.
    const last = words[position.current ?? position.spoken - 1];
    const isTimed = last !== undefined && last.endSample > last.startSample;
    this.#furthest.set(turn, isTimed ? { reach, repeat } : furthest);
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

/** Returns the place of the light in characters: the middle of the first one of a current word, the end of a spoken one. */
function reachOf(words: readonly TranscriptWord[], { spoken, current }: WordPosition): number {
  const word = words[current ?? spoken - 1];
  if (!word) return 0;
  return current === null ? word.offset + word.text.length : word.offset + 0.5;
}

/** Returns the position whose reach that is. */
function positionOf(words: readonly TranscriptWord[], reach: number): WordPosition {
  const behind = words.findIndex(({ offset, text }) => offset + text.length > reach);
  const spoken = behind < 0 ? words.length : behind;
  const isCurrent = !Number.isInteger(reach) && (words[spoken]?.offset ?? reach) < reach;
  return { spoken, current: isCurrent ? spoken : null };
}
