import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Redaction, withoutSecretFields } from './redaction.ts';

const KEY = 'ka_Secret/+ "42" ü';

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const textOf = (frame: unknown): string => new TextDecoder().decode(frame as Uint8Array);

describe('Redaction', () => {
  const lowerEscapes = (text: string): string =>
    encodeURIComponent(text).replace(/%../g, (e) => e.toLowerCase());

  it.each([
    ['as it is', `no such key: ${KEY}.`, 'no such key: [key].'],
    ['as an address writes it', `/ws?api_key=${encodeURIComponent(KEY)}&x=1`, '/ws?api_key=[key]&x=1'],
    ['in lower-case escapes', `k=${lowerEscapes(KEY)}`, 'k=[key]'],
    ['escaped in part', `"ka\\u005fSecret\\u002F+ %2242\\" \\u00FC"`, '"[key]"'],
    ['in hex', Buffer.from(KEY).toString('hex').toUpperCase(), '[key]'],
    ['as JSON writes it', JSON.stringify({ error: KEY }), '{"error":"[key]"}'],
    ['every time', `${KEY} ${KEY}`, '[key] [key]'],
    ['nothing else', 'Voice not found', 'Voice not found'],
  ])('replaces a key %s', (_, text, expected) => {
    expect(new Redaction(KEY).words(text)).toBe(expected);
    expect(new Redaction(KEY).frame(text)).toBe(expected);
  });

  it.each([
    [2, 'x'],
    [8, '[key]'],
  ])('of %i secrets leaves the beginning of a long text as %j', (count, expected) => {
    const secrets = Array.from({ length: count }, (_, at) => `secret-${at}-of-many`);
    expect(new Redaction(...secrets).frame('x'.repeat(2 ** 20)).slice(0, expected.length)).toBe(expected);
  });

  it('removes any key from any surrounding text, and nothing else', () => {
    // The text has no letter of the ends of a key, so that it contains no beginning of one.
    const end = fc.constantFrom(...'kKgGzZ你');
    const anyKey = fc
      .tuple(end, fc.string({ minLength: 6, unit: 'binary' }), end)
      .map((parts) => parts.join(''));
    // It has no run that is long enough for a key in base64.
    const words = fc.array(
      fc.constantFrom('one', 'ate', 'ü', '"', '[', '{', '\\n', '%c3', '\r\n', '&amp;', '😀'),
    );
    // A neighbour of the key would be part of an escape.
    const around = words.map((list) => `.${list.join('. ')}.`);
    fc.assert(
      fc.property(anyKey, around, around, (key, before, after) => {
        const redaction = new Redaction(key);
        const text = before + key + after;
        for (const clean of [redaction.words(text), redaction.frame(text)]) {
          expect(clean).toBe(`${before}[key]${after}`);
        }
      }),
    );
  });

  it.each([' ka_Secret1234', 'ka_Secret1234\n', '\tka_Secret1234 '])(
    'replaces a key that was pasted with blanks around it as a server repeats it: %j',
    (pasted) => {
      const redaction = new Redaction(pasted);
      expect(redaction.frame('{"error":"no such key: ka_Secret1234."}')).not.toContain('Secret1234');
      expect(redaction.words('(ka_Secret1234)')).toBe('([key])');
      const address = redaction.words(`/ws?x=${encodeURIComponent(pasted)}&y=1`);
      expect(address).toMatch(/^\/ws\?x=\[key\](%0A)?&y=1$/);
      expect(textOf(redaction.frame(bytesOf('=ka_Secret1234=')))).toBe(`=${'*'.repeat(13)}=`);
    },
  );

  it('replaces a short key in sentences but not in frames, where it may be audio by chance', () => {
    const short = new Redaction('abc');
    expect(short.words('bad key abc')).toBe('bad key [key]');
    expect(short.frame('{"audio":"xabcx"}')).toBe('{"audio":"xabcx"}');
    expect(new Redaction('a').words('YWI= 61')).toBe('YWI= 61');
  });

  it('replaces nothing without a key', () => {
    expect(new Redaction('').words('anything')).toBe('anything');
  });

  it('hides a key in bytes, and returns bytes without one as they are', () => {
    const clean = new Redaction(KEY).frame(bytesOf(`ab${KEY}cd${KEY}`));
    const stars = '*'.repeat(bytesOf(KEY).length);
    expect(textOf(clean)).toBe(`ab${stars}cd${stars}`);
    const bytes = new Uint8Array([1, 2]);
    expect(new Redaction(KEY).frame(bytes)).toBe(bytes);
  });

  it('replaces what is too long for a key', () => {
    const text = 'ab'.repeat(2 ** 15);
    const redaction = new Redaction(text);
    expect(redaction.words(`(${text})`)).toBe('([key])');
    expect(redaction.frame(bytesOf(text))).toEqual(new Uint8Array(2 ** 16).fill(42));
  });
});

