import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { protocolOf } from '../protocols.ts';
import { ENDPOINTS } from '../registry.ts';
import { FAULT_SETS } from './fault-sets.ts';
import { describeFaultProblem, type Fault, formatFault, parseFaults } from './fault-spec.ts';
import { FAULTS, type FaultName, type FaultValue, faultForm, faultKind } from './fault-table.ts';

const ERRORS = ['RATE_LIMITED', 'INTERNAL_ERROR'];
const NAMES = Object.keys(FAULTS) as FaultName[];

const problemOf = (text: string): string => {
  const read = parseFaults(text, ERRORS);
  return 'problem' in read ? describeFaultProblem(read.problem) : 'no problem';
};

const written = (faults: readonly Fault[]): string => faults.map(formatFault).join(',');

describe('parseFaults', () => {
  it('reads the faults of a specification in their order', () => {
    const spec = 'latency=200,refuse=503:first,stall=3000@2,close=4500@7:first,reset@9,lose-words';
    expect(parseFaults(spec)).toEqual({
      faults: [
        { name: 'latency', value: 200, at: null, only: null },
        { name: 'refuse', value: 503, at: null, only: 'first' },
        { name: 'stall', value: 3000, at: 2, only: null },
        { name: 'close', value: 4500, at: 7, only: 'first' },
        { name: 'reset', value: null, at: 9, only: null },
        { name: 'lose-words', value: null, at: null, only: null },
      ],
    });
  });

  it.each([
    ['', 1, 'expected one of latency', 'got nothing'],
    ['latency=200,', 13, 'expected one of latency', 'got nothing'],
    ['latency=200,,reset@1', 13, 'expected one of latency', 'got nothing'],
    ['lag=5', 1, 'expected one of latency', 'got "lag"'],
    ['latency=200,Reset@1', 13, 'expected one of latency', 'got "Reset"'],
    [' latency=200', 1, 'expected one of latency', 'got " latency"'],
    ['constructor=1', 1, 'expected one of latency', 'got "constructor"'],
    ['latency', 8, 'expected latency=ms', 'got "latency"'],
    ['latency=', 9, 'expected latency=ms with 1 to 10000 ms', 'got nothing'],
    ['latency=0', 9, '1 to 10000 ms', 'got "0"'],
    ['latency=-5', 9, '1 to 10000 ms', 'got "-5"'],
    ['latency=1.5', 9, '1 to 10000 ms', 'got "1.5"'],
    ['latency=1e3', 9, '1 to 10000 ms', 'got "1e3"'],
    ['latency=007', 9, '1 to 10000 ms', 'got "007"'],
    ['latency=10001', 9, '1 to 10000 ms', 'got "10001"'],
    ['latency=1=2', 9, '1 to 10000 ms', 'got "1=2"'],
    ['latency=5@2', 10, 'expected latency=ms', 'got "latency=5@2"'],
    ['stall=3000', 11, 'expected stall=ms@n', 'got "stall=3000"'],
    ['stall=3000@', 12, 'number of an audio frame from 1', 'got nothing'],
    ['stall=3000@0', 12, 'number of an audio frame from 1', 'got "0"'],
    ['stall=3000@x', 12, 'number of an audio frame from 1', 'got "x"'],
    ['stall=3000@1@2', 12, 'number of an audio frame from 1', 'got "1@2"'],
    ['reset', 6, 'expected reset@n', 'got "reset"'],
    ['reset=1@2', 6, 'expected reset@n', 'got "reset=1@2"'],
    ['close=1006@1', 7, '1000 to 1003, 1005', 'got "1006"'],
    ['close=2999@1', 7, '3000 to 4999', 'got "2999"'],
    ['refuse=302', 8, '400 to 599', 'got "302"'],
    ['error=NONE@1', 7, 'one of RATE_LIMITED, INTERNAL_ERROR', 'got "NONE"'],
    ['error=RATE_LIMITED@0', 20, 'number of a chunk from 1', 'got "0"'],
    ['mark=a_b', 6, 'letters, digits and hyphens', 'got "a_b"'],
    ['seed=4294967296', 6, '0 to 4294967295', 'got "4294967296"'],
    ['latency=1,reset@1:last', 18, 'expected reset@n, or reset@n:first', 'got "reset@1:last"'],
    ['reset@1:', 8, 'expected reset@n, or reset@n:first', 'got "reset@1:"'],
    ['reset:first', 6, 'expected reset@n', 'got "reset:first"'],
    ['mark=a:first', 7, 'expected mark=name', 'got "mark=a:first"'],
    ['reset@1,reset@1:first', 9, 'expected reset once at 1', 'got it again'],
    ['latency=1,latency=2', 11, 'expected latency once', 'got it again'],
    ['reset@1,reset@2,reset@1', 17, 'expected reset once at 1', 'got it again'],
  ])('refuses %j at character %i', (text, character, expected, found) => {
    const problem = problemOf(text);
    expect(problem).toContain(`character ${character}:`);
    expect(problem).toContain(expected);
    expect(problem).toContain(found);
    expect(problem).not.toContain('\n');
  });

  it('accepts any name of an error where the vendor is not known', () => {
    expect(parseFaults('error=ANYTHING@1')).toHaveProperty('faults');
    expect(parseFaults('error=any_thing@1')).toHaveProperty('faults');
    expect(parseFaults('error=any-thing@1')).toHaveProperty('problem');
  });

  it('refuses a specification that nobody wrote', () => {
    expect(problemOf('reset@1,'.repeat(1000))).toContain('at most 2000 characters');
  });

  it('reads the items that formatFault writes', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyFault(), { selector: ({ name, at }) => `${name}@${at}` }), (faults) => {
        fc.pre(faults.length > 0 && written(faults).length <= 2000);
        expect(parseFaults(written(faults), ERRORS)).toEqual({ faults });
      }),
    );
  });

  it('answers any text, and only a text of items that formatFault would write is read', () => {
    const parts = fc.constantFrom(
      ...NAMES,
      '=',
      '@',
      ':',
      'first',
      ',',
      '1',
      '200',
      'ms',
      '%',
      '\n',
      'RATE_LIMITED',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(parts).map((list) => list.join('')),
    );
    fc.assert(
      fc.property(text, (spec) => {
        const read = parseFaults(spec, ERRORS);
        if ('faults' in read) expect(written(read.faults)).toBe(spec);
        else expect(read.problem.at).toBeLessThanOrEqual(spec.length);
      }),
      { numRuns: 2000 },
    );
  });
});

