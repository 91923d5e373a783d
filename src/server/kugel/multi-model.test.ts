import fc from 'fast-check';
import { expect, it } from 'vitest';
import { settle } from '../fake-clock.test-helper.ts';
import { Model, type Operation } from './multi-model.test-helper.ts';
import { MultiSession } from './multi-session.ts';
import { createSessionWorld } from './session-world.test-helper.ts';
import type { Frame } from './socket-client.test-helper.ts';

/** The server and a simple model of the rules, driven by the same random operations, say the same. */

const id = fc.nat(25).map((number) => `c${number}`);
/** Most operations meet these, so that much happens to a few contexts too. */
const busyId = fc.nat(2).map((number) => `c${number}`);
const anyId = fc.oneof({ weight: 2, arbitrary: busyId }, { weight: 1, arbitrary: id });
const of = (kind: 'create' | 'flush' | 'keepAlive' | 'close' | 'closeNow' | 'cancel', ids = anyId) =>
  ids.map((context): Operation => ({ kind, id: context }));

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 8, arbitrary: of('create', fc.oneof(id, busyId)) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('text' as const),
      id: anyId,
      text: fc.constantFrom('word', 'two words', 'Hello'),
      flush: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: of('flush') },
  { weight: 2, arbitrary: of('keepAlive') },
  { weight: 2, arbitrary: of('close') },
  { weight: 2, arbitrary: of('closeNow') },
  { weight: 2, arbitrary: of('cancel') },
  { weight: 1, arbitrary: fc.constant<Operation>({ kind: 'cancelAll' }) },
  { weight: 2, arbitrary: fc.constant<Operation>({ kind: 'hold' }) },
  { weight: 4, arbitrary: fc.constant<Operation>({ kind: 'release' }) },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(100, 499, 1000, 10_000, 19_900, 20_500)
      .map((ms): Operation => ({ kind: 'advance', ms })),
  },
);

/** Contexts to begin with: none, or so many that the limit is near. */
const crowd = fc
  .constantFrom(0, 3, 18, 20, 22)
  .map((count) => Array.from({ length: count }, (_, at): Operation => ({ kind: 'create', id: `c${at}` })));

/** @param isLive whether the context meant is live: there, a blank would be text */
const messageOf = (op: Operation, isLive: boolean): Frame | null => {
  switch (op.kind) {
    case 'create':
      return { text: isLive ? '' : ' ', context_id: op.id, voice_settings: { voice_id: 1071 } };
    case 'text':
      return { text: op.text, context_id: op.id, flush: op.flush };
    case 'flush':
      return { flush: true, context_id: op.id };
    case 'keepAlive':
      return { text: '', context_id: op.id };
    case 'close':
      return { close_context: true, context_id: op.id };
    case 'closeNow':
      return { close_context: true, context_id: op.id, immediate: true };
    case 'cancel':
      return { cancel: true, context_id: op.id };
    case 'cancelAll':
      return { cancel: true };
    default:
      return null;
  }
};

/** What a frame tells its context, in the words of the model; null for speech. */
function toldBy(frame: Frame): string | null {
  if (frame.context_created) return 'created';
  if (frame.final) return 'final';
  if (frame.interrupted) return 'interrupted';
  if (frame.error) return `error ${frame.error_code}`;
  if (!frame.context_closed) return null;
  const usage = frame.usage as Frame | undefined;
  return usage ? `closed ${usage.characters}` : 'closed';
}

interface Life {
  isLive: boolean;
  samples: number;
  words: string;
}

/** What holds for every context, whatever is asked: checked frame by frame. */
function checkLives(frames: readonly Frame[]): void {
  const lives = new Map<string, Life>();
  for (const frame of frames) {
    if (typeof frame.context_id !== 'string') continue;
    const life = lives.get(frame.context_id) ?? { isLive: false, samples: 0, words: '' };
    lives.set(frame.context_id, life);
    if (frame.context_created) {
      expect(life.isLive).toBe(false);
      Object.assign(life, { isLive: true, samples: 0 });
    } else if (frame.context_closed) {
      // 3.3.11: usage is that of its whole life, and of nobody else's.
      const seconds = (frame.usage as Frame | undefined)?.audio_seconds ?? 0;
      expect(seconds).toBeCloseTo(life.samples / 24_000, 3);
      Object.assign(life, { isLive: false, samples: 0 });
    } else if (!frame.error && !frame.interrupted) {
      // 3.3.7, 3.3.13: nothing before context_created, nothing after context_closed.
      expect(life.isLive).toBe(true);
      life.samples += Number(frame.samples ?? 0);
    }
    expect([...lives.values()].filter(({ isLive }) => isLive).length).toBeLessThanOrEqual(20);
  }
}

it('3.3 each context follows the rules for any operations in any order', async () => {
  let mostLive = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(crowd, fc.array(operation, { maxLength: 150, size: 'max' }), async (before, after) => {
      const operations = [...before, ...after];
      const { options, clock, engine, frames, closes } = createSessionWorld();
      const session = new MultiSession(options);
      const quiet = async () => {
        for (let before = -1; before !== frames.length; ) {
          before = frames.length;
          await settle();
        }
      };
      const model = new Model();
      for (const op of operations) {
        if (!model.admits(op)) continue;
        const message = messageOf(op, 'id' in op && model.contexts.has(op.id));
        model.apply(op);
        if (message) session.text(JSON.stringify(message));
        else if (op.kind === 'hold') engine.hold();
        else if (op.kind === 'release') engine.release();
        else if (op.kind === 'advance') await clock.advance(op.ms);
        await quiet();
      }
      const told = new Map<string, string[]>();
      for (const frame of frames) {
        const what = toldBy(frame);
        if (what === null || typeof frame.context_id !== 'string') continue;
        told.set(frame.context_id, [...(told.get(frame.context_id) ?? []), what]);
      }
      expect(told).toEqual(model.told);
      expect(frames.filter((frame) => frame.interrupted && !('context_id' in frame))).toHaveLength(
        model.interruptedAll,
      );
      expect(frames.filter((frame) => frame.session_closed)).toHaveLength(model.sessionsClosed);
      checkLives(frames);
      expect(closes).toEqual([]);
      mostLive = Math.max(mostLive, model.mostLive);
      refused += frames.filter((frame) => frame.error_code === 'TOO_MANY_CONTEXTS').length;
    }),
    { numRuns: 80 },
  );
  // The limit was met, or this has proved less than it says.
  expect(mostLive).toBe(20);
  expect(refused).toBeGreaterThan(0);
}, 60_000);
