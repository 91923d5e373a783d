import { stereoGains } from '#player/stereo-gains.ts';
import type { RunConfig } from '../../session-client/runner.ts';
import type { SessionState } from '../../session-client/session-state.ts';
import { Pair } from '../pair.ts';
import { type BySide, otherSide, type Side, type SideId } from '../side.ts';
import { type Choice, type Label, matchingGains, planTrial, sideOf } from './trial.ts';
import type { RoundTurns, TrialRecord } from './trial-files.ts';

/**
 * `setUp`: nothing has begun. `preparing`: both speak the text, unheard. `listening`: both can be played. `chosen`: the
 * round is decided. `stuck`: one of the two could not be spoken. `revealed`: everything may be shown.
 */
export type BlindPhase = 'setUp' | 'preparing' | 'listening' | 'chosen' | 'stuck' | 'revealed';

export interface BlindState {
  phase: BlindPhase;
  round: number;
  plays: Readonly<Record<Label, number>>;
  playing: Label | null;
  /** Results so far; null before the trial. Showing them before `revealed` spoils the trial. */
  record: TrialRecord | null;
  /** Why the round is stuck. It may name a side, so it is shown only when all is revealed. */
  failure: string | null;
}

const START: BlindState = {
  phase: 'setUp',
  round: 0,
  plays: { x: 0, y: 0 },
  playing: null,
  record: null,
  failure: null,
};

export interface BlindPlan {
  sides: BySide<Side>;
  configs: BySide<RunConfig>;
  texts: readonly string[];
  seed: number;
  matchLoudness: boolean;
}

/** A blind comparison. Both sides speak before either can be played, so that no wait reveals a side. */
export class Blind extends Pair<BlindState> {
  #configs: BlindPlan['configs'] | null = null;
  #turns: RoundTurns = { a: null, b: null };
  #gains: BySide<number> = { a: 1, b: 1 };
  /** Sides whose session has reported that it repeats a turn. A repeat can end only after that. */
  readonly #repeated = new Set<SideId>();

  constructor() {
    super(START);
  }

  /** Needs a gesture, because it opens sound outputs. */
  begin({ sides, configs, texts, seed, matchLoudness }: BlindPlan): void {
    this.#configs = configs;
    const record: TrialRecord = {
      trial: planTrial(texts, seed),
      answers: [],
      turns: [],
      sides,
      loudnessMatched: matchLoudness,
      begun: new Date().toISOString(),
    };
    this.store.setState({ ...START, record });
    void this.#prepare();
  }

  play(label: Label): void {
    const { phase, plays } = this.state;
    if (phase !== 'listening' && phase !== 'chosen') return;
    super.stopRepeat();
    const side = this.#sideOf(label);
    const turn = side && this.#turns[side];
    if (!side || !turn) return;
    this.store.setState({
      playing: label,
      plays: phase === 'listening' ? { ...plays, [label]: plays[label] + 1 } : plays,
    });
    this.applySound();
    this.runner(side)?.client.repeatTurn(turn.id);
  }

  override stopRepeat(): void {
    super.stopRepeat();
    this.store.setState({ playing: null });
  }

  choose(choice: Choice): void {
    const { phase, record, plays } = this.state;
    if (phase !== 'listening' || !record) return;
    this.stopRepeat();
    const answers = [...record.answers, { choice, plays }];
    this.store.setState({
      phase: 'chosen',
      record: { ...record, answers, turns: [...record.turns, this.#turns] },
    });
    // After the last choice nothing has to be hidden.
    if (answers.length === record.trial.rounds.length) this.reveal();
  }

  next(): void {
    const { phase, round } = this.state;
    if (phase !== 'chosen') return;
    this.stopRepeat();
    this.store.setState({ round: round + 1, plays: START.plays });
    void this.#prepare();
  }

  retry(): void {
    if (this.state.phase === 'stuck') void this.#prepare();
  }

  /** Ends the trial with the rounds that were answered. */
  reveal(): void {
    this.close();
    this.store.setState({ phase: 'revealed', playing: null });
  }

  quit(): void {
    this.close();
    this.store.setState(START);
  }

  /** Ends a trial when its view closes: answered rounds are kept, and a trial without answers is dropped. */
  leave(): void {
    const { phase, record } = this.state;
    if (phase === 'revealed') return;
    if (record && record.answers.length > 0) this.reveal();
    else this.quit();
  }

  protected override close(): void {
    super.close();
    this.#configs = null;
  }

  protected override soundOf(side: SideId) {
    const { playing } = this.state;
    return {
      isHeard: playing !== null && this.#sideOf(playing) === side,
      gains: stereoGains(this.#gains[side], 0),
    };
  }

  protected override follow(side: SideId, { player }: SessionState): void {
    const { playing } = this.state;
    if (player.repeating) this.#repeated.add(side);
    else if (this.#repeated.delete(side) && playing !== null && this.#sideOf(playing) === side)
      this.store.setState({ playing: null });
  }

  async #prepare(): Promise<void> {
    const { record, round } = this.state;
    const planned = record?.trial.rounds[round];
    if (!record || !this.#configs || !planned) return;
    this.#repeated.clear();
    this.store.setState({ phase: 'preparing', failure: null, playing: null });
    await this.speak(this.#configs, async (runners, signal) => {
      const run = (side: SideId) => runners[side].run(planned.text, signal, { until: 'ended' });
      // One after the other, so that neither distorts the wait of the other.
      const first = await run(planned.first);
      const second = await run(otherSide(planned.first));
      const [a, b] = planned.first === 'a' ? [first, second] : [second, first];
      const outcome = [a, b].map((result) => result.outcome).find((one) => one !== 'ok');
      if (outcome) {
        this.store.setState({ phase: 'stuck', failure: outcome.failed });
        return;
      }
      this.#turns = { a: a.turn, b: b.turn };
      this.#gains = record.loudnessMatched ? matchingGains(this.#turns) : { a: 1, b: 1 };
      this.store.setState({ phase: 'listening' });
    });
  }

  #sideOf(label: Label): SideId | null {
    const { record, round } = this.state;
    const planned = record?.trial.rounds[round];
    return planned ? sideOf(planned, label) : null;
  }
}
