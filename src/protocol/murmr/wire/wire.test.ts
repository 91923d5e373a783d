import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Frame, Settings } from '../../core/endpoint.ts';
import type { SpeechEvent } from '../../core/speech-event.ts';
import { parseClientMessage } from './client-frames.ts';
import { GenerationBuffer, MAX_BUFFER_CHARS } from './generation-buffer.ts';
import { RealtimeWire } from './wire.ts';

const KEY = 'murmr_sk_test_1';
const ACK = { type: 'config_ack', session_id: 'a1b2c3d4' };
const FORMAT = { sample_rate: 24_000, format: 'pcm_s16le' };
const AUDIO = { type: 'audio', chunk: 'AAAB', ...FORMAT };
const PONG = { type: 'pong' };
const DONE = { type: 'done', total_chunks: 5, duration_ms: 2500, first_chunk_latency_ms: 460 };
/** Seed, "error". */
const OCCUPIED = { type: 'error', message: 'All slots occupied, try again shortly', code: 4006 };

/** 52 characters and a space: what the buffer emits by itself. */
const LONG = 'This sentence is just long enough to be spoken alone. ';
const FLUSH = { type: 'flush' };
const PING = { type: 'ping' };
const text = (said: string) => ({ type: 'text', text: said });

/** A wire under test, with frames as objects. */
class Client {
  readonly wire = new RealtimeWire(KEY);

  open(settings: Settings = {}): unknown[] {
    return this.#frames(this.wire.encode({ kind: 'open', settings }));
  }
  say(said: string): unknown[] {
    return this.#frames(this.wire.encode({ kind: 'say', context: '', text: said }));
  }
  flush(): unknown[] {
    return this.#frames(this.wire.encode({ kind: 'flush', context: '' }));
  }
  hear(...frames: (object | Uint8Array<ArrayBuffer>)[]): SpeechEvent[] {
    return frames.flatMap((frame) =>
      this.wire.decode(frame instanceof Uint8Array ? frame : JSON.stringify(frame)),
    );
  }
  replies(): unknown[] {
    return this.#frames(this.wire.replies());
  }
  #frames(frames: Frame[]): unknown[] {
    return frames.map((frame) => JSON.parse(String(frame)) as unknown);
  }
}

/** What a list of events tells, without what all of them have. */
const told = (events: readonly SpeechEvent[]): unknown[] =>
  events.map((event) => {
    switch (event.type) {
      case 'chunkStarted':
        return ['started', event.chunk, event.text];
      case 'audio':
        return ['audio', event.chunk];
      case 'chunkCompleted':
        return ['done', event.chunk];
      case 'error':
        return ['error', event.chunk];
      default:
        return event.type;
    }
  });

describe('config', () => {
  it('seed: contains the voice and, alone, the key', () => {
    const client = new Client();
    expect(
      client.wire.encode({ kind: 'open', settings: { voice_description: 'A bass', language: 'English' } }),
    ).toEqual([`{"type":"config","api_key":"${KEY}","voice_description":"A bass","language":"English"}`]);
  });

  it('26 is sent again with the same key to change the voice', () => {
    const client = new Client();
    client.open();
    expect(client.wire.encode({ kind: 'update', settings: { language: 'German' } })).toEqual([
      `{"type":"config","api_key":"${KEY}","language":"German"}`,
    ]);
  });

  it('keeps its type and its key for any settings', () => {
    expect(new Client().open({ type: 'flush', api_key: 'another', pace: 2 })).toEqual([
      { type: 'config', api_key: KEY, pace: 2 },
    ]);
  });

  it('holds text until the acknowledgement', () => {
    const client = new Client();
    client.open();
    expect(client.wire.isReady).toBe(false);
    expect(client.hear(ACK)).toEqual([]);
    expect(client.wire.isReady).toBe(true);
  });

  it('holds text after a malformed acknowledgement, and reports it', () => {
    const client = new Client();
    expect(client.hear({ type: 'config_ack' })).toEqual([
      { type: 'malformed', problem: 'session_id: expected a string, got nothing' },
    ]);
    expect(client.wire.isReady).toBe(false);
  });
});

