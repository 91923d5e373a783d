import { describe, expect, it } from 'vitest';
import { settle } from '../fake-clock.test-helper.ts';
import { createWorld } from './session-world.test-helper.ts';

const OUT = 'output_format=pcm_24000';
const say = (context_id: string, text: string, more = {}) => ({ text, context_id, ...more });
const flush = (context_id: string) => ({ context_id, flush: true });
const close = (context_id: string) => ({ context_id, close_context: true });
const SPEECH = ['segment', 'tail'];
const of = (id: string, ...kinds: string[]) => kinds.map((kind) => `${id}:${kind}`);

describe('contexts', () => {
  it.each<[string, object[], string[]]>([
    [
      'elevenlabs-client-1 LiveKit',
      [
        say('a', ' ', { voice_settings: {} }),
        say('a', 'Hi. ', { flush: true }),
        say('a', '', { flush: true }),
        close('a'),
      ],
      of('a', ...SPEECH, 'final'),
    ],
    [
      'elevenlabs-context-8 without text',
      [say('a', ' ', { voice_settings: {} }), say('a', '', { flush: true }), close('a')],
      of('a', 'final'),
    ],
    [
      'elevenlabs-client-4 Pipecat',
      [{ text: '' }, say('a', ' '), say('a', 'Hi.'), flush('a'), close('a')],
      of('a', ...SPEECH, 'final'),
    ],
    [
      'elevenlabs-context-3 the default one has no id',
      [{ text: 'Hi.', flush: true }, { close_context: true }],
      [...SPEECH, 'final'],
    ],
    [
      'elevenlabs-message-21 an empty text is no end',
      [say('a', 'Hi.', { flush: true }), say('a', '')],
      of('a', ...SPEECH),
    ],
    [
      'elevenlabs-context-7 drops what is not flushed',
      [say('a', 'Hi.', { flush: true }), say('a', 'No.'), close('a')],
      of('a', ...SPEECH, 'final'),
    ],
    [
      'elevenlabs-context-7 drops text beside the close',
      [
        say('a', 'Hi.', { flush: true, close_context: true }),
        say('b', ' '),
        { ...say('b', 'No.', { flush: true }), close_context: true },
      ],
      of('b', 'final'),
    ],
    [
      'elevenlabs-context-6 an id can be used again',
      [say('a', 'Hi.'), close('a'), say('a', 'Again.', { flush: true })],
      of('a', 'final', ...SPEECH),
    ],
    [
      'elevenlabs-context-12 close_socket speaks all',
      [say('a', 'Hi.'), say('b', ' '), { close_socket: true }, say('c', 'No.', { flush: true })],
      ['b:final', ...of('a', ...SPEECH, 'final')],
    ],
    [
      'elevenlabs-bill-5 no credits: a final frame alone',
      [say('no', 'Hi.', { flush: true }), say('no', '', { flush: true }), close('no')],
      of('no', 'final'),
    ],
    [
      'elevenlabs-bill-5 no credits, and close_socket still closes',
      [say('no', 'Hi.'), { close_socket: true }],
      of('no', 'final'),
    ],
  ])('%s', async (_, sent, kinds) => {
    const key = sent.some((each) => 'context_id' in each && each.context_id === 'no')
      ? 'local-no-credits'
      : 'local';
    const world = createWorld('multi', { key, query: OUT });
    await world.send(...sent);
    expect(world.kinds()).toEqual(kinds);
    const isClosed = sent.some((each) => 'close_socket' in each);
    expect(world.closes).toEqual(isClosed ? [[1000, '']] : []);
  });

  it('elevenlabs-end-8 a context that is closing has its final frame once, and takes no more text', async () => {
    const world = createWorld('multi');
    world.engine.hold();
    await world.send(
      say('a', 'Hi.', { flush: true }),
      close('a'),
      say('a', 'No.', { flush: true }),
      close('a'),
    );
    world.engine.release();
    await settle();
    expect(world.kinds()).toEqual(of('a', ...SPEECH, 'final'));
  });

  it('elevenlabs-turn-1 speak at once, each in its order', async () => {
    const world = createWorld('multi', { query: `${OUT}&auto_mode=true` });
    await world.send(say('a', 'One.'), say('b', 'Two.'), say('a', 'Three.'), say('b', 'Four.'));
    const chars = (id: string) =>
      world.sent.flatMap(({ contextId, alignment }) =>
        contextId === id && alignment ? [(alignment as { chars: string[] }).chars.join('')] : [],
      );
    expect([chars('a'), chars('b')]).toEqual([
      ['One. ', 'Three. '],
      ['Two. ', 'Four. '],
    ]);
  });

  const five = ['a', 'b', 'c', 'd', 'e'].map((id) => say(id, ' '));
  it.each<[string, object[], string[]]>([
    ['a sixth', [...five, say('f', ' ')], ['f:max_active_conversations']],
    ['a sixth that a flush creates', [...five, flush('f')], ['f:max_active_conversations']],
    ['one in the place of a closed one', [...five, close('a'), say('f', ' ')], ['a:final']],
    ['a keep-alive of the socket', [...five, { text: '' }], []],
    ['a keep-alive of an unknown one', [...five, say('f', '')], ['f:max_active_conversations']],
    ['a close of an unknown one', [...five, close('f')], []],
  ])('elevenlabs-context-1 at most five: %s', async (_, sent, kinds) => {
    const world = createWorld('multi');
    await world.send(...sent);
    expect(world.kinds()).toEqual(kinds);
  });

  it.each<[string, object[], boolean]>([
    [
      'a change',
      [say('a', ' ', { voice_settings: { speed: 1 } }), say('a', 'x', { voice_settings: { speed: 1.1 } })],
      true,
    ],
    [
      'the same again',
      [say('a', ' ', { voice_settings: { speed: 1 } }), say('a', 'x', { voice_settings: { speed: 1 } })],
      false,
    ],
    [
      'a default beside the same',
      [
        say('a', ' ', { voice_settings: { speed: 1.1 } }),
        say('a', 'x', { voice_settings: { speed: 1.1, stability: 0.5 } }),
      ],
      false,
    ],
    [
      'others in another context',
      [say('a', ' ', { voice_settings: { speed: 1 } }), say('b', ' ', { voice_settings: { speed: 0.9 } })],
      false,
    ],
    ['some after a keep-alive', [say('a', ''), say('a', 'x', { voice_settings: { speed: 1 } })], true],
    [
      'some after a keep-alive without id',
      [{ text: '' }, say('a', 'x', { voice_settings: { speed: 1 } })],
      false,
    ],
  ])('elevenlabs-voice-8 voice settings: %s', async (_, sent, isRefused) => {
    const world = createWorld('multi');
    await world.send(...sent);
    expect(world.errors().length > 0).toBe(isRefused);
  });
});