/** Printable ASCII without blanks, as in headers, and without backslashes, which no vendor uses. */
const PRINTABLE = Array.from({ length: 94 }, (_, at) => String.fromCharCode(0x21 + at)).filter(
  (each) => each !== '\\',
);

/** Keys of 16 to 48 characters. The first one occurs once, so that no beginning of the key occurs within it. */
const anyKey = fc
  .tuple(
    fc.constantFrom(...'~/b"K0'),
    fc.array(fc.constantFrom(...PRINTABLE), { minLength: 15, maxLength: 47 }),
  )
  .map(
    ([first, rest]) =>
      first +
      rest
        .filter((each) => each.toLowerCase() !== first.toLowerCase())
        .join('')
        .padEnd(15, '-'),
  )
  // What looks like an escape is read as one.
  .filter((key) => !/%[\da-f]{2}|&#?\w+[;}]/i.test(key));

const eachCharacter = (text: string, write: (code: number) => string): string =>
  Array.from(text, (character) => write(character.charCodeAt(0))).join('');
const hexOf = (code: number): string => code.toString(16).padStart(2, '0');
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
const percent = (text: string): string => eachCharacter(text, (code) => `%${hexOf(code)}`);
const inLines = (text: string, end: string): string => text.replace(/.{76}/g, `$&${end}`);

describe('a key in another form', () => {
  const forms: [string, (key: string) => string][] = [
    ['lower case', (key) => key.toLowerCase()],
    ['upper case', (key) => key.toUpperCase()],
    ['percent-encoding', encodeURIComponent],
    ['percent-encoding twice', (key) => encodeURIComponent(encodeURIComponent(key))],
    ['percent-encoding of every character, twice', (key) => encodeURIComponent(percent(key))],
    ['percent-encoding in lower case', (key) => percent(key.toLowerCase())],
    ['JSON', inJson],
    ['JSON in JSON', (key) => inJson(inJson(key))],
    ['an address in JSON', (key) => inJson(`${encodeURIComponent(key)}"`).slice(0, -2)],
    ['codes of JSON', (key) => eachCharacter(key, (code) => `\\u00${hexOf(code)}`)],
    ['codes of JSON in JSON', (key) => inJson(eachCharacter(key, (code) => `\\u00${hexOf(code)}`))],
    ['codes of Python', (key) => eachCharacter(key, (code) => `\\x${hexOf(code)}`)],
    ['lines', (key) => `${key.slice(0, 9)}\r\n${key.slice(9)}`],
    ['hex', (key) => Buffer.from(key).toString('hex').toUpperCase()],
  ];
  it.each(forms)('is replaced: %s', (_, encode) => {
    fc.assert(
      fc.property(anyKey, (key) => {
        const redaction = new Redaction(key);
        expect(redaction.frame(`(${encode(key)})`)).toBe('([key])');
        expect(redaction.words(`(${encode(key)})`)).toBe('([key])');
      }),
      { numRuns: 50 },
    );
  });

  const base64: [string, (bytes: Buffer) => string][] = [
    ['the ordinary alphabet', (bytes) => bytes.toString('base64')],
    ['the alphabet of addresses', (bytes) => bytes.toString('base64url')],
    ['CRLF', (bytes) => inLines(bytes.toString('base64'), '\r\n')],
    ['LF', (bytes) => inLines(bytes.toString('base64'), '\n')],
    ['CRLF in JSON', (bytes) => inJson(inLines(bytes.toString('base64'), '\r\n'))],
    ['LF in JSON in JSON', (bytes) => inJson(inJson(inLines(bytes.toString('base64'), '\n')))],
    ['an address', (bytes) => encodeURIComponent(bytes.toString('base64'))],
  ];
  it.each(base64)('leaves nothing of itself in base64 with %s, wherever it begins', (_, write) => {
    // Not ASCII, unlike the key. Lines break within the key, before and behind it.
    const around = fc.uint8Array({ min: 0x80, max: 0xff, maxLength: 120 });
    fc.assert(
      fc.property(anyKey, around, around, (key, before, after) => {
        const clean = String(
          new Redaction(key).frame(write(Buffer.concat([before, Buffer.from(key), after]))),
        );
        expect(clean).toContain('[key]');
        for (const part of clean.split('[key]')) {
          const plain = decodeURIComponent(part.replace(/%$|%.$/, '')).replace(/\\+[nr]|\s/g, '');
          for (const skipped of [0, 1, 2, 3]) {
            expect(Buffer.from(plain.slice(skipped), 'base64').includes(key)).toBe(false);
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  it('leaves JSON what it was', () => {
    const quotes = fc.stringMatching(/^["\\]{0,3}$/);
    const quotedKey = fc
      .tuple(quotes, fc.stringMatching(/^[!-~]{16,48}$/), quotes)
      .map((parts) => parts.join(''));
    /** Quotes and backslashes at the edges of a key may be those of JSON, so they stay. */
    const markedInJson = (key: string): string => {
      const [before = ''] = /^(?:\\*")+/.exec(key) ?? [];
      const [behind = ''] = /["\\]+$/.exec(key) ?? [];
      return `${before}[key]${behind}`;
    };
    fc.assert(
      fc.property(quotedKey, fc.string(), (key, before) => {
        const text = JSON.stringify({ a: key, b: JSON.stringify({ c: key }), d: `${before} ${key}`, e: 1 });
        const clean = JSON.parse(String(new Redaction(key).frame(text)));
        expect(clean).toMatchObject({ a: markedInJson(key), e: 1 });
        expect(JSON.parse(clean.b)).toEqual({ c: markedInJson(key) });
        expect(clean.d.endsWith(` ${markedInJson(key)}`)).toBe(true);
      }),
    );
  });

  it.each(['"ka_secret1234"', '"ka_secret1234', 'ka_secret1234"', 'ka_secret1234\\', '\\"ka_secret1234\\"'])(
    'leaves JSON valid in which quotes and escapes beside its text are not its own: %s',
    (key) => {
      const inner = { b: 'ka_secret1234', ka_secret1234: ['ka_secret1234"more', 'ka_secret1234\nmore'] };
      const text = JSON.stringify({ a: JSON.stringify(inner), ...inner });
      const clean = JSON.parse(String(new Redaction(key).frame(text)));
      expect(Object.keys(clean)).toHaveLength(3);
      expect(Object.keys(JSON.parse(clean.a))).toHaveLength(2);
    },
  );

  it('leaves JSON with escaped slashes valid, also where a key begins with one', () => {
    const text = JSON.stringify({ a: 'to /Secret+12345', b: '\\/Secret+12345' }).replaceAll('/', '\\/');
    const clean = JSON.parse(String(new Redaction('/Secret+12345').frame(text)));
    expect(clean).toEqual({ a: 'to [key]', b: '\\[key]' });
    const escaped = new Redaction('nice-key-1').frame('{"a":"\\nice-key-1"}');
    expect(JSON.parse(String(escaped))).toEqual({ a: '[key]' });
  });

  it.each([
    ['ka_Secret1234 ', '[key] '],
    ['ka%5FSecret1234 ', '[key] '],
    ['"ka_Secret"', '"[key]"'],
  ])('is replaced as often as a large frame repeats it: %s', (repeated, replaced) => {
    const clean = new Redaction('ka_Secret1234').frame(repeated.repeat(50_000));
    expect(clean === replaced.repeat(50_000)).toBe(true);
  });

  it('is hidden as often as many bytes repeat it', () => {
    const clean = new Redaction('ka_Secret1234').frame(bytesOf('ka_Secret1234'.repeat(50_000))) as Uint8Array;
    expect(clean.every((byte) => byte === 0x2a)).toBe(true);
  });

  // The first letter occurs once in a key, also as a byte, so that no beginning of the key occurs within it.
  const unicodeKey = fc
    .string({ unit: fc.constantFrom(...'aß你😀é-'), minLength: 16 })
    .map((text) => `~${text}`);
  const letters = fc.string({ unit: fc.constantFrom(...'aBcdEF'), minLength: 16 }).map((text) => `Z${text}`);
  const asciiKey = fc.oneof(anyKey, letters);
  it.each<[string, fc.Arbitrary<string>, (key: string) => Buffer]>([
    ['UTF-8', fc.oneof(anyKey, unicodeKey), (key) => Buffer.from(key)],
    ['UTF-8 in upper case', asciiKey, (key) => Buffer.from(key.toUpperCase())],
  ])('is hidden in bytes of %s', (_, keys, encode) => {
    const around = fc.uint8Array({ maxLength: 20 });
    fc.assert(
      fc.property(keys, around, around, (key, before, after) => {
        const frame = Uint8Array.from([...before, ...encode(key), ...after]);
        const clean = new Redaction(key).frame(frame) as Uint8Array;
        expect(clean).toHaveLength(frame.length);
        expect(Buffer.from(clean).includes(encode(key))).toBe(false);
        expect(clean.subarray(0, before.length)).toEqual(before);
        expect(clean.subarray(clean.length - after.length)).toEqual(after);
      }),
    );
  });
});

describe('a key split over frames', () => {
  /** A key without what JSON escapes, so that a part of it is a part of the frame, and its parts. */
  const cutKey = fc.stringMatching(/^[\w.~+/=-]{16,48}$/).chain((key) =>
    fc
      .uniqueArray(fc.integer({ min: 1, max: key.length - 1 }), { minLength: 1, maxLength: 4 })
      .map((places) => [0, ...places.sort((a, b) => a - b), key.length])
      .map((places) => ({ key, parts: places.slice(1).map((to, i) => key.slice(places[i], to)) })),
  );
  /** Up to 7 characters may remain, where nothing tells them from ordinary text yet. */
  function expectHidden(parts: readonly string[], shown: readonly string[]): void {
    const visible = parts.filter((part, i) => shown[i] === part).join('');
    expect(visible.length).toBeLessThan(8);
    expect(parts.join('').startsWith(visible)).toBe(true);
    const changed = shown.filter((text, i) => text !== parts[i]);
    expect(changed).toEqual(changed.map(() => '[key]'));
  }

  it.each<[string, (part: string, isFirst: boolean) => string, (frame: string) => string]>([
    [
      'strings of JSON',
      (part) => JSON.stringify({ type: 'text', text: part }),
      (frame) => JSON.parse(frame).text,
    ],
    [
      'texts, also beside others and percent-encoded',
      (part, isFirst) => (isFirst ? `It is ${percent(part)}` : percent(part)),
      (frame) => decodeURIComponent(frame.replace('It is ', '')),
    ],
  ])('is hidden in %s, but for at most its first 7 characters', (_, write, read) => {
    fc.assert(
      fc.property(cutKey, ({ key, parts }) => {
        const clean = new Redaction(key).stream();
        expectHidden(
          parts,
          parts.map((part, i) => read(String(clean(write(part, i === 0))))),
        );
      }),
    );
  });

  it('is hidden in bytes', () => {
    fc.assert(
      fc.property(cutKey, fc.uint8Array({ maxLength: 200 }), ({ key, parts }, around) => {
        const clean = new Redaction(key).stream();
        const frames = parts.map((part, i) => {
          const before = i === 0 ? around : [];
          const after = i === parts.length - 1 ? around : [];
          const frame = clean(Uint8Array.from([...before, ...Buffer.from(part), ...after]));
          return Buffer.from(frame as Uint8Array).subarray(before.length, before.length + part.length);
        });
        const visible = Buffer.concat(frames).toString().replace(/\*+$/, '');
        expect(visible.length).toBeLessThan(8);
        expect(key.startsWith(visible)).toBe(true);
      }),
      // The slash before the key makes a longer beginning, which does not continue.
      { examples: [[{ key: '//ka_Secret12345', parts: ['/', '/ka_Secret12345'] }, Uint8Array.of(0x2f)]] },
    );
  });

  it.each<[string, [sent: string | Uint8Array<ArrayBuffer>, shown: string | null][]]>([
    [
      'is hidden where a text breaks off',
      [['{"error":"ka_Secret12","code":4}', '{"error":"[key]","code":4}']],
    ],
    [
      'is not sought in what does not follow',
      [
        ['{"text":"ka_"}', '{"text":"ka_"}'],
        ['{"text":"other"}', '{"text":"other"}'],
        ['{"text":"Secret1234567"}', '{"text":"Secret1234567"}'],
      ],
    ],
    [
      'is not sought in other fields',
      [
        ['{"type":"say","text":"ka_Secret123456"}', '{"type":"say","text":"[key]"}'],
        ['{"type":"say","text":"7 is it"}', '{"type":"say","text":"[key] is it"}'],
      ],
    ],
    [
      'is found in text frames with bytes between them',
      [
        ['{"text":"ka_Sec"}', null],
        [new Uint8Array([1, 2]), null],
        ['{"text":"ret1234567."}', '{"text":"[key]."}'],
      ],
    ],
  ])('%s', (_, frames) => {
    const clean = new Redaction('ka_Secret1234567').stream();
    for (const [sent, shown] of frames) {
      const frame = clean(sent);
      if (shown !== null) expect(frame).toBe(shown);
    }
    expect(new Redaction('ka_Secret1234567').words('No such key: ka_Secret12')).toBe('No such key: [key]');
  });
});

describe('what holds no key', () => {
  const sentence = fc.lorem({ mode: 'sentences', maxCount: 3 });
  const word = fc.oneof(fc.lorem({ maxCount: 1 }), fc.string({ unit: 'grapheme', maxLength: 12 }));
  const base64 = fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes).toString('base64'));
  const frame = fc.oneof(
    sentence,
    fc.record({ text: fc.oneof(sentence, word), flush: fc.boolean() }).map((value) => JSON.stringify(value)),
    fc.json({ stringUnit: 'grapheme' }),
    base64.map((audio) => JSON.stringify({ audio, enc: 'pcm_s16le', idx: 3, sr: 24_000 })),
    fc.webUrl({ withQueryParameters: true }),
    fc.string({ unit: 'binary' }),
  );

  it('is the same text, frame by frame', () => {
    const inARow = fc.array(frame, { minLength: 10, maxLength: 10 });
    fc.assert(
      fc.property(anyKey, inARow, (key, texts) => {
        const redaction = new Redaction(key);
        const clean = redaction.stream();
        expect(texts.map(clean)).toEqual(texts);
        expect(texts.map((text) => redaction.words(text))).toEqual(texts);
      }),
      { numRuns: 200 },
    );
  });

  it('is the same bytes', () => {
    fc.assert(
      fc.property(anyKey, fc.uint8Array({ maxLength: 500 }), (key, bytes) => {
        const audio = new Uint8Array(bytes);
        expect(new Redaction(key).frame(audio)).toBe(audio);
      }),
      { numRuns: 1000 },
    );
  });

  // A search in quadratic time would run into the time limit of a test.
  it.each(['\\', '%25', '"', '&#', '&amp;', '\r\n', '\\u00', 'a', '"a', '%c3'])(
    'is cleaned to its end, with 256 KiB of %j',
    (part) => {
      const clean = new Redaction('a'.repeat(1024), `${part.repeat(20)}b`).stream();
      const text = part.repeat(2 ** 18 / part.length);
      for (let i = 0; i < 2; i += 1) expect(String(clean(text)).length).toBeGreaterThan(0);
    },
  );
});

describe('withoutSecretFields', () => {
  const long = 'A'.repeat(5000);

  it.each([
    ['a typed field, whatever its value', '{"token":{"a":1}}', true, '{"token":"[key]"}'],
    ['a typed field in a list', '{"x":[{"Authorization":["b"]}]}', true, '{"x":[{"Authorization":"[key]"}]}'],
    ['a typed field with an escaped name', '{"api\\u005fkey":"x"}', true, '{"api_key":"[key]"}'],
    ['a received field', '{"api_key":"x"}', false, '{"api_key":"[key]"}'],
    ['a field of a long frame', `{"a":"${long}","api_key":"x"}`, false, `{"a":"${long}","api_key":"[key]"}`],
    ['a long value', `{"api_key":"${long}"}`, false, '{"api_key":"[key]"}'],
    ['a query in a long string', `{"a":"${long}?api_key=x"}`, false, `{"a":"${long}?api_key=[key]"}`],
    ['a field of the prototype', '{"__proto__":{"token":"x"}}', true, '{"__proto__":{"token":"[key]"}}'],
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

  it('hides a field at any depth', () => {
    const depth = 10_000;
    const deep = `${'{"a":'.repeat(depth)}{"token":"secret-value"}${'}'.repeat(depth)}`;
    expect(withoutSecretFields(deep, true)).not.toContain('secret-value');
  });
});

describe('the time of a hostile frame', () => {
  it('does not grow with the secrets that the frame before it began', () => {
    const pairs = '"a":"s",'.repeat(100_000);
    const secret = 'sk-canary-0123456789';
    const shortestMs = (before: string) => {
      const times = [1, 2, 3].map(() => {
        const clean = new Redaction(secret).stream();
        clean(before);
        const startMs = performance.now();
        clean(pairs);
        return performance.now() - startMs;
      });
      return Math.min(...times);
    };
    expect(shortestMs(pairs)).toBeLessThan(4 * shortestMs(''));
  });

  it('is not that of JSON where no field is named like a secret', () => {
    const parse = vi.spyOn(JSON, 'parse');
    onTestFinished(() => parse.mockRestore());
    expect(withoutSecretFields('{"a":[{},{}],"text":"a word"}', true)).toBe('{"a":[{},{}],"text":"a word"}');
    expect(parse).not.toHaveBeenCalled();
    expect(withoutSecretFields('{"a":[{"api\\u005fkey":5}]}', true)).toBe('{"a":[{"api_key":"[key]"}]}');
  });
});
