import { describe, expect, it } from 'vitest';
import { createFakeClock } from './fake-clock.test-helper.ts';
import { createKeys } from './keys.ts';
import { admit, keyIn, openAccounts } from './kugel/access.ts';
import { createTestEngine } from './test-engine.test-helper.ts';
import { createTestParts } from './vendor-parts.test-helper.ts';

const asked = (query: string, headers: Record<string, string> = {}) =>
  keyIn(new URL(`http://x/kugel/ws/tts/stream${query}`), headers);

describe('where a key may stand', () => {
  it.each<[string, string, string, Record<string, string>]>([
    ['query', 'k', '?api_key=k', {}],
    ['token', 'k', '?sdk=js&token=k', {}],
    ['master key', 'k', '?master_key=k&org_id=7', {}],
    ['an empty parameter does not hide another one', 'k', '?api_key=&token=k', {}],
    ['bearer', 'k', '', { authorization: 'Bearer k' }],
    ['bearer in any case', 'k', '', { authorization: 'bearer k' }],
    ['header', 'k', '', { 'x-api-key': 'k' }],
    ['query before headers', 'a', '?api_key=a', { authorization: 'Bearer b', 'x-api-key': 'c' }],
    ['an empty query does not hide a header', 'c', '?api_key=', { 'x-api-key': 'c' }],
    ['nowhere', '', '', {}],
    ['another scheme', '', '', { authorization: 'Basic k' }],
  ])('%s', (_, key, query, headers) => {
    expect(asked(query, headers)).toBe(key);
  });
});

describe('documented keys', () => {
  const parts = createTestParts(createTestEngine(), createFakeClock());
  const accounts = openAccounts({ ...parts, keys: createKeys({ keys: ['mine'], only: false }) });
  it.each([
    ['local', { account: { condition: 'works' } }],
    ['mine', { account: { condition: 'works' } }],
    ['local-limited', { account: { condition: 'limited' } }],
    ['local-unpriced', { account: { condition: 'unpriced' } }],
    ['', { refusal: { error: 'Unauthorized', error_code: 'UNAUTHORIZED', code: 401 } }],
    ['other', { refusal: { error: 'Invalid API key', error_code: 'UNAUTHORIZED', code: 401 } }],
    ['toString', { refusal: { error: 'Invalid API key', error_code: 'UNAUTHORIZED', code: 401 } }],
    [
      'local-no-credits',
      { refusal: { error: 'Insufficient credits', error_code: 'INSUFFICIENT_CREDITS', code: 402 } },
    ],
    [
      'local-rate-limited',
      { refusal: { error: 'Rate limit exceeded', error_code: 'RATE_LIMITED', code: 429 } },
    ],
    ['local-busy', { refusal: { error: 'Model unavailable', error_code: 'MODEL_UNAVAILABLE', code: 503 } }],
  ])('%j', (key, expected) => {
    expect(admit(key, accounts)).toMatchObject(expected);
  });
  it('an added key never changes what a listed one shows', () => {
    expect(createKeys({ keys: ['local-busy'], only: false }).conditionOf('local-busy')).toBe('busy');
  });

  it('only: replaces all of them', () => {
    const only = createKeys({ keys: ['mine'], only: true });
    expect(only.conditionOf('mine')).toBe('works');
    expect(only.conditionOf('local')).toBeNull();
    expect(only.conditionOf('local-unpriced')).toBeNull();
  });
});
