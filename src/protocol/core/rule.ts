/**
 * What a linter says. Rules are data, so that a page can list, group and explain them; findings point at frames.
 */

/**
 * `violation`: the protocol is broken, by whichever side. `warning`: nothing forbids it, but it is hardly meant.
 * `advice`: correct, and it costs time or money.
 */
export type Severity = 'violation' | 'warning' | 'advice';

/** What a rule looks at. */
export type RuleGroup =
  | 'shape'
  | 'order'
  | 'audio'
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
  /** Why it matters, in one or two sentences. */
  why: string;
  /** Where it is written: `facts 2.3.10`, `seed`, `decision 2.12`. */
  source: string;
}

/** One place where a rule is broken. */
export interface Finding extends Rule {
  /** Index of the frame that it is about, as it was fed. Of what is noticed by time passing: the frame that waits. */
  frame: number;
  /** When it could be known: the time of that frame, or when its time had run out. */
  atUs: number;
  connection: number;
  /** Null where it belongs to none, or the endpoint has only one. */
  context: string | null;
  /** What is wrong here, with what was expected and what was found. */
  message: string;
  /** Within the frame, dotted; null where no field is meant. */
  path: string | null;
  /** Index of the frame that makes this one wrong; null where there is none. */
  related: number | null;
}

/** A moment of a recording. */
export interface LintMoment {
  /** Place in the recording: what a finding refers to. */
  index: number;
  /** Microseconds from any fixed moment on. */
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
 * Follows the connections of one endpoint, live or from a recording, and says what is wrong. Nothing in it throws, has
 * timers of its own, or grows with the length of the session: time passes by the moments that it is told.
 */
export interface Linter {
  /** Everything that it may find. */
  readonly rules: readonly Rule[];
  /** A connection is open. May be left out: the first frame of an unknown connection opens it. */
  opened(moment: LintMoment): readonly Finding[];
  feed(frame: LintFrame): readonly Finding[];
  closed(close: LintClose): readonly Finding[];
  /** Nothing happened until now; for live use, where a time-out is to be noticed before the next frame. */
  pass(atUs: number): readonly Finding[];
  /** Nothing is found by time passing until after this moment; infinite where nothing is waited for. */
  readonly dueUs: number;
}

/** The moment of something, without what it carries: what is remembered must not keep payloads alive. */
export const momentOf = ({ index, atUs, connection }: LintMoment): LintMoment => ({
  index,
  atUs,
  connection,
});
