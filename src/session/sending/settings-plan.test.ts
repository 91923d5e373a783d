import { describe, expect, it } from 'vitest';
import { ENDPOINTS } from '#protocol/registry.ts';
import { planSettings, type SettingsPlan } from './settings-plan.ts';

const [endpoint] = ENDPOINTS;
const described = endpoint?.settings ?? [];
/** A field with a documented default, and one whose absence has a meaning of its own. */
const defaulted = described.find((setting) => setting.fallback !== undefined)?.field ?? '';
const fallback = described.find((setting) => setting.field === defaulted)?.fallback;
const unsettable = described.find((setting) => setting.fallback === undefined)?.field ?? '';

describe('planSettings', () => {
  const cases: [string, Record<string, unknown> | null, Record<string, unknown>, SettingsPlan][] = [
    ['the first config is sent, even an empty one', null, {}, { kind: 'send', settings: {} }],
    ['2.3.2 what was sent once holds', { a: 1, b: [1] }, { b: [1], a: 1 }, { kind: 'nothing' }],
    [
      'a change is sent with all the rest',
      { a: 1, b: 2 },
      { a: 1, b: 3 },
      { kind: 'send', settings: { a: 1, b: 3 } },
    ],
    ['an addition is sent', {}, { a: 1 }, { kind: 'send', settings: { a: 1 } }],
    [
      'an unset default is sent in words',
      { [defaulted]: 0.5 },
      {},
      { kind: 'send', settings: { [defaulted]: fallback } },
    ],
    [
      'an unset field that held its default needs nothing',
      { [defaulted]: fallback },
      {},
      { kind: 'nothing' },
    ],
    [
      'an unset field without default needs a new connection',
      { [unsettable]: 'x' },
      {},
      { kind: 'reconnect' },
    ],
    ['an unset field that nobody describes too', { novel: 1 }, {}, { kind: 'reconnect' }],
  ];
  it.each(cases)('%s', (_, sent, wanted, plan) => {
    expect(planSettings(sent, wanted, { settings: described, fixedSettings: [] })).toEqual(plan);
  });

  it.each([
    [{ a: 1, rate: 1 }, { a: 1, rate: 2 }, 'reconnect'],
    [{ a: 1 }, { a: 1, rate: 2 }, 'reconnect'],
    [{ a: 1, rate: 2 }, { a: 1 }, 'reconnect'],
    [{ a: 1, rate: 2 }, { a: 2, rate: 2 }, 'send'],
  ])('a setting that holds for a whole connection: from %j to %j is to %s', (sent, wanted, kind) => {
    const endpoint = { settings: described, fixedSettings: ['rate'] };
    expect(planSettings(sent, wanted, endpoint).kind).toBe(kind);
  });

  it('a fixed setting that is absent holds its default', () => {
    const endpoint = { settings: described, fixedSettings: [defaulted] };
    expect(planSettings({}, { [defaulted]: fallback }, endpoint).kind).toBe('send');
    expect(planSettings({ [defaulted]: fallback }, {}, endpoint).kind).toBe('nothing');
  });
});
