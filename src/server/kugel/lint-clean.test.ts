import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LintedWire } from '../linted-wire.test-helper.ts';
import type { Frame } from '../socket-client.test-helper.ts';
import type { Engine } from '../speech/engine.ts';
import { createEspeakEngine } from '../speech/espeak/espeak-engine.ts';
import { PlayedSession, type SessionId, type Step } from './session-world.test-helper.ts';

/** What the local server says to a client that does as documented must be free of findings. */

/** A session whose every frame goes through the linter. */
class LintedSession extends PlayedSession {
  readonly wire: LintedWire;
  #received: (payload: string) => void = () => {};

  constructor(endpoint: SessionId, { latencyMs = 0, speech }: { latencyMs?: number; speech?: Engine }) {
    super(endpoint, { speech });
    this.wire = new LintedWire(endpoint, latencyMs, undefined, this.world.clock);
  }

  /** Resolves when frames with this marker have come so many times. */
  until(marker: string, count = 1): Promise<void> {
    let missing = count;
    return new Promise((resolve) => {
      this.#received = (payload) => {
        if (payload.includes(`"${marker}":true`)) missing -= 1;
        if (missing === 0) resolve();
      };
    });
  }

  protected override say(payload: string): void {
    this.wire.sends(payload, () => super.say(payload));
  }

  protected override sent(payload: string): void {
    super.sent(payload);
    this.wire.receives(payload, () => this.#received(payload));
  }

  protected override closed(code: number, reason: string): void {
    super.closed(code, reason);
    this.wire.closes(code);
  }

  protected override passed(): void {
    this.wire.passes();
  }
}

type Conditions = ConstructorParameters<typeof LintedSession>[1];
const stream = (conditions: Conditions) => new LintedSession('kugel-stream', conditions);
const multi = (conditions: Conditions) => new LintedSession('kugel-multi', conditions);

const requests = (conditions: Conditions) => new LintedSession('kugel-tts', conditions);

const CONFIG = { voice_id: 1071, language: 'en', word_timestamps: true };
const SENTENCES = 'Good morning to all of you. The train at nine is late, so there is time for a coffee. ';
const TEXT = { text: SENTENCES };
const TURN = { ...TEXT, flush: true };
const FLUSH = { flush: true };
const CANCEL = { cancel: true };

const STREAM_FLOWS: Record<string, Step[]> = {
  'tokens of a model': [CONFIG, ...SENTENCES.split(/(?<= )/).flatMap((text) => [{ text }, 30]), FLUSH],
  'turns pipelined, the first in one frame with its config': [{ ...CONFIG, ...TURN }, TURN, TURN],
  'another format': [{ ...CONFIG, ...TURN, output_format: 'ulaw_8000' }, 0, { ...TURN, sample_rate: 16_000 }],
  'barge-in, and a turn after it': ['hold', CONFIG, TEXT, 100, CANCEL, 'release', 500, TURN],
  'idle end': [CONFIG, { text: 'Left alone' }, 12_000, { text: 'Next turn.', flush: true }],
  'flush and close with nothing': [CONFIG, FLUSH, { close: true }, 0, TURN, { close: true }],
  'settings in mid-turn': [CONFIG, TEXT, { update_settings: { speed: 1.1 } }, { sample_rate: 8000 }, 0, TURN],
  'close_socket after a flush': [CONFIG, TURN, { close_socket: true }],
  'close_socket in mid-turn': [CONFIG, TEXT, { close_socket: true }],
  'restart of the server in mid-turn': [CONFIG, { text: 'Not flushed yet' }, 100, 'going away'],
  'a voice that is not there, in mid-turn': [CONFIG, TEXT, { voice_id: 999_999 }, FLUSH],
  'generation fails': ['fail', CONFIG, TURN],
};

const REQUEST = { ...CONFIG, ...TEXT };

const REQUEST_FLOWS: Record<string, Step[]> = {
  'requests in other formats': [
    REQUEST,
    5000,
    ...[{ ...REQUEST, output_format: 'ulaw_8000' }, 5000, { ...REQUEST, sample_rate: 16_000 }],
  ],
  'barge-in, and a request after it': ['hold', REQUEST, 100, CANCEL, 'release', 500, REQUEST],
  'cancel in the frame of a request': ['hold', REQUEST, 100, { ...REQUEST, ...CANCEL }, 'release'],
  'settings updated, then other models': [
    { update_settings: { speed: 1.1 } },
    REQUEST,
    5000,
    { ...REQUEST, model_id: 'kugel-2' },
  ],
  'restart of the server while speaking': ['hold', REQUEST, 100, 'going away', 'release'],
  'a voice that is not there, then another': [{ ...REQUEST, voice_id: 999_999 }, 1000, REQUEST],
  'generation fails': ['fail', REQUEST],
};

