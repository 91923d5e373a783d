import { expect, test } from 'vitest';
import { turnView } from '#session/testing/views.ts';
import type { Side } from '../side.ts';
import { answered } from './testing/answered.ts';
import { type TournamentRecord, tournamentCsv, tournamentJson } from './tournament-files.ts';

const side = (voice: number): Side => ({
  endpoint: 'kugel-stream',
  server: 'local',
  customBase: '',
  settings: { voice_id: voice },
  speaker: {},
});

const turn = turnView({ wait: [{ name: 'server', ms: 81.25 }], loudness: -20 });

const record: TournamentRecord = {
  seed: 11,
  roundsPlanned: 6,
  heard: [
    {
      ...answered('c', 'a', 'x'),
      text: '=1, "two"',
      plays: { x: 2, y: 1 },
      turns: { x: turn, y: null },
    },
    answered('b', 'c', 'none'),
  ],
  configurations: { a: side(1), b: side(2), c: side(3) },
  leftOut: { d: { side: side(4), reason: 'The key is wrong.' } },
  begun: '2026-11-21T14:00:00.000Z',
};

test('writes the rounds as CSV, without formulas that a spreadsheet would run', () => {
  expect(tournamentCsv(record)).toBe(
    'round,text,x,y,choice,preferred,playsX,playsY,waitMsX,waitMsY,loudnessX,loudnessY\r\n' +
      `1,"'=1, ""two""",C,A,X,C,2,1,81.3,,-20,\r\n` +
      '2,One.,B,C,no difference,,1,1,,,,\r\n',
  );
});

test('writes configurations, ratings and choices as JSON', () => {
  const file = JSON.parse(tournamentJson(record));
  expect(file.configurations).toMatchObject({
    A: { endpoint: 'kugel-stream', server: 'local', voice: 1, settings: { voice_id: 1 } },
    C: { endpoint: 'kugel-stream', server: 'local', voice: 3, settings: { voice_id: 3 } },
  });
  expect(file.leftOut).toMatchObject({ D: { voice: 4, reason: 'The key is wrong.' } });
  expect(file).toMatchObject({ kind: 'voicewire tournament', seed: 11, roundsPlanned: 6 });
  const [first, , last] = file.ratings;
  expect(first).toMatchObject({ configuration: 'C', wins: 1, ties: 1, losses: 0 });
  expect(last).toMatchObject({ configuration: 'A', wins: 0, ties: 0, losses: 1 });
  expect(first.low).toBeLessThan(first.rating);
  expect(file.rounds).toHaveLength(2);
});
