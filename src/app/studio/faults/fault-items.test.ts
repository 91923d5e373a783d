import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFaults } from '#protocol/faults/fault-spec.ts';
import { FAULTS, type FaultName } from '#protocol/faults/fault-table.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { ENDPOINTS, endpointOf } from '#protocol/registry.ts';
import {
  addableFaults,
  faultProblem,
  itemHolding,
  itemsOf,
  withFault,
  withItem,
  withoutItem,
} from './fault-items.ts';

describe('items of a specification', () => {
  it('are written as the same text, for any typed one', () => {
    const part = fc.constantFrom('stall', 'latency', '=', '@', ':', 'first', ',', '3', ' ', 'x');
    const text = fc.oneof(
      fc.string(),
      fc.array(part).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (spec) => {
        expect(withItem(spec, 0, {})).toBe(spec);
      }),
    );
  });

  it('change one at a time', () => {
    const spec = 'latency=200,stall=3000@2,reset@9';
    expect(withItem(spec, 1, { value: '40' })).toBe('latency=200,stall=40@2,reset@9');
    expect(withItem(spec, 2, { at: '' })).toBe('latency=200,stall=3000@2,reset@');
    expect(withItem(spec, 2, { only: 'first' })).toBe('latency=200,stall=3000@2,reset@9:first');
    expect(withItem('reset@9:first', 0, { only: null })).toBe('reset@9');
    expect(withoutItem(spec, 0)).toBe('stall=3000@2,reset@9');
    expect(withoutItem('reset@9', 0)).toBe('');
  });

  it.each([
    ['latency=x,reset@1', 0],
    ['latency=1,reset', 1],
    ['latency=1,', 1],
    ['latency=1,,reset@1', 1],
    ['latency=1,stall=3@0', 1],
    ['lag', 0],
  ])('the problem of %j belongs to item %i', (spec, item) => {
    const read = parseFaults(spec);
    expect('problem' in read && itemHolding(itemsOf(spec), read.problem.at)).toBe(item);
  });
});

describe('a fault that is added', () => {
  it.each(ENDPOINTS.map((each) => [each.title, protocolOf(each).failures] as const))(
    'can be read at once, each of them, and twice where it has a place: %s',
    (_, { errors, overloaded }) => {
      for (const name of addableFaults('')) {
        const once = withFault('', name, overloaded);
        expect(parseFaults(once, errors)).toHaveProperty('faults.length', 1);
        if (!addableFaults(once).includes(name)) continue;
        expect(parseFaults(withFault(once, name, overloaded), errors)).toHaveProperty('faults.length', 2);
      }
    },
  );

  it('is any but the mark, and any without a place only once', () => {
    const names = Object.keys(FAULTS) as FaultName[];
    expect(addableFaults('')).toEqual(names.filter((name) => name !== 'mark'));
    const left = addableFaults('latency=5,stall=3@1');
    expect(left).toContain('stall');
    expect(left).not.toContain('latency');
  });
});

describe('a specification', () => {
  it('has a problem where the server would refuse them, also for the length of the mark', () => {
    const protocol = protocolOf(endpointOf('murmr'));
    const long = Array.from({ length: 208 }, (_, at) => `reset@${at + 10}`).join(',');
    expect(faultProblem('reset@3', protocol)).toBeNull();
    expect(faultProblem('error=MODEL_UNAVAILABLE@1', protocol)).toMatchObject({ at: 6 });
    expect(parseFaults(long)).toHaveProperty('faults');
    expect(faultProblem(long, protocol)).toMatchObject({ at: 2000 });
  });
});
