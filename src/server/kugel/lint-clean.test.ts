import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import type { Finding } from '#protocol/core/rule.ts';
import { kugelMulti } from '#protocol/kugel/multi.ts';
import { kugelStream } from '#protocol/kugel/stream.ts';
import { openLinter } from '#protocol/linters.ts';
import type { Session } from '../connection.ts';
import { settle } from '../fake-clock.test-helper.ts';
import type { SessionOptions } from './kugel-session.ts';
import { MultiSession } from './multi-session.ts';
import { createSessionWorld, type SessionWorld } from './session-world.test-helper.ts';
import { StreamSession } from './stream-session.ts';

/** What the local server says to a client that does as documented must be free of findings. */

type Message = Record<string, unknown>;

/** A session whose every frame goes through the linter, over a network that takes its time. */
class LintedSession {
  readonly findings: Finding[] = [];
  readonly world: SessionWorld = createSessionWorld();
  readonly #linter;
  readonly #session: Session;
  readonly #latencyMs: number;
  #index = 0;

  constructor(endpoint: Endpoint, open: (options: SessionOptions) => Session, latencyMs = 0) {
    this.#linter = openLinter(endpoint.id);
    this.#latencyMs = latencyMs;
    const { clock } = this.world;
    const arriving = (deliver: () => void) =>
      latencyMs === 0 ? deliver() : void clock.after(latencyMs, deliver);
    this.#session = open({
      ...this.world.options,
      connection: {
        ...this.world.options.connection,
        send: (payload) => arriving(() => this.#note({ direction: 'in', payload })),
        close: (code) =>
          arriving(() => this.findings.push(...this.#linter.closed({ ...this.#moment(), code }))),
      },
    });
    this.findings.push(...this.#linter.opened(this.#moment()));
  }

  /** Sends messages, and lets what needs no time happen. */
  async send(...messages: Message[]): Promise<void> {
    for (const message of messages) {
      const payload = JSON.stringify(message);
      this.#note({ direction: 'out', payload });
      if (this.#latencyMs === 0) this.#session.text(payload);
      else this.world.clock.after(this.#latencyMs, () => this.#session.text(payload));
    }
    await settle();
  }

  async pass(ms: number): Promise<void> {
    await this.world.clock.advance(ms);
    this.findings.push(...this.#linter.pass(this.world.clock.nowMs() * 1000));
  }

  goingAway(): void {
    this.#session.goingAway();
  }

  /** Everything but advice. */
  wrong(): Finding[] {
    return this.findings.filter(({ severity }) => severity !== 'advice');
  }

  advice(): string[] {
    return [...new Set(this.findings.filter(({ severity }) => severity === 'advice').map(({ id }) => id))];
  }

  #note(frame: { direction: 'in' | 'out'; payload: string | Uint8Array }): void {
    this.findings.push(...this.#linter.feed({ ...this.#moment(), ...frame }));
  }

  #moment() {
    const moment = { index: this.#index, atUs: this.world.clock.nowMs() * 1000, connection: 1 };
    this.#index += 1;
    return moment;
  }
}

const stream = (latencyMs = 0) =>
  new LintedSession(kugelStream, (options) => new StreamSession(options), latencyMs);
const multi = (latencyMs = 0) =>
  new LintedSession(kugelMulti, (options) => new MultiSession(options), latencyMs);

const CONFIG = { voice_id: 1071, language: 'en', word_timestamps: true };
const SENTENCES = 'Good morning to all of you. The train at nine is late, so there is time for a coffee. ';

const STREAM_FLOWS: Record<string, (session: LintedSession) => Promise<void>> = {
  'one turn': async (session) => {
    await session.send(CONFIG, { text: SENTENCES }, { flush: true });
  },
  'tokens of a model': async (session) => {
    await session.send(CONFIG);
    for (const token of SENTENCES.repeat(4).split(/(?<= )/)) {
      await session.send({ text: token });
      await session.pass(30);
    }
    await session.send({ flush: true });
  },
  'config, text and flush in one frame': async (session) => {
    await session.send({ ...CONFIG, text: SENTENCES, flush: true });
  },
  'several turns, pipelined': async (session) => {
    await session.send(CONFIG);
    for (let turn = 0; turn < 5; turn += 1) await session.send({ text: SENTENCES }, { flush: true });
  },
  'words off': async (session) => {
    await session.send({ ...CONFIG, word_timestamps: false }, { text: SENTENCES, flush: true });
  },
  'every format': async (session) => {
    for (const format of ['pcm_8000', 'pcm_22050', 'ulaw_8000', 'alaw_8000']) {
      await session.send({ ...CONFIG, output_format: format }, { text: SENTENCES, flush: true });
      await session.pass(1000);
    }
    await session.send({ sample_rate: 16_000 }, { text: SENTENCES, flush: true });
  },
  'barge-in, and a turn after it': async (session) => {
    session.world.engine.hold();
    await session.send(CONFIG, { text: SENTENCES });
    await session.pass(100);
    await session.send({ cancel: true });
    session.world.engine.release();
    await session.pass(500);
    await session.send({ text: SENTENCES, flush: true });
  },
  'text right behind a barge-in': async (session) => {
    await session.send(CONFIG, { text: SENTENCES }, { cancel: true }, { text: SENTENCES, flush: true });
  },
  'barge-in after the end': async (session) => {
    await session.send(CONFIG, { text: SENTENCES, flush: true });
    await session.pass(500);
    await session.send({ cancel: true });
  },
  'idle end': async (session) => {
    await session.send(CONFIG, { text: 'Left alone' });
    await session.pass(12_000);
    await session.send({ text: 'Next turn.', flush: true });
  },
  'flush and close with nothing': async (session) => {
    await session.send(CONFIG, { flush: true }, { close: true });
    await session.send({ text: SENTENCES, flush: true }, { close: true });
  },
  'settings between turns and in mid-turn': async (session) => {
    await session.send(CONFIG, { text: SENTENCES });
    await session.send({ update_settings: { speed: 1.1 } }, { sample_rate: 8000 });
    await session.send({ flush: true }, { text: SENTENCES, flush: true });
  },
  close_socket: async (session) => {
    await session.send(CONFIG, { text: SENTENCES }, { flush: true }, { close_socket: true });
  },
  'close_socket in mid-turn': async (session) => {
    await session.send(CONFIG, { text: SENTENCES }, { close_socket: true });
  },
  'restart of the server in mid-turn': async (session) => {
    await session.send(CONFIG, { text: 'Not flushed yet' });
    await session.pass(100);
    session.goingAway();
  },
  'a voice that is not there, in mid-turn': async (session) => {
    await session.send(CONFIG, { text: SENTENCES }, { voice_id: 999_999 }, { flush: true });
  },
  'generation fails': async (session) => {
    session.world.engine.failNext();
    await session.send(CONFIG, { text: SENTENCES, flush: true });
  },
};

const VOICE = { voice_settings: { voice_id: 1071 } };
const SESSION = { language: 'en', word_timestamps: true };
const create = (id: string): Message => ({ text: ' ', context_id: id, ...SESSION, ...VOICE });
const say = (id: string, more: Message = {}): Message => ({ text: SENTENCES, context_id: id, ...more });

const MULTI_FLOWS: Record<string, (session: LintedSession) => Promise<void>> = {
  'one context': async (session) => {
    await session.send(create('a'), say('a', { flush: true }));
    await session.pass(500);
    await session.send({ close_context: true, context_id: 'a' });
  },
  'several contexts at once': async (session) => {
    await session.send(...['a', 'b', 'c'].map(create));
    await session.send(...['a', 'b', 'c'].map((id) => say(id)));
    await session.send(...['a', 'b', 'c'].map((id) => say(id, { flush: true })));
    await session.pass(500);
    await session.send(...['a', 'b', 'c'].map((id) => ({ close_context: true, context_id: id })));
  },
  'turns pipelined, then close': async (session) => {
    await session.send(create('a'));
    for (let turn = 0; turn < 4; turn += 1) await session.send(say('a', { flush: true }));
    await session.send(say('a'), { close_context: true, context_id: 'a' });
  },
  'keep-alives, then idle': async (session) => {
    await session.send(create('a'), say('a', { flush: true }));
    for (let round = 0; round < 4; round += 1) {
      await session.pass(15_000);
      await session.send({ text: '', context_id: 'a' });
    }
    await session.pass(60_000);
  },
  'idle in mid-turn': async (session) => {
    await session.send(create('a'), { text: 'Never', context_id: 'a' });
    await session.pass(60_000);
  },
  'a longer time of inactivity': async (session) => {
    await session.send({ ...create('a'), inactivity_timeout: 60 }, say('a', { flush: true }));
    await session.pass(40_000);
    await session.send(say('a', { flush: true }));
    await session.pass(90_000);
  },
  'barge-in by an immediate close': async (session) => {
    session.world.engine.hold();
    await session.send(create('a'), create('b'), say('a'), say('b', { flush: true }));
    await session.send({ close_context: true, context_id: 'a', immediate: true });
    session.world.engine.release();
    await session.pass(500);
    await session.send(create('a'), say('a', { flush: true }));
  },
  'cancel one and all': async (session) => {
    await session.send(create('a'), create('b'), say('a'), say('b', { flush: true }));
    await session.send({ cancel: true, context_id: 'a' }, say('a', { flush: true }));
    await session.send({ cancel: true });
    await session.send(say('b', { flush: true }));
    await session.pass(500);
    await session.send({ close_context: true, context_id: 'a' }, { close_context: true, context_id: 'b' });
  },
  'cancel while closing': async (session) => {
    session.world.engine.hold();
    await session.send(create('a'), say('a'), { close_context: true, context_id: 'a' });
    await session.send({ cancel: true, context_id: 'a' });
    session.world.engine.release();
  },
  'twenty contexts, then one closed and another opened': async (session) => {
    const ids = Array.from({ length: 20 }, (_, place) => `c${place}`);
    for (const id of ids) await session.send(create(id));
    await session.send({ close_context: true, context_id: 'c0' });
    await session.pass(500);
    await session.send(create('d'));
    await session.send(...ids.slice(1).map((id) => say(id, { flush: true })));
  },
  'close_socket while speaking': async (session) => {
    await session.send(create('a'), create('b'), say('a'), say('b', { flush: true }), { close_socket: true });
  },
  'restart of the server while speaking': async (session) => {
    await session.send(create('a'), create('b'), say('a'), say('b', { flush: true }));
    session.goingAway();
  },
  'close of what is not there, and twice': async (session) => {
    await session.send({ close_context: true, context_id: 'a' }, create('a'));
    await session.send({ close_context: true, context_id: 'a' });
    await session.pass(500);
    await session.send({ close_context: true, context_id: 'a' });
  },
  'generation fails': async (session) => {
    await session.send(create('a'), create('b'), say('b'));
    session.world.engine.failNext();
    await session.send(say('a', { flush: true }));
    await session.pass(500);
    await session.send(say('a', { flush: true }), { flush: true, context_id: 'b' });
  },
  'ulaw, settings updated': async (session) => {
    await session.send({ ...create('a'), output_format: 'ulaw_8000' }, say('a', { flush: true }));
    await session.send({ update_settings: { speed: 1.1, language: 'de' } }, say('a', { flush: true }));
  },
};

describe.each([
  { of: 'stream', open: stream, flows: STREAM_FLOWS },
  { of: 'multi', open: multi, flows: MULTI_FLOWS },
])('sessions of $of lint clean', ({ open, flows }) => {
  describe.each([0, 40, 400])('with %i ms of latency', (latencyMs) => {
    it.each(Object.keys(flows))('%s', async (name) => {
      const session = open(latencyMs);
      await flows[name]?.(session);
      await session.pass(45_000);
      expect(session.wrong()).toEqual([]);
    });
  });
});

describe('any messages of a client in any order', () => {
  const waits = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(7000) });
  const streamMessages = fc.constantFrom<Message>(
    { text: 'Hello there, my friend. ' },
    { text: 'no end' },
    { text: SENTENCES },
    { flush: true },
    { text: 'At once.', flush: true },
    { cancel: true },
    { close: true },
    { update_settings: { speed: 1.1 } },
    { output_format: 'alaw_8000' },
    { word_timestamps: false },
    { text: ' ' },
  );
  const multiMessages = fc
    .tuple(fc.constantFrom('a', 'b'), fc.nat(9))
    .map(
      ([id, what]): Message =>
        [
          create(id),
          say(id),
          say(id, { flush: true }),
          { flush: true, context_id: id },
          { cancel: true, context_id: id },
          { cancel: true },
          { text: '', context_id: id },
          { close_context: true, context_id: id },
          { close_context: true, context_id: id, immediate: true },
          { text: 'no end', context_id: id },
        ][what] ?? {},
    );
  /** What a client does wrong itself; here the server must be free of blame. */
  const OWN_FAULTS = new Set(['client', 'limits']);

  it.each([
    { of: 'stream', open: stream, messages: streamMessages, first: [CONFIG] },
    { of: 'multi', open: multi, messages: multiMessages, first: [create('a'), create('b')] },
  ])(
    '$of: nothing is found against the server',
    async ({ open, messages, first }) => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(0, 30, 300),
          fc.array(fc.tuple(messages, waits), { maxLength: 14 }),
          async (latencyMs, steps) => {
            const session = open(latencyMs);
            await session.send(...first);
            for (const [message, waitMs] of steps) {
              await session.send(message);
              if (waitMs > 0) await session.pass(waitMs);
            }
            await session.pass(60_000);
            expect(session.wrong().filter(({ group }) => !OWN_FAULTS.has(group))).toEqual([]);
          },
        ),
        { numRuns: 100 },
      );
    },
    60_000,
  );

  it('a flush that crosses the idle end of a turn, twice: nothing is found against the server', async () => {
    const session = stream(300);
    await session.send(CONFIG);
    for (const message of [{ text: 'Hello there, my friend. ' }, { text: 'Hello there, my friend. ' }]) {
      await session.send(message);
      await session.pass(5000);
    }
    await session.send({ flush: true });
    await session.pass(60_000);
    expect(session.wrong().filter(({ group }) => !OWN_FAULTS.has(group))).toEqual([]);
  });
});
