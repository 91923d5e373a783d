import { csvText } from '#benchmark/csv.ts';
import { wordList } from '#lib/word-list.ts';
import { endpointOf } from '#protocol/registry.ts';
import { measuresOf } from '#session/measures/turn-measures.ts';
import type { TurnView } from '#session/views.ts';
import { type BySide, nameOf, SIDES, type Side, type SideId, voiceOf } from '../side.ts';
import { type Answer, preferredIn, sideOf, type Trial, tallyOf, tallySentence } from './trial.ts';

export type RoundTurns = BySide<TurnView | null>;

/** A trial with its choices and turns. It contains no API key. */
export interface TrialRecord {
  trial: Trial;
  answers: readonly Answer[];
  turns: readonly RoundTurns[];
  sides: BySide<Side>;
  loudnessMatched: boolean;
  /** Start of the trial, ISO 8601. */
  begun: string;
}

const FIELDS = wordList('round text x y choice preferred playsX playsY waitMsA waitMsB loudnessA loudnessB');

type Row = Record<(typeof FIELDS)[number], string | number | null>;

function rowsOf({ trial, answers, turns }: TrialRecord): Row[] {
  return answers.flatMap(({ choice, plays }, at) => {
    const round = trial.rounds[at];
    if (!round) return [];
    const preferred = preferredIn(round, choice);
    const waitMs = (side: SideId): number | null => {
      const turn = turns[at]?.[side];
      const wait = turn ? measuresOf(turn).waitMs : null;
      return wait === null ? null : Math.round(wait * 10) / 10;
    };
    const lufs = (side: SideId): number | null => {
      const loudness = turns[at]?.[side]?.loudness ?? null;
      return loudness === null ? null : Math.round(10 * loudness) / 10;
    };
    return {
      round: at + 1,
      text: round.text,
      x: nameOf(sideOf(round, 'x')),
      y: nameOf(sideOf(round, 'y')),
      choice: choice === 'none' ? 'no preference' : choice.toUpperCase(),
      preferred: preferred === null ? '' : nameOf(preferred),
      playsX: plays.x,
      playsY: plays.y,
      waitMsA: waitMs('a'),
      waitMsB: waitMs('b'),
      loudnessA: lufs('a'),
      loudnessB: lufs('b'),
    };
  });
}

const described = (side: Side) => ({
  endpoint: side.endpoint,
  server: side.server,
  voice: voiceOf(side) ?? null,
  settings: side.settings,
  ...(endpointOf(side.endpoint).contexts ? { speaker: side.speaker } : {}),
});

export function trialJson(record: TrialRecord): string {
  const { trial, answers, sides, loudnessMatched, begun } = record;
  const tally = tallyOf(trial, answers);
  const file = {
    kind: 'voicewire blind comparison',
    version: 1,
    begun,
    seed: trial.seed,
    roundsPlanned: trial.rounds.length,
    loudnessMatched,
    configurations: Object.fromEntries(SIDES.map((side) => [nameOf(side), described(sides[side])])),
    tally,
    sentence: tallySentence(tally),
    rounds: rowsOf(record),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

export const trialCsv = (record: TrialRecord): string =>
  csvText([FIELDS, ...rowsOf(record).map((row) => FIELDS.map((field) => row[field]))]);
