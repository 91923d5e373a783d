import { expect, it } from 'vitest';
import type { FoundFinding } from '#recordings/view/check-view.ts';
import { reportText } from './report-text.ts';

const FOUND: FoundFinding = {
  number: 0,
  finding: {
    id: 'samples-bytes',
    group: 'audio',
    severity: 'violation',
    title: 'Samples told and bytes sent differ',
    why: 'Times are counted by samples.',
    anchors: ['kugel-audio-5'],
    frame: 103,
    atUs: 43_564_123,
    connection: 1,
    context: null,
    message: 'samples: expected 4800, got 4799',
    path: 'samples',
    related: 95,
    sound: null,
  },
  head: {
    index: 103,
    atUs: 43_564_123,
    direction: 'in',
    connection: 1,
    opcode: 'text',
    bytes: 12_900,
    kind: 'audio',
    turn: 2,
    context: null,
    chunk: 1,
    audioMs: 200,
  },
};

it('a report names problem, place, reason and rule', () => {
  const recording = { endpoint: 'kugel-stream', address: 'wss://host/ws', startedAtMs: 0 };
  expect(reportText(FOUND, recording)).toBe(
    [
      'Samples told and bytes sent differ',
      'samples: expected 4800, got 4799',
      '',
      'Rule: samples-bytes (audio, violation)',
      'Why: Times are counted by samples.',
      'Source: kugel-audio-5',
      'Frame: 103, audio, received at 43.564 123 s',
      'Of: connection 1, turn 2, chunk 1',
      'Field: samples',
      'Because of frame: 95',
      'Recording: kugel-stream at wss://host/ws, begun 1970-01-01T00:00:00.000Z',
    ].join('\n'),
  );
});

it('a report omits unknown parts', () => {
  const found = { ...FOUND, finding: { ...FOUND.finding, path: null, related: null } };
  expect(reportText(found, null)).not.toMatch(/Field|Because|Recording/);
});

it('a report of a finding in the sound says where it is heard', () => {
  const at = (fromS: number, toS: number, turn: number | null) =>
    reportText({ ...FOUND, finding: { ...FOUND.finding, sound: { turn, fromS, toS } } }, null);
  expect(at(1.24, 1.861, 3)).toContain('\nHeard: turn 3, 1.24–1.86 s');
  expect(at(1.24, 1.241, null)).toContain('\nHeard: 1.24 s');
});
