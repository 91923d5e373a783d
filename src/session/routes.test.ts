import { beforeEach, describe, expect, it } from 'vitest';
import { endpointOf } from '#protocol/registry.ts';
import type { Speaker } from './commands.ts';
import { ReplayWorld, record } from './testing/recorded.ts';
import { type ScriptedSocket, samplesOf, World } from './testing/world.ts';

/** Speakers whose voices are in the address, so that each voice takes a connection. */

const endpoint = endpointOf('elevenlabs-multi');
const RATE = 24_000;

const speaker = (id: string, voice: string): Speaker => ({
  id,
  settings: { voice_id: voice },
  keepOpen: false,
});
/** One token a second. */
const SLOW = {
  timeToFirstTokenMs: 0,
  tokensPerSecond: 1,
  jitter: 0,
  burst: { every: 0, size: 0 },
  stall: { chance: 0, ms: 0 },
};
const CAST = [speaker('Ann', 'low'), speaker('Bob', 'high'), speaker('Cid', 'low')];

let world: World;
let recorded: ReturnType<typeof record>;

beforeEach(() => {
  world = new World(undefined, endpoint);
  recorded = record(world);
  world.attachPlayer(RATE);
  world.advance(3.2105);
  world.do({ type: 'speakers', speakers: CAST });
  world.do({ type: 'listen', listening: 'together', pauseMs: 0 });
});

function perform(...speakers: string[]): void {
  const lines = speakers.map((name, line) => ({ speaker: name, text: `${name} speaks.`, line }));
  world.do({ type: 'perform', lines, source: { kind: 'whole' }, closeAfter: false });
  world.advance(5);
}

const of = (voice: string): ScriptedSocket => {
  const socket = world.sockets.findLast(({ address }) => address.includes(`/${voice}/`));
  if (!socket) throw new Error(`No connection has the voice ${voice}.`);
  return socket;
};

function open(): void {
  for (const socket of [...world.sockets]) if (!socket.isOpen && socket.closedWith === null) socket.open();
  world.advance(5);
}

const says = (socket: ScriptedSocket, contextId: string, value: number): void =>
  socket.say({
    audio: Buffer.from(samplesOf(300, value, RATE).buffer).toString('base64'),
    isFinal: null,
    contextId,
  });
const ends = (socket: ScriptedSocket, contextId: string): void =>
  socket.say({ audio: null, isFinal: true, contextId });

/** The context ids of the first frames of all turns that were sent on it. */
const idsOn = ({ sent }: ScriptedSocket): string[] => [
  ...new Set(sent.map((frame) => (frame as { context_id: string }).context_id)),
];

const states = (): string[] => [...world.turns.values()].map(({ state }) => state);

function spoken(): void {
  perform('Ann', 'Bob', 'Cid');
  open();
  for (const voice of ['low', 'high'])
    for (const id of idsOn(of(voice))) says(of(voice), id, voice === 'low' ? 3000 : 7000);
  world.advance(100);
}

