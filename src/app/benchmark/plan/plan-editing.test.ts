import { describe, expect, it } from 'vitest';
import { estimate, type Rates } from '#benchmark/estimate.ts';
import { checkPlan } from '#benchmark/read-plan.ts';
import type { Progress } from '#benchmark/run-plan.ts';
import { goodRun, PRICED, resultsOf, testPlan } from '#benchmark/testing/plans.ts';
import { PAGE_ENDPOINTS } from '#protocol/registry.ts';
import { pageSettings } from '../../stores/settings-store.ts';
import { estimateSentences, progressWords } from './estimate-words.ts';
import {
  changesFrom,
  currentConfiguration,
  firstPlan,
  freeName,
  withAllEndpoints,
  withCopy,
} from './plan-edits.ts';
import { lacksKey, planKey, planRunConfig } from './plan-target.ts';
import { ratesFrom } from './rates.ts';

const page = pageSettings.parse({});

describe('the plan to begin with', () => {
  it('can be started as it is, on every endpoint', () => {
    for (const { id } of PAGE_ENDPOINTS) {
      expect(checkPlan(firstPlan({ ...page, endpoint: id })).problems, id).toEqual([]);
    }
  });

  it('has the server of the studio, also one at an address of its own', () => {
    const custom = {
      ...page,
      servers: { 'kugel-stream': 'custom' },
      customBases: { 'kugel-stream': 'ws://127.0.0.1:9' },
    };
    expect(currentConfiguration(custom, ['Current'])).toMatchObject({
      name: 'Current 2',
      server: 'ws://127.0.0.1:9',
    });
  });
});

describe('editing', () => {
  it('inserts a copy behind its original, with a name of its own', () => {
    const plan = withCopy(withCopy(testPlan(), 0), 0);
    expect(plan.configurations.map(({ name }) => name)).toEqual(['A', 'A 3', 'A 2', 'B']);
    expect(checkPlan(plan).problems).toEqual([]);
  });

  it('adds every endpoint that is missing, on the same text, and each can be run', () => {
    const plan = withAllEndpoints(withCopy(firstPlan(page), 0), page);
    const [own, copy, ...added] = plan.configurations;
    expect(copy?.endpoint).toBe(own?.endpoint);
    const others = PAGE_ENDPOINTS.filter(({ id }) => id !== own?.endpoint);
    expect(added.map(({ name, endpoint }) => [name, endpoint])).toEqual(
      others.map(({ title, id }) => [title, id]),
    );
    expect(checkPlan(plan).problems).toEqual([]);
    for (const each of added) {
      expect(lacksKey(each, { keys: {} }), each.endpoint).toBe(false);
      expect(planRunConfig(each, { keys: {} }, 'http://x').base).toMatch(/^ws:/);
    }
    expect(withAllEndpoints(plan, page)).toEqual(plan);
  });

  it('names go on counting', () => {
    expect(freeName('Current 2', ['Current', 'Current 2'])).toBe('Current 3');
  });

  it('describes how a configuration differs from the first', () => {
    const [a, b] = testPlan().configurations;
    if (!a || !b) throw new Error('a plan of two');
    expect(changesFrom(a, b)).toBe('voice_id 1072');
    expect(changesFrom(a, { ...a, name: 'C' })).toBeNull();
    expect(
      changesFrom(a, {
        ...a,
        settings: {},
        server: 'eu',
        source: { kind: 'simulated', profile: 'fast', seed: 1 },
      }),
    ).toBe('eu, voice_id not sent, simulated model');
  });
});

describe('keys', () => {
  const [configuration] = testPlan().configurations;
  if (!configuration) throw new Error('a plan of two');
  const cloud = { ...configuration, server: 'cloud' };

  it('come from the field of the server, or from under the name that the plan gives', () => {
    expect(planKey(configuration, { keys: {} })).toBe('local');
    expect(planKey(cloud, { keys: { 'kugel-stream/cloud': 'one' } })).toBe('one');
    const named = { ...cloud, keyFrom: 'KEY_OF_TWO' };
    expect(planKey(named, { keys: { 'kugel-stream/cloud': 'one', 'plan/KEY_OF_TWO': 'two' } })).toBe('two');
  });

  it('are missed where one is needed', () => {
    expect(lacksKey(configuration, { keys: {} })).toBe(false);
    expect(lacksKey(cloud, { keys: {} })).toBe(true);
    expect(lacksKey({ ...configuration, keyFrom: 'KEY_OF_TWO' }, { keys: {} })).toBe(true);
  });

  it('a configuration becomes a session: address, key and the whole profile', () => {
    const simulated = { ...cloud, source: { kind: 'simulated', profile: 'bursty', seed: 3 } } as const;
    expect(
      planRunConfig(simulated, { keys: { 'kugel-stream/cloud': 'one' } }, 'http://127.0.0.1:4173'),
    ).toMatchObject({
      base: 'wss://api.kugelaudio.com',
      key: 'one',
      source: { kind: 'simulated', seed: 3, profile: { burst: { every: 2, size: 12 } } },
    });
    expect(planRunConfig(configuration, { keys: {} }, 'http://127.0.0.1:4173').base).toBe(
      'ws://127.0.0.1:4173/kugel',
    );
  });
});

