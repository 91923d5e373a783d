import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redaction } from './redaction.ts';

const KEY = 'ka_Secret/+ "42" ü';

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const textOf = (frame: unknown): string => new TextDecoder().decode(frame as Uint8Array);
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
const inForm = (text: string): string => new URLSearchParams({ x: text }).toString().slice(2);

/** Keys of 16 to 48 printable characters, without backslashes, which no vendor uses. The first one occurs once. */
const anyKey = fc
  .stringMatching(/^[!-[\]-~]{15,47}$/)
  .map((rest) => `~${rest.replaceAll(/[~"]/g, '-')}`)
  // What looks like an escape is read as one.
  .filter((key) => !/%[\da-f]{2}/i.test(key));

describe('a key', () => {
  it.each([
    ['as it is', `no such key: ${KEY}.`, 'no such key: [key].'],
    ['as an address writes it', `/ws?api_key=${encodeURIComponent(KEY)}&x=1`, '/ws?api_key=[key]&x=1'],
    [
      'in lower-case escapes',
      `k=${encodeURIComponent(KEY).replace(/%../g, (e) => e.toLowerCase())}`,
      'k=[key]',
    ],
    ['escaped in part', 'k=ka_Secret/+%20%2242%22 %c3%bc', 'k=[key]'],
    ['as a form writes it', `k=${inForm(KEY)}`, 'k=[key]'],
    ['as JSON writes it', JSON.stringify({ error: KEY }), '{"error":"[key]"}'],
    ['as JSON in JSON writes it', JSON.stringify(inJson(KEY)), '"[key]"'],
    ['as an address in JSON', JSON.stringify(`?k=${encodeURIComponent(KEY)}`), '"?k=[key]"'],
    ['every time', `${KEY} ${KEY}`, '[key] [key]'],
    ['cut off', `"no such key: ${KEY.slice(0, 17)}…"`, '"no such key: [key]…"'],
    ['in nothing else', 'Voice not found', 'Voice not found'],
  ])('is replaced %s', (_, text, expected) => {
    expect(new Redaction(KEY).words(text)).toBe(expected);
    expect(new Redaction(KEY).frame(text)).toBe(expected);
  });

  it('is removed from any surrounding text, and nothing else', () => {
    const words = fc.array(
      fc.constantFrom('one', 'ate', 'ü', '"', '[', '{', '\\n', '%c3', '\r\n', '&amp;', '😀'),
    );
    // A neighbour of the key would be part of an escape.
    const around = words.map((list) => `.${list.join('. ')}.`);
    fc.assert(
      fc.property(anyKey, around, around, (key, before, after) => {
        const redaction = new Redaction(key);
        for (const form of [key, encodeURIComponent(key), inForm(key), inJson(key)]) {
          const text = before + form + after;
          for (const clean of [redaction.words(text), redaction.frame(text)]) {
            expect(clean).toBe(`${before}[key]${after}`);
          }
        }
      }),
    );
  });

  it.each([
    ['the ordinary alphabet', (bytes: Buffer) => bytes.toString('base64')],
    ['the alphabet of addresses', (bytes: Buffer) => bytes.toString('base64url')],
    ['an address', (bytes: Buffer) => encodeURIComponent(bytes.toString('base64'))],
  ])('leaves nothing of itself in base64 with %s, wherever it begins', (_, write) => {
    // Not ASCII, unlike the key.
    const around = fc.uint8Array({ min: 0x80, max: 0xff, maxLength: 120 });
    fc.assert(
      fc.property(anyKey, around, around, (key, before, after) => {
        const text = write(Buffer.concat([before, Buffer.from(key), after]));
        const clean = String(new Redaction(key).frame(text));
        expect(clean).toContain('[key]');
        for (const part of clean.split('[key]')) {
          const plain = decodeURIComponent(part.replace(/%$|%.$/, ''));
          for (const skipped of [0, 1, 2, 3]) {
            expect(Buffer.from(plain.slice(skipped), 'base64').includes(key)).toBe(false);
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  it.each([' ka_Secret1234', 'ka_Secret1234\n', '\tka_Secret1234 ', '"ka_Secret1234"'])(
    'that was pasted with blanks or quotes around it is replaced as a server repeats it: %j',
    (pasted) => {
      const redaction = new Redaction(pasted);
      expect(redaction.frame('{"error":"ka_Secret1234"}')).toBe('{"error":"[key]"}');
      expect(redaction.words(`/ws?x=${encodeURIComponent(pasted)}&y=1`)).not.toContain('Secret1234');
      expect(textOf(redaction.frame(bytesOf('=ka_Secret1234=')))).toBe(`=${'*'.repeat(13)}=`);
    },
  );

  it('that is short is replaced in sentences but not in frames, where it may be audio by chance', () => {
    const short = new Redaction('abc');
    expect(short.words('bad key abc')).toBe('bad key [key]');
    expect(short.frame('{"audio":"xabcx"}')).toBe('{"audio":"xabcx"}');
    expect(new Redaction('a').words('YWI= 61')).toBe('YWI= 61');
    expect(new Redaction('', ' ').words('any thing')).toBe('any thing');
  });

  it('that is the beginning of another is replaced with it', () => {
    const redaction = new Redaction('ka_12345678', 'ka_12345678_more');
    expect(redaction.frame('ka_12345678_more ka_12345678')).toBe('[key] [key]');
  });

  it('leaves JSON what it was', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[!-~]{16,48}$/), fc.string(), (written, before) => {
        const key = `~${written}~`;
        const text = JSON.stringify({ a: key, b: JSON.stringify({ c: key }), d: `${before} ${key}`, e: 1 });
        const clean = JSON.parse(String(new Redaction(key).frame(text)));
        expect(clean).toMatchObject({ a: '[key]', e: 1 });
        expect(JSON.parse(clean.b)).toEqual({ c: '[key]' });
        expect(clean.d.endsWith(' [key]')).toBe(true);
      }),
    );
  });

  it('is hidden in bytes, whose length stays', () => {
    const around = fc.uint8Array({ maxLength: 20 });
    const keys = fc.oneof(anyKey, fc.constant('~aß你😀é-aß你😀é'));
    fc.assert(
      fc.property(keys, around, around, (key, before, after) => {
        const frame = Uint8Array.from([...before, ...bytesOf(key), ...after]);
        const clean = new Redaction(key).frame(frame) as Uint8Array;
        expect(clean).toHaveLength(frame.length);
        expect(Buffer.from(clean).includes(key)).toBe(false);
        expect(clean.subarray(0, before.length)).toEqual(before);
        expect(clean.subarray(clean.length - after.length)).toEqual(after);
      }),
    );
  });
});

describe('what holds no key', () => {
  const sentence = fc.lorem({ mode: 'sentences', maxCount: 3 });
  const base64 = fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes).toString('base64'));
  const frame = fc.oneof(
    sentence,
    fc.json({ stringUnit: 'grapheme' }),
    base64.map((audio) => JSON.stringify({ audio, enc: 'pcm_s16le', idx: 3, sr: 24_000 })),
    fc.webUrl({ withQueryParameters: true }),
    fc.string({ unit: 'binary' }),
  );

  it('is the same text, and the same bytes', () => {
    fc.assert(
      fc.property(anyKey, frame, fc.uint8Array({ maxLength: 500 }), (key, text, bytes) => {
        const redaction = new Redaction(key);
        expect(redaction.frame(text)).toBe(text);
        expect(redaction.words(text)).toBe(text);
        const audio = new Uint8Array(bytes);
        expect(redaction.frame(audio)).toBe(audio);
      }),
      { numRuns: 500 },
    );
  });
});

// A search in quadratic time would run into the time limit of a test.
describe('a hostile text', () => {
  it.each(['\\', '%25', '"', '\r\n', 'a', '"a', '%c3', 'ka_Secret1234 ', 'ka%5FSecret1234 '])(
    'of a megabyte of %j is cleaned to its end',
    (part) => {
      const text = part.repeat(2 ** 20 / part.length);
      const long = part.repeat(8000 / part.length);
      const redaction = new Redaction(`b${long}`, `${long}b`, `${part.repeat(20)}b`, 'ka_Secret1234');
      const clean = String(redaction.frame(`${text}ka_Secret1234`));
      expect(clean.endsWith('[key]')).toBe(true);
      expect(clean).not.toContain('Secret');
      expect(redaction.frame(bytesOf(text))).toHaveLength(text.length);
    },
  );

  it('that repeats a long key is cleaned of all of it', () => {
    const key = 'ab'.repeat(2 ** 12);
    expect(new Redaction(key).words(`(${key.repeat(8)})`)).toBe(`(${'[key]'.repeat(8)})`);
    expect(new Redaction(key).frame(bytesOf(key))).toEqual(new Uint8Array(2 ** 13).fill(42));
  });
});
