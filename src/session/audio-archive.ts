import { PcmStore } from '../player/pcm-store.ts';
import type { AudioEvent } from '../protocol/speech-event.ts';
import type { Problem } from './model.ts';
import type { Turn } from './turn.ts';

/** Audio kept for playing again, all turns together: 86 MB at 24 kHz. */
const KEPT_SECONDS = 30 * 60;

/** What an audio frame added to its turn. */
export interface Appended {
  samples: number;
  /** Of those, too quiet to hear before the first that is not. */
  leadingSilence: number;
  /** What was wrong with the frame; each kind is told once a turn. */
  problem: Pick<Problem, 'severity' | 'title' | 'detail' | 'remedy'> | null;
}

interface Entry {
  turn: Turn;
  store: PcmStore;
  encoding: AudioEvent['encoding'];
  sampleRate: number;
  told: Set<string>;
}

/** The samples of recent turns. When there are too many, the oldest finished turn can no longer be played again. */
export class AudioArchive {
  readonly #entries = new Map<Turn, Entry>();
  readonly #onDropped: (turn: Turn) => void;
  readonly #keptSeconds: number;

  constructor(onDropped: (turn: Turn) => void, keptSeconds = KEPT_SECONDS) {
    this.#onDropped = onDropped;
    this.#keptSeconds = keptSeconds;
  }

  storeOf(turn: Turn): PcmStore | null {
    return this.#entries.get(turn)?.store ?? null;
  }

  /** Keeps all that can be kept of a frame, and says what was wrong with it. Never throws. */
  append(turn: Turn, event: AudioEvent): Appended {
    const entry = this.#entryOf(turn, event);
    const { store } = entry;
    const before = store.length;
    const result = store.appendPayload(event.payload, event.encoding);
    const samples = store.length - before;
    const audible = store.firstAudibleSample;
    if (samples > 0 && !turn.replayable) {
      turn.replayable = true;
      this.#dropOldest(turn);
    }
    return {
      samples,
      leadingSilence: audible === null ? samples : Math.min(samples, Math.max(0, audible - before)),
      problem:
        'problem' in result
          ? once(entry, badAudio(event, result.problem))
          : once(entry, oddity(entry, event, samples)),
    };
  }

  #entryOf(turn: Turn, { encoding, sampleRate }: AudioEvent): Entry {
    let entry = this.#entries.get(turn);
    if (!entry) {
      entry = { turn, store: new PcmStore(), encoding, sampleRate, told: new Set() };
      this.#entries.set(turn, entry);
    }
    return entry;
  }

  /** Looked at when a turn begins to be kept, so that a turn under way is never cut. */
  #dropOldest(newest: Turn): void {
    let seconds = 0;
    for (const { store, sampleRate } of this.#entries.values()) seconds += store.length / sampleRate;
    for (const { turn, store, sampleRate } of this.#entries.values()) {
      if (seconds <= this.#keptSeconds) return;
      if (turn === newest || !turn.isOver) continue;
      this.#entries.delete(turn);
      seconds -= store.length / sampleRate;
      turn.replayable = false;
      this.#onDropped(turn);
    }
  }
}

type Finding = Appended['problem'];

function once(entry: Entry, finding: Finding): Finding {
  if (!finding || entry.told.has(finding.title)) return null;
  entry.told.add(finding.title);
  return finding;
}

const badAudio = (event: AudioEvent, problem: string): Finding => ({
  severity: 'error',
  title: 'Audio that cannot be decoded',
  detail: `${nameOf(event)}: ${problem}`,
  remedy: 'The frame was left out and the rest is played. The server needs correcting.',
});

/** What is strange about a frame that was kept all the same. */
function oddity(entry: Entry, event: AudioEvent, samples: number): Finding {
  if (event.sampleRate !== entry.sampleRate || event.encoding !== entry.encoding) {
    return {
      severity: 'error',
      title: 'The audio format changed during the turn',
      detail:
        `${nameOf(event)}: expected ${entry.encoding} at ${entry.sampleRate} Hz, ` +
        `got ${event.encoding} at ${event.sampleRate} Hz.`,
      remedy: 'It is played at the rate that the turn began with, so it may sound too high or too low.',
    };
  }
  if (event.encoding === 'pcm_s16le' && byteCount(event) % 2 === 1) {
    return {
      severity: 'warning',
      title: 'An audio frame ends in the middle of a sample',
      detail: `${nameOf(event)}: expected two bytes a sample, got ${byteCount(event)} bytes.`,
      remedy: 'The next frame completes the sample, so nothing is lost.',
    };
  }
  if (event.samples !== null && event.samples !== samples) {
    return {
      severity: 'warning',
      title: 'An audio frame has not the samples it names',
      detail: `${nameOf(event)}: it names ${event.samples}, and holds ${samples}.`,
      remedy: 'What it holds is played.',
    };
  }
  return null;
}

const nameOf = ({ index, chunk }: AudioEvent): string =>
  index === null ? `Audio of chunk ${chunk}` : `Audio frame ${index} of chunk ${chunk}`;

function byteCount({ payload }: AudioEvent): number {
  if ('bytes' in payload) return payload.bytes.byteLength;
  const { base64 } = payload;
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.floor((base64.length * 3) / 4) - padding;
}
