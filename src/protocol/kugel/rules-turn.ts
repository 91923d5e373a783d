import type { LintMoment } from '../rules/rule.ts';
import type { KugelRuleId } from './rules.ts';
import type { Expected, SpokenTurn } from './rules-speech.ts';
import type { Totals } from './rules-turn-end.ts';

/** A turn as the rules follow it, from its first text to its end. */
export interface Turn {
  began: LintMoment;
  /** A flush with nothing to speak: it may be answered like a turn (decision 2), or not at all. */
  isEmpty: boolean;
  /** The frame that ended it; null while it takes text. */
  ended: LintMoment | null;
  /** The cancel that abandoned it. */
  cancel: number | null;
  lastText: LintMoment;
  /** Characters as UTF-16 units and as code points: which of them is counted is documented nowhere. */
  units: number;
  points: number;
  autoMode: boolean;
  speech: SpokenTurn;
  final: { at: LintMoment; frame: Totals } | null;
}

/** What holds for a turn from its beginning on. */
export interface TurnSettings {
  expected: Expected;
  autoMode: boolean;
}

/** What is used and billed where no model is named (`facts 1.4`). */
export const DEFAULT_MODEL = 'kugel-3';

/** Reports of one context. @param atUs when it could be known, where that is not the time of the frame */
export type ReportTurn = (
  id: KugelRuleId,
  at: LintMoment,
  message: string,
  related?: LintMoment | null,
  path?: string,
  atUs?: number,
) => void;

/** Whether speech or an end of it is owed for a turn. */
export const isOwed = ({ ended, isEmpty, cancel }: Turn): boolean =>
  ended !== null && !isEmpty && cancel === null;

export const newTurn = (
  at: LintMoment,
  speech: SpokenTurn,
  { autoMode, isEmpty }: Pick<Turn, 'autoMode' | 'isEmpty'>,
): Turn => ({
  began: at,
  isEmpty,
  ended: null,
  cancel: null,
  lastText: at,
  units: 0,
  points: 0,
  autoMode,
  speech,
  final: null,
});
