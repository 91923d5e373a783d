import type { EndpointId, Settings } from '../protocol/endpoint.ts';
import type { SimulationProfile } from '../text/simulated-model.ts';
import type { SessionUpdate, TextOrigin } from './model.ts';

/** Where to connect and as whom. The key goes into the address or the first frame and nowhere else. */
export interface Target {
  endpoint: EndpointId;
  /** WebSocket base with host and prefix, without a trailing slash. */
  base: string;
  key: string;
}

/** When a sample at `contextTimeS` of the audio clock leaves the speakers, on the wall clock. */
export interface ClockAnchor {
  contextTimeS: number;
  wallMs: number;
  outputLatencyMs: number;
}

/** Page to worker. Anything that sends connects first where there is no connection. */
export type Command =
  | { type: 'target'; target: Target; settings: Settings }
  | { type: 'settings'; settings: Settings }
  /** The player's end of the channel to the worklet, moved here; see `player/sink.ts`. */
  | { type: 'attachPlayer'; port: MessagePort; sampleRate: number }
  | { type: 'detachPlayer' }
  | { type: 'anchor'; anchor: ClockAnchor }
  | { type: 'connect' }
  /** One whole turn: the text, then flush. */
  | { type: 'speak'; text: string }
  | { type: 'say'; text: string; origin: TextOrigin }
  | { type: 'simulate'; text: string; profile: SimulationProfile; seed: number }
  | { type: 'flush' }
  /** Barge-in. The page has already silenced the worklet. */
  | { type: 'cancel' }
  | { type: 'endTurn' }
  | { type: 'disconnect' }
  | { type: 'replay'; turn: number; fromSample: number }
  | { type: 'stopReplay' }
  | { type: 'dismissProblem'; id: number };

/** Worker to page. */
export type Report = { type: 'update'; update: SessionUpdate };
