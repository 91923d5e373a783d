/** The name under which the worklet registers its processor. */
export const PROCESSOR_NAME = 'voicewire-player';

/** Page to worklet, on the node's port. A track is one ring: one context of one connection. */
export type NodeMessage =
  /** `port`: the other end goes to the worker (`openSink`), and the two talk past the page. */
  | { type: 'open'; track: string; port: MessagePort }
  | { type: 'close'; track: string }
  /** Barge-in, without waiting for the worker: silences that epoch and older ones. */
  | { type: 'halt'; track: string; epoch: number }
  | { type: 'gain'; track: string; gain: number };

/** Worker to worklet, on the track's port. The first one says how samples will come. */
export type TrackMessage =
  | { type: 'shared'; control: Int32Array; data: Int16Array }
  | { type: 'message'; capacity: number; startPosition: number }
  | { type: 'samples'; samples: Int16Array }
  | { type: 'clear' }
  | { type: 'end' }
  | { type: 'floor'; floorSamples: number; maxWaitSamples: number };

/** Worklet to worker, in message mode alone: a copy of the control block, of which the reader's slots count. */
export type TrackReport = Int32Array;

/** The part of a MessagePort that both ends use, so that a pair in memory can stand in for one. */
export interface TrackPort {
  postMessage(message: unknown, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent) => void) | null;
  close(): void;
}
