import { equalLoudnessGains } from '#lib/loudness.ts';
import { stereoGains } from '#player/stereo-gains.ts';
import type { TurnView } from '#session/views.ts';
import type { RunConfig, Runner } from '../../session-client/runner.ts';
import type { SessionState } from '../../session-client/session-state.ts';
import { useListening } from '../../stores/listening-store.ts';
import { Pair } from '../pair.ts';
import type { Side } from '../side.ts';
import { type ByLabel, type Choice, LABELS, type Label, type Round } from './rounds.ts';
import { nextRound, planRounds, type RoundPlan } from './schedule.ts';
import type { TournamentRecord } from './tournament-files.ts';

/**
 * `setUp`: nothing has begun. `preparing`: both speak the text, unheard. `listening`: both can be played. `stuck`: one
 * of the two could not be spoken. `revealed`: everything may be shown.
 */
type TournamentPhase = 'setUp' | 'preparing' | 'listening' | 'stuck' | 'revealed';

export interface TournamentState {
  phase: TournamentPhase;
  round: Round | null;
  plays: ByLabel<number>;
  playing: Label | null;
  /** Results so far; null before the tournament. Showing them before `revealed` spoils it. */
  record: TournamentRecord | null;
  /** Why the round is stuck. It may name a configuration, so it is shown only when all is revealed. */
  failure: { id: string; reason: string } | null;
}

const START: TournamentState = {
  phase: 'setUp',
  round: null,
  plays: { x: 0, y: 0 },
  playing: null,
  record: null,
  failure: null,
};

const NO_TURNS: ByLabel<null> = { x: null, y: null };

export interface TournamentSetUp {
  configurations: Readonly<Record<string, Side>>;
  configs: Readonly<Record<string, RunConfig>>;
  texts: readonly string[];
  seed: number;
}

/**
 * Blind rounds of two configurations each, at equal loudness. Both of a round speak before either can be played, so
 * that no wait reveals one. A configuration speaks each text once, and its session keeps the turn for later rounds.
 */
export class Tournament extends Pair<TournamentState, string> {
  #configs: TournamentSetUp['configs'] = {};
  #plan: RoundPlan = [];
  /** Spoken turns by configuration and text. */
  readonly #spoken = new Map<string, TurnView>();
  #turns: ByLabel<TurnView | null> = NO_TURNS;
  /** Configurations whose session has reported that it repeats a turn. A repeat can end only after that. */
  readonly #repeated = new Set<string>();

  constructor() {
    super(START);
  }

