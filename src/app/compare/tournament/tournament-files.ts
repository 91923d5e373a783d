import { csvText } from '#benchmark/csv.ts';
import { endpointOf } from '#protocol/registry.ts';
import { measuresOf } from '#session/measures/turn-measures.ts';
import type { TurnView } from '#session/views.ts';
import { nameOf, type Side, voiceOf } from '../side.ts';
import { type AnsweredRound, preferredIn } from './rounds.ts';
import { tournamentOutcome } from './standings.ts';

/** A tournament with its choices and turns. It contains no API key. */
export interface TournamentRecord {
  seed: number;
  /** Number of rounds until each pair has been heard with each text. */
  roundsPlanned: number;
  /** Also rounds with configurations that were left out later. They do not count in the ratings. */
  heard: readonly AnsweredRound[];
  /** Those that are rated, by id. */
  configurations: Readonly<Record<string, Side>>;
  /** Those that could not speak, by id. */
  leftOut: Readonly<Record<string, { side: Side; reason: string }>>;
  /** Start of the tournament, ISO 8601. */
  begun: string;
}

const rounded = (value: number | null, decimals: number): number | null =>
  value === null ? null : Number(value.toFixed(decimals));

const waitOf = (turn: TurnView | null): number | null => rounded(turn && measuresOf(turn).waitMs, 1);

/** Returns the rounds in words and figures, for the page and for both files. */
export const roundRows = (heard: readonly AnsweredRound[]) =>
  heard.map((round, at) => {
    const { text, x, y, choice, plays, turns } = round;
    const preferred = preferredIn(round);
    return {
      round: at + 1,
      text,
      x: nameOf(x),
      y: nameOf(y),
      choice: choice === 'none' ? 'no difference' : choice.toUpperCase(),
      preferred: preferred === null ? '' : nameOf(preferred),
      playsX: plays.x,
      playsY: plays.y,
      waitMsX: waitOf(turns.x),
      waitMsY: waitOf(turns.y),
      loudnessX: rounded(turns.x?.loudness ?? null, 1),
      loudnessY: rounded(turns.y?.loudness ?? null, 1),
    };
  });

const described = (side: Side) => ({
  endpoint: side.endpoint,
  server: side.server,
  voice: voiceOf(side) ?? null,
  settings: side.settings,
  ...(endpointOf(side.endpoint).contexts ? { speaker: side.speaker } : {}),
});

const byName = <In, Out>(byId: Readonly<Record<string, In>>, describe: (one: In) => Out) =>
  Object.fromEntries(Object.entries(byId).map(([id, one]) => [nameOf(id), describe(one)]));

export function tournamentJson({ heard, configurations, leftOut, ...facts }: TournamentRecord): string {
  const { standings } = tournamentOutcome(Object.keys(configurations), heard);
  const file = {
    kind: 'voicewire tournament',
    version: 1,
    ...facts,
    configurations: byName(configurations, described),
    leftOut: byName(leftOut, ({ side, reason }) => ({ reason, ...described(side) })),
    ratings: standings.map(({ id, rating, low, high, ...score }) => ({
      configuration: nameOf(id),
      rating: rounded(rating, 4),
      low: rounded(low, 4),
      high: rounded(high, 4),
      ...score,
    })),
    rounds: roundRows(heard),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

export function tournamentCsv({ heard }: TournamentRecord): string {
  const rows = roundRows(heard);
  return csvText([Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))]);
}