describe('binary mode', () => {
  it('seed: is requested after the acknowledgement, and is no field of the config', () => {
    const client = new Client();
    expect(client.open({ binary_mode: true })).toEqual([{ type: 'config', api_key: KEY }]);
    expect(client.replies()).toEqual([]);
    client.hear(ACK);
    expect(client.replies()).toEqual([{ type: 'binary_mode' }]);
    expect(client.replies()).toEqual([]);
    expect(client.hear({ type: 'binary_mode_ack', ...FORMAT })).toEqual([]);
  });

  it('is requested once a connection', () => {
    const client = new Client();
    client.open({ binary_mode: true });
    client.hear(ACK);
    client.replies();
    client.wire.encode({ kind: 'update', settings: { binary_mode: true } });
    client.hear(ACK);
    expect(client.replies()).toEqual([]);
  });

  it('is switched on in the middle of a connection by the next config', () => {
    const client = new Client();
    client.open();
    client.hear(ACK);
    expect(client.replies()).toEqual([]);
    client.wire.encode({ kind: 'update', settings: { binary_mode: true } });
    client.hear(ACK);
    expect(client.replies()).toEqual([{ type: 'binary_mode' }]);
  });

  it.each([{}, { binary_mode: false }, { binary_mode: 'true' }])('is not requested with %j', (settings) => {
    const client = new Client();
    client.open(settings);
    client.hear(ACK);
    expect(client.replies()).toEqual([]);
  });

  it('seed: passes a binary frame as audio without a copy', () => {
    const client = new Client();
    client.say('Hi.');
    client.flush();
    const bytes = new Uint8Array([1, 2, 3]);
    const [start, audio] = client.hear(bytes);
    expect(start).toMatchObject({ type: 'chunkStarted', text: 'Hi.' });
    expect(audio).toMatchObject({ type: 'audio', encoding: 'pcm_s16le', sampleRate: 24_000, samples: null });
    expect(audio?.type === 'audio' && 'bytes' in audio.payload && audio.payload.bytes).toBe(bytes);
  });

  it('accepts JSON audio that was in transit', () => {
    const client = new Client();
    client.say('Hi.');
    client.flush();
    expect(told(client.hear(AUDIO, new Uint8Array(2), DONE))).toEqual([
      ['started', 0, 'Hi.'],
      ['audio', 0],
      ['audio', 0],
      ['done', 0],
      'turnEnded',
    ]);
  });
});

