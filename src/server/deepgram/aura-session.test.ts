import { describe, expect, it } from 'vitest';
import { settle } from '../fake-clock.test-helper.ts';
import { nonsense } from '../session-world.test-helper.ts';
import { bytesIn, CLEAR, CLOSE, createWorld, FLUSH, speak } from './session-world.test-helper.ts';

const TEXT = 'Hello there. How are you? ';
/** The test engine speaks 10 ms a character, here at 24 kHz in 16 bits. */
const bytesOf = (text: string): number => text.length * 480;

describe('turns', () => {
  it('deepgram-message-23 Metadata comes first, before anything is said', async () => {
    const world = createWorld('aura');
    expect(world.sent).toEqual([
      {
        type: 'Metadata',
        request_id: 'a1b2c3d4-0000-4000-8000-000000000000',
        model_name: 'aura-2-thalia-en',
        model_version: expect.stringMatching(/^\d{4}-\d\d-\d\d\.\d$/),
        model_uuid: expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
        additional_model_uuids: [],
      },
    ]);
  });

  it('deepgram-turn-3 Flushed comes after the last audio of its text', async () => {
    const world = createWorld('aura');
    await world.send(speak('Hello there. '), speak('How are you? '), FLUSH);
    expect(world.kinds()).toEqual(['Metadata', 'bytes', 'Flushed']);
    expect(world.of('Flushed')).toEqual([{ type: 'Flushed', sequence_id: 0 }]);
    expect(world.spoken().join('')).toBe(TEXT.trimEnd());
  });

  it('deepgram-text-7 a sentence is spoken once white space follows it, and nothing else before the flush', async () => {
    const world = createWorld('aura');
    await world.send(speak('Hello there.'));
    expect(world.spoken()).toEqual([]);
    await world.send(speak(' How are'));
    expect(world.spoken()).toEqual(['Hello there.']);
    expect(world.kinds()).toEqual(['Metadata', 'bytes']);
    await world.send(speak(' you'), FLUSH);
    expect(world.spoken()).toEqual(['Hello there.', ' How are you']);
    expect(world.kinds()).toEqual(['Metadata', 'bytes', 'Flushed']);
  });

  it('deepgram-text-1 joins texts as they are', async () => {
    const world = createWorld('aura');
    await world.send(speak('Hel'), speak('lo the'), speak('re'), FLUSH);
    expect(world.spoken()).toEqual(['Hello there']);
  });

  it('deepgram-turn-4 answers flushes in their order', async () => {
    const world = createWorld('aura');
    await world.send(speak('One'), FLUSH, speak('Two'), FLUSH, FLUSH, speak('Three'), FLUSH);
    expect(world.kinds()).toEqual([
      'Metadata',
      ...['bytes', 'Flushed', 'bytes', 'Flushed', 'Flushed', 'bytes', 'Flushed'],
    ]);
    expect(world.of('Flushed').map(({ sequence_id }) => sequence_id)).toEqual([0, 1, 2, 3]);
  });

  it.each([
    ['an empty flush', [FLUSH]],
    ['empty texts', [speak(''), FLUSH]],
    ['white space', [speak('  \n'), FLUSH]],
  ])('deepgram-turn-14 %s is answered at once, without audio', async (_, messages) => {
    const world = createWorld('aura');
    await world.send(...messages);
    expect(world.kinds()).toEqual(['Metadata', 'Flushed']);
    expect(world.spoken()).toEqual([]);
  });

  it.each([
    ['encoding=linear16&sample_rate=16000', 1280],
    ['encoding=linear16&sample_rate=48000', 3840],
    ['encoding=mulaw', 320],
    ['encoding=alaw&sample_rate=16000', 640],
  ])('deepgram-audio-8 with %s, frames hold 40 ms', async (query, bytes) => {
    const world = createWorld('aura', { query: `model=aura-2-thalia-en&${query}` });
    await world.send(speak('Ten words in this text, which is rather long.'), FLUSH);
    const frames = world.sent.flatMap((each) => (each instanceof Uint8Array ? [each.length] : []));
    expect(frames.slice(0, -1).every((length) => length === bytes)).toBe(true);
    expect(frames.at(-1)).toBeLessThanOrEqual(bytes);
    expect(bytesIn(world.sent)).toBe((bytes / 40) * 450);
  });

  it('the voice, its language and its pace are those of the model', async () => {
    const world = createWorld('aura', { query: 'model=aura-2-carina-es&speed=0.8' });
    await world.send(speak('Hola'), FLUSH);
    expect(world.engine.requests[0]).toMatchObject({
      voice: { handle: 'lucia' },
      language: 'es',
      speed: 0.8,
    });
  });
});

describe('Clear', () => {
  it('deepgram-cancel-11 cuts the audio, forgets text and outstanding flushes, and leaves the socket open', async () => {
    const world = createWorld('aura');
    world.engine.hold();
    await world.send(speak('One sentence. Another one. '), FLUSH, speak('More'), FLUSH, speak('Even more'));
    await world.send(CLEAR);
    world.engine.release();
    await settle();
    expect(world.kinds()).toEqual(['Metadata', 'Cleared']);
    world.forget();
    await world.send(speak('Afterwards'), FLUSH);
    expect(world.kinds()).toEqual(['bytes', 'Flushed']);
    expect(bytesIn(world.sent)).toBe(bytesOf('Afterwards'));
    expect(world.of('Flushed')).toEqual([{ type: 'Flushed', sequence_id: 0 }]);
  });

  it('deepgram-cancel-11 with nothing to clear, is answered at once and counted apart', async () => {
    const world = createWorld('aura');
    await world.send(CLEAR, FLUSH);
    await world.send(CLEAR);
    expect(world.of('Cleared').map(({ sequence_id }) => sequence_id)).toEqual([0, 1]);
    expect(world.of('Flushed').map(({ sequence_id }) => sequence_id)).toEqual([0]);
  });
});

