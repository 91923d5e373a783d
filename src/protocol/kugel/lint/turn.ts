import type { LintMoment } from '../../core/rule.ts';
import type { ReportFinding } from '../../lint/findings.ts';
import { agrees } from '../../lint/payload.ts';
import { audioFormatOf } from '../wire/audio-format.ts';
import type { TotalsFields } from '../wire/decode.ts';
import { DEFAULT_MODEL } from '../wire/generation.ts';
import type { KugelFrame } from '../wire/server-frames.ts';
import type { Billing } from './billing.ts';
import type { KugelRuleId } from './rules.ts';
import type { SpokenTurn, TurnExpectation } from './speech.ts';

/** A turn for the rules, from its first text to its end. */
export interface CheckedTurn {
  began: LintMoment;
  /** A flush without text. The server answers it with an empty turn (decision 2), or not at all. */
  isEmpty: boolean;
  /** The frame that ended it; null while it is open. */
  ended: LintMoment | null;
  /** The cancel that abandoned it. */
  cancel: number | null;
  lastText: LintMoment;
  /** Characters as UTF-16 units and as code points: the documentation does not say which ones count. */
  units: number;
  points: number;
  autoMode: boolean;
  speech: SpokenTurn;
  final: { at: LintMoment; frame: TotalsFields } | null;
}

/** Settings that apply to a turn from its beginning. */
export interface TurnSettings {
  /** Null where they are unknown. */
  expected: TurnExpectation | null;
  autoMode: boolean;
}

/** The settings of a turn on a connection with unknown settings. */
const UNKNOWN_SETTINGS: TurnSettings = { expected: null, autoMode: false };

/**
 * The settings of a turn that begins under these settings of the connection.
 * @param areKnown false once the server has refused a message, which may have been the last to set them
 */
export const turnSettings = (
  settings: Parameters<typeof audioFormatOf>[0] & {
    word_timestamps?: boolean;
    model_id?: string;
    auto_mode?: boolean;
  },
  areKnown: boolean,
): TurnSettings =>
  areKnown
    ? {
        expected: {
          format: audioFormatOf(settings),
          words: settings.word_timestamps === true,
          modelId: settings.model_id ?? DEFAULT_MODEL,
        },
        autoMode: settings.auto_mode === true,
      }
    : UNKNOWN_SETTINGS;

/** Whether the server owes speech or an end for this turn. */
export const isOwed = ({ ended, isEmpty, cancel }: CheckedTurn): boolean =>
  ended !== null && !isEmpty && cancel === null;

const TOTALS = ['total_audio_seconds', 'total_text_chunks', 'total_audio_chunks'] as const;

/** Whether the totals of a turn report speech. */
export const reportsSpeech = ({
  total_audio_seconds: seconds = 0,
  total_text_chunks: chunks = 0,
}: TotalsFields): boolean => seconds > 0 || chunks > 0;

/** The fields of any end of a turn, also of the only one on `/ws/tts` (`facts 4.2`). */
export type EndFields = TotalsFields &
  Pick<KugelFrame<'final'>, 'chunks' | 'total_samples' | 'dur_ms' | 'usage'>;

/** Seconds of a total in ms. */
const secondsOf = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms / 1000);

export function checkTotals({ speech }: CheckedTurn, frame: EndFields, at: LintMoment): void {
  const { textChunks, audioFrames, samples } = speech;
  speech.checkSeconds('total-seconds', frame.total_audio_seconds, 'total_audio_seconds', at);
  speech.checkSeconds('total-seconds', secondsOf(frame.dur_ms), 'dur_ms', at);
  speech.checkCount('total-seconds', frame.total_samples, samples, 'total_samples', at);
  speech.checkCount('total-chunks', frame.total_text_chunks, textChunks, 'total_text_chunks', at);
  speech.checkCount('total-audio-frames', frame.total_audio_chunks, audioFrames, 'total_audio_chunks', at);
  speech.checkCount('total-audio-frames', frame.chunks, audioFrames, 'chunks', at);
}

/** Compares the totals of both ends of a turn (`facts 2.3.18`). */
export function compareTotals(
  frame: TotalsFields,
  at: LintMoment,
  final: NonNullable<CheckedTurn['final']>,
  report: ReportFinding<KugelRuleId>,
): void {
  for (const field of TOTALS) {
    const [total, before] = [frame[field], final.frame[field]];
    if (total === undefined || before === undefined || total === before) continue;
    report('totals-differ', at, `expected ${before}, as final has it, got ${total}`, {
      field,
      related: final.at,
    });
  }
}

/** @param isSure whether the turn of the bill is certain */
export function checkBill(
  turn: CheckedTurn,
  frame: EndFields,
  at: LintMoment,
  isSure: boolean,
  {
    billing,
    context,
    report,
  }: { billing: Billing; context: string | null; report: ReportFinding<KugelRuleId> },
): void {
  const { usage, total_audio_seconds: total = secondsOf(frame.dur_ms) } = frame;
  if (!usage) {
    if (turn.speech.seconds > 0) billing.missing(at, context);
    return;
  }
  billing.check(usage, at, context, turn.speech.expected?.modelId ?? null);
  const { audio_seconds: seconds, characters } = usage;
  // A wrong total is reported by itself, and this bill agrees with it.
  if (typeof seconds === 'number' && (total === undefined || !agrees(seconds, total))) {
    turn.speech.checkSeconds('usage-seconds', seconds, 'usage.audio_seconds', at);
  }
  if (typeof characters !== 'number' || !isSure || turn.isEmpty) return;
  if (characters >= turn.points && characters <= turn.units) return;
  report('usage-characters', at, `expected ${turn.units}, which is what was sent, got ${characters}`, {
    field: 'usage.characters',
    related: turn.began,
  });
}