describe('a turn', () => {
  it('seed: text and flush, audio and done', () => {
    const client = new Client();
    expect(client.say('Hello, ')).toEqual([text('Hello, ')]);
    expect(client.say('world!')).toEqual([text('world!')]);
    expect(client.flush()).toEqual([FLUSH]);
    expect(client.hear(AUDIO, DONE)).toEqual<SpeechEvent[]>([
      { type: 'chunkStarted', context: '', chunk: 0, text: 'Hello, world!', inferred: true },
      {
        type: 'audio',
        context: '',
        chunk: 0,
        index: null,
        encoding: 'pcm_s16le',
        sampleRate: 24_000,
        samples: null,
        payload: { base64: 'AAAB' },
      },
      {
        type: 'chunkCompleted',
        context: '',
        chunk: 0,
        audioSeconds: 2.5,
        generationMs: null,
        figures: { firstAudioMs: 460, audioMs: 2500, audioFrames: 5 },
      },
      {
        type: 'turnEnded',
        context: '',
        totals: { audioSeconds: 2.5, textChunks: 1, audioFrames: 5 },
        usage: { audioSeconds: 2.5, characters: 13, costCents: null, currency: null, modelId: null },
      },
    ]);
  });

  it('6.3.13 each emission of the buffer is a chunk with its own text and one done', () => {
    const client = new Client();
    client.say(LONG + LONG);
    client.say('And this.');
    client.flush();
    expect(told(client.hear(AUDIO, AUDIO, DONE, AUDIO, DONE, AUDIO, DONE))).toEqual([
      ['started', 0, LONG.trim()],
      ['audio', 0],
      ['audio', 0],
      ['done', 0],
      ['started', 1, LONG.trim()],
      ['audio', 1],
      ['done', 1],
      ['started', 2, 'And this.'],
      ['audio', 2],
      ['done', 2],
      'turnEnded',
    ]);
  });

  it('continues after a done while text may follow', () => {
    const client = new Client();
    client.say(LONG);
    expect(told(client.hear(AUDIO, DONE))).toEqual([
      ['started', 0, LONG.trim()],
      ['audio', 0],
      ['done', 0],
    ]);
    client.say('More.');
    client.flush();
    expect(told(client.hear(AUDIO, DONE))).toEqual([
      ['started', 1, 'More.'],
      ['audio', 1],
      ['done', 1],
      'turnEnded',
    ]);
  });

  it('recognises a generation without audio by its done', () => {
    const client = new Client();
    client.say('…');
    client.flush();
    expect(told(client.hear({ ...DONE, total_chunks: 0, duration_ms: 0 }))).toEqual([
      ['started', 0, '…'],
      ['done', 0],
      'turnEnded',
    ]);
  });

  it('ends with the same message whether it is flushed or ended', () => {
    const client = new Client();
    client.say('Hi.');
    expect(client.wire.encode({ kind: 'endTurn', context: '' })).toEqual([JSON.stringify(FLUSH)]);
    expect(told(client.hear(DONE))).toContain('turnEnded');
  });

  it('14 keeps several queued turns of a connection in order', () => {
    const client = new Client();
    for (const said of ['One.', 'Two.', `${LONG}Three.`]) {
      client.say(said);
      expect(client.flush()).toEqual([FLUSH]);
    }
    expect(told(client.hear(AUDIO, DONE, DONE, AUDIO, DONE, AUDIO, DONE))).toEqual([
      ['started', 0, 'One.'],
      ['audio', 0],
      ['done', 0],
      'turnEnded',
      ['started', 0, 'Two.'],
      ['done', 0],
      'turnEnded',
      ['started', 0, LONG.trim()],
      ['audio', 0],
      ['done', 0],
      ['started', 1, 'Three.'],
      ['audio', 1],
      ['done', 1],
      'turnEnded',
    ]);
  });

  it('sums the spoken generations', () => {
    const client = new Client();
    client.say(`${LONG}Rest.`);
    client.flush();
    const end = client.hear(DONE, { ...DONE, total_chunks: 2, duration_ms: 500 }).at(-1);
    expect(end).toMatchObject({
      totals: { audioSeconds: 3, textChunks: 2, audioFrames: 7 },
      usage: { audioSeconds: 3, characters: LONG.trim().length + 5, costCents: null },
    });
  });

  it('ends a turn with missing figures, which do not count as 0', () => {
    const client = new Client();
    client.say(`${LONG}Rest.`);
    client.flush();
    const events = client.hear(DONE, { type: 'done', total_chunks: null });
    expect(events.at(-2)).toMatchObject({
      audioSeconds: null,
      figures: { firstAudioMs: null, audioMs: null, audioFrames: null },
    });
    expect(events.at(-1)).toMatchObject({
      totals: { audioSeconds: null, textChunks: 2, audioFrames: null },
      usage: { audioSeconds: null },
    });
  });
});

describe('25 a flush that finds nothing to speak', () => {
  it('sends a ping after an empty flush, whose pong ends the turn', () => {
    const client = new Client();
    expect(client.flush()).toEqual([FLUSH, PING]);
    expect(client.hear(PONG)).toMatchObject([
      {
        type: 'turnEnded',
        totals: { audioSeconds: 0, textChunks: 0, audioFrames: 0 },
        usage: { characters: 0 },
      },
    ]);
    expect(client.hear(PONG)).toEqual([]);
  });

  it('also for white space alone', () => {
    const client = new Client();
    expect(client.say('  \n')).toEqual([text('  \n')]);
    expect(client.flush()).toEqual([FLUSH, PING]);
  });

  it('also after all text of the turn was spoken', () => {
    const client = new Client();
    client.say(LONG);
    client.hear(AUDIO, DONE);
    expect(client.flush()).toEqual([FLUSH, PING]);
    expect(told(client.hear(PONG))).toEqual(['turnEnded']);
  });

  it('needs no ping before a pending done', () => {
    const client = new Client();
    client.say(LONG);
    expect(client.flush()).toEqual([FLUSH]);
    expect(client.flush()).toEqual([FLUSH]);
    expect(told(client.hear(AUDIO, DONE))).toEqual([
      ['started', 0, LONG.trim()],
      ['audio', 0],
      ['done', 0],
      'turnEnded',
      'turnEnded',
    ]);
  });

  it.each([
    ['audio', AUDIO],
    ['done', DONE],
  ])('ends at the latest with the %s of the next turn', (_, frame) => {
    const client = new Client();
    client.flush();
    client.say('Next.');
    client.flush();
    expect(told(client.hear(frame)).slice(0, 2)).toEqual(['turnEnded', ['started', 0, 'Next.']]);
  });

  it('does not end a speaking turn at the pong of a keep-alive', () => {
    const client = new Client();
    client.say('Hi.');
    client.flush();
    expect(client.wire.encode({ kind: 'keepAlive', context: '' })).toEqual([JSON.stringify(PING)]);
    expect(client.hear(PONG)).toEqual([]);
    expect(told(client.hear(DONE))).toContain('turnEnded');
  });
});

