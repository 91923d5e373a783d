import type { AudioFormat } from './audio-format.ts';
import type { Catalogue } from './catalogue.ts';
import type { Frame, FrameTemplate } from './frame.ts';
import type { Issue } from './issue.ts';
import type { Setting } from './settings.ts';
import type { SpeechEvent } from './speech-event.ts';

/** The endpoints by id: `page` where the page offers one, `others` where only other programs speak with it. Each vendor adds its own. */
// biome-ignore lint/suspicious/noEmptyInterface: vendors add its members.
export interface EndpointIds {}

export type EndpointId = keyof EndpointIds;

/** A vendor's folder, and its part of paths: an id up to its first hyphen. */
export type VendorName<Id extends EndpointId = EndpointId> = Id extends `${infer Name}-${string}` ? Name : Id;

/** The endpoints of a vendor. */
export type EndpointIdOf<Name extends VendorName> = {
  [Id in EndpointId]: VendorName<Id> extends Name ? Id : never;
}[EndpointId];

/** All endpoints of a vendor, in the order in which the page offers them. */
export type EndpointsOf<Name extends VendorName> = { readonly [Id in EndpointIdOf<Name>]: Endpoint<Id> };

/** The endpoints that the page offers. */
export type PageEndpointId = {
  [Id in EndpointId]: EndpointIds[Id] extends 'page' ? Id : never;
}[EndpointId];

/** A person's settings by wire name. An absent field is not sent, so the server's default applies. */
export type Settings = Readonly<Record<string, unknown>>;

/** A request of the page or the worker, independent of the vendor. */
export type Intent =
  | { kind: 'open'; settings: Settings }
  /** Opens a context with its own settings, without text. */
  | { kind: 'openContext'; context: string; settings: Settings }
  /** `opens`: the text opens its context with these settings. */
  | { kind: 'say'; context: string; text: string; opens?: Settings }
  /** Speaks all buffered text, and ends the turn where `Endpoint.flushEndsTurn` says so. */
  | { kind: 'flush'; context: string }
  /** Barge-in: abandons the turn of this context, or of all contexts for null. `playedMs`: how much of its audio was heard. */
  | { kind: 'cancel'; context: string | null; playedMs?: number }
  /** Speaks the queued text and ends the context. `immediate` drops the text instead. */
  | { kind: 'closeContext'; context: string; immediate: boolean }
  /** Ends the turn without ending the context, and speaks its text. */
  | { kind: 'endTurn'; context: string }
  | { kind: 'keepAlive'; context: string }
  | { kind: 'update'; settings: Settings }
  /** Ends everything and asks the server to close the socket. */
  | { kind: 'disconnect' };

/** What a connection is opened with. */
export interface DialectOptions {
  settings: Settings;
  /** Empty for a recorded connection, whose key is not kept. */
  key: string;
  /** Of the audio, as recorded. Absent where the settings decide. */
  format?: AudioFormat;
}

/** The traits of a connection that its frames do not show. */
export interface DialectTraits {
  /** `connection`: a connection takes the text of one turn, and its close ends the turn. */
  turnEnd: 'frame' | 'connection';
  /**
   * Whether the server confirms a cancel, so that the turn keeps its place until then. `unconfirmed`: the end of the cancelled
   * turn still comes. `none`: the server takes no such message.
   */
  cancel: 'confirmed' | 'unconfirmed' | 'none';
  /** The end of a turn drops its text behind the last flush, and a cancel is such an end. Absent where the end speaks that text. */
  endDropsText?: true;
  /** The server says when a context is open, and text waits for that. */
  confirmsOpening: boolean;
  /** The server closes a connection after this long without a frame of the client, in ms; null for never. */
  idleMs: number | null;
  /** The server closes a connection of this age, in ms; null for never. */
  maxAgeMs: number | null;
  /** The vendor's limits of sending within a time, in ms. Anything more waits, where `hasVendorLimits` says so. */
  budgets: readonly Budget[];
}

export interface Budget {
  of: 'characters' | 'flushes';
  amount: number;
  withinMs: number;
}

