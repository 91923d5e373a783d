import { describe, expect, it } from 'vitest';
import { userActionOf } from '#recordings/format/user-actions.ts';
import type { ChatFault } from '#text/chat/fault.ts';
import type { ChatRequest } from '#text/chat/messages.ts';
import type { ChatStreamer } from '#text/chat/stream-chat.ts';
import { record } from '../testing/recorded.ts';
import { audioFrame, samplesOf, started, World } from '../testing/world.ts';

const CHAT: ChatRequest = {
  base: 'http://model/v1',
  model: 'scripted',
  key: 'sk-canary-123456',
  messages: [{ role: 'user', content: 'Why?' }],
};

const FAULT: ChatFault = { severity: 'error', title: 'It broke', detail: 'Why.', remedy: 'Ask again.' };

/** A model server under the control of a test. */
class Model {
  readonly asked: { request: ChatRequest; signal: AbortSignal }[] = [];
  #say: (token: IteratorResult<string, ChatFault | null>) => void = () => {};

  readonly stream: ChatStreamer = async function* (this: Model, request: ChatRequest, signal: AbortSignal) {
    this.asked.push({ request, signal });
    for (;;) {
      const next = await new Promise<IteratorResult<string, ChatFault | null>>((resolve) => {
        this.#say = resolve;
        signal.addEventListener('abort', () => resolve({ done: true, value: null }));
      });
      if (next.done) return next.value;
      yield next.value;
    }
  }.bind(this);

  async say(token: string): Promise<void> {
    this.#say({ done: false, value: token });
    await settled();
  }

  async end(fault: ChatFault | null = null): Promise<void> {
    this.#say({ done: true, value: fault });
    await settled();
  }
}

const settled = async (): Promise<void> => {
  for (let turns = 0; turns < 12; turns += 1) await Promise.resolve();
};

async function asking(): Promise<{ world: World; model: Model }> {
  const model = new Model();
  const world = new World(undefined, undefined, undefined, model.stream);
  world.connect();
  world.do({ type: 'ask', request: 1, question: 'Why?', context: '', chat: CHAT });
  await settled();
  world.advance(20);
  return { world, model };
}