describe('speakers with a voice in the address', () => {
  it('take a connection for each voice, and are heard at once', () => {
    spoken();
    expect(world.sockets.map(({ address }) => address.split('/').at(-2))).toEqual(['low', 'high']);
    expect(idsOn(of('low'))).toHaveLength(2);
    expect(world.seen.connection).toMatchObject({ state: 'open', open: 2 });
    for (const voice of ['low', 'high']) for (const id of idsOn(of(voice))) ends(of(voice), id);
    world.advance(1000);
    expect(states()).toEqual(['ended', 'ended', 'ended']);
    expect([1, 2, 3].map((id) => world.turn(id).voice)).toEqual(['low', 'high', 'low']);
    expect(world.problems).toEqual([]);
  });

  it('lose the turns of their own connection only, which alone is tried again', () => {
    spoken();
    of('low').close(1006);
    world.advance(1100);
    expect(states()).toEqual(['lost', 'receiving', 'lost']);
    expect(world.sockets.map(({ address }) => address.split('/').at(-2))).toEqual(['low', 'high', 'low']);
    expect(world.seen.connection).toMatchObject({ state: 'open', open: 1 });
    ends(of('high'), idsOn(of('high'))[0] ?? '');
    expect(world.problems).toHaveLength(1);
  });

  it('fail by an error without a context on their own connection only', () => {
    spoken();
    of('high').say({ message: 'Broken.', error: 'internal', code: 1011 });
    world.advance(20);
    expect(states()).toEqual(['receiving', 'failed', 'receiving']);
  });

  it('are all cancelled by one press, and close by another', () => {
    spoken();
    world.do({ type: 'cancel' });
    const closed = (socket: ScriptedSocket): number =>
      socket.sent.filter((frame) => (frame as { close_context?: true }).close_context).length;
    expect([closed(of('low')), closed(of('high'))]).toEqual([2, 1]);
    world.do({ type: 'disconnect' });
    for (const voice of ['low', 'high']) expect(of(voice).sent.at(-1)).toEqual({ close_socket: true });
    for (const voice of ['low', 'high']) of(voice).close(1000);
    world.advance(20);
    expect(world.seen.connection).toMatchObject({ state: 'closed', open: 0 });
  });

  it('get another connection with another voice, and the one that nobody uses is closed once it is silent', () => {
    spoken();
    world.do({ type: 'speakers', speakers: [CAST[0] ?? speaker('', ''), speaker('Bob', 'deep')] });
    expect(of('high').closedWith).toBeNull();
    perform('Bob');
    open();
    ends(of('high'), idsOn(of('high'))[0] ?? '');
    expect(of('high').closedWith).toBe(1000);
    open();
    world.advance(5);
    expect(JSON.stringify(of('deep').sent)).toContain('Bob speaks.');
    expect(states()).toEqual(['receiving', 'ended', 'receiving', 'waiting']);
    expect(world.problems).toEqual([]);
  });

  it('speak a waiting line with the voice that they had when it began, and the next line with the new one', () => {
    const ann = speaker('Ann', 'low');
    world.do({ type: 'speakers', speakers: [ann] });
    perform('Ann');
    world.do({ type: 'speakers', speakers: [speaker('Ann', 'deep')] });
    perform('Ann');
    open();
    expect(idsOn(of('low'))).toHaveLength(1);
    expect(JSON.stringify(of('low').sent)).toContain('Ann speaks.');
    expect(of('deep').sent).toEqual([]);
    const [id = ''] = idsOn(of('low'));
    says(of('low'), id, 3000);
    ends(of('low'), id);
    expect(idsOn(of('deep'))).toHaveLength(1);
    expect(of('low').closedWith).toBe(1000);
    world.advance(20);
    expect([1, 2].map((id) => world.turn(id).voice)).toEqual(['low', 'deep']);
    expect(states()).toEqual(['ended', 'waiting']);
    expect(world.problems).toEqual([]);
  });

  it('try the lost connection of a waiting line again, also where no speaker has its voice any more', () => {
    perform('Ann');
    open();
    of('low').close(1006);
    perform('Ann');
    world.do({ type: 'speakers', speakers: [speaker('Ann', 'deep')] });
    open();
    expect(of('low').address).toContain('/low/');
    expect(JSON.stringify(of('low').sent)).toContain('Ann speaks.');
    world.advance(20);
    expect(states()).toEqual(['lost', 'waiting']);
  });

  it('say the rest of a line that the server ended with the voice of its beginning', async () => {
    const text = 'One two three four five six.';
    const lines = [{ speaker: 'Ann', text, line: 0 }];
    const source = { kind: 'simulated', profile: SLOW, seed: 1 } as const;
    world.do({ type: 'perform', lines, source, closeAfter: false });
    open();
    await world.advanceSettled(2500);
    const first = of('low');
    const [id = ''] = idsOn(first);
    says(first, id, 3000);
    world.do({ type: 'speakers', speakers: [speaker('Ann', 'deep')] });
    ends(first, id);
    await world.advanceSettled(1000);
    open();
    await world.advanceSettled(5000);
    expect([first.closedWith, of('low') === first]).toEqual([1000, false]);
    const said = [...first.sent, ...of('low').sent].map((frame) => (frame as { text?: string }).text ?? '');
    expect(said.join('')).toContain(text);
    expect([1, 2].map((turn) => world.turn(turn).voice)).toEqual(['low', 'low']);
  });

  it('wait for room on their connection, which the end of any turn of it makes', () => {
    world.do({ type: 'speakers', speakers: ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => speaker(id, 'low')) });
    perform('a', 'b', 'c', 'd', 'e', 'f');
    open();
    const [first = ''] = idsOn(of('low'));
    expect(idsOn(of('low'))).toHaveLength(5);
    says(of('low'), first, 3000);
    expect(idsOn(of('low'))).toHaveLength(5);
    ends(of('low'), first);
    expect(idsOn(of('low'))).toHaveLength(6);
    expect(JSON.stringify(of('low').sent)).toContain('f speaks.');
  });

  it('keep in a replay which texts waited for a connection that was lost', () => {
    perform('Ann', 'Bob');
    of('low').close(1006);
    world.advance(50);
    expect(states()).toEqual(['lost', 'sending']);
    const again = new ReplayWorld(endpoint);
    again.play(recorded.entries());
    again.advance(500);
    expect([...again.turns.values()].map(({ state }) => state)).toEqual(['lost', 'sending']);
  });

  it('are replayed from the recording, each on its connection, sample by sample', () => {
    spoken();
    of('high').close(1006);
    perform('Bob');
    world.advance(1100);
    of('low').close(1006);
    world.advance(3000);
    const again = new ReplayWorld(endpoint);
    again.attachPlayer(RATE);
    again.advance(3.2105);
    again.play(recorded.entries());
    again.advance(world.nowMs - again.nowMs);
    expect([...again.turns.values()].map(({ id, state, samples }) => [id, state, samples])).toEqual(
      [...world.turns.values()].map(({ id, state, samples }) => [id, state, samples]),
    );
    expect(again.heard.findIndex((sample, at) => sample !== world.heard[at])).toBe(-1);
    expect(again.heard.some((sample) => sample !== 0)).toBe(true);
  });
});
