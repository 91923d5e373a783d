import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkPlan, describeProblem, readPlan } from './read-plan.ts';
import { testPlan } from './testing/plans.ts';

const KUGEL = { name: 'A', endpoint: 'kugel-stream' };
const PLAN = { version: 1, texts: [{ name: 'Hello', text: 'Hello.' }], configurations: [KUGEL] };

/** A plan with one configuration, changed. */
const kugel = (change: object) => ({ configurations: [{ ...KUGEL, ...change }] });

const problemsOf = (change: Record<string, unknown>): string[] =>
  checkPlan({ ...PLAN, ...change }).problems.map(describeProblem);

describe('the plans that come along', () => {
  const folder = new URL('../../docs/plans/', import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  it.each(files)('%s can be used', (name) => {
    expect(readPlan(readFileSync(new URL(name, folder), 'utf8')).problems).toEqual([]);
  });
});

describe('readPlan', () => {
  it.each([
    ['a recording', '{"format":"voicewire-recording","version":1,"info":{}}\n{"atUs":0}\n'],
    ['a recording that is cut off', '{"format":"voicewire-recording","ver'],
    ['the results of a plan', JSON.stringify({ kind: 'voicewire-benchmark', plan: PLAN, runs: [] }, null, 2)],
  ])('names %s, in place of a fault in its JSON', (other, text) => {
    expect(readPlan(text).problems).toEqual([
      {
        path: '',
        message: expect.stringContaining(`expected a plan, got ${other.replace(' that is cut off', '')}`),
      },
    ]);
  });

  it('fills in everything that a short plan leaves out', () => {
    expect(readPlan(JSON.stringify(PLAN)).plan).toEqual({
      kind: 'voicewire-plan',
      version: 1,
      name: 'Benchmark',
      texts: [{ name: 'Hello', text: 'Hello.' }],
      configurations: [
        { ...KUGEL, server: 'local', keyFrom: null, settings: {}, speaker: {}, source: { kind: 'whole' } },
      ],
      runs: 20,
      warmUps: 1,
      connections: 'warm',
      seed: 1,
      pauseMs: 250,
      timeoutMs: 60_000,
      aloud: false,
      budget: {},
      measure: 'waitMs',
      thresholds: [],
    });
  });

  it('reads back what was written', () => {
    const plan = testPlan({ budget: { cents: 5 }, thresholds: [{ max: 400 }] });
    expect(readPlan(JSON.stringify(plan)).plan).toEqual(plan);
  });

  it('names line and column of broken JSON', () => {
    expect(readPlan('{\n  "version": 1,\n  "runs": \n}').problems).toEqual([
      { path: '', message: expect.stringMatching(/^Line 4, column 1, runs: expected/) },
    ]);
  });

  const wrong: [string, Record<string, unknown>, string | RegExp][] = [
    ['another version', { version: 2 }, 'version: expected 1, got 2'],
    ['no text', { texts: [] }, 'texts: expected at least 1 entries, got []'],
    ['a misspelt field', { run: 5 }, 'there is no field "run" here'],
    ['too many runs', { runs: 5000 }, 'runs: expected at most 1000, got 5000'],
    [
      'too many cells',
      {
        runs: 1000,
        connections: 'both',
        configurations: Array.from({ length: 12 }, (_, at) => ({ ...KUGEL, name: `${at}` })),
      },
      'runs: this makes 24000 runs, and a plan has at most 20000',
    ],
    [
      'an unknown endpoint',
      kugel({ endpoint: 'kugel' }),
      /^configurations\[0\]\.endpoint: expected one of "kugel-stream", .*"murmr".*, got "kugel"$/,
    ],
    [
      'a setting that the server would refuse',
      kugel({ settings: { sample_rate: 12 } }),
      /^configurations\[0\]\.settings\.sample_rate: expected one of .*, got 12$/,
    ],
    [
      'a name that is there twice',
      { configurations: [KUGEL, KUGEL] },
      'configurations[1].name: "A" is there twice',
    ],
    [
      'a server that is none',
      kugel({ server: 'https://example.com' }),
      /^configurations\[0\]\.server: expected one of "local", "cloud", "eu", "relay" or an address .*, got one of https:\/\/$/,
    ],
    [
      'an unknown profile',
      kugel({ source: { kind: 'simulated', profile: 'slow' } }),
      /^configurations\[0\]\.source\.profile: expected one of "steady", .* got "slow"$/,
    ],
    [
      'a speaker where there is one context',
      kugel({ speaker: { voice_id: 1071 } }),
      /^configurations\[0\]\.speaker: kugel-stream has a single context/,
    ],
    [
      'an unknown measure',
      { measure: 'ttfa' },
      /^measure: expected the id of a measure, such as "waitMs", got "ttfa"$/,
    ],
    [
      'a limit without a limit',
      { thresholds: [{}] },
      'thresholds[0]: expected a max, a min or both, got neither',
    ],
    [
      'a limit of nobody',
      { thresholds: [{ max: 1, configuration: 'Z' }] },
      'thresholds[0].configuration: there is no configuration named "Z"',
    ],
    [
      'a limit of runs that are not made',
      { thresholds: [{ max: 1, connection: 'cold' }] },
      'thresholds[0].connection: no run of this plan is on a cold connection',
    ],
  ];
  it.each(wrong)('%s', (_, change, expected) => {
    expect(problemsOf(change)).toEqual([
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    ]);
  });

  const secret: [string, Record<string, unknown>][] = [
    ['as a setting', { ...KUGEL, settings: { api_key: 'sk-do-not-repeat' } }],
    ['as a field of the configuration', { ...KUGEL, key: 'sk-do-not-repeat' }],
    ['in the address', { ...KUGEL, server: 'wss://tts.example.com?api_key=sk-do-not-repeat' }],
    ['where its name belongs', { ...KUGEL, keyFrom: 'sk-do-not-repeat' }],
  ];
  it.each(secret)('a key %s is refused', (_, configuration) => {
    const problems = problemsOf({ configurations: [configuration] });
    expect(problems[0]).toMatch(/key/i);
  });

  it('a text that the endpoint would refuse for its length', () => {
    expect(
      problemsOf({
        texts: [{ name: 'Long', text: 'a'.repeat(9000) }],
        configurations: [{ ...KUGEL, endpoint: 'murmr' }],
      }),
    ).toEqual([
      expect.stringMatching(/^texts\[0\]\.text: murmr takes at most \d+ characters, and these are 9000$/),
    ]);
  });
});
