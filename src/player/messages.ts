/** The name under which the worklet registers its processor. */
export const PROCESSOR_NAME = 'voicewire-player';

/**
 * To the worklet: from the page on the node's port, and from the worker on the host port, past the page. A track is one
 * ring: one context of one connection.
 */
export type NodeMessage =
  /** From now on the worker opens and closes tracks on the other end of this port. */
  | { type: 'host'; port: MessagePort }
  /** `port`: the other end goes to the worker (`openSink`), and the two talk past the page. */
  | { type: 'open'; track: string; port: MessagePort }
  | { type: 'close'; track: string }
  /** Barge-in, without waiting for the worker: silences that epoch and older ones. */
  | { type: 'halt'; track: string; epoch: number }
  /** Of each channel, 0 to 1. Holds for the track of that name also when it is opened later, or again. */
  | { type: 'gain'; track: string; left: number; right: number };

/** Worker to worklet, on the track's port. The first one says how samples will come. */
export type TrackMessage =
  | { type: 'shared'; control: Int32Array; data: Int16Array }
  | { type: 'message'; capacity: number; startPosition: number; startEpoch: number }
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
