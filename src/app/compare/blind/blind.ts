import { create } from 'zustand';
import { stereoGains } from '#player/messages.ts';
import type { RunConfig, Runner } from '../../session-client/runner.ts';
import { useSettings } from '../../stores/settings-store.ts';
import { matchingGains } from '../loudness.ts';
import { Pair } from '../pair.ts';
import { otherSide, SIDES, type Side, type SideId } from '../side.ts';
import { type Choice, type Label, planTrial, sideOf } from './trial.ts';
import type { RoundTurns, TrialRecord } from './trial-files.ts';

/**
 * `setUp`: nothing has begun. `preparing`: both speak the text, unheard. `listening`: both can be played. `chosen`: the
 * round is decided. `stuck`: one of the two could not be spoken. `revealed`: everything may be shown.
 */
export type BlindPhase = 'setUp' | 'preparing' | 'listening' | 'chosen' | 'stuck' | 'revealed';

export interface BlindState {
  phase: BlindPhase;
  /** Index of the round. */
  round: number;
  /** How often each was played in this round. */
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

export const useBlind = create<BlindState>()(() => START);

export interface BlindPlan {
  sides: Readonly<Record<SideId, Side>>;
  configs: Readonly<Record<SideId, RunConfig>>;
  texts: readonly string[];
  seed: number;
  matchLoudness: boolean;
}

/**
 * A blind comparison. Both sides speak each text before either can be played, so that no wait reveals a side. They are
 * then replayed from memory as often as wanted.
 */
class Blind {
  readonly #pair = new Pair();
  #abort: AbortController | null = null;
  #configs: BlindPlan['configs'] | null = null;
  #turns: RoundTurns = { a: null, b: null };
  #gains: Readonly<Record<SideId, number>> = { a: 1, b: 1 };
  #unsubscribe: (() => void)[] = [];

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
    useBlind.setState({ ...START, record });
    void this.#prepare();
  }

  /** Plays one of the two from its start, and stops the other. */
  play(label: Label): void {
    const { phase, plays } = useBlind.getState();
    if (phase !== 'listening' && phase !== 'chosen') return;
    this.#stopReplays();
    const side = this.#sideOf(label);
    const turn = side && this.#turns[side];
    if (!side || !turn) return;
    const { volume, muted } = useSettings.getState();
    const runner = this.#pair.runner(side);
    runner?.setGains(stereoGains(this.#gains[side], 0));
    runner?.setVolume(volume, muted);
    runner?.client.replayTurn(turn.id);
    useBlind.setState({
      playing: label,
      plays: phase === 'listening' ? { ...plays, [label]: plays[label] + 1 } : plays,
    });
  }

  stop(): void {
    this.#stopReplays();
    useBlind.setState({ playing: null });
  }

  choose(choice: Choice): void {
    const { phase, record, plays } = useBlind.getState();
    if (phase !== 'listening' || !record) return;
    this.stop();
    const answers = [...record.answers, { choice, plays }];
    useBlind.setState({
      phase: 'chosen',
      record: { ...record, answers, turns: [...record.turns, this.#turns] },
    });
    // After the last choice nothing has to be hidden.
    if (answers.length === record.trial.rounds.length) this.reveal();
  }

  next(): void {
    const { phase, round } = useBlind.getState();
    if (phase !== 'chosen') return;
    this.stop();
    useBlind.setState({ round: round + 1, plays: START.plays });
    void this.#prepare();
  }

  /** Speaks the text of the round again. */
  retry(): void {
    if (useBlind.getState().phase === 'stuck') void this.#prepare();
  }

  /** Ends the trial with the rounds that were answered. */
  reveal(): void {
    this.#end();
    useBlind.setState({ phase: 'revealed', playing: null });
  }

  /** Ends a trial when its view closes: answered rounds are kept, and a trial without answers is dropped. */
  leave(): void {
    const { phase, record } = useBlind.getState();
    if (phase === 'revealed') return;
    if (record && record.answers.length > 0) this.reveal();
    else this.quit();
  }

  /** Drops the trial. */
  quit(): void {
    this.#end();
    useBlind.setState(START);
  }

  async #prepare(): Promise<void> {
    const { record, round } = useBlind.getState();
    const planned = record?.trial.rounds[round];
    if (!record || !this.#configs || !planned) return;
    const { text } = planned;
    this.#abort?.abort();
    const abort = new AbortController();
    this.#abort = abort;
    useBlind.setState({ phase: 'preparing', failure: null, playing: null });
    const runners = this.#pair.open(this.#configs);
    this.#watch(runners);
    for (const side of SIDES) runners[side].setVolume(0, true);
    try {
      const run = (side: SideId) => runners[side].run(text, abort.signal, { until: 'ended' });
      // One speaks after the other, so that neither slows the other down: their waits are shown at the end.
      const first = await run(planned.first);
      const second = await run(otherSide(planned.first));
      const [a, b] = planned.first === 'a' ? [first, second] : [second, first];
      const outcome = [a, b].map((result) => result.outcome).find((one) => one !== 'ok');
      if (outcome) {
        useBlind.setState({ phase: 'stuck', failure: outcome.failed });
        return;
      }
      this.#turns = { a: a.turn, b: b.turn };
      const levels = { a: a.turn?.level ?? null, b: b.turn?.level ?? null };
      this.#gains = record.loudnessMatched ? matchingGains(levels) : { a: 1, b: 1 };
      useBlind.setState({ phase: 'listening' });
    } catch (error) {
      if (!abort.signal.aborted) throw error;
    }
  }

  #watch(runners: Readonly<Record<SideId, Runner>>): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    // A replay can end only after the session has reported that it plays.
    const heard = new Set<SideId>();
    this.#unsubscribe = [
      ...SIDES.map((side) =>
        runners[side].client.store.subscribe(({ player }) => {
          const { playing } = useBlind.getState();
          if (player.replaying) heard.add(side);
          else if (heard.delete(side) && playing !== null && this.#sideOf(playing) === side)
            useBlind.setState({ playing: null });
        }),
      ),
      useSettings.subscribe(({ volume, muted }) => {
        const { playing } = useBlind.getState();
        const side = playing && this.#sideOf(playing);
        if (side) this.#pair.runner(side)?.setVolume(volume, muted);
      }),
    ];
  }

  #stopReplays(): void {
    for (const side of SIDES) this.#pair.runner(side)?.client.stopReplay();
  }

  #sideOf(label: Label): SideId | null {
    const { record, round } = useBlind.getState();
    const planned = record?.trial.rounds[round];
    return planned ? sideOf(planned, label) : null;
  }

  #end(): void {
    this.#abort?.abort();
    this.#abort = null;
    this.#configs = null;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#unsubscribe = [];
    this.#pair.close();
  }
}

/** The blind comparison of the page. */
export const blind = new Blind();