const anyFault = (): fc.Arbitrary<Fault> =>
  fc.constantFrom(...NAMES).chain((name) => {
    const { value, at, isSetting } = faultKind(name);
    return fc.record({
      only: isSetting ? fc.constant(null) : fc.constantFrom('first' as const, null),
      name: fc.constant(name),
      value: value ? anyValue(value) : fc.constant(null),
      at: at ? fc.integer({ min: 1, max: 1_000_000 }) : fc.constant(null),
    });
  });

const anyValue = (value: FaultValue): fc.Arbitrary<number | string> => {
  if (value.unit === 'NAME') return fc.constantFrom(...ERRORS);
  if ('pattern' in value) return fc.stringMatching(value.pattern);
  const { min, max, allows = () => true } = value;
  return fc.integer({ min, max }).filter(allows);
};

describe('named sets', () => {
  it.each(FAULT_SETS.map((set) => [set.title, set] as const))('%s can be read at every vendor', (_, set) => {
    for (const { failures } of ENDPOINTS.map(protocolOf)) {
      expect(failures.errors).toContain(failures.overloaded);
      expect(parseFaults(set.spec(failures), failures.errors)).toHaveProperty('faults');
    }
  });
});

it('forms name the unit and the place', () => {
  expect((['latency', 'stall', 'error', 'reset', 'lose-words'] as const).map(faultForm)).toEqual([
    'latency=ms',
    'stall=ms@n',
    'error=NAME@n',
    'reset@n',
    'lose-words',
  ]);
});
