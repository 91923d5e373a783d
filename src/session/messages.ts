import type { ClockAnchor } from '#player/clock.ts';
import type { EndpointId, Frame, Settings } from '#protocol/core/endpoint.ts';
import type { Listening, TextOrigin } from '#recordings/format/user-actions.ts';
import type { SimulationProfile } from '#text/simulated-model.ts';
import type { ReplayControl, ReplayedRecording, ReplayView } from './replay/messages.ts';
import type { SessionUpdate } from './views.ts';

/** Where to connect and as whom. The key goes into the address or the first frame and nowhere else. */
export interface Target {
  endpoint: EndpointId;
  /** WebSocket base with host and prefix, without a trailing slash. */
  base: string;
  key: string;
}

/** Who speaks on a context: the context's name on the wire, and what it is opened with. */
export interface Speaker {
  id: string;
  settings: Settings;
  /** Keep the context alive while it is idle. */
  keepOpen: boolean;
}

/** One line of a script. */
export interface ScriptLine {
  speaker: string;
  text: string;
  /** Its place in the script, counted from 0. */
  line: number;
  /** Heard in turn, it does not wait for the end of the line before it but cuts it off. */
  interrupts?: boolean;
}

/** How the text of a line goes out: at once, or as a model would write it. */
export type LineSource = { kind: 'whole' } | { kind: 'simulated'; profile: SimulationProfile; seed: number };

/** Page to worker. Anything that sends connects first where there is no connection. */
export type Command =
  | { type: 'target'; target: Target; settings: Settings }
  | { type: 'settings'; settings: Settings }
  /** The output's port, moved here, on which the worker opens a track for each context; see `TrackOpener`. */
  | { type: 'attachPlayer'; port: MessagePort; sampleRate: number }
  | { type: 'detachPlayer' }
  /** The port of the recordings worker, moved here; see `recording/messages.ts`. Before it nothing is recorded. */
  | { type: 'attachRecordings'; port: MessagePort }
  | { type: 'anchor'; anchor: ClockAnchor }
  | { type: 'connect' }
  /** One whole turn: the text, then flush. */
  | { type: 'speak'; text: string }
  | { type: 'say'; text: string; origin: TextOrigin }
  | { type: 'simulate'; text: string; profile: SimulationProfile; seed: number }
  /** Everyone who may speak on an endpoint with several contexts; one who is left out is closed. */
  | { type: 'speakers'; speakers: readonly Speaker[] }
  /** Lines of a script, each a turn of its speaker. `closeAfter`: end each context behind its last line. */
  | { type: 'perform'; lines: readonly ScriptLine[]; source: LineSource; closeAfter: boolean }
  /** @param pauseMs between lines that are heard in turn */
  | { type: 'listen'; listening: Listening; pauseMs: number }
  | { type: 'openContext'; context: string }
  | { type: 'closeContext'; context: string; immediate: boolean }
  | { type: 'flush' }
  /** Barge-in on one context or on all. The page has already silenced the worklet. `pressedMs`: when it was asked to. */
  | { type: 'cancel'; context?: string; pressedMs?: number }
  | { type: 'endTurn' }
  /** A frame written by hand, sent as it is; see `hand-sent.ts` for the one thing that is filled in. */
  | { type: 'sendFrame'; frame: Frame }
  | { type: 'disconnect' }
  | { type: 'replay'; turn: number; fromSample: number }
  | { type: 'stopReplay' }
  | { type: 'dismissProblem'; id: number }
  /** Replays a recording; `port` leads to its entries, see `recording/entry-server.ts`. What would send leaves it. */
  | { type: 'openReplay'; recording: ReplayedRecording; port: MessagePort }
  | { type: 'controlReplay'; control: ReplayControl }
  | { type: 'leaveReplay' };

/** A command for a session itself; the others are for whoever has several. */
export type SessionCommand = Exclude<Command, { type: 'openReplay' | 'controlReplay' | 'leaveReplay' }>;

/** Worker to page. */
export type Report =
  /** `run`: of a replay, which begins anew with each; null: of the live session. */
  | { type: 'update'; update: SessionUpdate; run: number | null }
  /** Null: none goes on any more. */
  | { type: 'replay'; replay: ReplayView | null };
