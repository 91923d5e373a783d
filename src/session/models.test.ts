import { describe, expect, it } from 'vitest';
import type { ApiFault } from '#text/api/api-fault.ts';
import type { ChatRequest } from '#text/chat/chat-request.ts';
import type { ChatStreamer } from '#text/chat/stream-chat.ts';
import type { SimulationProfile } from '#text/simulated-model.ts';
import { userActionOf } from '#trace/user-actions.ts';
import { record } from './testing/recorded.ts';
import { audioFrame, samplesOf, settled, started, World } from './testing/world.ts';

const EVEN: SimulationProfile = {
  timeToFirstTokenMs: 100,
  tokensPerSecond: 10,
  jitter: 0,
  burst: { every: 0, size: 0 },
  stall: { chance: 0, ms: 0 },
};

const CHAT: ChatRequest = {
  base: 'http://model/v1',
  model: 'scripted',
  key: 'sk-canary-123456',
  messages: [{ role: 'user', content: 'Why?' }],
  thoughts: { tag: '', isFirst: false },
};

const FAULT: ApiFault = { severity: 'error', title: 'It broke', detail: 'Why.', remedy: 'Ask again.' };

type Said = IteratorResult<string, ApiFault | null>;

/** A model server under the control of a test. */
class Model {
  readonly asked: { request: ChatRequest; signal: AbortSignal }[] = [];
  #say: (token: Said) => void = () => {};

  readonly stream: ChatStreamer = async function* (this: Model, request: ChatRequest, signal: AbortSignal) {
    this.asked.push({ request, signal });
    for (;;) {
      const next = await new Promise<Said>((resolve) => {
        this.#say = resolve;
        signal.addEventListener('abort', () => resolve({ done: true, value: null }));
      });
      if (next.done) return next.value;
      yield next.value;
    }
  }.bind(this);

  async say(...tokens: string[]): Promise<void> {
    for (const value of tokens) {
      this.#say({ done: false, value });
      await settled();
    }
  }

  async end(fault: ApiFault | null = null): Promise<void> {
    this.#say({ done: true, value: fault });
    await settled();
  }
}

async function asking(question = 'Why?') {
  const model = new Model();
  const world = new World(undefined, undefined, undefined, model.stream);
  const { entries } = record(world);
  world.connect();
  world.do({ type: 'ask', request: 1, question, context: '', chat: CHAT });
  await settled();
  world.advance(20);
  return { world, model, entries };
}

it('asks and waits for the next connection while the server closes the last one', async () => {
  const model = new Model();
  const world = new World(undefined, undefined, undefined, model.stream);
  world.connect();
  world.do({ type: 'disconnect' });
  world.do({ type: 'ask', request: 1, question: 'Why?', context: '', chat: CHAT });
  world.socket.close(1000);
  await settled();
  expect(world.sockets).toHaveLength(2);
  world.socket.open();
  await model.say('Because.');
  world.advance(20);
  expect(world.turn(1)).toMatchObject({ state: 'sending', text: 'Because.' });
  expect(sent(world)).toEqual([{ text: 'Because.' }]);
});

async function simulating(world = new World()): Promise<World> {
  world.do({ type: 'simulate', text: 'One two three.', profile: EVEN, seed: 1 });
  await settled();
  return world;
}

const sent = (world: World) => world.socket.sent.slice(1);

describe.each(['simulated', 'live'] as const)('the text of a %s model', (kind) => {
  /** The first token was sent, and `next` lets the others come. */
  async function writing() {
    if (kind === 'live') {
      const { world, model } = await asking();
      await model.say('One ');
      const isAborted = () => model.asked[0]?.signal.aborted;
      return { world, isAborted, next: () => model.say('two ', 'three.') };
    }
    const world = new World();
    world.connect();
    await simulating(world);
    world.advance(110);
    return { world, isAborted: () => true, next: async () => world.advance(300) };
  }

  it.each<[string, (world: World) => void, object[]]>([
    ['a cancel', (world) => world.do({ type: 'cancel' }), [{ cancel: true }]],
    ['a failure of the voice', (world) => world.socket.say({ error: 'No.', code: 500 }), []],
    [
      'typed text',
      (world) => world.do({ type: 'speak', text: 'Typed.' }),
      [{ flush: true }, { text: 'Typed.' }, { flush: true }],
    ],
  ])('ends at %s', async (_, happens, frames) => {
    const { world, isAborted, next } = await writing();
    happens(world);
    expect(isAborted()).toBe(true);
    await next();
    world.advance(1000);
    expect(sent(world)).toEqual([{ text: 'One ' }, ...frames]);
    expect(world.turn(1).text).toBe('One ');
    expect(world.seen.source?.state).toBe('stopped');
    if (kind === 'live') expect(world.turn(1).answer).toMatchObject({ state: 'stopped', tokens: 1 });
  });

  it('continues in another turn when the server ends the first by idleness', async () => {
    const { world, next } = await writing();
    world.socket.say({ warning: 'Turn ended after 5s of inactivity.' });
    await next();
    world.advance(100);
    expect(world.turn(1).text).toBe('One ');
    expect(world.turn(2)).toMatchObject({ text: 'two three.', origin: kind });
  });
});

