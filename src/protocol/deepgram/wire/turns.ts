import type { AudioFormat } from '../../core/audio-format.ts';
import type { WithUnknown } from '../../core/json-frame.ts';
import { ONLY_CONTEXT, type SpeechEvent, type TurnTotals } from '../../core/speech-event.ts';

/** The text between two flushes, which is one chunk. */
export interface SpokenTurn {
  text: string;
  isFlushed: boolean;
  /** Later text belongs to another turn. */
  isCancelled: boolean;
  /** Its text as announced; null before. */
  announced: string | null;
}

const IN_CHUNK = { context: ONLY_CONTEXT, chunk: 0 } as const;

/** The turns of one connection without an end, oldest first. Audio names nothing, so it belongs to the oldest. */
export class SpokenTurns {
  readonly #format: AudioFormat;
  #turns: SpokenTurn[] = [];

  constructor(format: AudioFormat) {
    this.#format = format;
  }

  get all(): readonly SpokenTurn[] {
    return this.#turns;
  }

  say(text: string): void {
    this.#open().text += text;
  }

  flush(): void {
    this.#open().isFlushed = true;
  }

  /** A flush was refused, so its turn may still get text. */
  unflush(): void {
    const last = this.#turns.findLast(({ isFlushed, isCancelled }) => isFlushed && !isCancelled);
    if (last) last.isFlushed = false;
  }

  /** What was sent so far is cancelled. */
  cancel(): readonly SpokenTurn[] {
    for (const turn of this.#turns) turn.isCancelled = true;
    return [...this.#turns];
  }

  drop(turns: readonly SpokenTurn[]): void {
    this.#turns = this.#turns.filter((turn) => !turns.includes(turn));
  }

  /** The oldest turn begins, or its text has grown. Speech that nobody asked for is a turn as well. */
  announce(isInferred: boolean, rest: WithUnknown = {}): SpeechEvent[] {
    const turn = this.#turns[0] ?? this.#open();
    const { text, announced } = turn;
    if (announced === text) return [];
    turn.announced = text;
    const begun = { type: 'chunkStarted', ...IN_CHUNK, text: text === '' ? null : text } as const;
    return [
      {
        ...begun,
        ...(isInferred ? { inferred: true } : {}),
        ...(announced === null ? {} : { isMore: true }),
        ...rest,
      },
    ];
  }

  audio(bytes: Uint8Array): SpeechEvent[] {
    const payload = { bytes };
    return [
      ...this.announce(true),
      { type: 'audio', ...IN_CHUNK, ...this.#format, index: null, samples: null, payload },
    ];
  }

  /**
   * The end of the oldest turn.
   * @param audioMs by the server; null where it says none
   * @param characters that are billed; null for those of its text
   */
  end(audioMs: number | null, characters: number | null, rest: WithUnknown = {}): SpeechEvent[] {
    const turn = this.#turns[0];
    const hasChunk = turn !== undefined && turn.announced !== null;
    const grown = hasChunk ? this.announce(true) : [];
    this.#turns.shift();
    const audioSeconds = audioMs === null ? null : audioMs / 1000;
    const totals: TurnTotals = { audioSeconds, textChunks: null, audioFrames: null };
    const usage = {
      audioSeconds,
      characters: characters ?? turn?.text.length ?? null,
      costCents: null,
      currency: null,
      modelId: null,
    };
    return [
      ...grown,
      ...(hasChunk
        ? [{ type: 'chunkCompleted', ...IN_CHUNK, audioSeconds, generationMs: null } as const]
        : []),
      { type: 'audioEnded', context: ONLY_CONTEXT, totals },
      { type: 'turnEnded', context: ONLY_CONTEXT, totals, usage, ...rest },
    ];
  }

  /** The turn that takes text. */
  #open(): SpokenTurn {
    const last = this.#turns.at(-1);
    if (last && !last.isFlushed && !last.isCancelled) return last;
    const turn = { text: '', isFlushed: false, isCancelled: false, announced: null };
    this.#turns.push(turn);
    return turn;
  }
}