/** What one connection speaks. It encodes intents into frames and decodes frames into speech events. */
export interface Dialect {
  readonly traits: DialectTraits;
  /** The frames to send, in order. None where the endpoint has no such message. */
  encode(intent: Intent): Frame[];
  /** Never throws. An unreadable frame becomes an `unknown` or a `malformed` event. */
  decode(frame: Frame): SpeechEvent[];
  /**
   * Frames that became due with the frames decoded since the last call, such as one that must follow an acknowledgement.
   * To be sent after every `decode`, before any other frame. Absent where the endpoint has none.
   */
  replies?(): Frame[];
  /** Takes note of a message that the dialect did not make, where the answers depend on it. Absent where they do not. */
  follow?(intent: Intent): void;
  /**
   * The server's answer to a cancel, or to the immediate close of a context. Absent where it answers neither.
   * @param context null for all
   */
  confirm?(what: 'cancel' | 'closeContext', context: string | null): Frame[];
  /** The events that the end of the connection means, such as the end of its turn. Absent where it means none. */
  closed?(code: number, reason: string): SpeechEvent[];
  /** False while text must wait for the answer to the opening. Absent where text may follow at once. */
  readonly isReady?: boolean;
  /** False while no turn of this context may begin, because the server takes no further one. Absent where one always may. */
  hasRoom?(context: string): boolean;
}

/** A key of another kind, by its beginning, such as one that opens one connection. It goes into the query. */
export interface TokenForm {
  /** Its beginning. */
  prefix: string;
  name: string;
}

/** Where a connection carries its key. A `message` is made by the dialect. */
export type SecretPlace =
  | { in: 'message'; token?: TokenForm }
  | { in: 'query'; name: string; token?: TokenForm }
  /** Browsers can set no header of a handshake but this one. */
  | { in: 'subprotocol'; protocols: (key: string) => readonly string[] }
  /**
   * Behind the scheme, if any. A page can reach such a server only through the local one or its relay, which make the header
   * of a private subprotocol.
   */
  | { in: 'header'; name: string; scheme?: string };

/** A server of this endpoint. `base` is the host and the prefix, without the endpoint's own path. */
export interface Server {
  id: string;
  title: string;
  /** Null for the origin of the page, under `localPrefix`. */
  base: string | null;
  /** In front of that prefix: the relay to the vendor's host, or a recording that answers in its place. */
  path?: '/relay' | `/served/${string}`;
  /** Whether a connection needs a key from the person. */
  needsKey: boolean;
}

/** An explanation of a close code for the page. */
export interface CloseMeaning {
  name: string;
  meaning: string;
  remedy: string;
  /** False where a retry with the same key and settings cannot succeed. */
  mayReconnect: boolean;
}

/** A vendor's monthly price plan, to compare a session with. Prices are in hundredths of the currency unit. */
export interface PricePlan {
  id: string;
  title: string;
  /** 0 where every character is paid for. */
  charactersPerMonth: number;
  /** Per million further characters; null where the plan allows none. */
  overageCentsPerMillion: number | null;
  currency: string;
  /** The page that names the price, with its month. */
  source: string;
}

/** A vendor's published wait for the first audio frame, to compare a measured wait with. */
export interface PublishedWait {
  title: string;
  /** Its beginning. Its end is the arrival of the first audio frame at a client. */
  from: 'firstText' | 'serverStarted';
  leastMs: number;
  mostMs: number;
  /** Its parts and its conditions. */
  includes: string;
  /** The page with the figure. */
  source: string;
}

/** The limits of an endpoint with several contexts. */
export interface ContextRules {
  /** Live contexts of one connection. */
  max: number;
  /**
   * The server closes a context after this long without activity, in ms; null where a context without a turn is known to the
   * client alone.
   * @param settings of the connection
   */
  idleMs(settings: Settings): number | null;
  /** The settings of each context, fixed from its opening to its end. Those with a place make connections of their own. */
  settings: readonly Setting[];
  checkSettings(value: unknown): Issue[];
}

/** The vendor's published price of a second of audio, without tax. */
export interface PublishedPrice {
  centsPerSecond: number;
  currency: string;
}

/** The JSON of an error frame, and the close that follows where the error has one. */
interface VendorError {
  frame: object;
  close: { code: number; reason: string } | null;
}

/** The vendor's own failures, for faults on purpose. */
export interface VendorFailures {
  /** Names of its errors. */
  errors: readonly string[];
  /** The one of an overloaded server. */
  overloaded: string;
  /** @param name one of `errors` @param context null for the only one */
  error(name: string, context: string | null): VendorError;
  /** Where its word timestamps are: in frames of their own, or in these fields of audio frames; null where it sends none. */
  words: 'ownFrames' | readonly string[] | null;
  /** Fields of its frames with totals of audio, chunks, text and cost. */
  totals: readonly string[];
}

