import type { NodeMessage, TrackPort } from './worklet-messages.ts';

/** Opens and closes tracks of an output by name. */
export interface Tracks {
  /** Opens a track, in place of an open one of that name, and returns the port for {@link openSink}. */
  open(track: string): TrackPort;
  close(track: string): void;
  /** Releases the output. Its open tracks play on until it is closed. */
  end(): void;
}

/** Opens tracks in the worklet from the worker, past the page. */
export class TrackOpener implements Tracks {
  readonly #host: TrackPort;

  /** @param host the worker's end of the output's host port (`AudioOutput.openHost`) */
  constructor(host: TrackPort) {
    this.#host = host;
  }

  open(track: string): TrackPort {
    const { port1, port2 } = new MessageChannel();
    this.#post({ type: 'open', track, port: port1 }, [port1]);
    return port2;
  }

  close(track: string): void {
    this.#post({ type: 'close', track });
  }

  end(): void {
    this.#host.close();
  }

  #post(message: NodeMessage, transfer: Transferable[] = []): void {
    this.#host.postMessage(message, transfer);
  }
}
