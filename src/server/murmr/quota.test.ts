import { expect, it } from 'vitest';
import { createFakeClock } from '../fake-clock.test-helper.ts';
import { openMemoryState } from '../state/memory-state.ts';
import { Quota } from './quota.ts';

const JANUARY_MS = 31 * 24 * 60 * 60 * 1000;

it('7 counts the characters of each key until the first of the month', async () => {
  const clock = createFakeClock();
  const quota = new Quota(clock, openMemoryState().sums);
  const remaining = async (key: string) => (await quota.headersOf(key, 'works'))['X-RateLimit-Remaining'];
  quota.spend('mine', 1000);
  quota.spend('mine', 234);
  expect(await quota.headersOf('mine', 'works')).toEqual({
    'X-RateLimit-Limit': '10000000',
    'X-RateLimit-Remaining': '9998766',
    'X-RateLimit-Reset': '1970-02-01T00:00:00.000Z',
  });
  expect(await remaining('theirs')).toBe('10000000');
  await clock.advance(JANUARY_MS - 1);
  expect(await remaining('mine')).toBe('9998766');
  await clock.advance(1);
  expect(await quota.headersOf('mine', 'works')).toMatchObject({
    'X-RateLimit-Remaining': '10000000',
    'X-RateLimit-Reset': '1970-03-01T00:00:00.000Z',
  });
  quota.spend('mine', 10_000_001);
  expect(await remaining('mine')).toBe('0');
});
