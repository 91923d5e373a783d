import { create } from 'zustand';
import { stereoGains } from '#player/messages.ts';
import type { TurnView } from '#session/views.ts';
import type { RunConfig, Runner, RunResult } from '../session-client/runner.ts';
import type { SessionClient } from '../session-client/session-client.ts';
import { useSettings } from '../stores/settings-store.ts';
import { type Heard, useCompare } from './compare-store.ts';
import { Pair } from './pair.ts';
import { SIDES, type SideId } from './side.ts';

/** One side: its session, and how its run goes. */
export interface SideView {
  /** `ready`: connected, while the other side speaks first. */
  phase: 'idle' | 'preparing' | 'ready' | 'running' | 'done';
  /** Session of the side; null before the first run. It stays readable after it was closed. */
  client: SessionClient | null;
  /** First turn of the run under way, or of the last one. */
  turn: TurnView | null;
  /** Of the last run that came to an end. */
  result: RunResult | null;
  replaying: boolean;
}

interface SideBySideState {
  running: boolean;
  sides: Readonly<Record<SideId, SideView>>;
}

const IDLE: SideView = {
  phase: 'idle',
  client: null,
  turn: null,
  result: null,
  replaying: false,
};

export const useSideBySide = create<SideBySideState>()(() => ({
  running: false,
  sides: { a: IDLE, b: IDLE },
}));

/** The measures of a run under way are rendered this often at most. */
const LOOK_EVERY_MS = 100;

/** Returns whether a side is heard, and its stereo position from -1 to 1. */
const placeOf = (heard: Heard, side: SideId): { isHeard: boolean; position: number } => ({
  isHeard: heard === 'both' || heard === 'apart' || heard === side,
  position: heard !== 'apart' ? 0 : side === 'a' ? -1 : 1,
});

/** Speaks one text with both configurations, and replays them. */
class SideBySide {
  readonly #pair = new Pair();
  #abort: AbortController | null = null;
  #looking: ReturnType<typeof setTimeout> | undefined;
  #watched = new Map<SideId, Runner>();
  #unsubscribe: (() => void)[] = [];
  /** The side that is replayed alone. It is heard, whatever is chosen for the next run. */
  #alone: SideId | null = null;

  /** Needs a gesture, because it opens sound outputs. */
  async start(
    configs: Readonly<Record<SideId, RunConfig>>,
    text: string,
    order: 'together' | 'inTurn',
  ): Promise<void> {
    this.#abort?.abort();
    const abort = new AbortController();
    this.#abort = abort;
    this.#alone = null;
    const runners = this.#pair.open(configs);
    this.#watch(runners);
    for (const side of SIDES) this.#set(side, { ...IDLE, phase: 'preparing', client: runners[side].client });
    useSideBySide.setState({ running: true });
    try {
      // Both connect before either speaks, so that neither waits for the other's handshake. A failure is in the result.
      await Promise.all(SIDES.map((side) => runners[side].connect(abort.signal)));
      for (const side of SIDES) this.#set(side, { phase: 'ready' });
      const run = async (side: SideId): Promise<void> => {
        this.#set(side, { phase: 'running' });
        const result = await runners[side].run(text, abort.signal);
        this.#set(side, { phase: 'done', result, turn: result.turn });
      };
      if (order === 'together') await Promise.all(SIDES.map(run));
      else for (const side of SIDES) await run(side);
    } catch (error) {
      if (!abort.signal.aborted) throw error;
    } finally {
      if (this.#abort === abort) {
        this.#abort = null;
        useSideBySide.setState({ running: false });
        for (const side of SIDES) if (this.#view(side).phase !== 'done') this.#set(side, { phase: 'idle' });
      }
    }
  }

  cancel(): void {
    this.#abort?.abort();
    this.#pair.cancel();
  }

  /** Replays these sides together from their start. */
  replay(sides: readonly SideId[]): void {
    const [first = null, ...others] = sides;
    this.#alone = others.length === 0 ? first : null;
    this.applySound();
    for (const side of SIDES) {
      const runner = this.#pair.runner(side);
      const turn = this.#view(side).result?.turn;
      if (!runner) continue;
      if (!sides.includes(side) || !turn?.replayable) runner.client.stopReplay();
      else runner.client.replayTurn(turn.id);
    }
  }

  stopReplay(): void {
    for (const side of SIDES) this.#pair.runner(side)?.client.stopReplay();
  }

  /** Applies the choice of which side is heard, its position, and the volume of the page. */
  applySound(): void {
    const { volume, muted } = useSettings.getState();
    for (const side of SIDES) {
      const { isHeard, position } = placeOf(this.#alone ?? useCompare.getState().heard, side);
      const runner = this.#pair.runner(side);
      runner?.setGains(stereoGains(1, position));
      runner?.setVolume(volume, muted || !isHeard);
    }
  }

  /** Ends both sessions. */
  leave(): void {
    this.#abort?.abort();
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#unsubscribe = [];
    this.#watched.clear();
    clearTimeout(this.#looking);
    this.#looking = undefined;
    this.#pair.close();
    // Results stay in view, and cannot be replayed any more.
    for (const side of SIDES) {
      const { result } = this.#view(side);
      this.#set(side, { replaying: false, phase: result ? 'done' : 'idle' });
    }
  }

  /** Whether a side can be replayed. */
  canReplay(side: SideId): boolean {
    return this.#pair.runner(side) !== null && this.#view(side).result?.turn?.replayable === true;
  }

  #watch(runners: Readonly<Record<SideId, Runner>>): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#watched = new Map(SIDES.map((side) => [side, runners[side]]));
    this.#unsubscribe = [
      ...SIDES.map((side) => runners[side].client.store.subscribe(() => this.#lookSoon())),
      useSettings.subscribe(() => this.applySound()),
      useCompare.subscribe(() => this.applySound()),
    ];
    this.applySound();
  }

  #lookSoon(): void {
    this.#looking ??= setTimeout(() => {
      this.#looking = undefined;
      for (const [side, runner] of this.#watched) {
        const { replaying } = runner.client.state.player;
        const isRunning = this.#view(side).phase === 'running';
        if (isRunning) this.#set(side, { turn: runner.turn, replaying });
        else if (replaying !== this.#view(side).replaying) this.#set(side, { replaying });
      }
    }, LOOK_EVERY_MS);
  }

  #view(side: SideId): SideView {
    return useSideBySide.getState().sides[side];
  }

  #set(side: SideId, change: Partial<SideView>): void {
    const { sides } = useSideBySide.getState();
    useSideBySide.setState({ sides: { ...sides, [side]: { ...sides[side], ...change } } });
  }
}

/** The comparison of the page. */
export const sideBySide = new SideBySide();
