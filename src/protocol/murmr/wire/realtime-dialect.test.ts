import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Intent, Settings } from '../../core/endpoint.ts';
import type { Frame } from '../../core/frame.ts';
import { describeIssues } from '../../core/issue.ts';
import type { Fields } from '../../core/json-frame.ts';
import type { SpeechEvent } from '../../core/speech-event.ts';
import { parseClientFields } from './client-frames.ts';
import { GenerationBuffer } from './generation-buffer.ts';
import { RealtimeDialect } from './realtime-dialect.ts';

const KEY = 'murmr_sk_test_1';
const ACK = { type: 'config_ack', session_id: 'a1b2c3d4' };
const FORMAT = { sample_rate: 24_000, format: 'pcm_s16le' };
const AUDIO = { type: 'audio', chunk: 'AAAB', ...FORMAT };
const BYTES = new Uint8Array([1, 2, 3]);
const PONG = { type: 'pong' };
const DONE = { type: 'done', total_chunks: 5, duration_ms: 2500, first_chunk_latency_ms: 460 };
const OCCUPIED = { type: 'error', message: 'All slots occupied, try again shortly', code: 4006 };

/** 52 characters and a space: what the buffer emits by itself. */
const LONG = 'This sentence is just long enough to be spoken alone. ';

const open = (settings: Settings = {}): Intent => ({ kind: 'open', settings });
const update = (settings: Settings): Intent => ({ kind: 'update', settings });
const say = (text: string): Intent => ({ kind: 'say', context: '', text });
const flush: Intent = { kind: 'flush', context: '' };
const endTurn: Intent = { kind: 'endTurn', context: '' };
const keepAlive: Intent = { kind: 'keepAlive', context: '' };

/** An intent of the page or a frame of the server. */
type Step = Intent | Uint8Array<ArrayBuffer> | { type: string; [field: string]: unknown };

/** Runs the steps on a new connection. Returns the frames sent, replies included, and the events decoded. */
function run(...steps: Step[]) {
  const wire = new RealtimeDialect(KEY);
  const sent: Frame[] = [];
  const events: SpeechEvent[] = [];
  for (const step of steps) {
    if (step instanceof Uint8Array) events.push(...wire.decode(step));
    else if ('type' in step) events.push(...wire.decode(JSON.stringify(step)));
    else sent.push(...wire.encode(step));
    sent.push(...wire.replies());
  }
  return { wire, sent: sent.map((frame) => JSON.parse(String(frame)) as unknown), events };
}

const heard = (...steps: Step[]): SpeechEvent[] => run(...steps).events;

/** The events in short: the number of each chunk with its text at its start. */
const summaryOf = (events: readonly SpeechEvent[]): string =>
  events
    .map((event) => {
      if (event.type === 'chunkStarted') {
        return `${event.chunk} ${event.text === LONG.trim() ? 'LONG' : JSON.stringify(event.text)}`;
      }
      if (event.type === 'chunkCompleted') return `${event.chunk} done`;
      return event.type === 'turnEnded' ? 'end' : `${'chunk' in event ? `${event.chunk} ` : ''}${event.type}`;
    })
    .join(', ');

const typesOf = (sent: readonly unknown[]): string =>
  sent.map((frame) => (frame as { type: string }).type).join(' ');

describe('config', () => {
  it('contains the voice and, alone, the key', () => {
    expect(run(open({ voice_description: 'A bass', language: 'English' })).sent).toEqual([
      { type: 'config', api_key: KEY, voice_description: 'A bass', language: 'English' },
    ]);
  });

  it('26 is sent again with the same key to change the voice', () => {
    expect(run(open(), update({ language: 'German' })).sent[1]).toEqual({
      type: 'config',
      api_key: KEY,
      language: 'German',
    });
  });

  it('keeps its type and its key for any settings', () => {
    const settings = { type: 'flush', api_key: 'another', pace: 2 };
    expect(run(open(settings)).sent).toEqual([{ type: 'config', api_key: KEY, pace: 2 }]);
  });

  it('holds text until the acknowledgement, also after a malformed one', () => {
    expect(run(open()).wire.isReady).toBe(false);
    const { wire, events } = run(open(), { type: 'config_ack' });
    expect(events).toEqual([{ type: 'malformed', problem: 'session_id: expected a string, got nothing' }]);
    expect(wire.isReady).toBe(false);
    expect(run(open(), ACK)).toMatchObject({ events: [], wire: { isReady: true } });
  });
});

