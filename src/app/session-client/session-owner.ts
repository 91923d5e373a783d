import type { Settings } from '#protocol/core/endpoint.ts';
import { endpointOf } from '#protocol/registry.ts';
import type { Command, Report, Speaker, Target } from '#session/commands.ts';
import type { ReplayView } from '#session/replay/replay-view.ts';
import type { Problem } from '#session/views.ts';
import { LateWorker } from '../browser/late-worker.ts';
import type { SessionClient, SessionPort } from './session-client.ts';
import { type SessionState, selectBusy } from './session-state.ts';
import { Sound } from './sound.ts';

export interface OwnerOptions {
  /** Returns the client of the worker's live session (null) or of a replay's run. Null drops the report. */
  clientOf?: (run: number | null) => SessionClient | null;
  /** Returns the client that is heard, which decides on the rate of the output. */
  heard?: () => SessionClient;
  replayed?: (view: ReplayView | null) => void;
}

/** Owns a session of the page: its worker, its sound output, and its client. The studio's replay shares them. */
export class SessionOwner<Client extends SessionClient = SessionClient> implements SessionPort {
  readonly client: Client;
  readonly sound: Sound;
  readonly #worker = new LateWorker(
    () => new Worker(new URL('../../session/worker.ts', import.meta.url), { type: 'module' }),
  );

  constructor(
    open: (port: SessionPort) => Client,
    {
      clientOf = (run) => (run === null ? this.client : null),
      heard = () => this.client,
      replayed = () => {},
    }: OwnerOptions = {},
  ) {
    this.sound = new Sound({
      post: (command, transfer) => this.post(command, transfer),
      isBusy: () => selectBusy(heard().state),
    });
    this.client = open(this);
    this.#worker.onmessage = ({ data: report }: MessageEvent<Report>) => {
      if (report.type === 'replay') return replayed(report.replay);
      const { update, run } = report;
      const client = clientOf(run);
      if (update.wantedSampleRate !== undefined && client === heard())
        this.sound.switchTo(update.wantedSampleRate);
      client?.receive(update);
    };
    this.#worker.onerror = () => heard().receive({ problems: [STOPPED] });
  }

  post(command: Command, transfer: Transferable[] = []): void {
    this.#worker.postMessage(command, transfer);
  }

  /** Sets up a session outside of the studio's scene. @param speaker the only one of an endpoint with contexts */
  begin(target: Target, settings: Settings, speaker?: Speaker): void {
    const endpoint = endpointOf(target.endpoint);
    this.post({ type: 'target', target, settings });
    if (endpoint.contexts && speaker) this.post({ type: 'speakers', speakers: [speaker] });
    this.post({ type: 'listen', listening: 'together', pauseMs: 0 });
    this.sound.expect(endpoint.audioFormat(settings).sampleRate);
    // Ends with the first turn of this session. Another session's turn may overlap it.
    this.post({ type: 'warmUp' });
  }

  /** Ends worker and output. The state of the client stays readable. */
  dispose(): void {
    this.sound.dispose();
    this.#worker.terminate();
    this.client.dispose();
  }
}

const STOPPED: Problem = {
  id: -1,
  turn: null,
  atMs: 0,
  severity: 'error',
  title: 'The session could not go on',
  detail: 'Its worker has stopped, so nothing can be sent or heard.',
  remedy: 'Reload the page.',
  times: 1,
};

/** Returns the problem of a session whose worker has stopped. */
export const stoppedProblem = ({ problems }: Pick<SessionState, 'problems'>): Problem | undefined =>
  problems.find(({ id }) => id === STOPPED.id);
