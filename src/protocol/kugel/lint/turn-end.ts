import type { LintMoment } from '../../core/rule.ts';
import type { z } from '../../core/zod.ts';
import { agrees } from '../../lint/payload.ts';
import type * as frames from '../wire/server-frames.ts';
import type { Billing } from './billing.ts';
import type { ReportTurn } from './report.ts';
import type { Turn } from './turn.ts';

/** Rules of the sums at the end of a turn: against what came, against one another, and against the bill. */

export type Totals = Pick<
  z.output<typeof frames.finalFrame>,
  'total_audio_seconds' | 'total_text_chunks' | 'total_audio_chunks'
>;
export type SessionClosed = z.output<typeof frames.sessionClosedFrame>;

const TOTALS = ['total_audio_seconds', 'total_text_chunks', 'total_audio_chunks'] as const;

/** Whether the frame that ends a turn says that something was spoken. */
export const tellsOfSpeech = ({ total_audio_seconds: seconds = 0, total_text_chunks: chunks = 0 }: Totals) =>
  seconds > 0 || chunks > 0;

export function checkTotals({ speech }: Turn, frame: Totals, at: LintMoment): void {
  const { total_audio_seconds: seconds, total_text_chunks: chunks, total_audio_chunks: audio } = frame;
  if (seconds !== undefined) speech.checkSeconds('total-seconds', seconds, 'total_audio_seconds', at);
  if (chunks !== undefined) {
    speech.checkCount('total-chunks', chunks, speech.textChunks, 'total_text_chunks', at);
  }
  if (audio !== undefined) {
    speech.checkCount('total-audio-frames', audio, speech.audioFrames, 'total_audio_chunks', at);
  }
}

/** Both ends of a turn tell its totals (`facts 2.3.18`). */
export function compareTotals(
  frame: Totals,
  at: LintMoment,
  final: NonNullable<Turn['final']>,
  report: ReportTurn,
): void {
  for (const field of TOTALS) {
    const [told, before] = [frame[field], final.frame[field]];
    if (told === undefined || before === undefined || told === before) continue;
    report(
      'totals-differ',
      at,
      `${field}: expected ${before}, as final has it, got ${told}`,
      final.at,
      field,
    );
  }
}

/** @param isSure which turn the bill is for */
export function checkBill(
  turn: Turn,
  frame: SessionClosed,
  at: LintMoment,
  isSure: boolean,
  { billing, context, report }: { billing: Billing; context: string | null; report: ReportTurn },
): void {
  const { usage } = frame;
  if (!usage) {
    if (turn.speech.seconds > 0) billing.missing(at, context);
    return;
  }
  billing.check(usage, at, context, turn.speech.expected?.modelId ?? null);
  const { audio_seconds: seconds, characters } = usage;
  if (typeof seconds === 'number') {
    const total = frame.total_audio_seconds;
    // A total that is wrong itself was reported, and the bill agrees with it.
    if (total === undefined || !agrees(seconds, total)) {
      turn.speech.checkSeconds('usage-seconds', seconds, 'usage.audio_seconds', at);
    }
  }
  if (typeof characters === 'number' && isSure && !turn.isEmpty) {
    if (characters < turn.points || characters > turn.units) {
      report(
        'usage-characters',
        at,
        `usage.characters: expected ${turn.units}, which is what was sent, got ${characters}`,
        turn.began,
        'usage.characters',
      );
    }
  }
}
