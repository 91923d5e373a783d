import { expect, test } from 'vitest';
import type { Usage } from '#protocol/core/speech-event.ts';
import { turnView } from '#session/testing/views.ts';
import type { ContextView } from '#session/views.ts';
import { chargeOf } from './charge.ts';

const usage = (costCents: number | null, audioSeconds = 1): Usage => ({
  audioSeconds,
  characters: 10,
  costCents,
  currency: 'eur',
  modelId: 'm',
});

const context = (billed: Usage | null, unknownCosts = 0): ContextView => ({
  id: 'speaker',
  state: 'closed',
  sinceMs: 0,
  idleAtMs: null,
  keepAlives: 0,
  billed,
  unbilledSeconds: 0,
  unknownCosts,
});

test('turns that were told their charge add up', () => {
  const turns = [turnView({ usage: usage(2) }), turnView({ id: 2, usage: usage(3) })];
  expect(chargeOf(turns, [], [])).toEqual({ ...usage(5, 2), characters: 20 });
});

test('of a context it is what its bill grew by', () => {
  const turn = turnView({ usage: 'withContext' });
  expect(chargeOf([turn], [context(usage(4, 2))], [context(usage(7, 5))])?.costCents).toBe(3);
  expect(chargeOf([turn], [], [context(usage(7))])?.costCents).toBe(7);
});

test('a cost that one part does not know is unknown for all', () => {
  expect(
    chargeOf([turnView({ usage: usage(2) }), turnView({ usage: usage(null) })], [], [])?.costCents,
  ).toBeNull();
  expect(chargeOf([], [context(usage(4))], [context(usage(4), 1)])?.costCents).toBeNull();
});

test('charges in two currencies make no sum', () => {
  const turns = [turnView({ usage: usage(2) }), turnView({ id: 2, usage: { ...usage(3), currency: 'usd' } })];
  expect(chargeOf(turns, [], [])).toMatchObject({ costCents: null, audioSeconds: 2 });
});

test('where nobody said anything there is no charge', () => {
  expect(chargeOf([turnView({ usage: 'unreported' })], [], [])).toBeNull();
  expect(chargeOf([], [context(usage(4))], [context(usage(4))])).toBeNull();
});
