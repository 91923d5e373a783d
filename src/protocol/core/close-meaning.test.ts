import { describe, expect, it } from 'vitest';
import { explainCloseWith } from './close-meaning.ts';

const OWN = { name: 'TEA_TIME', meaning: 'The server has tea.', remedy: 'Wait.', mayReconnect: true };
const explain = explainCloseWith({ 1000: OWN, 4777: OWN });

describe('explainCloseWith', () => {
  it("puts a vendor's own meaning before the general one", () => {
    expect(explain(4777, '')).toEqual(OWN);
    expect(explain(1000, '')).toEqual(OWN);
  });

  it.each([1001, 1006, 1011, 1012, 1013])(
    'allows another try after %i, which says nothing of key or settings',
    (code) => {
      expect(explain(code, '').mayReconnect).toBe(true);
    },
  );

  it.each([1008, 1009])('allows no retry after %i, which the same messages would cause again', (code) => {
    expect(explain(code, '').mayReconnect).toBe(false);
  });

  it('allows no retry after an ordinary end', () => {
    expect(explainCloseWith({})(1000, '').mayReconnect).toBe(false);
  });

  it('adds the reason to a general meaning', () => {
    expect(explain(1001, 'new version').meaning).toMatch(/shutting down.*new version$/);
    expect(explain(1001, '').meaning).toMatch(/shutting down\.$/);
  });

  it("leaves a vendor's own meaning as it is: the reason of such a code is its name", () => {
    expect(explain(4777, 'TEA_TIME')).toEqual(OWN);
  });

  it('repeats the reason of an undocumented code, and allows no retry', () => {
    expect(explain(4999, 'out of tea')).toMatchObject({
      name: '4999',
      meaning: 'out of tea',
      mayReconnect: false,
    });
    expect(explain(4999, '').meaning).not.toBe('');
  });

  it('ignores property names of every object', () => {
    expect(explain(Number.NaN, '').name).toBe('NaN');
  });
});
