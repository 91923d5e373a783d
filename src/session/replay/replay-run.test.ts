import { describe, expect, it } from 'vitest';
import { endpointOf } from '#protocol/registry.ts';
import type { RecordEntry } from '#record/record.ts';
import { ReplayWorld, record } from '../testing/recorded.ts';
import { audioFrame, completed, ended, finished, samplesOf, started, World } from '../testing/world.ts';
import { NO_IMPAIRMENTS } from './impairments.ts';

const endpoint = endpointOf('kugel-stream');

/** A recorded world with a sound output. */
function live(world = new World()) {
  const { entries } = record(world);
  world.attachPlayer();
  return { world, entries, socket: world.connect() };
}

function replayOf(entries: readonly RecordEntry[], forMs: number): ReplayWorld {
  const again = new ReplayWorld(endpoint);
  again.attachPlayer();
  again.play(entries);
  again.advance(forMs);
  return again;
}

describe('a replay of a session', () => {
  it('has its turns, problems and connection again', () => {
    const { world, entries, socket } = live();
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

    const again = replayOf(entries(), 3000);
    expect(again.run.isOver).toBe(true);
    for (const id of [1, 2]) {
      const { state, text, samples, audioFrames, chunks } = world.turn(id);
      const same = chunks.map((chunk) => ({ samples: chunk.samples }));
      expect(again.turn(id)).toMatchObject({ state, text, samples, audioFrames, voice: 1071, chunks: same });
    }
    const { framesSent, framesReceived, bytesReceived } = world.seen.connection ?? {};
    expect(again.seen.connection).toMatchObject({ state: 'open', framesSent, framesReceived, bytesReceived });
    expect(again.problems).toEqual(world.problems);
    expect(again.sockets).toEqual([]);
  });

  it('has the question of a live model again, and the time to its first token', async () => {
    const box = { say: (_token: string): void => {} };
    const { world, entries } = live(
      new World(undefined, endpoint, undefined, async function* (_, signal) {
        for (;;) {
          yield await new Promise<string>((resolve) => {
            box.say = resolve;
            signal.addEventListener('abort', () => resolve(''));
          });
        }
      }),
    );
    const chat = { base: 'http://model/v1', model: 'm', key: '', messages: [] };
    world.do({ type: 'ask', request: 1, question: 'Why?', context: '', chat });
    world.advance(300);
    for (const token of ['One ', 'two.']) {
      box.say(token);
      await world.advanceSettled(100);
    }
    world.do({ type: 'cancel' });
    const again = replayOf(entries(), 2000);
    const { answer, state } = again.turn(1);
    expect(state).toBe('cancelled');
    const counts = { tokens: 2, characters: 8 };
    expect(answer).toMatchObject({ question: 'Why?', model: 'm', state: 'stopped', ...counts });
    expect((answer?.firstTokenMs ?? 0) - (answer?.askedMs ?? 0)).toBeCloseTo(300, 0);
    for (const { marks } of [again, world]) {
      const marked = marks.filter(({ kind }) => kind === 'token' || kind === 'asked');
      expect(marked.map(({ kind, text = kind }) => text)).toEqual(['asked', 'One ', 'two.']);
    }
  });

  it('is silent from a cancel on, also where the server had sent everything before', () => {
    const { world, entries, socket } = live();
    world.do({ type: 'speak', text: 'A long story.' });
    for (const frame of [audioFrame(samplesOf(2000)), finished, ended()]) socket.say(frame);
    world.advance(480);
    world.do({ type: 'cancel' });
    world.advance(2000);
    const sounds = ({ heard }: World) => heard.filter((sample) => sample !== 0).length;
    const again = replayOf(entries(), 4000);
    expect(sounds(again)).toBeLessThan(16 * 600);
    // To within a quantum.
    expect(Math.abs(sounds(again) - sounds(world))).toBeLessThanOrEqual(128);
  });

  it('continues when more than a batch arrives within the added delay', () => {
    const { world, entries, socket } = live();
    world.do({ type: 'speak', text: 'A fast server.' });
    for (let i = 0; i < 700; i += 1) socket.say(audioFrame(samplesOf(0.1)));
    socket.say(ended());
    const all = entries();
    const again = new ReplayWorld(endpoint, { ...NO_IMPAIRMENTS, delayMs: 1000 });
    again.run.play();
    for (const [at, from] of [0, 300, 600].entries()) {
      expect(again.asked).toBe(at + 1);
      again.run.add(all.slice(from, from + 300), from === 600);
    }
    again.advance(3000);
    expect(again.run.isOver).toBe(true);
    expect(again.turn(1).audioFrames).toBe(700);
  });
});