describe('a simulated model', () => {
  it('sends each token when it is due, then flushes', async () => {
    const world = new World();
    world.connect();
    await simulating(world);
    world.advance(20);
    expect(world.seen.source).toMatchObject({ state: 'running', total: 3, sent: 0, nextToken: 'One ' });
    world.advance(80);
    expect(sent(world)).toEqual([{ text: 'One ' }]);
    world.advance(100);
    expect(sent(world)).toEqual([{ text: 'One ' }, { text: 'two ' }]);
    world.advance(120);
    expect(sent(world).slice(2)).toEqual([{ text: 'three.' }, { flush: true }]);
    expect(world.seen.source).toMatchObject({ state: 'done', sent: 3, nextToken: null });
    expect(world.turn(1)).toMatchObject({ origin: 'simulated', text: 'One two three.', textFrames: 3 });
  });

  it('sends nothing where it is cancelled before its text is cut into tokens', async () => {
    const world = new World();
    world.connect();
    const simulated = simulating(world);
    world.do({ type: 'cancel' });
    await simulated;
    world.advance(1000);
    expect(sent(world)).toEqual([]);
  });

  it('keeps tokens that are due before the connection is open', async () => {
    const world = await simulating();
    world.advance(1000);
    world.socket.open();
    expect(sent(world)).toEqual([{ text: 'One ' }, { text: 'two ' }, { text: 'three.' }, { flush: true }]);
  });

  it('reports a vocabulary that cannot be loaded', async () => {
    const world = await simulating(new World(() => Promise.reject(new Error('offline'))));
    world.advance(20);
    expect(world.problems[0]).toContain('no vocabulary');
  });
});

describe('a live model', () => {
  it('shows its turn before the first token, then sends each token and flushes at the end', async () => {
    const { world, model } = await asking();
    expect(model.asked.map(({ request }) => request)).toEqual([CHAT]);
    const answered = { question: 'Why?', state: 'asked' };
    expect(world.turn(1)).toMatchObject({ origin: 'live', text: '', answer: answered });
    expect(world.seen.source).toMatchObject({ model: 'live', state: 'running', total: null });
    world.advance(300);
    await model.say('\n', 'One ');
    world.advance(100);
    await model.say('two.');
    await model.end();
    world.advance(20);
    expect(sent(world)).toEqual([{ text: 'One ' }, { text: 'two.' }, { flush: true }]);
    const { answer } = world.turn(1);
    const counts = { tokens: 2, characters: 8 };
    expect(answer).toMatchObject({ request: 1, turn: 1, state: 'done', model: 'scripted', ...counts });
    expect((answer?.firstTokenMs ?? 0) - (answer?.askedMs ?? 0)).toBe(320);
    expect((answer?.lastTokenMs ?? 0) - (answer?.firstTokenMs ?? 0)).toBe(100);
    const marks = world.marks.filter(({ kind }) => kind === 'asked' || kind === 'token');
    expect(marks.map(({ kind, turn, text = kind }) => [turn, text])).toEqual([
      [1, 'asked'],
      [1, 'One '],
      [1, 'two.'],
    ]);
  });

  it('ends its turn where it is cancelled before the first token, so that no other text joins it', async () => {
    const { world } = await asking();
    world.do({ type: 'cancel' });
    world.do({ type: 'speak', text: 'Typed.' });
    world.advance(20);
    expect(world.turn(1)).toMatchObject({ state: 'cancelled', text: '' });
    expect(world.turn(2)).toMatchObject({ origin: 'whole', text: 'Typed.' });
  });

  it.each([
    { tokens: ['One.'], state: 'waiting', frames: [{ text: 'One.' }, { flush: true }] },
    { tokens: [], state: 'failed', frames: [] },
  ])('that fails after the tokens $tokens leaves its turn $state', async ({ tokens, state, frames }) => {
    const { world, model } = await asking();
    await model.say(...tokens);
    await model.end(FAULT);
    world.advance(20);
    expect(sent(world)).toEqual(frames);
    expect(world.turn(1)).toMatchObject({ state, answer: { state: 'failed' } });
    expect(world.seen.problems).toMatchObject([{ title: 'It broke', remedy: 'Ask again.' }]);
  });

  it('is recorded with question and model, and its key is nowhere, also where the server repeats it', async () => {
    const { world, model, entries } = await asking(`Why ${CHAT.key}?`);
    const begun = entries().find(({ kind }) => kind === 'begun');
    const [origin, context] = ['live', null];
    expect(begun && userActionOf(begun)).toEqual({
      ...{ kind: 'begun', turn: 1, context, origin, line: null, question: 'Why [key]?', model: 'scripted' },
    });
    await model.say(`The key is ${CHAT.key}, or `, CHAT.key, '.');
    await model.end({ ...FAULT, detail: `401: Incorrect key ${CHAT.key}` });
    world.socket.say(started(`The key is ${CHAT.key}, or ${CHAT.key}.`));
    world.socket.say(audioFrame(samplesOf(100)));
    world.advance(500);
    // The question is shown as it was written.
    const turns = [...world.turns.values()].map(({ answer, ...turn }) => turn);
    const all = [world.seen, turns, world.marks, world.socket.sent, entries()];
    expect(JSON.stringify(all)).not.toContain(CHAT.key);
    expect(world.turn(1).text).toBe('The key is [key], or [key].');
  });
});