const create = (id: string): Frame => ({
  text: ' ',
  context_id: id,
  language: 'en',
  word_timestamps: true,
  voice_settings: { voice_id: 1071 },
});
const say = (id: string): Frame => ({ ...TEXT, context_id: id });
const turn = (id: string): Frame => ({ ...TURN, context_id: id });
const keepAlive = (id: string): Frame => ({ text: '', context_id: id });
const cancel = (id: string): Frame => ({ cancel: true, context_id: id });
const close = (id: string): Frame => ({ close_context: true, context_id: id });
const closeNow = (id: string): Frame => ({ ...close(id), immediate: true });

const TWENTY = Array.from({ length: 20 }, (_, place) => `c${place}`);
/** Two contexts, the second of which has flushed. */
const TWO_SPEAK: Step[] = [create('a'), create('b'), say('a'), turn('b')];

const MULTI_FLOWS: Record<string, Step[]> = {
  'several contexts at once': [create, say, turn, close].flatMap((does) => ['a', 'b', 'c'].map(does)),
  'turns pipelined, then close': [create('a'), turn('a'), turn('a'), turn('a'), say('a'), close('a')],
  'keep-alives, then idle': [create('a'), 15_000, keepAlive('a'), 15_000, keepAlive('a'), 60_000],
  'a longer inactivity': [{ ...create('a'), inactivity_timeout: 60 }, turn('a'), 40_000, turn('a'), 90_000],
  'barge-in by an immediate close': ['hold', ...TWO_SPEAK, closeNow('a'), 'release', 500, create('a')],
  'cancel one and all': [...TWO_SPEAK, 0, cancel('a'), turn('a'), 0, CANCEL, 0, turn('b'), 500, close('a')],
  'twenty contexts, one closed, another opened': [...TWENTY.map(create), close('c0'), 500, create('d')],
  'close_socket while speaking': [...TWO_SPEAK, { close_socket: true }],
  'restart of the server while speaking': [...TWO_SPEAK, 'going away'],
  'close of what is not there, and twice': [close('a'), create('a'), 0, close('a'), 500, close('a')],
  'generation fails': [create('a'), create('b'), say('b'), 0, 'fail', turn('a'), 500, turn('a'), turn('b')],
  'ulaw, settings updated': [
    ...[
      { ...create('a'), output_format: 'ulaw_8000' },
      turn('a'),
      0,
      { update_settings: { speed: 1.1 } },
      turn('a'),
    ],
  ],
};

describe.each([
  { of: 'stream', open: stream, flows: STREAM_FLOWS },
  { of: 'multi', open: multi, flows: MULTI_FLOWS },
  { of: 'tts', open: requests, flows: REQUEST_FLOWS },
])('sessions of $of lint clean', ({ open, flows }) => {
  it.each(Object.entries(flows))('%s', async (_, steps) => {
    for (const latencyMs of [0, 40, 400]) {
      const session = await open({ latencyMs }).play(...steps, 45_000);
      expect(session.wire.wrong, `with ${latencyMs} ms of latency`).toEqual([]);
      expect(session.wire.misread).toEqual([]);
    }
  });
});