describe('binary mode', () => {
  const on = { binary_mode: true };

  it.each<[string, Step[], string]>([
    ['after the acknowledgement', [open(on), ACK, ACK], 'config binary_mode'],
    ['not before it', [open(on)], 'config'],
    ['once a connection', [open(on), ACK, update(on), ACK], 'config binary_mode config'],
    ['in the middle of a connection', [open(), ACK, update(on), ACK], 'config config binary_mode'],
    ['not without the setting', [open(), ACK], 'config'],
    ['not with false', [open({ binary_mode: false }), ACK], 'config'],
    ['not with a text', [open({ binary_mode: 'true' }), ACK], 'config'],
  ])('is requested %s', (_, steps, frames) => {
    expect(typesOf(run(...steps).sent)).toBe(frames);
  });

  it('is no field of the config, and its acknowledgement is no event', () => {
    const { sent, events } = run(open(on), ACK, { type: 'binary_mode_ack', ...FORMAT });
    expect(sent).toEqual([{ type: 'config', api_key: KEY }, { type: 'binary_mode' }]);
    expect(events).toEqual([]);
  });

  it('passes a binary frame as audio without a copy', () => {
    const audio = heard(say('Hi.'), flush, BYTES)[1];
    expect(audio).toMatchObject({ type: 'audio', encoding: 'pcm_s16le', sampleRate: 24_000, samples: null });
    expect(audio?.type === 'audio' && 'bytes' in audio.payload && audio.payload.bytes).toBe(BYTES);
  });
});

