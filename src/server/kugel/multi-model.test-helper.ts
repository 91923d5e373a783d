/** The rules of `/ws/tts/multi` as simply as they can be said, to compare the server with. */

export type Operation =
  | { kind: 'create' | 'flush' | 'keepAlive' | 'close' | 'closeNow' | 'cancel'; id: string }
  | { kind: 'text'; id: string; text: string; flush: boolean }
  | { kind: 'cancelAll' }
  | { kind: 'advance'; ms: number }
  /** The engine stands still; what is started stays under way. */
  | { kind: 'hold' }
  | { kind: 'release' };

interface ModelTurn {
  characters: number;
  /** Characters that wait for more text, a flush, or the time-out. */
  buffered: number;
  /** Something is at the engine or waits for it. */
  isUnderWay: boolean;
  hasSpoken: boolean;
  isEnded: boolean;
  isFlushed: boolean;
}

interface ModelContext {
  turns: ModelTurn[];
  owesFinal: boolean;
  hasSpoken: boolean;
  characters: number;
  isClosing: boolean;
  textMs: number;
  activeMs: number;
}

const MAX = 20;
const IDLE_MS = 20_000;
const STALE_MS = 500;
/** Up to here text without any mark is surely not cut by itself. */
const UNCUT_CHARACTERS = 40;

export class Model {
  readonly contexts = new Map<string, ModelContext>();
  /** What each id is told, in order: `created`, `final`, `interrupted`, `error NAME`, `closed`, `closed CHARACTERS`. */
  readonly told = new Map<string, string[]>();
  interruptedAll = 0;
  sessionsClosed = 0;
  mostLive = 0;
  #held = false;
  #nowMs = 0;

  /** Whether the model can foretell what this does. */
  admits(operation: Operation): boolean {
    if (operation.kind === 'hold') return !this.#held;
    if (operation.kind === 'release') return this.#held;
    if (operation.kind !== 'text') return true;
    const open = this.contexts.get(operation.id)?.turns.at(-1);
    return !open || open.isEnded || open.buffered + operation.text.length <= UNCUT_CHARACTERS;
  }

  apply(operation: Operation): void {
    switch (operation.kind) {
      case 'hold':
        this.#held = true;
        return;
      case 'release':
        this.#held = false;
        for (const [id, context] of this.contexts) this.#speak(id, context);
        return;
      case 'advance':
        this.#advance(this.#nowMs + operation.ms);
        return;
      case 'cancelAll':
        this.interruptedAll += 1;
        for (const context of this.contexts.values()) if (!context.isClosing) this.#drop(context);
        return;
      default:
        this.#address(operation);
    }
  }

