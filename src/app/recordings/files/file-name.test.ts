import { describe, expect, it } from 'vitest';
import { baseName, fileStem } from './file-name.ts';

const AT = new Date(2026, 10, 21, 13, 2, 3).getTime();
const stem = (name: string, endpoint = 'murmr') => fileStem({ name, endpoint, startedAtMs: AT });

describe('the name of a file', () => {
  it.each([
    ['First try', 'First try'],
    ['  a/b\\c: "d"?  ', 'a-b-c- -d-'],
    ['Grüße 字', 'Grüße 字'],
    ['../../etc/passwd', '-..-etc-passwd'],
    ['end. . ', 'end'],
    ['x'.repeat(300), 'x'.repeat(100)],
    ['', 'murmr 2026-11-21 13.02.03'],
    ['...', 'murmr 2026-11-21 13.02.03'],
  ])('of %j is %j', (name, wanted) => {
    expect(stem(name)).toBe(wanted);
  });

  it('without an endpoint says what it is', () => {
    expect(stem('', '')).toBe('recording 2026-11-21 13.02.03');
  });

  it.each([
    ['First try.voicewire.ndjson', 'First try'],
    ['First try.voicewire.ndjson.gz', 'First try'],
    ['app.example.har', 'app.example'],
    ['notes', 'notes'],
    ['.har', '.har'],
  ])('%j is a recording called %j', (file, wanted) => {
    expect(baseName(file)).toBe(wanted);
  });
});
