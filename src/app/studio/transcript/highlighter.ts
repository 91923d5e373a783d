import type { HeardPlace } from '../../session-client/played.ts';
import { positionAt, stateOf, type TranscriptPart, type TranscriptWord, type WordPosition } from './words.ts';

/** The words of one turn, and the elements of those on the page that is shown. */
export interface LitTurn {
  turn: number;
  sampleRate: number;
  words: readonly TranscriptWord[];
  /** Elements of consecutive words from `firstWord` on, and of parts from `firstPart` on. */
  wordNodes: readonly HTMLElement[];
  firstWord: number;
  parts: readonly TranscriptPart[];
  partNodes: readonly HTMLElement[];
  firstPart: number;
  /** Called when another word or part becomes the current one, which may have no element. */
  onMoved: (place: { word: number } | { part: number }) => void;
}

interface Shown extends WordPosition {
  part: number | null;
}

interface Furthest extends WordPosition {
  replay: number | null;
}

/**
 * Lights words by writing `data-state` on their elements without React. A frame costs one write per changed word.
 */
export class Highlighter {
  readonly #turns = new Map<number, { lit: LitTurn; shown: Shown | null }>();
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
   * @param over nothing of the turn plays, so no part is lit as a whole
   */
  paint(turn: number, { sample, replay }: HeardPlace, over: boolean): void {
    const entry = this.#turns.get(turn);
    if (!entry) return;
    const { lit, shown } = entry;
    const reached = this.#forwards(turn, replay, lit.words, placeAt(lit, sample, over));
    const position = over ? withoutCurrent(reached) : reached;
    const part = over ? null : untimedPartAt(lit.parts, sample);
    if (
      shown &&
      shown.spoken === position.spoken &&
      shown.current === position.current &&
      shown.part === part
    ) {
      return;
    }
    const from = shown ? Math.min(reach(shown), reach(position)) : 0;
    const to = shown ? Math.max(reach(shown), reach(position)) + 1 : lit.words.length;
    const end = Math.min(to, lit.firstWord + lit.wordNodes.length);
    for (let index = Math.max(from, lit.firstWord); index < end; index += 1) {
      const node = lit.wordNodes[index - lit.firstWord];
      const state = stateOf(index, position);
      // After a new layout, most words have their state already.
      if (node && node.dataset.state !== state) node.dataset.state = state;
    }
    if (shown?.part !== part) {
      for (const [index, node] of lit.partNodes.entries()) {
        if (lit.firstPart + index === part) node.dataset.lit = 'true';
        else delete node.dataset.lit;
      }
    }
    if (position.current !== shown?.current || part !== shown?.part) {
      const { current } = position;
      const node =
        current !== null
          ? lit.wordNodes[current - lit.firstWord]
          : part !== null
            ? lit.partNodes[part - lit.firstPart]
            : undefined;
      if (node) this.#onCurrent(node);
      if (current !== null) lit.onMoved({ word: current });
      else if (part !== null) lit.onMoved({ part });
    }
    entry.shown = { ...position, part };
  }

  #forwards(
    turn: number,
    replay: number | null,
    words: readonly TranscriptWord[],
    position: WordPosition,
  ): WordPosition {
    const before = this.#furthest.get(turn);
    const furthest = before?.replay === replay ? before : { spoken: 0, current: null, replay };
    if (orderOf(furthest) > orderOf(position)) return furthest;
    // Words without times count as spoken once their chunk is heard. Times that arrive later replace that.
    const last = words[position.current ?? position.spoken - 1];
    const isTimed = last !== undefined && last.endSample > last.startSample;
    this.#furthest.set(turn, isTimed ? { ...position, replay } : furthest);
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

/** The chunk under the playhead, if it has no word timings and is lit as a whole. */
function untimedPartAt(parts: readonly TranscriptPart[], sample: number): number | null {
  let found: number | null = null;
  for (const [index, part] of parts.entries()) {
    if (part.chunk !== null && part.startSample <= sample) found = index;
  }
  return found !== null && parts[found]?.timed === false ? found : null;
}
