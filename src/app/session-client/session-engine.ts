import type { Command, Report } from '#session/messages.ts';
import type { Problem } from '#session/views.ts';
import { LateWorker } from '../browser/late-worker.ts';
import { Sound, type SoundHandlers } from './sound.ts';

/** Destination of a session client's commands, with the sound output of its session. */
export interface SessionPort {
  readonly sound: Sound;
  post(command: Command, transfer?: Transferable[]): void;
}

export interface EngineHandlers extends Pick<SoundHandlers, 'isBusy'> {
  receive(report: Report): void;
  stopped(problem: Problem): void;
}

/** A session worker with its sound output. The live session and a replay share one; every run has its own. */
export class SessionEngine implements SessionPort {
  readonly sound: Sound;
  readonly #worker = new LateWorker(
    () => new Worker(new URL('../../session/worker.ts', import.meta.url), { type: 'module' }),
  );

  constructor({ receive, stopped, isBusy }: EngineHandlers) {
    this.sound = new Sound({ post: (command, transfer) => this.post(command, transfer), isBusy });
    this.#worker.onmessage = ({ data }: MessageEvent<Report>) => receive(data);
    this.#worker.onerror = () =>
      stopped({
        id: -1,
        turn: null,
        atMs: 0,
        severity: 'error',
        title: 'The session could not go on',
        detail: 'Its worker has stopped, so nothing can be sent or heard.',
        remedy: 'Reload the page.',
        times: 1,
      });
  }

  post(command: Command, transfer: Transferable[] = []): void {
    this.#worker.postMessage(command, transfer);
  }

  close(): void {
    this.sound.close();
    this.#worker.terminate();
  }
}
