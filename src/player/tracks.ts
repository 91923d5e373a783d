import type { NodeMessage, TrackPort } from './messages.ts';

/** The worker's way to open and close tracks in the worklet, past the page. */
export class TrackOpener {
  readonly #host: TrackPort;

  /** @param host the worker's end of the output's host port (`AudioOutput.openHost`) */
  constructor(host: TrackPort) {
    this.#host = host;
  }

  /** Opens a track under that name, in place of one that has it, and gives the port for `openSink`. */
  open(track: string): TrackPort {
    const { port1, port2 } = new MessageChannel();
    this.#post({ type: 'open', track, port: port1 }, [port1]);
    return port2;
  }

  close(track: string): void {
    this.#post({ type: 'close', track });
  }

  /** Lets go of the port; tracks that are open stay so, until the output is closed. */
  end(): void {
    this.#host.close();
  }

  #post(message: NodeMessage, transfer: Transferable[] = []): void {
    this.#host.postMessage(message, transfer);
  }
}
