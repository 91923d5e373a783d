import type { AudioFormat } from '../../core/audio-format.ts';
import type { WithUnknown } from '../../core/json-frame.ts';
import { ONLY_CONTEXT, type SpeechEvent, type TurnTotals, type Usage } from '../../core/speech-event.ts';
import { type FlushedTurn, FlushedTurns, NEW_TURN } from './turns.ts';

/** A turn, which is one chunk. */
export interface SpokenTurn extends FlushedTurn {
  text: string;
  /** Its text as announced; null before. */
  announced: string | null;
}

const IN_CHUNK = { context: ONLY_CONTEXT, chunk: 0 } as const;

/** The turns of a dialect, and their events. */
export class SpokenTurns extends FlushedTurns<SpokenTurn> {
  readonly #format: AudioFormat;

  constructor(format: AudioFormat) {
    super();
    this.#format = format;
  }

  protected create = (): SpokenTurn => ({ ...NEW_TURN, text: '', announced: null });

  protected join(turn: SpokenTurn, later: SpokenTurn): void {
    turn.text += later.text;
  }

  /** The oldest turn begins, or its text has grown. Speech that nobody asked for is a turn as well. */
  announce(isInferred: boolean, rest: WithUnknown = {}): SpeechEvent[] {
    const turn = this.all[0] ?? this.take();
    const { text, announced } = turn;
    if (announced === text) return [];
    turn.announced = text;
    const begun = { type: 'chunkStarted', ...IN_CHUNK, text: text === '' ? null : text } as const;
    const grown = announced === null ? {} : ({ isMore: true } as const);
    return [{ ...begun, ...(isInferred ? { inferred: true } : {}), ...grown, ...rest }];
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
    const turn = this.all[0];
    const hasChunk = turn !== undefined && turn.announced !== null;
    const grown = hasChunk ? this.announce(true) : [];
    this.all.shift();
    const audioSeconds = audioMs === null ? null : audioMs / 1000;
    const totals: TurnTotals = { audioSeconds, textChunks: null, audioFrames: null };
    const billed = characters ?? turn?.text.length ?? null;
    const usage = usageOf(audioSeconds, billed);
    const completed = { type: 'chunkCompleted', ...IN_CHUNK, audioSeconds, generationMs: null } as const;
    return [
      ...grown,
      ...(hasChunk ? [completed] : []),
      { type: 'audioEnded', context: ONLY_CONTEXT, totals },
      { type: 'turnEnded', context: ONLY_CONTEXT, totals, usage, ...rest },
    ];
  }
}

export const usageOf = (audioSeconds: number | null, characters: number | null): Usage => ({
  audioSeconds,
  characters,
  costCents: null,
  currency: null,
  modelId: null,
});
