import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keylessAddress } from '../core/address.ts';
import type { Endpoint, Intent } from '../core/endpoint.ts';
import type { Frame } from '../core/frame.ts';
import { fieldsOf } from '../core/json-frame.ts';
import type { Finding } from '../core/rule.ts';
import { LOCAL_KEY } from '../core/servers.ts';
import { ONLY_CONTEXT } from '../core/speech-event.ts';
import { protocolOf } from '../protocols.ts';
import { ENDPOINTS } from '../registry.ts';
import { openLinter } from '../rules.ts';
import { lint, type Step } from './recordings.test-helper.ts';

const value = fc.oneof(
  { weight: 4, arbitrary: fc.constant(true) },
  {
    weight: 3,
    arbitrary: fc.constantFrom('a', 'b', ' ', '', 'Hello there.', 'AAAA', 'pcm_s16le', 'ulaw_8000'),
  },
  { weight: 3, arbitrary: fc.constantFrom(0, 1, 2, 24_000, -1, 0.5) },
  fc.jsonValue(),
);

/** Frames of an endpoint: those of the composer, of an example turn with its text in pieces, and of every error. */
function framesOf(endpoint: Endpoint): Frame[] {
  const { exampleTurn, failures, open, templates } = protocolOf(endpoint);
  const context = endpoint.contexts ? 'a' : ONLY_CONTEXT;
  const wire = open({ settings: {}, key: LOCAL_KEY });
  const intents: Intent[] = [
    { kind: 'open', settings: endpoint.initialSettings },
    ...['Hello ', 'there. '].map((text): Intent => ({ kind: 'say', context, text, opens: {} })),
    { kind: 'flush', context },
    { kind: 'cancel', context },
    { kind: 'endTurn', context },
    { kind: 'disconnect' },
  ];
  const others = [
    ...templates.map(({ frame }) => frame),
    ...failures.errors.map((name) => failures.error(name, endpoint.contexts && context).frame),
  ];
  return [
    ...intents.flatMap((intent) => wire.encode(intent)),
    ...exampleTurn('Hello there.', context),
    ...others.map((frame) => JSON.stringify(frame)),
  ];
}

const ALL_FRAMES = ENDPOINTS.flatMap(framesOf);
const ALL_FIELDS = ALL_FRAMES.flatMap((frame) => Object.keys(fieldsOf(frame) ?? {}));
const key = fc.constantFrom(...new Set([...ALL_FIELDS, '__proto__']));
const ADDRESSES = ENDPOINTS.map((endpoint) =>
  keylessAddress(endpoint, 'wss://host.test', { voice_id: 'voice', ...endpoint.initialSettings }),
);
const ms = fc.oneof(fc.nat(200), fc.nat(40_000));
const on = fc.constantFrom(1, 1, 1, 2);
/** @param endpoint whose frames are frequent, with changes; those of all others are rare */
function recordingOn(endpoint: Endpoint): fc.Arbitrary<Step[]> {
  const own = fc.constantFrom(...framesOf(endpoint));
  const changed = fc
    .tuple(own, fc.dictionary(key, value, { maxKeys: 2 }))
    .map(([frame, changes]) => ({ ...fieldsOf(frame), ...changes }));
  const payload = fc.oneof(
    { weight: 8, arbitrary: own },
    { weight: 3, arbitrary: changed },
    { weight: 3, arbitrary: fc.constantFrom(...ALL_FRAMES) },
    { weight: 3, arbitrary: fc.dictionary(key, value, { maxKeys: 6 }) },
    fc.string(),
    fc.json(),
    fc.uint8Array(),
  );
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 5, arbitrary: fc.record({ out: payload, ms, on }) },
    { weight: 5, arbitrary: fc.record({ in: payload, ms, on }) },
    fc.record({ open: fc.constant(true as const), address: fc.constantFrom(...ADDRESSES), ms, on }),
    fc.record({ close: fc.constantFrom(1000, 1006, 1012, 4001, 4003), ms, on }),
  );
  return fc.array(step, { maxLength: 40 });
}

/** Values that a message has failed to put into words. */
const UNFORMATTED = /undefined|NaN|\[object/;

/** For comparing what was found, whatever the order in which it was told. */
const sorted = (findings: readonly Finding[]): string[] =>
  findings.map((found) => JSON.stringify(found)).sort();

describe.each(ENDPOINTS)('$id', (endpoint) => {
  const recording = recordingOn(endpoint);

  it('never throws, and refers to fed frames', () => {
    fc.assert(
      fc.property(recording, (steps) => {
        const known = new Set(openLinter(endpoint.id).rules.map(({ id }) => id));
        // A message may quote what was fed.
        fc.pre(!UNFORMATTED.test(JSON.stringify(steps)));
        for (const found of lint(openLinter(endpoint.id), [...steps, { pass: 60_000 }])) {
          expect(known.has(found.id)).toBe(true);
          expect(found.frame).toBeLessThan(steps.length);
          expect(found.related ?? 0).toBeLessThan(steps.length);
          expect(found.message).not.toMatch(UNFORMATTED);
        }
      }),
      { numRuns: 120 },
    );
  });

  it('finds the same for any steps of the clock', () => {
    fc.assert(
      fc.property(recording, fc.array(fc.nat(5000), { maxLength: 40 }), (steps, ticks) => {
        const ticked = steps.flatMap((what, place): Step[] => {
          const all = 'pass' in what ? 0 : (what.ms ?? 0);
          const before = Math.min(ticks[place] ?? 0, all);
          return [{ pass: before }, { ...what, ms: all - before }];
        });
        const end = { pass: 60_000 };
        expect(sorted(lint(openLinter(endpoint.id), [...ticked, end]))).toEqual(
          sorted(lint(openLinter(endpoint.id), [...steps, end])),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('follows a connection in use beside any number that stay open', () => {
    fc.assert(
      fc.property(recording, (steps) => {
        const alone = steps.map((what): Step => ({ ...what, on: 1 }));
        let opened = 1;
        const beside = alone.flatMap((what): Step[] => [
          what,
          ...Array.from({ length: 10 }, (): Step => {
            opened += 1;
            return { open: true, on: opened, ms: 0 };
          }),
        ]);
        const idsOf = (findings: readonly Finding[]) =>
          findings.filter(({ connection }) => connection === 1).map(({ id }) => id);
        expect(idsOf(lint(openLinter(endpoint.id), beside))).toEqual(
          idsOf(lint(openLinter(endpoint.id), alone)),
        );
      }),
      { numRuns: 20 },
    );
  });

  it('keeps two connections apart', () => {
    fc.assert(
      fc.property(recording, (steps) => {
        const alone = steps.map((what): Step => ({ ...what, on: 1 }));
        // The same on another connection, at the same moments.
        const twice = alone.flatMap((what): Step[] => [what, { ...what, on: 2, ms: 0 }]);
        const linter = openLinter(endpoint.id);
        const end = { pass: 60_000 };
        const across = new Set(['connection-per-turn', 'price-varies', 'price-unlisted']);
        const idsOf = (findings: readonly Finding[]) =>
          findings
            .filter(({ id }) => !across.has(id))
            .map(({ id }) => id)
            .sort();
        const both = lint(linter, [...twice, end]);
        expect(idsOf(both.filter(({ connection }) => connection === 2))).toEqual(
          idsOf(lint(openLinter(endpoint.id), [...alone, end])),
        );
      }),
      { numRuns: 40 },
    );
  });
});
