import { remember } from '#lib/collections/maps.ts';
import type { Intent } from '#protocol/core/endpoint.ts';
import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import { isUnderWay, type TurnEnd, type TurnState } from './turn-state.ts';

/** Intents behind which the server takes no more text of a turn. */
const ENDS: ReadonlySet<Intent['kind']> = new Set(['endTurn', 'disconnect']);
/** Chunks of a turn whose words may still come. */
const MAX_CHUNKS = 64;

/** The part of a turn that decides which frames are its own. It is all that is kept of a turn of another program. */
export class LineTurn {
  /** In the order of the turns, counted from 1. */
  readonly id: number;
  readonly context: string;
  state: TurnState = 'sending';
  /** The server has text of it, so it may answer. */
  sent = false;
  /** Flushed, or ended by the server. Further text opens another turn. */
  textEnded = false;
  flushedMs: number | null = null;
  textFrames = 0;
  /** Number of messages of this turn that the server refused. */
  refusals = 0;
  /** Whether the server sent words of it, by chunk. */
  readonly #hasWords = new Map<number, boolean>();
  #hasAudio = false;

  constructor(id: number, context: string) {
    this.id = id;
    this.context = context;
  }

  /** No more audio of it will come. */
  get isOver(): boolean {
    return !isUnderWay(this);
  }

  get hasChunks(): boolean {
    return this.#hasWords.size > 0;
  }

  /** The chunk is known, and has no words of the server. */
  hasUntimedChunk(id: number): boolean {
    return this.#hasWords.get(id) === false;
  }

  /** Takes an event of this turn that is not late. */
  take(event: SpeechEvent, _atMs: number): void {
    if (!('chunk' in event) || event.type === 'error') return;
    const { chunk, type } = event;
    if (type === 'audio') {
      this.#hasAudio = true;
      if (!this.isOver) this.state = 'receiving';
    }
    this.noteChunk(chunk, type === 'words' && event.words.length > 0);
  }

  /** An event of this chunk came. */
  protected noteChunk(id: number, hasWords: boolean): void {
    remember(this.#hasWords, id, hasWords || this.#hasWords.get(id) === true, MAX_CHUNKS);
  }

  /** Takes a sent frame of this turn. @param flushEndsTurn see {@link Endpoint.flushEndsTurn} */
  takeSent(intent: Intent, atMs: number, flushEndsTurn: boolean): void {
    if (intent.kind === 'say') this.textSent(intent.text, atMs);
    else if (ENDS.has(intent.kind) || (intent.kind === 'flush' && flushEndsTurn)) this.endText(atMs);
  }

  protected textSent(_text: string, _atMs: number): void {
    this.sent = true;
    this.textFrames += 1;
  }

  /** The first end counts. @param flushedMs null where no frame of the client ended it */
  endText(flushedMs: number | null): void {
    this.textEnded = true;
    this.flushedMs ??= flushedMs;
    if (this.state === 'sending') this.state = 'waiting';
  }

  /** Ends the turn. A second end changes nothing. */
  end(state: TurnEnd, _atMs: number): void {
    if (this.isOver) return;
    this.state = state;
    this.textEnded = true;
  }

  /** Takes back an end, because the refused message may not have been its text. */
  revive(): void {
    this.state = this.#hasAudio ? 'receiving' : 'waiting';
  }
}
