import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '#protocol/core/rule.ts';
import { openLinter } from '#protocol/linters.ts';
import { murmr } from '#protocol/murmr/realtime.ts';
import { createFakeClock, settle } from '../fake-clock.test-helper.ts';
import { createLog } from '../log.ts';
import { NO_METER } from '../metrics/meter.ts';
import { LOCAL_CATALOGUE } from '../speech/voices/voice-catalogue.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { RealtimeSession } from './realtime-session.ts';
import { firstVoices } from './saved-voices.ts';
import { createTestAccess } from './session-world.test-helper.ts';
import { promptOf } from './voice-prompt.ts';

const FIRST_VOICES = firstVoices(LOCAL_CATALOGUE);

/** What the local server says to a client that does as documented must be free of findings. */

type Message = Record<string, unknown>;

/** A session whose every frame goes through the linter, over a network that takes its time. */
class LintedSession {
  readonly findings: Finding[] = [];
  readonly engine = createTestEngine();
  readonly #clock = createFakeClock();
  readonly #linter = openLinter(murmr.id);
  readonly #session: RealtimeSession;
  readonly #latencyMs: number;
  #index = 0;

  constructor(latencyMs: number) {
    this.#latencyMs = latencyMs;
    this.findings.push(...this.#linter.opened(this.#moment()));
    this.#session = new RealtimeSession({
      connection: {
        clock: this.#clock,
        background: (work) => void work(),
        send: (payload) =>
          this.#arriving(() => {
            this.findings.push(...this.#linter.feed({ ...this.#moment(), direction: 'in', payload }));
          }),
        close: (code) =>
          this.#arriving(() => {
            this.findings.push(...this.#linter.closed({ ...this.#moment(), code }));
          }),
        reset: () => {},
        drained: async () => {},
        pause: () => {},
        resume: () => {},
        silence: () => {},
      },
      engine: this.engine,
      catalogue: LOCAL_CATALOGUE,
      access: createTestAccess(),
      meter: NO_METER('other'),
      requestId: 'a1b2c3d4',
      log: createLog('silent'),
    });
  }

  async send(...messages: Message[]): Promise<void> {
    for (const message of messages) {
      const payload = JSON.stringify(message);
      this.findings.push(...this.#linter.feed({ ...this.#moment(), direction: 'out', payload }));
      this.#arriving(() => this.#session.text(payload));
    }
    await settle();
  }

  async pass(ms: number): Promise<void> {
    await this.#clock.advance(ms);
    this.findings.push(...this.#linter.pass(this.#clock.nowMs() * 1000));
  }

  goingAway(): void {
    this.#session.goingAway();
  }

  /** Everything but advice. */
  wrong(): Finding[] {
    return this.findings.filter(({ severity }) => severity !== 'advice');
  }

  #arriving(deliver: () => void): void {
    if (this.#latencyMs === 0) deliver();
    else this.#clock.after(this.#latencyMs, deliver);
  }

  #moment() {
    const moment = { index: this.#index, atUs: this.#clock.nowMs() * 1000, connection: 1 };
    this.#index += 1;
    return moment;
  }
}

const CONFIG = { type: 'config', api_key: 'local', voice_description: 'A warm voice', language: 'English' };
const FLUSH = { type: 'flush' };
const PING = { type: 'ping' };
const BINARY_MODE = { type: 'binary_mode' };
const text = (words: string): Message => ({ type: 'text', text: words });
const LONG =
  'Good morning to all of you. The train at nine is late, so there is time for a coffee; take your time! ';

const FLOWS: Record<string, (session: LintedSession) => Promise<void>> = {
  'one turn': async (session) => {
    await session.send(CONFIG, text(LONG), FLUSH);
  },
  'tokens of a model, in binary mode': async (session) => {
    await session.send(CONFIG);
    await session.pass(1000);
    await session.send(BINARY_MODE);
    for (const token of LONG.repeat(6).split(/(?<= )/)) {
      await session.send(text(token));
      await session.pass(30);
    }
    await session.send(FLUSH);
  },
  'turns pipelined': async (session) => {
    await session.send(CONFIG);
    for (let turn = 0; turn < 5; turn += 1) await session.send(text(LONG), FLUSH);
  },
  'a saved voice, then another config': async (session) => {
    const [voice] = FIRST_VOICES;
    if (!voice) throw new Error('there are no saved voices');
    const { voice_description: _, ...plain } = CONFIG;
    await session.send(
      { ...plain, voice: voice.id, voice_clone_prompt: promptOf(voice.cloned) },
      text(LONG),
      FLUSH,
    );
    await session.send(CONFIG, text('Another voice.'), FLUSH);
  },
  'flush with nothing, and pings': async (session) => {
    await session.send(CONFIG, FLUSH, PING, text('One'), FLUSH, FLUSH, PING, PING);
  },
  'a wrong key': async (session) => {
    await session.send({ ...CONFIG, api_key: 'wrong' }, text(LONG), FLUSH);
  },
  'no slot free': async (session) => {
    await session.send({ ...CONFIG, api_key: 'local-busy' }, text('One'), FLUSH, text('Two'), FLUSH);
  },
  'generation fails': async (session) => {
    session.engine.failNext();
    await session.send(CONFIG, text('One'), FLUSH);
  },
  'text that is never flushed': async (session) => {
    await session.send(CONFIG, text('One'));
  },
  'the server goes away while speaking': async (session) => {
    await session.send(CONFIG, text(LONG), FLUSH);
    await session.pass(210);
    session.goingAway();
  },
};

describe.each([0, 40, 400])('sessions of murmr lint clean, with %i ms of latency', (latencyMs) => {
  it.each(Object.keys(FLOWS))('%s', async (name) => {
    const session = new LintedSession(latencyMs);
    await FLOWS[name]?.(session);
    await session.pass(45_000);
    expect(session.wrong()).toEqual([]);
  });
});

it('the server breaks no rule for any messages in any order', async () => {
  const message = fc.constantFrom<Message>(
    text(LONG),
    text('no end'),
    text(' '),
    text('a'.repeat(500)),
    text('a, b. c! '),
    text('b'.repeat(4000)),
    FLUSH,
    PING,
    BINARY_MODE,
    CONFIG,
  );
  const wait = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(3000) });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(0, 30, 300),
      fc.array(fc.tuple(message, wait), { maxLength: 16 }),
      async (latencyMs, steps) => {
        const session = new LintedSession(latencyMs);
        await session.send(CONFIG);
        for (const [what, waitMs] of steps) {
          await session.send(what);
          if (waitMs > 0) await session.pass(waitMs);
        }
        await session.pass(60_000);
        expect(session.wrong().filter(({ group }) => group !== 'client' && group !== 'limits')).toEqual([]);
      },
    ),
    { numRuns: 60 },
  );
}, 60_000);
