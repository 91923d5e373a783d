import type { Endpoint } from '#protocol/core/endpoint.ts';
import type { RecorderMessage } from '#recordings/recordings.ts';
import type { FaultReport } from '#trace/capture-messages.ts';
import type { RecordEntry } from '#trace/entry.ts';
import { type PlayerRecord, playerRecordOf } from '#trace/player-entry.ts';
import { type Impairments, NO_IMPAIRMENTS } from '../replay/impairments.ts';
import { ReplayRun } from '../replay/replay-run.ts';
import type { EndpointSessionOptions } from '../session.ts';
import { World } from './world.ts';

/** Records the world's session from now on. */
export function record(world: World) {
  const posted: RecorderMessage[] = [];
  const port: {
    postMessage(message: RecorderMessage): void;
    onmessage?(event: { data: FaultReport }): void;
  } = {
    postMessage: (message) => void posted.push(structuredClone(message)),
  };
  // The fake port has only the members that a session uses.
  world.do({ type: 'attachRecordings', port: port as unknown as MessagePort });
  /** All entries so far. */
  const entries = (): RecordEntry[] => {
    // A recorder posts in batches.
    world.advance(100);
    return posted
      .flatMap((message) => (message.type === 'entries' ? message.entries : []))
      .map((entry, index) => ({ ...entry, index }));
  };
  /** All that the player recorded of this kind. */
  const played = <Kind extends PlayerRecord['kind']>(kind: Kind) =>
    entries()
      .filter((entry) => entry.kind === kind)
      .map((entry) => ({
        ...(playerRecordOf(entry) as Extract<PlayerRecord, { kind: Kind }>),
        turn: entry.turn,
      }));
  const report = (data: FaultReport): void => port.onmessage?.({ data });
  return { posted, entries, played, report };
}

/** A world with a replay that has not begun. `asked` counts its requests for more entries. */
export class ReplayWorld extends World {
  readonly run: ReplayRun;
  readonly #counts: { asked: number };

  constructor(endpoint: Endpoint, impairments: Impairments = NO_IMPAIRMENTS) {
    const counts = { asked: 0 };
    const box: { run?: ReplayRun } = {};
    const listener = {
      wantsMore: () => {
        counts.asked += 1;
      },
      moved() {},
    };
    const address = `ws://server/prefix${endpoint.path}`;
    const open = (options: EndpointSessionOptions) => {
      box.run = new ReplayRun({ ...options, endpoint, address, impairments, listener });
      return box.run.session;
    };
    super(undefined, endpoint, open, undefined, true);
    if (!box.run) throw new Error('The world has opened no session.');
    this.run = box.run;
    this.#counts = counts;
  }

  get asked(): number {
    return this.#counts.asked;
  }

  /** Replays all of a recording. */
  play(entries: readonly RecordEntry[]): void {
    this.run.add(entries, true);
    this.run.play();
  }
}
