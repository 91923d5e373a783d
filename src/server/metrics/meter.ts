import type { EndpointId } from '#protocol/core/endpoint.ts';

/** Where a session or call belongs. A label of metrics, so never text from a client. */
export type MeteredEndpoint = EndpointId | `${string}-rest` | 'relay' | 'capture' | 'other';

export type TurnOutcome = 'completed' | 'cancelled' | 'failed';

/** Follows one turn from the start of its generation. */
export interface TurnMeter {
  /** Called with every audio frame. */
  audio(): void;
  /** Only the first call counts. @param audioSeconds audio that was sent */
  ended(outcome: TurnOutcome, audioSeconds: number): void;
}

/** Counts what happens at one endpoint. */
export interface EndpointMeter {
  /** @returns the function to call when the session is over */
  session(): () => void;
  turn(): TurnMeter;
  /** @param reason one of a few words, never what a client sent */
  refused(reason: string): void;
}

export type Meter = (endpoint: MeteredEndpoint) => EndpointMeter;

/** Follows nothing. */
export const NO_TURN: TurnMeter = { audio: () => {}, ended: () => {} };
const NO_ENDPOINT: EndpointMeter = { session: () => () => {}, turn: () => NO_TURN, refused: () => {} };

/** Counts nothing. */
export const NO_METER: Meter = () => NO_ENDPOINT;
