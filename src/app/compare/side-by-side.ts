import { stereoGains } from '#player/stereo-gains.ts';
import type { TurnView } from '#session/views.ts';
import type { RunConfig, RunResult } from '../session-client/runner.ts';
import type { SessionClient } from '../session-client/session-client.ts';
import { isHeardOf, useCompare } from './compare-store.ts';
import { Pair } from './pair.ts';
import { type BySide, SIDES, type SideId } from './side.ts';

export interface SideView {
  /** `ready`: connected, while the other side speaks first. */
  phase: 'idle' | 'preparing' | 'ready' | 'running' | 'done';
  /** Session of the side; null before the first run. It stays readable after it was closed. */
  client: SessionClient | null;
  /** First turn of the run under way, or of the last one. */
  turn: TurnView | null;
  /** Of the last run that came to an end. */
  result: RunResult | null;
  /** Its turn is played once more. */
  repeating: boolean;
}

export interface SideBySideState {
  running: boolean;
  sides: BySide<SideView>;
}

const IDLE: SideView = { phase: 'idle', client: null, turn: null, result: null, repeating: false };

/** The measures of a run under way are rendered this often at most. */
const LOOK_EVERY_MS = 100;

export class SideBySide extends Pair<SideBySideState, SideId> {
  #looking: ReturnType<typeof setTimeout> | undefined;
  /** The side that is repeated alone. It is heard even if the other side is chosen. */
  #alone: SideId | null = null;

  constructor() {
    super({ running: false, sides: { a: IDLE, b: IDLE } });
  }

  /** Needs a gesture, because it opens sound outputs. */
  async start(configs: BySide<RunConfig>, text: string, order: 'together' | 'inTurn'): Promise<void> {
    this.#alone = null;
    this.store.setState({ running: true });
    try {
      await this.speak(configs, async (runners, signal) => {
        for (const side of SIDES) {
          this.#set(side, { ...IDLE, phase: 'preparing', client: runners[side].client });
        }
        // Both connect before either speaks, so that neither waits for the other's handshake. A failure is in the result.
        await Promise.all(SIDES.map((side) => runners[side].connect(signal)));
        for (const side of SIDES) this.#set(side, { phase: 'ready' });
        const run = async (side: SideId): Promise<void> => {
          this.#set(side, { phase: 'running' });
          const result = await runners[side].run(text, signal);
          this.#set(side, { phase: 'done', result, turn: result.turn });
        };
        if (order === 'together') await Promise.all(SIDES.map(run));
        else for (const side of SIDES) await run(side);
      });
    } finally {
      if (!this.isSpeaking) {
        this.store.setState({ running: false });
        for (const side of SIDES) if (this.#view(side).phase !== 'done') this.#set(side, { phase: 'idle' });
      }
    }
  }

  /** Repeats the turns of these sides together, from their start. */
  repeat(sides: readonly SideId[]): void {
    const [first = null, ...others] = sides;
    this.#alone = others.length === 0 ? first : null;
    this.applySound();
    for (const side of SIDES) {
      const turn = this.#view(side).result?.turn;
      const client = this.runner(side)?.client;
      if (!sides.includes(side) || !turn?.repeatable) client?.stopRepeat();
      else client?.repeatTurn(turn.id);
    }
  }

  canRepeat(side: SideId): boolean {
    return this.runner(side) !== null && this.#view(side).result?.turn?.repeatable === true;
  }

  /** Ends both sessions. Their results stay in view, and cannot be repeated any more. */
  leave(): void {
    clearTimeout(this.#looking);
    this.#looking = undefined;
    this.close();
    for (const side of SIDES) {
      const { result } = this.#view(side);
      this.#set(side, { repeating: false, phase: result ? 'done' : 'idle' });
    }
  }

  protected override soundOf(side: SideId) {
    const heard = this.#alone ?? useCompare.getState().heard;
    const position = heard !== 'apart' ? 0 : side === 'a' ? -1 : 1;
    return {
      isHeard: isHeardOf(heard, side),
      gains: stereoGains(1, position),
    };
  }

  protected override follow(): void {
    this.#looking ??= setTimeout(() => {
      this.#looking = undefined;
      for (const side of SIDES) {
        const runner = this.runner(side);
        if (!runner) continue;
        const { repeating } = runner.client.state.player;
        const { phase, repeating: wasRepeating } = this.#view(side);
        if (phase === 'running') this.#set(side, { turn: runner.turn, repeating });
        else if (repeating !== wasRepeating) this.#set(side, { repeating });
      }
    }, LOOK_EVERY_MS);
  }

  #view(side: SideId): SideView {
    return this.state.sides[side];
  }

  #set(side: SideId, change: Partial<SideView>): void {
    const { sides } = this.state;
    this.store.setState({ sides: { ...sides, [side]: { ...sides[side], ...change } } });
  }
}
