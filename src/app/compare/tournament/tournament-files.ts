import { csvText } from '#benchmark/csv.ts';
import { wordList } from '#lib/word-list.ts';
import { endpointOf } from '#protocol/registry.ts';
import { measuresOf } from '#session/measures/turn-measures.ts';
import { nameOf, type Side, voiceOf } from '../side.ts';
import { type AnsweredRound, type Label, preferredIn } from './rounds.ts';
import { resultSentence, standingsOf } from './standings.ts';

/** A tournament with its choices and turns. It contains no API key. */
export interface TournamentRecord {
  seed: number;
  /** Number of rounds until each pair has been heard with each text. */
  roundsPlanned: number;
  heard: readonly AnsweredRound[];
  /** By id. */
  configurations: Readonly<Record<string, Side>>;
  loudnessMatched: boolean;
  /** Start of the tournament, ISO 8601. */
  begun: string;
}

const FIELDS = wordList('round text x y choice preferred playsX playsY waitMsX waitMsY loudnessX loudnessY');

type Row = Record<(typeof FIELDS)[number], string | number | null>;

const rounded = (value: number, decimals: number): number => Number(value.toFixed(decimals));

const rowsOf = ({ heard }: TournamentRecord): Row[] =>
  heard.map((round, at) => {
    const { text, choice, plays, turns } = round;
    const preferred = preferredIn(round);
    const waitMs = (label: Label): number | null => {
      const turn = turns[label];
      const wait = turn ? measuresOf(turn).waitMs : null;
      return wait === null ? null : rounded(wait, 1);
    };
    const loudness = (label: Label): number | null => {
      const lufs = turns[label]?.loudness ?? null;
      return lufs === null ? null : rounded(lufs, 1);
    };
    return {
      round: at + 1,
      text,
      x: nameOf(round.x),
      y: nameOf(round.y),
      choice: choice === 'none' ? 'no difference' : choice.toUpperCase(),
      preferred: preferred === null ? '' : nameOf(preferred),
      playsX: plays.x,
      playsY: plays.y,
      waitMsX: waitMs('x'),
      waitMsY: waitMs('y'),
      loudnessX: loudness('x'),
      loudnessY: loudness('y'),
    };
  });

const described = (side: Side) => ({
  endpoint: side.endpoint,
  server: side.server,
  voice: voiceOf(side) ?? null,
  settings: side.settings,
  ...(endpointOf(side.endpoint).contexts ? { speaker: side.speaker } : {}),
});

export function tournamentJson(record: TournamentRecord): string {
  const { seed, roundsPlanned, heard, configurations, loudnessMatched, begun } = record;
  const ids = Object.keys(configurations);
  const file = {
    kind: 'voicewire tournament',
    version: 1,
    begun,
    seed,
    roundsPlanned,
    loudnessMatched,
    configurations: Object.fromEntries(
      Object.entries(configurations).map(([id, side]) => [nameOf(id), described(side)]),
    ),
    ratings: standingsOf(ids, heard).map(({ id, rating, low, high, ...score }) => ({
      configuration: nameOf(id),
      rating: rounded(rating, 4),
      low: rounded(low, 4),
      high: rounded(high, 4),
      ...score,
    })),
    verdict: resultSentence(ids, heard),
    rounds: rowsOf(record),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

export const tournamentCsv = (record: TournamentRecord): string =>
  csvText([FIELDS, ...rowsOf(record).map((row) => FIELDS.map((field) => row[field]))]);
