import type { StereoGains } from './stereo-gains.ts';

/** The name under which the worklet registers its processor. */
export const PROCESSOR_NAME = 'voicewire-player';

/** To the worklet, from the page on the node's port or from the worker on the host port. A track is one ring. */
export type NodeMessage =
  /** From now on the worker opens and closes tracks on the other end of this port. */
  | { type: 'host'; port: MessagePort }
  /** `port`: its other end goes to the worker (`openSink`), and the two talk past the page. */
  | { type: 'open'; track: string; port: MessagePort }
  | { type: 'close'; track: string }
  /** Barge-in, without waiting for the worker: silences that epoch and older ones. */
  | { type: 'halt'; track: string; epoch: number }
  /** Kept by name, for a track that is opened later or again. */
  | { type: 'gain'; track: string; gains: StereoGains };

/** Worker to worklet, on the track's port. The first message decides how samples travel. */
export type TrackMessage =
  | { type: 'shared'; control: Int32Array; data: Int16Array }
  | { type: 'message'; capacity: number; startPosition: number; startEpoch: number }
  | { type: 'samples'; samples: Int16Array }
  /** A copy of the feeder's slots. */
  | { type: 'slots'; slots: Int32Array };

/** Worklet to worker, in message mode only: a copy of the control block with current reader's slots. */
export type TrackReport = Int32Array;

/** The part of a MessagePort that both ends use, so that tests can use a pair in memory. */
export interface TrackPort {
  postMessage(message: unknown, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent) => void) | null;
  close(): void;
}