/**
 * The differences between vendors that the page's first load needs. A vendor is a folder here and one in `server/`, and a
 * name in `registry.ts`. Its `protocols.ts`, its `rules.ts` and its server are loaded by the name of the folder.
 */
export interface Endpoint<Id extends EndpointId = EndpointId> {
  id: Id;
  usedBy: EndpointIds[Id];
  title: string;
  vendor: string;
  /** Below the prefix of the vendor's host. A field in braces is a setting, such as `{voice}`. */
  path: string;
  /** Servers of other protocols have this path as well, so that it says nothing at a host that nobody knows. */
  hasCommonPath?: true;
  keyPlace: SecretPlace;
  /** The path prefix of the vendor's host on the local server. */
  localPrefix: `/${VendorName<Id>}`;
  /** Environment variables in which the vendor's own clients read their base address. */
  addressVariables: readonly string[];
  servers: readonly Server[];
  settings: readonly Setting[];
  /** Enough to press Speak at once. */
  initialSettings: Settings;
  /** Ids of voices of the local server by their names, for scenes and playlists. Empty without such voices. */
  exampleVoices: Readonly<Record<string, string>>;
  /** The initial settings that set-ups stored by earlier versions of the page lack, if any. */
  addedSettings?: Settings;
  /** Fields of the opening frame that the page sets by itself, the key included: never from settings, never stored. */
  reservedFields: readonly string[];
  /** Fields of messages that are fixed once sent. Another value needs a new connection, as all fields of the address do. */
  fixedSettings: readonly string[];
  /** Fields of frames, either way, with ids that a client makes up. */
  clientIds: readonly string[];
  /** Null for exactly one context, which needs no opening. */
  contexts: ContextRules | null;
  /** A flush ends the turn. Otherwise it only forces synthesis, and more text of the turn may follow. */
  flushEndsTurn: boolean;
  /** Whether the server reports the charge at the end of a turn or of a context, or never. */
  billing: 'turn' | 'context' | 'none';
  /** `idleTurnMs`: the server ends a turn after this long without text; null for never. */
  limits: { textChars: number; idleTurnMs: number | null };
  /** The waits before each attempt to reconnect, one entry an attempt. */
  reconnectDelaysMs: readonly number[];
  /** False where an error frame right before a close is final, so that an automatic retry would only repeat it. */
  retriesAfterErrors: boolean;
  checkSettings(value: unknown): Issue[];
  /** The value of the language setting for an ISO 639-1 code; undefined for an unsupported language. */
  languageValue(code: string): string | undefined;
  /** The format of the audio under these settings. */
  audioFormat(settings: Settings): AudioFormat;
}

/** What an endpoint speaks, and all else of it that the page's first load does not need. */
export interface Protocol {
  /**
   * Returns all frames in which the server accepts the first connection and speaks a short text as one chunk, with the
   * audio of `EXAMPLE_AUDIO`. Without contexts, the context is ignored.
   */
  exampleTurn: (text: string, context: string) => Frame[];
  /** Opens the dialect of one connection, before its first frame. */
  open(options: DialectOptions): Dialect;
  /**
   * The inverse of `Dialect.encode`, as far as frames carry intents. Works for the frames of any client, which may carry several
   * intents, in the order in which the server executes them. Never throws. Empty for a frame without intents.
   */
  readIntents(frame: Frame): Intent[];
  /** Every message of a client, for sending by hand. */
  templates: readonly FrameTemplate[];
  /** All issues of one client message, independent of earlier messages. None where it may be sent. */
  checkFrame(text: string): Issue[];
  failures: VendorFailures;
  explainClose(code: number, reason: string): CloseMeaning;
  /** The remedy for an error frame; null where its own message is sufficient. */
  explainError(name: string | null, code: number | null): string | null;
  catalogue: Catalogue;
  /** The plans with this endpoint. Empty without prices per character. */
  plans: readonly PricePlan[];
  /** Empty where the vendor publishes none. */
  publishedWaits: readonly PublishedWait[];
  /** Null without a published price per second. For estimates, never for bills. */
  publishedPrice(settings: Settings): PublishedPrice | null;
}

/** The value `protocols` of a vendor's `protocols.ts`. */
export type ProtocolsOf<Name extends VendorName> = Readonly<Record<EndpointIdOf<Name>, Protocol>>;
