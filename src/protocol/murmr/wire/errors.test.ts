import { describe, expect, it } from 'vitest';
import { errorName, explainMurmrClose, explainMurmrError } from './errors.ts';

/** Seed, "Close Codes": code and name. */
const SEED = [
  [1001, 'GOING_AWAY'],
  [4001, 'AUTH_TIMEOUT'],
  [4002, 'AUTH_FAILED'],
  [4003, 'INVALID_MESSAGE'],
  [4004, 'RATE_LIMITED'],
  [4005, 'SERVER_ERROR'],
] as const;

describe('close codes', () => {
  it.each(SEED)('seed: %i is %s, and is explained', (code, name) => {
    const { meaning, remedy, ...rest } = explainMurmrClose(code, '');
    expect(rest.name).toBe(name);
    expect(meaning).toMatch(/\.$/);
    expect(remedy).toMatch(/\.$/);
  });

  it.each([1000, 1001, 1006, 4004, 4005])('6.3.19 another try is made after %i', (code) => {
    expect(explainMurmrClose(code, '').mayReconnect).toBe(true);
  });

  it.each([4001, 4002, 4003])('6.3.19 never after %i', (code) => {
    expect(explainMurmrClose(code, 'whatever it says').mayReconnect).toBe(false);
  });

  it('6.3.8 4006 is no close code', () => {
    expect(explainMurmrClose(4006, '').name).toBe('4006');
  });
});

describe('error frames', () => {
  it.each(SEED.slice(1))('%i is called %s there too, and says what to do', (code, name) => {
    expect(errorName(code)).toBe(name);
    expect(explainMurmrError(name, code)).toMatch(/\.$/);
  });

  it('6.3.8 4006 is all slots occupied', () => {
    expect(errorName(4006)).toBe('ALL_SLOTS_OCCUPIED');
    expect(explainMurmrError(null, 4006)).toMatch(/slot/);
  });

  it('6.3.7 4004 on a generation names the limits that it may be about', () => {
    expect(explainMurmrError(null, 4004)).toMatch(/100 generations a minute/);
  });

  it.each([null, 0, 4000, 4999, Number.NaN])('%s is not known: no name, and nothing to do', (code) => {
    expect(errorName(code)).toBeNull();
    expect(explainMurmrError(null, code)).toBeNull();
  });
});
