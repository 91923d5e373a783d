import { expect, it } from 'vitest';
import { createFakeClock } from '../fake-clock.test-helper.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { createTestParts } from '../vendor-parts.test-helper.ts';
import { type KeyAccount, KeyAccounts } from './key-accounts.ts';

const JANUARY_MS = 31 * 24 * 60 * 60 * 1000;

it('counts what each key uses until the first of the month', async () => {
  const clock = createFakeClock();
  const refusals = { noCredits: '', rateLimited: '', busy: '' };
  const accounts = new KeyAccounts('any', createTestParts(createTestEngine(), clock), {
    refusals,
    places: {},
  });
  const account = (name: string): KeyAccount => ({ name, condition: 'works', isShared: false });
  accounts.use(account('mine'), 1000);
  accounts.use(account('mine'), 234);
  expect([await accounts.used(account('mine')), await accounts.used(account('theirs'))]).toEqual([1234, 0]);
  await clock.advance(JANUARY_MS - 1);
  expect(await accounts.used(account('mine'))).toBe(1234);
  expect(new Date(accounts.resetMs).toISOString()).toBe('1970-02-01T00:00:00.000Z');
  await clock.advance(1);
  expect(await accounts.used(account('mine'))).toBe(0);
  expect(new Date(accounts.resetMs).toISOString()).toBe('1970-03-01T00:00:00.000Z');
});
