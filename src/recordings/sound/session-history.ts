import { integratedLoudness, truePeak } from '#lib/loudness.ts';
import { percentile } from '#lib/statistics/percentiles.ts';
import type { Finding } from '#protocol/core/rule.ts';
import type { SoundFault, TurnSound } from './turn-sound.ts';
import { fastFault, MOST_RATIO, slowFault, type Tempo, tempoOf } from './waveform-shape.ts';

const MOST_DIFFERENCE_LU = 7;
/** Other turns that show what is usual. */
const LEAST_OTHERS = 2;
const KEPT_TURNS = 50;
/** Codecs and resampling of a normalised voice exceed full scale by less. */
const MOST_DBTP = 1;

type HistoryFault = SoundFault<'loudness-jump' | 'true-peak' | 'wrong-speed'>;

interface HeardTurn {
  lufs: number;
  tempo: Tempo | null;
  reported: Set<HistoryFault['id']>;
  report(id: HistoryFault['id'], message: string | null): Finding[];
}

/** Loudness and tempo of the last turns of a session, of all voices. */
export class SessionHistory {
  readonly #turns: HeardTurn[] = [];

  /** Measures a turn. Returns its findings, and those of earlier turns that now differ from the others. */
  add(sound: TurnSound, findingOf: (fault: HistoryFault) => Finding): Finding[] {
    const { samples, sampleRate } = sound;
    // A report keeps no samples.
    const { length } = samples;
    const lufs = integratedLoudness([samples], sampleRate);
    const dbtp = truePeak(samples);
    if (lufs === null) return [];
    const reported: HeardTurn['reported'] = new Set();
    const report: HeardTurn['report'] = (id, message) => {
      if (message === null || reported.has(id)) return [];
      reported.add(id);
      return [findingOf({ id, from: 0, to: length, message })];
    };
    const tempo = tempoOf(sound);
    this.#turns.push({ lufs, tempo, reported, report });
    if (this.#turns.length > KEPT_TURNS) this.#turns.shift();
    const isTooHigh = dbtp !== null && dbtp > MOST_DBTP;
    return [
      ...report('true-peak', isTooHigh ? `expected at most 0 dBTP, got ${dbtp.toFixed(1)}` : null),
      ...report('wrong-speed', tempo && slowFault(sound, tempo)),
      ...this.#turns.flatMap((turn) => this.#compared(turn)),
    ];
  }

  #compared(turn: HeardTurn): Finding[] {
    const { lufs, tempo, report } = turn;
    const others = this.#turns.filter((other) => other !== turn);
    const usual = percentile(
      others.map((other) => other.lufs),
      0.5,
    );
    const isJump = isOutlier(others, (other) => Math.abs(other.lufs - lufs) > MOST_DIFFERENCE_LU);
    const paced = others.filter((other) => other.tempo !== null);
    const isFast =
      tempo !== null && isOutlier(paced, (other) => tempo.product > MOST_RATIO * (other.tempo?.product ?? 0));
    return [
      ...report('loudness-jump', isJump ? jumpText(lufs, usual) : null),
      ...report('wrong-speed', tempo && fastFault(tempo, isFast)),
    ];
  }
}

/** Whether a turn differs from most others, so that it is the odd one. */
const isOutlier = (others: readonly HeardTurn[], differs: (other: HeardTurn) => boolean): boolean =>
  others.length >= LEAST_OTHERS && others.filter((other) => !differs(other)).length < others.length / 2;

function jumpText(lufs: number, usual: number): string {
  const much = `${Math.abs(lufs - usual).toFixed(1)} LU ${lufs < usual ? 'quieter' : 'louder'}`;
  return `expected about ${usual.toFixed(1)} LUFS as in the other turns, got ${lufs.toFixed(1)}, ${much}`;
}