describe('errors after which the socket stays open', () => {
  it.each([
    [4004, 'RATE_LIMITED'],
    [4006, 'ALL_SLOTS_OCCUPIED'],
    [4999, null],
    [null, null],
  ])('6.3.7 6.3.8 %i skips one generation of the turn', (code, name) => {
    const client = new Client();
    client.say(`${LONG}Rest.`);
    client.flush();
    const [error] = client.hear({ ...OCCUPIED, code });
    expect(error).toEqual({
      type: 'error',
      context: null,
      message: OCCUPIED.message,
      name,
      code,
      requestId: null,
      chunk: 0,
    });
    const events = client.hear(AUDIO, DONE);
    expect(told(events)).toEqual([['started', 1, 'Rest.'], ['audio', 1], ['done', 1], 'turnEnded']);
    expect(events.at(-1)).toMatchObject({ totals: { textChunks: 1 }, usage: { characters: 5 } });
  });

  it('ends a turn whose last generation is skipped', () => {
    const client = new Client();
    client.say('Hi.');
    client.flush();
    client.say('Next.');
    client.flush();
    expect(told(client.hear(OCCUPIED, AUDIO))).toEqual([
      ['error', 0],
      'turnEnded',
      ['started', 0, 'Next.'],
      ['audio', 0],
    ]);
  });

  it('skips nothing without a pending generation', () => {
    const client = new Client();
    client.say('Hi.');
    expect(told(client.hear(OCCUPIED))).toEqual([['error', undefined]]);
    client.flush();
    expect(told(client.hear(DONE))).toEqual([['started', 0, 'Hi.'], ['done', 0], 'turnEnded']);
  });

  it.each([4001, 4002, 4003, 4005])('%i is about the connection or a message, and skips nothing', (code) => {
    const client = new Client();
    client.say('Hi.');
    client.flush();
    expect(told(client.hear({ type: 'error', message: 'No', code }))).toEqual([['error', undefined]]);
  });

  it('decision 28, 29: 4003 refuses a message and keeps the turn', () => {
    const events = new Client().hear({ type: 'error', message: 'Buffer overflow', code: 4003 });
    expect(events).toMatchObject([{ type: 'error', isRefusal: true }]);
  });

  it('accepts an error without a code', () => {
    expect(new Client().hear({ type: 'error', message: 'No' })).toMatchObject([{ code: null, name: null }]);
  });
});

describe('speech that was not foreseen', () => {
  it('without a request is a turn of its own', () => {
    const client = new Client();
    expect(told(client.hear(AUDIO, AUDIO, DONE))).toEqual([
      ['started', 0, null],
      ['audio', 0],
      ['audio', 0],
      ['done', 0],
      'turnEnded',
    ]);
  });

  it('of text that should still be buffered belongs to the turn that has it', () => {
    const client = new Client();
    client.say('Hi.');
    expect(told(client.hear(AUDIO, DONE))).toEqual([
      ['started', 0, null],
      ['audio', 0],
      ['done', 0],
    ]);
  });
});

describe('what the protocol has no message for sends nothing', () => {
  it.each([
    { kind: 'cancel', context: null },
    { kind: 'openContext', context: 'a', settings: {} },
    { kind: 'closeContext', context: 'a', immediate: true },
    { kind: 'disconnect' },
  ] as const)('$kind', (intent) => {
    expect(new Client().wire.encode(intent)).toEqual([]);
  });
});

