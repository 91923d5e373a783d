import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redaction, withoutSecretFields } from './redaction.ts';

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
    ['escaped in part', `"ka\\u005fSecret\\u002F+ %2242\\" \\u00FC"`, '"[key]"'],
    ['in hex', Buffer.from(KEY).toString('hex').toUpperCase(), '[key]'],
    ['as JSON writes it', JSON.stringify({ error: KEY }), '{"error":"[key]"}'],
    ['every time', `${KEY} ${KEY}`, '[key] [key]'],
    ['nothing else', 'Voice not found', 'Voice not found'],
  ];
  it.each(cases)('replaces a key %s', (_, text, expected) => {
    expect(new Redaction(KEY).words(text)).toBe(expected);
    expect(new Redaction(KEY).frame(text)).toBe(expected);
  });

  it('removes every key from any surrounding text', () => {
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

  it.each([' ka_Secret1234', 'ka_Secret1234\n', '\tka_Secret1234 '])(
    'replaces a key that was pasted with blanks around it as a server repeats it: %j',
    (pasted) => {
      const redaction = new Redaction(pasted);
      expect(redaction.frame('{"error":"no such key: ka_Secret1234."}')).not.toContain('Secret1234');
      expect(redaction.words('(ka_Secret1234)')).toBe('([key])');
      expect(redaction.words(`/ws?x=${encodeURIComponent(pasted)}&y=1`)).toBe('/ws?x=[key]&y=1');
      const bytes = redaction.frame(new TextEncoder().encode('=ka_Secret1234='));
      expect(new TextDecoder().decode(bytes as Uint8Array)).toBe(`=${'*'.repeat(13)}=`);
    },
  );

  it('replaces a short key in sentences but not in frames, where it may be audio by chance', () => {
    const short = new Redaction('abc');
    expect(short.words('bad key abc')).toBe('bad key [key]');
    expect(short.frame('{"audio":"xabcx"}')).toBe('{"audio":"xabcx"}');
  });

  it('replaces nothing without a key', () => {
    expect(new Redaction('').words('anything')).toBe('anything');
  });

  it('leaves nothing of a key in base64, wherever it begins', () => {
    const around = fc.uint8Array({ maxLength: 12 });
    fc.assert(
      fc.property(
        fc.string({ minLength: 8, unit: 'grapheme' }),
        around,
        around,
        fc.constantFrom<BufferEncoding>('base64', 'base64url'),
        (key, before, after, encoding) => {
          // Blanks around a key are no part of it, and what is shorter is left in frames.
          fc.pre(key.trim().length >= 8);
          const clean = new Redaction(key).frame(
            Buffer.concat([before, Buffer.from(key), after]).toString(encoding),
          );
          expect(clean).toContain('[key]');
          const left = String(clean).split('[key]');
          expect(left.some((part) => Buffer.from(part, encoding).includes(key))).toBe(false);
        },
      ),
    );
  });

  it('hides a key in bytes and leaves what is around it', () => {
    const text = `ab${KEY}cd${KEY}`;
    const clean = new Redaction(KEY).frame(new TextEncoder().encode(text));
    const stars = '*'.repeat(new TextEncoder().encode(KEY).length);
    expect(new TextDecoder().decode(clean as Uint8Array)).toBe(`ab${stars}cd${stars}`);
  });

  it('does not take a part of other words for a form of a short key', () => {
    expect(new Redaction('a').words('YWI= 61')).toBe('YWI= 61');
  });

  it('leaves bytes alone', () => {
    const bytes = new Uint8Array([1, 2]);
    expect(new Redaction(KEY).frame(bytes)).toBe(bytes);
  });
});

describe('withoutSecretFields', () => {
  const long = 'A'.repeat(5000);

  it.each([
    ['a typed field, whatever its value', '{"token":{"a":1}}', true, '{"token":"[key]"}'],
    ['a typed field in a list', '{"x":[{"Authorization":["b"]}]}', true, '{"x":[{"Authorization":"[key]"}]}'],
    ['a typed field with an escaped name', '{"api\\u005fkey":"x"}', true, '{"api_key":"[key]"}'],
    ['a received field', '{"api_key":"x"}', false, '{"api_key":"[key]"}'],
    [
      'a field of a long frame',
      `{"audio":"${long}","api_key":"x"}`,
      false,
      `{"audio":"${long}","api_key":"[key]"}`,
    ],
    ['a long value', `{"api_key":"${long}"}`, false, '{"api_key":"[key]"}'],
    ['a query in a long string', `{"text":"${long}?api_key=x"}`, false, `{"text":"${long}?api_key=[key]"}`],
  ])('hides %s', (_, text, typed, expected) => {
    expect(withoutSecretFields(text, typed)).toBe(expected);
  });

  it.each([
    ['a model token that was received', '{"token":"Hel"}', false],
    ['layout of what has no secret', '{ "text" : "token" }', true],
    ['no secret at all', '{"token":null,"key":"","auth":false}', true],
    ['what is no JSON', '{"token":', true],
    ['audio', `{"audio":"${long}"}`, false],
  ])('leaves %s alone', (_, text, typed) => {
    expect(withoutSecretFields(text, typed)).toBe(text);
  });

  it('takes deep and strange JSON in its stride', () => {
    const depth = 10_000;
    const deep = `${'{"a":'.repeat(depth)}{"token":"secret-value"}${'}'.repeat(depth)}`;
    expect(withoutSecretFields(deep, true)).not.toContain('secret-value');
    const proto = '{"__proto__":{"token":"secret-value"}}';
    expect(withoutSecretFields(proto, true)).toBe('{"__proto__":{"token":"[key]"}}');
  });
});
