import { describe, expect, it } from 'vitest';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { endpointOf } from '#protocol/registry.ts';
import type { RecordEntry } from '#record/record.ts';
import { record } from '../testing/recorded.ts';
import { audioFrame, completed, ended, finished, samplesOf, started, World } from '../testing/world.ts';
import { type Impairments, NO_IMPAIRMENTS } from './impairments.ts';
import { ReplayRun } from './replay-run.ts';

/** Of the world's audio thread: what is played begins at one. */
const QUANTUM_MS = 8;

interface Replayed {
  world: World;
  run: ReplayRun;
}

/** A world in which the recording is replayed, all of it there from the beginning, and not begun yet. */
function replay(
  entries: readonly RecordEntry[],
  endpoint: Endpoint,
  impairments: Impairments = NO_IMPAIRMENTS,
): Replayed {
  const box: { run?: ReplayRun } = {};
  const world = new World(undefined, endpoint, (options) => {
    box.run = new ReplayRun({
      ...options,
      endpoint,
      address: `ws://server/prefix${endpoint.path}`,
      impairments,
      listener: { wantsMore() {}, moved() {} },
    });
    return box.run.session;
  });
  const { run } = box;
  if (!run) throw new Error('The world has opened no session.');
  run.add(entries, true);
  return { world, run };
}

/** A world with everything that it needs to be heard, and its recording. */
function live(endpoint: Endpoint) {
  const world = new World(undefined, endpoint);
  const { entries } = record(world);
  world.attachPlayer();
  return { world, entries };
}

/** Plays to the end and long enough to be heard. */
function playOut({ world, run }: Replayed, entries: readonly RecordEntry[], forMs: number): void {
  // In the quantum in which the first entry was.
  const firstMs = (entries[0]?.atUs ?? 0) / 1000;
  world.advance(firstMs);
  world.attachPlayer();
  run.play();
  world.advance(forMs);
}

/** What was heard, without the silence before, between and behind. */
const sounds = (world: World): number[] => world.heard.filter((sample) => sample !== 0);

describe('a replay of a session', () => {
  it('has its turns, contexts and connection again, and is heard the same', () => {
    const endpoint = endpointOf('kugel-stream');
    const { world, entries } = live(endpoint);
    const socket = world.connect();
    world.do({ type: 'speak', text: 'Hello there.' });
    world.advance(50);
    for (const frame of [started('Hello there.'), audioFrame(samplesOf(200)), completed()]) socket.say(frame);
    world.advance(10);
    for (const frame of [finished, ended()]) socket.say(frame);
    world.advance(700);
    world.do({ type: 'speak', text: 'And again.' });
    socket.say(audioFrame(samplesOf(300, 4000)));
    world.advance(100);
    world.do({ type: 'cancel' });
    socket.say({ interrupted: true });
    world.advance(500);
    const all = entries();

    const then = replay(all, endpoint);
    playOut(then, all, 3000);
    expect(then.run.isOver).toBe(true);
    expect(sounds(then.world)).toEqual(sounds(world));
    for (const id of [1, 2]) {
      const { state, text, samples, audioFrames, chunks } = world.turn(id);
      expect(then.world.turn(id)).toMatchObject({
        state,
        text,
        samples,
        audioFrames,
        voice: 1071,
        chunks: chunks.map(({ samples: count }) => ({ samples: count })),
      });
    }
    expect(then.world.seen.connection).toMatchObject({
      state: 'open',
      framesSent: world.seen.connection?.framesSent,
      framesReceived: world.seen.connection?.framesReceived,
      bytesReceived: world.seen.connection?.bytesReceived,
    });
    expect(then.world.problems).toEqual(world.problems);
    expect(then.world.sockets).toEqual([]);
  });

  it('has the question of a live model again, and the time to its first token', async () => {
    const endpoint = endpointOf('kugel-stream');
    const box = { say: (_token: string): void => {} };
    const world = new World(undefined, endpoint, undefined, async function* (_, signal) {
      for (;;) {
        yield await new Promise<string>((resolve) => {
          box.say = resolve;
          signal.addEventListener('abort', () => resolve(''));
        });
      }
    });
    const { entries } = record(world);
    world.attachPlayer();
    world.connect();
    const chat = { base: 'http://model/v1', model: 'm', key: '', messages: [] };
    world.do({ type: 'ask', request: 1, question: 'Why?', context: '', chat });
    world.advance(300);
    for (const token of ['One ', 'two.']) {
      box.say(token);
      await new Promise(setImmediate);
      world.advance(100);
    }
    world.do({ type: 'cancel' });
    world.advance(100);
    const all = entries();
    const then = replay(all, endpoint);
    playOut(then, all, 2000);
    const { answer, state } = then.world.turn(1);
    expect(state).toBe('cancelled');
    expect(answer).toMatchObject({
      question: 'Why?',
      model: 'm',
      state: 'stopped',
      tokens: 2,
      characters: 8,
    });
    expect((answer?.firstTokenMs ?? 0) - (answer?.askedMs ?? 0)).toBeCloseTo(300, 0);
    const marked = (of: World) =>
      of.marks.flatMap(({ kind, text }) => (kind === 'token' ? [text] : kind === 'asked' ? ['?'] : []));
    expect(marked(then.world)).toEqual(['?', 'One ', 'two.']);
    expect(marked(world)).toEqual(['?', 'One ', 'two.']);
  });

  it('is silent where somebody pressed Cancel, also when the server had long sent everything', () => {
    const endpoint = endpointOf('kugel-stream');
    const { world, entries } = live(endpoint);
    const socket = world.connect();
    world.do({ type: 'speak', text: 'A long story.' });
    for (const frame of [audioFrame(samplesOf(2000)), finished, ended()]) socket.say(frame);
    world.advance(480);
    world.do({ type: 'cancel' });
    world.advance(2000);
    const all = entries();
    const then = replay(all, endpoint);
    playOut(then, all, 4000);
    expect(sounds(then.world).length).toBeLessThan(16 * 600);
    expect(Math.abs(sounds(then.world).length - sounds(world).length)).toBeLessThanOrEqual(16 * QUANTUM_MS);
  });

  it('continues when more than a batch arrives within the added delay', () => {
    const endpoint = endpointOf('kugel-stream');
    const { world, entries } = live(endpoint);
    const socket = world.connect();
    world.do({ type: 'speak', text: 'A fast server.' });
    for (let i = 0; i < 2500; i += 1) socket.say(audioFrame(samplesOf(0.1)));
    socket.say(ended());
    world.advance(100);
    const all = entries();
    const batches = [all.slice(0, 1024), all.slice(1024, 2048), all.slice(2048)];

    let asked = 0;
    const box: { run?: ReplayRun } = {};
    const then = new World(undefined, endpoint, (options) => {
      box.run = new ReplayRun({
        ...options,
        endpoint,
        address: `ws://server${endpoint.path}`,
        impairments: { ...NO_IMPAIRMENTS, delayMs: 1000 },
        listener: {
          wantsMore() {
            asked += 1;
          },
          moved() {},
        },
      });
      return box.run.session;
    });
    box.run?.play();
    for (const [at, batch] of batches.entries()) {
      expect(asked).toBe(at + 1);
      box.run?.add(batch, at === batches.length - 1);
    }
    then.advance(3000);
    expect(box.run?.isOver).toBe(true);
    expect(then.turn(1).audioFrames).toBe(2500);
  });
});
