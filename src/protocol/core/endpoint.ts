import type { Catalogue } from './catalogue.ts';
import type { FrameTemplate } from './frame-template.ts';
import type { Issue } from './issue.ts';
import type { Linter } from './rule.ts';
import type { Setting } from './settings.ts';
import type { AudioEncoding, SpeechEvent } from './speech-event.ts';

export type EndpointId = 'kugel-stream' | 'kugel-multi' | 'murmr';

/** What a person set, by wire name. A field that is absent is not sent, and the server's default applies. */
export type Settings = Readonly<Record<string, unknown>>;

/** What the page and the worker want to say, whatever the vendor calls it. */
export type Intent =
  | { kind: 'open'; settings: Settings }
  /** Opens a context without speaking, under settings of its own. */
  | { kind: 'openContext'; context: string; settings: Settings }
  /** `opens`: the context is not open, and this text opens it under these settings. */
  | { kind: 'say'; context: string; text: string; opens?: Settings }
  /** Ends the turn: speak all that is buffered. */
  | { kind: 'flush'; context: string }
  /** Barge-in: abandon the turn of that context; null: of every one. */
  | { kind: 'cancel'; context: string | null }
  /** Speaks what is queued and ends the context; `immediate` drops it instead. */
  | { kind: 'closeContext'; context: string; immediate: boolean }
  /** Ends the session of the turn, keeps the socket. */
  | { kind: 'endTurn'; context: string }
  | { kind: 'keepAlive'; context: string }
  | { kind: 'update'; settings: Settings }
  /** Ends everything and asks the server to close the socket. */
  | { kind: 'disconnect' };

export type Frame = string | Uint8Array<ArrayBuffer>;

/** The state of one connection: intents go in and frames come out, frames go in and speech events come out. */
export interface Wire {
  /** The frames to send, in order; none where the endpoint has no such message. */
  encode(intent: Intent): Frame[];
  /** Never throws: what cannot be understood becomes an `unknown` or a `malformed` event. */
  decode(frame: Frame): SpeechEvent[];
  /**
   * Frames that what was decoded since the last call makes due, such as one that may only follow an acknowledgement. To be
   * sent after every `decode`, before anything else. Absent where the endpoint has none.
   */
  replies?(): Frame[];
  /** False while text has to wait until the server has answered the opening. Absent where it may follow at once. */
  readonly isReady?: boolean;
}

/** A place that speaks this endpoint. `base` holds the host and the prefix, without the endpoint's own path. */
export interface Server {
  id: string;
  title: string;
  /** `null`: the origin the page came from, under `localPrefix`. */
  base: string | null;
  /** Whether a key must be entered before connecting. */
  needsKey: boolean;
}

/** What a close code means, in words for the person in front of the page. */
export interface CloseMeaning {
  name: string;
  meaning: string;
  remedy: string;
  /** False where trying again with the same key and settings cannot succeed. */
  mayReconnect: boolean;
}

export interface AudioFormat {
  encoding: AudioEncoding;
  sampleRate: number;
}

/** What a vendor sells by the month, to compare a session with; prices in hundredths of the currency unit. */
export interface PricePlan {
  id: string;
  title: string;
  charactersPerMonth: number;
  /** Of a million characters above those; null: there are none. */
  overageCentsPerMillion: number | null;
  currency: string;
}

/** How long a vendor says that its service takes to the first audio frame, to hold a measured wait against. */
export interface PublishedWait {
  title: string;
  /** Where it begins. It ends with the arrival of the first audio frame, or where a client would see that. */
  from: 'firstText' | 'serverStarted';
  leastMs: number;
  mostMs: number;
  /** What is in it, and when it holds. */
  includes: string;
  /** The page that says so. */
  source: string;
}

/** An endpoint on which several contexts speak at once. */
export interface ContextRules {
  /** Live at a time on one connection. */
  max: number;
  /** A context in which nothing happens for so long is closed by the server. */
  idleMs: number;
  /** What each context has of its own; it holds from its opening to its end. */
  settings: readonly Setting[];
  checkSettings(value: unknown): Issue[];
}

/** What a second of audio costs by the vendor's own page; without tax. */
export interface PublishedPrice {
  centsPerSecond: number;
  currency: string;
}

/** Everything that differs between vendors. Adding one is a folder beside this file and a line in the registry. */
export interface Endpoint {
  id: EndpointId;
  title: string;
  vendor: string;
  path: string;
  /** Where the local server mounts the vendor's host. */
  localPrefix: string;
  servers: readonly Server[];
  /** The key that works on the local server. */
  localKey: string;
  settings: readonly Setting[];
  /** What a newcomer starts with: enough to press Speak. */
  initialSettings: Settings;
  /** Fields of the opening frame that the page fills in by itself, the key among them: never taken from settings, nor kept. */
  reservedFields: readonly string[];
  /** Fields that hold for a whole connection once they were sent; another value takes a new connection. */
  fixedSettings: readonly string[];
  /** null: there is exactly one context, and nobody has to open it. */
  contexts: ContextRules | null;
  /** Whether the server tells what was charged at the end of a turn or of a context; `none`: it never does. */
  billing: 'turn' | 'context' | 'none';
  /** Those that include this endpoint; empty where usage is not counted against a monthly quota. */
  plans: readonly PricePlan[];
  /** As the vendor publishes them; empty where it publishes none. */
  publishedWaits: readonly PublishedWait[];
  /** `idleTurnMs`: a turn that gets no text for so long is ended by the server; null: never. */
  limits: { textChars: number; idleTurnMs: number | null };
  /** `cancel`: where there is no such message, a barge-in leaves the connection and opens another. */
  can: { cancel: boolean; wordTimings: boolean; updateSettings: boolean };
  /** Seconds to wait before each try to reconnect; as many tries as entries. */
  reconnectDelaysMs: readonly number[];
  /** False: an error frame right before a close is the answer, and asking again by itself would only repeat it. */
  retriesAfterErrors: boolean;
  checkSettings(value: unknown): Issue[];
  /** How the settings name a language, by its ISO 639-1 code; undefined where they have no name for it. */
  languageValue(code: string): string | undefined;
  /** The format that audio will arrive in under these settings. */
  audioFormat(settings: Settings): AudioFormat;
  /** Under these settings; null where nothing is published, or not by the second. For estimates, never for bills. */
  publishedPrice(settings: Settings): PublishedPrice | null;
  /** Address to connect to; holds the key where the vendor wants it there, so it is never shown or kept. */
  address(base: string, key: string): string;
  /** @param key for endpoints that want it in their first message; others do not look at it */
  openWire(key: string): Wire;
  /**
   * The way back from `Wire.encode`, as far as the wire carries it: what a client's frame asks for, in the order in which the
   * server does it. Any client's: one frame may ask for several things. Never throws; empty where it asks for nothing.
   */
  readIntents(frame: Frame): Intent[];
  /** Every message that a client may send, to be sent by hand. */
  templates: readonly FrameTemplate[];
  /** Everything wrong with a client's text message on its own, whatever was sent before it; none where it may be sent. */
  checkFrame(text: string): Issue[];
  /** What checks the frames of this endpoint, over any number of connections. */
  openLinter(): Linter;
  explainClose(code: number, reason: string): CloseMeaning;
  /** What to do about an error frame; null where its own message says it all. */
  explainError(name: string | null, code: number | null): string | null;
  catalogue: Catalogue;
}
