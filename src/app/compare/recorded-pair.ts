import { createStore } from 'zustand/vanilla';
import { endpointOf } from '#protocol/registry.ts';
import type { Report } from '#session/messages.ts';
import type { ReplayedRecording } from '#session/replay/messages.ts';
import { recordingsLink } from '../recordings-client/recordings-link.ts';
import { SessionClient } from '../session-client/session-client.ts';
import { SessionEngine } from '../session-client/session-engine.ts';
import { selectBusy } from '../session-client/session-state.ts';
import type { Sound } from '../session-client/sound.ts';
import { useSettings } from '../stores/settings-store.ts';
import { useCompare } from './compare-store.ts';
import { type BySide, SIDES, type SideId } from './side.ts';

interface RecordedSide {
  phase: 'idle' | 'replaying' | 'done' | 'failed';
  /** Its session; null before the first replay. It stays readable after it was closed. */
  client: SessionClient | null;
  /** Why it failed. */
  problem: string | null;
}

const IDLE: RecordedSide = { phase: 'idle', client: null, problem: null };

interface OpenSide {
  client: SessionClient;
  engine: SessionEngine;
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
    for (const { engine } of opened) engine.sound.wake();
    // No wait may contain the opening of an output.
    await Promise.all(opened.map(({ engine }) => settled(engine.sound)));
    for (const [at, side] of SIDES.entries()) {
      // Another replay, or another page, may have ended this one meanwhile.
      if (this.#open.get(side) !== opened[at]) return;
      const recording = recordings[side];
      const port = recordingsLink.serve(recording.id);
      opened[at]?.engine.post({ type: 'openReplay', recording, port }, [port]);
    }
  }

  /** Ends both. What they have shown stays in view. */
  leave(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#unsubscribe = [];
    for (const [side, { client, engine }] of this.#open) {
      engine.close();
      client.close();
      if (this.store.getState()[side].phase === 'replaying') this.#set(side, { phase: 'done' });
    }
    this.#open.clear();
  }

  #openSide(side: SideId, { endpoint }: ReplayedRecording): OpenSide {
    const engine = new SessionEngine({
      receive: (report) => this.#receive(side, report),
      stopped: ({ title, detail }) => this.#set(side, { phase: 'failed', problem: `${title}. ${detail}` }),
      isBusy: () => this.store.getState()[side].phase === 'replaying',
    });
    const client = new SessionClient(engine, { endpoint: endpointOf(endpoint).id, hasCast: true });
    this.#unsubscribe.push(client.store.subscribe(() => this.#look(side)));
    const opened = { client, engine, isRepeated: false };
    this.#open.set(side, opened);
    this.#set(side, { phase: 'replaying', client, problem: null });
    return opened;
  }

  #receive(side: SideId, report: Report): void {
    const open = this.#open.get(side);
    if (!open) return;
    if (report.type === 'replay') {
      const { state, problem } = report.replay ?? { state: 'ended', problem: null };
      open.isRepeated = state === 'ended';
      if (state === 'failed') this.#set(side, { phase: 'failed', problem });
    } else {
      if (report.update.wantedSampleRate !== undefined)
        open.engine.sound.switchTo(report.update.wantedSampleRate);
      // The session without a run is the live one of the worker, which has no server.
      if (report.run !== null) open.client.receive(report.update);
    }
    this.#look(side);
  }

  #look(side: SideId): void {
    const open = this.#open.get(side);
    const isOver = open?.isRepeated && !selectBusy(open.client.state);
    if (isOver && this.store.getState()[side].phase === 'replaying') this.#set(side, { phase: 'done' });
  }

  #applySound(): void {
    const { volume, muted } = useSettings.getState();
    const { heard } = useCompare.getState();
    for (const [side, { engine }] of this.#open) {
      const isHeard = heard === 'both' || heard === 'apart' || heard === side;
      engine.sound.setVolume(volume, muted || !isHeard);
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