describe('Close', () => {
  it('deepgram-end-2 speaks what is buffered, with no Flushed that nobody asked for', async () => {
    const world = createWorld('aura');
    await world.send(speak('The rest'), CLOSE, speak('Too late'), FLUSH);
    expect(world.kinds()).toEqual(['Metadata', 'bytes', '1000']);
    expect(world.spoken()).toEqual(['The rest']);
  });

  it('with nothing to speak, closes at once', async () => {
    const world = createWorld('aura');
    await world.send(CLOSE);
    expect(world.kinds()).toEqual(['Metadata', '1000']);
    expect(world.closes).toEqual([[1000, '']]);
    expect(world.clock.timers).toBe(0);
  });
});

describe('limits', () => {
  it('deepgram-limit-1 a text of 2,000 characters is taken, and a longer one ends the socket', async () => {
    const world = createWorld('aura');
    await world.send(speak('a'.repeat(2000)));
    expect(world.closes).toEqual([]);
    const other = createWorld('aura');
    await other.send(speak('a'.repeat(2001)));
    expect(other.closes).toEqual([[1009, 'BIG-0001: One Speak has more than 2,000 characters.']]);
    expect(other.kinds()).toEqual(['Metadata', '1009']);
  });

  it('deepgram-limit-2 takes 2,400 characters a minute', async () => {
    const world = createWorld('aura');
    await world.send(speak('a'.repeat(1400)));
    await world.clock.advance(30_000);
    await world.send(speak('a'.repeat(1000)));
    await world.clock.advance(29_999);
    expect(world.closes).toEqual([]);
    await world.clock.advance(1);
    await world.send(speak('a'.repeat(1400)));
    expect(world.closes).toEqual([]);
    await world.send(speak('a'));
    expect(world.closes).toEqual([[1008, expect.stringMatching(/^DATA-0001/)]]);
  });

  it('deepgram-limit-4 closes after 60 minutes, and not before', async () => {
    const world = createWorld('aura');
    await world.clock.advance(3_599_999);
    expect(world.closes).toEqual([]);
    await world.clock.advance(1);
    expect(world.closes).toEqual([[1011, expect.stringMatching(/^NET-0003/)]]);
  });
});

describe('errors', () => {
  it.each([
    ['no JSON', 'hello'],
    ['an array', '[]'],
    ['an unknown type', nonsense({ type: 'KeepAlive' })],
    ['Interrupt, which is of v2', nonsense({ type: 'Interrupt' })],
    ['no text', nonsense({ type: 'Speak' })],
    ['text of another kind', nonsense({ type: 'Speak', text: 5 })],
  ])('deepgram-close-3 %s closes with DATA-0000 alone', async (_, message) => {
    const world = createWorld('aura');
    await world.send(message);
    expect(world.closes).toEqual([[1008, expect.stringMatching(/^DATA-0000/)]]);
    expect(world.kinds()).toEqual(['Metadata', '1008']);
  });

  it('deepgram-message-8 a binary message closes with MESSAGE-0000', async () => {
    const world = createWorld('aura');
    world.session.binary(new Uint8Array(1));
    expect(world.closes).toEqual([[1003, expect.stringMatching(/^MESSAGE-0000/)]]);
  });

  it('deepgram-message-7 ignores further fields', async () => {
    const world = createWorld('aura');
    await world.send(nonsense({ ...speak('Hi'), speed: 2 }), nonsense({ ...FLUSH, sequence_id: 7 }));
    expect(world.of('Flushed')).toEqual([{ type: 'Flushed', sequence_id: 0 }]);
  });

  it('deepgram-close-8 a failing engine closes with NET-0000', async () => {
    const world = createWorld('aura');
    world.engine.failNext();
    await world.send(speak('Hi'), FLUSH);
    expect(world.closes).toEqual([[1011, expect.stringMatching(/^NET-0000/)]]);
  });
});

describe('the end of the connection', () => {
  it('a client that leaves stops its speech and leaves its place', async () => {
    const world = createWorld('aura');
    world.engine.hold();
    await world.send(speak('Hello'), FLUSH);
    world.session.gone({ code: 1005, reason: '', asked: true });
    world.engine.release();
    await settle();
    expect(world.kinds()).toEqual(['Metadata']);
    expect(world.left).toBe(1);
    expect(world.clock.timers).toBe(0);
  });

  it('a server that shuts down speaks what is flushed, then closes', async () => {
    const world = createWorld('aura');
    world.engine.hold();
    await world.send(speak('Hello'), FLUSH, speak('never flushed'));
    world.session.goingAway();
    expect(world.closes).toEqual([]);
    world.engine.release();
    await settle();
    expect(world.kinds()).toEqual(['Metadata', 'bytes', 'Flushed', '1001']);
  });

  it('a server that shuts down closes an idle socket at once', async () => {
    const world = createWorld('aura');
    world.session.goingAway();
    expect(world.closes).toEqual([[1001, 'the server is shutting down']]);
  });
});