describe('the buffer limit of 4096', () => {
  /** Throws where the server would refuse a frame. */
  const speak = (frames: readonly unknown[]): string => {
    const server = new GenerationBuffer();
    return frames
      .map((frame) => {
        const parsed = parseClientMessage(JSON.stringify(frame));
        if (!parsed.ok || parsed.value.type !== 'text') throw new Error('no text');
        if (server.add(parsed.value.text) === null) throw new Error('overflow');
        return parsed.value.text;
      })
      .join('');
  };

  it.each([
    ['words', 'word '.repeat(2000)],
    ['no boundary at all', 'x'.repeat(10_000)],
    ['white space', ' '.repeat(10_000)],
    ['characters of two halves', '🚀'.repeat(5000)],
    ['the second half first', `a${'🚀'.repeat(5000)}`],
  ])('is never exceeded: 10,000 characters of %s', (_, long) => {
    const client = new Client();
    const before = client.say('Some text that waits, ');
    expect(speak([...before, ...client.say(long)])).toBe(`Some text that waits, ${long}`);
  });

  it('ends a frame where its text completes a generation', () => {
    const frames = new Client().say(`${'x'.repeat(60)}. ${'y'.repeat(MAX_BUFFER_CHARS)}`);
    expect(frames[0]).toEqual({ type: 'text', text: `${'x'.repeat(60)}. ` });
    expect(frames).toHaveLength(1 + Math.ceil(MAX_BUFFER_CHARS / 200));
  });

  it('leaves nothing to cut for a server that checks once a frame', () => {
    const texts = fc.array(fc.stringMatching(/^[a-z ,.!🚀]{0,400}$/u), { maxLength: 6 });
    fc.assert(
      fc.property(texts, (said) => {
        const client = new Client();
        const server = new GenerationBuffer();
        for (const frame of said.flatMap((text) => client.say(text))) {
          const { text } = frame as { text: string };
          expect(server.feed(text).taken).toBe(text.length);
        }
      }),
    );
  });

  it('sends no frame for empty text', () => {
    expect(new Client().say('')).toEqual([]);
  });
});