describe('any messages of a client in any order', () => {
  const waits = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(7000) });
  const streamMessages = fc.constantFrom<Frame>(
    ...[{ text: 'Hello there, my friend. ' }, { text: 'no end' }, { text: ' ' }, TEXT],
    ...[FLUSH, CANCEL, { text: 'At once.', flush: true }, { close: true }],
    ...[{ update_settings: { speed: 1.1 } }, { output_format: 'alaw_8000' }, { word_timestamps: false }],
  );
  const multiMessages = fc
    .tuple(
      fc.constantFrom('a', 'b'),
      fc.constantFrom<(id: string) => Frame>(
        ...[create, say, turn, keepAlive, cancel, close, closeNow],
        (id) => ({ flush: true, context_id: id }),
        (id) => ({ text: 'no end', context_id: id }),
        () => CANCEL,
      ),
    )
    .map(([id, message]) => message(id));

  /** A message, now and then one that comes while the engine pauses, and the time after it. */
  const steps = (messages: fc.Arbitrary<Frame>, waitsMs = waits) =>
    fc
      .tuple(messages, waitsMs, fc.boolean())
      .map(([message, waitMs, isHeld]): Step[] =>
        isHeld ? ['hold', 0, message, 0, 'release', waitMs] : [message, waitMs],
      );

  const ttsMessages = fc.constantFrom<Frame>(
    ...[
      REQUEST,
      { ...REQUEST, output_format: 'alaw_8000' },
      { ...REQUEST, text: 'Hi.', word_timestamps: false },
    ],
    ...[CANCEL, { ...REQUEST, ...CANCEL }, { update_settings: { speed: 1.1 } }, { ...REQUEST, text: '...' }],
  );

  it.each([
    { of: 'tts', open: requests, messages: ttsMessages, first: [] },
    { of: 'stream', open: stream, messages: streamMessages, first: [CONFIG] },
    { of: 'multi', open: multi, messages: multiMessages, first: [create('a'), create('b')] },
    { of: 'multi at its limit', open: multi, messages: multiMessages, first: TWENTY.slice(1).map(create) },
  ])('$of: nothing is found against the server', async ({ open, messages, first }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(0, 30, 300),
        fc.array(steps(messages), { maxLength: 14 }),
        async (latencyMs, played) => {
          const session = await open({ latencyMs }).play(...first, ...played.flat(), 60_000);
          expect(session.wire.wrongOfServer).toEqual([]);
          expect(session.wire.misread).toEqual([]);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('multi: each flush and the close have their final, and the bill has all text of the context', async () => {
    const ids = ['a', 'b'];
    const messages = fc
      .tuple(
        fc.constantFrom(...ids),
        fc.constantFrom(say, turn, keepAlive, (id: string) => ({ flush: true, context_id: id })),
      )
      .map(([id, message]): Frame => message(id));
    await fc.assert(
      fc.asyncProperty(fc.array(steps(messages, fc.nat(600)), { maxLength: 14 }), async (played) => {
        const session = await multi({}).play(...ids.map(create), ...played.flat(), ...ids.map(close), 60_000);
        for (const id of ids) {
          const sent = played
            .flat()
            .filter((step) => typeof step === 'object' && step.context_id === id) as Frame[];
          const flushes = sent.filter((message) => message.flush).length;
          const characters = sent.reduce((sum, message) => sum + String(message.text ?? '').length, 0);
          expect(
            session
              .kinds(id)
              .split(' ')
              .filter((kind) => kind === 'final'),
          ).toHaveLength(flushes + 1);
          expect(session.usage(id)?.characters ?? 0).toBe(characters);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('a flush that crosses the idle end of a turn, twice: nothing is found against the server', async () => {
    const session = await stream({ latencyMs: 300 }).play(CONFIG, TEXT, 5000, TEXT, 5000, FLUSH, 60_000);
    expect(session.wire.wrongOfServer).toEqual([]);
  });
});

describe('real speech of any text', () => {
  const TEXTS: Record<string, string> = {
    'an ordinary text': 'Good morning. The train leaves at nine; it is late, so there is time for a coffee.',
    'numbers, dates and abbreviations':
      'On 3/4/2025 Dr. Smith paid $1,234.50, i.e. 12.5 % more, for 3 kg at 7:30 p.m.',
    'signs and quotations':
      '“Well,” she said — ‘it’s fine’… (is it?) 👍 e-mail: a.b@c.example/x_y #1 & more!',
    'words that are none': '... !!! --- *** ½ ² § 😀😀',
    tags: 'Wait <break time="500ms"/> for <spell>ABC</spell>, <prosody rate="slow">this</prosody>. 3 < 4 > 2.',
    'several scripts': 'Hello. Привет, мир. 你好，世界。こんにちは。 مرحبا. שלום.',
    'long words': `${'Donaudampfschifffahrt'.repeat(20)} and an end.`,
  };
  const RATES = [22_050, 24_000, 8000];
  let speech: Engine;

  beforeAll(async () => {
    speech = await createEspeakEngine({ threads: 1 });
  });
  afterAll(() => speech.close());

  it.each(Object.entries(TEXTS).map(([name, text], at) => ({ name, text, sample_rate: RATES[at % 3] })))(
    '$name at $sample_rate Hz',
    async ({ text, sample_rate }) => {
      const session = stream({ speech });
      const over = session.until('session_closed');
      await session.play({ ...CONFIG, sample_rate }, { text }, FLUSH);
      await over;
      expect(session.wire.findings).toEqual([]);
    },
  );

  it('all of them in contexts at once', async () => {
    const session = multi({ speech });
    const over = session.until('context_closed', 7);
    await session.play(
      ...Object.entries(TEXTS).flatMap(([id, text]) => [create(id), { text, context_id: id }, close(id)]),
    );
    await over;
    expect(session.wire.findings).toEqual([]);
  });
});
