import { deepEqual } from '#lib/deep-equal.ts';
import { integratedLoudness, truePeak } from '#lib/loudness.ts';
import { percentile } from '#lib/statistics/percentiles.ts';
import type { Finding } from '#protocol/core/rule.ts';
import type { SoundRuleId } from './sound-rules.ts';
import { fastText, isFarFaster, slowText, type Tempo, tempoOf } from './tempo.ts';
import { faultAt, type SoundFault, type TurnSound } from './turn-sound.ts';

const MOST_DIFFERENCE_LU = 7;
/** Other turns that show what is usual. */
const LEAST_OTHERS = 2;
const KEPT_TURNS = 50;
/** Codecs and resampling of a normalised voice exceed full scale by less. */
const MOST_DBTP = 1;

/** Address and settings of the connection of a turn, and settings of its context. */
export type AskedFor = readonly unknown[];

interface HeardTurn {
  lufs: number;
  tempo: Tempo | null;
  /** Turns of other voices and speeds differ in tempo. The same value is the same object. */
  asked: AskedFor;
  /** Reports a rule once. @param got nothing, where it is null */
  report(id: SoundRuleId, expected: string, got: string | null): Finding[];
}

/** Loudness and tempo of the last turns of a session, of all voices. */
export class SessionHistory {
  readonly #turns: HeardTurn[] = [];

  /** Measures a turn. Returns its findings, and those of earlier turns that now differ from the others. */
  add(sound: TurnSound, askedFor: AskedFor, findingOf: (fault: SoundFault) => Finding): Finding[] {
    const lufs = integratedLoudness([sound.samples], sound.sampleRate);
    const dbtp = truePeak(sound.samples, MOST_DBTP);
    if (lufs === null) return [];
    // A report keeps no samples.
    const { length } = sound.samples;
    const reported = new Set<SoundRuleId>();
    const report: HeardTurn['report'] = (id, expected, got) => {
      if (got === null || reported.has(id)) return [];
      reported.add(id);
      return [findingOf(faultAt(id, { from: 0, to: length }, expected, got))];
    };
    const tempo = tempoOf(sound);
    const { asked } = this.#turns.find((turn) => deepEqual(turn.asked, askedFor)) ?? { asked: askedFor };
    this.#turns.push({ lufs, tempo, asked, report });
    if (this.#turns.length > KEPT_TURNS) this.#turns.shift();
    return [
      ...report('true-peak', 'at most 0 dBTP', dbtp?.toFixed(1) ?? null),
      ...report('wrong-speed', 'samples for a higher rate', tempo && slowText(sound, tempo)),
      ...this.#turns.flatMap((turn) => this.#compared(turn)),
    ];
  }

  #compared(turn: HeardTurn): Finding[] {
    const { lufs, tempo, asked, report } = turn;
    const others = this.#turns.filter((other) => other !== turn);
    const usual = percentile(
      others.map((other) => other.lufs),
      0.5,
    );
    const isJump = isOutlier(others, (other) => Math.abs(other.lufs - lufs) > MOST_DIFFERENCE_LU);
    const loudness = `${lufs.toFixed(1)}, ${Math.abs(lufs - usual).toFixed(1)} LU ${lufs < usual ? 'quieter' : 'louder'}`;
    const paced = others.filter((other) => other.tempo !== null && other.asked === asked);
    const isFast =
      tempo !== null && isOutlier(paced, (other) => other.tempo !== null && isFarFaster(tempo, other.tempo));
    return [
      ...report(
        'loudness-jump',
        `about ${usual.toFixed(1)} LUFS as in the other turns`,
        isJump ? loudness : null,
      ),
      ...report('wrong-speed', 'samples for a lower rate', tempo && fastText(tempo, isFast)),
    ];
  }
}

/** Whether a turn differs from most others, so that it is the odd one. */
const isOutlier = (others: readonly HeardTurn[], differs: (other: HeardTurn) => boolean): boolean =>
  others.length >= LEAST_OTHERS && others.filter((other) => !differs(other)).length < others.length / 2;