describe('frames that are odd', () => {
  const listening = (): Client => {
    const client = new Client();
    client.say('Hi.');
    client.flush();
    return client;
  };
  const heard = (frame: string): SpeechEvent[] => listening().wire.decode(frame);

  it.each([
    ['keys in another order', '{"format":"pcm_s16le","sample_rate":24000,"chunk":"AAAB","type":"audio"}'],
    [
      'white space',
      '{ "type" : "audio", "chunk" : "AAAB", "sample_rate" : 24000, "format" : "pcm_s16le" }\n',
    ],
    ['lines', JSON.stringify(AUDIO, null, '\t')],
    ['base64 with escapes', '{"type":"audio","chunk":"\\u0041AAB","sample_rate":24000,"format":"pcm_s16le"}'],
    ['a key with escapes', '{"type":"audio","ch\\u0075nk":"AAAB","sample_rate":24000,"format":"pcm_s16le"}'],
    ['no rate and no format', '{"type":"audio","chunk":"AAAB"}'],
  ])('audio with %s is audio', (_, frame) => {
    expect(heard(frame)).toEqual(listening().hear(AUDIO));
  });

  it('accepts escaped slashes in audio', () => {
    expect(heard('{"type":"audio","chunk":"A\\/\\/B"}').at(-1)).toMatchObject({
      payload: { base64: 'A//B' },
    });
  });

  it('keeps another rate of audio', () => {
    expect(
      listening()
        .hear({ ...AUDIO, sample_rate: 16_000 })
        .at(-1),
    ).toMatchObject({ sampleRate: 16_000 });
  });

  it.each<[string, string, RegExp]>([
    ['no JSON', '{"type":', /^expected a JSON object/],
    ['nothing', '', /^expected a JSON object/],
    ['a list', '[1]', /^expected a JSON object/],
    ['null', 'null', /^expected a JSON object/],
    ['audio without audio', '{"type":"audio"}', /^chunk: expected a string/],
    ['audio that is no text', '{"type":"audio","chunk":7}', /^chunk: expected a string, got 7/],
    [
      'audio in another format',
      JSON.stringify({ ...AUDIO, format: 'opus' }),
      /^format: expected "pcm_s16le"/,
    ],
    ['audio at no rate', JSON.stringify({ ...AUDIO, sample_rate: 0 }), /^sample_rate/],
    ['a done with words for figures', JSON.stringify({ ...DONE, duration_ms: 'long' }), /^duration_ms/],
    ['an error without a message', '{"type":"error","code":4006}', /^message: expected a string/],
  ])('reports the fault of %s', (_, frame, problem) => {
    expect(heard(frame)).toEqual([{ type: 'malformed', problem: expect.stringMatching(problem) }]);
  });

  it.each([{ hello: 1 }, { type: 'audio_end' }, { type: 7 }, {}, { type: 'constructor' }])(
    'a frame of another kind is kept whole: %j',
    (frame) => {
      expect(listening().hear(frame)).toEqual([{ type: 'unknown', frame }]);
    },
  );

  it.each([
    ['audio', AUDIO],
    ['audio that takes the thorough way', { ...AUDIO, sample_rate: 16_000 }],
    ['done', DONE],
    ['error', OCCUPIED],
  ])('passes on an unknown field of %s', (_, frame) => {
    const events = listening().hear({ ...frame, loudness: -3, constructor: 'x' });
    expect(events).toContainEqual(expect.objectContaining({ unknown: { loudness: -3, constructor: 'x' } }));
  });

  it('reads any audio frame equally on the fast and the full path', () => {
    const frames = fc.record(
      {
        type: fc.constant('audio'),
        chunk: fc.base64String(),
        sample_rate: fc.constantFrom(24_000, 16_000),
        format: fc.constantFrom('pcm_s16le', 'opus'),
        note: fc.jsonValue(),
        inner: fc.dictionary(fc.constantFrom('chunk', 'type'), fc.base64String()),
      },
      { requiredKeys: ['type'] },
    );
    fc.assert(
      fc.property(
        fc.shuffledSubarray(['type', 'chunk', 'sample_rate', 'format', 'note', 'inner']),
        frames,
        (order, frame) => {
          const keys = order.filter((key) => key in frame);
          const fast = JSON.stringify(frame, [...keys, 'type', 'chunk']);
          // An escape in the key keeps it from being found.
          const thorough = fast.replaceAll('"chunk":', '"\\u0063hunk":');
          expect(heard(fast)).toEqual(heard(thorough));
        },
      ),
    );
  });

  it('never throws for any frame', () => {
    const near = fc.dictionary(
      fc.constantFrom(
        'type',
        'chunk',
        'sample_rate',
        'format',
        'message',
        'code',
        'duration_ms',
        'session_id',
      ),
      fc.oneof(
        fc.constantFrom(
          'audio',
          'done',
          'error',
          'pong',
          'config_ack',
          'binary_mode_ack',
          'pcm_s16le',
          4006,
          24_000,
        ),
        fc.jsonValue({ maxDepth: 2 }),
      ),
    );
    const frame = fc.oneof(
      near.map((value) => JSON.stringify(value)),
      fc.json(),
      fc.string(),
      fc.uint8Array().map((bytes) => new Uint8Array(bytes)),
      fc.constantFrom(AUDIO, DONE, PONG, OCCUPIED, ACK).map((value) => JSON.stringify(value)),
    );
    const step = fc.oneof(
      frame,
      fc.constantFrom<'say' | 'flush'>('say', 'flush').map((kind) => ({ kind })),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const client = new Client();
        let ends = 0;
        for (const item of steps) {
          if (typeof item === 'string' || item instanceof Uint8Array) {
            const events = client.wire.decode(item);
            ends += events.filter(({ type }) => type === 'turnEnded').length;
          } else if (item.kind === 'say') client.say(LONG);
          else client.flush();
        }
        // Whatever came, the next turn is spoken and ends.
        client.say('At last.');
        client.flush();
        let after: SpeechEvent[] = client.hear(PONG);
        for (
          let tries = 0;
          tries < 100 && !told(after).some((one) => String(one).includes('At last.'));
          tries += 1
        ) {
          after = client.hear(DONE);
        }
        expect(told(after).at(-1)).toBe('turnEnded');
        expect(ends).toBeLessThanOrEqual(steps.length * 2);
      }),
    );
  });
});

/** The server by the same rules, as far as the order of frames goes; audio says which text it speaks. */
class Server {
  readonly #buffer = new GenerationBuffer();
  /** Of each turn: what was spoken, and null for what was refused. */
  readonly turns: { spoken: string[]; refused: number }[] = [];
  #turn = { spoken: [] as string[], refused: 0 };
  #due: { said: string; turn: { spoken: string[]; refused: number } }[] = [];
  readonly out: object[] = [];

  get isBusy(): boolean {
    return this.#due.length > 0;
  }

