import { createStore } from 'zustand/vanilla';
import { endpointOf } from '#protocol/registry.ts';
import type { ReplayedRecording, ReplayView } from '#session/replay/replay-view.ts';
import { recordingsLink } from '../recordings-client/recordings-link.ts';
import { SessionClient, SessionOwner, stoppedProblem } from '../session-client/session-client.ts';
import { selectBusy } from '../session-client/session-state.ts';
import type { Sound } from '../session-client/sound.ts';
import { useSettings } from '../stores/settings-store.ts';
import { isHeardOf, useCompare } from './compare-store.ts';
import { type BySide, SIDES, type SideId } from './side.ts';

export interface RecordedSide {
  phase: 'idle' | 'replaying' | 'done' | 'failed';
  /** Its session; null before the first replay. It stays readable after it was closed. */
  client: SessionClient | null;
  /** Why it failed. */
  problem: string | null;
}

const IDLE: RecordedSide = { phase: 'idle', client: null, problem: null };

interface OpenSide {
  owner: SessionOwner;
  /** All entries were repeated. Audio may still play. */
  isRepeated: boolean;
}

/** Two recordings that are replayed at once, each in a worker and on a sound output of its own. */
export class RecordedPair {
  readonly store = createStore<BySide<RecordedSide>>()(() => ({ a: IDLE, b: IDLE }));
  readonly #open = new Map<SideId, OpenSide>();
  #unsubscribe: (() => void)[] = [];

  /** Replays both from their start. Needs a gesture, because it opens sound outputs. */
  async replay(recordings: BySide<ReplayedRecording>): Promise<void> {
    this.leave();
    this.#unsubscribe = [
      useSettings.subscribe(() => this.#applySound()),
      useCompare.subscribe(() => this.#applySound()),
    ];
    const opened = SIDES.map((side) => this.#openSide(side, recordings[side]));
    this.#applySound();
    for (const { owner } of opened) owner.sound.wake();
    // No wait may contain the opening of an output.
    await Promise.all(opened.map(({ owner }) => settled(owner.sound)));
    for (const [at, side] of SIDES.entries()) {
      // Another replay, or another page, may have ended this one meanwhile.
      if (this.#open.get(side) !== opened[at]) return;
      const recording = recordings[side];
      const port = recordingsLink.serve(recording.id);
      opened[at]?.owner.post({ type: 'openReplay', recording, port }, [port]);
    }
  }

  /** Ends both. What they have shown stays in view. */
  leave(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#unsubscribe = [];
    for (const [side, { owner }] of this.#open) {
      owner.dispose();
      if (this.store.getState()[side].phase === 'replaying') this.#set(side, { phase: 'done' });
    }
    this.#open.clear();
  }

  #openSide(side: SideId, { endpoint }: ReplayedRecording): OpenSide {
    const owner: SessionOwner = new SessionOwner(
      (port) => new SessionClient(port, { endpoint: endpointOf(endpoint).id, hasCast: true }),
      {
        // The live session of the worker has no server.
        clientOf: (run) => (run === null ? null : owner.client),
        replayed: (view) => this.#replayed(side, view),
      },
    );
    this.#unsubscribe.push(owner.client.store.subscribe(() => this.#look(side)));
    const opened = { owner, isRepeated: false };
    this.#open.set(side, opened);
    this.#set(side, { phase: 'replaying', client: owner.client, problem: null });
    return opened;
  }

  #replayed(side: SideId, view: ReplayView | null): void {
    const open = this.#open.get(side);
    if (!open) return;
    const { state, problem } = view ?? { state: 'ended', problem: null };
    open.isRepeated = state === 'ended';
    if (state === 'failed') this.#set(side, { phase: 'failed', problem });
    this.#look(side);
  }

  #look(side: SideId): void {
    const open = this.#open.get(side);
    if (!open || this.store.getState()[side].phase !== 'replaying') return;
    const { state } = open.owner.client;
    const stopped = stoppedProblem(state);
    if (stopped) this.#set(side, { phase: 'failed', problem: `${stopped.title}. ${stopped.detail}` });
    else if (open.isRepeated && !selectBusy(state)) this.#set(side, { phase: 'done' });
  }

  #applySound(): void {
    const { volume, muted } = useSettings.getState();
    const { heard } = useCompare.getState();
    for (const [side, { owner }] of this.#open) {
      owner.sound.setVolume(volume, muted || !isHeardOf(heard, side));
    }
  }

  #set(side: SideId, change: Partial<RecordedSide>): void {
    this.store.setState({ [side]: { ...this.store.getState()[side], ...change } });
  }
}

/** Resolves when the output runs, or cannot. A recording is replayed without one too. */
const settled = ({ status }: Sound): Promise<void> =>
  new Promise((resolve) => {
    const isSettled = () => {
      const { isReady, failure, blocked } = status.getState();
      return isReady || failure !== null || blocked;
    };
    if (isSettled()) return resolve();
    const unsubscribe = status.subscribe(() => {
      if (!isSettled()) return;
      unsubscribe();
      resolve();
    });
  });
