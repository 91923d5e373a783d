import { describe, expect, it } from 'vitest';
import { CLOSE_AFTER, explainKugelClose, explainKugelError } from './errors.ts';

describe('explainKugelClose', () => {
  it.each([4001, 4003])('1.8 never reconnects after %i', (code) => {
    expect(explainKugelClose(code, '').mayReconnect).toBe(false);
  });

  it.each([1001, 1006, 1012, 1013, 4029, 4500])('1.8 may reconnect after %i', (code) => {
    expect(explainKugelClose(code, '').mayReconnect).toBe(true);
  });

  it('explains every code that follows an error', () => {
    for (const code of Object.values(CLOSE_AFTER))
      expect(explainKugelClose(code, '').name).not.toBe(String(code));
  });

  it('repeats the reason of an undocumented code', () => {
    expect(explainKugelClose(4777, 'tea time')).toMatchObject({
      name: '4777',
      meaning: 'tea time',
      mayReconnect: false,
    });
  });
});

describe('explainKugelError', () => {
  it('returns a remedy for known errors only', () => {
    expect(explainKugelError('MISSING_VOICE_ID')).toMatch(/voice/);
    expect(explainKugelError('SOMETHING_NEW')).toBeNull();
    expect(explainKugelError(null)).toBeNull();
    // Whatever a server sends: a name of JavaScript's own is no name that is known.
    expect(explainKugelError('constructor')).toBeNull();
  });
});