  receive(frame: Frame): void {
    const parsed = parseClientMessage(String(frame));
    if (!parsed.ok) throw new Error(parsed.problem);
    const message = parsed.value;
    if (message.type === 'text') {
      const said = this.#buffer.add(message.text);
      if (!said) throw new Error('overflow');
      for (const one of said) this.#due.push({ said: one, turn: this.#turn });
    } else if (message.type === 'flush') {
      const said = this.#buffer.flush();
      if (said !== null) this.#due.push({ said, turn: this.#turn });
      this.turns.push(this.#turn);
      this.#turn = { spoken: [], refused: 0 };
    } else if (message.type === 'ping') this.out.push(PONG);
  }

  /** The next generation, of so many audio frames; null: it is refused. */
  generate(audioFrames: number | null): void {
    const next = this.#due.shift();
    if (!next) return;
    const { said, turn } = next;
    if (audioFrames === null) {
      turn.refused += 1;
      this.out.push(OCCUPIED);
      return;
    }
    turn.spoken.push(said);
    for (let count = 0; count < audioFrames; count += 1) this.out.push({ ...AUDIO, said });
    this.out.push({ ...DONE, said, total_chunks: audioFrames });
  }
}

describe('for any text in any frames', () => {
  const words = fc.array(
    fc.oneof(
      fc.constantFrom(' ', '. ', ', ', '! ', '\n', '. ', '🚀', '你好。', LONG),
      fc.stringMatching(/^[a-z]{1,12}$/),
      fc.string({ maxLength: 20, unit: 'binary' }),
    ),
    { maxLength: 15 },
  );
  const said = fc.oneof(
    { weight: 8, arbitrary: words.map((parts) => parts.join('')) },
    {
      weight: 1,
      arbitrary: fc.integer({ min: 4000, max: 10_000 }).map((length) => 'word '.repeat(length / 5)),
    },
  );
  const step = fc.oneof(
    { weight: 3, arbitrary: said.map((text) => ({ kind: 'say' as const, text })) },
    { weight: 2, arbitrary: fc.constant({ kind: 'flush' as const }) },
    {
      weight: 4,
      arbitrary: fc.integer({ min: 1, max: 4 }).map((count) => ({ kind: 'receive' as const, count })),
    },
    {
      weight: 4,
      arbitrary: fc
        .option(fc.integer({ min: 0, max: 3 }), { freq: 6 })
        .map((frames) => ({ kind: 'generate' as const, frames })),
    },
    {
      weight: 4,
      arbitrary: fc.integer({ min: 1, max: 6 }).map((count) => ({ kind: 'hear' as const, count })),
    },
  );

  it('makes one chunk of each generation and ends each turn once, in order', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const wire = new RealtimeWire(KEY);
        const server = new Server();
        const onTheWay: Frame[] = [];
        const events: SpeechEvent[] = [];
        const receive = (): void => {
          const frame = onTheWay.shift();
          if (frame !== undefined) server.receive(frame);
        };
        const hear = (): void => {
          const frame = server.out.shift();
          if (frame) events.push(...wire.decode(JSON.stringify(frame)));
        };
        for (const one of steps) {
          if (one.kind === 'say') onTheWay.push(...wire.encode({ kind: 'say', context: '', text: one.text }));
          else if (one.kind === 'flush') onTheWay.push(...wire.encode({ kind: 'flush', context: '' }));
          else if (one.kind === 'generate') server.generate(one.frames);
          else for (let count = 0; count < one.count; count += 1) one.kind === 'receive' ? receive() : hear();
        }
        onTheWay.push(...wire.encode({ kind: 'flush', context: '' }));
        while (onTheWay.length > 0) receive();
        while (server.isBusy) server.generate(1);
        while (server.out.length > 0) hear();

        const turns: { spoken: string[]; refused: number }[] = [];
        let turn = { spoken: [] as string[], refused: 0 };
        const texts = new Map<number, string | null>();
        for (const event of events) {
          if (event.type === 'chunkStarted') texts.set(event.chunk, event.text);
          else if (event.type === 'audio') expect(texts.get(event.chunk)).toBe(event.unknown?.said);
          else if (event.type === 'chunkCompleted') {
            expect(texts.get(event.chunk)).toBe(event.unknown?.said);
            turn.spoken.push(String(event.unknown?.said));
          } else if (event.type === 'error') {
            expect(event.chunk).toBe(turn.spoken.length + turn.refused);
            turn.refused += 1;
          } else {
            expect(event.type).toBe('turnEnded');
            expect(texts.size).toBe(turn.spoken.length);
            turns.push(turn);
            turn = { spoken: [], refused: 0 };
            texts.clear();
          }
        }
        expect(turns).toEqual(server.turns);
        expect(turn).toEqual({ spoken: [], refused: 0 });
      }),
      { numRuns: 300 },
    );
  });
});