describe('rates from earlier results', () => {
  const plan = testPlan({ runs: 5 });
  const [a] = plan.configurations;
  if (!a) throw new Error('a plan of two');

  it('is what earlier runs of the same kind were charged, and how fast they spoke', () => {
    const results = resultsOf(plan, () => 100);
    // Each run: 13 characters in 2 s for 0.2 cents.
    expect(ratesFrom([results])(a)).toEqual({
      charactersPerSecond: 6.5,
      price: { centsPerSecond: 0.1, currency: 'eur', basis: 'measured' },
      byPlan: false,
    });
    expect(ratesFrom([results])({ ...a, server: 'eu' }).price?.basis).toBe('published');
  });

  it('is a price in one currency where earlier runs were charged in two', () => {
    const results = resultsOf(plan, () => 100);
    const runs = results.runs.map((run, at) => (at < 6 ? run : { ...run, costCents: 9, currency: 'usd' }));
    const { price } = ratesFrom([{ ...results, runs }])(a);
    expect(price?.currency).toBe('eur');
    expect(price?.centsPerSecond).toBeCloseTo(0.1, 9);
  });

  it('is the published price where nothing was charged yet, and nothing where there is none', () => {
    const uncharged = resultsOf(plan, () => 100);
    const free = {
      ...uncharged,
      runs: uncharged.runs.map((run) => ({ ...run, ...goodRun(1, { costCents: null }) })),
    };
    expect(ratesFrom([free])(a).price?.basis).toBe('published');
    expect(ratesFrom([])({ ...a, settings: { model_id: 'kugel-1' } }).price).toBeNull();
    expect(ratesFrom([])({ ...a, endpoint: 'murmr' })).toMatchObject({ price: null, byPlan: true });
  });
});

describe('words', () => {
  it('say what is unknown, and that nothing is charged here', () => {
    const unpriced = { charactersPerSecond: null, price: null, byPlan: false };
    const made = estimate(testPlan({ budget: { cents: 50 } }), ({ name }) =>
      name === 'A' ? PRICED : unpriced,
    );
    const words = estimateSentences(made, false);
    expect(words.costs).toBe(
      'About €0.0650 by the price that the vendor publishes, without tax. Cost of B: unknown.',
    );
    expect(words.takes).toMatch(/^20 runs, about 57 s: 260 characters, roughly 21\.67 s of audio\.$/);
    expect(words.warnings).toHaveLength(1);
    expect(estimateSentences(made, true).costs).toMatch(/^The local server charges nothing/);
  });

  it('warn of a budget in cents that meets a second currency', () => {
    const inDollars: Rates = { ...PRICED, price: { centsPerSecond: 1, currency: 'usd', basis: 'published' } };
    const made = estimate(testPlan({ budget: { cents: 500 } }), ({ name }) =>
      name === 'A' ? PRICED : inDollars,
    );
    expect(estimateSentences(made, true).costs).toMatch(/about €0\.0650 and \$0\.13\.$/);
    expect(estimateSentences(made, false).warnings).toEqual([expect.stringMatching(/holds in one currency/)]);
  });

  it('say what was spent in each currency, and nothing where nothing was charged', () => {
    const plan = testPlan();
    const spent = { audioSeconds: 4, characters: 26 };
    const words = (costs: Progress['spent']['costs']): string =>
      progressWords(
        {
          done: 2,
          of: 20,
          now: null,
          failures: 0,
          leftMs: 0,
          results: resultsOf(plan, () => 100),
          spent: { ...spent, costs },
        },
        plan,
      );
    expect(
      words([
        { cents: 20, currency: 'eur' },
        { cents: 30, currency: 'usd' },
      ]),
    ).toBe('4.00 s · €0.20 · $0.30');
    expect(words([])).toBe('4.00 s');
    expect(words(null)).toBe('4.00 s · cost unknown');
  });
});
