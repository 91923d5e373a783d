import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodedText } from './decoded-text.ts';
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
          // It would be part of an escape.
          fc.pre(!before.endsWith('\\'));
          // The key without its escapes is a form of it, too.
          const decoded = decodedText(key)?.text.toLowerCase() ?? '';
          fc.pre(decoded.length < 8 || ![before, after].some((text) => text.toLowerCase().includes(decoded)));
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
      expect(redaction.words(`/ws?x=${encodeURIComponent(pasted)}&y=1`)).toMatch(
        /^\/ws\?x=\[key\](%0A)?&y=1$/,
      );
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

  it('replaces what is too long for a key', () => {
    const text = 'ab'.repeat(2 ** 15);
    const redaction = new Redaction(text);
    expect(redaction.words(`(${text})`)).toBe('([key])');
    expect(redaction.frame(new TextEncoder().encode(text))).toEqual(new Uint8Array(2 ** 16).fill(42));
  });

  it('leaves bytes alone', () => {
    const bytes = new Uint8Array([1, 2]);
    expect(new Redaction(KEY).frame(bytes)).toBe(bytes);
  });
});

/** Printable ASCII without blanks, as in headers, and without backslashes, which no vendor uses. */
const anyKey = fc
  .stringMatching(/^[!-[\]-~]{16,48}$/)
  // The end of such a key, with the bracket of these tests, would also be the beginning of a split one.
  .filter((key) => !`${key})`.includes(key.slice(0, 8), 1))
  // What looks like an escape is read as one.
  .filter((key) => !/%[\da-f]{2}|&#?\w+[;}]/i.test(key));
/** Without what JSON escapes, so that a part of the key is a part of the frame. */
const plainKey = fc.stringMatching(/^[\w.~+/=-]{16,48}$/);

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
    ['codes of JavaScript', (key) => eachCharacter(key, (code) => `\\x${hexOf(code)}`)],
    ['codes of JavaScript in braces', (key) => eachCharacter(key, (code) => `\\u{${hexOf(code)}}`)],
    ['decimal codes of HTML', (key) => eachCharacter(key, (code) => `&#${code};`)],
    ['hexadecimal codes of HTML', (key) => eachCharacter(key, (code) => `&#x${hexOf(code)};`)],
    ['names of HTML', (key) => key.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')],
    ['names of HTML in JSON', (key) => inJson(key.replace(/[&<>"']/g, (each) => ENTITIES[each] ?? ''))],
    ['lines', (key) => `${key.slice(0, 9)}\r\n${key.slice(9)}`],
    ['hex', (key) => Buffer.from(key).toString('hex').toUpperCase()],
  ];
  const ENTITIES: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&apos;',
  };

  it.each(forms)('is replaced: %s', (_, encode) => {
    fc.assert(
      fc.property(anyKey, (key) => {
        const redaction = new Redaction(key);
        expect(redaction.frame(`(${encode(key)})`)).toBe('([key])');
        expect(redaction.words(`(${encode(key)})`)).toBe('([key])');
      }),
    );
  });

  it.each([
    ['CRLF', (text: string) => inLines(text, '\r\n')],
    ['LF', (text: string) => inLines(text, '\n')],
    ['CRLF in JSON', (text: string) => inJson(inLines(text, '\r\n'))],
    ['LF in JSON in JSON', (text: string) => inJson(inJson(inLines(text, '\n')))],
    ['an address', encodeURIComponent],
  ])('is replaced: base64 with %s', (_, write) => {
    const around = fc.string({ unit: 'grapheme-ascii', minLength: 60, maxLength: 120 });
    fc.assert(
      fc.property(anyKey, around, around, (key, before, after) => {
        fc.pre(!before.includes(key) && !after.includes(key));
        const clean = new Redaction(key).frame(write(Buffer.from(before + key + after).toString('base64')));
        expect(clean).toContain('[key]');
        for (const part of String(clean).split('[key]')) {
          const plain = decodeURIComponent(part.replace(/%$|%.$/, '')).replace(/\\+[nr]|\s/g, '');
          for (const skipped of [0, 1, 2, 3]) {
            expect(Buffer.from(plain.slice(skipped), 'base64').includes(key)).toBe(false);
          }
        }
      }),
    );
  });

  /** Quotes and backslashes at the edges of a key may be those of JSON, so they stay. */
  const markedInJson = (key: string): string => {
    const [before = ''] = /^(?:\\*")+/.exec(key) ?? [];
    const [behind = ''] = /["\\]+$/.exec(key) ?? [];
    return `${before}[key]${behind}`;
  };
  const quotes = fc.stringMatching(/^["\\]{0,3}$/);
  const quotedKey = fc
    .tuple(quotes, fc.stringMatching(/^[!-~]{16,48}$/), quotes)
    .map((parts) => parts.join(''));

  it('leaves JSON what it was', () => {
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
    expect(JSON.parse(String(new Redaction('nice-key-1').frame('{"a":"\\nice-key-1"}')))).toEqual({
      a: '[key]',
    });
  });

  it('is replaced as often as a large frame repeats it', () => {
    for (const [repeated, replaced] of [
      ['ka_Secret1234 ', '[key] '],
      ['ka%5FSecret1234 ', '[key] '],
      ['"ka_Secret"', '"[key]"'],
    ] as const) {
      const clean = new Redaction('ka_Secret1234').frame(repeated.repeat(200_000));
      expect(clean === replaced.repeat(200_000)).toBe(true);
    }
    const bytes = new TextEncoder().encode('ka_Secret1234'.repeat(200_000));
    const clean = new Redaction('ka_Secret1234').frame(bytes) as Uint8Array;
    expect(clean.every((byte) => byte === 0x2a)).toBe(true);
  });

  it.each<[string, (key: string) => Buffer]>([
    ['UTF-8', (key) => Buffer.from(key)],
    ['UTF-8 in upper case', (key) => Buffer.from(key.toUpperCase())],
    ['UTF-16, little endian', (key) => Buffer.from(key, 'utf16le')],
    ['UTF-16, big endian', (key) => Buffer.from(key, 'utf16le').swap16()],
    ['UTF-16 in lower case', (key) => Buffer.from(key.toLowerCase(), 'utf16le')],
  ])('is hidden in bytes of %s', (name, encode) => {
    const around = fc.uint8Array({ maxLength: 20 });
    const unicodeKey = fc
      .string({ unit: 'grapheme-composite', minLength: 16 })
      .filter((key) => key === key.trim());
    fc.assert(
      fc.property(fc.oneof(anyKey, unicodeKey), around, around, (key, before, after) => {
        fc.pre(/^[\0-\x7f]*$/.test(key) || !name.includes('case'));
        // Seven characters of its beginning and one of `after` are hidden, because they may continue in the next frame.
        const low = key.toLowerCase();
        fc.pre(!low.includes(low.slice(0, 7), 1));
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
  /** A key and the places where it is cut. */
  const cutKey = plainKey.chain((key) =>
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
    expect(shown.filter((text) => text === '[key]')).toHaveLength(
      shown.filter((text, i) => text !== parts[i]).length,
    );
  }

  it('is hidden in strings of JSON, but for at most its first 7 characters', () => {
    fc.assert(
      fc.property(cutKey, ({ key, parts }) => {
        const clean = new Redaction(key).stream();
        const frames = parts.map((text) => JSON.parse(String(clean(JSON.stringify({ type: 'text', text })))));
        expectHidden(
          parts,
          frames.map(({ text }) => text),
        );
      }),
    );
  });

  it('is hidden in texts, also beside others and percent-encoded', () => {
    fc.assert(
      fc.property(cutKey, ({ key, parts }) => {
        const clean = new Redaction(key).stream();
        const shown = parts.map((part, i) => {
          const text = String(clean(i === 0 ? `It is ${percent(part)}` : percent(part))).replace(
            'It is ',
            '',
          );
          return text === percent(part) ? part : text;
        });
        expectHidden(parts, shown);
      }),
    );
  });

  it('is hidden in bytes', () => {
    fc.assert(
      fc.property(cutKey, fc.uint8Array({ maxLength: 200 }), ({ key, parts }, around) => {
        const clean = new Redaction(key).stream();
        const frames = parts.map((part, i) => {
          const bytes = Buffer.from(part);
          const before = i === 0 ? around : [];
          const frame = Uint8Array.from([...before, ...bytes, ...(i === parts.length - 1 ? around : [])]);
          return Buffer.from(clean(frame) as Uint8Array).subarray(
            before.length,
            before.length + bytes.length,
          );
        });
        const visible = Buffer.concat(frames).toString().replace(/\*+$/, '');
        expect(visible.length).toBeLessThan(8);
        expect(key.startsWith(visible)).toBe(true);
      }),
      // The slash before the key makes a longer beginning, which does not continue.
      { examples: [[{ key: '//ka_Secret12345', parts: ['/', '/ka_Secret12345'] }, Uint8Array.of(0x2f)]] },
    );
  });

  it('is hidden where a text breaks off', () => {
    const redaction = new Redaction('ka_Secret1234567');
    expect(redaction.words('No such key: ka_Secret12')).toBe('No such key: [key]');
    expect(redaction.frame('{"error":"ka_Secret12","code":4}')).toBe('{"error":"[key]","code":4}');
  });

  it('is not sought in what does not follow', () => {
    const clean = new Redaction('ka_Secret1234567').stream();
    expect(clean('{"text":"ka_"}')).toBe('{"text":"ka_"}');
    expect(clean('{"text":"other"}')).toBe('{"text":"other"}');
    expect(clean('{"text":"Secret1234567"}')).toBe('{"text":"Secret1234567"}');
  });

  it('is not sought in other fields', () => {
    const clean = new Redaction('ka_Secret1234t').stream();
    expect(clean('{"type":"say","text":"ka_Secret1234"}')).toBe('{"type":"say","text":"[key]"}');
    expect(clean('{"type":"say","text":"t is it"}')).toBe('{"type":"say","text":"[key] is it"}');
  });

  it('is found in text frames with bytes between them', () => {
    const clean = new Redaction('ka_Secret1234567').stream();
    clean('{"text":"ka_Sec"}');
    clean(new Uint8Array([1, 2]));
    expect(clean('{"text":"ret1234567."}')).toBe('{"text":"[key]."}');
  });
});

describe('what holds no key', () => {
  const sentence = fc.lorem({ mode: 'sentences', maxCount: 3 });
  const word = fc.oneof(fc.lorem({ maxCount: 1 }), fc.string({ unit: 'grapheme', maxLength: 12 }));
  const frame = fc.oneof(
    sentence,
    fc.record({ text: fc.oneof(sentence, word), flush: fc.boolean() }).map((value) => JSON.stringify(value)),
    fc.json({ stringUnit: 'grapheme' }),
    fc.uint8Array({ maxLength: 2000 }).map((bytes) =>
      JSON.stringify({
        audio: Buffer.from(bytes).toString('base64'),
        enc: 'pcm_s16le',
        idx: 3,
        sr: 24_000,
      }),
    ),
    fc.webUrl({ withQueryParameters: true }),
    fc.string({ unit: 'binary' }),
  );

  it('is the same text, frame by frame', () => {
    const inARow = fc.array(frame, { minLength: 10, maxLength: 10 });
    fc.assert(
      fc.property(anyKey, inARow, (key, texts) => {
        // Both may have the same known name, such as `__defineSetter__`.
        fc.pre(!texts.some((text) => text.includes(key.slice(0, 8))));
        const redaction = new Redaction(key);
        const clean = redaction.stream();
        expect(texts.map(clean)).toEqual(texts);
        expect(texts.map((text) => redaction.words(text))).toEqual(texts);
      }),
      { numRuns: 1000 },
    );
  });

  it('is the same bytes', () => {
    fc.assert(
      fc.property(anyKey, fc.uint8Array({ maxLength: 500 }), (key, bytes) => {
        const audio = new Uint8Array(bytes);
        expect(new Redaction(key).frame(audio)).toBe(audio);
      }),
      { numRuns: 10_000 },
    );
  });

  it.each(['\\', '%25', '"', '&#', '&amp;', '\r\n', '\\u00', 'a', '"a', '%c3'])(
    'takes long and strange text in its stride: %s',
    (part) => {
      const clean = new Redaction('a'.repeat(1024), `${part.repeat(20)}b`).stream();
      const text = part.repeat(2 ** 19 / part.length);
      for (let i = 0; i < 3; i += 1) expect(String(clean(text)).length).toBeGreaterThan(0);
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
