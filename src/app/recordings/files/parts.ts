import { audioLength } from '#lib/format.ts';
import { knownSum } from '#lib/statistics/known-sum.ts';
import type { TurnPart } from '#recordings/files/exchange-messages.ts';
import type { RecordingPart } from '#recordings/files/export-formats.ts';

export interface PartChoice {
  id: string;
  part: RecordingPart;
  title: string;
  /** Suffix of the recording's name. */
  fileName: string;
}

/** Limits the list, because nobody chooses from thousands. */
const TURNS_OFFERED = 100;

/** Returns a choice for each context, with its turns end to end, and for each of the newest turns. */
export function partChoices(turns: readonly TurnPart[]): readonly PartChoice[] {
  const contexts = [...new Set(turns.map(({ context }) => context))];
  const whole = contexts.map((context): PartChoice => {
    const its = turns.filter((turn) => turn.context === context);
    const lengthMs = its.map(({ audioMs }) => audioMs).reduce(knownSum, 0);
    const what = its.length === 1 ? 'one turn' : `${its.length} turns end to end`;
    return {
      id: `context ${context ?? ''}`,
      part: { context },
      title: `${context === null ? 'Everything' : `All of ${context}`}: ${what}, ${audioLength(lengthMs)}`,
      fileName: context === null ? '' : `, ${context.replace(/[^\p{L}\p{N} _-]+/gu, '-')}`,
    };
  });
  if (turns.length < 2) return whole;
  const single = turns.slice(-TURNS_OFFERED).map(
    ({ turn, context, audioMs }): PartChoice => ({
      id: `turn ${turn}`,
      part: { turn },
      title: `Turn ${turn}${context === null ? '' : `, ${context}`}: ${audioLength(audioMs)}`,
      fileName: `, turn ${turn}`,
    }),
  );
  return [...whole, ...single];
}
