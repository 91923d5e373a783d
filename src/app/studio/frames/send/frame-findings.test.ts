import { describe, expect, it } from 'vitest';
import type { Issue } from '#protocol/core/issue.ts';
import { frameFindings } from './frame-findings.ts';

const KNOWN = new Set(['flush', 'voice_settings', 'a', 'b']);

const finding = (text: string, issues: Issue[] = []) =>
  frameFindings(text, { checkFrame: () => issues }, KNOWN).map(({ span, severity, message }) => ({
    at: text.slice(span.from, span.to),
    severity,
    message,
  }));

describe('frameFindings', () => {
  it('finds nothing in a frame that may be sent', () => {
    expect(finding('{"flush": true}')).toEqual([]);
  });

  it('marks the value that is refused, however deep it is', () => {
    expect(
      finding('{"voice_settings": {"speed": 9}}', [
        { path: 'voice_settings.speed', expected: 'less', found: '9' },
      ]),
    ).toEqual([{ at: '9', severity: 'error', message: 'voice_settings.speed: expected less, got 9' }]);
  });

  it('marks the frame where something is missing in it', () => {
    expect(finding('{"a":1}', [{ path: 'key', expected: 'a string', found: 'nothing' }])).toEqual([
      { at: '{"a":1}', severity: 'error', message: 'key: expected a string, got nothing' },
    ]);
  });

  it('tells of fields that nobody has described, which may be a slip of the hand', () => {
    expect(finding('{"flsh":true}')).toEqual([
      {
        at: '"flsh"',
        severity: 'info',
        message: 'flsh: not a field that is documented here, sent as written',
      },
    ]);
  });

  it('marks bad syntax at its place and says nothing else', () => {
    const found = finding('{"a":1,}', [{ path: '', expected: 'a JSON object', found: 'text' }]);
    expect(found).toEqual([{ at: '}', severity: 'error', message: expect.stringContaining('field name') }]);
  });

  it('has a place to mark at the very end', () => {
    expect(finding('{"a":1')[0]?.at).toBe('1');
    expect(finding('')).toHaveLength(1);
  });

  it('tells of fields written more than once, each but the last', () => {
    expect(finding('{"a":1,"a":2,"b":1,"a":3}')).toEqual([
      { at: '"a"', severity: 'info', message: 'a: written again below, which counts' },
      { at: '"a"', severity: 'info', message: 'a: written again below, which counts' },
    ]);
  });
});
