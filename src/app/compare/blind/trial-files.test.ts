import { expect, test } from 'vitest';
import { turnView } from '#session/testing/views.ts';
import type { Side } from '../side.ts';
import { type TrialRecord, trialCsv, trialJson } from './trial-files.ts';

const side = (voice: number): Side => ({
  endpoint: 'kugel-stream',
  server: 'local',
  customBase: '',
  settings: { voice_id: voice },
  speaker: {},
});

const turn = turnView({ wait: [{ name: 'server', ms: 81.25 }], loudness: -20.04 });

const record: TrialRecord = {
  trial: {
    seed: 11,
    rounds: [
      { text: '=1, "two"', textNumber: 2, x: 'b', first: 'a' },
      { text: 'Good morning.', textNumber: 1, x: 'a', first: 'a' },
    ],
  },
  answers: [{ choice: 'x', plays: { x: 2, y: 1 } }],
  turns: [{ a: turn, b: null }],
  sides: { a: side(1), b: side(2) },
  loudnessMatched: true,
  begun: '2026-11-21T14:00:00.000Z',
};

test('writes the answered rounds as CSV, without formulas that a spreadsheet would run', () => {
  expect(trialCsv(record)).toBe(
    'round,text,x,y,choice,preferred,playsX,playsY,waitMsA,waitMsB,loudnessA,loudnessB\r\n' +
      `1,"'=1, ""two""",B,A,X,B,2,1,81.3,,-20,\r\n`,
  );
});

test('writes configurations, choices and the meaning of the tally as JSON', () => {
  const file = JSON.parse(trialJson(record));
  expect(file.configurations).toEqual({
    A: { endpoint: 'kugel-stream', server: 'local', voice: 1, settings: { voice_id: 1 } },
    B: { endpoint: 'kugel-stream', server: 'local', voice: 2, settings: { voice_id: 2 } },
  });
  expect(file).toMatchObject({ seed: 11, roundsPlanned: 2, loudnessMatched: true });
  expect(file.tally).toEqual({ a: 0, b: 1, none: 0 });
  expect(file.sentence).toContain('cannot be distinguished from chance');
  expect(file.rounds).toHaveLength(1);
});
