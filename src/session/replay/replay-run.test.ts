import { describe, expect, it } from 'vitest';
import type { Settings } from '#protocol/core/endpoint.ts';
import { endpointOf } from '#protocol/registry.ts';
import { LiveRecording } from '#recordings/store/live-recording.ts';
import type { RecordEntry } from '#trace/entry.ts';
import { ReplayWorld, record } from '../testing/recorded.ts';
import { audioFrame, ended, samplesOf, World } from '../testing/world.ts';
import { NO_IMPAIRMENTS } from './impairments.ts';

const endpoint = endpointOf('kugel-stream');
const START = { endpoint: 'deepgram', address: 'wss://host/v1/speak', startedAtMs: 0 };

/** A recorded world with a sound output. */
function live(world = new World(), settings: Settings = {}) {
  const { entries } = record(world);
  world.do({ type: 'settings', settings: { ...world.settings, ...settings } });
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
    const chat = {
      base: 'http://model/v1',
      model: 'm',
      key: '',
      messages: [],
      thoughts: { tag: '', isFirst: false },
    };
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

  it('that goes on from a full recording sounds as its connection was opened', async () => {
    const deepgram = endpointOf('deepgram');
    const { world, entries, socket } = live(new World(undefined, deepgram), {
      encoding: 'mulaw',
      sample_rate: 8000,
    });
    world.do({ type: 'speak', text: 'One two.' });
    const full = new LiveRecording('full', START);
    for (const entry of entries()) full.append(entry);
    const { length } = full.index;
    socket.say(new Uint8Array(4000).fill(0x20));
    world.advance(1000);
    const { openings } = full;
    const rest = entries().slice(length);
    const part = new LiveRecording('part', START, { part: 2, fromUs: rest[0]?.atUs ?? 0, openings });
    for (const entry of rest) part.append(entry);
    const reader = part.reader();
    const places = Array.from({ length: part.index.length }, (_, at) => at);
    const again = new ReplayWorld(deepgram);
    again.attachPlayer(8000);
    again.run.add(await Promise.all(places.map((at) => reader.entry(at))), true);
    again.run.play();
    again.advance(1000);
    expect(again.turn(1)).toMatchObject({ sampleRate: 8000, samples: 4000 });
    expect(again.seen.connection?.address).toContain('encoding=mulaw');
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