  #address(operation: Extract<Operation, { id: string }>): void {
    const { kind, id } = operation;
    const context = this.contexts.get(id);
    if (kind === 'create') {
      if (context) context.activeMs = this.#nowMs;
      else if (this.contexts.size >= MAX) this.#tell(id, 'error TOO_MANY_CONTEXTS');
      else this.#create(id);
      return;
    }
    if (!context) {
      // At the limit the text of a context that was refused hears why it was.
      const full = this.contexts.size >= MAX;
      if (kind === 'text') this.#tell(id, full ? 'error TOO_MANY_CONTEXTS' : 'error MISSING_VOICE_ID');
      if (kind === 'flush') this.#tell(id, 'error VALIDATION_ERROR');
      if (kind === 'close' || kind === 'closeNow') this.#tell(id, 'closed');
      if (kind === 'cancel') this.#tell(id, 'interrupted');
      return;
    }
    if (kind === 'text' && context.isClosing) {
      this.#tell(id, 'error VALIDATION_ERROR');
      return;
    }
    context.activeMs = this.#nowMs;
    if (kind === 'text') this.#text(context, operation.text);
    if (!context.isClosing && (kind === 'flush' || (kind === 'text' && operation.flush))) {
      const turn = openTurn(context);
      turn.isFlushed = true;
      end(turn);
    }
    if (kind === 'close' && !context.isClosing) {
      context.isClosing = true;
      const last = context.turns.at(-1);
      if (last) end(last);
      context.owesFinal = true;
    }
    if (kind === 'cancel') {
      this.#tell(id, 'interrupted');
      this.#drop(context);
    }
    if (kind === 'closeNow') {
      this.#drop(context);
      context.isClosing = true;
    }
    this.#speak(id, context);
  }

  #create(id: string): void {
    this.contexts.set(id, {
      turns: [],
      owesFinal: false,
      hasSpoken: false,
      characters: 0,
      isClosing: false,
      textMs: 0,
      activeMs: this.#nowMs,
    });
    this.mostLive = Math.max(this.mostLive, this.contexts.size);
    this.#tell(id, 'created');
  }

  #text(context: ModelContext, text: string): void {
    const turn = openTurn(context);
    turn.characters += text.length;
    turn.buffered += text.length;
    context.textMs = this.#nowMs;
  }

  #drop(context: ModelContext): void {
    for (const turn of context.turns) {
      context.characters += turn.characters;
      context.hasSpoken ||= turn.hasSpoken;
    }
    context.turns = [];
    context.owesFinal = false;
    context.activeMs = this.#nowMs;
  }

  /** All that can be spoken is spoken, unless the engine stands still. */
  #speak(id: string, context: ModelContext): void {
    for (let turn = context.turns[0]; turn; turn = context.turns[0]) {
      if (turn.isUnderWay) {
        if (this.#held) return;
        turn.isUnderWay = false;
        turn.hasSpoken = true;
        context.owesFinal = true;
        context.activeMs = this.#nowMs;
      }
      if (!turn.isEnded) return;
      context.turns.shift();
      context.characters += turn.characters;
      context.hasSpoken ||= turn.hasSpoken;
      context.activeMs = this.#nowMs;
      if (turn.isFlushed) {
        this.#tell(id, 'final');
        context.owesFinal = context.isClosing;
      }
    }
    if (context.isClosing) this.#end(id, context);
  }

  #end(id: string, context: ModelContext): void {
    if (context.owesFinal) this.#tell(id, 'final');
    this.#tell(id, context.hasSpoken ? `closed ${context.characters}` : 'closed');
    this.contexts.delete(id);
  }

  /** Time passes; what falls due happens in its order. */
  #advance(untilMs: number): void {
    for (;;) {
      const due = [...this.contexts].map(([id, context]) => ({ id, context, ...nextOf(context) }));
      const next = due
        .filter(({ atMs }) => atMs <= untilMs)
        .sort((a, b) => a.atMs - b.atMs)
        .at(0);
      if (!next) break;
      const { id, context, atMs, isStale } = next;
      this.#nowMs = atMs;
      if (isStale) {
        const turn = openTurn(context);
        turn.buffered = 0;
        turn.isUnderWay = true;
        this.#speak(id, context);
      } else if (context.turns.some((turn) => turn.isUnderWay)) {
        context.activeMs = atMs;
      } else {
        this.#closeInactive(id, context);
      }
    }
    this.#nowMs = untilMs;
  }

  #closeInactive(id: string, context: ModelContext): void {
    context.isClosing = true;
    const open = context.turns.at(-1);
    if (open) end(open);
    this.#speak(id, context);
    if (this.contexts.size === 0) this.sessionsClosed += 1;
  }

  #tell(id: string, what: string): void {
    const list = this.told.get(id) ?? [];
    list.push(what);
    this.told.set(id, list);
  }
}

function openTurn(context: ModelContext): ModelTurn {
  const last = context.turns.at(-1);
  if (last && !last.isEnded) return last;
  const turn: ModelTurn = {
    characters: 0,
    buffered: 0,
    isUnderWay: false,
    hasSpoken: false,
    isEnded: false,
    isFlushed: false,
  };
  context.turns.push(turn);
  return turn;
}

function end(turn: ModelTurn): void {
  turn.isEnded = true;
  turn.isUnderWay ||= turn.buffered > 0;
  turn.buffered = 0;
}

/** When something happens to the context by itself. */
function nextOf(context: ModelContext): { atMs: number; isStale: boolean } {
  const open = context.turns.at(-1);
  if (open && !open.isEnded && open.buffered > 0) return { atMs: context.textMs + STALE_MS, isStale: true };
  return { atMs: context.isClosing ? Number.POSITIVE_INFINITY : context.activeMs + IDLE_MS, isStale: false };
}
