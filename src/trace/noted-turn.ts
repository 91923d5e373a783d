import { remember } from '#lib/collections/maps.ts';
import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import type { LineTurn, TurnEnd } from './turn-line.ts';

/** Chunks of a turn whose words may still come. */
const MAX_CHUNKS = 64;

/** A turn of another program, known by its frames alone. */
export class NotedTurn implements LineTurn {
  readonly id: number;
  readonly context: string;
  state: TurnEnd | 'underWay' = 'underWay';
  sent = true;
  textEnded = false;
  flushedMs: number | null = null;
  textFrames = 0;
  refusals = 0;
  /** Whether the server sent words of it, by chunk. */
  readonly #chunks = new Map<number, boolean>();

  constructor(id: number, context: string) {
    this.id = id;
    this.context = context;
  }

  get isOver(): boolean {
    return this.state !== 'underWay';
  }

  get hasChunks(): boolean {
    return this.#chunks.size > 0;
  }

  hasUntimedChunk(id: number): boolean {
    return this.#chunks.get(id) === false;
  }

  /** Takes an event of this turn. */
  heard(event: SpeechEvent): void {
    if (!('chunk' in event) || event.type === 'error') return;
    const { chunk, type } = event;
    remember(this.#chunks, chunk, type === 'words' || this.#chunks.get(chunk) === true, MAX_CHUNKS);
  }

  endText(flushedMs: number | null): void {
    this.textEnded = true;
    this.flushedMs = flushedMs;
  }

  end(state: TurnEnd): void {
    this.state = state;
    this.textEnded = true;
  }

  revive(): void {
    this.state = 'underWay';
  }
}
