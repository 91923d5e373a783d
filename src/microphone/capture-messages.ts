/** The name under which the worklet registers its processor. */
export const CAPTURE_PROCESSOR = 'voicewire-capture';

/** Samples that the worklet sends at once: two quanta. */
export const CAPTURE_SAMPLES = 256;

/** Page to worklet, on the node's port: the port on which the detector listens. */
export interface CaptureStart {
  port: MessagePort;
}
