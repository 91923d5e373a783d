import { positionAt, stateOf, type TranscriptPart, type TranscriptWord } from './words.ts';

/** The words of one turn and the elements that show them, in the same order. */
export interface LitTurn {
  turn: number;
  sampleRate: number;
  words: readonly TranscriptWord[];
  wordNodes: readonly HTMLElement[];
  parts: readonly TranscriptPart[];
  partNodes: readonly HTMLElement[];
}

interface Shown {
  spoken: number;
  current: number | null;
  part: number | null;
}

/**
 * Lights words by writing `data-state` on their elements, past React: a frame costs as many writes as words changed.
 */
export class Highlighter {
  readonly #turns = new Map<number, { lit: LitTurn; shown: Shown | null }>();
  readonly #onCurrent: (node: HTMLElement) => void;

  /** `onCurrent` hears of each element that becomes the current one. */
  constructor(onCurrent: (node: HTMLElement) => void) {
    this.#onCurrent = onCurrent;
  }

  /** Shows a turn from now on; its elements get their state at the next `paint`. Returns what takes it out. */
  register(lit: LitTurn): () => void {
    this.#turns.set(lit.turn, { lit, shown: null });
    return () => {
      if (this.#turns.get(lit.turn)?.lit === lit) this.#turns.delete(lit.turn);
    };
  }

  /** Ids of the turns in view. */
  get turns(): Iterable<number> {
    return this.#turns.keys();
  }

  /** Brings a turn's light to a sample; `over` when nothing of it plays, so that no part is lit as a whole. */
  paint(turn: number, sample: number, over: boolean): void {
    const entry = this.#turns.get(turn);
    if (!entry) return;
    const { lit, shown } = entry;
    const position = positionAt(lit.words, sample, lit.sampleRate);
    if (over && position.current !== null) {
      position.spoken = position.current + 1;
      position.current = null;
    }
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
    for (let index = from; index < Math.min(to, lit.words.length); index += 1) {
      const node = lit.wordNodes[index];
      const state = stateOf(index, position);
      // Of a turn that is laid out anew most words have their state already.
      if (node && node.dataset.state !== state) node.dataset.state = state;
    }
    if (shown?.part !== part) {
      for (const [index, node] of lit.partNodes.entries()) {
        if (index === part) node.dataset.lit = 'true';
        else delete node.dataset.lit;
      }
    }
    const node =
      position.current === null
        ? part === null
          ? undefined
          : lit.partNodes[part]
        : lit.wordNodes[position.current];
    if (node && (position.current !== shown?.current || part !== shown?.part)) this.#onCurrent(node);
    entry.shown = { ...position, part };
  }
}

const reach = (position: { spoken: number; current: number | null }): number =>
  position.current ?? position.spoken;

/** The chunk under the play head, where it has no word timings and is lit as a whole. */
function untimedPartAt(parts: readonly TranscriptPart[], sample: number): number | null {
  let found: number | null = null;
  for (const [index, part] of parts.entries()) {
    if (part.chunk !== null && part.startSample <= sample) found = index;
  }
  return found !== null && parts[found]?.timed === false ? found : null;
}
