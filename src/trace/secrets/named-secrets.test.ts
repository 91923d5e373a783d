import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSecretName, namedSecrets, withoutNamedSecrets } from './named-secrets.ts';

describe('withoutNamedSecrets', () => {
  it.each([
    ['a query parameter', 'wss://h/p?api_key=abc&x=1', 'wss://h/p?api_key=[key]&x=1'],
    ['one at the end', 'see wss://h/p?x=1&token=a%20b', 'see wss://h/p?x=1&token=[key]'],
    [
      'a parameter behind an escaped ampersand',
      '{"url":"wss://h?x=1\\u0026api_key=abc\\u0026y=2","page":"/?x=1&amp;token=def&amp;y=2"}',
      '{"url":"wss://h?x=1\\u0026api_key=[key]\\u0026y=2","page":"/?x=1&amp;token=[key]&amp;y=2"}',
    ],
    ['a field', '{"api_key":"abc","text":"hi"}', '{"api_key":"[key]","text":"hi"}'],
    ['a field with blanks', '{ "API-Key" : "a b" }', '{ "API-Key" : "[key]" }'],
    ['a value with quotes', '{"api_key":"a\\"b","text":"hi"}', '{"api_key":"[key]","text":"hi"}'],
    ['a value that ends in a backslash', '{"api_key":"a\\\\","x":1}', '{"api_key":"[key]","x":1}'],
    ['JSON in JSON', '{"x":"{\\"api_key\\":\\"abc\\"}"}', '{"x":"{\\"api_key\\":\\"[key]\\"}"}'],
    ['a field that was cut off', '{"api_key":"abc', '{"api_key":"[key]'],
    ['a header in a sentence', 'Authorization: Bearer abc.def, sent', 'Authorization: Bearer [key], sent'],
    [
      'a header of REST',
      'curl -H "X-API-Key: abc" -H \'xi-api-key:def\'',
      'curl -H "X-API-Key: [key]" -H \'xi-api-key:[key]\'',
    ],
    [
      'a key among subprotocols',
      'Sec-WebSocket-Protocol: chat.v1, token, abc\nsec-websocket-protocol:bearer,ka_9f8',
      'Sec-WebSocket-Protocol: chat.v1, token, [key]\nsec-websocket-protocol:bearer,[key]',
    ],
    [
      'a key in a private subprotocol',
      'Sec-WebSocket-Protocol: voicewire, voicewire.key.abcd, voicewire.key.c2tfNw',
      'Sec-WebSocket-Protocol: voicewire, voicewire.key.[key], voicewire.key.[key]',
    ],
    [
      'a single-use token',
      '{"token":"sutkn_ab"} {\\"token\\":\\"sutkn_c\\"}',
      '{"token":"[key]"} {\\"token\\":\\"[key]\\"}',
    ],
    [
      'a JWT that a call has made',
      '{"token":"eyJhbGciOiJ9.eyJleHAiOjF9.a-_b","text":"x"} {\\"token\\":\\"eyJh.eyJl.c\\"}',
      '{"token":"[key]","text":"x"} {\\"token\\":\\"[key]\\"}',
    ],
    ['a header as a field', '{"Authorization":"Bearer abc"}', '{"Authorization":"[key]"}'],
  ])('replaces %s', (_, text, expected) => {
    expect(withoutNamedSecrets(text)).toBe(expected);
    expect(withoutNamedSecrets(expected)).toBe(expected);
  });

  const VENDORS =
    'master_key access_token xi-api-key xi_api_key single_use_token singleUseToken authorization x-api-key x_api_key api_key';

  it.each([...VENDORS.split(' '), 'token'])('replaces %s in a query', (name) => {
    for (const value of ['abc', 'Bearer%20abc'])
      expect(withoutNamedSecrets(`wss://h?${name}=${value}&x=1`)).toBe(`wss://h?${name}=[key]&x=1`);
  });

  it.each(VENDORS.split(' '))('replaces %s as a field', (name) => {
    const field = (value: string) => JSON.stringify({ [name]: value, x: 1 });
    expect(withoutNamedSecrets(field('abc'))).toBe(field('[key]'));
  });

  it.each([
    'api_key: expected a string, got a number',
    'None of the authentication methods (xi-api-key, authorization header, single-use token) were found.',
    '{"text":"The api key is a word"}',
    '{"token":"Hel"}',
    '{"audio":"AAAA"}',
    '?voice=key',
    'sec-websocket-protocol: graphql-transport-ws, openai-beta.realtime-v1, chat2',
    '',
  ])('leaves %j alone', (text) => {
    expect(withoutNamedSecrets(text)).toBe(text);
  });

  it('keeps JSON what it was, but for the secret', () => {
    const value = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(value, value, (secret, text) => {
        const clean = withoutNamedSecrets(JSON.stringify({ api_key: secret, x: [1] }));
        expect(JSON.parse(clean)).toEqual({ api_key: secret === '' ? '' : '[key]', x: [1] });
        const other = JSON.stringify({ text });
        expect(typeof JSON.parse(withoutNamedSecrets(other))).toBe('object');
      }),
    );
  });

  it('takes hostile lengths in its stride', () => {
    const long = 2 ** 19;
    for (const text of [
      '\\'.repeat(long),
      '"api_key":"'.repeat(long / 8),
      '"'.repeat(long),
      '?key='.repeat(long / 8),
      '?key=a '.repeat(long / 8),
      '"token":"eyJ'.repeat(long / 8),
      `"api_key"${' '.repeat(16)}`.repeat(long / 8),
      'authorization: '.repeat(long / 8),
      'sec-websocket-protocol: token, '.repeat(long / 8),
      'sec-websocket-protocol:'.repeat(long / 8),
    ]) {
      expect(withoutNamedSecrets(text).length).toBeGreaterThan(0);
    }
    expect(withoutNamedSecrets(`{"api_key":"${'x'.repeat(2 ** 22)}"}`)).toBe('{"api_key":"[key]"}');
  });
});

it('namedSecrets returns the values behind the names, without marks', () => {
  expect(namedSecrets('?api_key=abc {"access_token":"def"} {"api_key":"[key]"}')).toEqual(['abc', 'def']);
  expect(namedSecrets('{"api_key":"a\\"b\\u0063"} ?key=d%2Fe&key=%')).toEqual([
    'a\\"b\\u0063',
    'a"bc',
    'd%2Fe',
    'd/e',
    '%',
  ]);
  expect(namedSecrets('sec-websocket-protocol: voicewire, voicewire.key.c2tfNw')).toEqual(['c2tfNw', 'sk_7']);
  expect(namedSecrets('?authorization=Bearer%20abc {"Authorization":"Token def"}')).toEqual(['abc', 'def']);
});

it.each([
  ['api_key', true],
  ['X-API-Key', true],
  ['access_token', true],
  ['xi_api_key', true],
  ['xi-api-key', true],
  ['single_use_token', true],
  ['master_key', true],
  ['voice_id', false],
  ['max_new_tokens', false],
])('a field named %s carries a secret: %s', (name, expected) => {
  expect(isSecretName(name)).toBe(expected);
});
