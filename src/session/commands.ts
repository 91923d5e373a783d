import type { SpeechNews } from '#microphone/speech-news.ts';
import type { ClockAnchor } from '#player/clock.ts';
import type { EndpointId, Settings } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import type { ChatRequest } from '#text/chat/chat-request.ts';
import type { SimulationProfile } from '#text/simulated-model.ts';
import type { Listening, TextOrigin } from '#trace/user-actions.ts';
import type { ReplayControl, ReplayedRecording, ReplayView } from './replay/replay-view.ts';
import type { SessionUpdate } from './views.ts';

/** Destination and key. The key goes into the address or the first frame, and nowhere else. */
export interface Target {
  endpoint: EndpointId;
  /** WebSocket base with host and prefix, without a trailing slash. */
  base: string;
  key: string;
  /** Mark in the base by which the server reports faults on purpose; absent without faults. */
  mark?: string;
}

/** A speaker: the name of a context on the wire, and the settings that open it. */
export interface Speaker {
  id: string;
  settings: Settings;
  /** Keep the context alive while it is idle. */
  keepOpen: boolean;
}

export interface ScriptLine {
  speaker: string;
  text: string;
  /** Line of the script, counted from 0. */
  line: number;
  /** Heard in turn, the line cuts off the line before it instead of waiting for its end. */
  interrupts?: boolean;
}

/** How the text of a line is sent: at once, or at the pace of a simulated model. */
export type LineSource = { kind: 'whole' } | { kind: 'simulated'; profile: SimulationProfile; seed: number };

/** Page to worker. A command that sends opens a connection where there is none. */
export type Command =
  | { type: 'target'; target: Target; settings: Settings }
  | { type: 'settings'; settings: Settings }
  /** The host of the page speaks no references, so that words without times are estimated. */
  | { type: 'leaveReferences' }
  /** Transfers the output's port; see `TrackOpener`. */
  | { type: 'attachPlayer'; port: MessagePort; sampleRate: number }
  | { type: 'detachPlayer' }
  /** Transfers the port of the recordings worker; see `#recordings/recordings.ts`. Nothing is recorded before. */
  | { type: 'attachRecordings'; port: MessagePort }
  /** Posts the last entries and the end. Nothing is recorded afterwards. */
  | { type: 'endRecording' }
  | { type: 'anchor'; anchor: ClockAnchor }
  | { type: 'connect' }
  /** Speaks one whole turn: the text, then flush. */
  | { type: 'speak'; text: string }
  | { type: 'say'; text: string; origin: TextOrigin }
  | { type: 'simulate'; text: string; profile: SimulationProfile; seed: number }
  /** Speaks the answer of a live model. `request`: its number in `AnswerView`. */
  | { type: 'ask'; request: number; question: string; context: string; chat: ChatRequest }
  /** Sets all speakers of an endpoint with several contexts. Contexts of removed speakers are closed. */
  | { type: 'speakers'; speakers: readonly Speaker[] }
  /** Speaks lines of a script, each a turn of its speaker. `closeAfter`: end each context behind its last line. */
  | { type: 'perform'; lines: readonly ScriptLine[]; source: LineSource; closeAfter: boolean }
  /** @param pauseMs between lines that are heard in turn */
  | { type: 'listen'; listening: Listening; pauseMs: number }
  | { type: 'openContext'; context: string }
  | { type: 'closeContext'; context: string; immediate: boolean }
  | { type: 'flush' }
  /** Barge-in on one context or on all. The page has already silenced the worklet. `pressedMs`: time of the press. */
  | { type: 'cancel'; context?: string; pressedMs?: number }
  /** Transfers the port of the microphone's detector, whose news become `talkOver` past the page. */
  | { type: 'attachMicrophone'; port: MessagePort }
  | { type: 'talkOver'; speech: SpeechNews }
  | { type: 'endTurn' }
  /** Sends a frame written by hand. Only the mark of the key is replaced, see `withKey`. */
  | { type: 'sendFrame'; frame: Frame }
  | { type: 'disconnect' }
  | { type: 'repeat'; turn: number; fromSample: number }
  | { type: 'stopRepeat' }
  /** Transfers a port that gets the received samples of a turn; null once they are not kept any more. */
  | { type: 'takeSamples'; turn: number; port: MessagePort }
  | { type: 'dismissProblems'; ids: readonly number[] }
  /** Replays a recording, whose entries `port` serves. Any command that would send leaves the replay. */
  | { type: 'openReplay'; recording: ReplayedRecording; port: MessagePort }
  | { type: 'controlReplay'; control: ReplayControl }
  | { type: 'leaveReplay' }
  /** Compiles the code of a turn while nothing is spoken, see `warm-up.ts`. Behind the target. */
  | { type: 'warmUp' };

/** Commands whose answer is audible. Their gesture opens the sound output. */
export const AUDIBLE: ReadonlySet<Command['type']> = new Set<Command['type']>([
  'speak',
  'say',
  'simulate',
  'ask',
  'perform',
  'openContext',
  'sendFrame',
]);

export type SessionCommand = Exclude<
  Command,
  { type: 'attachMicrophone' | 'openReplay' | 'controlReplay' | 'leaveReferences' | 'leaveReplay' | 'warmUp' }
>;

export type Report =
  /** `run`: number of the replay's run, which resets the page's state; null: the live session. */
  | { type: 'update'; update: SessionUpdate; run: number | null }
  /** Null: the replay has ended. */
  | { type: 'replay'; replay: ReplayView | null };