describe('the inactivity time-out', () => {
  it('elevenlabs-limit-9 takes the place of an idle context, and closes a silent socket', async () => {
    const world = createWorld('multi');
    await world.send(say('a', ' '), say('b', ' '));
    await world.clock.advance(15_000);
    await world.send(say('b', ''));
    await world.clock.advance(5000);
    expect(world.kinds()).toEqual(['a:input_timeout_exceeded']);
    await world.send(say('a', 'Hi.', { flush: true }), { text: '' });
    await world.clock.advance(20_000);
    expect(world.kinds().slice(1)).toEqual([
      ...of('a', ...SPEECH),
      'b:input_timeout_exceeded',
      'input_timeout_exceeded',
    ]);
    await world.clock.advance(800);
    expect(world.closes).toMatchObject([[1008, expect.stringContaining('Have not received')]]);
    expect(world.clock.timers).toBe(0);
  });
});

describe('the end', () => {
  it('leaves no timer of a context that is open', async () => {
    const world = createWorld('multi');
    await world.send(say('a', 'Hi.', { flush: true }), close('a'));
    await world.send({ context_id: 'a', flush: true });
    world.session.gone();
    expect(world.clock.timers).toBe(0);
  });

  it.each([
    ['no context is busy', [say('a', 'Not flushed.')], []],
    [
      'all is spoken',
      [say('a', 'Hi.', { flush: true }), close('a'), say('b', ' ')],
      of('a', ...SPEECH, 'final'),
    ],
  ])('a server that shuts down closes 1001 once %s', async (_, sent, kinds) => {
    const world = createWorld('multi');
    world.engine.hold();
    await world.send(...sent);
    world.session.goingAway();
    world.engine.release();
    await settle();
    expect([world.kinds(), world.closes]).toEqual([kinds, [[1001, 'the server is shutting down']]]);
  });
});
