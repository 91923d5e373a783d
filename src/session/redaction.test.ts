import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redaction } from './redaction.ts';

const KEY = 'ka_Secret/+ "42" ü';

describe('Redaction', () => {
  const cases: [string, string, string][] = [
    ['as it is', `no such key: ${KEY}.`, 'no such key: [key].'],
    ['as an address writes it', `/ws?api_key=${encodeURIComponent(KEY)}&x=1`, '/ws?api_key=[key]&x=1'],
    [
      'in lower-case escapes',
      `k=${encodeURIComponent(KEY).replace(/%../g, (e) => e.toLowerCase())}`,
      'k=[key]',
    ],
    ['as JSON writes it', JSON.stringify({ error: KEY }), '{"error":"[key]"}'],
    ['every time', `${KEY} ${KEY}`, '[key] [key]'],
    ['nothing else', 'Voice not found', 'Voice not found'],
  ];
  it.each(cases)('replaces a key %s', (_, text, expected) => {
    expect(new Redaction(KEY).words(text)).toBe(expected);
    expect(new Redaction(KEY).frame(text)).toBe(expected);
  });

  it('leaves nothing of any key, whatever stands around it', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 8, unit: 'binary' }),
        fc.string(),
        fc.string(),
        (key, before, after) => {
          fc.pre(key.trim() !== '' && !'[key]'.includes(key));
          const text = before + key + after;
          // Any occurrence left over can only be made of what stood around the key.
          if (text.indexOf(key) === text.lastIndexOf(key)) {
            expect(new Redaction(key).words(text)).toBe(`${before}[key]${after}`);
          }
        },
      ),
    );
  });

  it('replaces a short key in sentences but not in frames, where it may be audio by chance', () => {
    const short = new Redaction('abc');
    expect(short.words('bad key abc')).toBe('bad key [key]');
    expect(short.frame('{"audio":"xabcx"}')).toBe('{"audio":"xabcx"}');
  });

  it('replaces nothing without a key', () => {
    expect(new Redaction('').words('anything')).toBe('anything');
  });

  it('leaves bytes alone', () => {
    const bytes = new Uint8Array([1, 2]);
    expect(new Redaction(KEY).frame(bytes)).toBe(bytes);
  });
});
