import { expect, it } from 'vitest';
import type { Finding, Severity } from '#protocol/core/rule.ts';
import { fieldMarks } from './field-marks.ts';

const finding = (path: string | null, severity: Severity, message: string): Finding => ({
  id: 'rule',
  group: 'shape',
  severity,
  title: '',
  why: '',
  anchors: [],
  frame: 0,
  atUs: 0,
  connection: 1,
  context: null,
  message,
  path,
  related: null,
  sound: null,
});

it.each([
  ['samples: expected 4800 for 9600 bytes of pcm_s16le, got 4799', 'expected 4800'],
  ['audio_seconds: expected 0.2 s, as received of chunk 0, got 0.4', 'expected 0.2 s'],
  ['sr: expected a number, got "24k"', 'expected a number'],
  ['usage.cost_cents: expected null, because cost_unavailable is true, got 1', 'expected null'],
  ['idx: expected 1 or 2, got 3', 'expected 1 or 2'],
  ['something else', 'something else'],
])('shortens “%s” to “%s”', (message, note) => {
  expect(fieldMarks([finding('a', 'warning', message)])).toEqual([{ path: 'a', severity: 'warning', note }]);
});

it('marks each field once, with its worst finding', () => {
  const marks = fieldMarks([
    finding('a', 'advice', 'a: expected 1, got 2'),
    finding('a', 'violation', 'a: expected 3, got 2'),
    finding('a', 'warning', 'a: expected 4, got 2'),
    finding(null, 'violation', 'expected nothing, got audio'),
    finding('b.0', 'warning', 'b.0: expected 5, got 6'),
  ]);
  expect(marks).toEqual([
    { path: 'a', severity: 'violation', note: 'expected 3' },
    { path: 'b.0', severity: 'warning', note: 'expected 5' },
  ]);
});
