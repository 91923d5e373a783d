import type { LintMoment } from '../../core/rule.ts';
import { audioFormatOf } from '../wire/audio-format.ts';
import type { Expected, SpokenTurn } from './speech.ts';
import type { Totals } from './turn-end.ts';

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
const DEFAULT_MODEL = 'kugel-3';

/** What the settings of a connection come to for a turn that begins under them. */
export const turnSettings = (
  settings: Parameters<typeof audioFormatOf>[0] & {
    word_timestamps?: boolean;
    model_id?: string;
    auto_mode?: boolean;
  },
): TurnSettings => ({
  expected: {
    format: audioFormatOf(settings),
    words: settings.word_timestamps === true,
    modelId: settings.model_id ?? DEFAULT_MODEL,
  },
  autoMode: settings.auto_mode === true,
});

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
