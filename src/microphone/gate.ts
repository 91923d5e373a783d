export interface GateSettings {
  /** Least probability of speech, 0 to 1. */
  threshold: number;
  /** Speech below this level is taken for an echo or another room, in dB of full scale. */
  leastLevelDb: number;
  /** Speech of this length is decided to be speech. */
  leastMs: number;
  /** Speech ends with a silence of this length. */
  hangOverMs: number;
  /** Speech of this length is no cough. */
  lastingMs: number;
}

/** The probability of speech in a stretch of sound, which follows the one before without a break. */
export interface Judged {
  fromMs: number;
  toMs: number;
  probability: number;
  /** Root mean square in dB of full scale. */
  levelDb: number;
}

export type GateEvent =
  /** A person speaks since `onsetMs`. */
  | { kind: 'began'; onsetMs: number }
  /** The speech has lasted. At most once between `began` and `ended`. */
  | { kind: 'lasted' }
  | { kind: 'ended'; hasLasted: boolean };

/** Speech goes on at a lower probability than it begins, because a voice does not fall silent between two syllables. */
const FALL = 0.15;

/** Decides from the probabilities of a detector when a person begins and ends to speak. Knows neither clock nor sound. */
export class SpeechGate {
  settings: GateSettings;
  /** When the present run of speech began; null in silence. */
  #onsetMs: number | null = null;
  #speechMs = 0;
  /** End of the last speech of the run. */
  #lastMs = 0;
  #hasBegun = false;
  #hasLasted = false;

  constructor(settings: GateSettings) {
    this.settings = settings;
  }

  /** Somebody was decided to speak, and has not ended. */
  get isSpeech(): boolean {
    return this.#hasBegun;
  }

  /** Follows the next stretch of sound. Returns what it decides, at the end of the stretch. */
  next({ fromMs, toMs, probability, levelDb }: Judged): GateEvent[] {
    const { threshold, leastLevelDb, leastMs, hangOverMs, lastingMs } = this.settings;
    const needed = this.#onsetMs === null ? threshold : threshold - FALL;
    if (probability < needed || levelDb < leastLevelDb) {
      if (!this.#hasBegun) this.#reset();
      else if (toMs - this.#lastMs >= hangOverMs) return [this.#end()];
      return [];
    }
    this.#onsetMs ??= fromMs;
    this.#speechMs += toMs - fromMs;
    this.#lastMs = toMs;
    const events: GateEvent[] = [];
    if (!this.#hasBegun && this.#speechMs >= leastMs) {
      this.#hasBegun = true;
      events.push({ kind: 'began', onsetMs: this.#onsetMs });
    }
    // Pauses within the speech count, up to the hang-over.
    if (this.#hasBegun && !this.#hasLasted && toMs - this.#onsetMs >= lastingMs) {
      this.#hasLasted = true;
      events.push({ kind: 'lasted' });
    }
    return events;
  }

  /** Ends speech where the sound ends, as with a microphone that is switched off. */
  stop(): GateEvent[] {
    return this.#hasBegun ? [this.#end()] : [];
  }

  #end(): GateEvent {
    const ended = { kind: 'ended', hasLasted: this.#hasLasted } as const;
    this.#reset();
    return ended;
  }

  #reset(): void {
    this.#onsetMs = null;
    this.#speechMs = 0;
    this.#hasBegun = false;
    this.#hasLasted = false;
  }
}