  /** Needs a gesture, because it opens sound outputs. */
  begin({ configurations, configs, texts, seed }: TournamentSetUp): void {
    this.#configs = configs;
    this.#plan = planRounds(Object.keys(configurations), texts, seed);
    this.store.setState(START);
    this.#next({
      seed,
      roundsPlanned: this.#plan.length * texts.length,
      heard: [],
      configurations,
      leftOut: {},
      begun: new Date().toISOString(),
    });
  }

  play(label: Label): void {
    const { phase, plays, round } = this.state;
    const turn = this.#turns[label];
    if (phase !== 'listening' || !round || !turn) return;
    super.stopRepeat();
    this.store.setState({ playing: label, plays: { ...plays, [label]: plays[label] + 1 } });
    this.applySound();
    // Gains of the page on top of those of the round would make the two unequal.
    useListening.setState({ isEqual: false });
    this.runner(round[label])?.client.repeatTurn(turn.id);
  }

  override stopRepeat(): void {
    super.stopRepeat();
    this.store.setState({ playing: null });
  }

  /** Goes on to the next round. After the last one nothing has to be hidden. */
  choose(choice: Choice): void {
    const { phase, round, record, plays } = this.state;
    if (phase !== 'listening' || !round || !record) return;
    this.stopRepeat();
    const answered = { ...round, choice, plays, turns: this.#turns };
    this.#next({ ...record, heard: [...record.heard, answered] });
  }

  retry(): void {
    const { phase, round } = this.state;
    if (phase === 'stuck' && round) void this.#prepare(round);
  }

  /** Goes on without the configuration that could not speak. */
  leaveOut(): void {
    const { record, failure } = this.state;
    if (!record || !failure) return;
    const { id, reason } = failure;
    const { [id]: side, ...configurations } = record.configurations;
    if (!side) return;
    const isOfIt = ({ x, y }: Round) => x === id || y === id;
    this.#plan = this.#plan.filter((rounds) => !rounds.some(isOfIt));
    // Of pairs with one that was left out, only the rounds that were heard remain.
    const others = record.heard.filter(({ x, y }) => !(x in configurations && y in configurations));
    this.#next({
      ...record,
      roundsPlanned: this.#plan.flat().length + others.length,
      configurations,
      leftOut: { ...record.leftOut, [id]: { side, reason } },
    });
  }

  /** Ends the tournament with the rounds that were answered. */
  reveal(): void {
    this.close();
    this.store.setState({ phase: 'revealed', playing: null });
  }

  quit(): void {
    this.close();
    this.store.setState(START);
  }

  /** Ends a tournament when its view closes: answered rounds are kept, and one without answers is dropped. */
  leave(): void {
    const { phase, record } = this.state;
    if (phase === 'revealed') return;
    if (record && record.heard.length > 0) this.reveal();
    else this.quit();
  }

  protected override close(): void {
    super.close();
    this.#configs = {};
    this.#spoken.clear();
  }

  protected override soundOf(id: string) {
    const { playing, round } = this.state;
    const at = LABELS.findIndex((label) => round?.[label] === id);
    const gains = equalLoudnessGains(LABELS.map((label) => this.#turns[label]?.loudness ?? null));
    return { isHeard: playing !== null && playing === LABELS[at], gains: stereoGains(gains[at] ?? 1, 0) };
  }

  protected override follow(id: string, { player }: SessionState): void {
    const { playing, round } = this.state;
    if (player.repeating) this.#repeated.add(id);
    else if (this.#repeated.delete(id) && playing !== null && round?.[playing] === id)
      this.store.setState({ playing: null });
  }

  #next(record: TournamentRecord): void {
    const round = nextRound(this.#plan, Object.keys(record.configurations), record.heard);
    this.store.setState({ record, round, plays: START.plays, failure: null });
    if (round) void this.#prepare(round);
    else this.reveal();
  }

  async #prepare(round: Round): Promise<void> {
    this.#repeated.clear();
    this.#turns = NO_TURNS;
    this.store.setState({ phase: 'preparing', failure: null, playing: null });
    const configs: Record<string, RunConfig> = {};
    for (const [id, config] of Object.entries(this.#configs)) {
      if (id === round.x || id === round.y) configs[id] = config;
      // Vendors limit connections, and each output costs time of the audio device.
      else this.runner(id)?.rest();
    }
    await this.speak(configs, async (runners, signal) => {
      // One after the other, so that neither distorts the wait of the other.
      for (const label of LABELS) {
        const runner = runners[round[label]];
        const reason = runner ? await this.#speakOnce(runner, round, label, signal) : null;
        if (reason !== null)
          return this.store.setState({ phase: 'stuck', failure: { id: round[label], reason } });
      }
      const turnOf = (label: Label) => this.#spoken.get(keyOf(round, label)) ?? null;
      this.#turns = { x: turnOf('x'), y: turnOf('y') };
      this.store.setState({ phase: 'listening' });
    });
  }

  /** Lets a configuration speak the text, unless its session has the turn. Returns why it could not; null where it could. */
  async #speakOnce(runner: Runner, round: Round, label: Label, signal: AbortSignal): Promise<string | null> {
    const key = keyOf(round, label);
    const kept = this.#spoken.get(key);
    // A long session drops the sound of its first turns.
    if (kept && runner.client.state.turns.get(kept.id)?.repeatable) return await runner.openSound(signal);
    const { turn, outcome } = await runner.run(round.text, signal, { until: 'ended' });
    if (outcome.how !== 'spoken') return outcome.reason;
    if (turn) this.#spoken.set(key, turn);
    return null;
  }
}

const keyOf = (round: Round, label: Label): string => `${round[label]} ${round.text}`;
