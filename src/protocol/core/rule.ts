import type { EndpointIdOf, VendorName } from './endpoint.ts';
import type { Exchange } from './json-frame.ts';

/**
 * The interface of linters. Rules are data, so that a page can list, group and explain them. Findings refer to frames.
 */

/**
 * `violation`: the client or the server breaks the protocol. `warning`: probably a mistake, but the session still works.
 * `advice`: correct, but it costs time or money.
 */
export type Severity = 'violation' | 'warning' | 'advice';

/** The subject of a rule. */
export type RuleGroup =
  | 'shape'
  | 'order'
  | 'audio'
  | 'sound'
  | 'words'
  | 'totals'
  | 'billing'
  | 'time'
  | 'limits'
  | 'client'
  | 'cost';

export interface Rule {
  id: string;
  group: RuleGroup;
  severity: Severity;
  /** A few words for a list. */
  title: string;
  /** The consequence, in one or two sentences. */
  why: string;
  /** The statements of `docs/protocols/` that demand it, by their anchors. */
  anchors: readonly string[];
}

/** A stretch of the decoded sound of a turn, in seconds from its first sample. */
export interface SoundSpan {
  /** Number of the turn in the recording; null for frames without one. */
  turn: number | null;
  fromS: number;
  toS: number;
}

/** A rule that a frame breaks, with its place. */
export interface Finding extends Rule {
  /** Index of its frame in the fed order. For a time-out it is the frame that waits. */
  frame: number;
  /** The time of that frame, or of the time-out. */
  atUs: number;
  connection: number;
  /** Null without one, or where the endpoint has only one. */
  context: string | null;
  /** The fault, with the expected and the found value. */
  message: string;
  /** Dotted path of the field; null for the whole frame. */
  path: string | null;
  /** Index of the frame that makes this one wrong, if any. */
  related: number | null;
  /** Where it is heard; null for a finding that was read from frames. */
  sound: SoundSpan | null;
}

/** A moment of a recording. */
export interface LintMoment {
  /** Position in the recording. */
  index: number;
  /** Microseconds since any fixed moment. */
  atUs: number;
  connection: number;
}

export interface LintFrame extends LintMoment {
  /** `out`: sent by the client. */
  direction: 'in' | 'out';
  /** Text messages as strings, binary ones as bytes. */
  payload: string | Uint8Array;
}

export interface LintClose extends LintMoment {
  code: number;
}

/**
 * Checks the connections of one endpoint, live or from a recording. Never throws, and its memory does not grow with the
 * session. It has no timers: its clock is the time of the fed moments.
 */
export interface Linter {
  readonly rules: readonly Rule[];
  /**
   * A connection opened. Optional: the first frame of an unknown connection opens it too.
   * @param address without its key; absent where it is unknown, so that rules about its settings do not apply
   */
  opened(moment: LintMoment, address?: string): readonly Finding[];
  feed(frame: LintFrame): readonly Finding[];
  closed(close: LintClose): readonly Finding[];
  /** Advances the clock without a frame, so that live use reports a time-out before the next frame. */
  pass(atUs: number): readonly Finding[];
  /** The earliest possible time-out; infinite without one. */
  readonly dueUs: number;
}

/** A copy of the moment alone, so that remembered moments do not keep payloads alive. */
export const momentOf = ({ index, atUs, connection }: LintMoment): LintMoment => ({
  index,
  atUs,
  connection,
});

/** What is demanded of the frames of an endpoint. */
export interface EndpointRules {
  /** Returns a linter for any number of connections. */
  openLinter(): Linter;
  /** Its messages, as a document for others describes them. */
  messages: Exchange;
}

/** The value `rules` of a vendor's `rules.ts`. */
export type RulesOf<Name extends VendorName> = Readonly<Record<EndpointIdOf<Name>, EndpointRules>>;