describe('a live model', () => {
  it('shows its turn before the first token, then says each token and flushes at the end', async () => {
    const { world, model } = await asking();
    expect(model.asked.map(({ request }) => request)).toEqual([CHAT]);
    expect(world.turn(1)).toMatchObject({
      origin: 'live',
      text: '',
      answer: { question: 'Why?', state: 'asked' },
    });
    expect(world.seen.source).toMatchObject({ model: 'live', state: 'running', total: null });
    world.advance(300);
    await model.say('\n');
    await model.say('One ');
    world.advance(100);
    await model.say('two.');
    await model.end();
    world.advance(20);
    expect(world.socket.sent.slice(1)).toEqual([{ text: 'One ' }, { text: 'two.' }, { flush: true }]);
    const { answer } = world.turn(1);
    expect(answer).toMatchObject({
      request: 1,
      turn: 1,
      state: 'done',
      tokens: 2,
      characters: 8,
      model: 'scripted',
    });
    expect((answer?.firstTokenMs ?? 0) - (answer?.askedMs ?? 0)).toBe(320);
    expect((answer?.lastTokenMs ?? 0) - (answer?.firstTokenMs ?? 0)).toBe(100);
    const marks = world.marks.filter(({ kind }) => kind === 'asked' || kind === 'token');
    expect(marks.map(({ kind, turn, text }) => [kind, turn, text])).toEqual([
      ['asked', 1, undefined],
      ['token', 1, 'One '],
      ['token', 1, 'two.'],
    ]);
  });

  it('aborts the request at a barge-in, and says nothing more', async () => {
    const { world, model } = await asking();
    await model.say('One ');
    world.do({ type: 'cancel' });
    expect(model.asked[0]?.signal.aborted).toBe(true);
    await model.say('two.');
    world.advance(1000);
    expect(world.socket.sent.slice(1)).toEqual([{ text: 'One ' }, { cancel: true }]);
    expect(world.turn(1)).toMatchObject({ state: 'cancelled', answer: { state: 'stopped', tokens: 1 } });
    expect(world.seen.source?.state).toBe('stopped');
  });

  it('ends its turn when it is cancelled before the first token, so that no other text joins it', async () => {
    const { world } = await asking();
    world.do({ type: 'cancel' });
    world.do({ type: 'speak', text: 'Typed.' });
    world.advance(20);
    expect(world.turn(1)).toMatchObject({ state: 'cancelled', text: '' });
    expect(world.turn(2)).toMatchObject({ origin: 'whole', text: 'Typed.' });
  });

  it('gives way to typed text, and is spoken as far as it came', async () => {
    const { world, model } = await asking();
    await model.say('One ');
    world.do({ type: 'speak', text: 'Typed.' });
    world.advance(20);
    expect(model.asked[0]?.signal.aborted).toBe(true);
    expect(world.turn(1)).toMatchObject({ text: 'One ', answer: { state: 'stopped' } });
    expect(world.turn(2).text).toBe('Typed.');
  });

  it('speaks what came before a failure, and says what went wrong', async () => {
    const { world, model } = await asking();
    await model.say('One.');
    await model.end(FAULT);
    world.advance(20);
    expect(world.socket.sent.slice(1)).toEqual([{ text: 'One.' }, { flush: true }]);
    expect(world.turn(1)).toMatchObject({ state: 'waiting', answer: { state: 'failed' } });
    expect(world.seen.problems).toMatchObject([{ turn: null, title: 'It broke', remedy: 'Ask again.' }]);
  });

  it('fails its turn when it failed before the first token', async () => {
    const { world, model } = await asking();
    await model.end(FAULT);
    world.advance(20);
    expect(world.turn(1)).toMatchObject({ state: 'failed', text: '' });
    expect(world.socket.sent).toHaveLength(1);
  });

  it('is aborted when the voice fails', async () => {
    const { world, model } = await asking();
    await model.say('One ');
    world.socket.say({ error: 'Audio generation failed', error_code: 'INTERNAL_ERROR', code: 500 });
    expect(model.asked[0]?.signal.aborted).toBe(true);
    world.advance(20);
    expect(world.turn(1).answer?.state).toBe('stopped');
  });

  it('2.3.12 continues in another turn when the server ended the first for idleness', async () => {
    const { world, model } = await asking();
    await model.say('One ');
    world.socket.say({ warning: 'Turn ended after 5s of inactivity.' });
    await model.say('two.');
    await model.end();
    world.advance(20);
    expect(world.turn(1).text).toBe('One ');
    expect(world.turn(2)).toMatchObject({ text: 'two.', origin: 'live', answer: { turn: 1, tokens: 2 } });
  });

  it('records question and model where its turn begins, and no key that the question repeats', async () => {
    const world = new World(undefined, undefined, undefined, new Model().stream);
    const { entries } = record(world);
    world.do({ type: 'ask', request: 1, question: `Why ${CHAT.key}?`, context: '', chat: CHAT });
    const begun = entries().find(({ kind }) => kind === 'begun');
    expect(begun && userActionOf(begun)).toEqual({
      kind: 'begun',
      turn: 1,
      context: null,
      origin: 'live',
      line: null,
      question: 'Why [key]?',
      model: 'scripted',
    });
    expect(JSON.stringify(entries())).not.toContain(CHAT.key);
  });

  it('keeps its key out of everything that is spoken, shown and reported, also where the server repeats it', async () => {
    const { world, model } = await asking();
    await model.say(`The key is ${CHAT.key}, or `);
    await model.say(CHAT.key.slice(0, 9));
    await model.say(`${CHAT.key.slice(9)}.`);
    await model.end({ ...FAULT, detail: `401: Incorrect key ${CHAT.key}` });
    world.socket.say(started(`The key is ${CHAT.key}, or ${CHAT.key}.`));
    world.socket.say(audioFrame(samplesOf(100)));
    world.advance(500);
    expect(JSON.stringify([world.seen, [...world.turns], world.marks, world.socket.sent])).not.toContain(
      CHAT.key,
    );
    expect(world.turn(1).text).toBe('The key is [key], or [key][key].');
  });
});