describe('a turn', () => {
  it('text and flush, audio and done', () => {
    const { sent, events } = run(say('Hello, '), say('world!'), flush, AUDIO, DONE);
    expect(sent).toEqual([
      { type: 'text', text: 'Hello, ' },
      { type: 'text', text: 'world!' },
      { type: 'flush' },
    ]);
    expect(events).toEqual<SpeechEvent[]>([
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

  const SPOKEN: [string, Step[], string][] = [
    [
      'makes each emission of the buffer a chunk with its own text and one done',
      [say(LONG + LONG), say('And this.'), flush, AUDIO, AUDIO, DONE, AUDIO, DONE, AUDIO, DONE],
      '0 LONG, 0 audio, 0 audio, 0 done, 1 LONG, 1 audio, 1 done, 2 "And this.", 2 audio, 2 done, end',
    ],
    [
      'continues after a done while text may follow',
      [say(LONG), AUDIO, DONE, say('More.'), flush, AUDIO, DONE],
      '0 LONG, 0 audio, 0 done, 1 "More.", 1 audio, 1 done, end',
    ],
    ['recognises a generation without audio by its done', [say('…'), flush, DONE], '0 "…", 0 done, end'],
    ['accepts JSON audio in transit', [say('Hi.'), flush, AUDIO, BYTES], '0 "Hi.", 0 audio, 0 audio'],
    ['ends also with endTurn', [say('Hi.'), endTurn, DONE], '0 "Hi.", 0 done, end'],
    [
      '14 keeps several queued turns of a connection in order',
      [say('One.'), flush, say('Two.'), flush, say(`${LONG}Three.`), flush, AUDIO, DONE, DONE, DONE, DONE],
      '0 "One.", 0 audio, 0 done, end, 0 "Two.", 0 done, end, 0 LONG, 0 done, 1 "Three.", 1 done, end',
    ],
    ['25 ends at the pong after a flush of nothing', [flush, PONG, PONG], 'end'],
    ['25 ends at the pong after spoken text', [say(LONG), DONE, flush, PONG], '0 LONG, 0 done, end'],
    ['25 ends two turns at one done', [say(LONG), flush, flush, DONE], '0 LONG, 0 done, end, end'],
    ['25 ends before the audio of the next', [flush, say('Next.'), flush, AUDIO], 'end, 0 "Next.", 0 audio'],
    ['25 ends before the done of the next', [flush, say('N.'), flush, DONE], 'end, 0 "N.", 0 done, end'],
    ['25 does not end at the pong of a keep-alive', [say('Hi.'), flush, keepAlive, PONG], ''],
    [
      'speaks without a request as a turn of its own',
      [AUDIO, BYTES, DONE],
      '0 null, 0 audio, 0 audio, 0 done, end',
    ],
    ['keeps early speech in the turn of its text', [say('Hi.'), AUDIO, DONE], '0 null, 0 audio, 0 done'],
    [
      'ends where its last generation is skipped',
      [say('Hi.'), flush, say('Next.'), flush, OCCUPIED, AUDIO],
      '0 error, end, 0 "Next.", 0 audio',
    ],
    [
      'skips nothing without a pending generation',
      [say('Hi.'), OCCUPIED, flush, DONE],
      'error, 0 "Hi.", 0 done, end',
    ],
  ];
  it.each(SPOKEN)('%s', (_, steps, events) => {
    expect(summaryOf(heard(...steps))).toBe(events);
  });

  it.each<[string, Step[], string]>([
    ['after an empty flush', [flush], 'flush ping'],
    ['after white space alone', [say('  \n'), flush], 'text flush ping'],
    ['after all text of the turn was spoken', [say(LONG), AUDIO, DONE, flush], 'text flush ping'],
    ['not before a pending done', [say(LONG), flush, flush], 'text flush flush'],
  ])('25 sends a ping %s', (_, steps, frames) => {
    expect(typesOf(run(...steps).sent)).toBe(frames);
  });

  it('sends a ping as keep-alive, and nothing for what the protocol has no message for', () => {
    expect(run(keepAlive).sent).toEqual([{ type: 'ping' }]);
    const without: Intent[] = [
      { kind: 'cancel', context: null },
      { kind: 'openContext', context: 'a', settings: {} },
      { kind: 'closeContext', context: 'a', immediate: true },
      { kind: 'disconnect' },
      say(''),
    ];
    expect(run(...without).sent).toEqual([]);
  });

  it.each<[string, Step[], object]>([
    [
      'the spoken generations',
      [say(`${LONG}Rest.`), flush, DONE, { ...DONE, total_chunks: 2, duration_ms: 500 }],
      {
        totals: { audioSeconds: 3, textChunks: 2, audioFrames: 7 },
        usage: { audioSeconds: 3, characters: LONG.trim().length + 5, costCents: null },
      },
    ],
    [
      '25 nothing',
      [flush, PONG],
      { totals: { audioSeconds: 0, textChunks: 0, audioFrames: 0 }, usage: { characters: 0 } },
    ],
    [
      'missing figures as unknown, not as 0',
      [say(`${LONG}Rest.`), flush, DONE, { type: 'done', total_chunks: null }],
      { totals: { audioSeconds: null, textChunks: 2, audioFrames: null }, usage: { audioSeconds: null } },
    ],
  ])('sums %s', (_, steps, end) => {
    expect(heard(...steps).at(-1)).toMatchObject(end);
  });
});

describe('errors after which the socket stays open', () => {
  it.each([
    [4004, 'RATE_LIMITED'],
    [4006, 'ALL_SLOTS_OCCUPIED'],
    [4999, null],
    [null, null],
    [undefined, null],
  ])('%s skips one generation of the turn', (code, name) => {
    const [error, ...rest] = heard(say(`${LONG}Rest.`), flush, { ...OCCUPIED, code }, AUDIO, DONE);
    const { message } = OCCUPIED;
    expect(error).toEqual({
      type: 'error',
      context: null,
      message,
      name,
      code: code ?? null,
      requestId: null,
      chunk: 0,
    });
    expect(summaryOf(rest)).toBe('1 "Rest.", 1 audio, 1 done, end');
    expect(rest.at(-1)).toMatchObject({ totals: { textChunks: 1 }, usage: { characters: 5 } });
  });

  it.each([4001, 4002, 4003, 4005])('%i is about the connection or a message, and skips nothing', (code) => {
    expect(summaryOf(heard(say('Hi.'), flush, { ...OCCUPIED, code }))).toBe('error');
  });

  it('4003 alone refuses a message and keeps the turn', () => {
    expect(heard({ ...OCCUPIED, code: 4003 })).toMatchObject([{ type: 'error', isRefusal: true }]);
    expect(heard({ ...OCCUPIED, code: 4005 })[0]).not.toHaveProperty('isRefusal');
  });
});

describe('frames that are odd', () => {
  it.each<[string, Step, RegExp]>([
    ['audio without audio', { type: 'audio' }, /^chunk: expected a string/],
    ['audio that is no text', { type: 'audio', chunk: 7 }, /^chunk: expected a string, got 7/],
    ['audio in another format', { ...AUDIO, format: 'opus' }, /^format: expected "pcm_s16le"/],
    ['audio at no rate', { ...AUDIO, sample_rate: 0 }, /^sample_rate/],
    ['a done with words for figures', { ...DONE, duration_ms: 'long' }, /^duration_ms/],
    ['an error without a message', { type: 'error', code: 4006 }, /^message: expected a string/],
  ])('reports the fault of %s', (_, frame, problem) => {
    expect(heard(frame)).toEqual([{ type: 'malformed', problem: expect.stringMatching(problem) }]);
  });

  it('accepts audio without rate and format, with another rate, and with escaped slashes', () => {
    const audio = heard({ type: 'audio', chunk: 'AAAB' });
    expect(audio).toEqual(heard(AUDIO));
    expect(heard({ ...AUDIO, sample_rate: 16_000 })[1]).toMatchObject({ sampleRate: 16_000 });
    const escaped = new RealtimeDialect(KEY).decode('{"type":"audio","chunk":"A\\/\\/B"}');
    expect(escaped[1]).toMatchObject({ payload: { base64: 'A//B' } });
  });
});

const textOf = (frame: unknown): string => {
  const parsed = parseClientFields(frame as Fields);
  return parsed.ok && parsed.value.type === 'text' ? parsed.value.text : '(no text)';
};

describe('the buffer limit of 4096', () => {
  it.each([
    ['words', 'word '.repeat(2000)],
    ['no boundary at all', 'x'.repeat(10_000)],
    ['white space', ' '.repeat(10_000)],
    ['characters of two halves', '🚀'.repeat(5000)],
    ['the second half first', `a${'🚀'.repeat(5000)}`],
  ])('is never exceeded: 10,000 characters of %s', (_, long) => {
    const server = new GenerationBuffer();
    const texts = run(say('Some text that waits, '), say(long)).sent.map(textOf);
    expect(texts.join('')).toBe(`Some text that waits, ${long}`);
    for (const text of texts) expect(server.add(text)).not.toBeNull();
  });

  it('ends a frame where its text completes a generation', () => {
    const { sent } = run(say(`${'x'.repeat(60)}. ${'y'.repeat(4096)}`));
    expect(sent[0]).toEqual({ type: 'text', text: `${'x'.repeat(60)}. ` });
    expect(sent).toHaveLength(1 + Math.ceil(4096 / 200));
  });

  it('leaves nothing to cut for a server that checks once a frame', () => {
    const texts = fc.array(fc.stringMatching(/^[a-z ,.!🚀]{0,400}$/u), { maxLength: 6 });
    fc.assert(
      fc.property(texts, (said) => {
        const server = new GenerationBuffer();
        for (const text of run(...said.map(say)).sent.map(textOf)) {
          expect(server.feed(text).to).toBe(text.length);
        }
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
    const parsed = parseClientFields(JSON.parse(String(frame)));
    if (!parsed.ok) throw new Error(describeIssues(parsed.issues));
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
        const wire = new RealtimeDialect(KEY);
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
